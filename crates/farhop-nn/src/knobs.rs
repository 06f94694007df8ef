//! Settings that say what they mean: one declaration gives the struct, its defaults, its ranges and its help.

use std::ops::{Range, RangeInclusive};

use crate::NnError;
use crate::config::Checks;

/// One setting of a model, as `farhop models NAME` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// Its key in a recipe's `[model]`.
    pub key: &'static str,
    /// What it means.
    pub about: String,
    /// What is allowed: a range, or the words.
    pub allowed: String,
}

/// A value that a setting may have.
pub trait Setting: Sized {
    /// What is allowed where no range is stated.
    fn allowed() -> String;

    /// The value in a message.
    fn text(&self) -> String;
}

impl Setting for bool {
    fn allowed() -> String {
        "true or false".into()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for usize {
    fn allowed() -> String {
        "0 and more".into()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for f32 {
    fn allowed() -> String {
        "any number".into()
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Setting for Vec<usize> {
    fn allowed() -> String {
        "a list of whole numbers".into()
    }

    fn text(&self) -> String {
        format!("{self:?}")
    }
}

/// What a setting of type `T` may be.
pub trait Bounds<T> {
    /// Whether `value` is inside.
    fn allows(&self, value: &T) -> bool;

    /// In words: `1 to 64`.
    fn text(&self) -> String;
}

impl Bounds<usize> for RangeInclusive<usize> {
    fn allows(&self, value: &usize) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        format!("{} to {}", self.start(), self.end())
    }
}

/// A list with every element inside.
impl Bounds<Vec<usize>> for RangeInclusive<usize> {
    fn allows(&self, value: &Vec<usize>) -> bool {
        !value.is_empty() && value.iter().all(|value| self.contains(value))
    }

    fn text(&self) -> String {
        format!("a list, each {} to {}", self.start(), self.end())
    }
}

impl Bounds<f32> for RangeInclusive<f32> {
    fn allows(&self, value: &f32) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        format!("{} to {}", self.start(), self.end())
    }
}

impl Bounds<f32> for Range<f32> {
    fn allows(&self, value: &f32) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        format!("{} to below {}", self.start, self.end)
    }
}

/// A few values.
impl<const N: usize> Bounds<usize> for [usize; N] {
    fn allows(&self, value: &usize) -> bool {
        self.contains(value)
    }

    fn text(&self) -> String {
        self.map(|value| value.to_string()).join(" or ")
    }
}

/// The settings that one struct holds.
pub trait Knobs {
    /// Every setting, in the order of the struct.
    fn knobs() -> Vec<Knob>;

    /// Whether every setting is in its range.
    ///
    /// # Errors
    /// Names the first one that is not.
    fn check_ranges(&self, model: &'static str) -> Result<(), NnError>;
}

/// An error if `value` is outside of `bounds`.
pub(crate) fn check<T: Setting>(
    model: &'static str,
    key: &'static str,
    value: &T,
    bounds: &impl Bounds<T>,
) -> Result<(), NnError> {
    Checks(model).that(bounds.allows(value), key, value.text(), || format!("allowed is {}", bounds.text()))
}

/// Declares settings: a struct whose fields have a meaning (the doc comment), a default and, after `in`, a range.
///
/// ```ignore
/// knobs! {
///     /// The settings of APPNP.
///     pub struct Appnp {
///         /// Steps of propagation.
///         hops: usize = 10, in 1..=1000;
///         /// Share of the prediction itself in every step.
///         alpha: f32 = 0.1, in 0.0..=1.0;
///     }
/// }
/// ```
macro_rules! knobs {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $kind:ty = $default:expr $(, in $bounds:expr)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $crate::knobs::Knobs for $name {
            fn knobs() -> Vec<$crate::knobs::Knob> {
                vec![$($crate::knobs::Knob {
                    key: stringify!($field),
                    about: [$($doc.trim()),*].join(" "),
                    allowed: $crate::knobs::knobs!(@allowed $kind $(, $bounds)?),
                },)*]
            }

            fn check_ranges(&self, _model: &'static str) -> Result<(), $crate::NnError> {
                $($($crate::knobs::check(_model, stringify!($field), &self.$field, &$bounds)?;)?)*
                Ok(())
            }
        }
    };
    (@allowed $kind:ty, $bounds:expr) => { $crate::knobs::Bounds::<$kind>::text(&$bounds) };
    (@allowed $kind:ty) => { <$kind as $crate::knobs::Setting>::allowed() };
}
pub(crate) use knobs;

/// Declares an enum of words: the one place where the words of a setting are written. Serde, messages and the command's
/// choices read them from here.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// Its word.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl $crate::knobs::Setting for $name {
            fn allowed() -> String {
                Self::WORDS.join(", ")
            }

            fn text(&self) -> String {
                self.word().to_string()
            }
        }
    };
}
pub(crate) use words;
