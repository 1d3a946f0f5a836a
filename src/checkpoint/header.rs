//! The header of a safetensors file, parsed on its own so that a file can be read by ranges.
//!
//! Layout: a little-endian u64 with the header's length, a JSON object of that length, then the data. Offsets
//! count from the start of the data; tensors lie row-major, without holes or overlaps.

use std::{collections::BTreeMap, ops::Range};

use serde::Deserialize;

/// Longest header that is read: the limit of the hub's own tool.
pub const MAX_HEADER_BYTES: u64 = 25_000_000;
/// Number of bytes before the JSON object.
pub const LENGTH_BYTES: u64 = 8;

/// Element types by their safetensors names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[allow(non_camel_case_types, missing_docs)]
pub enum Dtype {
    BOOL,
    U8,
    I8,
    F8_E5M2,
    F8_E4M3,
    I16,
    U16,
    F16,
    BF16,
    I32,
    U32,
    F32,
    F64,
    I64,
    U64,
}

impl Dtype {
    /// Bytes an element.
    #[must_use]
    pub fn size(self) -> u64 {
        match self {
            Self::BOOL | Self::U8 | Self::I8 | Self::F8_E5M2 | Self::F8_E4M3 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }
}

/// Where one tensor lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorPlace {
    /// Element type.
    pub dtype: Dtype,
    /// Lengths of the axes, outermost first.
    pub shape: Vec<usize>,
    /// Bytes of the file that hold it.
    pub bytes: Range<u64>,
}

/// All tensors of one safetensors file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// By name.
    pub tensors: BTreeMap<String, TensorPlace>,
}

/// Why a header is refused. `file` is the safetensors file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum HeaderError {
    #[error(
        "{file} is only {length} bytes long, too short for a safetensors file: copy or download it again."
    )]
    TooShort { file: String, length: u64 },
    #[error(
        "{file} announces a header of {length} bytes; at most 25 MB are read, and the file must hold it: it is damaged or no safetensors file."
    )]
    BadLength { file: String, length: u64 },
    #[error(
        "The header of {file} is not the JSON object it should be ({reason}): the file is damaged, copy or download it again."
    )]
    NotJson { file: String, reason: String },
    #[error(
        "In {file} the tensor {tensor} spans {actual} bytes, but its shape {shape:?} and type {dtype:?} need {expected}: the file is damaged."
    )]
    WrongSize { file: String, tensor: String, shape: Vec<usize>, dtype: Dtype, expected: String, actual: u64 },
    #[error(
        "In {file} the tensor {tensor} begins at data byte {start}, but the one before it ends at {end}: tensors overlap or leave a hole, the file is damaged."
    )]
    NotContiguous { file: String, tensor: String, start: u64, end: u64 },
    #[error(
        "In {file} the tensors end at byte {promised}, but the file has {length} bytes: it is cut off or damaged, copy or download it again."
    )]
    WrongLength { file: String, promised: u64, length: u64 },
}

#[derive(Deserialize)]
struct RawTensor {
    dtype: Dtype,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// Length of the JSON object from the first eight bytes of a file of `file_length` bytes.
///
/// # Errors
/// [`HeaderError::TooShort`] or [`HeaderError::BadLength`]; both before anything is allocated.
pub fn header_length(file: &str, first: &[u8], file_length: u64) -> Result<u64, HeaderError> {
    let first: [u8; 8] = first
        .get(..8)
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| HeaderError::TooShort { file: file.to_owned(), length: file_length })?;
    let length = u64::from_le_bytes(first);
    if length > MAX_HEADER_BYTES || length + LENGTH_BYTES > file_length {
        return Err(HeaderError::BadLength { file: file.to_owned(), length });
    }
    Ok(length)
}

impl Header {
    /// Parses the JSON object `json` of the file named `file`, which is `file_length` bytes long.
    ///
    /// # Errors
    /// A [`HeaderError`] where the object is malformed, a tensor's length does not follow from its shape and
    /// type, tensors overlap or leave holes, or they do not end where the file does.
    pub fn parse(file: &str, json: &[u8], file_length: u64) -> Result<Self, HeaderError> {
        let not_json = |reason: String| HeaderError::NotJson { file: file.to_owned(), reason };
        let mut entries: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(json).map_err(|error| not_json(error.to_string()))?;
        entries.remove("__metadata__");
        let data_start = LENGTH_BYTES + json.len() as u64;

        let mut tensors = BTreeMap::new();
        for (name, entry) in entries {
            let raw: RawTensor =
                serde_json::from_value(entry).map_err(|error| not_json(format!("tensor {name}: {error}")))?;
            let (start, end) = raw.data_offsets;
            let expected = raw
                .shape
                .iter()
                .try_fold(raw.dtype.size(), |product, &length| product.checked_mul(length as u64));
            let actual = end.saturating_sub(start);
            if start > end || expected != Some(actual) {
                return Err(HeaderError::WrongSize {
                    file: file.to_owned(),
                    tensor: name,
                    shape: raw.shape,
                    dtype: raw.dtype,
                    expected: expected.map_or("more than any file has".to_owned(), |bytes| bytes.to_string()),
                    actual,
                });
            }
            let absolute = |offset: u64| {
                offset.checked_add(data_start).ok_or_else(|| HeaderError::WrongLength {
                    file: file.to_owned(),
                    promised: offset,
                    length: file_length,
                })
            };
            let bytes = absolute(start)?..absolute(end)?;
            tensors.insert(name, TensorPlace { dtype: raw.dtype, shape: raw.shape, bytes });
        }
        let header = Self { tensors };
        header.check_contiguous(file, data_start, file_length)?;
        Ok(header)
    }

    fn check_contiguous(&self, file: &str, data_start: u64, file_length: u64) -> Result<(), HeaderError> {
        let mut in_order: Vec<_> = self.tensors.iter().collect();
        in_order.sort_by_key(|(_, place)| (place.bytes.start, place.bytes.end));
        let mut end = data_start;
        for (name, place) in in_order {
            if place.bytes.start != end {
                return Err(HeaderError::NotContiguous {
                    file: file.to_owned(),
                    tensor: name.clone(),
                    start: place.bytes.start - data_start,
                    end: end - data_start,
                });
            }
            end = place.bytes.end;
        }
        if end != file_length {
            return Err(HeaderError::WrongLength {
                file: file.to_owned(),
                promised: end,
                length: file_length,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str, data: u64) -> Result<Header, HeaderError> {
        Header::parse("model.safetensors", json.as_bytes(), 8 + json.len() as u64 + data)
    }

    #[test]
    fn places_are_absolute() {
        let json = r#"{"__metadata__":{"format":"pt"},
            "b":{"dtype":"F16","shape":[3],"data_offsets":[8,14]},
            "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}"#;
        let header = parse(json, 14).unwrap();
        let start = 8 + json.len() as u64;
        assert_eq!(header.tensors["a"].bytes, start..start + 8);
        assert_eq!(header.tensors["b"].bytes, start + 8..start + 14);
    }

    #[test]
    fn lies_are_told() {
        let message = |json: &str, data| parse(json, data).unwrap_err().to_string();
        assert!(message("[1]", 0).contains("not the JSON object"));
        let hole = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
        assert!(message(hole, 8).contains("tensor a begins at data byte 4"));
        let overlap = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                          "b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
        assert!(message(overlap, 8).contains("tensor b begins at data byte 4"));
        let size = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#;
        assert!(message(size, 8).contains("need 12"));
        let huge = r#"{"a":{"dtype":"F32","shape":[4294967295,4294967295,4294967295],"data_offsets":[0,8]}}"#;
        assert!(message(huge, 8).contains("more than any file has"));
        let short = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        assert!(message(short, 7).contains("cut off"));
        let backwards = r#"{"a":{"dtype":"F32","shape":[0],"data_offsets":[8,0]}}"#;
        assert!(message(backwards, 8).contains("spans 0 bytes"));
        let far = format!(r#"{{"a":{{"dtype":"U8","shape":[0],"data_offsets":[{0},{0}]}}}}"#, u64::MAX);
        assert!(message(&far, 0).contains("cut off"));
    }

    #[test]
    fn header_lengths_are_limited() {
        let length = |bytes: &[u8], file| header_length("m", bytes, file);
        assert_eq!(length(&100u64.to_le_bytes(), 108), Ok(100));
        assert!(length(&101u64.to_le_bytes(), 108).is_err());
        assert!(length(&(MAX_HEADER_BYTES + 1).to_le_bytes(), u64::MAX).is_err());
        assert!(length(&u64::MAX.to_le_bytes(), 108).is_err());
        assert!(length(&[0; 4], 4).unwrap_err().to_string().contains("only 4 bytes"));
    }
}
