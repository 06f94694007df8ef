//! An array of any plain type, converted when it is used.

use super::header::{Dtype, Header};
use super::order::in_c_order;
use crate::error::DataError;
use crate::formats::pickle::SharedBytes;
use crate::memory::Budget;
use crate::text::{counted, listed};

/// An array in C order with little-endian elements, whatever its file was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// The file and, in an archive, the name of the array: for messages.
    pub name: String,
    /// The type of the elements.
    pub dtype: Dtype,
    /// The length of each dimension.
    pub shape: Vec<usize>,
    bytes: SharedBytes,
}

impl Array {
    /// An array from its elements as they lie in a file. Elements that are already little-endian and
    /// in C order are shared, not copied. The error says why they do not fit the header.
    pub(crate) fn assemble(name: &str, header: Header, bytes: SharedBytes) -> Result<Array, String> {
        let needed = header.elements().and_then(|elements| elements.checked_mul(header.dtype.bytes()));
        if needed != Some(bytes.len()) {
            return Err(format!(
                "{} for an array of shape {:?} and type {}.",
                counted(bytes.len() as u64, "byte", "bytes"),
                header.shape,
                header.dtype.name()
            ));
        }
        let mut bytes = bytes;
        let unit = header.dtype.unit();
        if header.big_endian && unit > 1 {
            let mut turned = bytes.to_vec();
            turned.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
            bytes = SharedBytes::within(bytes.budget(), turned);
        }
        if header.fortran_order && header.shape.len() > 1 && !bytes.is_empty() {
            let ordered = in_c_order(&bytes, &header.shape, header.dtype.bytes());
            bytes = SharedBytes::within(bytes.budget(), ordered);
        }
        Ok(Array { name: name.to_string(), dtype: header.dtype, shape: header.shape, bytes })
    }

    /// An array of whole numbers that were not read from one. They fit the shape.
    pub(crate) fn of_i64(name: &str, shape: Vec<usize>, numbers: &[i64]) -> Array {
        let bytes = SharedBytes::new(numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
        Array { name: name.to_string(), dtype: Dtype::Signed(8), shape, bytes }
    }

    /// As [`Array::of_i64`], of numbers.
    pub(crate) fn of_f32(name: &str, shape: Vec<usize>, numbers: &[f32]) -> Array {
        let bytes = SharedBytes::new(numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
        Array { name: name.to_string(), dtype: Dtype::Float(4), shape, bytes }
    }

    /// Arrays one after the other along their first dimension; `None` unless they have the same type and the same other
    /// dimensions.
    pub(crate) fn stacked(name: &str, pieces: &[Array]) -> Option<Array> {
        let first = pieces.first()?;
        let rest = first.shape.get(1..)?;
        let fits = |piece: &Array| piece.dtype == first.dtype && piece.shape.get(1..) == Some(rest);
        if !pieces.iter().all(fits) {
            return None;
        }
        let rows = pieces.iter().map(|piece| piece.shape[0]).sum();
        let shape = [&[rows], rest].concat();
        let bytes = SharedBytes::new(pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect());
        Some(Array { name: name.to_string(), dtype: first.dtype, shape, bytes })
    }

    /// The same array under another name; the elements are shared.
    pub(crate) fn named(&self, name: String) -> Array {
        Array { name, ..self.clone() }
    }

    /// What may be made of the file that it came from.
    pub(crate) fn budget(&self) -> &Budget {
        self.bytes.budget()
    }

    /// The elements as they are, each `dtype.bytes()` long, little-endian.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.bytes()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as 64-bit floats. 64-bit integers beyond 2^53 are rounded.
    pub fn to_f64(&self) -> Result<Vec<f64>, DataError> {
        self.converted(|element| element as f64, |element| element)
    }

    /// The elements as 32-bit floats, rounded where they have more digits.
    pub fn to_f32(&self) -> Result<Vec<f32>, DataError> {
        self.converted(|element| element as f32, |element| element as f32)
    }

    /// The elements as whole numbers; floats are an error, and so are numbers above 2^63 - 1.
    pub fn to_i64(&self) -> Result<Vec<i64>, DataError> {
        if let Dtype::Float(_) | Dtype::Text(_) | Dtype::Bytes(_) = self.dtype {
            return Err(self.wrong("whole numbers"));
        }
        let narrow = |element: &[u8]| element.last().is_none_or(|byte| byte >> 7 == 0);
        if self.dtype == Dtype::Unsigned(8) && !self.bytes.chunks_exact(8).all(narrow) {
            return Err(self.wrong("numbers below 2^63"));
        }
        self.converted(|element| element as i64, |_| 0)
    }

    /// The elements as ids from 0 to `limit - 1`.
    pub fn to_ids(&self, limit: usize) -> Result<Vec<u32>, DataError> {
        let numbers = self.to_i64()?;
        self.budget().charge_for::<u32>(numbers.len())?;
        let check = |(position, number): (usize, &i64)| match u32::try_from(*number) {
            Ok(small) if (small as usize) < limit => Ok(small),
            _ => Err(self.wrong_element(position, number, limit)),
        };
        numbers.iter().enumerate().map(check).collect()
    }

    /// The elements as truth values: booleans, or whole numbers that are all 0 or 1.
    pub fn to_bools(&self) -> Result<Vec<bool>, DataError> {
        Ok(self.to_ids(2)?.into_iter().map(|element| element == 1).collect())
    }

    /// The elements as text, without the zeros that pad them. Byte strings are read as UTF-8.
    pub fn to_text(&self) -> Result<Vec<String>, DataError> {
        let decode = match self.dtype {
            Dtype::Text(_) => unicode_text,
            Dtype::Bytes(_) => byte_text,
            _ => return Err(self.wrong("text")),
        };
        // Of four bytes for a character at least one is kept.
        self.budget().charge_for::<String>(self.len())?;
        self.budget().charge(self.bytes.len() as u64)?;
        self.bytes
            .chunks_exact(self.dtype.bytes())
            .map(|element| decode(element).ok_or_else(|| self.wrong("text made of Unicode characters")))
            .collect()
    }

    /// An error if the array has not this many dimensions.
    pub fn require_dimensions(&self, dimensions: usize) -> Result<(), DataError> {
        if self.shape.len() == dimensions {
            return Ok(());
        }
        Err(DataError::Array {
            file: self.name.clone(),
            reason: format!("the array has shape {:?}; {dimensions} dimensions are needed.", self.shape),
        })
    }

    fn wrong_element(&self, position: usize, number: &i64, limit: usize) -> DataError {
        let allowed = match limit.checked_sub(1) {
            Some(last) => format!("numbers from 0 to {last} are needed."),
            None => "there is nothing to number.".to_string(),
        };
        DataError::Array {
            file: self.name.clone(),
            reason: format!("the array has shape {:?}; element {position} is {number}; {allowed}", self.shape),
        }
    }

    fn wrong(&self, wanted: &str) -> DataError {
        DataError::Array {
            file: self.name.clone(),
            reason: format!(
                "the array has elements of type {}; {wanted} are needed.",
                listed([self.dtype.name().as_str()].into_iter())
            ),
        }
    }

    /// Every element through `whole` or `real`, by its type. Text is an error.
    fn converted<T>(&self, whole: impl Fn(i128) -> T, real: impl Fn(f64) -> T) -> Result<Vec<T>, DataError> {
        self.budget().charge_for::<T>(self.len())?;
        macro_rules! each {
            ($type:ty, $size:literal, $through:expr) => {{
                let chunks = self.bytes.chunks_exact($size);
                let element = |chunk: &[u8]| {
                    let mut bytes = [0; $size];
                    bytes.copy_from_slice(chunk);
                    $through(<$type>::from_le_bytes(bytes).into())
                };
                Ok(chunks.map(element).collect())
            }};
        }
        match self.dtype {
            Dtype::Bool => Ok(self.bytes.iter().map(|&byte| whole(i128::from(byte != 0))).collect()),
            Dtype::Signed(1) => each!(i8, 1, whole),
            Dtype::Signed(2) => each!(i16, 2, whole),
            Dtype::Signed(4) => each!(i32, 4, whole),
            Dtype::Signed(_) => each!(i64, 8, whole),
            Dtype::Unsigned(1) => each!(u8, 1, whole),
            Dtype::Unsigned(2) => each!(u16, 2, whole),
            Dtype::Unsigned(4) => each!(u32, 4, whole),
            Dtype::Unsigned(_) => each!(u64, 8, whole),
            Dtype::Float(2) => Ok(self
                .bytes
                .chunks_exact(2)
                .map(|chunk| real(half(u16::from_le_bytes([chunk[0], chunk[1]]))))
                .collect()),
            Dtype::Float(4) => each!(f32, 4, real),
            Dtype::Float(_) => each!(f64, 8, real),
            Dtype::Text(_) | Dtype::Bytes(_) => Err(self.wrong("numbers")),
        }
    }
}

/// The text of a padded element with four bytes for each character.
fn unicode_text(element: &[u8]) -> Option<String> {
    let codes: Vec<u32> =
        element.chunks_exact(4).map(|code| u32::from_le_bytes([code[0], code[1], code[2], code[3]])).collect();
    let length = codes.iter().rposition(|&code| code != 0).map_or(0, |p| p + 1);
    codes[..length].iter().map(|&code| char::from_u32(code)).collect()
}

/// The text of a padded element of bytes.
fn byte_text(element: &[u8]) -> Option<String> {
    let length = element.iter().rposition(|&byte| byte != 0).map_or(0, |p| p + 1);
    String::from_utf8(element[..length].to_vec()).ok()
}

/// The value of a 16-bit float: sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_by_their_definition() {
        // From the table of examples of IEEE 754 binary16.
        for (bits, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x03ff, 6.097_555_160_522_461e-5),
            (0x0400, 6.103_515_625e-5),
            (0x3555, 0.333_251_953_125),
            (0x3c00, 1.0),
            (0x7bff, 65504.0),
            (0xc000, -2.0),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), value, "{bits:#06x}");
        }
        assert!(half(0x7e00).is_nan());
        // Finite halves grow with their bits.
        for bits in 0..0x7bff {
            assert!(half(bits) < half(bits + 1));
        }
    }
}
