//! The settings that are used, and where each comes from: a default, a preset, a recipe or an option.

use std::path::Path;

use farhop_train::Recipe;
use farhop_train::presets::Preset;
use serde_json::{Value, json};

use crate::arguments::DataArguments;
use crate::console::Console;
use crate::data::Named;
use crate::failure::Failure;
use crate::settings::Setting;
use crate::table::TextTable;

/// One setting.
struct Used {
    /// As in a recipe, such as `model.width`.
    key: String,
    value: Value,
    from: String,
}

/// The settings of a recipe.
pub struct Origins {
    used: Vec<Used>,
    /// What the general settings are called, if they hold.
    general: Option<String>,
}

const DEFAULT: &str = "default";

impl Origins {
    /// Finds out where the settings of `recipe` come from. `file` and `data` are what it was made of, `given` the options of
    /// model and training, `preset` the general settings.
    pub fn of(
        recipe: &Recipe,
        file: Option<&Path>,
        data: &DataArguments,
        given: &[Setting],
        preset: Preset,
    ) -> Result<Self, Failure> {
        let model = recipe.model.name();
        let named = data.what.as_deref().map(|word| Named::of(word, data.smiles.is_some())).transpose()?;
        let file = match &named {
            Some(Named::Recipe(path)) => Some(path.as_path()),
            _ => file,
        };
        let (base, origin) = match file {
            Some(file) => (Recipe::read(file)?, format!("recipe {}", file.display())),
            None => (preset.recipe(model)?, format!("general {preset}")),
        };
        let tree = |recipe: &Recipe| {
            let mut leaves = Vec::new();
            serde_json::to_value(recipe).map(|tree| collect("", &tree, &mut leaves)).map(|()| leaves)
        };
        let failed = |error: serde_json::Error| Failure::failed(error.to_string());
        let defaults = tree(&Recipe::for_model(model)?).map_err(failed)?;
        let base = tree(&base).map_err(failed)?;
        let of = |leaves: &[(String, Value)], key: &str| {
            leaves.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let used = tree(recipe).map_err(failed)?.into_iter().map(|(key, value)| {
            let flag = given.iter().find(|setting| setting.key() == key).map(|setting| setting.flag().to_string());
            let from = match flag {
                Some(flag) => flag,
                None if value != of(&base, &key) => "option".to_string(),
                None if value != of(&defaults, &key) => origin.clone(),
                None => DEFAULT.to_string(),
            };
            Used { key, value, from }
        });
        let used = used.collect();
        Ok(Origins { used, general: file.is_none().then_some(origin) })
    }

    /// All of them as a table.
    pub fn table(&self, console: &Console) -> String {
        let mut table = TextTable::new(&["setting", "value", "from"]);
        for used in &self.used {
            table.row([used.key.clone(), shown(&used.value), used.from.clone()]);
        }
        console.lines(&table)
    }

    /// As JSON.
    pub fn object(&self) -> Value {
        let one = |used: &Used| json!({ "setting": used.key, "value": used.value, "from": used.from });
        json!(self.used.iter().map(one).collect::<Vec<_>>())
    }

    /// Says which settings are not the general defaults, in line with the data card.
    pub fn say(&self, console: &Console) {
        if let Some(text) = self.short() {
            console.message(&format!("settings    {text}"));
        }
    }

    /// Those of model, training and encodings that are not the defaults, by where they come from; the general settings are
    /// only named: `general for one graph; --epochs 5`.
    pub fn short(&self) -> Option<String> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for used in self.used.iter().filter(|used| used.from != DEFAULT && !used.key.starts_with("data.")) {
            let name = used.key.rsplit('.').next().unwrap_or_default();
            let told = match used.from.starts_with("--") {
                true => format!("{} {}", used.from, shown(&used.value)),
                false => format!("{name} {}", shown(&used.value)),
            };
            let group = if used.from.starts_with("--") { "" } else { used.from.as_str() };
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

/// A value as it is written on the command line.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_string(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(","),
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
    use crate::arguments::{Cli, Command};
    use crate::settings;
    use clap::Parser;

    fn origins(line: &str) -> Origins {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Some(Command::Train(arguments)) = cli.command else { panic!("not train") };
        let mut given = arguments.model.settings();
        given.extend(arguments.training.settings());
        let training = arguments.training.settings();
        let recipe = settings::recipe(None, &arguments.data, &arguments.model, training, &cli.common, None).unwrap();
        let preset = Preset::expected(&recipe.data).unwrap();
        Origins::of(&recipe, None, &arguments.data, &given, preset).unwrap()
    }

    fn of<'a>(origins: &'a Origins, key: &str) -> (&'a Value, &'a str) {
        let used = origins.used.iter().find(|used| used.key == key).unwrap();
        (&used.value, &used.from)
    }

    #[test]
    fn general_settings_and_options_are_told_from_defaults() {
        let found = origins("farhop train enzymes --epochs 5");
        assert_eq!(of(&found, "train.epochs"), (&json!(5), "--epochs"));
        assert_eq!(of(&found, "train.batch_size"), (&json!(64), "general for many graphs"));
        assert_eq!(of(&found, "model.heads"), (&json!(1), "default"));
        assert_eq!(of(&found, "data.dataset"), (&json!("enzymes"), "option"));
        assert_eq!(found.short().unwrap(), "general for many graphs; --epochs 5");
        let tables = origins("farhop train --nodes n.csv --edges e.csv --target y");
        assert_eq!(tables.short().unwrap(), "general for one graph");
    }
}
