//! From the text of a recipe to the settings.
//!
//! The defaults of the model that the recipe names are written out as a tree; the recipe's keys are laid over it. So the
//! known keys are always those of the settings themselves, and an unknown key has a line and a nearest neighbour.

use std::path::Path;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DEFAULT_MODEL, Recipe};
use crate::TrainError;

/// One value of the recipe: where it belongs, where it was written, what it says.
struct Leaf {
    path: Vec<String>,
    offset: usize,
    value: Value,
}

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
    let mut tree = tree_of(&defaults).map_err(|error| wrong(None, error.to_string()))?;

    let mut leaves = Vec::new();
    collect(document.get_ref(), &tree, &mut Vec::new(), &mut leaves)
        .map_err(|(offset, problem)| wrong(Some(offset), problem))?;
    for leaf in &leaves {
        // Laid over the tree one by one: when one does not fit, it is the one to be named.
        set(&mut tree, &leaf.path, leaf.value.clone());
        let Err(error) = Recipe::deserialize_tree(&tree) else {
            continue;
        };
        if leaf.value == "none" {
            set(&mut tree, &leaf.path, Value::Null);
            if Recipe::deserialize_tree(&tree).is_ok() {
                continue;
            }
        }
        let problem = format!("{} = {}: {error}", leaf.path.join("."), leaf.value);
        return Err(wrong(Some(leaf.offset), problem));
    }
    let recipe = Recipe::deserialize_tree(&tree).map_err(|error| wrong(None, error.to_string()))?;
    recipe.validate().map_err(|error| {
        let name = error.setting();
        let written = |leaf: &&Leaf| name.as_ref().is_some_and(|name| leaf.path.join(".").ends_with(name));
        wrong(leaves.iter().find(written).map(|leaf| leaf.offset), error.to_string())
    })?;
    Ok(recipe)
}

/// The settings as a tree; a setting that is absent is null, so that every known key is there.
pub(super) fn tree_of(recipe: &Recipe) -> Result<Value, serde_json::Error> {
    serde_json::to_value(recipe)
}

impl Recipe {
    pub(super) fn deserialize_tree(tree: &Value) -> Result<Recipe, serde_json::Error> {
        serde_json::from_value(tree.clone())
    }
}

/// The model that `model.kind` names, and where.
fn model_kind(document: &DeTable<'_>) -> (String, usize) {
    let model = document.get("model").and_then(|model| model.get_ref().get("kind"));
    match model {
        Some(kind) => (kind.get_ref().as_str().unwrap_or_default().to_string(), kind.span().start),
        None => (DEFAULT_MODEL.to_string(), 0),
    }
}

/// Gathers the values below `table`, checking every key against `known`.
fn collect(
    table: &DeTable<'_>,
    known: &Value,
    path: &mut Vec<String>,
    leaves: &mut Vec<Leaf>,
) -> Result<(), (usize, String)> {
    let none = Map::new();
    let known = known.as_object().unwrap_or(&none);
    for (key, value) in table.iter() {
        let name: &str = key.get_ref();
        let offset = key.span().start;
        let Some(inside) = known.get(name) else {
            return Err((offset, unknown(path, name, known)));
        };
        path.push(name.to_string());
        match (value.get_ref(), inside) {
            (DeValue::Table(table), Value::Object(_)) => collect(table, inside, path, leaves)?,
            (_, Value::Object(_)) => {
                let problem = format!("{} is a section, not a value.", path.join("."));
                return Err((offset, problem));
            }
            _ => leaves.push(Leaf { path: path.clone(), offset, value: json_of(value)? }),
        }
        path.pop();
    }
    Ok(())
}

/// The known key that a name is most likely meant to be, if one is near enough.
pub(crate) fn slip_of<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let nearest = known.map(|key| (strsim::damerau_levenshtein(key, name), key)).min();
    nearest.filter(|(distance, _)| *distance <= (name.chars().count() / 3).max(2)).map(|(_, key)| key)
}

fn unknown(path: &[String], name: &str, known: &Map<String, Value>) -> String {
    let place = if path.is_empty() { "a recipe".to_string() } else { format!("[{}]", path.join(".")) };
    match slip_of(name, known.keys()) {
        Some(key) => format!("{place} has no setting \"{name}\". Did you mean \"{key}\"?"),
        None => {
            let known: Vec<&str> = known.keys().map(String::as_str).collect();
            format!("{place} has no setting \"{name}\". Known: {}.", known.join(", "))
        }
    }
}

fn json_of(value: &Spanned<DeValue<'_>>) -> Result<Value, (usize, String)> {
    let wrong = |problem: &str| Err((value.span().start, problem.to_string()));
    match value.get_ref() {
        DeValue::String(text) => Ok(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Ok(Value::from(*flag)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Ok(Value::from(number)),
            Err(_) => wrong("this integer is too large."),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::from(number)),
            _ => wrong("this is not a finite number."),
        },
        DeValue::Array(items) => Ok(Value::Array(items.iter().map(json_of).collect::<Result<_, _>>()?)),
        DeValue::Table(table) => {
            let mut object = Map::new();
            for (key, value) in table.iter() {
                object.insert(key.get_ref().to_string(), json_of(value)?);
            }
            Ok(Value::Object(object))
        }
        DeValue::Datetime(_) => wrong("no setting is a date."),
    }
}

/// Puts a value at a path that exists.
pub(super) fn set(tree: &mut Value, path: &[String], value: Value) {
    let mut place = tree;
    for key in path {
        place = &mut place[key.as_str()];
    }
    *place = value;
}
