//! Files that a command writes for the user: never over what it reads or what belongs to a run, and over nothing else that
//! is there unless asked to. Looked at before any work is done.

use std::path::{Path, PathBuf};

use farhop_data::SourceFile;
use farhop_data::save::same_file;
use farhop_train::run::owner;

use crate::failure::Failure;

/// A place that a command will write to.
#[derive(Debug, Clone)]
pub struct Output {
    flag: &'static str,
    path: PathBuf,
}

impl Output {
    /// The place that `flag` names. With `overwrite`, a file that is there is replaced. What can't be replaced, such as a
    /// pipe or a device, is written to.
    pub fn new(flag: &'static str, path: &Path, overwrite: bool) -> Result<Self, Failure> {
        let output = Output::of_ours(flag, path);
        let refused = |why: String| Err(Failure::failed(format!("{flag} {}: {why}", path.display())));
        if path.as_os_str() == "-" {
            return refused("this can't go to standard output. Name a file.".into());
        }
        if let Some(run) = owner(path) {
            return refused(format!("this file belongs to the run in {}. Choose another place.", run.display()));
        }
        match path.metadata() {
            Ok(found) if found.is_dir() => refused("this is a folder. Name a file in it.".into()),
            Ok(found) if found.is_file() && !overwrite => {
                refused("this file is there already. Pass --overwrite to replace it, or choose another place.".into())
            }
            Ok(_) => Ok(output),
            Err(_) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
                    refused(format!("there is no folder {}. Make it, or choose another place.", folder.display()))
                }
                _ => Ok(output),
            },
        }
    }

    /// A file that is farhop's own and is replaced whenever it is made again, such as the predictions in a run folder.
    pub fn of_ours(flag: &'static str, path: &Path) -> Self {
        Output { flag, path: path.to_path_buf() }
    }

    /// Refuses a place that is one of these files, under whatever name.
    pub fn spares<'a>(&self, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
        match read.into_iter().find(|read| same_file(read, &self.path)) {
            None => Ok(()),
            Some(read) if read == self.path => Err(Failure::failed(format!(
                "{} {}: this file is read, and would be lost. Choose another place.",
                self.flag,
                self.path.display()
            ))),
            Some(read) => Err(Failure::failed(format!(
                "{} {}: this is the same file as {}, which is read and would be lost. Choose another place.",
                self.flag,
                self.path.display(),
                read.display()
            ))),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The files that data came from.
pub fn paths(sources: &[SourceFile]) -> impl Iterator<Item = &Path> {
    sources.iter().map(|source| Path::new(&source.path))
}
