//! What ends a command early, and the exit code that goes with it.

use std::fmt;
use std::process::ExitCode;

use farhop_data::DataError;
use farhop_data::fetch::FetchError;
use farhop_data::text::thousands;
use farhop_graph::GraphError;
use farhop_nn::NnError;
use farhop_train::memory::bytes_text;
use farhop_train::{NoMaterial, TrainError};

use crate::flags::advised;

/// A command that did not do what was asked. Its text is one line, or one for each problem of the data.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
    /// Further lines, one for each problem.
    problems: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The arguments can't be followed, whatever the data.
    Usage,
    /// They could be followed, and something went wrong.
    Failed,
    /// Whoever read the output has gone. Nothing to say, to nobody.
    Unheard,
}

/// Exit code of an interrupted command: 128 and the number of the signal, as shells have it.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    /// Wrong usage, exit code 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { kind: Kind::Usage, message: message.into(), problems: Vec::new() }
    }

    /// Failed, exit code 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Failure { kind: Kind::Failed, message: message.into(), problems: Vec::new() }
    }

    /// Several problems of the data, a line for each; wrong usage if all of them are.
    fn several(problems: Vec<DataError>, more: usize) -> Self {
        let count = thousands((problems.len() + more) as u64);
        let problems: Vec<Failure> = problems.into_iter().map(Failure::from).collect();
        let kind = if problems.iter().all(|one| one.kind == Kind::Usage) { Kind::Usage } else { Kind::Failed };
        let rest = (more > 0).then(|| format!("and {} more", thousands(more as u64)));
        let lines = problems.into_iter().map(|one| one.message).chain(rest);
        Failure { kind, message: format!("{count} problems in the data:"), problems: lines.collect() }
    }

    /// The reader of standard output has closed it.
    pub fn unheard() -> Self {
        Failure { kind: Kind::Unheard, message: String::new(), problems: Vec::new() }
    }

    /// Whether there is anything to say.
    pub fn is_silent(&self) -> bool {
        self.kind == Kind::Unheard
    }

    /// 0 done, 1 failed, 2 wrong usage.
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::Usage => ExitCode::from(2),
            Kind::Failed => ExitCode::FAILURE,
            Kind::Unheard => ExitCode::SUCCESS,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file name may hold a line break; a message may not.
        let plain = |text: &str| text.replace(['\n', '\r'], " ");
        formatter.write_str(&plain(&self.message))?;
        self.problems.iter().try_for_each(|problem| write!(formatter, "\n  {}", plain(problem)))
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::NoColumn { .. }
            | DataError::ColumnTwice { .. }
            | DataError::StandardInputTwice
            | DataError::Split(_) => Failure::usage(error.to_string()),
            DataError::Several { problems, more } => Failure::several(problems, more),
            _ => Failure::failed(error.to_string()),
        }
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Failure::failed(error.to_string())
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Recipe { .. }
            | TrainError::Setting { .. }
            | TrainError::Halo { .. }
            | TrainError::NoTuned { .. }
            | TrainError::NoTable { .. }
            | TrainError::NotInTable { .. }
            | TrainError::Contradiction { .. }
            | TrainError::Value { .. } => Failure::usage(error.to_string()),
            TrainError::NoSetting { origin, model: Some(model), near: None, .. } => Failure::usage(format!(
                "{origin} is not a setting of model {model}. Take it out, or choose another --model; farhop models {model} lists its settings."
            )),
            TrainError::NoSetting { .. } => Failure::usage(error.to_string()),
            TrainError::NoMaterial(problem) => problem.into(),
            TrainError::NoTest { name } => Failure::failed(format!(
                "{name} has no test part, so there is nothing to compare by. Mark rows as test, or pass --split seeded."
            )),
            TrainError::NothingToLearn { distance: Some(distance) } => Failure::failed(format!(
                "no node has another at distance {distance}: there is nothing to learn from. Pass a smaller --distance."
            )),
            TrainError::DoesNotFit { needed, available, advice: Some(advice) } => Failure::failed(format!(
                "this run needs {needed} and {available} are available. Pass {} (needs {}).",
                advised(&advice),
                bytes_text(advice.total)
            )),
            TrainError::NeedsFile { .. } => {
                let text = error.to_string();
                Failure::failed(format!("{}: farhop predict RUN FILE.", text.trim_end_matches('.')))
            }
            TrainError::Model(error) => error.into(),
            TrainError::Data(error) => error.into(),
            _ => Failure::failed(error.to_string()),
        }
    }
}

impl From<NoMaterial> for Failure {
    fn from(problem: NoMaterial) -> Self {
        match problem {
            NoMaterial::Edges => Failure::usage("--edges is missing: give the edges table, a CSV file."),
            NoMaterial::Nodes => Failure::usage("--nodes is missing: give the nodes table, a CSV file."),
            NoMaterial::Source => Failure::usage(
                "--nodes and --edges are missing. Give both, a table of molecules, or the name of a dataset (farhop data list).",
            ),
            NoMaterial::Target => Failure::usage("--target is missing: name the column of the table to predict."),
            NoMaterial::NothingToPredict { name } => Failure::usage(format!(
                "{name} has nothing to predict: name an attribute, item or array in it with --target, or give tables with --nodes and --edges."
            )),
            NoMaterial::Distance { known } => {
                Failure::usage(format!("--distance is a setting of data that is made: {known}. Take it out."))
            }
            NoMaterial::Dataset(_) => Failure::usage(problem.to_string()),
            NoMaterial::File { .. } | NoMaterial::SameName { .. } => Failure::failed(problem.to_string()),
        }
    }
}

impl From<NnError> for Failure {
    fn from(error: NnError) -> Self {
        match error {
            NnError::UnknownModel { .. }
            | NnError::Setting { .. }
            | NnError::Settings { .. }
            | NnError::CanNot { .. } => Failure::usage(error.to_string()),
            _ => Failure::failed(error.to_string()),
        }
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Parameter { .. } => Failure::usage(error.to_string()),
            _ => Failure::failed(error.to_string()),
        }
    }
}
