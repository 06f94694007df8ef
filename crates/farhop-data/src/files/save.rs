//! Files that are either the old one or the new one, whatever happens in between.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::DataError;

/// Writes a file beside its place, syncs it and renames it over the old one. If anything fails,
/// the old file is untouched and the new one is removed. A symbolic link is followed; a device or
/// pipe is written directly, as it cannot be replaced.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), DataError> {
    replace(path, fill).map_err(|source| DataError::Write { file: path.display().to_string(), source })
}

/// Whether both paths lead to one file that exists, under whatever names: through links, or spelled otherwise.
pub fn same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        identity(one).is_some_and(|found| identity(other) == Some(found))
    }
    #[cfg(not(unix))]
    {
        let place = |path: &Path| fs::canonicalize(path).ok();
        place(one).is_some_and(|found| place(other) == Some(found))
    }
}

fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let place = match fs::metadata(path) {
        Ok(existing) if existing.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "there is a folder of this name"));
        }
        Ok(existing) if !existing.is_file() => {
            let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
            fill(&mut writer)?;
            return writer.flush();
        }
        Ok(_) => match fs::canonicalize(path) {
            // Another process took the file away in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
            found => found?,
        },
        Err(_) => path.to_path_buf(),
    };
    let beside = beside(&place);
    let written = write_synced(&beside, fill).and_then(|()| fs::rename(&beside, &place));
    if written.is_err() {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_file(&beside);
    }
    written?;
    sync_folder(&place);
    Ok(())
}

fn write_synced(beside: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, File::create(beside)?);
    fill(&mut writer)?;
    writer.flush()?;
    writer.get_ref().sync_all()
}

/// A hidden name in the same folder, different for every process and every time.
fn beside(place: &Path) -> PathBuf {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}.{}.part", std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed)));
    place.with_file_name(name)
}

/// Makes the rename itself survive a loss of power, where the system can.
fn sync_folder(place: &Path) {
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write_atomically(&path, |file| file.write_all(b"old")).unwrap();
        let error = write_atomically(&path, |file| {
            file.write_all(b"half of the new")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(error.to_string().starts_with("cannot write "));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_atomically(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_the_same_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("one"), "1").unwrap();
        fs::write(path("other"), "1").unwrap();
        fs::create_dir(path("inside")).unwrap();
        fs::hard_link(path("one"), path("hard")).unwrap();
        std::os::unix::fs::symlink(path("one"), path("soft")).unwrap();
        for name in ["one", "hard", "soft", "inside/../one"] {
            assert!(same_file(&path("one"), &path(name)), "{name}");
        }
        assert!(!same_file(&path("one"), &path("other")));
        assert!(!same_file(&path("absent"), &path("absent")));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomically(&link, |file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        write_atomically(Path::new("/dev/null"), |file| file.write_all(b"x")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(write_atomically(folder.path(), |_| Ok(())).is_err());
    }
}
