//! Tables of molecules: a column of SMILES and what is to be predicted.
//!
//! CSV and TSV tables (compressed or not) have a header. In `.smi` and `.txt` files every line is a SMILES, perhaps followed by
//! white space and a name; there are no targets. Every molecule becomes a graph with the atom and bond categories of OGB.

use std::path::Path;

use farhop_graph::{Direction, GraphSet};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::dataset::{Columns, Dataset, Level, Target};
use crate::entry_rows::{build_graph, spread};
use crate::error::DataError;
use crate::options::SplitChoice;
use crate::place::{Cell, Place};
use crate::smiles::{self, ATOM_SIZES, BOND_SIZES, Molecule, SmilesError};
use crate::source::SourceFile;
use crate::split::{Part, Split, SplitFractions};
use crate::table::Table;
use crate::target_cells::{TargetCells, TargetSchema};
use crate::target_kind::TargetKind;
use crate::task::{chosen_split, usual_metric};
use crate::text::{counted, quoted, thousands};
use crate::text_file::TextFile;

const EXAMPLE: &str = "smiles,target";
/// How many molecules that were left out are listed.
const MOST_LISTED: usize = 20;

/// How to read a table of molecules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MoleculeOptions {
    /// The column of SMILES. Default: the one named `smiles`, whatever its case.
    pub smiles: Option<String>,
    /// The columns to predict. Without any there is no target and no split.
    pub targets: Vec<String>,
    /// The column of ids. Default: row numbers from 0.
    pub id: Option<String>,
    /// The column that says train, valid or test. Default: the one named `split`; without it a seeded split.
    pub split: Option<String>,
    /// What the targets are. Default: 0 and 1 are answers, other numbers are numbers, text is classes.
    pub task: Option<TargetKind>,
    /// Shares of a seeded split.
    pub fractions: SplitFractions,
    /// Seed of a seeded split.
    pub seed: u64,
    /// Leave out molecules that cannot be read, and say so in the notes; otherwise the first one is an error.
    pub skip_bad: bool,
}

/// How a table of molecules was read: what `predict` needs to read new ones the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoleculeSchema {
    /// The column of SMILES.
    pub smiles: String,
    /// The column of ids.
    pub id: Option<String>,
    /// The column that says train, valid or test.
    pub split: Option<String>,
    /// The targets; `None` if there were none.
    pub target: Option<TargetSchema>,
}

/// A table of molecules that was read.
#[derive(Debug, Clone)]
pub struct MoleculeTable {
    /// The molecules, a graph each.
    pub dataset: Dataset,
    /// How the table was read.
    pub schema: MoleculeSchema,
    /// For each graph the row of the table it came from, from 0; rows that were left out are missing.
    pub rows: Vec<usize>,
}

impl MoleculeTable {
    /// Reads a table for training.
    ///
    /// # Errors
    /// Names file, line, and the place in the SMILES of the first molecule that cannot be read.
    pub fn load(path: &Path, options: &MoleculeOptions) -> Result<MoleculeTable, DataError> {
        let source = Source::open(path)?;
        let columns = source.find(options)?;
        let cells = source.cells(&columns)?;
        let read = Read::of(&source, cells, options.skip_bad)?;
        let (target, target_schema) = match columns.targets.is_empty() {
            true => (Target::Number { values: Vec::new(), names: Vec::new() }, None),
            false => {
                let (target, schema) =
                    read.target_cells(&source, &columns, |cells| cells.decide(options.task, TargetKind::Numbers))?;
                (target, Some(schema))
            }
        };
        let split = read.split(&source, &columns, &target, options)?;
        let name = |column: Option<usize>| column.map(|column| source.header(column));
        let schema = MoleculeSchema {
            smiles: source.header(columns.smiles),
            id: name(columns.id),
            split: name(columns.split),
            target: target_schema,
        };
        read.finish(&source, target, split, schema)
    }

    /// Reads new molecules as `schema` says. Targets and split need not be there; targets that are missing are unknown.
    pub fn load_with_schema(path: &Path, schema: &MoleculeSchema, skip_bad: bool) -> Result<MoleculeTable, DataError> {
        let source = Source::open(path)?;
        let columns = source.find_again(schema)?;
        let cells = source.cells(&columns)?;
        let mut read = Read::of(&source, cells, skip_bad)?;
        let rows = read.rows.len();
        let target = match &schema.target {
            None => Target::Number { values: Vec::new(), names: Vec::new() },
            Some(target) if columns.targets.is_empty() => unknown_target(target, rows),
            Some(target) => {
                let (target, unknown) = read.target_cells(&source, &columns, |cells| cells.apply(target))?;
                if unknown > 0 {
                    let molecules = counted(unknown, "molecule has", "molecules have");
                    read.notes
                        .push(format!("{molecules} a class that the model does not know; left out of the scores"));
                }
                target
            }
        };
        let split = match columns.split {
            Some(_) => read.split(&source, &columns, &target, &MoleculeOptions::default()).unwrap_or_default(),
            None => Split::default(),
        };
        read.finish(&source, target, split, schema.clone())
    }
}

fn unknown_target(schema: &TargetSchema, rows: usize) -> Target {
    let names = schema.names.clone();
    let values = vec![f32::NAN; rows * names.len()];
    match schema.task {
        TargetKind::Classes => Target::Class { labels: vec![None; rows], classes: names },
        TargetKind::Labels => Target::Binary { values, names },
        TargetKind::Numbers => Target::Number { values, names },
    }
}

/// Where molecules come from.
enum Source {
    Table(Table),
    /// A SMILES on each line.
    Lines(TextFile),
}

/// Column numbers.
struct Found {
    smiles: usize,
    id: Option<usize>,
    split: Option<usize>,
    targets: Vec<usize>,
}

/// The cells that are needed, row after row.
#[derive(Default)]
struct Cells {
    smiles: Vec<String>,
    ids: Vec<String>,
    parts: Vec<Option<Part>>,
    /// `[rows, targets]`.
    targets: Vec<String>,
    /// Of lines: the line of each row.
    lines: Vec<u64>,
}

impl Source {
    fn open(path: &Path) -> Result<Source, DataError> {
        let lower = path.display().to_string().to_lowercase();
        let plain = lower.strip_suffix(".gz").unwrap_or(&lower);
        if [".smi", ".smiles", ".txt"].iter().any(|end| plain.ends_with(end)) {
            return TextFile::open(path).map(Source::Lines);
        }
        Table::open(path, EXAMPLE).map(Source::Table)
    }

    fn name(&self) -> &str {
        match self {
            Source::Table(table) => table.name(),
            Source::Lines(file) => file.name(),
        }
    }

    fn source(&self) -> &SourceFile {
        match self {
            Source::Table(table) => table.source(),
            Source::Lines(file) => file.source(),
        }
    }

    fn header(&self, column: usize) -> String {
        match self {
            Source::Table(table) => table.header().get(column).cloned().unwrap_or_default(),
            Source::Lines(_) => ["smiles", "name"].get(column).unwrap_or(&"").to_string(),
        }
    }

    fn find(&self, options: &MoleculeOptions) -> Result<Found, DataError> {
        let Source::Table(table) = self else {
            return match options.targets.first().or(options.split.as_ref()) {
                None => Ok(Found { smiles: 0, id: Some(1), split: None, targets: Vec::new() }),
                Some(name) => Err(DataError::Array {
                    file: self.name().to_string(),
                    reason: format!("a file of SMILES alone has no column {}. Use a CSV table.", quoted(name)),
                }),
            };
        };
        let named = |name: &str| table.header().iter().position(|column| column.eq_ignore_ascii_case(name));
        let smiles = match &options.smiles {
            Some(name) => table.require(name, "the SMILES")?,
            None => named("smiles").map_or_else(|| table.require("smiles", "the SMILES"), Ok)?,
        };
        let role = |name: &String, role| table.require(name, role);
        let targets: Vec<usize> =
            options.targets.iter().map(|name| role(name, "a target")).collect::<Result<_, _>>()?;
        let id = options.id.as_ref().map(|name| role(name, "the id column")).transpose()?;
        let free = |column: &usize| *column != smiles && Some(*column) != id && !targets.contains(column);
        let split = match &options.split {
            Some(name) => Some(role(name, "the split")?),
            None => named("split").filter(free),
        };
        for (number, &target) in targets.iter().enumerate() {
            let twice = targets[..number].contains(&target) || target == smiles || Some(target) == split;
            if twice {
                return Err(DataError::ColumnTwice {
                    file: table.name().to_string(),
                    name: table.header()[target].clone(),
                    first: "a target",
                    second: "something else",
                    remedy: "Name it once.",
                });
            }
        }
        Ok(Found { smiles, id, split, targets })
    }

    fn find_again(&self, schema: &MoleculeSchema) -> Result<Found, DataError> {
        let Source::Table(table) = self else {
            return Ok(Found { smiles: 0, id: Some(1), split: None, targets: Vec::new() });
        };
        let optional = |name: &Option<String>| name.as_ref().and_then(|name| table.column(name));
        let columns = schema.target.as_ref().map_or(&[][..], |target| &target.columns);
        let found: Vec<usize> = columns.iter().filter_map(|name| table.column(name)).collect();
        Ok(Found {
            smiles: table.require(&schema.smiles, "the SMILES")?,
            id: optional(&schema.id),
            split: optional(&schema.split),
            targets: if found.len() == columns.len() { found } else { Vec::new() },
        })
    }

    fn cells(&self, columns: &Found) -> Result<Cells, DataError> {
        let mut cells = Cells::default();
        match self {
            Source::Table(table) => {
                let mut rows = table.rows();
                while let Some(row) = rows.next_row()? {
                    cells.smiles.push(row.cell(columns.smiles).to_string());
                    cells.ids.extend(columns.id.map(|column| row.cell(column).to_string()));
                    cells.targets.extend(columns.targets.iter().map(|&column| row.cell(column).to_string()));
                    if let Some(column) = columns.split {
                        let text = row.cell(column);
                        let part = Part::from_name(text);
                        if part.is_none() && !text.is_empty() {
                            return Err(DataError::SplitValue { cell: row.named_cell(column) });
                        }
                        cells.parts.push(part);
                    }
                }
            }
            Source::Lines(file) => {
                file.text()?;
                for (number, line) in file.lines().filter(|(_, line)| !line.is_empty() && line[0] != b'#') {
                    let text = String::from_utf8_lossy(line);
                    let (smiles, name) = match text.split_once(char::is_whitespace) {
                        // What starts with a bar belongs to the SMILES.
                        Some((smiles, rest)) if !rest.trim_start().starts_with('|') => (smiles, rest.trim()),
                        _ => (&*text, ""),
                    };
                    cells.smiles.push(smiles.to_string());
                    cells.ids.push(name.to_string());
                    cells.lines.push(number);
                }
                if cells.ids.iter().any(String::is_empty) {
                    cells.ids.clear();
                }
            }
        }
        if cells.smiles.is_empty() {
            return Err(DataError::NoRows { file: self.name().to_string() });
        }
        Ok(cells)
    }

    fn place(&self, cells: &Cells, row: usize) -> Place {
        match self {
            Source::Table(table) => table.place_of_row(row),
            Source::Lines(file) => file.place(cells.lines.get(row).copied().unwrap_or(1)),
        }
    }
}

/// Molecules that were read, and the cells beside them.
struct Read {
    cells: Cells,
    /// The row of every molecule.
    rows: Vec<usize>,
    molecules: Vec<Molecule>,
    notes: Vec<String>,
}

impl Read {
    fn of(source: &Source, cells: Cells, skip_bad: bool) -> Result<Read, DataError> {
        let parsed: Vec<Result<Molecule, SmilesError>> =
            cells.smiles.par_iter().map(|smiles| smiles::parse(smiles)).collect();
        let total = parsed.len();
        let (mut rows, mut molecules, mut bad) = (Vec::with_capacity(total), Vec::with_capacity(total), Vec::new());
        for (row, outcome) in parsed.into_iter().enumerate() {
            match outcome {
                Ok(molecule) => {
                    rows.push(row);
                    molecules.push(molecule);
                }
                Err(error) if skip_bad => bad.push((row, error)),
                Err(error) => return Err(bad_molecule(source, &cells, row, &error)),
            }
        }
        if molecules.is_empty() {
            return Err(DataError::Array {
                file: source.name().to_string(),
                reason: format!(
                    "none of the {} could be read. Is it the right column?",
                    counted(total as u64, "molecule", "molecules")
                ),
            });
        }
        let mut notes = Vec::new();
        if !bad.is_empty() {
            let all = thousands(total as u64);
            notes.push(format!("{} of {all} molecules left out:", thousands(bad.len() as u64)));
            notes.extend(bad.iter().take(MOST_LISTED).map(|(row, error)| {
                format!("{}, character {}: {}", source.place(&cells, *row), error.column(), error.reason())
            }));
            if bad.len() > MOST_LISTED {
                notes.push(format!("and {} more", thousands((bad.len() - MOST_LISTED) as u64)));
            }
        }
        Ok(Read { cells, rows, molecules, notes })
    }

    /// Hands the target cells of the molecules that were read to `read`.
    fn target_cells<T>(
        &self,
        source: &Source,
        columns: &Found,
        read: impl FnOnce(TargetCells<'_>) -> Result<T, DataError>,
    ) -> Result<T, DataError> {
        let width = columns.targets.len();
        let cells = self.rows.iter().flat_map(|&row| &self.cells.targets[row * width..(row + 1) * width]).cloned();
        let locate = |row: usize, column: usize| {
            let row = self.rows.get(row).copied().unwrap_or(0);
            let place = source.place(&self.cells, row);
            let name = columns.targets.get(column).map(|&column| source.header(column)).unwrap_or_default();
            let value = self.cells.targets.get(row * width + column).cloned().unwrap_or_default();
            Box::new(Cell { file: place.file, line: place.line, column: name, value })
        };
        let names = columns.targets.iter().map(|&column| source.header(column)).collect();
        read(TargetCells { columns: names, cells: cells.collect(), locate: &locate })
    }

    fn split(
        &self,
        source: &Source,
        columns: &Found,
        target: &Target,
        options: &MoleculeOptions,
    ) -> Result<Split, DataError> {
        let rows = self.rows.len();
        if target.outputs() == 0 {
            return Ok(Split::default());
        }
        let Some(column) = columns.split else {
            let choice = SplitChoice::Automatic { fractions: options.fractions, seed: options.seed };
            return chosen_split(rows, target, &choice);
        };
        let parts: Vec<Option<Part>> =
            self.rows.iter().map(|&row| self.cells.parts.get(row).copied().flatten()).collect();
        let known: Vec<Option<u32>> = (0..rows).map(|row| target.is_known(row).then_some(0)).collect();
        let split = Split::from_parts(&parts, &known);
        if split.train.is_empty() {
            return Err(DataError::EmptyTrain { file: source.name().to_string(), column: source.header(column) });
        }
        Ok(split)
    }

    fn finish(
        self,
        source: &Source,
        target: Target,
        split: Split,
        schema: MoleculeSchema,
    ) -> Result<MoleculeTable, DataError> {
        let Read { cells, rows, molecules, notes } = self;
        let (graphs, nodes, edges) = joined(source.name(), &molecules)?;
        let ids = match cells.ids.is_empty() {
            false => rows.iter().map(|&row| cells.ids[row].clone()).collect(),
            true if rows.len() < cells.smiles.len() => rows.iter().map(usize::to_string).collect(),
            true => Vec::new(),
        };
        let metric = usual_metric(&target);
        let dataset = Dataset {
            name: source.name().to_string(),
            graphs,
            nodes,
            edges,
            level: Level::Graph,
            target,
            split,
            metric,
            ids,
            notes,
            sources: vec![source.source().clone()],
        };
        Ok(MoleculeTable { dataset: dataset.check()?, schema, rows })
    }
}

fn bad_molecule(source: &Source, cells: &Cells, row: usize, error: &SmilesError) -> DataError {
    let smiles = quoted(&cells.smiles[row]);
    let (column, reason) = (error.column(), error.reason());
    DataError::Line {
        place: source.place(cells, row),
        reason: format!("SMILES {smiles}, character {column}: {reason} Or pass --skip-bad-molecules to leave it out."),
    }
}

/// Molecules as graphs with the categories of OGB: the graphs, their atoms, and both directions of their bonds.
///
/// # Errors
/// More atoms or bonds than `u32` counts.
pub fn joined(name: &str, molecules: &[Molecule]) -> Result<(GraphSet, Columns, Columns), DataError> {
    let mut offsets = vec![0usize];
    let mut rows = Vec::with_capacity(molecules.iter().map(|molecule| molecule.bonds.len()).sum());
    let mut bonds: Vec<u16> = Vec::with_capacity(3 * rows.capacity());
    let mut nodes = 0;
    for molecule in molecules {
        for ([begin, end], features) in &molecule.bonds {
            // Beyond 32 bits the builder refuses the number of nodes.
            let start = nodes as u32;
            rows.push((start.wrapping_add(*begin), start.wrapping_add(*end)));
            bonds.extend(features.iter().map(|&feature| u16::from(feature)));
        }
        nodes += molecule.atoms.len();
        offsets.push(nodes);
    }
    let built = build_graph(name, nodes, &rows, Direction::Undirected)?;
    let bonds = spread(&built, BOND_SIZES.len(), &bonds, 0).values;
    let atoms = molecules.iter().flat_map(|molecule| molecule.atoms.iter().flatten());
    let atoms: Vec<u16> = atoms.map(|&feature| u16::from(feature)).collect();
    let graphs = GraphSet::new(built.graph, offsets)
        .map_err(|error| DataError::Graph { file: name.to_string(), reason: error.to_string() })?;
    Ok((graphs, Columns::categories(ATOM_SIZES.to_vec(), atoms), Columns::categories(BOND_SIZES.to_vec(), bonds)))
}
