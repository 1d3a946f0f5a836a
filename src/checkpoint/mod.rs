//! A checkpoint in Hugging Face layout: config.json and model.safetensors, read by ranges.

pub mod config;
pub mod header;
pub mod tensor;

use candle_core::{Device, Tensor};

use self::{
    config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES},
    header::{Dtype, Header, HeaderError, LENGTH_BYTES, TensorPlace, header_length},
};
use crate::source::{Source, SourceError};

/// Name of the weights' file.
pub const WEIGHTS_FILE: &str = "model.safetensors";

/// Why a checkpoint is refused.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error("config.json cannot be used: {reason}. Take the file that belongs to the weights.")]
    Config { reason: String },
    #[error(
        "{file} has no tensor {tensor}, which config.json makes necessary: check that both files belong to the same model."
    )]
    MissingTensor { file: String, tensor: String },
    #[error(
        "In {file} the tensor {tensor} has shape {actual:?}, but config.json asks for {expected:?}: check that both files belong to the same model."
    )]
    Shape { file: String, tensor: String, expected: Vec<usize>, actual: Vec<usize> },
    #[error(
        "In {file} the tensor {tensor} has type {dtype:?}; F32, F16 and BF16 are read: convert the checkpoint."
    )]
    Dtype { file: String, tensor: String, dtype: Dtype },
    #[error(
        "In {file} the tensor {tensor} holds a value that is {value} (at index {index}): the training went wrong or the file is damaged, take another checkpoint."
    )]
    NotFinite { file: String, tensor: String, index: usize, value: &'static str },
    #[error("The tensor {tensor} could not be laid out: {source}.")]
    Layout { tensor: String, source: candle_core::Error },
}

/// An opened checkpoint. Weights stay where they are until one is asked for.
#[derive(Debug)]
pub struct Checkpoint {
    source: Source,
    config: Config,
    header: Header,
}

impl Checkpoint {
    /// Reads config.json and the header of model.safetensors.
    ///
    /// # Errors
    /// [`CheckpointError`] where either is missing or damaged.
    pub async fn open(source: Source) -> Result<Self, CheckpointError> {
        let config = Config::parse(&source.read_all(CONFIG_FILE, MAX_CONFIG_BYTES).await?)?;
        let length = source.size(WEIGHTS_FILE).await?;
        let first = source.read(WEIGHTS_FILE, 0..LENGTH_BYTES.min(length)).await?;
        let json_length = header_length(WEIGHTS_FILE, &first, length)?;
        let json = source.read(WEIGHTS_FILE, LENGTH_BYTES..LENGTH_BYTES + json_length).await?;
        let header = Header::parse(WEIGHTS_FILE, &json, length)?;
        Ok(Self { source, config, header })
    }

    /// The parsed config.json.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where the bytes come from.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Whether there is a tensor of this name.
    #[must_use]
    pub fn has(&self, tensor: &str) -> bool {
        self.header.tensors.contains_key(tensor)
    }

    /// The tensor `tensor` as f32 with shape `shape`.
    ///
    /// # Errors
    /// [`CheckpointError`] where it is missing, has another shape, an unknown type or values that are not
    /// finite, or where its bytes cannot be had.
    pub async fn tensor(&self, tensor: &str, shape: &[usize]) -> Result<Tensor, CheckpointError> {
        let place = self.place(tensor, shape)?;
        let bytes = self.source.read(WEIGHTS_FILE, place.bytes.clone()).await?;
        let values = tensor::to_f32(WEIGHTS_FILE, tensor, place.dtype, &bytes)?;
        drop(bytes);
        self.lay_out(tensor, values, shape)
    }

    /// Rows `rows` of the matrix `tensor`, whose shape is [count, width]: [`rows.len()`, width] in f32. Only
    /// the bytes of these rows are read; neighbouring rows are read together.
    ///
    /// # Errors
    /// As [`Self::tensor`]. Rows beyond `count` are the caller's mistake and come back as
    /// [`SourceError::Truncated`] or as wrong values; check them before.
    pub async fn rows(
        &self,
        tensor: &str,
        shape: [usize; 2],
        rows: &[usize],
    ) -> Result<Tensor, CheckpointError> {
        let place = self.place(tensor, &shape)?;
        let row_bytes = shape[1] as u64 * place.dtype.size();
        let mut wanted: Vec<usize> = rows.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut values = std::collections::BTreeMap::new();
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for row in wanted {
            match runs.last_mut() {
                Some(run) if run.end == row => run.end += 1,
                _ => runs.push(row..row + 1),
            }
        }
        for run in runs {
            let start = place.bytes.start + run.start as u64 * row_bytes;
            let end = place.bytes.start + run.end as u64 * row_bytes;
            let bytes = self.source.read(WEIGHTS_FILE, start..end).await?;
            let floats = tensor::to_f32(WEIGHTS_FILE, tensor, place.dtype, &bytes)?;
            for (row, chunk) in run.zip(floats.chunks_exact(shape[1])) {
                values.insert(row, chunk.to_vec());
            }
        }
        let gathered = rows.iter().filter_map(|row| values.get(row)).flatten().copied().collect();
        self.lay_out(tensor, gathered, &[rows.len(), shape[1]])
    }

    fn place(&self, tensor: &str, shape: &[usize]) -> Result<&TensorPlace, CheckpointError> {
        let place = self.header.tensors.get(tensor).ok_or_else(|| CheckpointError::MissingTensor {
            file: WEIGHTS_FILE.to_owned(),
            tensor: tensor.to_owned(),
        })?;
        if place.shape != shape {
            return Err(CheckpointError::Shape {
                file: WEIGHTS_FILE.to_owned(),
                tensor: tensor.to_owned(),
                expected: shape.to_vec(),
                actual: place.shape.clone(),
            });
        }
        Ok(place)
    }

    #[allow(clippy::unused_self)]
    fn lay_out(&self, tensor: &str, values: Vec<f32>, shape: &[usize]) -> Result<Tensor, CheckpointError> {
        Tensor::from_vec(values, shape, &Device::Cpu)
            .map_err(|source| CheckpointError::Layout { tensor: tensor.to_owned(), source })
    }
}
