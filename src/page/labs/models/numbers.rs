//! Numbers as the lab writes them: with a true minus sign, and in words where there is none.

/// A number with `digits` digits after the point.
#[must_use]
pub fn fixed(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    let text = format!("{:.digits$}", value.abs());
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero { format!("\u{2212}{text}") } else { text }
}

/// A number with its sign written out.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let text = fixed(value, digits);
    if value > 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        format!("+{text}")
    } else {
        text
    }
}

/// A number with four significant digits in plain ASCII, for tables; empty where it is not finite.
#[must_use]
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = value.abs().log10().floor();
    if !(-5.0..6.0).contains(&exponent) {
        return format!("{value:.3e}");
    }
    format!("{value:.*}", (3.0 - exponent).max(0.0) as usize)
}

/// A pair of conjugates as `0.81 ± 0.12i`, a real number as itself.
#[must_use]
pub fn complex([re, im]: [f64; 2], digits: usize) -> String {
    if im == 0.0 {
        fixed(re, digits)
    } else {
        format!("{} \u{b1} {}i", fixed(re, digits), fixed(im.abs(), digits))
    }
}

/// The mean; NaN where there is nothing to average.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_print() {
        assert_eq!(fixed(-0.126, 2), "\u{2212}0.13");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(f64::NAN, 2), "not a number");
        assert_eq!(signed(0.5, 2), "+0.50");
        assert_eq!(signed(0.001, 2), "0.00");
        assert_eq!(complex([0.8, -0.1], 2), "0.80 \u{b1} 0.10i");
        assert_eq!(complex([-2.5, 0.0], 1), "\u{2212}2.5");
    }

    #[test]
    fn tables_hold_four_digits() {
        let cases = [
            (0.062_345_6, "0.06235"),
            (-1.234_56, "-1.235"),
            (12_345.6, "12346"),
            (0.0, "0"),
            (1e-9, "1.000e-9"),
            (f64::INFINITY, ""),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value), text);
        }
    }
}
