//! What may be tried: settings of a recipe, each with its values.
//!
//! ```toml
//! [space]
//! model.hops = [1, 2, 4, 8]                                    # one of these
//! model.dropout = { uniform = [0.0, 0.9], step = 0.1 }         # even, in steps
//! train.learning_rate = { log = [1e-4, 1e-2] }                 # even in the logarithm
//! model.layers = { integer = [1, 6] }
//! model.gamma = { uniform = [0.0, 1.0], when = { "model.compression" = ["degree"] } }
//! ```

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parzen::{Axis, Place};
use crate::recipe::tree;
use crate::{GivenSetting, Recipe, TrainError};

/// The values of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// One of a list; an ascending list of numbers has an order.
    Choices(Vec<Value>),
    /// Numbers from the first to the second.
    Uniform(f64, f64),
    /// Numbers from the first to the second, even in the logarithm.
    Log(f64, f64),
}

/// A setting that is searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dimension {
    /// Its key in a recipe: `model.hops`.
    pub key: String,
    /// What it may be.
    pub values: Values,
    /// Other settings of the space, and the values of them with which this one means something. Without: always.
    pub when: Vec<(String, Vec<Value>)>,
}

/// Settings with the values that a trial has, under their keys.
pub type Point = Map<String, Value>;

/// The settings that are searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    /// In the order of the file.
    pub dimensions: Vec<Dimension>,
}

/// The longest list of steps; more are as good as a line.
const MOST_STEPS: usize = 10_000;

impl Space {
    /// Reads `[space]` of a file for a search that starts from `base`.
    ///
    /// # Errors
    /// Names the line: a setting that the recipe does not have, values that are not allowed, a condition on something that is not
    /// searched.
    pub fn parse(text: &str, file: &Path, base: &Recipe) -> Result<Self, TrainError> {
        let wrong = |offset: Option<usize>, problem: String| TrainError::Recipe {
            file: file.to_path_buf(),
            line: offset.map(|offset| text[..offset.min(text.len())].matches('\n').count() + 1),
            problem,
        };
        let document = DeTable::parse(text)
            .map_err(|error| wrong(error.span().map(|span| span.start), error.message().replace('\n', "; ")))?;
        if let Some((key, _)) = document.get_ref().iter().find(|(key, _)| key.get_ref() != "space") {
            let name = key.get_ref();
            let problem =
                format!("a space has the section [space] alone, not \"{name}\". Other settings belong into a recipe.");
            return Err(wrong(Some(key.span().start), problem));
        }
        let Some(DeValue::Table(table)) = document.get_ref().get("space").map(Spanned::get_ref) else {
            return Err(wrong(None, "there is no section [space]. Write the settings to search below [space].".into()));
        };
        let known = tree::of(base).map_err(|error| wrong(None, error.to_string()))?;
        let mut leaves = Vec::new();
        tree::collect(table, &known, &mut Vec::new(), &mut leaves)
            .map_err(|(offset, problem)| wrong(Some(offset), problem))?;
        leaves.sort_by_key(|leaf| leaf.offset);
        let mut dimensions = Vec::new();
        for leaf in &leaves {
            let key = leaf.path.join(".");
            let dimension = dimension(&key, &leaf.value)
                .and_then(|dimension| check(&dimension, &leaf.path, base, &known).map(|()| dimension))
                .map_err(|problem| wrong(Some(leaf.offset), format!("{key}: {problem}")))?;
            dimensions.push((dimension, leaf.offset));
        }
        let space = Space { dimensions: dimensions.iter().map(|(dimension, _)| dimension.clone()).collect() };
        for (dimension, offset) in &dimensions {
            space.check_conditions(dimension).map_err(|problem| wrong(Some(*offset), problem))?;
        }
        if space.dimensions.is_empty() {
            return Err(wrong(None, "[space] is empty. Write at least one setting to search.".into()));
        }
        Ok(space)
    }

    /// A condition may only ask for settings further up, so that they are known first.
    fn check_conditions(&self, dimension: &Dimension) -> Result<(), String> {
        let before = self.dimensions.iter().take_while(|other| other.key != dimension.key);
        let before: Vec<&str> = before.map(|other| other.key.as_str()).collect();
        match dimension.when.iter().find(|(key, _)| !before.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => Err(format!(
                "{}: \"when\" asks for {key}, which is not a setting of this space further up. Write it before, or take the condition out.",
                dimension.key
            )),
        }
    }

    pub(super) fn axes(&self) -> Vec<Axis> {
        self.dimensions.iter().map(|dimension| dimension.values.axis()).collect()
    }

    /// Which coordinates are in use.
    pub(super) fn open(&self, full: &[f64]) -> Vec<bool> {
        let mut settings = Point::new();
        let mut open = Vec::with_capacity(full.len());
        for (dimension, at) in self.dimensions.iter().zip(full) {
            let is_open = dimension.holds(&settings);
            if is_open {
                settings.insert(dimension.key.clone(), dimension.values.at(*at));
            }
            open.push(is_open);
        }
        open
    }

    /// The settings at a place.
    pub(super) fn settings(&self, place: &Place) -> Point {
        let at =
            |(dimension, at): (&Dimension, &Option<f64>)| at.map(|at| (dimension.key.clone(), dimension.values.at(at)));
        self.dimensions.iter().zip(place).filter_map(at).collect()
    }

    /// The place of settings; what is not among the values is at the nearest, or left out.
    pub(super) fn place(&self, settings: &Point) -> Place {
        let coordinate =
            |dimension: &Dimension| settings.get(&dimension.key).and_then(|value| dimension.values.place(value));
        self.dimensions.iter().map(coordinate).collect()
    }

    /// The settings of this space that `recipe` has, as far as they lie in it.
    pub fn of_recipe(&self, recipe: &Recipe) -> Point {
        let Ok(tree) = tree::of(recipe) else { return Point::new() };
        let mut settings = Point::new();
        for dimension in &self.dimensions {
            let value = dimension.key.split('.').fold(&tree, |place, key| &place[key]);
            if let (true, Some(at)) = (dimension.holds(&settings), dimension.values.place(value)) {
                settings.insert(dimension.key.clone(), dimension.values.at(at));
            }
        }
        settings
    }

    /// `base` with the settings of a trial.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn recipe(&self, base: &Recipe, settings: &Point) -> Result<Recipe, TrainError> {
        let given = |(key, value): (&String, &Value)| GivenSetting::new(key, key.split('.'), value.clone());
        let recipe = base.with(&settings.iter().map(given).collect::<Vec<_>>())?;
        recipe.validate()?;
        Ok(recipe)
    }
}

impl Dimension {
    /// Whether it means something beside `settings`.
    fn holds(&self, settings: &Point) -> bool {
        self.when.iter().all(|(key, values)| settings.get(key).is_some_and(|value| values.contains(value)))
    }
}

impl Values {
    fn axis(&self) -> Axis {
        match self {
            Values::Choices(values) if ascending(values) => Axis::Steps(values.len()),
            Values::Choices(values) => Axis::Kinds(values.len()),
            Values::Uniform(..) | Values::Log(..) => Axis::Line,
        }
    }

    /// The value at a coordinate.
    fn at(&self, at: f64) -> Value {
        match self {
            Values::Choices(values) => values[(at as usize).min(values.len() - 1)].clone(),
            Values::Uniform(low, high) => Value::from(low + (high - low) * at),
            // Three digits are as good as any, and read better in a recipe.
            Values::Log(low, high) => {
                Value::from(rounded((low.ln() + (high / low).ln() * at).exp()).clamp(*low, *high))
            }
        }
    }

    /// The coordinate of a value: the nearest of numbers, the same of others.
    fn place(&self, value: &Value) -> Option<f64> {
        match (self, value.as_f64()) {
            (Values::Choices(values), number) => {
                let same =
                    values.iter().position(|other| other == value || (number.is_some() && other.as_f64() == number));
                let nearest = || {
                    let far = |other: &Value| (other.as_f64().unwrap_or(f64::NAN) - number.unwrap_or(f64::NAN)).abs();
                    (0..values.len())
                        .filter(|_| ascending(values))
                        .min_by(|a, b| far(&values[*a]).total_cmp(&far(&values[*b])))
                };
                same.or_else(|| number.and_then(|_| nearest())).map(|place| place as f64)
            }
            (Values::Uniform(low, high), Some(number)) => Some(((number - low) / (high - low)).clamp(0.0, 1.0)),
            (Values::Log(low, high), Some(number)) => {
                Some(((number.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln()).clamp(0.0, 1.0))
            }
            _ => None,
        }
    }

    /// Values that stand for all: every choice, or both ends.
    fn samples(&self) -> Vec<Value> {
        match self {
            Values::Choices(values) => values.clone(),
            Values::Uniform(low, high) | Values::Log(low, high) => vec![Value::from(*low), Value::from(*high)],
        }
    }
}

/// Three significant digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

fn ascending(values: &[Value]) -> bool {
    let numbers: Vec<Option<f64>> = values.iter().map(Value::as_f64).collect();
    numbers.iter().all(Option::is_some) && numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// What a value of `[space]` says.
fn dimension(key: &str, value: &Value) -> Result<Dimension, String> {
    const FORMS: &str =
        "Write a list of values, or { uniform = [low, high] }, { log = [low, high] } or { integer = [low, high] }.";
    let made = |values: Values| Dimension { key: key.to_string(), values, when: Vec::new() };
    match value {
        Value::Array(choices) => Ok(made(list(choices.clone())?)),
        Value::Object(table) => {
            let unknown = table
                .keys()
                .find(|key| !["choices", "uniform", "log", "integer", "step", "when"].contains(&key.as_str()));
            if let Some(unknown) = unknown {
                return Err(format!("there is no \"{unknown}\" here. {FORMS}"));
            }
            let forms: Vec<&str> =
                ["choices", "uniform", "log", "integer"].into_iter().filter(|form| table.contains_key(*form)).collect();
            let [form] = forms[..] else {
                return Err(format!("one form is wanted, {} are given. {FORMS}", forms.len()));
            };
            let mut dimension = made(values(form, &table[form], table.get("step"))?);
            if let Some(when) = table.get("when") {
                dimension.when = conditions(when)?;
            }
            Ok(dimension)
        }
        _ => Err(format!("{value} is one value, and there is nothing to search. {FORMS}")),
    }
}

fn values(form: &str, given: &Value, step: Option<&Value>) -> Result<Values, String> {
    let list_given = given.as_array().cloned().unwrap_or_default();
    if form == "choices" {
        return list(list_given);
    }
    let ends: Vec<f64> = list_given.iter().filter_map(Value::as_f64).collect();
    let [low, high] = ends[..] else { return Err(format!("{form} = {given}: give two numbers, [low, high].")) };
    if low >= high || list_given.len() != 2 {
        return Err(format!("{form} = {given}: the first has to be below the second."));
    }
    if form == "log" && low <= 0.0 {
        return Err(format!("log = {given}: a logarithm needs numbers above 0."));
    }
    let step = match (form, step) {
        ("log", Some(_)) => return Err("a logarithm has no step. Take step out, or give a list.".into()),
        ("integer", None) => Some(1.0),
        (_, None) => None,
        (_, Some(step)) => match step.as_f64() {
            Some(step) if step > 0.0 && step <= high - low => Some(step),
            _ => return Err(format!("step = {step}: give a number above 0 and at most {}.", high - low)),
        },
    };
    if form == "integer" && [low, high, step.unwrap_or(1.0)].iter().any(|number| number.fract() != 0.0) {
        return Err(format!("integer = {given}: give whole numbers."));
    }
    let Some(step) = step else {
        return Ok(if form == "log" { Values::Log(low, high) } else { Values::Uniform(low, high) });
    };
    let count = ((high - low) / step + 1e-9).floor() as usize + 1;
    if count > MOST_STEPS {
        return Err(format!("{count} steps are more than {MOST_STEPS}. Give a larger step."));
    }
    let at = |place: usize| match form {
        "integer" => Value::from((low + step * place as f64) as i64),
        // 0.30000000000000004 is nobody's dropout.
        _ => Value::from(format!("{:.9}", low + step * place as f64).parse::<f64>().unwrap_or(low)),
    };
    list((0..count).map(at).collect())
}

fn list(choices: Vec<Value>) -> Result<Values, String> {
    let doubled = (1..choices.len()).find(|place| choices[..*place].contains(&choices[*place]));
    match (choices.len(), doubled) {
        (0, _) => Err("the list is empty. Give the values to try.".into()),
        (_, Some(place)) => Err(format!("{} is in the list twice.", choices[place])),
        _ => Ok(Values::Choices(choices)),
    }
}

fn conditions(when: &Value) -> Result<Vec<(String, Vec<Value>)>, String> {
    fn flat(value: &Value, path: &str, found: &mut Vec<(String, Vec<Value>)>) {
        match value {
            Value::Object(table) => {
                for (key, value) in table {
                    flat(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, found);
                }
            }
            Value::Array(values) => found.push((path.to_string(), values.clone())),
            value => found.push((path.to_string(), vec![value.clone()])),
        }
    }
    if !when.is_object() {
        return Err(format!("when = {when}: write {{ \"other.setting\" = [values] }}."));
    }
    let mut found = Vec::new();
    flat(when, "", &mut found);
    Ok(found)
}

/// Every value has to be one that the recipe takes at that place.
fn check(dimension: &Dimension, path: &[String], base: &Recipe, known: &Value) -> Result<(), String> {
    if path[0] == "data" || dimension.key == "model.kind" || dimension.key == "train.seed" {
        return Err(
            "this decides what is learned, not how, and is the same for all trials. Give it as an option.".into()
        );
    }
    for value in dimension.values.samples() {
        let mut changed = known.clone();
        tree::set(&mut changed, path, value.clone());
        let recipe = tree::to_recipe(&changed).map_err(|error| format!("{value}: {error}."))?;
        // Whether settings go together is seen in the trial: others may change, too.
        if let Err(error) = recipe.validate() {
            let named = error.setting();
            let of_this = named.is_some_and(|name| dimension.key.ends_with(&name));
            if of_this && base.validate().is_ok() {
                return Err(error.to_string());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
