//! Downloads: resumed after a drop-out, checked, and never half a file under the final name.
//!
//! [`fetch`] brings the files of a catalogue entry into a data folder; [`download`] brings one file. Bytes go into
//! `<name>.part`; only when size and SHA-256 are right is it renamed. TLS is the cargo feature `https` (on by default;
//! pure Rust, no C compiler). Servers are trusted as Mozilla trusts them, or as `$SSL_CERT_FILE` says; proxies come from
//! the usual variables.

mod archive;
mod download;
mod error;
mod http;
mod tls;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use download::{Download, Outcome, download};
pub use error::FetchError;

use crate::catalogue::{DataFile, Entry};

/// How stubborn downloads are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchOptions {
    /// Attempts in a row that may bring no byte before giving up; of all attempts there are twenty times as many. Default 5.
    pub attempts: u32,
    /// The pause after the first failure; doubled after each further one. Default 1 s.
    pub first_pause: Duration,
    /// The longest pause. Default 30 s.
    pub longest_pause: Duration,
    /// How long to wait for a connection, for an answer and for the next bytes. Default 30 s.
    pub patience: Duration,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            attempts: 5,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(30),
            patience: Duration::from_secs(30),
        }
    }
}

/// What happens during a download, for a progress bar.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The transfer starts, or goes on after a drop-out.
    Started {
        /// The name of the file.
        file: &'a str,
        /// Bytes that were already here.
        resumed: u64,
        /// Bytes of the whole file, if known.
        total: Option<u64>,
    },
    /// More bytes have arrived.
    Received {
        /// The name of the file.
        file: &'a str,
        /// Bytes that are here now.
        bytes: u64,
        /// Bytes of the whole file, if known.
        total: Option<u64>,
    },
    /// Something failed that may pass; the next attempt follows.
    Waiting {
        /// The name of the file.
        file: &'a str,
        /// What failed.
        reason: &'a str,
        /// The pause before the next attempt.
        pause: Duration,
    },
    /// The file is complete.
    Finished {
        /// The name of the file.
        file: &'a str,
        /// Its size.
        bytes: u64,
        /// Whether its SHA-256 is known, and was compared.
        checked: bool,
    },
    /// The file was here before and is right (as far as its size and SHA-256 are known).
    Present {
        /// The name of the file.
        file: &'a str,
    },
}

/// What [`fetch`] did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchReport {
    /// Files that were downloaded.
    pub fetched: Vec<PathBuf>,
    /// Files that were here before.
    pub present: Vec<PathBuf>,
    /// Optional files that upstream did not give, each with the reason.
    pub skipped: Vec<String>,
}

/// Downloads the files of an entry into `data_folder/<the entry's first folder>`. Files that are there stay.
///
/// # Errors
/// The first file that could not be had, on one line; what arrived before it is kept and not fetched again.
pub fn fetch(
    entry: &Entry,
    data_folder: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(Event<'_>),
) -> Result<FetchReport, FetchError> {
    let Some(folder) = entry.folders.first() else {
        return Err(FetchError::NothingToFetch { name: entry.name.to_string() });
    };
    let folder = data_folder.join(folder);
    let mut report = FetchReport::default();
    let mut archives: Vec<&str> = Vec::new();
    for file in entry.files {
        let place = folder.join(file.names[0]);
        match (file.url, file.member) {
            (None, _) if place.exists() => report.present.push(place),
            (None, _) if file.required => {
                return Err(FetchError::NotPublished {
                    name: entry.name.to_string(),
                    file: place.display().to_string(),
                });
            }
            (None, _) => report.skipped.push(format!("{} is not published by upstream", file.names[0])),
            (Some(url), Some(_)) => {
                if !archives.contains(&url) {
                    archives.push(url);
                    let members: Vec<&DataFile> = entry.files.iter().filter(|other| other.url == Some(url)).collect();
                    archive::fetch(url, &members, &folder, options, progress, &mut report)?;
                }
            }
            (Some(url), None) => {
                let job = Download { url, to: &place, sha256: file.sha256, bytes: file.bytes };
                match download(&job, options, progress) {
                    Ok(Outcome::Fetched) => report.fetched.push(place),
                    Ok(Outcome::Present) => report.present.push(place),
                    Err(error) if !file.required && error.is_final_answer() => report.skipped.push(error.to_string()),
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(report)
}
