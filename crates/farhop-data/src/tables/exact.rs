//! Numbers that come back from a saved schema with the same bits.
//!
//! Common JSON readers round the last digit of a float the fast way, not the right way. Written
//! as text, a number is parsed by the standard library, which is exact.

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

/// Writes a number as its shortest exact text.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// Reads a finite number from text, or from a plain number that someone wrote by hand.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    struct Number;
    impl Visitor<'_> for Number {
        type Value = f64;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a finite number, plain or in quotes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
            match text.parse::<f64>() {
                Ok(number) => self.visit_f64(number),
                Err(_) => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
            }
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
            if number.is_finite() {
                Ok(number)
            } else {
                Err(E::invalid_value(serde::de::Unexpected::Float(number), &self))
            }
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
            Ok(number as f64)
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
            Ok(number as f64)
        }
    }
    deserializer.deserialize_any(Number)
}

/// The same for a number that may be absent.
pub mod option {
    use serde::de::{Deserialize, Deserializer};
    use serde::ser::Serializer;

    /// Writes the text of the number, or nothing.
    pub fn serialize<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => serializer.serialize_some(&number.to_string()),
            None => serializer.serialize_none(),
        }
    }

    /// Reads what [`serialize`] wrote.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        #[derive(serde::Deserialize)]
        struct Present(#[serde(with = "super")] f64);
        Ok(Option::<Present>::deserialize(deserializer)?.map(|present| present.0))
    }
}
