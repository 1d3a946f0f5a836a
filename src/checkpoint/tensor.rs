//! Bytes to numbers: F32, F16 and BF16 become f32, one tensor at a time.

use half::{bf16, f16};

use super::{CheckpointError, header::Dtype};

/// Converts little-endian `bytes` of type `dtype` to f32.
///
/// # Errors
/// [`CheckpointError::Dtype`] for any other type, [`CheckpointError::NotFinite`] where a value is NaN or
/// infinite.
pub fn to_f32(file: &str, tensor: &str, dtype: Dtype, bytes: &[u8]) -> Result<Vec<f32>, CheckpointError> {
    let values: Vec<f32> = match dtype {
        Dtype::F32 => bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
        Dtype::F16 => bytes.as_chunks().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect(),
        Dtype::BF16 => bytes.as_chunks().0.iter().map(|&b| bf16::from_le_bytes(b).to_f32()).collect(),
        other => {
            return Err(CheckpointError::Dtype {
                file: file.to_owned(),
                tensor: tensor.to_owned(),
                dtype: other,
            });
        }
    };
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(CheckpointError::NotFinite {
            file: file.to_owned(),
            tensor: tensor.to_owned(),
            index,
            value: if values[index].is_nan() { "NaN" } else { "infinite" },
        });
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_types_agree() {
        let numbers = [1.0f32, -0.5, 3.25];
        let f32s: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let f16s: Vec<u8> = numbers.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect();
        let bf16s: Vec<u8> = numbers.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect();
        for (dtype, bytes) in [(Dtype::F32, f32s), (Dtype::F16, f16s), (Dtype::BF16, bf16s)] {
            assert_eq!(to_f32("m", "t", dtype, &bytes).unwrap(), numbers);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let error = to_f32("m.safetensors", "h.0", Dtype::F32, &f32::NAN.to_le_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("In m.safetensors the tensor h.0 holds a value that is NaN"));
        assert!(to_f32("m", "t", Dtype::I64, &[0; 8]).unwrap_err().to_string().contains("I64"));
    }
}
