//! Archives of named arrays in NumPy's `npz` format: a zip file of `npy` files, stored or deflated.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::dataset::{NumbersOnDisk, not_finite};
use crate::error::DataError;
use crate::files::first_error::FirstError;
use crate::files::save::write_atomically;
use crate::formats::npy::{self, Array};
use crate::formats::pickle::{self, SharedBytes, Value};
use crate::memory::Budget;
use crate::text::{listed, nearest};

/// Deflate cannot shrink data to less than one part in 1,032.
const STRONGEST_COMPRESSION: u64 = 1032;

/// An open archive.
#[derive(Debug)]
pub struct Npz<R> {
    file: String,
    archive: ZipArchive<R>,
    length: u64,
    budget: Budget,
    /// The same open file, to read from by position; none for an archive in memory.
    handle: Option<File>,
}

impl Npz<BufReader<File>> {
    /// Opens an archive.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let failed = |source| DataError::Read { file: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let handle = file.try_clone().ok();
        Ok(Npz { handle, ..Npz::new(&name, BufReader::new(file), length)? })
    }
}

impl Npz<Cursor<Vec<u8>>> {
    /// An archive in memory.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, DataError> {
        let length = bytes.len() as u64;
        Npz::new(name, Cursor::new(bytes), length)
    }
}

impl<R: Read + Seek> Npz<R> {
    fn new(name: &str, reader: R, length: u64) -> Result<Self, DataError> {
        let archive = ZipArchive::new(reader).map_err(|error| DataError::Array {
            file: name.to_string(),
            reason: format!("not an npz archive ({error}). Save it with numpy.savez."),
        })?;
        let budget = Budget::new(name, length);
        Ok(Npz { file: name.to_string(), archive, length, budget, handle: None })
    }

    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(|name| name.strip_suffix(".npy")).map(str::to_string).collect()
    }

    /// Whether the archive is one of `torch.save` instead.
    pub(crate) fn holds_torch(&self) -> bool {
        self.archive.file_names().any(|name| name == "data.pkl" || name.ends_with("/data.pkl"))
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// The name of the archive, for messages.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// What an array of Python objects holds, read as any other pickle is: the list of them, or the only one. `None` if it
    /// is an array of anything else.
    pub(crate) fn objects(&mut self, name: &str) -> Result<Option<Value>, DataError> {
        self.read_with(name, |budget, label, entry, _| {
            let Some((bytes, single)) = npy::object_bytes(budget, label, entry)? else { return Ok(None) };
            let value = pickle::read_within(label, SharedBytes::within(budget, bytes))?;
            if single { value.at(0).map(Some) } else { Ok(Some(value)) }
        })
    }

    /// Reads an array; an error that suggests the nearest name if there is none.
    pub fn array(&mut self, name: &str) -> Result<Array, DataError> {
        self.read_with(name, npy::parse_within)
    }

    /// An array as 32-bit floats, and its shape; it is never in memory in two forms.
    pub(crate) fn f32(&mut self, name: &str) -> Result<(Vec<f32>, Vec<usize>), DataError> {
        self.read_with(name, npy::parse_f32)
    }

    /// Gives the stream of an array to `read`, with the budget, a name for messages and the most bytes that it can hold.
    fn read_with<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Budget, &str, &mut dyn Read, u64) -> Result<T, DataError>,
    ) -> Result<T, DataError> {
        let label = format!("{}, array {}", self.file, crate::text::quoted(name));
        let Some(index) = self.archive.index_for_name(&format!("{name}.npy")) else {
            return Err(self.no_array(name));
        };
        let length = self.length;
        let mut entry = self.archive.by_index(index).map_err(|error| {
            let reason = format!("damaged archive ({error}).");
            let file = label.clone();
            DataError::Array { file, reason }
        })?;
        let packed = entry.compressed_size().min(length);
        let most = match entry.compression() {
            CompressionMethod::Stored => packed,
            _ => packed.saturating_mul(STRONGEST_COMPRESSION),
        };
        read(&self.budget, &label, &mut entry, most)
    }

    /// Bytes of an array in the archive, header included; 0 if there is none of this name.
    pub(crate) fn bytes_of(&mut self, name: &str) -> u64 {
        let index = self.archive.index_for_name(&format!("{name}.npy"));
        index.and_then(|index| self.archive.by_index_raw(index).ok()).map_or(0, |entry| entry.size())
    }

    /// Gives an array of unsigned 32-bit numbers to `look`, piece by piece.
    pub(crate) fn each_u32(
        &mut self,
        name: &str,
        mut look: impl FnMut(&[u32]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let found = self.read_with(name, |_, label, stream, most| {
            let mut numbers: Vec<u32> = Vec::new();
            npy::scan(label, stream, most, npy::Dtype::Unsigned(4), &mut |bytes| {
                numbers.clear();
                numbers.extend(bytes.as_chunks::<4>().0.iter().map(|&chunk| u32::from_le_bytes(chunk)));
                look(&numbers)
            })
        })?;
        match found {
            Some(_) => Ok(()),
            None => Err(self.wrong(name, "whole numbers of 32 bits are needed.".to_string())),
        }
    }

    /// A matrix of 32-bit floats, left in the file, if it lies there as it would in memory: not compressed, little-endian,
    /// the last index running fastest. Every number is looked at once, which compares the checksum of the archive, too;
    /// `what` the rows are called if one of them is not finite.
    pub(crate) fn on_disk(&mut self, name: &str, what: &str) -> Result<Option<NumbersOnDisk>, DataError> {
        let Some(file) = self.handle.as_ref().and_then(|file| file.try_clone().ok()) else {
            return Ok(None);
        };
        let (mut seen, mut bad) = (0, None);
        let found = self.place_of_f32(name, |numbers| {
            let at = numbers.iter().position(|number| !number.is_finite());
            bad = bad.or(at.map(|at| (seen + at, numbers[at])));
            seen += numbers.len();
        })?;
        let Some((start, shape)) = found else { return Ok(None) };
        let &[rows, width] = shape.as_slice() else { return Ok(None) };
        match bad {
            None => Ok(Some(NumbersOnDisk::new(&self.file, file, start, [rows, width]))),
            Some((at, number)) => {
                Err(DataError::Array { file: self.file.clone(), reason: not_finite(what, width, at, number) })
            }
        }
    }

    /// Where the numbers begin, and the shape of their array.
    fn place_of_f32(
        &mut self,
        name: &str,
        mut look: impl FnMut(&[f32]),
    ) -> Result<Option<(u64, Vec<usize>)>, DataError> {
        let Some(index) = self.archive.index_for_name(&format!("{name}.npy")) else {
            return Err(self.no_array(name));
        };
        let label = format!("{}, array {}", self.file, crate::text::quoted(name));
        let wrong = |reason: String| DataError::Array { file: label.clone(), reason };
        let mut entry = self.archive.by_index(index).map_err(|error| wrong(format!("damaged archive ({error}).")))?;
        if entry.compression() != CompressionMethod::Stored {
            return Ok(None);
        }
        let start = entry.data_start();
        let most = entry.compressed_size().min(self.length);
        let placed = npy::scan_f32(&label, &mut entry, most, &mut look)?;
        Ok(placed.map(|(offset, shape)| (start + offset, shape)))
    }

    /// What is wrong with an array.
    pub(crate) fn wrong(&self, name: &str, reason: String) -> DataError {
        DataError::Array { file: format!("{}, array {}", self.file, crate::text::quoted(name)), reason }
    }

    fn no_array(&self, name: &str) -> DataError {
        let names = self.names();
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |near| format!(" Did you mean {}?", crate::text::quoted(near)));
        DataError::Array {
            file: self.file.clone(),
            reason: format!(
                "no array {}.{hint} Its arrays are {}.",
                crate::text::quoted(name),
                listed(names.iter().map(String::as_str))
            ),
        }
    }
}

/// Writes arrays one after the other into an archive that `numpy.load` reads. The same arrays
/// give the same bytes.
pub struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Starts an archive.
    pub fn new(writer: W) -> Self {
        NpzWriter { zip: ZipWriter::new(writer) }
    }

    /// Adds an array of 32-bit floats.
    pub fn f32(&mut self, name: &str, shape: &[usize], data: &[f32]) -> io::Result<()> {
        self.start(name, 4 * data.len())?;
        npy::write_f32(&mut self.zip, shape, data)
    }

    /// Adds an array of 32-bit floats piece by piece: `fill` gives them to the function it gets.
    pub fn f32_rows(
        &mut self,
        name: &str,
        shape: &[usize],
        fill: impl FnOnce(&mut dyn FnMut(&[f32]) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let elements: usize = shape.iter().product();
        self.start(name, 4 * elements)?;
        npy::write_f32_rows(&mut self.zip, shape, fill)
    }

    /// Adds an array of 64-bit integers.
    pub fn i64(&mut self, name: &str, shape: &[usize], data: &[i64]) -> io::Result<()> {
        self.start(name, 8 * data.len())?;
        npy::write_i64(&mut self.zip, shape, data)
    }

    /// Adds an array of unsigned 32-bit integers.
    pub fn u32(&mut self, name: &str, shape: &[usize], data: &[u32]) -> io::Result<()> {
        self.start(name, 4 * data.len())?;
        npy::write_u32(&mut self.zip, shape, data)
    }

    /// Adds an array of unsigned 16-bit integers.
    pub fn u16(&mut self, name: &str, shape: &[usize], data: &[u16]) -> io::Result<()> {
        self.start(name, 2 * data.len())?;
        npy::write_u16(&mut self.zip, shape, data)
    }

    /// Adds an array of bytes.
    pub fn u8(&mut self, name: &str, shape: &[usize], data: &[u8]) -> io::Result<()> {
        self.start(name, data.len())?;
        npy::write_u8(&mut self.zip, shape, data)
    }

    /// Adds a list of texts.
    pub fn text(&mut self, name: &str, data: &[String]) -> io::Result<()> {
        let longest = data.iter().map(|text| text.chars().count()).max();
        self.start(name, 4 * data.len() * longest.unwrap_or(0))?;
        npy::write_text(&mut self.zip, data)
    }

    /// Ends the archive.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish().map_err(io::Error::from)
    }

    fn start(&mut self, name: &str, bytes: usize) -> io::Result<()> {
        // Entries of 4 GiB and more need the large form, chosen before they are written.
        let large = bytes as u64 > u64::from(u32::MAX) - (64 << 10);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(zip::DateTime::default())
            .large_file(large);
        self.zip.start_file(format!("{name}.npy"), options).map_err(io::Error::from)
    }
}

/// Writes an archive atomically: `fill` adds the arrays.
pub fn write_npz(
    path: &Path,
    fill: impl FnOnce(&mut NpzWriter<&mut dyn WriteAndSeek>) -> io::Result<()>,
) -> Result<(), DataError> {
    write_atomically(path, |file| {
        let mut file = FirstError::new(file);
        let mut writer = NpzWriter::new(&mut file as &mut dyn WriteAndSeek);
        let filled = fill(&mut writer);
        let ended = writer.finish().map(|_| ());
        file.result(filled.and(ended))
    })
}

/// Where an archive can be written to.
pub trait WriteAndSeek: Write + Seek {}

impl<W: Write + Seek> WriteAndSeek for W {}
