//! Settings that suit a dataset, used when nothing else is said. They are found by family: a few tries each, not a search.

use farhop_data::Level;
use farhop_data::catalogue::{self, Entry};
use serde_json::{Value, json};

use crate::{Recipe, TrainError};

/// The recipe for a dataset of the catalogue and a model. Of a path, or for a setting that the model does not have, the
/// defaults hold.
///
/// # Errors
/// When there is no such model.
pub fn recipe(dataset: &str, model: &str) -> Result<Recipe, TrainError> {
    let recipe = Recipe::for_model(model)?;
    match catalogue::find(dataset) {
        Ok(entry) => Ok(laid_over(recipe, family(entry))),
        // A path; or the reader says what is wrong with the name.
        Err(_) => Ok(recipe),
    }
}

/// The recipe for a table of molecules.
///
/// # Errors
/// When there is no such model.
pub fn molecules(model: &str) -> Result<Recipe, TrainError> {
    Ok(laid_over(Recipe::for_model(model)?, molecule_settings()))
}

fn molecule_settings() -> Value {
    json!({
        "model": { "width": 96, "layers": 4, "norm": "batch", "dropout": 0.1, "head_layers": 2 },
        "train": { "epochs": 100, "batch_size": 64, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 30 },
    })
}

fn family(entry: &Entry) -> Value {
    match entry.name {
        "cora" | "citeseer" | "pubmed" => json!({
            "model": {
                "width": 64, "layers": 1, "hops": 4, "coefficients": "gcn", "dropout": 0.7, "input_dropout": 0.7, "residual": false,
            },
            "train": {
                "epochs": 300, "learning_rate": 0.005, "patience": 100,
                "optimizer": { "weight_decay": 0.1 },
            },
        }),
        "peptides-func" | "peptides-struct" => json!({
            "model": { "width": 96, "layers": 4, "hops": 4, "norm": "batch", "dropout": 0.1, "head_layers": 2 },
            "train": { "epochs": 100, "batch_size": 200, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 40 },
            "encodings": { "walk": 16 },
        }),
        "pascalvoc-sp" | "coco-sp" => json!({
            "model": { "width": 96, "layers": 6, "hops": 4, "norm": "batch", "dropout": 0.1 },
            "train": {
                "epochs": 100, "batch_size": 32, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 30,
                "loss": "weighted-cross-entropy",
            },
        }),
        "mutag" | "nci1" | "proteins" | "enzymes" => json!({
            "model": { "width": 64, "layers": 3, "hops": 3, "norm": "batch", "dropout": 0.3, "readout": "sum", "head_layers": 2 },
            "train": { "epochs": 100, "batch_size": 64, "learning_rate": 0.002, "warmup_epochs": 5, "patience": 40 },
        }),
        _ if entry.level == Level::Graph || entry.level == Level::Pair => molecule_settings(),
        _ => json!({
            "model": { "width": 128, "layers": 2, "hops": 3, "dropout": 0.5, "input_dropout": 0.3 },
            "train": {
                "epochs": 300, "learning_rate": 0.003, "patience": 100,
                "optimizer": { "weight_decay": 0.1 },
            },
        }),
    }
}

/// The settings over the recipe; those the model does not have are left out.
fn laid_over(recipe: Recipe, settings: Value) -> Recipe {
    fn lay(place: &mut Value, settings: &Value) {
        match (place, settings) {
            (Value::Object(place), Value::Object(settings)) => {
                for (key, value) in settings {
                    if let Some(place) = place.get_mut(key) {
                        lay(place, value);
                    }
                }
            }
            (place, value) => *place = value.clone(),
        }
    }
    let Ok(mut tree) = serde_json::to_value(&recipe) else {
        return recipe;
    };
    lay(&mut tree, &settings);
    serde_json::from_value(tree).unwrap_or(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::ModelConfig;

    /// A key that is misspelt would be left out in silence; so every key must be one of the GEN's recipe.
    #[test]
    fn every_setting_exists_and_every_recipe_is_valid() {
        fn check(known: &Value, settings: &Value, path: &str) {
            if let (Value::Object(known), Value::Object(settings)) = (known, settings) {
                for (key, value) in settings {
                    assert!(known.contains_key(key), "{path}.{key}");
                    check(&known[key], value, &format!("{path}.{key}"));
                }
            }
        }
        let known = serde_json::to_value(Recipe::for_model("gen").unwrap()).unwrap();
        for entry in catalogue::entries() {
            check(&known, &family(entry), entry.name);
            for model in ModelConfig::NAMES {
                let made = recipe(entry.name, model).unwrap();
                made.validate().unwrap();
                assert_ne!(made, Recipe::for_model(model).unwrap(), "{} {model}", entry.name);
                assert_eq!(made.model.name(), *model);
            }
        }
    }
}
