//! Molecules that were read, with their targets and split.

use rayon::prelude::*;

use super::source::{Cells, MoleculeColumns, Source};
use super::{MoleculeOptions, MoleculeSchema, MoleculeTable, joined};
use crate::dataset::split::{Part, Split};
use crate::dataset::split_choice::TableSplit;
use crate::dataset::{Dataset, Level, Target};
use crate::error::DataError;
use crate::error::place::Place;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::molecules::smiles::{self, Molecule, MolfileError, SmilesError};
use crate::tables::options::SplitChoice;
use crate::tables::schema::TargetColumn;
use crate::tables::targets::{TargetCells, TargetColumns};
use crate::text::{counted, quoted, thousands};

/// How many molecules that were left out are listed.
const MOST_LISTED: usize = 20;

/// Molecules that were read, and the cells beside them.
pub(super) struct ReadMolecules {
    cells: Cells,
    /// The row of every molecule.
    rows: Vec<usize>,
    molecules: Vec<Molecule>,
    notes: Vec<String>,
    /// What is wrong with the table; nothing will come of it if there is anything.
    problems: Problems,
}

/// Why a cell is no molecule.
enum Bad {
    Empty,
    Smiles(SmilesError),
    Molfile(MolfileError),
}

impl Bad {
    /// Says so, and what to do.
    fn reason(&self, smiles: &str) -> String {
        match self {
            Bad::Empty => "the SMILES is empty. Give one.".to_string(),
            Bad::Smiles(error) => {
                format!("SMILES {}, character {}: {}", quoted(smiles), error.column(), error.reason())
            }
            Bad::Molfile(error) => error.reason.clone(),
        }
    }

    /// Where the problem is, in a molecule that begins at `start`.
    fn place(&self, start: Place) -> Place {
        match self {
            Bad::Molfile(error) => Place { line: start.line + error.line as u64, ..start },
            Bad::Empty | Bad::Smiles(_) => start,
        }
    }
}

fn parse(smiles: &str) -> Result<Molecule, Bad> {
    if smiles.is_empty() { Err(Bad::Empty) } else { smiles::parse(smiles).map_err(Bad::Smiles) }
}

impl ReadMolecules {
    pub fn of(source: &Source, columns: &MoleculeColumns, skip_bad: bool) -> Result<ReadMolecules, DataError> {
        let mut problems = Problems::default();
        let cells = source.cells(columns, &mut problems)?;
        let parse = |text: &String| match source {
            Source::Sdf(_) => smiles::parse_molfile(text).map_err(Bad::Molfile),
            _ => parse(text),
        };
        let parsed: Vec<Result<Molecule, Bad>> = cells.smiles.par_iter().map(parse).collect();
        let total = parsed.len();
        let (mut rows, mut molecules, mut bad) = (Vec::with_capacity(total), Vec::with_capacity(total), Vec::new());
        for (row, outcome) in parsed.into_iter().enumerate() {
            match outcome {
                Ok(molecule) => {
                    rows.push(row);
                    molecules.push(molecule);
                }
                Err(error) => bad.push((row, error)),
            }
        }
        if !skip_bad {
            for (row, error) in bad.drain(..) {
                problems.add(|| DataError::Line {
                    place: error.place(source.place(&cells, row)),
                    reason: format!(
                        "{} Or pass {} to leave it out.",
                        error.reason(&cells.smiles[row]),
                        Setting::on("skip_bad_molecules")
                    ),
                });
            }
        }
        if molecules.is_empty() && problems.is_empty() {
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
                let place = error.place(source.place(&cells, *row));
                match error {
                    Bad::Empty => format!("{place}: the SMILES is empty"),
                    Bad::Smiles(error) => format!("{place}, character {}: {}", error.column(), error.reason()),
                    Bad::Molfile(error) => format!("{place}: {}", error.reason),
                }
            }));
            if bad.len() > MOST_LISTED {
                notes.push(format!("and {} more", thousands((bad.len() - MOST_LISTED) as u64)));
            }
        }
        notes.extend(source.note());
        Ok(ReadMolecules { cells, rows, molecules, notes, problems })
    }

    /// What a step gave; if anything is wrong with the table, everything that is.
    fn unless_problems<T>(&mut self, step: Result<T, DataError>) -> Result<T, DataError> {
        let mut problems = std::mem::take(&mut self.problems);
        match (problems.is_empty(), step) {
            (true, step) => step,
            (false, step) => {
                problems.hear(step);
                Err(problems.into_error())
            }
        }
    }

    /// The target and the split of training.
    pub fn learn(
        &mut self,
        source: &Source,
        columns: &MoleculeColumns,
        options: &MoleculeOptions,
    ) -> Result<(Target, Split, Option<TargetColumn>), DataError> {
        let mut notes = Vec::new();
        let (cells, place) = (self.target_cells(columns), self.place(source));
        let rows = TargetColumns { file: source.name(), columns: &cells, rows: self.rows.len(), place: &place };
        let learned = rows.learn(options.task, Level::Graph, &mut notes);
        drop(place);
        let (target, kept) = self.unless_problems(learned)?;
        let place = self.place(source);
        let split = match &kept {
            None => Split::default(),
            Some(kept) => {
                let parts = self.parts();
                let choice = SplitChoice::Automatic { fractions: options.fractions, seed: options.seed };
                self.table_split(source, columns, &kept.name, &target, &parts, &place).learn(&choice, &mut notes)?.0
            }
        };
        drop(place);
        self.notes.extend(notes);
        Ok((target, split, kept))
    }

    /// The target and the split of new molecules.
    pub fn apply(
        &mut self,
        source: &Source,
        columns: &MoleculeColumns,
        schema: &MoleculeSchema,
    ) -> Result<(Target, Split), DataError> {
        let (cells, place) = (self.target_cells(columns), self.place(source));
        let rows = TargetColumns { file: source.name(), columns: &cells, rows: self.rows.len(), place: &place };
        let applied = rows.apply(schema.target.as_ref());
        drop(place);
        let (target, unknown) = self.unless_problems(applied)?;
        let place = self.place(source);
        let parts = self.parts();
        let split = self.table_split(source, columns, "", &target, &parts, &place).apply();
        drop(place);
        if unknown > 0 {
            let molecules = counted(unknown, "molecule has", "molecules have");
            self.notes.push(format!("{molecules} a class that the model does not know; left out of the scores"));
        }
        Ok((target, split.map(|(split, _)| split).unwrap_or_default()))
    }

    /// The target cells of the molecules that were read.
    fn target_cells(&self, columns: &MoleculeColumns) -> Vec<TargetCells> {
        let width = columns.targets.len();
        let of = |(place, (name, column)): (usize, &(String, Option<usize>))| {
            let mut cells = TargetCells::of(name, *column);
            for &row in &self.rows {
                cells.see(self.cells.targets.get(row * width + place).map_or("", String::as_str));
            }
            cells
        };
        columns.targets.iter().enumerate().map(of).collect()
    }

    fn place<'a>(&'a self, source: &'a Source) -> impl Fn(usize) -> Place + 'a {
        |molecule| source.place(&self.cells, self.rows.get(molecule).copied().unwrap_or(0))
    }

    fn parts(&self) -> Vec<Option<Part>> {
        self.rows.iter().map(|&row| self.cells.parts.get(row).copied().flatten()).collect()
    }

    fn table_split<'a>(
        &self,
        source: &'a Source,
        columns: &MoleculeColumns,
        column: &'a str,
        target: &'a Target,
        parts: &'a [Option<Part>],
        place: &'a dyn Fn(usize) -> Place,
    ) -> TableSplit<'a> {
        let marked = columns.split.map(|column| (source.header(column), parts));
        TableSplit { file: source.name(), column, target, rows: self.rows.len(), marked, place }
    }

    pub fn finish(
        self,
        source: &Source,
        target: Target,
        split: Split,
        schema: MoleculeSchema,
    ) -> Result<MoleculeTable, DataError> {
        let ReadMolecules { cells, rows, molecules, notes, .. } = self;
        let (graphs, nodes, edges) = joined(source.name(), &molecules)?;
        let ids = match cells.ids.is_empty() {
            false => rows.iter().map(|&row| cells.ids[row].clone()).collect(),
            true if rows.len() < cells.smiles.len() => rows.iter().map(usize::to_string).collect(),
            true => Vec::new(),
        };
        let dataset = Dataset {
            nodes,
            edges,
            split,
            ids,
            notes,
            sources: vec![source.source().clone()],
            ..Dataset::new(source.name(), graphs, Level::Graph, target)
        };
        Ok(MoleculeTable { dataset: dataset.check()?, schema, rows })
    }
}
