//! The spaces that are searched where none is given.

use std::path::Path;

use toml::{Table, Value};

use super::Space;
use crate::recipe::tree;
use crate::{Recipe, TrainError};

const SPACES: &str = include_str!("spaces.toml");
/// How the file is called in messages.
const NAME: &str = "the default space";

/// The space for a model and its text: what all models have, and what is its own, but for the settings that are `fixed`.
///
/// # Errors
/// When the space does not fit the recipe, which a test rules out.
pub fn default_space(base: &Recipe, fixed: &[String]) -> Result<(String, Space), TrainError> {
    let wrong = |problem: String| TrainError::Recipe { file: NAME.into(), line: None, problem };
    let spaces: Table = SPACES.parse().map_err(|error: toml::de::Error| wrong(error.message().to_string()))?;
    let known = tree::of(base).map_err(|error| wrong(error.to_string()))?;
    let own = spaces.get(base.model.name()).and_then(Value::as_table).cloned().unwrap_or_default();
    let mut space = spaces.get("all").and_then(Value::as_table).cloned().unwrap_or_default();
    retain(&mut space, &known);
    lay_over(&mut space, own);
    for key in fixed {
        remove(&mut space, &key.split('.').collect::<Vec<_>>());
    }
    let document = Table::from_iter([("space".to_string(), Value::Table(space))]);
    let text = toml::to_string(&document).map_err(|error| wrong(error.to_string()))?;
    let space = Space::parse(&text, Path::new(NAME), base)?;
    Ok((text, space))
}

/// Leaves the settings that the recipe has.
fn retain(space: &mut Table, known: &serde_json::Value) {
    space.retain(|key, value| match (known.get(key), value) {
        (Some(known @ serde_json::Value::Object(_)), Value::Table(inside)) => {
            retain(inside, known);
            true
        }
        (known, _) => known.is_some(),
    });
}

fn lay_over(space: &mut Table, own: Table) {
    for (key, value) in own {
        match (space.get_mut(&key), value) {
            // A section; a single setting's form has no such keys.
            (Some(Value::Table(inside)), Value::Table(own))
                if ["model", "train", "optimizer"].contains(&key.as_str()) =>
            {
                lay_over(inside, own);
            }
            (_, value) => {
                space.insert(key, value);
            }
        }
    }
}

fn remove(space: &mut Table, path: &[&str]) {
    match path {
        [key] => {
            space.remove(*key);
        }
        [section, rest @ ..] => {
            if let Some(Value::Table(inside)) = space.get_mut(*section) {
                remove(inside, rest);
            }
        }
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::ModelConfig;

    #[test]
    fn every_model_has_a_space() {
        for model in ModelConfig::names() {
            let base = Recipe::for_model(model).unwrap();
            let (text, space) = default_space(&base, &[]).unwrap_or_else(|error| panic!("{model}: {error}"));
            assert!(space.dimensions.len() >= 3, "{model}: {text}");
            // The first trial of a study is what the recipe says, so most of it should lie in the space.
            assert!(!space.of_recipe(&base).is_empty(), "{model}");
        }
        let spaces: Table = SPACES.parse().unwrap();
        let unknown = spaces.keys().find(|name| *name != "all" && !ModelConfig::names().any(|model| model == *name));
        assert_eq!(unknown, None);
    }

    #[test]
    fn a_model_has_its_own_settings_in_place_of_the_general_ones() {
        let (text, _) = default_space(&Recipe::for_model("appnp").unwrap(), &["model.width".into()]).unwrap();
        assert!(text.contains("alpha") && text.contains("[1, 3]") && !text.contains("[1, 8]"), "{text}");
        assert!(!text.contains("width"), "what is fixed is not searched: {text}");
    }
}
