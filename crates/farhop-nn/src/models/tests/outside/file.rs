//! Reads the npz files of outside numbers: arrays of numbers, and `config` as JSON in a text array.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::settings::Settings;

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// Row-major.
    pub data: Vec<f64>,
}

impl Numbers {
    /// As f32.
    pub fn to_f32(&self) -> Vec<f32> {
        self.data.iter().map(|value| *value as f32).collect()
    }

    /// Every number changed.
    pub fn map(mut self, change: impl Fn(f64) -> f64) -> Self {
        self.data.iter_mut().for_each(|value| *value = change(*value));
        self
    }

    /// Rows and columns exchanged; a vector stays.
    pub fn transposed(&self) -> Self {
        let [rows, columns] = self.shape[..] else { return self.clone() };
        let data = (0..rows * columns).map(|at| self.data[at % rows * columns + at / rows]).collect();
        Numbers { shape: vec![columns, rows], data }
    }

    /// Rows `start..end` (elements of a vector).
    pub fn rows(&self, start: usize, end: usize) -> Self {
        let width: usize = self.shape[1..].iter().product();
        let mut shape = self.shape.clone();
        shape[0] = end - start;
        Numbers { shape, data: self.data[start * width..end * width].to_vec() }
    }

    /// Rows of all one below the other.
    pub fn stacked(arrays: &[Numbers]) -> Self {
        let mut shape = arrays[0].shape.clone();
        shape[0] = arrays.iter().map(|part| part.shape[0]).sum();
        Numbers { shape, data: arrays.iter().flat_map(|part| part.data.clone()).collect() }
    }

    /// The same numbers in another shape.
    pub fn reshaped(self, shape: &[usize]) -> Self {
        assert_eq!(shape.iter().product::<usize>(), self.data.len());
        Numbers { shape: shape.to_vec(), data: self.data }
    }
}

/// A file of outside numbers.
pub struct OutsideFile {
    /// Folder and file, for messages.
    pub name: String,
    /// The settings.
    pub config: Settings,
    arrays: BTreeMap<String, Numbers>,
}

impl OutsideFile {
    /// Reads all of it.
    pub fn open(path: &Path) -> Self {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let name = format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
        let (mut arrays, mut config) = (BTreeMap::new(), Value::Null);
        for index in 0..archive.len() {
            let mut member = archive.by_index(index).unwrap();
            let key = member.name().trim_end_matches(".npy").to_string();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            match array(&bytes) {
                Content::Numbers(numbers) => drop(arrays.insert(key, numbers)),
                Content::Text(text) if key == "config" => config = serde_json::from_str(&text).unwrap(),
                Content::Text(_) => {}
            }
        }
        OutsideFile { name, config: config.into(), arrays }
    }

    /// The array of that name.
    pub fn find(&self, name: &str) -> Option<Numbers> {
        self.arrays.get(name).cloned()
    }

    /// The rows of `below` put under those of `name`, for what a network gives as one.
    pub fn stack(&mut self, name: &str, below: &str) {
        if let (Some(top), Some(rest)) = (self.find(name), self.find(below)) {
            self.arrays.insert(name.to_string(), Numbers::stacked(&[top, rest]));
        }
    }

    /// Puts an array of the file in the place of another one, if it is there.
    pub fn exchange(&mut self, name: &str, by: &str) {
        if let Some(other) = self.find(by) {
            self.arrays.insert(name.to_string(), other);
        }
    }

    /// Another value for a setting.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.config.set(key, value.into());
    }

    /// The names of all arrays.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.arrays.keys()
    }

    /// A single number.
    pub fn number(&self, name: &str) -> f64 {
        self.arrays[name].data[0]
    }

    /// A number of the settings.
    pub fn number_of(&self, key: &str) -> f64 {
        self.config[key].as_f64().unwrap_or_else(|| panic!("{}: no number {key}", self.name))
    }

    /// What a word of the settings (or a number, true, false, null) stands for here; no other is known.
    pub fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> T {
        let value = &self.config[key];
        let said = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let found = words.iter().find(|(word, _)| *word == said).map(|(_, meaning)| *meaning);
        found.unwrap_or_else(|| panic!("{}: {key} is {said}, which is not there", self.name))
    }

    /// A setting as a count.
    pub fn count(&self, key: &str) -> usize {
        self.config[key].as_u64().unwrap_or_else(|| panic!("{}: config has no count {key}", self.name)) as usize
    }
}

enum Content {
    Numbers(Numbers),
    Text(String),
}

/// An npy file of numbers, truth values or one text.
fn array(bytes: &[u8]) -> Content {
    let wide = bytes[6] > 1;
    let (start, length) = if wide {
        (12, u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize)
    } else {
        (10, u16::from_le_bytes(bytes[8..10].try_into().unwrap()) as usize)
    };
    let header = std::str::from_utf8(&bytes[start..start + length]).unwrap();
    let data = &bytes[start + length..];
    let after = |key: &str| &header[header.find(key).unwrap() + key.len()..];
    let kind = after("'descr': '").split('\'').next().unwrap();
    let columns_first = after("'fortran_order': ").starts_with("True");
    let shape = after("'shape': (").split(')').next().unwrap();
    let shape: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let numbers = |size: usize, read: &dyn Fn(&[u8]) -> f64| {
        let stored: Vec<f64> = data.chunks_exact(size).map(read).collect();
        let place = |at: usize| if columns_first { turned(at, &shape) } else { at };
        Content::Numbers(Numbers {
            data: (0..stored.len()).map(|at| stored[place(at)]).collect(),
            shape: shape.clone(),
        })
    };
    match kind {
        "<f8" => numbers(8, &|b| f64::from_le_bytes(b.try_into().unwrap())),
        "<f4" => numbers(4, &|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))),
        "<i8" => numbers(8, &|b| i64::from_le_bytes(b.try_into().unwrap()) as f64),
        "<i4" => numbers(4, &|b| f64::from(i32::from_le_bytes(b.try_into().unwrap()))),
        "|b1" | "|u1" => numbers(1, &|b| f64::from(b[0])),
        "|i1" => numbers(1, &|b| f64::from(b[0] as i8)),
        text if text.starts_with("<U") => {
            let letters = data.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()));
            Content::Text(letters.take_while(|letter| *letter != 0).filter_map(char::from_u32).collect())
        }
        other => panic!("arrays of {other} are not read"),
    }
}

/// Where element `at`, counted with the last axis fastest, lies when the first axis is fastest.
fn turned(mut at: usize, shape: &[usize]) -> usize {
    let mut indices = Vec::new();
    for size in shape.iter().rev() {
        indices.push(at % size);
        at /= size;
    }
    indices.iter().zip(shape.iter().rev()).fold(0, |place, (index, size)| place * size + index)
}
