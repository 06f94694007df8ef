//! Lists of numbers as arrays.

use super::value::{Kind, Value};
use crate::error::DataError;
use crate::formats::npy::Array;

impl Value {
    /// A list of numbers, or of equally long lists of numbers, as an array: whole numbers if all are.
    pub fn list_as_array(&self) -> Result<Array, DataError> {
        let kinds = self.elements()?;
        let (shape, numbers) = match kinds.first() {
            Some(Kind::List(_) | Kind::Tuple(_)) => {
                let mut numbers = Vec::new();
                let mut width = None;
                for row in self.items()? {
                    let cells = row.elements()?;
                    if *width.get_or_insert(cells.len()) != cells.len() {
                        return Err(row.error("lists of equal length are needed."));
                    }
                    numbers.extend_from_slice(cells);
                }
                (vec![kinds.len(), width.unwrap_or(0)], numbers)
            }
            _ => (vec![kinds.len()], kinds.to_vec()),
        };
        let whole = |kind: &Kind| match kind {
            Kind::Int(number) => Some(*number),
            Kind::Bool(truth) => Some(i64::from(*truth)),
            _ => None,
        };
        if let Some(numbers) = numbers.iter().map(whole).collect::<Option<Vec<i64>>>() {
            return Ok(Array::of_i64(&self.place(), shape, &numbers));
        }
        let real = |kind: &Kind| match kind {
            Kind::Int(number) => Some(*number as f32),
            Kind::Float(number) => Some(*number as f32),
            Kind::None => Some(f32::NAN),
            _ => None,
        };
        match numbers.iter().map(real).collect::<Option<Vec<f32>>>() {
            Some(numbers) => Ok(Array::of_f32(&self.place(), shape, &numbers)),
            None => Err(self.error("an array, or a list of numbers, is needed.")),
        }
    }
}
