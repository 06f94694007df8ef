//! From what is asked to a recipe: the general settings or a recipe file, and single settings laid over them.

mod origins;

use std::path::PathBuf;

use serde_json::Value;

pub use origins::{Origins, Used, value_text};

use crate::presets::Preset;
use crate::recipe::slip_of;
use crate::{DataConfig, Material, Places, Recipe, TrainError};

/// One key of a recipe that is asked to have a value.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenSetting {
    origin: String,
    path: Vec<String>,
    value: Value,
}

impl GivenSetting {
    /// The key at `path`. `origin` is who asks, such as an option of a command; messages and [`Origins`] name it.
    pub fn new<'a>(origin: &str, path: impl IntoIterator<Item = &'a str>, value: Value) -> Self {
        GivenSetting { origin: origin.to_string(), path: path.into_iter().map(str::to_string).collect(), value }
    }

    /// The key, as in a recipe: `train.epochs`.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// Who asks.
    pub fn origin(&self) -> &str {
        &self.origin
    }
}

impl Recipe {
    /// The recipe with these keys set; ranges are not looked at.
    ///
    /// # Errors
    /// When there is no such key, or it can't have that value.
    pub fn with(&self, settings: &[GivenSetting]) -> Result<Recipe, TrainError> {
        let failed = |error: serde_json::Error| TrainError::Task(error.to_string());
        let mut tree = serde_json::to_value(self).map_err(failed)?;
        for setting in settings {
            let mut place = &mut tree;
            for key in &setting.path {
                let known: Vec<String> =
                    place.as_object().map(|keys| keys.keys().cloned().collect()).unwrap_or_default();
                place = match place.get_mut(key) {
                    Some(inside) => inside,
                    None => return Err(self.no_such(setting, key, known)),
                };
            }
            *place = setting.value.clone();
            // The model is chosen by its name: its settings would be those of another one.
            if setting.key() == "model.kind" && setting.value != self.model.name() {
                return Err(self.no_such(setting, "", Vec::new()));
            }
            serde_json::from_value::<Recipe>(tree.clone()).map_err(|error| TrainError::Value {
                origin: setting.origin.clone(),
                value: setting.value.to_string(),
                wanted: self.wanted(setting, &error.to_string()),
            })?;
        }
        serde_json::from_value(tree).map_err(failed)
    }

    /// Where a setting of that name alone stands: `epochs` is `train.epochs`. The model comes first, then training, its optimiser,
    /// encodings, and what data has to do with learning.
    pub fn place_of(&self, name: &str) -> Option<Vec<&'static str>> {
        const SECTIONS: [&[&str]; 4] = [&["model"], &["train"], &["train", "optimizer"], &["encodings"]];
        const OF_DATA: [&str; 2] = ["metric", "scaling"];
        let tree = serde_json::to_value(self).ok()?;
        let inside = |section: &&&[&str]| {
            let place = section.iter().fold(&tree, |place, key| &place[*key]);
            place.get(name).is_some_and(|value| !value.is_object())
        };
        let section = SECTIONS.iter().find(inside).map(|section| section.to_vec());
        section.or_else(|| OF_DATA.contains(&name).then(|| vec!["data"]))
    }

    /// What a setting may be, where `problem` is what the reader of recipes said of its value.
    fn wanted(&self, setting: &GivenSetting, problem: &str) -> String {
        if problem.contains("unknown variant") {
            return farhop_nn::explain_unknown_key(problem).trim_end_matches('.').to_string();
        }
        let kind = farhop_nn::needed_type(problem);
        let knob = match &setting.path[..] {
            [section, key] if section == "model" => self.model.knobs().into_iter().find(|knob| knob.key == key),
            _ => None,
        };
        match (kind, knob) {
            // Its range says from where on.
            (Some(kind), Some(knob)) if kind.contains("number") => {
                format!("allowed is {}, {}", kind.trim_end_matches(" from 0 on"), knob.allowed)
            }
            (_, Some(knob)) => format!("allowed is {}", knob.allowed),
            (Some(kind), None) => format!("allowed is {kind}"),
            (None, None) => problem.to_string(),
        }
    }

    fn no_such(&self, setting: &GivenSetting, key: &str, known: Vec<String>) -> TrainError {
        let near = slip_of(key, known.iter()).cloned();
        let of_model = setting.path.first().is_some_and(|section| section == "model");
        let model = of_model.then(|| self.model.name());
        TrainError::NoSetting { origin: setting.origin.clone(), model, near, known }
    }
}

/// What is asked of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A recipe and its file, which all other settings are laid over; none: the general settings.
    pub base: Option<(PathBuf, Recipe)>,
    /// The model, where there is no recipe.
    pub model: String,
    /// The data.
    pub data: DataConfig,
    /// Single settings.
    pub given: Vec<GivenSetting>,
}

/// A recipe, and how it came to be.
#[derive(Debug, Clone)]
pub struct Settled {
    /// Every setting, checked.
    pub recipe: Recipe,
    /// The general settings that hold for the data.
    pub preset: Preset,
    /// Where every setting comes from.
    pub origins: Origins,
}

impl Settings {
    /// The recipe for data of that kind; none: for what the data is expected to be before it is read.
    ///
    /// # Errors
    /// When a setting does not exist or has a value that is not allowed.
    pub fn settle(&self, preset: Option<Preset>) -> Result<Settled, TrainError> {
        let preset = preset.or_else(|| Preset::expected(&self.data)).unwrap_or(Preset::OneGraph);
        let base = match &self.base {
            Some((_, recipe)) => recipe.clone(),
            None => preset.recipe(&self.model)?,
        };
        self.contradiction()?;
        let recipe = Recipe { data: self.data.clone(), ..base.clone() }.with(&self.given)?;
        recipe.validate()?;
        let origin = match &self.base {
            Some((file, _)) => format!("recipe {}", file.display()),
            None => format!("general {preset}"),
        };
        let origins = Origins::of(&recipe, &base, origin, self.base.is_none(), &self.given)?;
        Ok(Settled { recipe, preset, origins })
    }

    /// An error if one setting is asked to have two values.
    fn contradiction(&self) -> Result<(), TrainError> {
        for (at, second) in self.given.iter().enumerate() {
            let other = |first: &&GivenSetting| first.path == second.path && first.value != second.value;
            if let Some(first) = self.given[..at].iter().find(other) {
                return Err(TrainError::Contradiction {
                    first: first.origin.clone(),
                    second: second.origin.clone(),
                    key: second.key(),
                    values: Box::new([value_text(&first.value), value_text(&second.value)]),
                });
            }
        }
        Ok(())
    }

    /// Reads the data, and gives the recipe that holds for it: how many graphs a file holds is known only then.
    ///
    /// # Errors
    /// As [`Settings::settle`] and [`Material::read`].
    pub fn read(&self, places: &Places) -> Result<(Settled, Material), TrainError> {
        let expected = self.settle(None)?;
        let material = Material::read(&expected.recipe, places)?;
        // Of data in parts, what counts is the whole.
        let preset = match &material.part {
            Some(part) => Preset::of_sizes(part.total_training, material.dataset.nodes.width),
            None => Preset::of(&material.dataset),
        };
        Ok((self.settle(Some(preset))?, material))
    }
}
