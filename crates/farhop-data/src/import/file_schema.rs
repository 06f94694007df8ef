//! What is kept of a file that was read for training, and how data of another one is brought into its shape.

use serde::{Deserialize, Serialize};

use super::Kind;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Level, Numbers, Target};
use crate::error::DataError;
use crate::layouts::tu::TuLabels;
use crate::molecules::MoleculeSchema;
use crate::tables::schema::{FeatureColumn, Schema};
use crate::tables::targets::TargetKind;
use crate::text::{counted, listed};

/// How a file or folder with a whole dataset was read: what `predict` needs to read another one the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSchema {
    /// What it was, in words.
    pub layout: String,
    /// What a prediction is about.
    pub level: Level,
    /// What the target is; none for pairs of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TargetKind>,
    /// The names of classes, labels or numbers.
    pub outputs: Vec<String>,
    /// Features of nodes.
    pub nodes: ColumnSizes,
    /// Features of edges.
    pub edges: ColumnSizes,
    /// The feature that stands in for those that a file does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<FeatureColumn>,
    /// The labels of a TU collection, which became categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<TuLabels>,
    /// The attributes of one graph in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Schema>,
    /// The attributes of several graphs in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphs: Option<Schema>,
    /// The columns of a table of molecules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub molecules: Option<MoleculeSchema>,
}

/// How many features there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSizes {
    /// Numbers in a row.
    pub numbers: usize,
    /// For each column of categories, how many there are.
    pub categories: Vec<u32>,
}

impl ColumnSizes {
    pub(super) fn of(columns: &Columns) -> Self {
        ColumnSizes { numbers: columns.width, categories: columns.sizes.clone() }
    }

    fn text(&self) -> String {
        let numbers = counted(self.numbers as u64, "number", "numbers");
        match self.categories.len() as u64 {
            0 => numbers,
            count if self.numbers == 0 => counted(count, "category", "categories"),
            count => format!("{numbers} and {}", counted(count, "category", "categories")),
        }
    }
}

impl FileSchema {
    /// That of a dataset which is at hand, and will be read from a `.farhop` file.
    pub fn of_dataset(dataset: &Dataset) -> Self {
        FileSchema::of(&Kind::Farhop, dataset)
    }

    pub(super) fn of(kind: &Kind, dataset: &Dataset) -> Self {
        FileSchema {
            layout: layout(kind),
            level: dataset.level,
            task: match &dataset.target {
                Target::Class { .. } => Some(TargetKind::Classes),
                Target::Binary { .. } => Some(TargetKind::Labels),
                Target::Number { .. } => Some(TargetKind::Numbers),
                Target::Pair { .. } => None,
            },
            outputs: dataset.target.names().to_vec(),
            nodes: ColumnSizes::of(&dataset.nodes),
            edges: ColumnSizes::of(&dataset.edges),
            stand_in: None,
            labels: None,
            table: None,
            graphs: None,
            molecules: None,
        }
    }

    /// The data as the model knows it: the same features, and targets under the names of training.
    pub(super) fn fit(&self, mut dataset: Dataset) -> Result<Dataset, DataError> {
        let file = dataset.sources.first().map_or(dataset.name.clone(), |source| source.name().to_string());
        let wrong = |reason: String| DataError::Array { file: file.clone(), reason };
        if dataset.target.outputs() == 0 && self.level != Level::Pair {
            // A file without answers does not say what they would be about.
            dataset.level = self.level;
            dataset.target = Target::none(dataset.rows());
        }
        if dataset.level != self.level {
            return Err(wrong(format!(
                "the data is about {}, the run was trained on {}. Give data of the same kind.",
                level(dataset.level),
                level(self.level)
            )));
        }
        let (nodes, edges) = (dataset.graphs.union().nodes(), dataset.graphs.union().entries());
        dataset.nodes = fitted(dataset.nodes, &self.nodes, nodes, "node").map_err(&wrong)?;
        dataset.edges = fitted(dataset.edges, &self.edges, edges, "edge").map_err(&wrong)?;
        let (target, unknown) = self.target(&dataset).map_err(&wrong)?;
        if unknown > 0 {
            let rows = counted(unknown, "row has", "rows have");
            dataset.notes.push(format!("{rows} a label that the model does not know; left out of the scores"));
        }
        dataset.target = target;
        dataset.split = Split::default();
        dataset.check()
    }

    /// The target under the names of training, and how many rows have a class that training never saw.
    fn target(&self, dataset: &Dataset) -> Result<(Target, u64), String> {
        let (rows, names) = (dataset.rows(), self.outputs.clone());
        let nothing = || vec![f32::NAN; rows * names.len()];
        let absent = dataset.target.outputs() == 0;
        let same = |found: &[String]| match found == names.as_slice() {
            true => Ok(()),
            false => Err(format!(
                "its targets are {}; the run was trained on {}. Name the same targets.",
                listed(found.iter().map(String::as_str)),
                listed(names.iter().map(String::as_str))
            )),
        };
        match (self.task, &dataset.target) {
            (Some(TargetKind::Classes), Target::Class { labels, classes }) => {
                let place = |name: &String| names.iter().position(|known| known == name).map(|place| place as u32);
                let places: Vec<Option<u32>> = classes.iter().map(place).collect();
                let known: Vec<Option<u32>> = labels.iter().map(|label| places[(*label)? as usize]).collect();
                let unknown = labels.iter().flatten().count() - known.iter().flatten().count();
                Ok((Target::Class { labels: known, classes: names.clone() }, unknown as u64))
            }
            (Some(TargetKind::Labels), _) if absent => {
                Ok((Target::Binary { values: nothing(), names: names.clone() }, 0))
            }
            (Some(TargetKind::Numbers), _) if absent => {
                Ok((Target::Number { values: nothing(), names: names.clone() }, 0))
            }
            (Some(TargetKind::Labels), target @ Target::Binary { names: found, .. })
            | (Some(TargetKind::Numbers), target @ Target::Number { names: found, .. }) => {
                same(found).map(|()| (target.clone(), 0))
            }
            (None, target @ Target::Pair { .. }) => Ok((target.clone(), 0)),
            _ => {
                Err("its target is not of the kind that the run was trained on. Pass the files of training to see."
                    .into())
            }
        }
    }
}

/// The kind of a path, without what differs from one to the other.
pub(super) fn layout(kind: &Kind) -> String {
    match kind {
        Kind::TuFolder { .. } => "a TU collection".to_string(),
        Kind::SmilesLines | Kind::Sdf => Kind::Molecules.to_string(),
        other => other.to_string(),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Node => "nodes",
        Level::Graph => "graphs",
        Level::Pair => "pairs of nodes",
    }
}

/// The features of `rows` rows in the shape of training. Whole numbers that were read as categories in one file and as
/// numbers in the other are both.
fn fitted(columns: Columns, wanted: &ColumnSizes, rows: usize, of: &str) -> Result<Columns, String> {
    let found = ColumnSizes::of(&columns);
    let columns = match (wanted.categories.len(), found.categories.len()) {
        (0, count) if count > 0 && found.numbers == 0 && wanted.numbers == count => {
            Columns::dense(count, columns.categories.iter().map(|category| f32::from(*category)).collect())
        }
        (count, 0) if count > 0 && wanted.numbers == 0 && found.numbers == count => as_categories(&columns, wanted)?,
        _ => columns,
    };
    let differ = columns.width != wanted.numbers || columns.sizes.len() != wanted.categories.len();
    if differ && !(rows == 0 && columns.is_empty()) {
        return Err(format!(
            "it has {} for every {of}; the run was trained with {}. Give the same features in the same order.",
            found.text(),
            wanted.text()
        ));
    }
    if let Some(column) = columns.sizes.iter().zip(&wanted.categories).position(|(found, known)| found > known) {
        return Err(format!(
            "column {column} of the categories of {of}s has {} of them; training knew {}. Take out what training never saw.",
            columns.sizes[column], wanted.categories[column]
        ));
    }
    Ok(Columns { width: wanted.numbers, sizes: wanted.categories.clone(), ..columns })
}

fn as_categories(columns: &Columns, wanted: &ColumnSizes) -> Result<Columns, String> {
    let Numbers::Dense(numbers) = &columns.numbers else {
        return Ok(columns.clone());
    };
    let whole = |number: &f32| (number.fract() == 0.0 && (0.0..65_536.0).contains(number)).then_some(*number as u16);
    let Some(categories) = numbers.iter().map(whole).collect::<Option<Vec<u16>>>() else {
        return Ok(columns.clone());
    };
    let width = columns.width.max(1);
    let largest =
        |column: usize| categories.iter().skip(column).step_by(width).max().map_or(0, |most| u32::from(*most) + 1);
    let sizes = (0..wanted.categories.len()).map(largest).collect();
    Ok(Columns::categories(sizes, categories))
}
