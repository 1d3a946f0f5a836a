//! What a reader can choose about an analysis. The page, the worker and the native command share these types.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Largest number of steps that a trajectory may take (SPEC 1, unrolling).
pub const MAX_STEPS: usize = 500;
/// Largest number of leading eigenvalues that can be asked for.
pub const MAX_EIGENVALUES: usize = 64;
/// Longest text, in characters, that is handed to a tokenizer.
pub const MAX_TEXT_CHARACTERS: usize = 20_000;

/// The length r to which every token is scaled after each step (SPEC 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Radius {
    /// r = 1.
    #[default]
    #[serde(rename = "1")]
    One,
    /// r = sqrt(d), the length that `LayerNorm` gives.
    #[serde(rename = "sqrt-d")]
    SqrtD,
}

impl Radius {
    /// r for tokens of `width` d.
    #[must_use]
    pub fn length(self, width: usize) -> f64 {
        match self {
            Self::One => 1.0,
            Self::SqrtD => (width as f64).sqrt(),
        }
    }
}

/// The order in which eigenvalues are called first, second, … (SPEC 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By |1 + lambda|: what one step amplifies.
    #[default]
    Shifted,
    /// By Re lambda.
    Real,
    /// By |lambda|.
    Modulus,
}

/// A word that is none of the values that a setting can take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{given}\" is no {setting}: choose one of {choices}.")]
pub struct UnknownChoice {
    given: String,
    setting: &'static str,
    choices: &'static str,
}

macro_rules! spelled {
    ($type:ty, $setting:literal, $choices:literal, $($word:literal => $value:path),+) => {
        impl FromStr for $type {
            type Err = UnknownChoice;
            fn from_str(word: &str) -> Result<Self, UnknownChoice> {
                match word {
                    $($word => Ok($value),)+
                    _ => Err(UnknownChoice { given: word.to_owned(), setting: $setting, choices: $choices }),
                }
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($value => $word,)+ })
            }
        }
    };
}

spelled!(Radius, "radius", "1, sqrt-d", "1" => Radius::One, "sqrt-d" => Radius::SqrtD);
spelled!(Order, "order", "shifted, real, modulus",
    "shifted" => Order::Shifted, "real" => Order::Real, "modulus" => Order::Modulus);

/// How an analysis is run (SPEC 1 and 2). The text is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Length of every token after a step.
    pub radius: Radius,
    /// Whether the biases of q, k, v and the output apply.
    pub biases: bool,
    /// Order of the eigenvalues.
    pub order: Order,
    /// Number of steps; `None` is the model's depth. Only a shared-weight model can go beyond its depth.
    pub steps: Option<usize>,
    /// How many leading eigenvalues are computed for each layer; a complex pair is never cut.
    pub eigenvalues: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { radius: Radius::One, biases: false, order: Order::Shifted, steps: None, eigenvalues: 6 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_values_go_both_ways() {
        for radius in [Radius::One, Radius::SqrtD] {
            assert_eq!(radius.to_string().parse(), Ok(radius));
        }
        for order in [Order::Shifted, Order::Real, Order::Modulus] {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        let error = "2".parse::<Radius>().unwrap_err().to_string();
        assert_eq!(error, "\"2\" is no radius: choose one of 1, sqrt-d.");
    }
}
