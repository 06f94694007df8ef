//! What kind of answer the target columns of a table hold.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What kind of answer the target columns of a table hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// One column, one class of several.
    #[default]
    Classes,
    /// A yes-or-no question per column: 1, 0, or empty where the answer is unknown.
    Labels,
    /// A number per column, empty where it is unknown.
    Numbers,
}

impl TargetKind {
    /// The name in recipes.
    pub fn name(self) -> &'static str {
        match self {
            TargetKind::Classes => "classes",
            TargetKind::Labels => "labels",
            TargetKind::Numbers => "numbers",
        }
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TargetKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [TargetKind::Classes, TargetKind::Labels, TargetKind::Numbers];
        all.into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| format!("{} is not a task. Allowed: classes, labels, numbers.", crate::text::quoted(text)))
    }
}
