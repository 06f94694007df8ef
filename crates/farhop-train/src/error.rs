//! Everything that can go wrong between a recipe and a finished run.

use std::io;
use std::path::{Path, PathBuf};

use farhop_data::{DataError, Setting};
use farhop_nn::NnError;

/// A failure of training or of the run folder. Its text is one line: where, what, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The system refused to read or write a file.
    #[error("{}: can't {action}: {source}. {}", path.display(), remedy(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, as a verb: "write", "read".
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// A recipe is not TOML, has an unknown setting, or a value that is not allowed.
    #[error("{}{}: {problem}", file.display(), line_text(*line))]
    Recipe {
        /// The recipe file.
        file: PathBuf,
        /// Line of the offending key, counted from 1, where it is known.
        line: Option<usize>,
        /// What is wrong, what is allowed.
        problem: String,
    },
    /// A setting of the training loop is out of range.
    #[error("{name} is {value}: {allowed}")]
    Setting {
        /// Name of the setting, as in the recipe.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A key that no recipe, or none of this model, has.
    #[error("{origin} is not a setting of {}. {}", whose(*model), how_it_is_called(near.as_deref(), known))]
    NoSetting {
        /// Who asks for it.
        origin: String,
        /// The model, if it is a setting of one.
        model: Option<&'static str>,
        /// What it may be a slip of.
        near: Option<String>,
        /// The keys that are there.
        known: Vec<String>,
    },
    /// A setting can't have that value.
    #[error("{origin} = {value} is not possible: {wanted}.")]
    Value {
        /// Who asks for it.
        origin: String,
        /// The value.
        value: String,
        /// What is allowed.
        wanted: String,
    },
    /// One setting is asked to have two values.
    #[error("{first} and {second} contradict each other: {key} is {} or {}, not both. Give one of them.", values[0], values[1])]
    Contradiction {
        /// Who asks for one.
        first: String,
        /// Who asks for the other.
        second: String,
        /// The key in a recipe.
        key: String,
        /// Both values.
        values: Box<[String; 2]>,
    },
    /// What the recipe says about its data can't be followed.
    #[error(transparent)]
    NoMaterial(#[from] NoMaterial),
    /// A process of a run over several is gone.
    #[error("process {rank}: {problem}. The last checkpoint is whole: start all processes again and continue the run.")]
    Lost {
        /// The process that noticed.
        rank: usize,
        /// What it noticed.
        problem: String,
    },
    /// The training part is empty.
    #[error("{}", nothing_to_learn(*distance))]
    NothingToLearn {
        /// The distance that matters, for data that is made.
        distance: Option<usize>,
    },
    /// There is no test part to compare by.
    #[error("{name} has no test part, so there is nothing to compare by. Put some rows there, or draw a split.")]
    NoTest {
        /// The data.
        name: String,
    },
    /// No recipe comes with farhop for that.
    #[error("no recipe comes with farhop for {of}. There are: {known}. Leave the recipe out for the general settings.")]
    NoTuned {
        /// The dataset, or model and dataset.
        of: String,
        /// What there is.
        known: String,
    },
    /// There is no such table.
    #[error("there is no table {name}. {}", did_you_mean(near.as_deref(), known))]
    NoTable {
        /// What was asked for, in quotes.
        name: String,
        /// What it may be a slip of.
        near: Option<String>,
        /// The tables that there are.
        known: String,
    },
    /// A table has no such row or column.
    #[error("the table has no {name}. {}", did_you_mean(near.as_deref(), known))]
    NotInTable {
        /// What was asked for.
        name: String,
        /// What it may be a slip of.
        near: Option<String>,
        /// What it has.
        known: String,
    },
    /// Parts of a graph would see more around them than the model does.
    #[error("halo is {halo}: this {model} sees {seen} hops; give at most {most}, or \"none\".")]
    Halo {
        /// The hops that were asked for.
        halo: usize,
        /// Name of the model.
        model: &'static str,
        /// Hops that an answer depends on.
        seen: usize,
        /// The most that may be asked for.
        most: usize,
    },
    /// Labels, split, features and graph do not belong together.
    #[error("{0}")]
    Task(String),
    /// The loss, a gradient or an evaluated output became NaN or infinite.
    #[error(
        "training stopped at epoch {epoch}: {place} was the first to turn NaN or infinite. {kept}. Lower the learning rate (now {learning_rate:?}), or set clip_norm."
    )]
    NonFinite {
        /// The epoch that failed, counted from 1.
        epoch: usize,
        /// The output of the first stage that is not finite, or the loss, or the gradient.
        place: String,
        /// Learning rate of that epoch.
        learning_rate: f64,
        /// What was saved, as a sentence without its full stop.
        kept: String,
    },
    /// A run ended while what evaluation reads had not settled.
    #[error(
        "the averages of batch norm have seen too few steps ({steps}): with them {place} is NaN or infinite, while training itself is well. Train for more epochs (now {epochs})."
    )]
    Unsettled {
        /// Steps of the run.
        steps: usize,
        /// The output of the first stage that is not finite.
        place: String,
        /// Epochs of the run.
        epochs: usize,
    },
    /// The run would need more memory than there is.
    #[error("this run needs {needed} and {available} are available. {}", how_to_fit(advice.as_ref()))]
    DoesNotFit {
        /// What it needs, in words.
        needed: String,
        /// What there is, in words.
        available: String,
        /// What would make it fit.
        advice: Option<crate::memory::Advice>,
    },
    /// Another process works in the run folder.
    #[error("{} is in use by another farhop process{}. Wait for it, or choose another {}.", path.display(), pid_text(*pid), out())]
    InUse {
        /// The run folder.
        path: PathBuf,
        /// Process id of the holder, where it could be read.
        pid: Option<u32>,
    },
    /// A file of the run that is to be replaced is read.
    #[error("{} is read, and belongs to the run in {} that would be replaced. Choose another {}.", path.display(), run.display(), out())]
    IsRead {
        /// The file.
        path: PathBuf,
        /// The run folder.
        run: PathBuf,
    },
    /// The run folder was removed or replaced under the run.
    #[error("{} is gone: it was removed, moved or replaced while the run worked in it, and nothing more can be saved there. Start the run again with another {}.", path.display(), out())]
    FolderGone {
        /// Where it was.
        path: PathBuf,
    },
    /// The folder holds something, but no run.
    #[error("{} is not empty and is not a run folder. Choose another {}.", path.display(), out())]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// There is no run where one was expected.
    #[error("{} is not a run folder (it has no {missing}). Give the folder that farhop train wrote.", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// The file that is absent.
        missing: &'static str,
    },
    /// There is no study where one was expected.
    #[error("{} is not the folder of a study (it has no study.json). Give the folder that farhop tune wrote.", path.display())]
    NoStudy {
        /// The folder.
        path: PathBuf,
    },
    /// There are no runs where some were expected.
    #[error("{} has no runs. Give the folder that farhop compare keeps its runs in.", path.display())]
    NoComparison {
        /// The folder.
        path: PathBuf,
    },
    /// The folder already holds a run.
    #[error("{} already holds {what}. Pass {} to continue it, {} to replace it, or choose another {}.", path.display(), Setting::named("resume"), Setting::on("overwrite"), out())]
    RunExists {
        /// The run folder.
        path: PathBuf,
        /// "a finished run", "an unfinished run".
        what: &'static str,
    },
    /// A saved file does not hold what was written.
    #[error("{}: {problem}. {remedy}", path.display())]
    Corrupt {
        /// The damaged file.
        path: PathBuf,
        /// How it was noticed.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// The data is not the data the run was started with.
    #[error("{}: {problem}. Give the files of the run, or start a new run with another {}.", path.display(), out())]
    DataChanged {
        /// The data file or the run's record of it.
        path: PathBuf,
        /// What differs.
        problem: String,
    },
    /// The run has no weights yet.
    #[error("{} has no saved weights yet. Continue it with {}.", path.display(), resume(path))]
    NoWeights {
        /// The run folder.
        path: PathBuf,
    },
    /// Tables were given where the run reads a file or folder.
    #[error(
        "the run was trained on {layout}. Give another one instead of {} and {}.",
        Setting::named("nodes"),
        Setting::named("edges")
    )]
    NeedsFile {
        /// What it was trained on, in words.
        layout: String,
    },
    /// A model could not be built or loaded.
    #[error(transparent)]
    Model(#[from] NnError),
    /// The data could not be read or does not hold together.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// Why there is nothing to learn from. The command says the same with its options.
#[derive(Debug, thiserror::Error)]
pub enum NoMaterial {
    /// A nodes table without edges.
    #[error("data.edges is missing: give the edges table, a CSV file.")]
    Edges,
    /// An edges table without nodes.
    #[error("data.nodes is missing: give the nodes table, a CSV file.")]
    Nodes,
    /// No data is named.
    #[error("the recipe names no data. Set data.dataset, data.molecules, or data.nodes and data.edges.")]
    Source,
    /// A table without a column to predict.
    #[error("data.targets is missing: name the column of the table to predict.")]
    Target,
    /// A file without anything to predict.
    #[error("{name} has nothing to predict: name an attribute, item or array in it as data.targets.")]
    NothingToPredict {
        /// The data.
        name: String,
    },
    /// A path that leads nowhere.
    #[error("{name}: there is no such file or folder. Correct the path.")]
    File {
        /// The path.
        name: String,
    },
    /// A name that is not in the catalogue.
    #[error("{0}")]
    Dataset(Box<DataError>),
    /// A distance for data that has none.
    #[error("data.distance is a setting of data that is made: {known}. Take it out.")]
    Distance {
        /// The datasets that have one.
        known: String,
    },
    /// A dataset of the catalogue that can't be read, and a file of that name.
    #[error("{error} For what is here under that name write ./{name}.")]
    SameName {
        /// Why it can't.
        error: Box<TrainError>,
        /// The name.
        name: String,
    },
}

fn whose(model: Option<&str>) -> String {
    model.map_or("a recipe".to_string(), |name| format!("model {name}"))
}

fn how_it_is_called(near: Option<&str>, known: &[String]) -> String {
    did_you_mean(near, &known.join(", "))
}

fn did_you_mean(near: Option<&str>, known: &str) -> String {
    near.map_or_else(|| format!("Known: {known}."), |near| format!("Did you mean {near}?"))
}

fn nothing_to_learn(distance: Option<usize>) -> String {
    match distance {
        Some(distance) => format!(
            "no node has another at distance {distance}: there is nothing to learn from. Give a smaller distance."
        ),
        None => "there is nothing to learn from: the training part is empty. Mark rows as train.".to_string(),
    }
}

/// What to do about a run that does not fit.
fn how_to_fit(advice: Option<&crate::memory::Advice>) -> String {
    match advice {
        Some(advice) => {
            let settings: Vec<String> = advice.settings.iter().map(ToString::to_string).collect();
            format!("Set {} (needs {}).", settings.join(", "), crate::memory::bytes_text(advice.total))
        }
        None => TrainError::NOTHING_SMALLER.to_string(),
    }
}

impl TrainError {
    /// What to do where no smaller setting would help.
    pub const NOTHING_SMALLER: &str =
        "No smaller setting of this model fits: use a smaller graph, fewer features, or a machine with more memory.";

    /// Whether it is the fault of one run alone: the data, the disk and other runs have no part in it.
    pub(crate) fn is_of_run(&self) -> bool {
        matches!(
            self,
            TrainError::NonFinite { .. }
                | TrainError::Unsettled { .. }
                | TrainError::DoesNotFit { .. }
                | TrainError::Model(NnError::CanNot { .. })
        )
    }

    /// The end of the key in a recipe that is out of range, such as `.optimizer.beta1`.
    pub(crate) fn setting(&self) -> Option<String> {
        match self {
            TrainError::Setting { name, .. } => Some(format!(".{name}")),
            TrainError::Halo { .. } => Some(".halo".to_string()),
            TrainError::Model(NnError::Setting { model: "optimizer", key, .. }) => Some(format!(".optimizer.{key}")),
            TrainError::Model(NnError::Setting { key, .. }) => Some(format!("model.{key}")),
            _ => None,
        }
    }

    /// For `map_err` on a system call that touched `path`.
    pub(crate) fn io(path: impl AsRef<Path>, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| TrainError::Io { path, action, source }
    }
}

/// Where a run is written.
fn out() -> Setting {
    Setting::named("out")
}

/// A run that is continued.
pub(crate) fn resume(run: &Path) -> Setting {
    Setting::to("resume", run.display().to_string())
}

/// What to do about a file of a run that can't be read any more.
pub(crate) fn start_again() -> String {
    format!("Start again with {}, or restore the file from a copy.", Setting::on("overwrite"))
}

fn remedy(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            let resume = Setting::named("resume");
            format!(
                "Free some space and continue with {resume}, a search or a comparison with the same command; what was saved before is intact."
            )
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "Check its permissions, or choose another place.".to_string()
        }
        io::ErrorKind::NotFound => "Check the path.".to_string(),
        _ => "What was saved before is intact.".to_string(),
    }
}

fn line_text(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

fn pid_text(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (pid {pid})"))
}
