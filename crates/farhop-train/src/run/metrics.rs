//! `metrics.jsonl`: one line an epoch, and none twice.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::durable;
use crate::{EpochReport, TrainError};

/// The open log of a run.
#[derive(Debug)]
pub(super) struct Metrics {
    path: PathBuf,
    file: File,
}

#[derive(Deserialize)]
struct Line {
    epoch: usize,
}

/// The epochs of a log, up to the first line that was cut short.
pub(super) fn read(path: &Path) -> Result<Vec<EpochReport>, TrainError> {
    let bytes = if path.exists() { durable::read(path)? } else { Vec::new() };
    Ok(bytes.split(|byte| *byte == b'\n').map_while(|line| serde_json::from_slice(line).ok()).collect())
}

impl Metrics {
    /// Opens the log and forgets every line after `epoch`: a run that continues from that epoch writes them again. A line
    /// that was cut short ends the log, too.
    pub(super) fn open(path: &Path, epoch: usize) -> Result<Self, TrainError> {
        let bytes = if path.exists() { durable::read(path)? } else { Vec::new() };
        let mut keep = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let whole = line.ends_with(b"\n");
            match serde_json::from_slice::<Line>(line) {
                Ok(parsed) if whole && parsed.epoch <= epoch => keep += line.len(),
                _ => break,
            }
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(TrainError::io(path, "write"))?;
        file.set_len(keep as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(TrainError::io(path, "write"))?;
        Ok(Metrics { path: path.to_path_buf(), file })
    }

    /// Adds the line of an epoch, in one write.
    pub(super) fn add(&mut self, report: &EpochReport) -> Result<(), TrainError> {
        let written = serde_json::to_vec(report).map_err(std::io::Error::other).and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)
        });
        written.map_err(TrainError::io(&self.path, "write"))
    }

    /// Waits until the disk has all lines: before a checkpoint that says they were written.
    pub(super) fn sync(&self) -> Result<(), TrainError> {
        self.file.sync_data().map_err(TrainError::io(&self.path, "write"))
    }
}
