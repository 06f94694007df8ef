//! Named arrays to and from safetensors bytes. Reading checks everything before anything is taken over.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::NnError;

/// Writes f32 arrays as (name, shape, numbers).
pub(crate) fn write<'a>(arrays: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [f32])>) -> Vec<u8> {
    let bytes: Vec<(&str, &[usize], Vec<u8>)> = arrays
        .into_iter()
        .map(|(name, shape, data)| (name, shape, data.iter().flat_map(|v| v.to_le_bytes()).collect()))
        .collect();
    let views = bytes.iter().map(|(name, shape, data)| {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), data);
        (*name, view.expect("the numbers of an array fill its shape"))
    });
    safetensors::serialize(views, None).expect("named arrays always serialize")
}

/// Reads exactly the expected arrays, each of the expected shape.
pub(crate) fn read(
    bytes: &[u8],
    expected: impl IntoIterator<Item = (String, Vec<usize>)>,
) -> Result<BTreeMap<String, Vec<f32>>, NnError> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| NnError::Unreadable { reason: e.to_string() })?;
    let mut found = BTreeMap::new();
    for (name, shape) in expected {
        let Ok(view) = file.tensor(&name) else {
            return Err(NnError::MissingTensor { name, shape });
        };
        if view.dtype() != Dtype::F32 {
            let found = format!("{:?}", view.dtype());
            return Err(NnError::TensorType { name, found, expected: "F32" });
        }
        if view.shape() != shape {
            return Err(NnError::TensorShape { name, found: view.shape().to_vec(), expected: shape });
        }
        let (numbers, _) = view.data().as_chunks::<4>();
        found.insert(name, numbers.iter().map(|b| f32::from_le_bytes(*b)).collect());
    }
    let mut names = file.names();
    names.sort_unstable();
    match names.into_iter().find(|name| !found.contains_key(*name)) {
        Some(name) => Err(NnError::UnknownTensor { name: name.to_string() }),
        None => Ok(found),
    }
}
