//! What a table is: its rows and columns, what was published, and how often each cell is run. The definitions are files beside this one:
//!
//! ```toml
//! title = "Node classification on homophilous graphs"
//! source = "Wang, Cheng and Zhang, NeurIPS 2025"
//! protocol = "one split, the epoch of the best validation score"
//!
//! [[columns]]
//! name = "Cora"
//! dataset = "cora"
//! seeds = 5
//! percent = true                                       # as it was printed
//!
//! [[rows]]
//! name = "GEN without hop attention"
//! model = "gen"
//! set = { "model.hop_attention" = false }              # over the recipe of model and dataset
//! published = { Cora = [85.43, 0.42] }                 # mean and deviation
//! by = "Luo, Shi and Wu, NeurIPS 2024"                 # if not the source of the table
//! ```

use std::collections::BTreeMap;

use farhop_data::text::{nearest, quoted};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{GivenSetting, Recipe, TrainError, tuned};

/// Name and text.
const DEFINITIONS: [(&str, &str); 8] = [
    ("nodes", include_str!("definitions/nodes.toml")),
    ("heterophily", include_str!("definitions/heterophily.toml")),
    ("small", include_str!("definitions/small.toml")),
    ("peptides", include_str!("definitions/peptides.toml")),
    ("zinc", include_str!("definitions/zinc.toml")),
    ("ablation", include_str!("definitions/ablation.toml")),
    ("depth-and-hops", include_str!("definitions/depth-and-hops.toml")),
    ("efficiency", include_str!("definitions/efficiency.toml")),
];

/// A table: every row with every column is a cell.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// What it is called.
    #[serde(skip)]
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// Where the published numbers stand.
    pub source: String,
    /// How every cell is run and scored.
    pub protocol: String,
    /// What is measured, on what.
    pub columns: Vec<Column>,
    /// Models, or forms of one.
    pub rows: Vec<Line>,
}

/// A column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// The dataset, as the catalogue has it.
    pub dataset: String,
    /// Runs of a cell: seeds from 0, and split i where there are several.
    pub seeds: usize,
    /// What is measured.
    #[serde(default)]
    pub measure: Measure,
    /// Whether numbers are in percent.
    #[serde(default)]
    pub percent: bool,
    /// Settings of all its cells.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
}

/// A row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// The model.
    pub model: String,
    /// Settings of all its cells.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// What was published, by column: the mean, or mean and deviation, as printed.
    #[serde(default)]
    pub published: BTreeMap<String, Published>,
    /// Whose numbers those are, if not of the source of the table.
    #[serde(default)]
    pub by: Option<String>,
}

/// What is measured of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The test score.
    #[default]
    Score,
    /// Seconds of an epoch.
    EpochSeconds,
    /// The largest memory, in units of 10⁹ bytes.
    Gigabytes,
}

/// A published number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<f64>")]
pub struct Published {
    /// The mean.
    pub mean: f64,
    /// The deviation, if one was given.
    pub deviation: Option<f64>,
}

impl From<Vec<f64>> for Published {
    fn from(numbers: Vec<f64>) -> Self {
        Published { mean: numbers.first().copied().unwrap_or(f64::NAN), deviation: numbers.get(1).copied() }
    }
}

/// All tables.
///
/// # Errors
/// When one is not as it has to be, which a test rules out.
pub fn definitions() -> Result<Vec<Definition>, TrainError> {
    DEFINITIONS.iter().map(|(name, text)| parse(name, text)).collect()
}

/// The table of that name.
///
/// # Errors
/// When there is none: the nearest name is given.
pub fn find(name: &str) -> Result<Definition, TrainError> {
    let names = || DEFINITIONS.iter().map(|(name, _)| *name);
    match DEFINITIONS.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => parse(name, text),
        None => Err(TrainError::NoTable {
            name: quoted(name).to_string(),
            near: nearest(name, names()).map(str::to_string),
            known: names().collect::<Vec<_>>().join(", "),
        }),
    }
}

fn parse(name: &'static str, text: &str) -> Result<Definition, TrainError> {
    let parsed: Result<Definition, toml::de::Error> = toml::from_str(text);
    let wrong = |error: toml::de::Error| TrainError::Recipe {
        file: format!("{name}.toml").into(),
        line: None,
        problem: error.message().to_string(),
    };
    Ok(Definition { name, ..parsed.map_err(wrong)? })
}

impl Definition {
    /// The settings of a cell; none where no recipe comes with farhop for its dataset and model.
    ///
    /// # Errors
    /// When row or column set something that the model does not have, which a test rules out.
    pub fn recipe(&self, line: &Line, column: &Column) -> Result<Option<Recipe>, TrainError> {
        let Some(tuned) = tuned::get(&column.dataset, &line.model) else { return Ok(None) };
        let given = |(key, value): (&String, &Value)| {
            GivenSetting::new(&format!("table {}: {key}", self.name), key.split('.'), value.clone())
        };
        let settings: Vec<GivenSetting> = column.set.iter().chain(&line.set).map(given).collect();
        let recipe = tuned.recipe()?.with(&settings)?;
        recipe.validate()?;
        Ok(Some(recipe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_data::catalogue;
    use farhop_nn::ModelConfig;

    #[test]
    fn every_table_names_what_there_is() {
        for table in definitions().unwrap() {
            for column in &table.columns {
                let entry = catalogue::find(&column.dataset).unwrap();
                assert_eq!(entry.name, column.dataset, "{}", table.name);
                assert!(column.seeds > 0);
            }
            let mut names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}: a column twice", table.name);
            for line in &table.rows {
                assert!(ModelConfig::from_name(&line.model).is_ok(), "{}: {}", table.name, line.model);
                let stranger = line.published.keys().find(|name| !names.contains(&name.as_str()));
                assert_eq!(stranger, None, "{}: {}", table.name, line.name);
                assert!(line.published.values().all(|one| one.mean.is_finite()), "{}: {}", table.name, line.name);
                for column in &table.columns {
                    table.recipe(line, column).unwrap_or_else(|error| panic!("{}: {error}", table.name));
                }
            }
        }
    }

    #[test]
    fn unknown_tables_get_the_nearest_name() {
        let text = find("heterofily").unwrap_err().to_string();
        assert!(text.contains("Did you mean heterophily?"), "{text}");
        let text = find("q").unwrap_err().to_string();
        assert!(text.contains("depth-and-hops"), "{text}");
    }
}
