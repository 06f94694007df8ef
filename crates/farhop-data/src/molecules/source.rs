//! Where molecules come from: tables with a column of SMILES, lines of SMILES, or an SDF.

use std::path::Path;

use super::sdf::Sdf;
use super::{MoleculeOptions, MoleculeSchema};
use crate::dataset::split::Part;
use crate::error::DataError;
use crate::error::place::Place;
use crate::error::problems::Problems;
use crate::files::source::SourceFile;
use crate::formats::table::Table;
use crate::formats::text_file::TextFile;
use crate::import::{Kind, detect};
use crate::tables::scan::part_of;
use crate::tables::schema::TargetColumn;
use crate::text::quoted;

const EXAMPLE: &str = "smiles,target";
/// Columns that are taken for ids, if no other was asked for.
const ID_NAMES: [&str; 2] = ["id", "name"];

/// Where molecules come from.
pub(super) enum Source {
    Table(Table),
    /// A SMILES on each line.
    Lines(TextFile),
    /// Molfiles with data items.
    Sdf(Sdf),
}

/// Column numbers.
pub(super) struct MoleculeColumns {
    pub smiles: usize,
    pub id: Option<usize>,
    pub split: Option<usize>,
    /// The names of the targets, and their columns if they are there.
    pub targets: Vec<(String, Option<usize>)>,
}

/// The cells that are needed, row after row.
#[derive(Default)]
pub(super) struct Cells {
    /// SMILES or molfiles.
    pub smiles: Vec<String>,
    /// Empty without ids.
    pub ids: Vec<String>,
    /// Empty without a split column.
    pub parts: Vec<Option<Part>>,
    /// `[rows, targets]`.
    pub targets: Vec<String>,
    /// Of lines and molfiles: the line of each row.
    pub lines: Vec<u64>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, DataError> {
        let lower = path.display().to_string().to_lowercase();
        let plain = lower.strip_suffix(".gz").unwrap_or(&lower);
        let told = |path| matches!(detect(path), Ok(Kind::Sdf));
        if [".sdf", ".sd", ".mol"].iter().any(|end| plain.ends_with(end)) || (path.is_file() && told(path)) {
            return Sdf::open(path).map(Source::Sdf);
        }
        if [".smi", ".smiles", ".txt"].iter().any(|end| plain.ends_with(end)) {
            return TextFile::open(path).map(Source::Lines);
        }
        Table::open(path, EXAMPLE).map(Source::Table)
    }

    pub fn name(&self) -> &str {
        match self {
            Source::Table(table) => table.name(),
            Source::Lines(file) => file.name(),
            Source::Sdf(sdf) => sdf.file.name(),
        }
    }

    /// What a user should know about how it was read.
    pub fn note(&self) -> Option<String> {
        match self {
            Source::Table(table) => table.note(),
            Source::Lines(_) | Source::Sdf(_) => None,
        }
    }

    pub fn source(&self) -> &SourceFile {
        match self {
            Source::Table(table) => table.source(),
            Source::Lines(file) => file.source(),
            Source::Sdf(sdf) => sdf.file.source(),
        }
    }

    pub fn header(&self, column: usize) -> &str {
        match self {
            Source::Table(table) => table.header().get(column).map_or("", String::as_str),
            Source::Lines(_) => ["smiles", "name"].get(column).copied().unwrap_or(""),
            Source::Sdf(sdf) => sdf.header.get(column).map_or("", String::as_str),
        }
    }

    pub fn find(&self, options: &MoleculeOptions) -> Result<MoleculeColumns, DataError> {
        if let Source::Lines(_) = self {
            return match options.targets.first().or(options.split.as_ref()) {
                None => Ok(MoleculeColumns { smiles: 0, id: Some(1), split: None, targets: Vec::new() }),
                Some(name) => Err(DataError::Array {
                    file: self.name().to_string(),
                    reason: format!("a file of SMILES alone has no column {}. Use a CSV table.", quoted(name)),
                }),
            };
        }
        let named = |name: &str| self.columns().iter().position(|column| column.eq_ignore_ascii_case(name));
        let mut problems = Problems::default();
        let smiles = match (&options.smiles, self) {
            (_, Source::Sdf(_)) => Ok(0),
            (Some(name), _) => self.require(name, "the SMILES"),
            (None, _) => named("smiles").map_or_else(|| self.require("smiles", "the SMILES"), Ok),
        };
        let smiles = problems.hear(smiles).unwrap_or(usize::MAX);
        let mut role = |name: &String, role| problems.hear(self.require(name, role));
        let targets: Vec<usize> = options.targets.iter().filter_map(|name| role(name, "a target")).collect();
        let used = |column: &usize| *column == smiles || targets.contains(column);
        let id = match &options.id {
            Some(name) => role(name, "the id column"),
            None => ID_NAMES.iter().find_map(|name| named(name).filter(|column| !used(column))),
        };
        let split = match &options.split {
            Some(name) => role(name, "the split"),
            None => named("split").filter(|column| !used(column) && Some(*column) != id),
        };
        problems.into_result()?;
        for (number, &target) in targets.iter().enumerate() {
            let twice = targets[..number].contains(&target) || target == smiles || Some(target) == split;
            if twice {
                return Err(DataError::ColumnTwice {
                    file: self.name().to_string(),
                    name: self.header(target).to_string(),
                    first: "a target",
                    second: "something else",
                    remedy: "Name it once.".to_string(),
                });
            }
        }
        let targets = options.targets.iter().cloned().zip(targets.into_iter().map(Some)).collect();
        Ok(MoleculeColumns { smiles, id, split, targets })
    }

    pub fn find_again(&self, schema: &MoleculeSchema) -> Result<MoleculeColumns, DataError> {
        let names = || schema.target.iter().flat_map(TargetColumn::names);
        if let Source::Lines(_) = self {
            let targets = names().map(|name| (name.to_string(), None)).collect();
            return Ok(MoleculeColumns { smiles: 0, id: Some(1), split: None, targets });
        }
        let column = |name: &str| self.columns().iter().position(|known| known == name);
        let optional = |name: &Option<String>| name.as_ref().and_then(|name| column(name));
        let smiles = match self {
            Source::Sdf(_) => 0,
            _ => self.require(&schema.smiles, "the SMILES")?,
        };
        let is_id = |name: &String| ID_NAMES.iter().any(|id| name.eq_ignore_ascii_case(id));
        let another_id = || {
            let free = |(at, name): &(usize, &String)| {
                is_id(name) && *at != smiles && names().all(|target| target != name.as_str())
            };
            self.columns().iter().enumerate().find(free).map(|(at, _)| at)
        };
        Ok(MoleculeColumns {
            smiles,
            id: optional(&schema.id).or_else(another_id),
            split: optional(&schema.split),
            targets: names().map(|name| (name.to_string(), column(name))).collect(),
        })
    }

    fn columns(&self) -> &[String] {
        match self {
            Source::Table(table) => table.header(),
            Source::Lines(_) => &[],
            Source::Sdf(sdf) => &sdf.header,
        }
    }

    fn require(&self, name: &str, role: &str) -> Result<usize, DataError> {
        match self {
            Source::Table(table) => table.require(name, role),
            Source::Lines(_) => Ok(0),
            Source::Sdf(sdf) => sdf.require(name, role),
        }
    }

    pub fn cells(&self, columns: &MoleculeColumns, problems: &mut Problems) -> Result<Cells, DataError> {
        let mut cells = Cells::default();
        match self {
            Source::Table(table) => cells.see_rows(table, columns, problems)?,
            Source::Lines(file) => cells.see_lines(file)?,
            Source::Sdf(sdf) => cells.see_records(sdf, columns, problems),
        }
        if cells.smiles.is_empty() && problems.is_empty() {
            return Err(DataError::NoRows { file: self.name().to_string() });
        }
        Ok(cells)
    }

    pub fn place(&self, cells: &Cells, row: usize) -> Place {
        match self {
            Source::Table(table) => table.place_of_row(row),
            Source::Lines(file) => file.place(cells.lines.get(row).copied().unwrap_or(1)),
            Source::Sdf(sdf) => sdf.file.place(cells.lines.get(row).copied().unwrap_or(1)),
        }
    }
}

impl Cells {
    fn see_rows(&mut self, table: &Table, columns: &MoleculeColumns, problems: &mut Problems) -> Result<(), DataError> {
        let mut rows = table.rows();
        while let Some(row) = rows.next_telling(problems)? {
            self.smiles.push(row.cell(columns.smiles).to_string());
            self.ids.extend(columns.id.map(|column| row.cell(column).to_string()));
            let target =
                |(_, column): &(String, Option<usize>)| column.map_or("", |column| row.cell(column)).to_string();
            self.targets.extend(columns.targets.iter().map(target));
            if let Some(column) = columns.split {
                self.parts.push(problems.hear(part_of(&row, column)).flatten());
            }
        }
        self.number_nameless();
        Ok(())
    }

    /// Without an id column molecules are called by their first line.
    fn see_records(&mut self, sdf: &Sdf, columns: &MoleculeColumns, problems: &mut Problems) {
        for record in &sdf.records {
            let item = |wanted: Option<usize>| {
                let found = record.items.iter().find(|(column, _)| Some(*column) == wanted);
                found.map_or(String::new(), |(_, value)| value.clone())
            };
            self.ids.push(match columns.id {
                Some(column) => item(Some(column)),
                None => record.text.lines().next().unwrap_or_default().trim().to_string(),
            });
            self.targets.extend(columns.targets.iter().map(|(_, column)| item(*column)));
            if let Some(column) = columns.split {
                let text = item(Some(column));
                let part = Part::from_name(&text);
                if part.is_none() && !text.is_empty() {
                    let reason = format!("{} is not train, valid or test.", quoted(&text));
                    problems.add(|| sdf.file.wrong_at(record.line, reason));
                }
                self.parts.push(part);
            }
            self.smiles.push(record.text.clone());
            self.lines.push(record.line);
        }
        self.number_nameless();
    }

    fn see_lines(&mut self, file: &TextFile) -> Result<(), DataError> {
        file.text()?;
        for (number, line) in file.lines().filter(|(_, line)| !line.is_empty() && line[0] != b'#') {
            let text = String::from_utf8_lossy(line);
            let (smiles, name) = match text.split_once(char::is_whitespace) {
                // What starts with a bar belongs to the SMILES.
                Some((smiles, rest)) if !rest.trim_start().starts_with('|') => (smiles, name_in(&text, rest)),
                _ => (&*text, ""),
            };
            self.smiles.push(smiles.to_string());
            self.ids.push(name.to_string());
            self.lines.push(number);
        }
        self.number_nameless();
        Ok(())
    }

    /// A molecule without a name is called by its number, from 0; if none has a name, there are no ids.
    fn number_nameless(&mut self) {
        if self.ids.iter().all(String::is_empty) {
            self.ids.clear();
        }
        for (row, id) in self.ids.iter_mut().enumerate().filter(|(_, id)| id.is_empty()) {
            *id = row.to_string();
        }
    }
}

/// The name behind the SMILES of a line: the second word, or the second cell if cells are separated by tabs.
fn name_in<'a>(line: &str, behind: &'a str) -> &'a str {
    let mut cells = behind.trim_start().split(|letter: char| match line.contains('\t') {
        true => letter == '\t',
        false => letter.is_whitespace(),
    });
    cells.next().unwrap_or_default().trim()
}
