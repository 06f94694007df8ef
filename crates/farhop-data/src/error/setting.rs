//! Settings in messages: a key, and a value where one is advised. How a setting is given is for whoever asks users for it: a
//! command has flags, a library has fields. So messages hold settings, and the program says once how they are spelled.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use crate::text::argument;

/// How a program spells settings.
pub type Spelling = fn(&Setting, &mut fmt::Formatter<'_>) -> fmt::Result;

static SPELLING: OnceLock<Spelling> = OnceLock::new();

/// From now on messages of this process spell settings so. For programs, once, at their start; without it a setting is spelled
/// `key = value`. Returns whether it was the first call: later ones change nothing.
pub fn spell_settings(spelling: Spelling) -> bool {
    SPELLING.set(spelling).is_ok()
}

/// A setting as a message names it: the remedy of an error, or what a note is about.
///
/// ```
/// use farhop_data::Setting;
///
/// assert_eq!(Setting::named("target").to_string(), "`target`");
/// assert_eq!(Setting::to("fill", "mean").to_string(), "fill = mean");
/// assert_eq!(Setting::on("directed").to_string(), "directed = true");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in the options of a reader, or in a recipe with its section: `model.width`.
    pub key: Cow<'static, str>,
    /// The value that it should have; none where the setting itself is meant.
    pub value: Option<String>,
}

impl Setting {
    /// What switches on.
    pub const ON: &'static str = "true";

    /// The setting itself, whatever its value.
    pub fn named(key: &'static str) -> Self {
        Setting { key: Cow::Borrowed(key), value: None }
    }

    /// The setting with a value.
    pub fn to(key: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Setting { key: key.into(), value: Some(value.into()) }
    }

    /// A switch that is on.
    pub fn on(key: &'static str) -> Self {
        Setting::to(key, Setting::ON)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (SPELLING.get(), &self.value) {
            (Some(spelling), _) => spelling(self, formatter),
            (None, Some(value)) => write!(formatter, "{} = {}", self.key, argument(value)),
            (None, None) => write!(formatter, "`{}`", self.key),
        }
    }
}
