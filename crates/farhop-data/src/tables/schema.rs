//! What `predict` needs to treat new rows as training treated its own.

use serde::{Deserialize, Serialize};

use crate::dataset::Target;
use crate::tables::options::Fill;
use crate::tables::targets::TargetKind;

/// How a nodes table becomes arrays. Made from the training table and kept with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The id column.
    pub id: String,
    /// The columns to predict.
    pub target: Option<TargetColumn>,
    /// The column that says train, valid or test.
    pub split: Option<String>,
    /// The feature columns in the order of their encoding.
    pub features: Vec<FeatureColumn>,
    /// Whether edges are directed.
    pub directed: bool,
    /// The feature columns of the edges table in the order of their encoding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_features: Vec<FeatureColumn>,
}

/// The columns to predict, what they hold, and the classes if they hold classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetColumn {
    /// The name of the column, of the first one if there are several.
    pub name: String,
    /// The other columns, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// What the columns hold.
    #[serde(default)]
    pub kind: TargetKind,
    /// The classes: output `c` of a model is `classes[c]`. Sorted as numbers if all of them are
    /// whole numbers, else as text. Empty if the columns do not hold classes.
    #[serde(default)]
    pub classes: Vec<String>,
    /// How many answers or numbers a cell holds, if the cells of the only column are lists such as `[0, 1, 0]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<usize>,
}

impl TargetColumn {
    /// One column of classes.
    pub fn classes(name: &str, classes: Vec<String>) -> TargetColumn {
        TargetColumn { name: name.to_string(), others: Vec::new(), kind: TargetKind::Classes, classes, list: None }
    }

    /// The names of all columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.others).map(String::as_str)
    }

    /// The names of what a model gives: classes, or a name for each answer or number.
    pub fn output_names(&self) -> Vec<String> {
        match (self.kind, self.list) {
            (TargetKind::Classes, _) => self.classes.clone(),
            (_, Some(width)) => (0..width).map(|place| format!("{} {place}", self.name)).collect(),
            (_, None) => self.names().map(str::to_string).collect(),
        }
    }

    /// Answers or numbers, `[rows, output_names]`, as a target.
    pub(crate) fn target_of(&self, values: Vec<f32>) -> Target {
        let names = self.output_names();
        match self.kind {
            TargetKind::Labels => Target::Binary { values, names },
            TargetKind::Numbers | TargetKind::Classes => Target::Number { values, names },
        }
    }
}

/// A feature column and how its cells are encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureColumn {
    /// The name of the column.
    pub name: String,
    /// How its cells are encoded.
    pub kind: FeatureKind,
}

/// How the cells of a feature column are encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FeatureKind {
    /// One number: `(value - shift) / scale`, computed in 64 bits.
    Number {
        /// Whether the cells are dates; their value is the days since the first day of 1970.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dates: bool,
        /// The mean over the training rows: what a node without a row gets.
        #[serde(with = "crate::tables::exact")]
        mean: f64,
        /// Taken away first. 0 without scaling.
        #[serde(with = "crate::tables::exact")]
        shift: f64,
        /// Divided by last. 1 without scaling.
        #[serde(with = "crate::tables::exact")]
        scale: f64,
        /// What stands in for a missing cell; without it a missing cell is an error.
        #[serde(default, with = "crate::tables::exact::option", skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// One number per value, 1 for the value of the cell and 0 for the others.
    Category {
        /// The values, sorted.
        values: Vec<String>,
        /// Whether an empty cell is all zeros; if not it is an error.
        allow_missing: bool,
    },
    /// One number that comes from the graph: `(ln(1 + degree) - shift) / scale`.
    Degree {
        /// Taken away first.
        #[serde(with = "crate::tables::exact")]
        shift: f64,
        /// Divided by last.
        #[serde(with = "crate::tables::exact")]
        scale: f64,
    },
    /// The number 1.
    One,
}

impl FeatureKind {
    /// Numbers or dates as they are, until statistics are known.
    pub(crate) fn number(dates: bool) -> FeatureKind {
        FeatureKind::Number { dates, mean: 0.0, shift: 0.0, scale: 1.0, fill: None }
    }

    /// How many numbers the column becomes.
    pub fn width(&self) -> usize {
        match self {
            FeatureKind::Category { values, .. } => values.len(),
            FeatureKind::Number { .. } | FeatureKind::Degree { .. } | FeatureKind::One => 1,
        }
    }

    /// Whether the column is read from the table (and not made from the graph).
    pub fn from_table(&self) -> bool {
        matches!(self, FeatureKind::Number { .. } | FeatureKind::Category { .. })
    }

    /// The same kind with another rule for missing cells.
    pub fn with_fill(&self, rule: Fill) -> FeatureKind {
        match self.clone() {
            FeatureKind::Number { dates, mean, shift, scale, .. } => FeatureKind::Number {
                dates,
                mean,
                shift,
                scale,
                fill: match rule {
                    Fill::Error => None,
                    Fill::Mean => Some(mean),
                    Fill::Zero => Some(0.0),
                    Fill::Value(value) => Some(value),
                },
            },
            FeatureKind::Category { values, .. } => {
                FeatureKind::Category { values, allow_missing: rule != Fill::Error }
            }
            graph_made => graph_made,
        }
    }
}

impl Schema {
    /// The schema of arrays that were made, not read: numbers as they are, named `x0`, `x1`, ...
    pub fn of_arrays(width: usize, classes: &[String], directed: bool) -> Schema {
        let number = |index| FeatureColumn { name: format!("x{index}"), kind: FeatureKind::number(false) };
        Schema {
            id: "id".to_string(),
            target: Some(TargetColumn::classes("label", classes.to_vec())),
            split: Some("split".to_string()),
            features: (0..width).map(number).collect(),
            directed,
            edge_features: Vec::new(),
        }
    }

    /// The width of the feature rows of edges.
    pub fn edge_width(&self) -> usize {
        self.edge_features.iter().map(|column| column.kind.width()).sum()
    }

    /// The width of the feature rows.
    pub fn width(&self) -> usize {
        self.features.iter().map(|column| column.kind.width()).sum()
    }

    /// The classes; empty without a target of classes.
    pub fn classes(&self) -> &[String] {
        self.target.as_ref().map_or(&[], |target| &target.classes)
    }

    /// A name for each of the `width` numbers of a feature row: the column, and for categories
    /// `column=value`.
    pub fn feature_names(&self) -> Vec<String> {
        names_of(&self.features)
    }

    /// The same for the feature rows of edges.
    pub fn edge_feature_names(&self) -> Vec<String> {
        names_of(&self.edge_features)
    }
}

fn names_of(columns: &[FeatureColumn]) -> Vec<String> {
    let mut names = Vec::new();
    for column in columns {
        match &column.kind {
            FeatureKind::Category { values, .. } => {
                names.extend(values.iter().map(|value| format!("{}={value}", column.name)));
            }
            _ => names.push(column.name.clone()),
        }
    }
    names
}
