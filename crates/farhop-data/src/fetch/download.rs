//! One file: parts, attempts, checks.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::FetchError;
use super::http::{Answer, Client, Refused};
use super::{Event, FetchOptions};
use crate::files::hash::sha256_of_reader;
use crate::text::thousands;

/// For every attempt in a row that may fail, so many attempts in all.
const MOST_DROPS: u32 = 20;
/// The most bytes of a file whose size nobody knows.
const LARGEST_UNKNOWN: u64 = 64 << 30;

/// A file to download.
#[derive(Debug, Clone, Copy)]
pub struct Download<'a> {
    /// Its address.
    pub url: &'a str,
    /// Where it belongs.
    pub to: &'a Path,
    /// Its SHA-256 in lower-case hexadecimal, if known.
    pub sha256: Option<&'a str>,
    /// Its size, if known.
    pub bytes: Option<u64>,
}

/// Whether a download was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was, and is complete.
    Fetched,
    /// The file was here.
    Present,
}

/// What differs between a file and what is known of it.
struct Difference {
    what: &'static str,
    found: String,
    expected: String,
}

/// Downloads a file, going on where an earlier attempt stopped.
///
/// A part is continued if the SHA-256 of the whole is known, or if the server had named the version it belongs to;
/// otherwise two versions might be glued together, and the download starts over.
///
/// # Errors
/// See [`FetchError`]. A file that was complete is never touched.
pub fn download(
    job: &Download<'_>,
    options: &FetchOptions,
    progress: &mut dyn FnMut(Event<'_>),
) -> Result<Outcome, FetchError> {
    let name = job.to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if job.to.exists() {
        return match job.difference(job.to)? {
            None => {
                progress(Event::Present { file: &name });
                Ok(Outcome::Present)
            }
            Some(Difference { what, found, expected }) => {
                Err(FetchError::Different { file: job.to.display().to_string(), what, found, expected })
            }
        };
    }
    if let Some(folder) = job.to.parent() {
        fs::create_dir_all(folder).map_err(|source| write_error(folder, source))?;
    }
    let client = Client::new(job.url, &job.to.display().to_string(), options)?;
    let mut transfer = Transfer { job, options, name: &name, part: beside(job.to, ".part"), progress };
    let mut fresh = transfer.bring(&client)?;
    loop {
        match job.difference(&transfer.part)? {
            None => break,
            // The part of an earlier run may have been of another version: once more from the start.
            Some(_) if !fresh => {
                transfer.forget()?;
                transfer.bring(&client)?;
                fresh = true;
            }
            Some(Difference { what, found, expected }) => {
                transfer.forget()?;
                return Err(FetchError::Checksum { url: job.url.to_string(), what, found, expected });
            }
        }
    }
    let bytes = transfer.length();
    let part = transfer.part.clone();
    File::open(&part).and_then(|file| file.sync_all()).map_err(|source| write_error(&part, source))?;
    fs::rename(&part, job.to).map_err(|source| write_error(job.to, source))?;
    // Best effort: the note about the version has done its work.
    let _ = fs::remove_file(version_file(&part));
    progress(Event::Finished { file: &name, bytes, checked: job.sha256.is_some() });
    Ok(Outcome::Fetched)
}

impl Download<'_> {
    fn difference(&self, path: &Path) -> Result<Option<Difference>, FetchError> {
        let failed = |source| write_error(path, source);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if let Some(bytes) = self.bytes
            && bytes != length
        {
            return Ok(Some(Difference { what: "bytes", found: thousands(length), expected: thousands(bytes) }));
        }
        if let Some(expected) = self.sha256 {
            let found = sha256_of_reader(&mut file).map_err(failed)?;
            if found != expected {
                return Ok(Some(Difference { what: "SHA-256", found, expected: expected.to_string() }));
            }
        }
        Ok(None)
    }
}

struct Transfer<'a, 'p> {
    job: &'a Download<'a>,
    options: &'a FetchOptions,
    name: &'a str,
    part: PathBuf,
    progress: &'p mut dyn FnMut(Event<'_>),
}

/// How an attempt ended.
enum Attempt {
    Complete,
    Broken(String),
    StartOver,
}

impl Transfer<'_, '_> {
    /// Fills the part. Says whether every byte of it came in this run.
    fn bring(&mut self, client: &Client) -> Result<bool, FetchError> {
        let mut fresh = self.length() == 0;
        let mut in_vain = 0;
        let mut started_over = 0;
        let mut attempts = 0;
        loop {
            let before = self.resumable()?;
            fresh |= before == 0;
            if before > 0 && Some(before) == self.job.bytes {
                return Ok(fresh);
            }
            let version = fs::read_to_string(version_file(&self.part)).ok();
            let answer = client.ask(self.job.url, &self.job.to.display().to_string(), before, version.as_deref());
            let (reason, wish) = match answer {
                Ok(answer) => match self.receive(answer)? {
                    Attempt::Complete => return Ok(fresh),
                    Attempt::StartOver => (None, None),
                    Attempt::Broken(reason) => (Some(reason), None),
                },
                Err(Refused::ForGood(error)) => return Err(error),
                Err(Refused::StartOver) => (None, None),
                Err(Refused::ForNow(reason, wish)) => (Some(reason), wish),
            };
            let Some(reason) = reason else {
                self.forget()?;
                fresh = true;
                started_over += 1;
                if started_over > 2 {
                    return Err(self.gave_up("the server does not continue where it stopped".to_string(), started_over));
                }
                continue;
            };
            in_vain = if self.length() > before { 1 } else { in_vain + 1 };
            attempts += 1;
            // A server that drips a few bytes at a time would never bring the file.
            if in_vain >= self.options.attempts || attempts >= self.options.attempts.saturating_mul(MOST_DROPS) {
                return Err(self.gave_up(reason, attempts));
            }
            let pause = self.pause(in_vain, wish);
            (self.progress)(Event::Waiting { file: self.name, reason: &reason, pause });
            std::thread::sleep(pause);
        }
    }

    fn pause(&self, in_vain: u32, wish: Option<Duration>) -> Duration {
        let doubled = self.options.first_pause.saturating_mul(1 << (in_vain - 1).min(16));
        wish.unwrap_or(doubled).max(doubled).min(self.options.longest_pause)
    }

    fn gave_up(&self, reason: String, attempts: u32) -> FetchError {
        FetchError::Network { url: self.job.url.to_string(), reason, attempts, kept: self.length() }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |part| part.len())
    }

    /// Bytes of the part that can be built on; a part that cannot be is dropped.
    fn resumable(&mut self) -> Result<u64, FetchError> {
        let length = self.length();
        let known = self.job.sha256.is_some() || version_file(&self.part).exists();
        let too_long = self.job.bytes.is_some_and(|bytes| length > bytes);
        if length > 0 && (!known || too_long) {
            self.forget()?;
            return Ok(0);
        }
        Ok(length)
    }

    /// Drops the part.
    fn forget(&mut self) -> Result<(), FetchError> {
        let _ = fs::remove_file(version_file(&self.part));
        match fs::remove_file(&self.part) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(write_error(&self.part, source)),
            _ => Ok(()),
        }
    }

    fn receive(&mut self, mut answer: Answer) -> Result<Attempt, FetchError> {
        let total = answer.total.or(self.job.bytes);
        if let (Some(expected), Some(total)) = (self.job.bytes, answer.total)
            && expected != total
        {
            let (what, found, expected) = ("bytes", thousands(total), thousands(expected));
            return Err(FetchError::Checksum { url: self.job.url.to_string(), what, found, expected });
        }
        if answer.start > total.unwrap_or(u64::MAX) {
            return Ok(Attempt::StartOver);
        }
        let part = self.part.clone();
        let failed = |source| write_error(&part, source);
        let mut open = OpenOptions::new();
        let mut file = match answer.start {
            0 => open.write(true).create(true).truncate(true),
            _ => open.append(true),
        }
        .open(&self.part)
        .map_err(failed)?;
        match &answer.version {
            Some(version) => fs::write(version_file(&self.part), version).map_err(failed)?,
            None => drop(fs::remove_file(version_file(&self.part))),
        }
        let mut have = answer.start;
        // What is known of the size is a limit as well; without it there is one all the same.
        let most = total.unwrap_or(LARGEST_UNKNOWN);
        (self.progress)(Event::Started { file: self.name, resumed: have, total });
        let mut buffer = vec![0; 1 << 16];
        loop {
            match answer.body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    have += count as u64;
                    if have > most {
                        drop(file);
                        self.forget()?;
                        let (what, expected) = ("bytes", thousands(most));
                        let found = format!("more than {expected}");
                        return Err(FetchError::Checksum { url: self.job.url.to_string(), what, found, expected });
                    }
                    file.write_all(&buffer[..count]).map_err(failed)?;
                    (self.progress)(Event::Received { file: self.name, bytes: have, total });
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Ok(Attempt::Broken(format!("the connection broke ({error})"))),
            }
        }
        match total {
            Some(total) if have < total => Ok(Attempt::Broken("the connection ended early".to_string())),
            _ => Ok(Attempt::Complete),
        }
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}

/// Where the server's name for the version of a part is kept.
fn version_file(part: &Path) -> PathBuf {
    beside(part, ".version")
}

fn write_error(path: &Path, source: io::Error) -> FetchError {
    FetchError::Write { file: path.display().to_string(), source }
}
