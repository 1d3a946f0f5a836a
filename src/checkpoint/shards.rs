//! Large checkpoints lie in several safetensors files; `model.safetensors.index.json` names the one of each tensor.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::CheckpointError;

/// Name of the file in Hugging Face layout.
pub const INDEX_FILE: &str = "model.safetensors.index.json";
/// Largest index that is read, in bytes.
pub const MAX_INDEX_BYTES: u64 = 25_000_000;
/// More files than any known checkpoint has.
const MAX_FILES: usize = 1_000;

#[derive(Deserialize)]
struct Raw {
    weight_map: BTreeMap<String, String>,
}

/// The names of the files that `json`, the bytes of an index, speaks of, in order.
///
/// # Errors
/// [`CheckpointError::Index`] where it is no index, or names files outside the model's folder.
pub fn files(json: &[u8]) -> Result<Vec<String>, CheckpointError> {
    let problem = |reason: String| CheckpointError::Index { reason };
    let raw: Raw = serde_json::from_slice(json).map_err(|error| problem(error.to_string()))?;
    let files: BTreeSet<String> = raw.weight_map.into_values().collect();
    if files.is_empty() || files.len() > MAX_FILES {
        return Err(problem(format!("it names {} files, not 1 to {MAX_FILES}", files.len())));
    }
    for file in &files {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if file.starts_with('.') || !file.ends_with(".safetensors") || !file.chars().all(plain) {
            let shown: String = file.chars().take(80).collect();
            return Err(problem(format!("{shown:?} is not the plain name of a safetensors file")));
        }
    }
    Ok(files.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_named_once() {
        let index =
            br#"{"metadata":{"total_size":1},"weight_map":{"a":"m-2.safetensors","b":"m-1.safetensors",
            "c":"m-2.safetensors"}}"#;
        assert_eq!(files(index).unwrap(), ["m-1.safetensors", "m-2.safetensors"]);
    }

    #[test]
    fn files_elsewhere_are_refused() {
        for name in [
            "../x.safetensors",
            "/etc/passwd",
            "a\\b.safetensors",
            ".safetensors",
            "m.bin",
            "a b.safetensors",
        ] {
            let json = serde_json::json!({ "weight_map": { "a": name } }).to_string();
            assert!(files(json.as_bytes()).unwrap_err().to_string().contains("not the plain name"), "{name}");
        }
        assert!(files(b"{}").is_err() && files(br#"{"weight_map":{}}"#).is_err());
    }
}
