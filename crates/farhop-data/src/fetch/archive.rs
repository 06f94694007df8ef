//! Files that upstream publishes inside a zip archive.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::{Download, Event, FetchError, FetchOptions, FetchReport, download};
use crate::catalogue::DataFile;
use crate::error::DataError;
use crate::files::hash::hex;
use crate::files::save::write_atomically;

/// Downloads an archive, takes out the members that are wanted and not here, and removes it.
pub(super) fn fetch(
    url: &str,
    files: &[&DataFile],
    folder: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(Event<'_>),
    report: &mut FetchReport,
) -> Result<(), FetchError> {
    let here = |file: &&&DataFile| folder.join(file.names[0]).exists();
    report.present.extend(files.iter().filter(here).map(|file| folder.join(file.names[0])));
    let wanted: Vec<&&DataFile> = files.iter().filter(|file| !here(file)).collect();
    if wanted.iter().all(|file| !file.required) {
        return Ok(());
    }
    let place = folder.join(archive_name(url));
    download(&Download { url, to: &place, sha256: None, bytes: None }, options, progress)?;
    unpack(url, &place, &wanted, folder, report)?;
    fs::remove_file(&place).map_err(|source| FetchError::Write { file: place.display().to_string(), source })
}

/// The last part of the address, without what follows a question mark.
fn archive_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("archive.zip")
}

fn unpack(
    url: &str,
    archive: &Path,
    files: &[&&DataFile],
    folder: &Path,
    report: &mut FetchReport,
) -> Result<(), FetchError> {
    let file = archive.display().to_string();
    let wrong = |reason: String| FetchError::Archive { file: file.clone(), reason };
    let opened = File::open(archive).map_err(|source| FetchError::Write { file: file.clone(), source })?;
    let mut zip = ZipArchive::new(BufReader::new(opened))
        .map_err(|error| wrong(format!("not a zip archive ({error}). Remove it and fetch again.")))?;
    for wanted in files {
        let member = wanted.member.unwrap_or(wanted.names[0]);
        let Some(index) = zip.index_for_name(member) else {
            if wanted.required {
                return Err(wrong(format!("there is no {member} in it. Upstream has changed the archive.")));
            }
            report.skipped.push(format!("{member} is not in the archive"));
            continue;
        };
        let mut entry = zip.by_index(index).map_err(|error| wrong(format!("{member} is damaged ({error}).")))?;
        // The place comes from the catalogue, never from the archive.
        let place = folder.join(wanted.names[0]);
        if let Some(parent) = place.parent() {
            let failed = |source| FetchError::Write { file: parent.display().to_string(), source };
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let mut found = None;
        let written = write_atomically(&place, |out| {
            let mut hashed = Hashed { inner: out, hash: Sha256::new() };
            io::copy(&mut entry, &mut hashed)?;
            let hash = hex(&hashed.hash.finalize());
            if wanted.sha256.is_some_and(|expected| expected != hash) {
                found = Some(hash);
                return Err(io::Error::other("not the expected file"));
            }
            Ok(())
        });
        match (written, found, wanted.sha256) {
            (Ok(()), ..) => report.fetched.push(place),
            (Err(_), Some(found), Some(expected)) => {
                let url = format!("{member} in {url}");
                return Err(FetchError::Checksum { url, what: "SHA-256", found, expected: expected.to_string() });
            }
            (Err(DataError::Write { file, source }), ..) => return Err(FetchError::Write { file, source }),
            (Err(other), ..) => return Err(wrong(other.to_string())),
        }
    }
    Ok(())
}

/// Passes bytes on and hashes them on the way.
struct Hashed<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::archive_name;

    #[test]
    fn archives_are_named_after_their_address() {
        assert_eq!(archive_name("https://example.org/s/abc/cocosp.zip?dl=1"), "cocosp.zip");
        assert_eq!(archive_name("https://example.org/"), "archive.zip");
    }
}
