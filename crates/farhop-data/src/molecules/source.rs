//! Where molecules come from: tables with a column of SMILES, or lines of SMILES.

use std::path::Path;

use super::{MoleculeOptions, MoleculeSchema};
use crate::error::DataError;
use crate::place::Place;
use crate::scan::part_of;
use crate::schema::TargetColumn;
use crate::source::SourceFile;
use crate::split::Part;
use crate::table::Table;
use crate::text::quoted;
use crate::text_file::TextFile;

const EXAMPLE: &str = "smiles,target";

/// Where molecules come from.
pub(super) enum Source {
    Table(Table),
    /// A SMILES on each line.
    Lines(TextFile),
}

/// Column numbers.
pub(super) struct Found {
    pub smiles: usize,
    pub id: Option<usize>,
    pub split: Option<usize>,
    /// The names of the targets, and their columns if they are there.
    pub targets: Vec<(String, Option<usize>)>,
}

/// The cells that are needed, row after row.
#[derive(Default)]
pub(super) struct Cells {
    pub smiles: Vec<String>,
    /// Empty without ids.
    pub ids: Vec<String>,
    /// Empty without a split column.
    pub parts: Vec<Option<Part>>,
    /// `[rows, targets]`.
    pub targets: Vec<String>,
    /// Of lines: the line of each row.
    pub lines: Vec<u64>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, DataError> {
        let lower = path.display().to_string().to_lowercase();
        let plain = lower.strip_suffix(".gz").unwrap_or(&lower);
        if [".smi", ".smiles", ".txt"].iter().any(|end| plain.ends_with(end)) {
            return TextFile::open(path).map(Source::Lines);
        }
        Table::open(path, EXAMPLE).map(Source::Table)
    }

    pub fn name(&self) -> &str {
        match self {
            Source::Table(table) => table.name(),
            Source::Lines(file) => file.name(),
        }
    }

    pub fn source(&self) -> &SourceFile {
        match self {
            Source::Table(table) => table.source(),
            Source::Lines(file) => file.source(),
        }
    }

    pub fn header(&self, column: usize) -> &str {
        match self {
            Source::Table(table) => table.header().get(column).map_or("", String::as_str),
            Source::Lines(_) => ["smiles", "name"].get(column).copied().unwrap_or(""),
        }
    }

    pub fn find(&self, options: &MoleculeOptions) -> Result<Found, DataError> {
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
        let targets = options.targets.iter().cloned().zip(targets.into_iter().map(Some)).collect();
        Ok(Found { smiles, id, split, targets })
    }

    pub fn find_again(&self, schema: &MoleculeSchema) -> Result<Found, DataError> {
        let names = || schema.target.iter().flat_map(TargetColumn::names);
        let Source::Table(table) = self else {
            let targets = names().map(|name| (name.to_string(), None)).collect();
            return Ok(Found { smiles: 0, id: Some(1), split: None, targets });
        };
        let optional = |name: &Option<String>| name.as_ref().and_then(|name| table.column(name));
        Ok(Found {
            smiles: table.require(&schema.smiles, "the SMILES")?,
            id: optional(&schema.id),
            split: optional(&schema.split),
            targets: names().map(|name| (name.to_string(), table.column(name))).collect(),
        })
    }

    pub fn cells(&self, columns: &Found) -> Result<Cells, DataError> {
        let mut cells = Cells::default();
        match self {
            Source::Table(table) => cells.see_rows(table, columns)?,
            Source::Lines(file) => cells.see_lines(file)?,
        }
        if cells.smiles.is_empty() {
            return Err(DataError::NoRows { file: self.name().to_string() });
        }
        Ok(cells)
    }

    pub fn place(&self, cells: &Cells, row: usize) -> Place {
        match self {
            Source::Table(table) => table.place_of_row(row),
            Source::Lines(file) => file.place(cells.lines.get(row).copied().unwrap_or(1)),
        }
    }
}

impl Cells {
    fn see_rows(&mut self, table: &Table, columns: &Found) -> Result<(), DataError> {
        let mut rows = table.rows();
        while let Some(row) = rows.next_row()? {
            self.smiles.push(row.cell(columns.smiles).to_string());
            self.ids.extend(columns.id.map(|column| row.cell(column).to_string()));
            let target =
                |(_, column): &(String, Option<usize>)| column.map_or("", |column| row.cell(column)).to_string();
            self.targets.extend(columns.targets.iter().map(target));
            if let Some(column) = columns.split {
                self.parts.push(part_of(&row, column)?);
            }
        }
        Ok(())
    }

    fn see_lines(&mut self, file: &TextFile) -> Result<(), DataError> {
        file.text()?;
        for (number, line) in file.lines().filter(|(_, line)| !line.is_empty() && line[0] != b'#') {
            let text = String::from_utf8_lossy(line);
            let (smiles, name) = match text.split_once(char::is_whitespace) {
                // What starts with a bar belongs to the SMILES.
                Some((smiles, rest)) if !rest.trim_start().starts_with('|') => (smiles, rest.trim()),
                _ => (&*text, ""),
            };
            self.smiles.push(smiles.to_string());
            self.ids.push(name.to_string());
            self.lines.push(number);
        }
        if self.ids.iter().any(String::is_empty) {
            self.ids.clear();
        }
        Ok(())
    }
}
