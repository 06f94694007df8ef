//! From the settings to the text of a recipe.

use std::path::Path;

use serde_json::Value;

use super::{Recipe, read, tree};
use crate::TrainError;

pub(super) fn to_toml(recipe: &Recipe) -> Result<String, TrainError> {
    // A number that was given as f32 reads best with f32's digits (0.1, not 0.10000000149011612). Whether that is exact
    // for every setting is decided by reading the text back.
    let file = Path::new("recipe.toml");
    for short in [true, false] {
        let text = write(recipe, short)?;
        if read::parse(&text, file).is_ok_and(|again| again == *recipe) {
            return Ok(text);
        }
    }
    // A run whose recipe can't be read again would be lost: better no run.
    let problem =
        "these settings can't be written so that they are read back the same. Change what is unusual in them.";
    Err(TrainError::Recipe { file: file.to_path_buf(), line: None, problem: problem.to_string() })
}

fn write(recipe: &Recipe, short: bool) -> Result<String, TrainError> {
    let failed = |problem: String| TrainError::Recipe { file: "recipe.toml".into(), line: None, problem };
    let tree = tree::of(recipe).map_err(|error| failed(error.to_string()))?;
    let mut written = tree.clone();
    let mut absent = Vec::new();
    find_absent(&tree, &mut Vec::new(), &mut absent);
    for path in absent {
        // Where a text is allowed, "none" would be that text: such a setting is left out instead.
        let mut tried = tree.clone();
        tree::set(&mut tried, &path, Value::from("none"));
        if tree::to_recipe(&tried).is_err() {
            tree::set(&mut written, &path, Value::from("none"));
        }
    }
    let document = toml_of(&written, short).ok_or_else(|| failed("nothing to write.".to_string()))?;
    toml::to_string(&document).map_err(|error| failed(error.to_string().replace('\n', "; ")))
}

fn find_absent(tree: &Value, path: &mut Vec<String>, absent: &mut Vec<Vec<String>>) {
    match tree {
        Value::Null => absent.push(path.clone()),
        Value::Object(object) => {
            for (key, value) in object {
                path.push(key.clone());
                find_absent(value, path, absent);
                path.pop();
            }
        }
        _ => {}
    }
}

fn toml_of(tree: &Value, short: bool) -> Option<toml::Value> {
    Some(match tree {
        Value::Null => return None,
        Value::Bool(flag) => toml::Value::Boolean(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(number) => toml::Value::Integer(number),
            None => toml::Value::Float(readable(number.as_f64()?, short)),
        },
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(items) => toml::Value::Array(items.iter().filter_map(|item| toml_of(item, short)).collect()),
        Value::Object(object) => toml::Value::Table(
            object.iter().filter_map(|(key, value)| Some((key.clone(), toml_of(value, short)?))).collect(),
        ),
    })
}

/// The number with the fewest digits that is the same f32, when the number is an f32.
fn readable(number: f64, short: bool) -> f64 {
    let narrow = number as f32;
    if short && f64::from(narrow) == number { narrow.to_string().parse().unwrap_or(number) } else { number }
}
