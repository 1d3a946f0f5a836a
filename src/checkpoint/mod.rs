//! A checkpoint in Hugging Face layout: config.json and model.safetensors, read by ranges.

pub mod config;
pub mod header;
pub mod plan;
pub mod shards;
pub mod tensor;

use candle_core::{Device, Tensor};

use self::{
    config::{CONFIG_FILE, Config, MAX_CONFIG_BYTES},
    header::{Dtype, Header, HeaderError, LENGTH_BYTES, TensorPlace, header_length},
    plan::Plan,
    shards::{INDEX_FILE, MAX_INDEX_BYTES},
};
use crate::{
    report::Transfer,
    source::{Source, SourceError},
};

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
    #[error(
        "model.safetensors.index.json cannot be used: {reason}. Take the file that belongs to the weights."
    )]
    Index { reason: String },
    #[error(
        "This model needs about {need} MB of memory, more than the {limit} MB that are allowed here: take a smaller model, or run the native command on a machine with more."
    )]
    Memory { need: u64, limit: u64 },
    #[error("The tensor {tensor} could not be laid out: {source}.")]
    Layout { tensor: String, source: candle_core::Error },
}

/// An opened checkpoint. Weights stay where they are until one is asked for.
#[derive(Debug)]
pub struct Checkpoint {
    source: Source,
    config: Config,
    shards: Vec<Shard>,
}

/// One safetensors file.
#[derive(Debug)]
struct Shard {
    file: String,
    length: u64,
    header: Header,
}

impl Shard {
    async fn open(source: &Source, file: String) -> Result<Self, CheckpointError> {
        let length = source.size(&file).await?;
        let first = source.read(&file, 0..LENGTH_BYTES.min(length)).await?;
        let json_length = header_length(&file, &first, length)?;
        let json = source.read(&file, LENGTH_BYTES..LENGTH_BYTES + json_length).await?;
        let header = Header::parse(&file, &json, length)?;
        Ok(Self { file, length, header })
    }
}

impl Checkpoint {
    /// Reads config.json and the header of model.safetensors, or of all files that
    /// model.safetensors.index.json names.
    ///
    /// # Errors
    /// [`CheckpointError`] where one is missing or damaged.
    pub async fn open(source: Source) -> Result<Self, CheckpointError> {
        let config = Config::parse(&source.read_all(CONFIG_FILE, MAX_CONFIG_BYTES).await?)?;
        let mut shards = Vec::new();
        for file in weights_files(&source).await? {
            shards.push(Shard::open(&source, file).await?);
        }
        Ok(Self { source, config, shards })
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
        self.shards.iter().any(|shard| shard.header.tensors.contains_key(tensor))
    }

    /// The bytes of those of `tensors` that there are.
    #[must_use]
    pub fn plan<'a>(&self, tensors: impl IntoIterator<Item = &'a str>) -> Plan {
        let mut plan = Plan::default();
        for tensor in tensors {
            if let Some((file, place)) = self.find(tensor) {
                plan.add(file, [place.bytes.clone()]);
            }
        }
        plan
    }

    /// The bytes of `rows` of the matrix `tensor`; none where there is no such matrix.
    #[must_use]
    pub fn plan_rows(&self, tensor: &str, rows: impl IntoIterator<Item = usize>) -> Plan {
        let mut plan = Plan::default();
        if let Some((file, place)) = self.find(tensor)
            && let [count, width] = *place.shape
        {
            let length = width as u64 * place.dtype.size();
            let within = rows.into_iter().filter(|&row| row < count).map(|row| row as u64);
            plan.add(
                file,
                within.map(|row| place.bytes.start + row * length..place.bytes.start + (row + 1) * length),
            );
        }
        plan
    }

    /// Number of elements in all of `tensors` that there are.
    #[must_use]
    pub fn elements<'a>(&self, tensors: impl IntoIterator<Item = &'a str>) -> u64 {
        let places = tensors.into_iter().filter_map(|tensor| self.find(tensor));
        places.map(|(_, place)| (place.bytes.end - place.bytes.start) / place.dtype.size()).sum()
    }

    /// Fetches the bytes of `plan`, several ranges at once, and keeps them until [`Self::release`].
    ///
    /// # Errors
    /// [`CheckpointError::Source`].
    pub async fn prefetch(&self, plan: &Plan) -> Result<(), CheckpointError> {
        for (file, ranges) in plan.files() {
            self.source.prefetch(&self.shards[file].file, ranges).await?;
        }
        Ok(())
    }

    /// Lets go of what [`Self::prefetch`] keeps.
    pub fn release(&self, plan: &Plan) {
        for (file, ranges) in plan.files() {
            self.source.release(&self.shards[file].file, ranges);
        }
    }

    /// False where the host sends whole files only, so that all that is needed should be prefetched in one go.
    #[must_use]
    pub fn takes_ranges(&self) -> bool {
        self.shards.iter().all(|shard| self.source.takes_ranges(&shard.file))
    }

    /// What came over the network of the weights' files; `None` where none has to.
    #[must_use]
    pub fn transfer(&self) -> Option<Transfer> {
        let fetched =
            self.shards.iter().map(|shard| self.source.fetched(&shard.file)).sum::<Option<u64>>()?;
        Some(Transfer { fetched, whole: self.shards.iter().map(|shard| shard.length).sum() })
    }

    fn find(&self, tensor: &str) -> Option<(usize, &TensorPlace)> {
        let mut shards = self.shards.iter().enumerate();
        shards.find_map(|(file, shard)| Some((file, shard.header.tensors.get(tensor)?)))
    }

    /// The tensor `tensor` as f32 with shape `shape`.
    ///
    /// # Errors
    /// [`CheckpointError`] where it is missing, has another shape, an unknown type or values that are not
    /// finite, or where its bytes cannot be had.
    pub async fn tensor(&self, tensor: &str, shape: &[usize]) -> Result<Tensor, CheckpointError> {
        let (file, place) = self.place(tensor, shape)?;
        let bytes = self.source.read(file, place.bytes.clone()).await?;
        let values = tensor::to_f32(file, tensor, place.dtype, &bytes)?;
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
        let (file, place) = self.place(tensor, &shape)?;
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
            let bytes = self.source.read(file, start..end).await?;
            let floats = tensor::to_f32(file, tensor, place.dtype, &bytes)?;
            for (row, chunk) in run.zip(floats.chunks_exact(shape[1])) {
                values.insert(row, chunk.to_vec());
            }
        }
        let gathered = rows.iter().filter_map(|row| values.get(row)).flatten().copied().collect();
        self.lay_out(tensor, gathered, &[rows.len(), shape[1]])
    }

    fn place(&self, tensor: &str, shape: &[usize]) -> Result<(&str, &TensorPlace), CheckpointError> {
        let (file, place) = self.find(tensor).ok_or_else(|| CheckpointError::MissingTensor {
            file: if self.shards.len() == 1 { self.shards[0].file.clone() } else { INDEX_FILE.to_owned() },
            tensor: tensor.to_owned(),
        })?;
        let file = self.shards[file].file.as_str();
        if place.shape != shape {
            return Err(CheckpointError::Shape {
                file: file.to_owned(),
                tensor: tensor.to_owned(),
                expected: shape.to_vec(),
                actual: place.shape.clone(),
            });
        }
        Ok((file, place))
    }

    #[allow(clippy::unused_self)]
    fn lay_out(&self, tensor: &str, values: Vec<f32>, shape: &[usize]) -> Result<Tensor, CheckpointError> {
        Tensor::from_vec(values, shape, &Device::Cpu)
            .map_err(|source| CheckpointError::Layout { tensor: tensor.to_owned(), source })
    }
}

/// model.safetensors, or the files that the index names where there is one instead.
async fn weights_files(source: &Source) -> Result<Vec<String>, CheckpointError> {
    // Without this, a second visit would ask the host for the file that was missing on the first.
    if !source.is_stored(INDEX_FILE).await {
        match source.size(WEIGHTS_FILE).await {
            Ok(_) => return Ok(vec![WEIGHTS_FILE.to_owned()]),
            Err(missing @ SourceError::Missing { .. }) => match source.size(INDEX_FILE).await {
                Ok(_) => {}
                Err(SourceError::Missing { .. }) => return Err(missing.into()),
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
    }
    shards::files(&source.read_all(INDEX_FILE, MAX_INDEX_BYTES).await?)
}
