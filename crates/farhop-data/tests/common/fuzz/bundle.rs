//! Several files as one input: a line `=== name` before each.

use std::path::{Path, PathBuf};

const MARK: &[u8] = b"=== ";

/// A bundle of these files.
pub fn bundle(files: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, text) in files {
        bytes.extend_from_slice(MARK);
        bytes.extend_from_slice(format!("{name}\n").as_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// A folder for the files of one input after the other.
pub struct Folder {
    path: PathBuf,
    _kept: tempfile::TempDir,
}

impl Folder {
    /// A folder in memory, if there is a place for one.
    pub fn new() -> Folder {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.or_else(|_| tempfile::tempdir()).unwrap();
        Folder { path: folder.path().to_path_buf(), _kept: folder }
    }

    /// One file in the folder.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The files of a bundle, of those that are `known`; others of an earlier input are removed.
    pub fn unpack(&self, input: &[u8], known: &[&str]) -> &Path {
        let mut found: Vec<(&str, Vec<u8>)> = Vec::new();
        for line in input.split_inclusive(|&byte| byte == b'\n') {
            let name = line.strip_prefix(MARK).and_then(|name| std::str::from_utf8(name).ok());
            match name.and_then(|name| known.iter().find(|known| **known == name.trim_end())) {
                Some(name) => found.push((name, Vec::new())),
                None => found.last_mut().into_iter().for_each(|(_, bytes)| bytes.extend_from_slice(line)),
            }
        }
        for name in known {
            let path = self.path.join(name);
            match found.iter().find(|(other, _)| other == name) {
                Some((_, bytes)) => {
                    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                    std::fs::write(path, bytes).unwrap();
                }
                None => drop(std::fs::remove_file(path)),
            }
        }
        &self.path
    }
}
