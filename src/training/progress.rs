//! What the reader sees while a model trains.

use std::io::Write;
use std::time::Instant;

/// Where the lines of a run go.
pub type Report<'a> = &'a mut dyn FnMut(&str);

/// Writes a line to standard error; a closed one is no reason to stop a run of hours.
pub fn to_standard_error(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Estimates the time left from the steps of this call.
#[derive(Debug)]
pub struct Clock {
    begun: Instant,
    first: usize,
}

impl Clock {
    /// Starts at a step.
    #[must_use]
    pub fn new(first: usize) -> Self {
        Self { begun: Instant::now(), first }
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// "0.212 s a step, 12 min left" after `step` steps of `steps`.
    #[must_use]
    pub fn left(&self, step: usize, steps: usize) -> String {
        if step <= self.first {
            return "time left not known yet".to_owned();
        }
        let each = self.seconds() / (step - self.first) as f64;
        let left = each * steps.saturating_sub(step) as f64;
        let left = if left < 90.0 { format!("{left:.0} s") } else { format!("{:.0} min", left / 60.0) };
        format!("{each:.3} s a step, {left} left")
    }
}
