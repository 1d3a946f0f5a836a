//! config.json: settings are read by name, and a missing or foolish one is named.

use serde_json::{Map, Value};

use super::CheckpointError;

/// Name of the file in Hugging Face layout.
pub const CONFIG_FILE: &str = "config.json";
/// Largest config.json that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 1_000_000;
/// No width, depth, vocabulary or other count is larger than this in any known model.
const MAX_COUNT: u64 = 10_000_000;

/// A parsed config.json.
#[derive(Clone, Debug, Default)]
pub struct Config(Map<String, Value>);

impl Config {
    /// Parses the file's bytes.
    ///
    /// # Errors
    /// [`CheckpointError::Config`] where they are not a JSON object.
    pub fn parse(bytes: &[u8]) -> Result<Self, CheckpointError> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(problem("it is not a JSON object".to_owned())),
            Err(error) => Err(problem(format!("it is not JSON: {error}"))),
        }
    }

    /// The value under `key`; a `null` counts as absent.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// A text under `key`.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// A positive whole number under `key`.
    ///
    /// # Errors
    /// [`CheckpointError::Config`] where it is absent, no whole number, 0, or larger than any model's.
    pub fn count(&self, key: &str) -> Result<usize, CheckpointError> {
        let value = self.get(key).ok_or_else(|| problem(format!("\"{key}\" is missing")))?;
        match value.as_u64() {
            Some(count) if (1..=MAX_COUNT).contains(&count) => Ok(count as usize),
            _ => Err(problem(format!("\"{key}\" is {value}, which is no count between 1 and {MAX_COUNT}"))),
        }
    }

    /// As [`Self::count`], with a default where the key is absent.
    ///
    /// # Errors
    /// [`CheckpointError::Config`] where it is there and no count.
    pub fn count_or(&self, key: &str, default: usize) -> Result<usize, CheckpointError> {
        if self.get(key).is_some() { self.count(key) } else { Ok(default) }
    }

    /// A finite number under `key`, or `default` where the key is absent.
    ///
    /// # Errors
    /// [`CheckpointError::Config`] where it is there and no number.
    pub fn number_or(&self, key: &str, default: f64) -> Result<f64, CheckpointError> {
        match self.get(key) {
            None => Ok(default),
            Some(value) => value
                .as_f64()
                .filter(|number| number.is_finite())
                .ok_or_else(|| problem(format!("\"{key}\" is {value}, which is no number"))),
        }
    }

    /// A truth value under `key`, or `default` where the key is absent or something else.
    #[must_use]
    pub fn flag_or(&self, key: &str, default: bool) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(default)
    }

    /// An object under `key`, such as `rope_parameters`.
    #[must_use]
    pub fn section(&self, key: &str) -> Option<Self> {
        self.get(key).and_then(Value::as_object).cloned().map(Self)
    }
}

/// The error for a `reason` to refuse config.json.
#[must_use]
pub fn problem(reason: String) -> CheckpointError {
    CheckpointError::Config { reason }
}
