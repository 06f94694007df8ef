//! Settings as a tree of values, and values of a file at their places in it.

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Recipe;

/// One value of a file: where it belongs, where it was written, what it says.
pub(crate) struct Leaf {
    pub(crate) path: Vec<String>,
    pub(crate) offset: usize,
    pub(crate) value: Value,
}

/// The settings as a tree; a setting that is absent is null, so that every known key is there.
pub(crate) fn of(recipe: &Recipe) -> Result<Value, serde_json::Error> {
    serde_json::to_value(recipe)
}

/// The recipe of a tree.
pub(crate) fn to_recipe(tree: &Value) -> Result<Recipe, serde_json::Error> {
    serde_json::from_value(tree.clone())
}

/// Gathers the values below `table`, checking every key against `known`.
pub(crate) fn collect(
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
pub(crate) fn set(tree: &mut Value, path: &[String], value: Value) {
    let mut place = tree;
    for key in path {
        place = &mut place[key.as_str()];
    }
    *place = value;
}
