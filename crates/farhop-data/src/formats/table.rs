//! CSV tables, read as a stream of rows over one buffer of bytes, or over a file that stays where it is.
//!
//! The delimiter is a comma, a semicolon or a tab, told by the first lines. The first row is the header. Where columns are
//! not separated by commas, numbers may have decimal commas. Cells are trimmed of white space. Blank lines are skipped. A byte-order mark is skipped. Gzip
//! is told by its first bytes. `-` reads standard input. With the cargo feature `parquet`, Parquet files are tables too.

mod rows;

use std::borrow::Cow;
use std::path::Path;

use csv::StringRecord;

use crate::error::DataError;
use crate::error::place::Place;
use crate::error::setting::Setting;
#[cfg(feature = "parquet")]
use crate::files::by_place::read_exact_at;
use crate::files::scratch::Scratch;
use crate::files::source::{self, SourceFile};
use crate::files::text_store::{Text, TextReader};
use crate::formats::decimal_commas::{CommaLook, Commas, turn, whole_cells};
use crate::formats::delimiter::delimiter_of;
use crate::memory::Budget;
use crate::text::{listed, nearest, quoted};

pub use rows::{Row, Rows};

/// A table whose header was read and whose bytes are known to be UTF-8. Rows are parsed each time
/// they are walked, so nothing but the bytes is kept in memory, and those of [`Table::open_on_disk`] are not.
#[derive(Debug)]
pub struct Table {
    source: SourceFile,
    budget: Budget,
    text: Text,
    /// Where the text starts: after the byte-order mark.
    start: usize,
    delimiter: u8,
    header: Vec<String>,
    /// For a table that was made from another format: the line of each row in the file.
    lines: Option<Vec<u64>>,
    /// Whether numbers had decimal commas.
    decimal_commas: bool,
}

impl Table {
    /// Opens a table. `example` is a header that would do, for the message about an empty file.
    pub fn open(path: &Path, example: &'static str) -> Result<Self, DataError> {
        let bytes = source::read_bytes(path)?;
        Table::from_bytes(&path.display().to_string(), bytes, example)
    }

    /// A table from bytes that were read elsewhere; they may be compressed.
    pub fn from_bytes(path: &str, bytes: Vec<u8>, example: &'static str) -> Result<Self, DataError> {
        let source = SourceFile::of(path, &bytes);
        let budget = source.budget();
        let bytes = source::decompressed(&budget, bytes)?;
        #[cfg(feature = "parquet")]
        if bytes.starts_with(b"PAR1") {
            return crate::formats::parquet_table::read(source, budget, bytes);
        }
        Table::of_text(path, source, budget, Text::Memory(bytes), None, example)
    }

    /// As [`Table::open`], but the text stays in its file, however large that is; what has to be made of it first lies in `scratch`.
    pub fn open_on_disk(path: &Path, example: &'static str, scratch: &Scratch) -> Result<Self, DataError> {
        #[cfg(feature = "parquet")]
        {
            let mut start = [0; 4];
            let read = std::fs::File::open(path).and_then(|file| read_exact_at(&file, &mut start, 0));
            if read.is_ok() && start == *b"PAR1" {
                return Table::open(path, example);
            }
        }
        let (source, text) = Text::on_disk(path, scratch)?;
        let budget = source.budget();
        Table::of_text(&path.display().to_string(), source, budget, text, Some(scratch), example)
    }

    fn of_text(
        path: &str,
        source: SourceFile,
        budget: Budget,
        text: Text,
        scratch: Option<&Scratch>,
        example: &'static str,
    ) -> Result<Self, DataError> {
        let head = text.head(8);
        refuse_other_kinds(source.name(), &head)?;
        let start = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let delimiter = delimiter_of(path, || text.reader(start));
        let mut table =
            Table { source, budget, text, start, delimiter, header: Vec::new(), lines: None, decimal_commas: false };
        table.check_utf8()?;
        let behind = table.read_header(example)?;
        if delimiter != b',' {
            table.read_decimal_commas(behind, scratch)?;
        }
        Ok(table)
    }

    /// A table of rows that came in another format, written as text with commas below their header; `lines` is the line of
    /// each row in the file `source`.
    pub(crate) fn of_rows(
        source: SourceFile,
        budget: Budget,
        header: Vec<String>,
        bytes: Vec<u8>,
        lines: Vec<u64>,
    ) -> Self {
        let lines = Some(lines);
        let text = Text::Memory(bytes);
        Table { source, budget, text, start: 0, delimiter: b',', header, lines, decimal_commas: false }
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// What was read, with its hash.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// What may be made of the file.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The names of the columns. A column without a name is called `column 3`, by its number.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The number of the column of this name, counted from 0.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// The number of the column of this name; an error that suggests the nearest name if there is
    /// none. `role` says what the column was wanted for.
    pub fn require(&self, name: &str, role: &str) -> Result<usize, DataError> {
        self.column(name).ok_or_else(|| DataError::NoColumn {
            file: self.name().to_string(),
            name: name.to_string(),
            role: role.to_string(),
            nearest: nearest(name, self.header.iter().map(String::as_str)).map(str::to_string),
            columns: self.listed_columns(),
        })
    }

    /// The column names, for messages.
    pub fn listed_columns(&self) -> String {
        listed(self.header.iter().map(String::as_str))
    }

    /// What a reader of the table should know about how it was read.
    pub fn note(&self) -> Option<String> {
        self.decimal_commas.then(|| format!("{}: numbers are read with decimal commas, 1,5 as 1.5", self.name()))
    }

    /// Walks the rows after the header.
    pub fn rows(&self) -> Rows<'_> {
        let mut reader = self.reader();
        let mut record = StringRecord::new();
        // The header was read before without an error, so this cannot fail.
        let _ = reader.read_record(&mut record);
        Rows::new(self, reader)
    }

    /// The place of data row `row` (from 0). Walks the table: meant for messages.
    pub fn place_of_row(&self, row: usize) -> Place {
        let mut rows = self.rows();
        while let Ok(Some(found)) = rows.next_whole_row() {
            if found.index == row {
                return found.place();
            }
        }
        self.place_at(self.text.len())
    }

    fn reader(&self) -> csv::Reader<TextReader<'_>> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .buffer_capacity(1 << 16)
            .from_reader(self.text.reader(self.start))
    }

    /// The parser's position may lie on the line ends before the row; the row starts after them.
    fn first_byte_of_row(&self, position: usize) -> usize {
        let mut at = position;
        loop {
            let bytes = self.text.slice(at, 64);
            let ends = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            at += ends;
            if ends < bytes.len() || ends == 0 {
                return at;
            }
        }
    }

    /// The place of the byte at `offset`. Line ends are `\n`, `\r\n` and a lone `\r`.
    fn place_at(&self, offset: usize) -> Place {
        let (mut breaks, mut left, mut open) = (0, offset.min(self.text.len()), false);
        // It ends where enough was seen. What can't be read is not counted: the walk that got this far could read it.
        let _ = self.text.each_piece(0, |piece| {
            let next = |at: usize| piece.get(at + 1);
            // A `\r` at the end of the last piece is a break unless a `\n` follows.
            breaks += u64::from(std::mem::take(&mut open) && piece.first() != Some(&b'\n'));
            let before = &piece[..left.min(piece.len())];
            for (at, byte) in before.iter().enumerate() {
                let lone = *byte == b'\r';
                open = lone && next(at).is_none();
                breaks += u64::from(*byte == b'\n' || (lone && next(at).is_some_and(|next| *next != b'\n')));
            }
            left -= before.len();
            if left == 0 && !open { Err(std::io::ErrorKind::Interrupted.into()) } else { Ok::<(), std::io::Error>(()) }
        });
        Place { file: self.name().to_string(), line: 1 + breaks + u64::from(open) }
    }

    fn check_utf8(&self) -> Result<(), DataError> {
        // What a piece ends with may be the start of a letter.
        let (mut rest, mut at) = (Vec::new(), self.start);
        let mut wrong = None;
        let looked = self.text.each_piece(self.start, |piece| -> std::io::Result<()> {
            if wrong.is_some() {
                return Ok(());
            }
            let joined = match rest.is_empty() {
                true => Cow::Borrowed(piece),
                false => Cow::Owned([&rest[..], piece].concat()),
            };
            if let Err(error) = std::str::from_utf8(&joined) {
                let valid = error.valid_up_to();
                match error.error_len() {
                    Some(length) => wrong = Some((at + valid, length)),
                    None => rest = joined[valid..].to_vec(),
                }
                at += valid;
            } else {
                at += joined.len();
                rest.clear();
            }
            Ok(())
        });
        looked.map_err(|source| DataError::Read { file: self.name().to_string(), source })?;
        let Some((at, length)) = wrong.or((!rest.is_empty()).then_some((at, 1))) else {
            return Ok(());
        };
        let digits: Vec<String> = self.text.slice(at, length).iter().map(|byte| format!("{byte:02x}")).collect();
        Err(DataError::NotUtf8 { place: self.place_at(at), value: digits.join(" ") })
    }

    /// Reads the header; the place behind it.
    fn read_header(&mut self, example: &'static str) -> Result<usize, DataError> {
        let mut record = StringRecord::new();
        let mut reader = self.reader();
        let found = reader.read_record(&mut record).map_err(|error| parse_error(self, error))?;
        let behind = self.start + reader.position().byte() as usize;
        if !found || (record.len() == 1 && record[0].trim().is_empty()) {
            return Err(DataError::EmptyFile { file: self.name().to_string(), example });
        }
        let header: Vec<String> = record
            .iter()
            .enumerate()
            .map(|(number, cell)| match cell.trim() {
                "" => format!("column {}", number + 1),
                name => name.to_string(),
            })
            .collect();
        if let [only] = header.as_slice()
            && only.contains('|')
        {
            return Err(DataError::Delimiter { file: self.name().to_string(), header: only.clone(), found: "bars" });
        }
        if header.len() > 1 && header.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Err(DataError::NoHeader {
                file: self.name().to_string(),
                row: listed(header.iter().map(String::as_str)),
                example,
            });
        }
        let mut seen = std::collections::HashMap::with_capacity(header.len());
        for (number, name) in header.iter().enumerate() {
            if let Some(first) = seen.insert(name.as_str(), number) {
                return Err(DataError::DuplicateColumn {
                    file: self.name().to_string(),
                    name: name.clone(),
                    first: first + 1,
                    second: number + 1,
                });
            }
        }
        self.header = header;
        Ok(behind)
    }

    /// Turns the decimal commas of the rows, which start at `behind`, into points.
    fn read_decimal_commas(&mut self, behind: usize, scratch: Option<&Scratch>) -> Result<(), DataError> {
        let behind = behind.min(self.text.len());
        let failed = |source| DataError::Read { file: self.name().to_string(), source };
        let mut look = CommaLook::default();
        self.each_whole_cells(behind, |at, cells| {
            look.see(at, cells, self.delimiter);
            Ok(())
        })
        .map_err(failed)?;
        let text = |(at, length): (usize, usize)| {
            (String::from_utf8_lossy(&self.text.slice(at, length)).into_owned(), self.place_at(at))
        };
        match look.commas() {
            Commas::None => {}
            Commas::Decimal => {
                self.decimal_commas = true;
                if let Text::Memory(bytes) = &mut self.text {
                    turn(&mut bytes[behind..], self.delimiter);
                } else if let Some(scratch) = scratch {
                    self.text = self.with_points(behind, scratch)?;
                }
            }
            Commas::Unclear(start, length) => {
                let (number, place) = text((start, length));
                let (plain, point) = (number.replace(',', ""), number.replace(',', "."));
                let reason = format!(
                    "{} may be {plain} or {point}. Write numbers without a comma, or with a decimal point.",
                    quoted(&number)
                );
                return Err(DataError::Line { place, reason });
            }
            Commas::Mixed(pair) => {
                let [(comma, place), (point, other)] = pair.map(text);
                let reason = format!(
                    "{} has a decimal comma, but {} on line {} a decimal point. Write all numbers with a point.",
                    quoted(&comma),
                    quoted(&point),
                    other.line
                );
                return Err(DataError::Line { place, reason });
            }
        }
        Ok(())
    }

    /// Gives all bytes from `behind` on in pieces of whole cells, with the place of each.
    fn each_whole_cells(
        &self,
        behind: usize,
        mut look: impl FnMut(usize, &[u8]) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        if let Text::Memory(bytes) = &self.text {
            return look(behind, &bytes[behind..]);
        }
        let (mut rest, mut at): (Vec<u8>, usize) = (Vec::new(), behind);
        self.text.each_piece(behind, |piece| {
            rest.extend_from_slice(piece);
            let whole = whole_cells(&rest, self.delimiter);
            look(at, &rest[..whole])?;
            rest.drain(..whole);
            at += whole;
            Ok::<(), std::io::Error>(())
        })?;
        look(at, &rest)
    }

    /// The text with decimal points behind its header, in a file of its own.
    fn with_points(&self, behind: usize, scratch: &Scratch) -> Result<Text, DataError> {
        let mut writer = scratch.file()?.writer();
        writer.put(&self.text.slice(0, behind))?;
        let mut cells = Vec::new();
        let written = self.each_whole_cells(behind, |_, piece| {
            cells.clear();
            cells.extend_from_slice(piece);
            turn(&mut cells, self.delimiter);
            writer.put(&cells).map_err(std::io::Error::other)
        });
        written.map_err(|source| DataError::Read { file: self.name().to_string(), source })?;
        Ok(Text::Made { file: writer.finish()?, length: self.text.len() })
    }
}

fn parse_error(table: &Table, error: csv::Error) -> DataError {
    DataError::Read { file: table.name().to_string(), source: std::io::Error::other(error.to_string()) }
}

/// Kinds of files that are mistaken for CSV, told by their first bytes.
fn refuse_other_kinds(file: &str, bytes: &[u8]) -> Result<(), DataError> {
    let plain = String::from;
    let kinds: [(&[u8], &str, String); 5] = [
        (b"\xff\xfe", "UTF-16 text", plain("Save it as UTF-8.")),
        (b"\xfe\xff", "UTF-16 text", plain("Save it as UTF-8.")),
        (b"PK\x03\x04", "a zip archive or a spreadsheet", plain("Export it as CSV.")),
        (b"PAR1", "a Parquet file", plain("Export it as CSV, or build farhop with the cargo feature parquet.")),
        (b"\x93NUMPY", "a NumPy array", format!("Pass it as {}.", Setting::named("features"))),
    ];
    match kinds.into_iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        Some((_, found, remedy)) => Err(DataError::NotCsv { file: file.to_string(), found, remedy }),
        None => Ok(()),
    }
}
