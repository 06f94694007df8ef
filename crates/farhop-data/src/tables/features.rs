//! Feature columns: inferring their kinds, their statistics, and encoding their cells.

use crate::dataset::statistics::Moments;
use crate::error::DataError;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::formats::table::{Row, Table};
use crate::tables::dates;
use crate::tables::options::{FeatureScaling, NodeTableOptions};
use crate::tables::roles::Roles;
use crate::tables::scan::{ColumnLook, is_missing_number};
use crate::tables::schema::{FeatureColumn, FeatureKind};
use crate::text::{counted, thousands};

/// Decides the kind of every feature column.
///
/// A column is one of numbers if more than half of its cells that are not missing are numbers
/// (so that a bad cell is reported and not silently made a category), and was not asked for as a
/// category; [`encode`] reports the bad cell. The same goes for dates. Otherwise it is one of categories.
/// Statistics are not known yet: shift 0, scale 1. A column that can be nothing is a problem, and stands as one of no
/// categories.
pub(crate) fn infer_kinds(
    table: &Table,
    roles: &Roles,
    looks: Vec<ColumnLook>,
    rows: usize,
    options: &NodeTableOptions,
    problems: &mut Problems,
) -> Vec<FeatureColumn> {
    let mut columns = Vec::with_capacity(looks.len());
    for (&number, look) in roles.features.iter().zip(looks) {
        let name = table.header()[number].clone();
        let asked = options.categories.contains(&name);
        let kind = if look.empty == rows {
            Err(DataError::EmptyColumn { file: table.name().to_string(), column: name.clone() })
        } else {
            let counted = look.counted_kind(rows).filter(|_| !asked);
            counted.map_or_else(|| category(table, &name, look, rows, options.most_categories), Ok)
        };
        let nothing = FeatureKind::Category { values: Vec::new(), allow_missing: true };
        let kind = problems.hear(kind).map_or(nothing, |kind| kind.with_fill(options.fill));
        columns.push(FeatureColumn { name, kind });
    }
    columns
}

impl ColumnLook {
    /// Numbers or dates, if most cells of `rows` that are not missing are.
    pub fn counted_kind(&self, rows: usize) -> Option<FeatureKind> {
        let most = |cells: usize| cells * 2 > rows - self.missing_numbers;
        match () {
            () if most(self.numbers) => Some(FeatureKind::number(false)),
            () if most(self.dates) => Some(FeatureKind::number(true)),
            () => None,
        }
    }
}

fn category(table: &Table, name: &str, look: ColumnLook, rows: usize, most: usize) -> Result<FeatureKind, DataError> {
    // In a short table a column of names has few values too, but nearly as many as rows.
    let nearly_unique = rows >= 20 && look.values.len() * 2 > rows;
    if look.many || nearly_unique {
        let as_dates = look.values.iter().filter(|value| dates::looks_like_another_date(value)).count();
        return Err(DataError::TooManyCategories {
            file: table.name().to_string(),
            column: name.to_string(),
            different: if look.many {
                format!("more than {} different values", thousands(most as u64))
            } else {
                let count = look.values.len() as u64;
                counted(count, "different value", "different values")
            },
            rows,
            remedy: if as_dates * 2 > look.values.len() { "Write dates as 2024-01-31, or pass" } else { "Pass" },
        });
    }
    let mut values: Vec<String> = look.values.into_iter().collect();
    values.sort_unstable();
    Ok(FeatureKind::Category { values, allow_missing: false })
}

/// Walks the numbers of the training rows (all rows if `train` is empty), completes the kinds
/// with mean, shift, scale and fill.
pub fn statistics_and_fill(
    table: &Table,
    roles: &Roles,
    columns: &mut [FeatureColumn],
    train: &[u32],
    options: &NodeTableOptions,
) -> Result<(), DataError> {
    let numeric: Vec<usize> =
        (0..columns.len()).filter(|&c| matches!(columns[c].kind, FeatureKind::Number { .. })).collect();
    let mut moments = vec![Moments::default(); columns.len()];
    let mut wanted = train.iter().copied().peekable();
    let mut rows = table.rows();
    while let Some(row) = rows.next_whole_row()? {
        if !train.is_empty() && wanted.next_if_eq(&(row.index as u32)).is_none() {
            continue;
        }
        for &column in &numeric {
            // Bad cells are reported by `encode`, which sees all rows in order.
            add_number(&mut moments[column], &columns[column].kind, row.cell(roles.features[column]));
        }
    }
    complete_kinds(columns, &moments, options);
    Ok(())
}

/// Takes in a cell if it is a number (or a date, where the column is one of dates) that is finite in 32 bits.
pub fn add_number(moments: &mut Moments, kind: &FeatureKind, cell: &str) {
    let value = match kind {
        FeatureKind::Number { dates: true, .. } => dates::days(cell),
        FeatureKind::Number { .. } => cell.parse().ok(),
        _ => None,
    };
    if let Some(value) = value.filter(|value: &f64| (*value as f32).is_finite()) {
        moments.add(value);
    }
}

/// Completes kinds with the mean, shift and scale of their numbers, and with the rule for missing cells.
pub fn complete_kinds(columns: &mut [FeatureColumn], moments: &[Moments], options: &NodeTableOptions) {
    for (column, moments) in columns.iter_mut().zip(moments) {
        if let FeatureKind::Number { mean, shift, scale, .. } = &mut column.kind {
            *mean = moments.mean();
            if options.scaling == FeatureScaling::Standardise {
                (*shift, *scale) = moments.shift_and_scale();
            }
        }
        column.kind = column.kind.with_fill(options.fill);
    }
}

/// Encoded features and what was noticed on the way.
#[derive(Debug, Default)]
pub struct Encoded {
    /// `[nodes, width]`, row after row; nodes without a row of the table have mean features.
    pub features: Vec<f32>,
    /// Cells with a category that training never saw, by feature column.
    pub unseen: Vec<u64>,
    /// Missing cells that were filled, by feature column.
    pub filled: Vec<u64>,
}

/// Encodes all rows of the table with kinds that are complete. `roles.features` are the columns
/// of the kinds that come from the table, in the same order; numbers that come from the graph are
/// left 0. `nodes` is at least the number of rows.
///
/// # Errors
/// Names every cell that can't be read, up to ten.
pub fn encode(table: &Table, roles: &Roles, columns: &[FeatureColumn], nodes: usize) -> Result<Encoded, DataError> {
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    let mut features = allocate(table, nodes, width, "nodes")?;
    let counts = encode_rows(table, roles, columns, nodes, |node, row| {
        features[node * width..(node + 1) * width].copy_from_slice(row);
        Ok(())
    })?;
    Ok(Encoded { features, ..counts })
}

/// As [`encode`], with every row given to `each`, in their order; the features of the result are empty.
///
/// # Errors
/// As [`encode`], or what `each` says.
pub fn encode_rows(
    table: &Table,
    roles: &Roles,
    columns: &[FeatureColumn],
    nodes: usize,
    mut each: impl FnMut(usize, &mut [f32]) -> Result<(), DataError>,
) -> Result<Encoded, DataError> {
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    let mut encoded = Encoded { features: Vec::new(), unseen: vec![0; columns.len()], filled: vec![0; columns.len()] };
    let mut layout = Vec::with_capacity(columns.len());
    let mut place = 0;
    let mut from_table = roles.features.iter();
    for (index, column) in columns.iter().enumerate() {
        if column.kind.from_table()
            && let Some(&number) = from_table.next()
        {
            layout.push((index, number, place, &column.kind));
        }
        place += column.kind.width();
    }
    let mut done = 0;
    let mut problems = Problems::default();
    let mut target = vec![0.0; width];
    let mut rows = table.rows();
    while let Some(row) = rows.next_whole_row()? {
        if row.index >= nodes {
            return Err(DataError::Line {
                place: row.place(),
                reason: "the file changed while it was read: start again.".to_string(),
            });
        }
        target.fill(0.0);
        for &(index, cell, place, kind) in &layout {
            match encode_cell(&row, cell, kind, &mut target[place..]) {
                Ok(Outcome::Encoded) => {}
                Ok(Outcome::Unseen) => encoded.unseen[index] += 1,
                Ok(Outcome::Filled) => encoded.filled[index] += 1,
                Err(wrong) => problems.add(|| wrong.at(&row, cell)),
            }
        }
        each(row.index, &mut target)?;
        done = row.index + 1;
    }
    problems.into_result()?;
    for node in done..nodes {
        target.fill(0.0);
        for &(_, _, place, kind) in &layout {
            if let FeatureKind::Number { mean, shift, scale, .. } = kind {
                target[place] = ((mean - shift) / scale) as f32;
            }
        }
        each(node, &mut target)?;
    }
    Ok(encoded)
}

/// What became of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was encoded.
    Encoded,
    /// It has a category that training never saw.
    Unseen,
    /// It was missing.
    Filled,
}

/// Why a cell can't be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongCell {
    /// Nothing is in it.
    Missing,
    /// Text in a column of numbers.
    NotANumber,
    /// Other text in a column of dates.
    NotADate,
    /// A number that is not finite in 32 bits.
    NotFinite,
}

impl WrongCell {
    /// With the cell in its place.
    pub fn at(self, row: &Row<'_>, column: usize) -> DataError {
        let cell = row.named_cell(column);
        match self {
            WrongCell::Missing => DataError::Missing { cell },
            WrongCell::NotANumber => DataError::NotANumber { cell },
            WrongCell::NotADate => DataError::NotADate { cell },
            WrongCell::NotFinite => DataError::NotFinite { cell },
        }
    }
}

/// Writes the numbers of a cell to the start of `target`, which holds zeros.
pub fn encode_cell(row: &Row<'_>, column: usize, kind: &FeatureKind, target: &mut [f32]) -> Result<Outcome, WrongCell> {
    let cell = row.cell(column);
    match kind {
        FeatureKind::Number { dates, shift, scale, fill, .. } => {
            let (value, outcome) = match number(cell, *dates)? {
                Some(value) => (value, Outcome::Encoded),
                None => (fill.ok_or(WrongCell::Missing)?, Outcome::Filled),
            };
            let scaled = ((value - shift) / scale) as f32;
            if !scaled.is_finite() {
                return Err(WrongCell::NotFinite);
            }
            target[0] = scaled;
            Ok(outcome)
        }
        FeatureKind::Category { values, allow_missing } => {
            if cell.is_empty() {
                return if *allow_missing { Ok(Outcome::Filled) } else { Err(WrongCell::Missing) };
            }
            match values.binary_search_by(|value| value.as_str().cmp(cell)) {
                Ok(position) => {
                    target[position] = 1.0;
                    Ok(Outcome::Encoded)
                }
                Err(_) => Ok(Outcome::Unseen),
            }
        }
        FeatureKind::Degree { .. } | FeatureKind::One => Ok(Outcome::Encoded),
    }
}

/// The number (or date) in a cell; `None` if it is missing; an error if it is text or not finite in 32 bits.
fn number(cell: &str, is_date: bool) -> Result<Option<f64>, WrongCell> {
    if is_missing_number(cell) {
        return Ok(None);
    }
    if is_date {
        return dates::days(cell).map(Some).ok_or(WrongCell::NotADate);
    }
    match cell.parse::<f64>() {
        Ok(value) if (value as f32).is_finite() => Ok(Some(value)),
        Ok(_) => Err(WrongCell::NotFinite),
        Err(_) => Err(WrongCell::NotANumber),
    }
}

/// Zeros for `rows` rows of nodes or edges; an error if there is no room for them.
pub fn allocate(table: &Table, rows: usize, width: usize, what: &str) -> Result<Vec<f32>, DataError> {
    table.budget().filled(0.0, rows.saturating_mul(width)).map_err(|_| DataError::TooMany {
        file: table.name().to_string(),
        what: format!(
            "{} {what} with {} features each do not fit in the memory that may be used",
            thousands(rows as u64),
            thousands(width as u64)
        ),
        remedy: format!(
            "Leave columns out with {}, or pass a larger {}.",
            Setting::named("ignore"),
            Setting::named("limit")
        ),
    })
}
