//! What a run depends on, as a short name.

use std::path::{Path, PathBuf};

use farhop_data::SourceFile;
use farhop_data::catalogue;
use farhop_data::hash::sha256_hex;
use serde_json::Value;

use crate::{Recipe, TrainError};

/// Raise it when the same recipe and data give another run.
const VERSION: u32 = 1;

/// Settings that say where data lies or how a run is kept, and not what comes out.
const PLACES: [(&str, &str); 4] =
    [("data", "nodes"), ("data", "edges"), ("data", "molecules"), ("train", "checkpoint_every")];

/// Settings that models got later: model (none for all), key, and the value, as JSON, that stands for what was done before. With it, a
/// run keeps the name that it had then.
const LATER: [(Option<&str>, &str, &str); 2] = [(Some("gcn"), "skip", "false"), (None, "initial_weights", r#""own""#)];

/// The name of a run: the same for the same settings and the same contents of files, wherever they lie.
///
/// # Errors
/// When the settings can't be written.
pub fn identity(recipe: &Recipe, sources: &[SourceFile]) -> Result<String, TrainError> {
    let tree = placeless(recipe)?;
    let hashes: Vec<&str> = sources.iter().map(|source| source.sha256.as_str()).collect();
    let text = serde_json::to_vec(&(VERSION, tree, hashes)).map_err(|error| TrainError::Task(error.to_string()))?;
    Ok(sha256_hex(&text)[..16].to_string())
}

/// The settings without what says where data lies or how a run is kept.
pub(super) fn placeless(recipe: &Recipe) -> Result<Value, TrainError> {
    let mut tree = serde_json::to_value(recipe).map_err(|error| TrainError::Task(error.to_string()))?;
    for (section, key) in PLACES {
        tree[section][key] = Value::Null;
    }
    for (model, key, before) in LATER {
        let concerned = model.is_none_or(|model| recipe.model.name() == model);
        if let (true, Some(settings)) = (concerned, tree["model"].as_object_mut()) {
            settings.retain(|name, value| {
                let written = value.to_string();
                name != key || written != before
            });
        }
    }
    // A name of the catalogue says what is made; of files, the contents do.
    let entry = recipe.data.dataset.as_deref().and_then(|name| catalogue::find(name).ok());
    tree["data"]["dataset"] = entry.map_or(Value::Null, |entry| entry.name.into());
    if recipe.data.split.file().is_some() {
        tree["data"]["split"] = "file".into();
    }
    Ok(tree)
}

/// Where a run is kept in a store.
///
/// # Errors
/// As [`identity`].
pub fn place_of(store: &Path, recipe: &Recipe, sources: &[SourceFile]) -> Result<PathBuf, TrainError> {
    Ok(store.join(format!("{}-{}", recipe.model.name(), identity(recipe, sources)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitSetting;

    #[test]
    fn contents_and_settings_matter_and_places_do_not() {
        let source = |path: &str, hash: &str| SourceFile { path: path.to_string(), sha256: hash.to_string(), bytes: 1 };
        let mut recipe = Recipe::for_model("gcn").unwrap();
        recipe.data.nodes = Some("a/nodes.csv".into());
        let of = |recipe: &Recipe, path: &str, hash: &str| identity(recipe, &[source(path, hash)]).unwrap();
        let first = of(&recipe, "a/nodes.csv", "12");
        assert_eq!(first.len(), 16);
        let mut moved = recipe.clone();
        moved.data.nodes = Some("b/nodes.csv".into());
        moved.train.checkpoint_every = "3 epochs".parse().unwrap();
        assert_eq!(of(&moved, "b/nodes.csv", "12"), first);
        assert_ne!(of(&recipe, "a/nodes.csv", "13"), first);
        let mut other = recipe.clone();
        other.train.seed = 1;
        assert_ne!(of(&other, "a/nodes.csv", "12"), first);
        let mut other = recipe.clone();
        other.data.split = SplitSetting::Number(1);
        assert_ne!(of(&other, "a/nodes.csv", "12"), first);
        // A setting that came later counts only where it is in use: without it, the settings are those from before.
        let mut before = serde_json::to_value(&recipe).unwrap();
        let later = before["model"].as_object_mut().unwrap();
        assert_eq!(later.remove("skip"), Some(Value::Bool(false)));
        assert_eq!(later.remove("initial_weights"), Some("own".into()));
        for (section, key) in PLACES {
            before[section][key] = Value::Null;
        }
        before["data"]["dataset"] = Value::Null;
        let text = serde_json::to_vec(&(VERSION, before, ["12"])).unwrap();
        assert_eq!(&sha256_hex(&text)[..16], first.as_str());
        let skipping = Recipe { model: recipe.model.with("skip", true).unwrap(), ..recipe.clone() };
        assert_ne!(of(&skipping, "a/nodes.csv", "12"), first);
        let uniform = Recipe { model: recipe.model.with("initial_weights", "uniform").unwrap(), ..recipe.clone() };
        assert_ne!(of(&uniform, "a/nodes.csv", "12"), first);
        let mut named = recipe;
        named.data.dataset = Some("Cora".to_string());
        let name = of(&named, "", "12");
        named.data.dataset = Some("cora".to_string());
        assert_eq!(of(&named, "", "12"), name);
    }
}
