//! Counting tests in what `cargo test` prints.

use std::{fmt, ops::AddAssign};

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
}

impl Counts {
    /// The counts in a line of a test binary's output, if it has some.
    #[must_use]
    pub fn in_line(line: &str) -> Option<Self> {
        let rest = line.split_once("test result:")?.1;
        Some(Self { passed: before(rest, " passed")?, failed: before(rest, " failed")? })
    }
}

/// The number that stands before a word.
fn before(text: &str, word: &str) -> Option<u64> {
    let start = text.split_once(word)?.0;
    let digits = start.rfind(|last: char| !last.is_ascii_digit()).map_or(0, |last| last + 1);
    start.get(digits..)?.parse().ok()
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_results() {
        let line = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out";
        assert_eq!(Counts::in_line(line), Some(Counts { passed: 12, failed: 0 }));
        let coloured =
            "test result: \u{1b}[31mFAILED\u{1b}[0m. 3 passed; 2 failed; 0 ignored; 0 filtered out";
        assert_eq!(Counts::in_line(coloured), Some(Counts { passed: 3, failed: 2 }));
        assert_eq!(Counts::in_line("test reads_results ... ok"), None);
    }

    #[test]
    fn sums_and_shows() {
        let mut sum = Counts::default();
        sum += Counts { passed: 2, failed: 1 };
        sum += Counts { passed: 3, failed: 0 };
        assert_eq!(sum.to_string(), "5 passed, 1 failed");
    }
}
