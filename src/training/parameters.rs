//! The weights under their Hugging Face names.

use std::collections::BTreeMap;

use candle_core::{Device, Result, Tensor, Var};

use super::random::Random;

/// Trainable f32 tensors by name, in the order of their names.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    variables: BTreeMap<String, Weight>,
}

/// A weight that is trained, or one that is only read.
#[derive(Debug, Clone)]
enum Weight {
    Trained(Var),
    Fixed(Tensor),
}

impl Weight {
    fn tensor(&self) -> &Tensor {
        match self {
            Self::Trained(variable) => variable.as_tensor(),
            Self::Fixed(tensor) => tensor,
        }
    }
}

impl Parameters {
    /// The tensor of this name, for use in a forward pass.
    pub fn get(&self, name: &str) -> Result<&Tensor> {
        match self.variables.get(name) {
            Some(weight) => Ok(weight.tensor()),
            None => candle_core::bail!("there is no weight named {name}"),
        }
    }

    /// Adds a weight or replaces its values; `values` fill `shape` row by row.
    pub fn set(&mut self, name: &str, values: Vec<f32>, shape: &[usize]) -> Result<()> {
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu)?;
        if let Some(Weight::Trained(variable)) = self.variables.get(name) {
            return variable.set(&tensor);
        }
        self.variables.insert(name.to_owned(), Weight::Trained(Var::from_tensor(&tensor)?));
        Ok(())
    }

    /// Adds a weight of independent normal values.
    pub fn normal(&mut self, random: &mut Random, name: &str, shape: &[usize], deviation: f64) -> Result<()> {
        let count = shape.iter().product();
        self.set(name, (0..count).map(|_| (random.normal() * deviation) as f32).collect(), shape)
    }

    /// Adds a weight whose values are all the same.
    pub fn constant(&mut self, name: &str, shape: &[usize], value: f32) -> Result<()> {
        self.set(name, vec![value; shape.iter().product()], shape)
    }

    /// The values of a weight, row by row.
    pub fn values(&self, name: &str) -> Result<Vec<f32>> {
        self.get(name)?.flatten_all()?.to_vec1()
    }

    /// Names and tensors, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Tensor)> {
        self.variables.iter().map(|(name, weight)| (name, weight.tensor()))
    }

    /// How many numbers the model has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.variables.values().map(|weight| weight.tensor().elem_count()).sum()
    }

    /// The same weights for reading only: nothing is recorded for gradients, nothing is copied.
    #[must_use]
    pub fn detached(&self) -> Self {
        let fixed =
            |(name, weight): (&String, &Weight)| (name.clone(), Weight::Fixed(weight.tensor().detach()));
        Self { variables: self.variables.iter().map(fixed).collect() }
    }
}
