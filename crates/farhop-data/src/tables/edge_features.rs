//! Features of edges: the other columns of an edges table.

use farhop_graph::{Built, NO_EDGE};

use crate::dataset::parts::LOOP;
use crate::dataset::statistics::Moments;
use crate::dataset::{Columns, NumbersOnDisk};
use crate::error::DataError;
use crate::error::filled;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::files::scratch::Scratch;
use crate::formats::table::Table;
use crate::tables::edges::{EdgeTable, SortedEdges};
use crate::tables::features::{Outcome, add_number, allocate, complete_kinds, encode_cell};
use crate::tables::options::{Fill, NodeTableOptions};
use crate::tables::scan::ColumnLook;
use crate::tables::schema::{FeatureColumn, FeatureKind};
use crate::text::{counted, listed, quoted, thousands};

/// Rows that are compared together.
const TOGETHER: usize = 1 << 16;

/// The features of the entries of a graph, and how they were read.
#[derive(Debug, Default)]
pub struct EdgeFeatures {
    /// The columns in the order of their encoding.
    pub columns: Vec<FeatureColumn>,
    /// `[entries, width]`; an edge of an undirected table has the same row in both directions.
    pub features: Columns,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// The columns of an edges table that may be features.
#[derive(Debug, Clone, Copy)]
pub struct EdgeColumns<'a> {
    /// The table.
    pub table: &'a Table,
    /// The graph that its rows became.
    pub built: &'a Built,
    /// The names of the columns that have no other part.
    pub candidates: &'a [String],
}

impl<'a> EdgeColumns<'a> {
    /// Those of a table that was read.
    pub fn of(table: &'a Table, edges: &'a EdgeTable) -> Self {
        EdgeColumns { table, built: &edges.built, candidates: &edges.unused }
    }
}

/// The columns that are to be left out are there.
pub fn check_names(table: &Table, options: &NodeTableOptions) -> Result<(), DataError> {
    let mut problems = Problems::default();
    for name in &options.ignore_edges {
        problems.hear(table.require(name, &format!("passed to {}", Setting::named("ignore_edges"))));
    }
    problems.into_result()
}

/// Decides which columns are features and reads them. Columns of numbers are, and columns of text with few values; a
/// column with cells that cannot be read is left out with a note, so that edges stay readable whatever else a table
/// says about them. Rows that repeat an edge do not count.
pub fn learn(edges: &EdgeColumns<'_>, options: &NodeTableOptions) -> Result<EdgeFeatures, DataError> {
    let EdgeColumns { table, built, candidates } = *edges;
    let chosen = Chosen::of(table, candidates, built.report.rows, options, || {
        let mut rows = FirstRows::new(built);
        move |row| matches!(rows.see(row), RowOf::First(_))
    })?;
    encode(edges, chosen.columns, &chosen.places, chosen.notes)
}

/// Features of edges that lie in a file.
#[derive(Debug)]
pub struct EdgeFeaturesOnDisk {
    /// One row for every row of the table; none if there are no features.
    pub numbers: Option<NumbersOnDisk>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// As [`learn`], of edges whose rows lie in a file.
pub fn learn_on_disk(
    table: &Table,
    edges: &SortedEdges,
    options: &NodeTableOptions,
    scratch: &Scratch,
) -> Result<EdgeFeaturesOnDisk, DataError> {
    let Some(features) = &edges.rows.features else {
        let notes = unused_note(table, edges.unused.iter().collect());
        return Ok(EdgeFeaturesOnDisk { numbers: None, notes });
    };
    let rows = edges.rows.report.rows;
    // The rows that count, a bit each.
    let mut counts = vec![u64::MAX; rows.div_ceil(64)];
    features.each_other(|row, _| {
        counts[row as usize / 64] &= !(1 << (row % 64));
        Ok(())
    })?;
    let bit = |row: usize| counts[row / 64] >> (row % 64) & 1 == 1;
    let Chosen { columns, places, mut notes } = Chosen::of(table, &edges.unused, rows, options, || bit)?;
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    if width == 0 {
        return Ok(EdgeFeaturesOnDisk { numbers: None, notes });
    }
    let mut numbers = scratch.file()?.writer();
    let cells = encode_rows(table, &columns, &places, |_, own| numbers.put_f32(own))?;
    let numbers = NumbersOnDisk::new(table.name(), numbers.finish()?.open_again()?, 0, [rows, width]);
    notes.extend(count_notes(table, &columns, &cells));
    let mut conflicts = Conflicts::default();
    let (mut again, mut first_of) = (Vec::new(), Vec::new());
    let mut compare = |again: &mut Vec<u32>, first_of: &mut Vec<u32>| -> Result<(), DataError> {
        let (own, first) = (numbers.gather(again)?, numbers.gather(first_of)?);
        for ((own, first), &row) in own.chunks_exact(width).zip(first.chunks_exact(width)).zip(&*again) {
            if own != first {
                conflicts.add(row as usize);
            }
        }
        again.clear();
        first_of.clear();
        Ok(())
    };
    features.each_other(|row, first| {
        if first != LOOP {
            again.push(row);
            first_of.push(first);
        }
        if again.len() == TOGETHER { compare(&mut again, &mut first_of) } else { Ok(()) }
    })?;
    compare(&mut again, &mut first_of)?;
    notes.extend(conflicts.note(table, options.directed));
    Ok(EdgeFeaturesOnDisk { numbers: Some(numbers), notes })
}

/// The columns that are features, complete.
struct Chosen {
    columns: Vec<FeatureColumn>,
    places: Vec<usize>,
    notes: Vec<String>,
}

impl Chosen {
    /// Those of a table with so many rows; `first_rows` says of row after row whether it is the first of its edge.
    fn of<C: FnMut(usize) -> bool>(
        table: &Table,
        candidates: &[String],
        rows: usize,
        options: &NodeTableOptions,
        first_rows: impl FnOnce() -> C,
    ) -> Result<Self, DataError> {
        check_names(table, options)?;
        let (ignored, candidates): (Vec<&String>, Vec<&String>) =
            candidates.iter().partition(|name| options.ignore_edges.contains(name) || rows == 0);
        let numbers: Vec<usize> = candidates.iter().filter_map(|name| table.column(name)).collect();
        let mut notes = unused_note(table, ignored);
        let mut columns = Vec::new();
        let mut places = Vec::new();
        for (look, &column) in looks(table, &numbers, options.most_categories)?.into_iter().zip(&numbers) {
            let name = table.header()[column].clone();
            match kind_of(look, rows, options) {
                Ok(kind) => {
                    columns.push(FeatureColumn { name, kind });
                    places.push(column);
                }
                Err(reason) => {
                    notes.push(format!("column {} of {} is not used: {reason}", quoted(&name), table.name()));
                }
            }
        }
        // Mean, shift, scale and fill are of all edges.
        let mut moments = vec![Moments::default(); columns.len()];
        let mut is_first = first_rows();
        let mut walk = table.rows();
        while let Some(row) = walk.next_row()? {
            if is_first(row.index) {
                for ((moments, kept), &column) in moments.iter_mut().zip(&columns).zip(&places) {
                    add_number(moments, &kept.kind, row.cell(column));
                }
            }
        }
        complete_kinds(&mut columns, &moments, options);
        Ok(Chosen { columns, places, notes })
    }
}

/// Reads the columns that a schema names; `fill` replaces its rule for missing cells.
pub fn apply(
    edges: &EdgeColumns<'_>,
    columns: &[FeatureColumn],
    fill: Option<Fill>,
) -> Result<EdgeFeatures, DataError> {
    let table = edges.table;
    let mut kept = columns.to_vec();
    let mut places = Vec::with_capacity(kept.len());
    let mut problems = Problems::default();
    for column in &mut kept {
        places.extend(problems.hear(table.require(&column.name, "a feature of edges that the model was trained on")));
        if let Some(fill) = fill {
            column.kind = column.kind.with_fill(fill);
        }
    }
    problems.into_result()?;
    let known = |name: &&String| columns.iter().all(|column| column.name != **name);
    let notes = unused_note(table, edges.candidates.iter().filter(known).collect());
    encode(edges, kept, &places, notes)
}

pub(super) fn unused_note(table: &Table, names: Vec<&String>) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let names = listed(names.into_iter().map(String::as_str));
    vec![format!("columns of {} that are not used: {names}", table.name())]
}

fn looks(table: &Table, columns: &[usize], most: usize) -> Result<Vec<ColumnLook>, DataError> {
    let mut looks = Vec::new();
    looks.resize_with(columns.len(), ColumnLook::default);
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        for (look, &column) in looks.iter_mut().zip(columns) {
            look.see(row.cell(column), most);
        }
    }
    Ok(looks)
}

/// The kind of a column without its statistics, or why it cannot be a feature.
fn kind_of(look: ColumnLook, rows: usize, options: &NodeTableOptions) -> Result<FeatureKind, String> {
    let fill = options.fill != Fill::Error;
    let empty = |cells: usize| {
        let cells = counted(cells as u64, "missing cell", "missing cells");
        format!("{cells}. Pass {} to use it", filled())
    };
    if look.empty == rows {
        return Err("it has no value in any row".to_string());
    }
    if let Some(kind) = look.counted_kind(rows) {
        let dates = matches!(kind, FeatureKind::Number { dates: true, .. });
        let (of_kind, not_finite) = if dates { (look.dates, 0) } else { (look.numbers, look.not_finite) };
        let text = rows - look.missing_numbers - of_kind;
        let beside = if dates { "no date beside dates" } else { "no number beside numbers" };
        return match (text, not_finite, look.missing_numbers) {
            (1.., ..) => Err(format!("{} {beside}", counted(text as u64, "cell is", "cells are"))),
            (_, 1.., _) => Err(format!("{} no finite number", counted(not_finite as u64, "cell is", "cells are"))),
            (.., 1..) if !fill => Err(empty(look.missing_numbers)),
            _ => Ok(kind),
        };
    }
    // As for nodes: a column of names has nearly as many values as rows.
    if look.many || (rows >= 20 && look.values.len() * 2 > rows) {
        let values = if look.many { options.most_categories } else { look.values.len() };
        let more = if look.many { "more than " } else { "" };
        return Err(format!("{more}{} different texts are too many for categories", thousands(values as u64)));
    }
    if look.empty > 0 && !fill {
        return Err(empty(look.empty));
    }
    let mut values: Vec<String> = look.values.into_iter().collect();
    values.sort_unstable();
    Ok(FeatureKind::Category { values, allow_missing: fill })
}

/// The edge of each row: the entry of the row if it is the first row of its edge.
struct FirstRows<'a> {
    built: &'a Built,
    seen: Vec<bool>,
}

enum RowOf {
    /// Joins a node to itself.
    Loop,
    /// The first row of the edge of this entry.
    First(usize),
    /// Another row of the edge of this entry.
    Again(usize),
}

impl<'a> FirstRows<'a> {
    fn new(built: &'a Built) -> Self {
        FirstRows { built, seen: vec![false; built.graph.entries()] }
    }

    fn see(&mut self, row: usize) -> RowOf {
        let entry = self.built.entry_of_row[row];
        if entry == NO_EDGE {
            return RowOf::Loop;
        }
        let graph = &self.built.graph;
        let edge = if graph.is_directed() { entry } else { entry.min(graph.reverse()[entry as usize]) };
        match std::mem::replace(&mut self.seen[edge as usize], true) {
            false => RowOf::First(entry as usize),
            true => RowOf::Again(entry as usize),
        }
    }
}

fn encode(
    edges: &EdgeColumns<'_>,
    columns: Vec<FeatureColumn>,
    places: &[usize],
    mut notes: Vec<String>,
) -> Result<EdgeFeatures, DataError> {
    let table = edges.table;
    let width: usize = columns.iter().map(|column| column.kind.width()).sum();
    if width == 0 {
        return Ok(EdgeFeatures { columns, features: Columns::none(), notes });
    }
    let graph = &edges.built.graph;
    let mut features = allocate(table, graph.entries(), width, "entries")?;
    let mut conflicts = Conflicts::default();
    let mut first_rows = FirstRows::new(edges.built);
    let counts = encode_rows(table, &columns, places, |row, own| {
        match first_rows.see(row) {
            RowOf::Loop => {}
            RowOf::First(entry) => {
                features[entry * width..][..width].copy_from_slice(own);
                if !graph.is_directed() {
                    features[graph.reverse()[entry] as usize * width..][..width].copy_from_slice(own);
                }
            }
            RowOf::Again(entry) => {
                if features[entry * width..][..width] != own[..] {
                    conflicts.add(row);
                }
            }
        }
        Ok(())
    })?;
    notes.extend(count_notes(table, &columns, &counts));
    notes.extend(conflicts.note(table, graph.is_directed()));
    Ok(EdgeFeatures { columns, features: Columns::dense(width, features), notes })
}

/// Gives the numbers of every row to `each`. For every column: cells that were never seen before, and cells that were filled.
fn encode_rows(
    table: &Table,
    columns: &[FeatureColumn],
    places: &[usize],
    mut each: impl FnMut(usize, &[f32]) -> Result<(), DataError>,
) -> Result<Vec<[u64; 2]>, DataError> {
    let mut own = vec![0.0; columns.iter().map(|column| column.kind.width()).sum()];
    let mut counts = vec![[0u64; 2]; columns.len()];
    let mut problems = Problems::default();
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        own.fill(0.0);
        let mut place = 0;
        for ((column, &cell), counts) in columns.iter().zip(places).zip(&mut counts) {
            let end = place + column.kind.width();
            match encode_cell(&row, cell, &column.kind, &mut own[place..end]) {
                Ok(Outcome::Encoded) => {}
                Ok(Outcome::Unseen) => counts[0] += 1,
                Ok(Outcome::Filled) => counts[1] += 1,
                Err(wrong) => problems.add(|| wrong.at(&row, cell)),
            }
            place = end;
        }
        each(row.index, &own)?;
    }
    problems.into_result()?;
    Ok(counts)
}

/// Rows that repeat an edge with other values.
#[derive(Default)]
struct Conflicts {
    count: u64,
    first: Option<usize>,
}

impl Conflicts {
    fn add(&mut self, row: usize) {
        self.count += 1;
        self.first = Some(self.first.map_or(row, |first| first.min(row)));
    }

    fn note(self, table: &Table, directed: bool) -> Option<String> {
        let line = table.place_of_row(self.first?).line;
        let differ = || format!(" Pass {} if the two directions of an edge differ.", Setting::on("directed"));
        let remedy = if directed { String::new() } else { differ() };
        Some(format!(
            "{}: {} an edge with other values than its first row, such as line {line}; the first row counts.{remedy}",
            table.name(),
            counted(self.count, "row repeats", "rows repeat")
        ))
    }
}

/// What to say about cells that were filled or never seen before.
fn count_notes(table: &Table, columns: &[FeatureColumn], counts: &[[u64; 2]]) -> Vec<String> {
    let mut notes = Vec::new();
    for (column, &[unseen, filled]) in columns.iter().zip(counts) {
        let name = quoted(&column.name);
        if matches!(column.kind, FeatureKind::Number { dates: true, .. }) {
            notes.push(format!("column {name} of {}: dates are read as days since 1970-01-01", table.name()));
        }
        if filled > 0 {
            let cells = counted(filled, "missing cell", "missing cells");
            notes.push(format!("column {name} of {}: {cells} filled", table.name()));
        }
        if unseen > 0 {
            let cells = counted(unseen, "cell has", "cells have");
            notes.push(format!(
                "column {name} of {}: {cells} a category that training never saw; encoded as none of the known ones",
                table.name()
            ));
        }
    }
    notes
}
