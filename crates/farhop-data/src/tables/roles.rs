//! Which column of a nodes table plays which part.

use crate::error::DataError;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::formats::table::Table;
use crate::tables::options::NodeTableOptions;
use crate::tables::schema::Schema;

/// The parts of the columns, as column numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    /// The id column.
    pub id: usize,
    /// The columns to predict; `None` where a schema names one that the table does not have.
    pub targets: Vec<Option<usize>>,
    /// The column that says train, valid or test.
    pub split: Option<usize>,
    /// The feature columns, in the order of their encoding.
    pub features: Vec<usize>,
    /// Columns that are left out.
    pub unused: Vec<usize>,
}

const ID_ROLE: &str = "the id column";
const TARGET_ROLE: &str = "the target";

impl Roles {
    /// Finds the parts for training: the id column is the one asked for, or named `id` in any
    /// case, or the first; the split column is the one named `split`; everything that is left is
    /// a feature.
    pub fn infer(table: &Table, options: &NodeTableOptions) -> Result<Roles, DataError> {
        let mut problems = Problems::default();
        let mut targets = Vec::with_capacity(options.targets.len());
        for name in &options.targets {
            let Some(column) = problems.hear(table.require(name, TARGET_ROLE)) else { continue };
            if targets.contains(&Some(column)) {
                let remedy = format!("Name every {} once.", Setting::named("target"));
                problems.add(|| twice(table, column, "one target", "another", remedy));
            }
            targets.push(Some(column));
        }
        let id = match &options.id {
            Some(name) => problems.hear(table.require(name, ID_ROLE)).unwrap_or(usize::MAX),
            None => {
                let named = |column: &String| column.eq_ignore_ascii_case("id");
                table.header().iter().position(named).unwrap_or(0)
            }
        };
        if targets.contains(&Some(id)) {
            let remedy = format!(
                "Name the id column with {}, or another column with {}.",
                Setting::named("id"),
                Setting::named("target")
            );
            problems.add(|| twice(table, id, ID_ROLE, TARGET_ROLE, remedy));
        }
        let mut unused = Vec::new();
        for name in &options.ignore {
            let found = table.require(name, &format!("passed to {}", Setting::named("ignore")));
            let Some(column) = problems.hear(found) else { continue };
            for (part, role) in [(id == column, ID_ROLE), (targets.contains(&Some(column)), TARGET_ROLE)] {
                if part {
                    let remedy = format!("Take it out of {}.", Setting::named("ignore"));
                    problems.add(|| twice(table, column, role, "ignored", remedy));
                }
            }
            unused.push(column);
        }
        unused.sort_unstable();
        unused.dedup();
        let split = (0..table.header().len()).find(|&column| {
            table.header()[column].eq_ignore_ascii_case("split")
                && column != id
                && !targets.contains(&Some(column))
                && !unused.contains(&column)
        });
        let taken = |column: &usize| {
            *column != id
                && !targets.contains(&Some(*column))
                && split != Some(*column)
                && unused.binary_search(column).is_err()
        };
        let features: Vec<usize> = (0..table.header().len()).filter(taken).collect();
        for name in &options.categories {
            let found = table.require(name, &format!("passed to {}", Setting::named("category")));
            let Some(column) = problems.hear(found) else { continue };
            if !features.contains(&column) {
                let remedy = format!("Take it out of {}.", Setting::named("category"));
                let part = "a category";
                let role = "the id column, the target, the split or ignored";
                problems.add(|| twice(table, column, part, role, remedy));
            }
        }
        problems.into_result()?;
        Ok(Roles { id, targets, split, features, unused })
    }

    /// Finds the parts that a schema names. The id and the features must be there; target and
    /// split need not; other columns are left out.
    pub fn from_schema(table: &Table, schema: &Schema) -> Result<Roles, DataError> {
        let mut problems = Problems::default();
        let id = problems.hear(table.require(&schema.id, ID_ROLE)).unwrap_or(0);
        let names = schema.target.iter().flat_map(|target| target.names());
        let targets: Vec<Option<usize>> = names.map(|name| table.column(name)).collect();
        let split = schema.split.as_ref().and_then(|name| table.column(name));
        let mut features = Vec::with_capacity(schema.features.len());
        for column in schema.features.iter().filter(|c| c.kind.from_table()) {
            let found = table.require(&column.name, "a feature that the model was trained on");
            features.extend(problems.hear(found));
        }
        problems.into_result()?;
        let mut used = vec![false; table.header().len()];
        for &column in features.iter().chain([&id]).chain(targets.iter().flatten()).chain(&split) {
            used[column] = true;
        }
        Ok(Roles { id, targets, split, features, unused: (0..used.len()).filter(|&column| !used[column]).collect() })
    }
}

fn twice(table: &Table, column: usize, first: &'static str, second: &'static str, remedy: String) -> DataError {
    DataError::ColumnTwice {
        file: table.name().to_string(),
        name: table.header()[column].clone(),
        first,
        second,
        remedy,
    }
}
