//! Files that upstream publishes inside a zip archive.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use zip::ZipArchive;

use super::{Download, Event, FetchError, FetchOptions, FetchReport, download};
use crate::catalogue::DataFile;
use crate::error::DataError;
use crate::save::write_atomically;

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
    let (sha256, bytes) = files.first().map_or((None, None), |file| (file.sha256, file.bytes));
    download(&Download { url, to: &place, sha256, bytes }, options, progress)?;
    unpack(&place, &wanted, folder, report)?;
    fs::remove_file(&place).map_err(|source| FetchError::Write { file: place.display().to_string(), source })
}

/// The last part of the address, without what follows a question mark.
fn archive_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("archive.zip")
}

fn unpack(archive: &Path, files: &[&&DataFile], folder: &Path, report: &mut FetchReport) -> Result<(), FetchError> {
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
        write_atomically(&place, |out| io::copy(&mut entry, out).map(|_| ())).map_err(|error| match error {
            DataError::Write { file, source } => FetchError::Write { file, source },
            other => wrong(other.to_string()),
        })?;
        report.fetched.push(place);
    }
    Ok(())
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
