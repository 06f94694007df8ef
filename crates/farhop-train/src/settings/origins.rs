//! The settings that are used, and where each comes from: a default, general settings, a recipe or a setting that was given.

use serde_json::Value;

use super::GivenSetting;
use crate::{Recipe, TrainError};

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    /// As in a recipe, such as `model.width`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub from: String,
}

/// The settings of a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Origins {
    /// All of them, in the order of a recipe.
    pub used: Vec<Used>,
    /// What the general settings are called, if they hold.
    general: Option<String>,
    /// Who asks for single settings.
    askers: Vec<String>,
}

const DEFAULT: &str = "default";

impl Origins {
    /// Of a recipe that was made of `base`, which is called `origin`, and of `given` settings.
    pub(super) fn of(
        recipe: &Recipe,
        base: &Recipe,
        origin: String,
        is_general: bool,
        given: &[GivenSetting],
    ) -> Result<Self, TrainError> {
        let tree = |recipe: &Recipe| {
            let mut leaves = Vec::new();
            serde_json::to_value(recipe).map(|tree| collect("", &tree, &mut leaves)).map(|()| leaves)
        };
        let failed = |error: serde_json::Error| TrainError::Task(error.to_string());
        let defaults = tree(&Recipe::for_model(recipe.model.name())?).map_err(failed)?;
        let base = tree(base).map_err(failed)?;
        let of = |leaves: &[(String, Value)], key: &str| {
            leaves.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let used = tree(recipe).map_err(failed)?.into_iter().map(|(key, value)| {
            let asked = given.iter().find(|setting| setting.key() == key).map(|setting| setting.origin().to_string());
            let from = match asked {
                Some(asked) => asked,
                None if value != of(&base, &key) => "option".to_string(),
                None if value != of(&defaults, &key) => origin.clone(),
                None => DEFAULT.to_string(),
            };
            Used { key, value, from }
        });
        let used = used.collect();
        let askers = given.iter().map(|setting| setting.origin().to_string()).collect();
        Ok(Origins { used, general: is_general.then_some(origin), askers })
    }

    /// Those of model, training and encodings that are not the defaults, by where they come from; the general settings are
    /// only named: `general for one graph; --epochs 5`.
    pub fn short(&self) -> Option<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for used in self.used.iter().filter(|used| used.from != DEFAULT && !used.key.starts_with("data.")) {
            let name = used.key.rsplit('.').next().unwrap_or_default();
            let asked = self.askers.contains(&used.from);
            let told = if asked { &used.from } else { name };
            let told = format!("{told} {}", value_text(&used.value));
            let group = if asked { "" } else { used.from.as_str() };
            match groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, members)) => members.push(told),
                None => groups.push((group, vec![told])),
            }
        }
        groups.sort_by_key(|(name, _)| name.is_empty());
        let lines = groups.iter().map(|(name, members)| match *name {
            "" => members.join(" "),
            name if self.general.as_deref() == Some(name) => name.to_string(),
            name => format!("{name}: {}", members.join(", ")),
        });
        let text = lines.collect::<Vec<_>>().join("; ");
        (!text.is_empty()).then_some(text)
    }
}

/// The values below a tree under their paths.
fn collect(path: &str, tree: &Value, leaves: &mut Vec<(String, Value)>) {
    match tree {
        Value::Object(inside) if !inside.is_empty() => {
            for (key, value) in inside {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(&path, value, leaves);
            }
        }
        value => leaves.push((path.to_string(), value.clone())),
    }
}

/// A value in plain text: `none`, `0.5`, `label,other`.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_string(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(","),
        // Numbers of 32 bits have more digits in 64 than anybody wrote.
        Value::Number(number) => match number.as_f64() {
            Some(wide) if number.is_f64() && f64::from(wide as f32) == wide => (wide as f32).to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataConfig;
    use crate::settings::Settings;
    use serde_json::json;

    fn origins(data: DataConfig, given: Vec<GivenSetting>) -> Origins {
        Settings { base: None, model: "gen".to_string(), data, given }.settle(None).unwrap().origins
    }

    fn of<'a>(origins: &'a Origins, key: &str) -> (&'a Value, &'a str) {
        let used = origins.used.iter().find(|used| used.key == key).unwrap();
        (&used.value, &used.from)
    }

    #[test]
    fn general_settings_and_given_ones_are_told_from_defaults() {
        let data = DataConfig { dataset: Some("enzymes".to_string()), ..DataConfig::default() };
        let found = origins(data, vec![GivenSetting::new("option epochs", ["train", "epochs"], 5.into())]);
        assert_eq!(of(&found, "train.epochs"), (&json!(5), "option epochs"));
        assert_eq!(of(&found, "train.batch_size"), (&json!(64), "general for many graphs"));
        assert_eq!(of(&found, "model.heads"), (&json!(1), "default"));
        assert_eq!(of(&found, "data.dataset"), (&json!("enzymes"), "option"));
        assert_eq!(found.short().unwrap(), "general for many graphs; option epochs 5");
        assert_eq!(origins(DataConfig::default(), Vec::new()).short().unwrap(), "general for one graph");
    }
}
