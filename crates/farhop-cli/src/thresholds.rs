//! The probability above which an answer is yes.

use farhop_data::Target;
use farhop_data::text::quoted;
use serde_json::{Value, json};

use crate::failure::Failure;

/// The thresholds that decide, and where they come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thresholds {
    /// One for each yes-or-no label, or one for two classes; none: one half.
    pub values: Option<Vec<f32>>,
    given: bool,
}

impl Thresholds {
    /// The one that was given for every label, else those of the run.
    pub fn new(given: Option<f32>, of_run: Option<&[f32]>, target: &Target) -> Result<Self, Failure> {
        let questions = match target {
            Target::Class { classes, .. } if classes.len() == 2 => 1,
            Target::Binary { names, .. } => names.len(),
            _ if given.is_some() => {
                return Err(Failure::usage("--threshold is for yes-or-no labels and for two classes. Take it out."));
            }
            _ => 0,
        };
        let values = match given {
            Some(threshold) => Some(vec![threshold; questions]),
            None => of_run.filter(|values| values.len() == questions).map(<[f32]>::to_vec),
        };
        Ok(Thresholds { values, given: given.is_some() })
    }

    /// For JSON: a number, or a list for several labels; null for one half.
    pub fn object(&self) -> Value {
        match self.values.as_deref() {
            None => Value::Null,
            Some([one]) => json!(one),
            Some(several) => json!(several),
        }
    }

    /// Says what decides; none where nothing but one half does.
    pub fn line(&self, target: &Target) -> Option<String> {
        let values = self.values.as_deref()?;
        let yes = match target {
            Target::Class { classes, .. } => classes.last().map(|class| quoted(class))?,
            _ => "yes".to_string(),
        };
        let (least, most) =
            values.iter().fold((f32::INFINITY, 0f32), |(least, most), &one| (least.min(one), most.max(one)));
        let above = if least == most { format!("{least}") } else { format!("{least} to {most}, each label its own") };
        let origin = if self.given { "given" } else { "chosen on validation by balanced accuracy" };
        Some(format!("threshold   {yes} above a probability of {above} ({origin})"))
    }
}

/// A probability between 0 and 1.
pub fn probability(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("write a probability from 0 to 1, such as 0.3".to_string()),
    }
}
