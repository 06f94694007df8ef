//! Published tables made again: every cell is a recipe with its seeds, whose runs are kept under what they depend on, in the same store as
//! those of a comparison. What is there, or came measured with farhop, is not run again; any number of processes may work on one store, cell by cell.

mod cell;
mod definition;
mod measured;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use farhop_data::SourceFile;
use farhop_data::save::write_atomically;
use farhop_data::text::nearest;

pub use cell::{Cell, Verdict};
pub use definition::{Column, Definition, Line, Measure, Published, definitions, find};
pub use measured::MeasuredRun;

use crate::compare::place_of;
use crate::series::{Estimate, Member, Row, Spread, Surroundings, TimeLeft, ended, members, train_one};
use crate::{Material, Observer, Recipe, Stage, TrainError, durable};

/// Where the times of cells are kept in a store, so that they are found out once.
const ESTIMATES: &str = "estimates";

/// Which part of a table is wanted, and how.
pub struct Filling<'a> {
    /// The table.
    pub definition: &'a Definition,
    /// Rows by model or name, all if empty.
    pub rows: &'a [String],
    /// Columns by dataset or name, all if empty.
    pub columns: &'a [String],
    /// Runs of a cell, at most.
    pub most_runs: Option<usize>,
    /// Whether what is missing is run.
    pub run: bool,
    /// Whether runs that came measured with farhop count as missing.
    pub own: bool,
    /// The folder that runs are kept in.
    pub store: &'a Path,
    /// What all runs have in common.
    pub around: Surroundings<'a>,
}

/// A table with what there is of it.
#[derive(Clone, Debug)]
pub struct Filled {
    /// Its cells, row by row.
    pub cells: Vec<Cell>,
    /// Whether it was asked to stop before the last run.
    pub interrupted: bool,
    /// Runs that another process works on.
    pub elsewhere: usize,
}

/// A run of a cell that is to be made.
struct Missing {
    cell: usize,
    member: Member,
    place: PathBuf,
}

impl Filling<'_> {
    /// Runs what is missing, the cheapest cells first, and gives the table.
    ///
    /// # Errors
    /// When a row or column is not there, or a run can't be written. What is finished stays.
    pub fn fill(&self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Filled, TrainError> {
        let (mut cells, missing) = self.look(observer)?;
        let mut filled = Filled { cells: Vec::new(), interrupted: false, elsewhere: 0 };
        if self.run && !missing.is_empty() {
            self.work(&mut cells, missing, &mut filled, observer, stop)?;
            // Those that were there before may be any of them.
            cells.iter_mut().for_each(|cell| cell.runs.sort_by_key(|row| row.member.number));
        }
        filled.cells = cells;
        Ok(filled)
    }

    /// The cells with the runs that are there, and the runs that are not.
    fn look(&self, observer: &mut dyn Observer) -> Result<(Vec<Cell>, Vec<Missing>), TrainError> {
        let (mut cells, mut missing) = (Vec::new(), Vec::new());
        let mut sources: BTreeMap<&str, Result<Vec<SourceFile>, String>> = BTreeMap::new();
        let measured = if self.own { BTreeMap::new() } else { measured::measured(self.definition.name)? };
        let columns = chosen(self.columns, &self.definition.columns, |one| [&one.dataset, &one.name])?;
        for line in chosen(self.rows, &self.definition.rows, |one| [&one.model, &one.name])? {
            for column in &columns {
                let recipe = self.definition.recipe(line, column)?;
                let wanted = self.most_runs.map_or(column.seeds, |most| most.min(column.seeds));
                let mut cell = Cell {
                    line: line.clone(),
                    column: (*column).clone(),
                    recipe,
                    runs: Vec::new(),
                    wanted,
                    hindrance: None,
                };
                let Some(recipe) = &cell.recipe else {
                    cell.hindrance = Some(format!("no recipe for {} on {}", line.model, column.dataset));
                    cells.push(cell);
                    continue;
                };
                let seeds: Vec<u64> = (0..wanted as u64).collect();
                for member in members(recipe, &seeds) {
                    if let Some(run) = measured.get(&measured::settings_of(&member.recipe)?) {
                        cell.runs.push(run.row(member));
                        continue;
                    }
                    // Data is read only where a run needs it.
                    let sources = sources.entry(&column.dataset).or_insert_with(|| self.read(recipe, observer));
                    match sources {
                        Err(problem) => cell.hindrance = Some(problem.clone()),
                        Ok(sources) => {
                            let place = place_of(self.store, &member.recipe, sources)?;
                            match ended(&place)? {
                                Some(result) => cell.runs.push(Row { member, path: Some(place), result }),
                                None => missing.push(Missing { cell: cells.len(), member, place }),
                            }
                        }
                    }
                }
                cells.push(cell);
            }
        }
        Ok((cells, missing))
    }

    /// The files of the data, or why there is none here.
    fn read(&self, recipe: &Recipe, observer: &mut dyn Observer) -> Result<Vec<SourceFile>, String> {
        observer.stage(Stage::Reading);
        match Material::read(recipe, self.around.places) {
            Ok(material) if material.dataset.split.test.is_empty() => {
                Err(TrainError::NoTest { name: material.dataset.name }.to_string())
            }
            Ok(Material { dataset, split_file, .. }) => Ok(dataset.sources.into_iter().chain(split_file).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs what is missing.
    fn work(
        &self,
        cells: &mut [Cell],
        missing: Vec<Missing>,
        filled: &mut Filled,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<(), TrainError> {
        let Some((order, mut left)) = self.estimate(cells, &missing, observer, stop)? else {
            filled.interrupted = true;
            return Ok(());
        };
        let there = cells.iter().map(|cell| cell.runs.len()).sum();
        observer.estimated(missing.len(), there, left.seconds());
        for index in order {
            let key = key_of(&cells[index]);
            observer.cell(&cells[index].line.name, &cells[index].column.name);
            for one in missing.iter().filter(|one| one.cell == index) {
                match train_one(&one.member, &one.place, &self.around, left.seconds(), observer, stop) {
                    Ok(None) => {
                        filled.interrupted = true;
                        return Ok(());
                    }
                    Ok(Some((row, Some(seconds)))) => {
                        left.done(&key, Some(seconds));
                        cells[index].runs.push(row);
                    }
                    // It failed, or another process has done it in the meantime.
                    Ok(Some((row, None))) => {
                        left.given_up(&key);
                        cells[index].runs.push(row);
                    }
                    Err(TrainError::InUse { .. } | TrainError::RunExists { .. }) => {
                        left.given_up(&key);
                        filled.elsewhere += 1;
                    }
                    Err(error) => return Err(error),
                }
                if stop.load(Ordering::SeqCst) {
                    filled.interrupted = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// How long every cell will take. Gives the cells with the cheapest first; none when it was asked to stop.
    fn estimate(
        &self,
        cells: &[Cell],
        missing: &[Missing],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<(Vec<usize>, TimeLeft)>, TrainError> {
        let mut left = TimeLeft::default();
        let mut costs: Vec<(usize, f64)> = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            let runs = missing.iter().filter(|one| one.cell == index).count();
            let Some(first) = missing.iter().find(|one| one.cell == index) else { continue };
            let Some(expected) = self.expected(cell, first, observer, stop)? else { return Ok(None) };
            left.expect(&key_of(cell), expected, runs);
            // What fails is found out first.
            costs.push((index, expected.map_or(0.0, |expected| expected.seconds * runs as f64)));
        }
        costs.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some((costs.into_iter().map(|(index, _)| index).collect(), left)))
    }
}

impl Filling<'_> {
    /// How long a run of a cell will take: as its other runs did, as was found out before, or as a few epochs tell. None when it was asked to
    /// stop.
    fn expected(
        &self,
        cell: &Cell,
        first: &Missing,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<Option<Estimate>>, TrainError> {
        if let Some(known) = Spread::of(cell.records().map(|record| record.seconds)) {
            return Ok(Some(Some(Estimate { seconds: known.mean })));
        }
        let folder = self.store.join(ESTIMATES);
        let file = folder.join(first.place.file_name().unwrap_or_default()).with_extension("json");
        // What can't be read is found out again.
        if let Some(found) = durable::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(Some(found));
        }
        observer.cell(&cell.line.name, &cell.column.name);
        observer.timing(&first.member.recipe);
        let found = Estimate::or_none(&first.member.recipe, self.around.places, stop)?;
        if let Some(found) = &found {
            std::fs::create_dir_all(&folder).map_err(TrainError::io(&folder, "create"))?;
            // Another process may write the same at the same time.
            write_atomically(&file, |writer| Ok(serde_json::to_writer(writer, found)?))?;
        }
        Ok(found)
    }
}

fn key_of(cell: &Cell) -> String {
    format!("{} on {}", cell.line.name, cell.column.name)
}

/// Those of `all` that are asked for by one of their names, in the order of the table; all where nothing is asked.
fn chosen<'a, T>(asked: &[String], all: &'a [T], names: fn(&T) -> [&String; 2]) -> Result<Vec<&'a T>, TrainError> {
    let is = |one: &T, name: &str| names(one).iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(name) = asked.iter().find(|name| !all.iter().any(|one| is(one, name))) {
        let known: Vec<&str> = all.iter().map(|one| names(one)[0].as_str()).collect();
        return Err(TrainError::NotInTable {
            name: name.clone(),
            near: nearest(name, known.iter().copied()).map(str::to_string),
            known: dedup(known).join(", "),
        });
    }
    Ok(all.iter().filter(|one| asked.is_empty() || asked.iter().any(|name| is(one, name))).collect())
}

fn dedup(mut names: Vec<&str>) -> Vec<&str> {
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    names
}
