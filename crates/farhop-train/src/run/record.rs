//! `run.json`: what was run, on what, and what came out.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use farhop_data::SourceFile;
use farhop_data::catalogue;
use farhop_data::metrics::Metric;
use farhop_nn::{InputShape, OutputShape};
use serde::{Deserialize, Serialize};

use super::names;
use crate::durable;
use crate::error::start_again;
use crate::together::Figures;
use crate::{DataConfig, FeatureScale, Scores, SplitSetting, TargetScale, TrainError};

const FORMAT: u32 = 2;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A process works on it, or was killed while it did.
    Running,
    /// Stopped on request; can be continued.
    Interrupted,
    /// Done.
    Finished,
    /// Ended with an error.
    Failed,
}

/// A file the data came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// As it was given.
    pub path: PathBuf,
    /// Of its bytes.
    pub sha256: String,
}

impl RecordedFile {
    /// That of a file that was read.
    pub fn of(source: &SourceFile) -> Self {
        RecordedFile { path: PathBuf::from(&source.path), sha256: source.sha256.clone() }
    }
}

/// The machine a run was made on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Threads used.
    pub threads: usize,
    /// Processor cores available.
    pub cores: usize,
    /// Instruction sets in use, such as `avx2`.
    pub instruction_sets: String,
    /// Memory the process may have, where the system tells.
    pub memory_bytes: Option<u64>,
    /// Operating system and processor family.
    pub system: String,
}

impl Machine {
    /// This machine. The caller knows the threads and the instruction sets of its kernels.
    pub fn detect(threads: usize, instruction_sets: impl Into<String>) -> Self {
        Machine {
            threads,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            instruction_sets: instruction_sets.into(),
            memory_bytes: crate::memory::available().map(|limit| limit.bytes),
            system: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// The record of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of this file's layout.
    pub format: u32,
    /// Version of farhop.
    pub farhop: String,
    /// How the run stands.
    pub status: Status,
    /// The error of a failed run.
    pub error: Option<String>,
    /// Seconds since 1970, when the run was first started.
    pub started: u64,
    /// What is learned.
    pub task: String,
    /// The score.
    pub metric: Metric,
    /// Kind of model.
    pub model: String,
    /// The seed of everything random.
    pub seed: u64,
    /// What the model reads.
    pub input: InputShape,
    /// What the model gives.
    pub output: OutputShape,
    /// The scale on which numbers are learned.
    pub scale: Option<TargetScale>,
    /// The scale of the numbers of nodes, where they came as arrays; none in runs of older versions.
    #[serde(default)]
    pub features: Option<FeatureScale>,
    /// For each yes-or-no label, or for the second of two classes: the probability above which the answer is yes, chosen on
    /// the validation part by balanced accuracy. None: one half, or other targets.
    #[serde(default)]
    pub thresholds: Option<Vec<f32>>,
    /// Graphs of the data.
    pub graphs: usize,
    /// Nodes of all graphs.
    pub nodes: usize,
    /// Edges of all graphs.
    pub edges: usize,
    /// Files the data came from, in the order they were read.
    pub data: Vec<RecordedFile>,
    /// The file that said the split, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_file: Option<RecordedFile>,
    /// The folder with datasets that was named for the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    /// The folder the run was started in: relative paths start there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_in: Option<PathBuf>,
    /// The machine of the last part of the run.
    pub machine: Machine,
    /// Weights of the model.
    pub parameters: usize,
    /// Epochs done.
    pub epochs: usize,
    /// Epoch of the best weights.
    pub best_epoch: Option<usize>,
    /// Scores of the best weights.
    pub scores: Scores,
    /// Seconds of training, over all parts of the run.
    pub seconds: f64,
    /// Mean seconds of an epoch.
    pub seconds_per_epoch: Option<f64>,
    /// Largest resident memory of the last part of the run.
    pub peak_rss_bytes: Option<u64>,
    /// Of several processes: what an epoch took in each of them, in the last part of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Figures>,
    /// Of `model.safetensors`; none until the run has ended.
    pub model_sha256: Option<String>,
}

impl RunRecord {
    /// A run that is about to begin. The model's name, the seed and the sizes are filled in by
    /// [`fit`](crate::fit::fit()).
    pub fn new(sources: &[SourceFile], machine: Machine) -> Self {
        let data = sources.iter().map(RecordedFile::of).collect();
        RunRecord {
            format: FORMAT,
            farhop: env!("CARGO_PKG_VERSION").to_string(),
            status: Status::Running,
            error: None,
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            task: String::new(),
            metric: Metric::Accuracy,
            model: String::new(),
            seed: 0,
            input: InputShape::default(),
            output: OutputShape::from(0),
            scale: None,
            features: None,
            thresholds: None,
            graphs: 0,
            nodes: 0,
            edges: 0,
            data,
            split_file: None,
            data_dir: None,
            started_in: std::env::current_dir().ok(),
            machine,
            parameters: 0,
            epochs: 0,
            best_epoch: None,
            scores: Scores::default(),
            seconds: 0.0,
            seconds_per_epoch: None,
            peak_rss_bytes: None,
            together: None,
            model_sha256: None,
        }
    }

    /// Where a file that the recipe names lies: as it is named, or seen from the folder the run was started in.
    pub fn find(&self, path: &Path) -> PathBuf {
        let there = self.started_in.as_ref().map(|folder| folder.join(path));
        there.filter(|there| !path.exists() && there.exists()).unwrap_or_else(|| path.to_path_buf())
    }

    /// What the recipe of the run in folder `run` says about its data, with paths that lead to it from here.
    pub fn found(&self, run: &Path, data: &DataConfig) -> DataConfig {
        let find = |path: &Option<PathBuf>| path.as_deref().map(|path| self.find(path));
        let own = run.join(names::DATA);
        let is_own = |name: &String| name == names::DATA && own.is_file();
        let dataset = data.dataset.as_ref().map(|name| match catalogue::find(name) {
            _ if is_own(name) => own.display().to_string(),
            Ok(_) => name.clone(),
            Err(_) => self.find(Path::new(name)).to_str().map_or_else(|| name.clone(), str::to_string),
        });
        DataConfig {
            dataset,
            nodes: find(&data.nodes),
            edges: find(&data.edges),
            molecules: find(&data.molecules),
            split: match &data.split {
                SplitSetting::File(path) => SplitSetting::File(self.find(path)),
                other => other.clone(),
            },
            ..data.clone()
        }
    }

    /// Checks that the data read now has the bytes of the data the run was started with. Where it lies does not matter.
    ///
    /// # Errors
    /// Names the first file that differs.
    pub fn check_data(&self, sources: &[SourceFile]) -> Result<(), TrainError> {
        if self.data.len() != sources.len() {
            let path = self.data.first().map_or("data".into(), |file| file.path.clone());
            let problem =
                format!("the run was started with {} data files, now there are {}", self.data.len(), sources.len());
            return Err(TrainError::DataChanged { path, problem });
        }
        for (then, now) in self.data.iter().zip(sources) {
            if then.sha256 != now.sha256 {
                return Err(TrainError::DataChanged {
                    path: PathBuf::from(&now.path),
                    problem: "its contents are not those the run was started with".to_string(),
                });
            }
        }
        Ok(())
    }

    /// Checks that the file that says the split is still the same.
    ///
    /// # Errors
    /// Names it if it is not.
    pub fn check_split(&self, now: Option<&SourceFile>) -> Result<(), TrainError> {
        match (&self.split_file, now) {
            (Some(then), Some(now)) if then.sha256 != now.sha256 => Err(TrainError::DataChanged {
                path: PathBuf::from(&now.path),
                problem: "its contents are not those the run was started with".to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Reads the `run.json` of a run folder.
    ///
    /// # Errors
    /// When it can't be read or is not a record.
    pub fn read(path: &Path) -> Result<Self, TrainError> {
        /// What records of all versions have.
        #[derive(Deserialize)]
        struct Stamp {
            format: u32,
            farhop: String,
        }
        let wrong = |problem: String| TrainError::Corrupt { path: path.to_path_buf(), problem, remedy: start_again() };
        let unknown = |error: serde_json::Error| wrong(format!("it is not a run record: {error}"));
        let bytes = durable::read(path)?;
        let Stamp { format, farhop } = serde_json::from_slice(&bytes).map_err(unknown)?;
        if format != FORMAT {
            return Err(wrong(format!("farhop {farhop} wrote it in format {format}, known is format {FORMAT}")));
        }
        serde_json::from_slice(&bytes).map_err(unknown)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), TrainError> {
        let mut bytes =
            serde_json::to_vec_pretty(self).map_err(std::io::Error::other).map_err(TrainError::io(path, "write"))?;
        bytes.push(b'\n');
        durable::replace(path, &bytes)
    }
}
