//! Everything that can be wrong with the bytes a user hands over.

pub(crate) mod place;
pub(crate) mod problems;
pub(crate) mod setting;

use crate::dataset::split::SplitError;
use crate::error::place::{Cell, Place};
use crate::error::setting::Setting;
use crate::memory::bytes_text;
use crate::text::{counted, quoted, thousands};

fn suggestion(nearest: &Option<String>) -> String {
    let hint = |name: &String| format!(" Did you mean {}?", quoted(name));
    nearest.as_ref().map(hint).unwrap_or_default()
}

/// That it is not the only one.
fn one_of(count: usize) -> String {
    if count > 1 { format!(", one of {} such ids", thousands(count as u64)) } else { String::new() }
}

/// A limit under which so many bytes may be produced: the data are not all that needs memory.
fn limit_for(needed: u64) -> Setting {
    Setting::to("limit", format!("{}GiB", needed.saturating_mul(2).div_ceil(1 << 30)))
}

/// A column that is left out.
fn ignored(column: &str) -> Setting {
    Setting::to("ignore", column)
}

/// What a column of numbers or dates may be instead.
fn text_instead(column: &str) -> String {
    format!("{} or {}", Setting::to("category", column), ignored(column))
}

/// What missing cells may become.
pub(crate) fn filled() -> String {
    format!("{} or {}", Setting::to("fill", "mean"), Setting::to("fill", "zero"))
}

/// Why a cell cannot be a 32-bit number.
fn not_usable(value: &str) -> &'static str {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => "is too large for a 32-bit number",
        _ => "is not a finite number",
    }
}

fn lines_of(problems: &[DataError], more: usize) -> String {
    let rest = (more > 0).then(|| format!("\n  and {} more", thousands(more as u64)));
    problems.iter().map(|problem| format!("\n  {problem}")).chain(rest).collect()
}

/// What is wrong with the input, on one line: file, line, value, what is allowed, what to do.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file could not be opened or read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file, as the user gave it.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file could not be written. What was there before is untouched.
    #[error("cannot write {file}: {source}. Nothing that was saved before has changed.")]
    Write {
        /// The file, as the user gave it.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Two tables were to be read from standard input.
    #[error("both tables are to be read from standard input (-). Give one of them as a file.")]
    StandardInputTwice,
    /// The compressed stream is damaged or cut short.
    #[error("{file}: damaged gzip data ({reason}). Compress the file again.")]
    Gzip {
        /// The file, as the user gave it.
        file: String,
        /// What the decompressor said.
        reason: String,
    },
    /// The file would become much more in memory than it is.
    #[error("{file}: {} bytes of file become {} or more in memory, where {} are allowed. Pass {} or more if they are meant to.", thousands(*read), bytes_text(*needed), bytes_text(*most), limit_for(*needed))]
    Expands {
        /// The file, as the user gave it.
        file: String,
        /// Bytes that were read.
        read: u64,
        /// Bytes in memory that are needed so far.
        needed: u64,
        /// Bytes in memory that are allowed.
        most: u64,
    },
    /// What is to be read does not fit in memory.
    #[error("{file}: reading it needs {} of memory, and {} are left. Free some or take a smaller part of the data; {} or more reads it all the same.", bytes_text(*needed), bytes_text(*left), limit_for(*needed))]
    NoMemory {
        /// The file, as the user gave it.
        file: String,
        /// Bytes that are needed at once.
        needed: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// The file is of another kind.
    #[error("{file} is {found}, not a CSV table. {remedy}")]
    NotCsv {
        /// The file, as the user gave it.
        file: String,
        /// What it looks like.
        found: &'static str,
        /// What to do.
        remedy: String,
    },
    /// Nothing in the file.
    #[error("{file} is empty. A table starts with a header row, such as {example}.")]
    EmptyFile {
        /// The file, as the user gave it.
        file: String,
        /// A header that would do.
        example: &'static str,
    },
    /// A header and nothing else, where rows are needed.
    #[error("{file} has a header row and no other row. Add at least one.")]
    NoRows {
        /// The file, as the user gave it.
        file: String,
    },
    /// The first row holds data.
    #[error("{file}, line 1: the first row ({row}) looks like data. Add a header row, such as {example}.")]
    NoHeader {
        /// The file, as the user gave it.
        file: String,
        /// The first row.
        row: String,
        /// A header that would do.
        example: &'static str,
    },
    /// Bytes that are not UTF-8.
    #[error("{place}: the text is not UTF-8 (bytes {value}). Save the file as UTF-8.")]
    NotUtf8 {
        /// Where.
        place: Place,
        /// The first bytes that are wrong, in hexadecimal.
        value: String,
    },
    /// The table uses another delimiter.
    #[error("{file}, line 1: the only column is {}. Columns are separated by commas, semicolons or tabs, not by {found}.", quoted(.header))]
    Delimiter {
        /// The file, as the user gave it.
        file: String,
        /// The header as read.
        header: String,
        /// The delimiter that seems to be used.
        found: &'static str,
    },
    /// Two columns share a name.
    #[error("{file}, line 1: columns {first} and {second} are both named {}. Rename one.", quoted(.name))]
    DuplicateColumn {
        /// The file, as the user gave it.
        file: String,
        /// The name.
        name: String,
        /// Number of the first column, from 1.
        first: usize,
        /// Number of the second column, from 1.
        second: usize,
    },
    /// A row with more or fewer cells than the header.
    #[error("{place}: {} where the header has {expected}. Add or remove cells, or put a cell that contains the delimiter in double quotes.", counted(*found as u64, "cell", "cells"))]
    Ragged {
        /// Where.
        place: Place,
        /// Cells in this row.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A quoted cell that runs to the end of the file.
    #[error(
        "{place}: a double quote opened in this row is never closed. Close it, or double it if it is part of the text."
    )]
    OpenQuote {
        /// Where.
        place: Place,
    },
    /// A column that was asked for does not exist.
    #[error("{file} has no column {} ({role}).{} Its columns are {columns}.", quoted(.name), suggestion(.nearest))]
    NoColumn {
        /// The file, as the user gave it.
        file: String,
        /// The name asked for.
        name: String,
        /// Why it was asked for.
        role: String,
        /// The nearest name there is.
        nearest: Option<String>,
        /// The names there are.
        columns: String,
    },
    /// One column was asked to play two parts.
    #[error("{file}: column {} cannot be {first} and {second} at once. {remedy}", quoted(.name))]
    ColumnTwice {
        /// The file, as the user gave it.
        file: String,
        /// The column.
        name: String,
        /// First part.
        first: &'static str,
        /// Second part.
        second: &'static str,
        /// What to do.
        remedy: String,
    },
    /// A table with too few columns.
    #[error("{file}, line 1: an edges table needs two columns, such as source,target; this one has one.")]
    OneColumn {
        /// The file, as the user gave it.
        file: String,
    },
    /// An empty id.
    #[error("{place}: the id in column {} is empty. Give every node an id.", quoted(.column))]
    EmptyId {
        /// Where.
        place: Place,
        /// The id column.
        column: String,
    },
    /// Two nodes share an id.
    #[error("{place}: id {} is already on line {first}. Remove one of the rows, or rename it.", quoted(.id))]
    DuplicateId {
        /// The second row.
        place: Place,
        /// The id.
        id: String,
        /// Line of the first row.
        first: u64,
    },
    /// The same node is in two parts of the split.
    #[error("{place}: id {} is in {second}, but line {first_line} puts it in {first}. A node may be in one part only: remove one of the rows.", quoted(.id))]
    OverlapRows {
        /// The second row.
        place: Place,
        /// The id.
        id: String,
        /// Part of the first row.
        first: &'static str,
        /// Line of the first row.
        first_line: u64,
        /// Part of the second row.
        second: &'static str,
    },
    /// A split that was handed over as lists, or cannot be made.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// A value of the split column that is none of the three.
    #[error("{cell}: {} is not a part of the split. Allowed: train, valid, test, or an empty cell; or pass {} if the column means something else.", quoted(&.cell.value), ignored(&.cell.column))]
    SplitValue {
        /// Where.
        cell: Box<Cell>,
    },
    /// No training rows.
    #[error(
        "{file}: no row with a label is in train. Mark rows in the split column, or pass {} to have a split made.",
        ignored(.column)
    )]
    EmptyTrain {
        /// The file, as the user gave it.
        file: String,
        /// The split column.
        column: String,
    },
    /// Not enough rows for three parts.
    #[error("{file}: {} are too few for a split into train, valid and test. Label more rows, or add a split column.", counted(*labelled as u64, "labelled row", "labelled rows"))]
    TooFewLabels {
        /// The file, as the user gave it.
        file: String,
        /// Rows with a label.
        labelled: usize,
    },
    /// A class that occurs once cannot be in train and test.
    #[error("{place}: class {} of column {} occurs only on this line, so it cannot be in both train and test. Add rows of this class, empty the cell, or add a split column.", quoted(.class), quoted(.column))]
    LonelyClass {
        /// The only row.
        place: Place,
        /// The class.
        class: String,
        /// The target column.
        column: String,
    },
    /// A class that training never sees.
    #[error("{place}: class {} of column {} is not in train at all. Move a row of this class to train, or empty its cells.", quoted(.class), quoted(.column))]
    ClassNotInTrain {
        /// The first row of the class.
        place: Place,
        /// The class.
        class: String,
        /// The target column.
        column: String,
    },
    /// No labels at all, or one class only.
    #[error("{file}: column {} has {}. Classification needs at least two.", quoted(.column), counted(*classes as u64, "class", "classes"))]
    TooFewClasses {
        /// The file, as the user gave it.
        file: String,
        /// The target column.
        column: String,
        /// How many classes there are.
        classes: usize,
    },
    /// Nearly every row has a class of its own.
    #[error("{file}: column {} has {} different values in {} labelled rows, too many for classes. Pass another {}.", quoted(.column), thousands(*classes as u64), thousands(*labelled as u64), Setting::named("target"))]
    TooManyClasses {
        /// The file, as the user gave it.
        file: String,
        /// The target column.
        column: String,
        /// How many classes there are.
        classes: usize,
        /// Rows with a label.
        labelled: usize,
    },
    /// A target column that cannot be what it should be.
    #[error("{file}: target {} {reason}", quoted(.column))]
    Target {
        /// The file, as the user gave it.
        file: String,
        /// The target column.
        column: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A cell of a target column that is no number, or neither 0 nor 1.
    #[error("{cell}: {} is not {wanted}, but the target is read as {kind}. Correct or empty the cell, or pass another {}.", quoted(&.cell.value), Setting::named("task"))]
    TargetCell {
        /// Where.
        cell: Box<Cell>,
        /// What is allowed.
        wanted: &'static str,
        /// What the target is read as.
        kind: &'static str,
    },
    /// A text cell in one of several target columns.
    #[error("{cell}: {} is text. Of several targets each is 0, 1 or empty, or a number; classes need one target alone.", quoted(&.cell.value))]
    TargetText {
        /// Where.
        cell: Box<Cell>,
    },
    /// A text column with too many values for one column per value.
    #[error("{file}: text column {} has {different} in {}, too many for categories. {remedy} {} to leave it out.", quoted(.column), counted(*rows as u64, "row", "rows"), ignored(.column))]
    TooManyCategories {
        /// The file, as the user gave it.
        file: String,
        /// The column.
        column: String,
        /// How many different values, in words.
        different: String,
        /// Rows of the table.
        rows: usize,
        /// What to do, but for leaving it out.
        remedy: &'static str,
    },
    /// Text in a column of numbers.
    #[error("{cell}: {} is not a number, but the column is one of numbers. Correct the cell, or train with {}.", quoted(&.cell.value), text_instead(&.cell.column))]
    NotANumber {
        /// Where.
        cell: Box<Cell>,
    },
    /// Something else in a column of dates.
    #[error("{cell}: {} is not a date such as 2024-01-31 or 2024-01-31T17:45, but the column is one of dates. Correct the cell, or train with {}.", quoted(&.cell.value), text_instead(&.cell.column))]
    NotADate {
        /// Where.
        cell: Box<Cell>,
    },
    /// NaN or an infinite number.
    #[error("{cell}: {} {}. Correct the cell, or empty it and pass {}.", quoted(&.cell.value), not_usable(&.cell.value), filled())]
    NotFinite {
        /// Where.
        cell: Box<Cell>,
    },
    /// A missing cell.
    #[error("{cell}: the cell is {}. Give a value, or pass {}.", if .cell.value.is_empty() { "empty".to_string() } else { format!("missing ({})", quoted(&.cell.value)) }, filled())]
    Missing {
        /// Where.
        cell: Box<Cell>,
    },
    /// A column without any value.
    #[error("{file}: column {} has no value in any row. Pass {} to leave it out.", quoted(.column), ignored(.column))]
    EmptyColumn {
        /// The file, as the user gave it.
        file: String,
        /// The column.
        column: String,
    },
    /// An edge names a node that is not there.
    #[error("{place}: {end} id {} is not in {nodes_file} ({}). Add the node, or pass {}.", quoted(.id), counted(*nodes as u64, "id", "ids"), Setting::on("add_missing_nodes"))]
    UnknownId {
        /// Where.
        place: Place,
        /// `source` or `target`.
        end: &'static str,
        /// The id.
        id: String,
        /// The nodes table.
        nodes_file: String,
        /// How many ids it has.
        nodes: usize,
    },
    /// An edge of new tables names a node that is neither new nor known.
    #[error("{place}: {end} id {} is {neither}. Add the node, or pass {}.", quoted(.id), Setting::on("add_missing_nodes"))]
    UnknownNewId {
        /// Where.
        place: Place,
        /// `source` or `target`.
        end: &'static str,
        /// The id.
        id: String,
        /// The tables it is not in, with their sizes.
        neither: String,
    },
    /// New tables and those of training share some nodes.
    #[error("{place}: id {} is a node of training too ({known_file}){}. Pass {} if the new tables are a graph by themselves, or {} if their rows take the place of those of training.", quoted(.id), one_of(*.shared), Setting::on("alone"), Setting::on("replace_known"))]
    KnownId {
        /// The first such row.
        place: Place,
        /// The id.
        id: String,
        /// How many ids are in both tables.
        shared: usize,
        /// The nodes table of training.
        known_file: String,
    },
    /// An edge names a row of the feature array that is not there.
    #[error("{place}: {end} id {} is not a row number of {features_file}. Without {}, ids are row numbers from 0 to {last}.", quoted(.id), Setting::named("nodes"))]
    UnknownRow {
        /// Where.
        place: Place,
        /// `source` or `target`.
        end: &'static str,
        /// The id.
        id: String,
        /// The feature array.
        features_file: String,
        /// The last row.
        last: usize,
    },
    /// A weight that is not a number.
    #[error("{cell}: {} {}. Every edge needs a weight.", quoted(&.cell.value), not_usable(&.cell.value))]
    Weight {
        /// Where.
        cell: Box<Cell>,
    },
    /// Two rows of one edge disagree.
    #[error("{place}: the edge {} has weight {second} here and {first} on line {first_line}. {remedy}", .edge)]
    WeightConflict {
        /// The second row.
        place: Place,
        /// Both ends.
        edge: String,
        /// Weight of the first row.
        first: f32,
        /// Line of the first row.
        first_line: u64,
        /// Weight of the second row.
        second: f32,
        /// What to do.
        remedy: String,
    },
    /// The graph could not be built.
    #[error("{file}: {reason}")]
    Graph {
        /// The file, as the user gave it.
        file: String,
        /// What the builder said.
        reason: String,
    },
    /// More rows or cells than can be addressed.
    #[error("{file}: {what}. {remedy}")]
    TooMany {
        /// The file, as the user gave it.
        file: String,
        /// What there is too much of.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// An array file is damaged, or holds something else than is needed.
    #[error("{file}: {reason}")]
    Array {
        /// The file, and the array in it.
        file: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
    /// Something is wrong on a line of a text file.
    #[error("{place}: {reason}")]
    Line {
        /// Where.
        place: Place,
        /// What is wrong, what is allowed and what to do.
        reason: String,
    },
    /// Something is wrong with a cell of a table.
    #[error("{cell}: {reason}")]
    Cell {
        /// Where.
        cell: Box<Cell>,
        /// What is wrong, what is allowed and what to do.
        reason: String,
    },
    /// Several things are wrong: a line for each of the first, then how many more there are. The only text of several lines.
    #[error("{} problems in the data:{}", thousands((problems.len() + more) as u64), lines_of(problems, *more))]
    Several {
        /// The first ones, in the order they were found.
        problems: Vec<DataError>,
        /// How many more there are.
        more: usize,
    },
    /// Numbers handed over by a caller do not fit together.
    #[error("{what}")]
    Mismatch {
        /// What does not fit.
        what: String,
    },
}
