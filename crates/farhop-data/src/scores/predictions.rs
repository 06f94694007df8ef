//! Predictions under the user's own ids.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use crate::dataset::Target;
use crate::error::DataError;
use crate::files::save::write_atomically;
use crate::scores::metrics::largest;
use crate::text::quoted;

/// What a model said about rows or pairs.
#[derive(Debug, Clone, Copy)]
pub enum Answers<'a> {
    /// One class of several: `id,prediction,probability_<class>,...`.
    Classes {
        /// The names of the classes.
        names: &'a [String],
        /// `[ids, names]`, row after row.
        probabilities: &'a [f32],
    },
    /// Yes-or-no questions: `id,prediction_<label>,...,probability_<label>,...`; a prediction is 1 for yes and 0 for no.
    Labels {
        /// The names of the questions.
        names: &'a [String],
        /// `[ids, names]`, how probable the answer 1 is.
        probabilities: &'a [f32],
    },
    /// Numbers: `id,prediction_<name>,...`.
    Numbers {
        /// The names of the numbers.
        names: &'a [String],
        /// `[ids, names]`.
        values: &'a [f32],
    },
    /// Pairs of nodes: `graph,a,b,probability`. Nodes are counted from 0 within their graph; ids are those of graphs.
    Pairs {
        /// Node ids in the union of all graphs.
        pairs: &'a [[u32; 2]],
        /// `[G + 1]`: the pairs of graph `g` are `offsets[g]..offsets[g + 1]`.
        offsets: &'a [usize],
        /// `[G + 1]`: where the nodes of the graphs begin in the union.
        starts: &'a [usize],
        /// How probable it is that they belong together, one per pair.
        probabilities: &'a [f32],
    },
}

impl<'a> Answers<'a> {
    /// The answers about the rows (or pairs) of a target: `outputs` are probabilities or numbers, `[rows, target.outputs()]`;
    /// `starts` is where the nodes of the graphs begin, `[G + 1]`, which only pairs need.
    pub fn of(target: &'a Target, starts: &'a [usize], outputs: &'a [f32]) -> Self {
        match target {
            Target::Class { classes, .. } => Answers::Classes { names: classes, probabilities: outputs },
            Target::Binary { names, .. } => Answers::Labels { names, probabilities: outputs },
            Target::Number { names, .. } => Answers::Numbers { names, values: outputs },
            Target::Pair { pairs, offsets, .. } => Answers::Pairs { pairs, offsets, starts, probabilities: outputs },
        }
    }
}

/// Predictions and the ids they belong to.
#[derive(Debug, Clone, Copy)]
pub struct Predictions<'a> {
    /// The ids of nodes or graphs; empty: their numbers.
    pub ids: &'a [String],
    /// The name of their column.
    pub id_column: &'a str,
    /// For each question, or for the second of two classes: the probability above which the answer is yes. Empty: one half.
    pub thresholds: &'a [f32],
    /// What was predicted, finite.
    pub answers: Answers<'a>,
}

impl<'a> Predictions<'a> {
    /// Predictions with ids in a column `id`, decided at one half.
    pub fn new(ids: &'a [String], answers: Answers<'a>) -> Self {
        Predictions { ids, id_column: "id", thresholds: &[], answers }
    }

    /// Writes the predictions atomically: the file is the old one or complete.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        self.check()?;
        write_atomically(path, |file| self.write_rows(file))
    }

    /// Writes the same rows to any writer; `name` is for messages.
    pub fn write(&self, name: &str, writer: &mut dyn Write) -> Result<(), DataError> {
        self.check()?;
        self.write_rows(writer).map_err(|source| DataError::Write { file: name.to_string(), source })
    }

    fn id(&self, row: usize) -> Cow<'a, str> {
        match self.ids.get(row) {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(row.to_string()),
        }
    }

    fn check(&self) -> Result<(), DataError> {
        let wrong = |what: String| Err(DataError::Mismatch { what });
        let (names, values, kind, outputs) = match self.answers {
            Answers::Classes { names, probabilities } => (names, probabilities, "class", "probabilities"),
            Answers::Labels { names, probabilities } => (names, probabilities, "label", "probabilities"),
            Answers::Numbers { names, values } => (names, values, "number", "values"),
            Answers::Pairs { pairs, offsets, starts, probabilities } => {
                return check_pairs(self.ids, pairs, offsets, starts, probabilities);
            }
        };
        let (width, count) = (names.len(), values.len());
        let rows = if self.ids.is_empty() { count / width.max(1) } else { self.ids.len() };
        if width == 0 || count != rows * width {
            let plural = if kind == "class" { "classes".to_string() } else { format!("{kind}s") };
            return wrong(format!("{count} {outputs} do not fit {rows} ids and {width} {plural}."));
        }
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(position) => wrong(format!(
                "the model gave {} for id {}, {kind} {}. Nothing was written.",
                values[position],
                quoted(&self.id(position / width)),
                quoted(&names[position % width])
            )),
        }
    }

    fn write_rows(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(writer);
        match self.answers {
            Answers::Classes { names, probabilities } => {
                let best = match (names, self.thresholds) {
                    ([_, _], [threshold]) => {
                        probabilities.chunks_exact(2).map(|row| u32::from(row[1] > *threshold)).collect()
                    }
                    _ => largest(probabilities, names.len()),
                };
                let named = |row: usize| vec![names[best[row] as usize].as_str()];
                let first = vec!["prediction".to_string()];
                self.write_table(&mut csv, first, "probability", names, probabilities, named)?;
            }
            Answers::Labels { names, probabilities } => {
                let (width, thresholds) = (names.len(), self.thresholds);
                let answers = |row: usize| {
                    let answer = |at: usize| {
                        let yes = probabilities[row * width + at] > thresholds.get(at).copied().unwrap_or(0.5);
                        if yes { "1" } else { "0" }
                    };
                    (0..width).map(answer).collect()
                };
                let first = names.iter().map(|name| format!("prediction_{name}")).collect();
                self.write_table(&mut csv, first, "probability", names, probabilities, answers)?;
            }
            Answers::Numbers { names, values } => {
                self.write_table(&mut csv, Vec::new(), "prediction", names, values, |_| Vec::new())?;
            }
            Answers::Pairs { pairs, offsets, starts, probabilities } => {
                csv.write_record(["graph", "a", "b", "probability"]).map_err(as_io)?;
                for (graph, range) in offsets.windows(2).enumerate() {
                    for pair in range[0]..range[1] {
                        let [a, b] = pairs[pair].map(|node| (node as usize - starts[graph]).to_string());
                        let id = self.id(graph);
                        csv.write_record([&*id, &a, &b, &probabilities[pair].to_string()]).map_err(as_io)?;
                    }
                }
            }
        }
        csv.flush()
    }

    /// A row per id: the id, the decisions in columns `first`, and a number per name.
    fn write_table(
        &self,
        csv: &mut csv::Writer<&mut dyn Write>,
        first: Vec<String>,
        prefix: &str,
        names: &[String],
        values: &[f32],
        decisions: impl Fn(usize) -> Vec<&'a str>,
    ) -> io::Result<()> {
        let named = names.iter().map(|name| format!("{prefix}_{name}"));
        let header: Vec<String> = std::iter::once(self.id_column.to_string()).chain(first).chain(named).collect();
        csv.write_record(&header).map_err(as_io)?;
        for (row, values) in values.chunks_exact(names.len()).enumerate() {
            csv.write_field(&*self.id(row)).map_err(as_io)?;
            for decision in decisions(row) {
                csv.write_field(decision).map_err(as_io)?;
            }
            let cells: Vec<String> = values.iter().map(f32::to_string).collect();
            csv.write_record(&cells).map_err(as_io)?;
        }
        Ok(())
    }
}

fn check_pairs(
    ids: &[String],
    pairs: &[[u32; 2]],
    offsets: &[usize],
    starts: &[usize],
    probabilities: &[f32],
) -> Result<(), DataError> {
    let wrong = |what: String| Err(DataError::Mismatch { what });
    let graphs = offsets.len().saturating_sub(1);
    let fits = probabilities.len() == pairs.len()
        && offsets.len() == starts.len()
        && (ids.is_empty() || ids.len() == graphs)
        && offsets.first() == Some(&0)
        && offsets.last() == Some(&pairs.len())
        && offsets.is_sorted();
    if !fits {
        return wrong(format!(
            "{} probabilities do not fit {} pairs in {graphs} graphs of {} ids.",
            probabilities.len(),
            pairs.len(),
            ids.len()
        ));
    }
    for (graph, (range, nodes)) in offsets.windows(2).zip(starts.windows(2)).enumerate() {
        let outside = |node: &u32| !(nodes[0]..nodes[1]).contains(&(*node as usize));
        if pairs[range[0]..range[1]].iter().flatten().any(outside) {
            return wrong(format!("a pair of graph {graph} names a node outside it."));
        }
    }
    match probabilities.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(pair) => wrong(format!(
            "the model gave {} for the pair of nodes {} and {}. Nothing was written.",
            probabilities[pair], pairs[pair][0], pairs[pair][1]
        )),
    }
}

/// What the system said, as it said it: whoever writes to a pipe looks at the kind.
fn as_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
