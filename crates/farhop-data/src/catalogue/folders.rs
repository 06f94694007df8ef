//! Where datasets lie on this machine.

use std::env;
use std::path::{Path, PathBuf};

use super::entry::{DataFile, Entry};
use crate::error::DataError;

/// The folders in which datasets are looked for, the first that has one wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataFolders {
    folders: Vec<PathBuf>,
}

impl DataFolders {
    /// These folders and no other.
    pub fn new(folders: Vec<PathBuf>) -> Self {
        DataFolders { folders }
    }

    /// The folder given (`--data-dir`), then `$FARHOP_DATA`, then the user's own: `$XDG_DATA_HOME/farhop`, or
    /// `~/.local/share/farhop` without it.
    pub fn usual(given: Option<&Path>) -> Self {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| home.join(".local/share"));
        let own = variable("XDG_DATA_HOME").or_else(home).map(|folder| folder.join("farhop"));
        let all = [given.map(Path::to_path_buf), variable("FARHOP_DATA"), own];
        DataFolders { folders: all.into_iter().flatten().collect() }
    }

    /// The folders in the order they are looked through.
    pub fn paths(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Where downloads go: the first folder.
    pub fn for_downloads(&self) -> Option<&Path> {
        self.folders.first().map(PathBuf::as_path)
    }
}

/// Whether a dataset is on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// It is made on the spot and needs no files.
    Made,
    /// All files that loading needs are under this data folder.
    Here {
        /// The data folder.
        folder: PathBuf,
    },
    /// Its stand-in is under this data folder, and is loaded in its place.
    StandIn {
        /// The data folder.
        folder: PathBuf,
        /// The name of the stand-in.
        name: &'static str,
    },
    /// Some of the files are.
    Partly {
        /// The data folder.
        folder: PathBuf,
        /// The files that are not.
        missing: Vec<String>,
    },
    /// None of the files is here.
    Absent,
}

/// The files of an entry, found.
#[derive(Debug, Clone)]
pub(super) struct Located {
    entry: &'static str,
    files: Vec<(&'static str, PathBuf)>,
}

impl Located {
    /// The path of an optional file, by its first name.
    pub fn find(&self, name: &str) -> Option<&Path> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, path)| path.as_path())
    }

    /// The paths of all files that were found, in the order of the catalogue.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(_, path)| path.clone()).collect()
    }

    /// The path of a file that loading needs, by its first name.
    pub fn path(&self, name: &str) -> Result<&Path, DataError> {
        self.find(name).ok_or_else(|| DataError::Mismatch { what: format!("{}: {name} is not here.", self.entry) })
    }
}

impl Entry {
    /// Whether the dataset is on this machine.
    pub fn on_this_machine(&self, folders: &DataFolders) -> Presence {
        if self.is_made() {
            return Presence::Made;
        }
        let mut best = Presence::Absent;
        for folder in folders.paths() {
            let (found, missing) = self.look(folder);
            if missing.is_empty() {
                return Presence::Here { folder: folder.clone() };
            }
            let telling = found.iter().any(|(name, _)| self.file(name).is_some_and(|file| file.required));
            if telling && best == Presence::Absent {
                best = Presence::Partly { folder: folder.clone(), missing };
            }
        }
        if let Some(other) = self.stand_in
            && let Presence::Here { folder } = other.on_this_machine(folders)
        {
            return Presence::StandIn { folder, name: other.name };
        }
        best
    }

    /// Bytes of the files that loading reads (or those of its stand-in), as far as they are here.
    pub fn found_bytes(&self, folders: &DataFolders) -> u64 {
        match self.locate(folders) {
            Ok(located) => {
                let sizes = located.files.iter().filter_map(|(_, path)| std::fs::metadata(path).ok());
                sizes.map(|file| file.len()).sum()
            }
            Err(_) => self.stand_in.map_or(0, |other| other.found_bytes(folders)),
        }
    }

    fn file(&self, name: &str) -> Option<&DataFile> {
        self.files.iter().find(|file| file.names[0] == name)
    }

    /// The files of the entry under a data folder, and the names of those that are needed and not there.
    fn look(&self, data_folder: &Path) -> (Vec<(&'static str, PathBuf)>, Vec<String>) {
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for file in self.files {
            let places = self.folders.iter().flat_map(|folder| file.names.iter().map(move |name| (folder, name)));
            let mut paths = places.map(|(folder, name)| data_folder.join(folder).join(name));
            match paths.find(|path| path.is_file()) {
                Some(path) => found.push((file.names[0], path)),
                None if file.required => missing.push(file.names[0].to_string()),
                None => {}
            }
        }
        (found, missing)
    }

    /// The files of the entry, in the first data folder that has all that are needed.
    pub(super) fn locate(&self, folders: &DataFolders) -> Result<Located, DataError> {
        for folder in folders.paths() {
            let (files, missing) = self.look(folder);
            if missing.is_empty() {
                return Ok(Located { entry: self.name, files });
            }
        }
        let searched: Vec<String> = folders.paths().iter().map(|folder| folder.display().to_string()).collect();
        let searched = match searched.is_empty() {
            true => "no data folder is set".to_string(),
            false => format!("looked in {}", searched.join(", ")),
        };
        let place = self.folders.first().unwrap_or(&"");
        let what = match self.on_this_machine(folders) {
            Presence::Partly { folder, missing } => {
                format!("only part of it is in {}: {} is missing", folder.display(), missing.join(", "))
            }
            _ => format!("it is not on this machine ({searched})"),
        };
        Err(DataError::Mismatch {
            what: format!(
                "{}: {what}. Run `farhop data fetch {}`, or put its files into {place} under a data folder.",
                self.name, self.name
            ),
        })
    }
}
