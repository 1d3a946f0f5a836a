//! `AdamW` with warm-up, cosine decay and a limit on the gradient's length.

use std::collections::BTreeMap;

use candle_core::Result;

use super::parameters::Parameters;

const SECOND_DECAY: f32 = 0.98;
const FIRST_DECAY: f32 = 0.9;
const EPSILON: f32 = 1e-8;
/// The share of the peak rate that is left at the last step.
const LAST_RATE: f64 = 0.03;

/// Gradients by the name of their weight.
pub type Gradients = BTreeMap<String, Vec<f32>>;

/// Learning rate at a step (from 0): linear warm-up, then half a cosine down to 3 % of the peak.
#[must_use]
pub fn rate_at(step: usize, steps: usize, warm_up: usize, peak: f64) -> f64 {
    if step < warm_up {
        return peak * (step + 1) as f64 / warm_up as f64;
    }
    let done = (step - warm_up) as f64 / steps.saturating_sub(warm_up).max(1) as f64;
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos());
    peak * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
}

/// Scales all gradients so that their joint length is at most `limit`; returns the length before.
pub fn clip(gradients: &mut Gradients, limit: f64) -> f64 {
    let squares = gradients.values().flatten().map(|&value| f64::from(value) * f64::from(value));
    let length = squares.sum::<f64>().sqrt();
    if length > limit {
        let factor = (limit / length) as f32;
        gradients.values_mut().flatten().for_each(|value| *value *= factor);
    }
    length
}

/// `AdamW` (Loshchilov and Hutter, ICLR 2019); weight decay for matrices, not for biases and norms.
#[derive(Debug, Clone, Default)]
pub struct AdamW {
    /// Steps taken.
    pub taken: usize,
    /// Running mean of each gradient.
    pub first: Gradients,
    /// Running mean of each squared gradient.
    pub second: Gradients,
}

impl AdamW {
    /// Moves the weights one step along the gradients.
    pub fn step(
        &mut self,
        parameters: &mut Parameters,
        gradients: &Gradients,
        rate: f64,
        decay: f64,
    ) -> Result<()> {
        self.taken += 1;
        let taken = i32::try_from(self.taken).unwrap_or(i32::MAX);
        let first_scale = 1.0 / (1.0 - FIRST_DECAY.powi(taken));
        let second_scale = 1.0 / (1.0 - SECOND_DECAY.powi(taken));
        for (name, gradient) in gradients {
            let shape = parameters.get(name)?.dims().to_vec();
            let mut values = parameters.values(name)?;
            let shrink = if shape.len() > 1 { 1.0 - (rate * decay) as f32 } else { 1.0 };
            let zeros = || vec![0.0; gradient.len()];
            let first = self.first.entry(name.clone()).or_insert_with(zeros);
            let second = self.second.entry(name.clone()).or_insert_with(zeros);
            let moments = first.iter_mut().zip(second.iter_mut());
            for ((value, gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
                *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * gradient;
                *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * gradient * gradient;
                let step = *first * first_scale / ((*second * second_scale).sqrt() + EPSILON);
                *value = *value * shrink - rate as f32 * step;
            }
            parameters.set(name, values, &shape)?;
        }
        Ok(())
    }
}
