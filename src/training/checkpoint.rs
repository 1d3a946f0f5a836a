//! What a run writes: Hugging Face folders in F16, and the state from which it can be continued.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use half::f16;
use safetensors::{Dtype, SafeTensors, View, serialize};
use serde::{Deserialize, Serialize};

use super::error::TrainError;
use super::optimizer::{AdamW, Gradients};
use super::parameters::Parameters;
use super::settings::Settings;

/// A logged step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// Steps taken before it was measured.
    pub step: usize,
    /// Mean training loss since the last one, nats a token.
    pub training_loss: Option<f64>,
    /// Loss on the held-out tokens, nats a token.
    pub validation_loss: f64,
    /// Applications of a shared layer in training at that time.
    pub applications: usize,
    /// Frobenius norm of F = O V, mean over layers.
    pub layer_matrix_norm: f64,
}

/// Where a run is.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Steps taken.
    pub step: usize,
    /// The weights.
    pub parameters: Parameters,
    /// The moments.
    pub optimizer: AdamW,
    /// What was logged so far.
    pub history: Vec<Logged>,
    /// Seconds of training so far, over all calls.
    pub seconds: f64,
}

/// A tensor's bytes, ready to be written.
struct Bytes {
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl View for Bytes {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.data)
    }
    fn data_len(&self) -> usize {
        self.data.len()
    }
}

fn exact(values: &[f32], shape: Vec<usize>) -> Bytes {
    Bytes { dtype: Dtype::F32, shape, data: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
}

fn halved(values: &[f32], shape: Vec<usize>) -> Bytes {
    let bytes = values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes()).collect();
    Bytes { dtype: Dtype::F16, shape, data: bytes }
}

/// Writes a file beside its name first, so that an interruption never leaves half a file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(TrainError::write(folder))?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path)).map_err(|source| {
        // A full disk: what was written of the new file only takes space.
        let _ = std::fs::remove_file(&partial);
        TrainError::Write { path: path.to_owned(), source }
    })
}

fn safetensors(
    tensors: Vec<(String, Bytes)>,
    metadata: HashMap<String, String>,
    path: &Path,
) -> Result<(), TrainError> {
    let bytes = serialize(tensors, Some(metadata))
        .map_err(|error| TrainError::Write { path: path.to_owned(), source: std::io::Error::other(error) })?;
    write(path, &bytes)
}

/// Writes `model.safetensors` with F16 weights under their Hugging Face names.
pub fn export(parameters: &Parameters, folder: &Path) -> Result<(), TrainError> {
    let mut tensors = Vec::new();
    for (name, tensor) in parameters.iter() {
        tensors.push((name.clone(), halved(&parameters.values(name)?, tensor.dims().to_vec())));
    }
    let metadata = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    safetensors(tensors, metadata, &folder.join("model.safetensors"))
}

/// Reads the weights of a `model.safetensors` (F16 or F32) into parameters of the same names and shapes.
pub fn import(parameters: &mut Parameters, path: &Path) -> Result<(), TrainError> {
    let problem = |problem: String| TrainError::Resume { path: path.to_owned(), problem };
    let bytes = std::fs::read(path).map_err(|error| problem(format!("cannot be read ({error})")))?;
    let file = SafeTensors::deserialize(&bytes).map_err(|error| problem(format!("is damaged ({error})")))?;
    let shapes: Vec<_> = parameters.iter().map(|(name, t)| (name.clone(), t.dims().to_vec())).collect();
    for (name, shape) in shapes {
        let tensor = file.tensor(&name).map_err(|_| problem(format!("has no tensor {name}")))?;
        if tensor.shape() != shape {
            return Err(problem(format!("{name} has shape {:?}, not {shape:?}", tensor.shape())));
        }
        let values = match tensor.dtype() {
            Dtype::F16 => {
                let pairs = tensor.data().chunks_exact(2);
                pairs.map(|pair| f16::from_le_bytes([pair[0], pair[1]]).to_f32()).collect()
            }
            Dtype::F32 => floats(tensor.data()),
            other => return Err(problem(format!("{name} is {other:?}; F16 or F32 can be read"))),
        };
        parameters.set(&name, values, &shape)?;
    }
    Ok(())
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

/// The file from which a run is continued.
#[must_use]
pub fn state_file(folder: &Path) -> PathBuf {
    folder.join("continue.safetensors")
}

#[derive(Serialize, Deserialize)]
struct Notes {
    settings: Settings,
    step: usize,
    history: Vec<Logged>,
    seconds: f64,
}

/// Writes weights, moments and counters in full precision.
pub fn save(state: &State, settings: &Settings, folder: &Path) -> Result<(), TrainError> {
    let mut tensors = Vec::new();
    for (name, tensor) in state.parameters.iter() {
        let shape = tensor.dims().to_vec();
        tensors.push((format!("weight/{name}"), exact(&state.parameters.values(name)?, shape)));
    }
    for (kind, moments) in [("first", &state.optimizer.first), ("second", &state.optimizer.second)] {
        for (name, values) in moments {
            tensors.push((format!("{kind}/{name}"), exact(values, vec![values.len()])));
        }
    }
    let path = state_file(folder);
    let notes = Notes {
        settings: settings.clone(),
        step: state.step,
        history: state.history.clone(),
        seconds: state.seconds,
    };
    let notes = serde_json::to_string(&notes)
        .map_err(|error| TrainError::Write { path: path.clone(), source: error.into() })?;
    safetensors(tensors, HashMap::from([("notes".to_owned(), notes)]), &path)
}

/// Reads what [`save`] wrote; none if there is no such file. `state` holds the initial weights.
pub fn load(state: &mut State, settings: &Settings, folder: &Path) -> Result<bool, TrainError> {
    let path = state_file(folder);
    if !path.exists() {
        return Ok(false);
    }
    let problem = |problem: String| TrainError::Resume { path: path.clone(), problem };
    let bytes = std::fs::read(&path).map_err(|error| problem(format!("cannot be read ({error})")))?;
    let damaged = |error: &dyn std::fmt::Display| problem(format!("is damaged ({error})"));
    let file = SafeTensors::deserialize(&bytes).map_err(|error| damaged(&error))?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|error| damaged(&error))?;
    let notes = metadata.metadata().as_ref().and_then(|entries| entries.get("notes"));
    let notes = notes.ok_or_else(|| damaged(&"it has no notes"))?;
    let notes: Notes = serde_json::from_str(notes).map_err(|error| damaged(&error))?;
    if notes.settings != *settings {
        return Err(problem("belongs to a run with other settings".to_owned()));
    }
    let names: Vec<_> = state.parameters.iter().map(|(name, t)| (name.clone(), t.dims().to_vec())).collect();
    for (name, shape) in names {
        let read = |kind: &str| {
            let tensor = file.tensor(&format!("{kind}/{name}")).map_err(|error| damaged(&error))?;
            let values = floats(tensor.data());
            if values.len() == shape.iter().product::<usize>() {
                Ok(values)
            } else {
                Err(damaged(&format!("{name} has another shape")))
            }
        };
        state.parameters.set(&name, read("weight")?, &shape)?;
        let mut keep = |kind: &str, moments: fn(&mut AdamW) -> &mut Gradients| {
            if notes.step > 0 {
                moments(&mut state.optimizer).insert(name.clone(), read(kind)?);
            }
            Ok::<(), TrainError>(())
        };
        keep("first", |optimizer| &mut optimizer.first)?;
        keep("second", |optimizer| &mut optimizer.second)?;
    }
    state.step = notes.step;
    state.optimizer.taken = notes.step;
    state.history = notes.history;
    state.seconds = notes.seconds;
    Ok(true)
}
