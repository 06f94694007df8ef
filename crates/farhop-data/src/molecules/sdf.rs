//! SDF: molecules as molfiles, each with its data items behind it.

use std::collections::HashMap;
use std::path::Path;

use crate::error::DataError;
use crate::formats::text_file::TextFile;
use crate::text::{listed, nearest};

/// The lines of a file, cut into molecules.
pub(super) struct Sdf {
    pub file: TextFile,
    /// The names of the data items; the first column is the molecule itself.
    pub header: Vec<String>,
    pub records: Vec<Record>,
}

/// A molecule and what is said about it.
pub(super) struct Record {
    /// The line where it begins.
    pub line: u64,
    /// The molfile.
    pub text: String,
    /// Column and value.
    pub items: Vec<(usize, String)>,
}

/// What the first column is called.
pub(super) const MOLECULE: &str = "molfile";

impl Sdf {
    pub fn open(path: &Path) -> Result<Sdf, DataError> {
        let file = TextFile::open(path)?;
        let (mut header, mut records) = (vec![MOLECULE.to_string()], Vec::new());
        let mut column_of: HashMap<String, usize> = HashMap::new();
        let mut lines = file.text()?.lines().zip(1u64..).peekable();
        while let Some(&(_, line)) = lines.peek() {
            let mut record = Record { line, text: String::new(), items: Vec::new() };
            let mut inside = true;
            let mut item: Option<(usize, String)> = None;
            for (text, _) in lines.by_ref() {
                if text.trim_end() == "$$$$" {
                    break;
                }
                if inside {
                    record.text.push_str(text.trim_end_matches('\r'));
                    record.text.push('\n');
                    inside = !text.starts_with("M  END");
                } else if let Some(name) = item_name(text) {
                    record.items.extend(item.take());
                    let column = *column_of.entry(name.to_string()).or_insert_with(|| {
                        header.push(name.to_string());
                        header.len() - 1
                    });
                    item = Some((column, String::new()));
                } else if text.trim().is_empty() {
                    record.items.extend(item.take());
                } else if let Some((_, value)) = &mut item {
                    // A value of several lines is one text.
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(text.trim());
                }
            }
            record.items.extend(item);
            if !record.text.trim().is_empty() {
                records.push(record);
            }
        }
        Ok(Sdf { file, header, records })
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    pub fn require(&self, name: &str, role: &str) -> Result<usize, DataError> {
        let names = || self.header[1..].iter().map(String::as_str);
        self.column(name).ok_or_else(|| DataError::NoColumn {
            file: self.file.name().to_string(),
            name: name.to_string(),
            role: role.to_string(),
            nearest: nearest(name, names()).map(str::to_string),
            columns: if self.header.len() > 1 { listed(names()) } else { "none".to_string() },
        })
    }
}

/// The name in `> <name>`, with what may stand beside it.
fn item_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('>')?;
    let (_, rest) = rest.split_once('<')?;
    rest.rsplit_once('>').map(|(name, _)| name.trim())
}
