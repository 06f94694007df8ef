//! From the text of a recipe to the settings.
//!
//! The defaults of the model that the recipe names are written out as a tree; the recipe's keys are laid over it. So the
//! known keys are always those of the settings themselves, and an unknown key has a line and a nearest neighbour.

use std::path::Path;

use serde_json::Value;
use toml::de::DeTable;

use super::tree::{self, Leaf};
use super::{DEFAULT_MODEL, Recipe};
use crate::TrainError;

pub(super) fn parse(text: &str, file: &Path) -> Result<Recipe, TrainError> {
    let wrong = |offset: Option<usize>, problem: String| TrainError::Recipe {
        file: file.to_path_buf(),
        line: offset.map(|offset| text[..offset.min(text.len())].matches('\n').count() + 1),
        problem,
    };
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map(|span| span.start);
        // The parser's message may have several lines; errors here have one.
        wrong(offset, error.message().replace('\n', "; "))
    })?;
    let (kind, offset) = model_kind(document.get_ref());
    let defaults = Recipe::for_model(&kind).map_err(|error| wrong(Some(offset), error.to_string()))?;
    let mut tree = tree::of(&defaults).map_err(|error| wrong(None, error.to_string()))?;

    let mut leaves = Vec::new();
    tree::collect(document.get_ref(), &tree, &mut Vec::new(), &mut leaves)
        .map_err(|(offset, problem)| wrong(Some(offset), problem))?;
    for leaf in &leaves {
        // Laid over the tree one by one: when one does not fit, it is the one to be named.
        tree::set(&mut tree, &leaf.path, leaf.value.clone());
        let Err(error) = tree::to_recipe(&tree) else {
            continue;
        };
        if leaf.value == "none" {
            tree::set(&mut tree, &leaf.path, Value::Null);
            if tree::to_recipe(&tree).is_ok() {
                continue;
            }
        }
        let problem = format!("{} = {}: {error}", leaf.path.join("."), leaf.value);
        return Err(wrong(Some(leaf.offset), problem));
    }
    let recipe = tree::to_recipe(&tree).map_err(|error| wrong(None, error.to_string()))?;
    recipe.validate().map_err(|error| {
        let name = error.setting();
        let written = |leaf: &&Leaf| name.as_ref().is_some_and(|name| leaf.path.join(".").ends_with(name));
        wrong(leaves.iter().find(written).map(|leaf| leaf.offset), error.to_string())
    })?;
    Ok(recipe)
}

/// The model that `model.kind` names, and where.
fn model_kind(document: &DeTable<'_>) -> (String, usize) {
    let model = document.get("model").and_then(|model| model.get_ref().get("kind"));
    match model {
        Some(kind) => (kind.get_ref().as_str().unwrap_or_default().to_string(), kind.span().start),
        None => (DEFAULT_MODEL.to_string(), 0),
    }
}
