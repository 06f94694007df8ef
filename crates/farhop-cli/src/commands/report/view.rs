//! A run with everything that can be said of it: what its folder holds, and what its data shows when it is read again.

use std::path::Path;

use farhop_data::card::DataCard;
use farhop_data::catalogue;
use farhop_nn::Level;
use farhop_train::insight::Insight;
use farhop_train::{Recipe, RunHistory, Status, TrainedRun};

use crate::arguments::NewData;
use crate::console::Console;
use crate::data;
use crate::failure::Failure;

/// A run to report.
pub struct RunView {
    pub history: RunHistory,
    /// What the data is like.
    pub card: Option<DataCard>,
    /// What the model does with it.
    pub insight: Option<Insight>,
    /// Why there is no insight.
    pub missing: Option<String>,
    /// Whether the data is no longer what the run was trained on.
    pub changed: bool,
}

impl RunView {
    /// Reads a run, and its data unless `data` is none.
    pub fn open(path: &Path, data: Option<&NewData>, console: &Console) -> Result<Self, Failure> {
        let history = RunHistory::read(path)?;
        let mut view = RunView { history, card: None, insight: None, missing: None, changed: false };
        match data {
            None => view.missing = Some("The data was not read: --without-data.".to_string()),
            Some(data) => {
                if let Err(failure) = view.look(data, console) {
                    let told = failure.to_string();
                    console.warning(&format!("{}: {told}", path.display()));
                    view.missing = Some(told);
                }
            }
        }
        Ok(view)
    }

    /// Reads the data as `farhop evaluate` does, and looks at what the model makes of it.
    fn look(&mut self, new: &NewData, console: &Console) -> Result<(), Failure> {
        let run = TrainedRun::open(&self.history.path)?;
        let read = data::read_for(&run, new, console)?;
        self.card = Some(DataCard::of(&read.dataset));
        let applied = read.prepare(&run, new, console)?;
        self.changed = applied.changed;
        data::plan_answers(&applied.recipe, &applied.task, console)?;
        self.insight = Insight::of(&run, &applied.task)?;
        if self.insight.is_none() {
            self.missing = Some("No part of the data has answers to compare with.".to_string());
        }
        Ok(())
    }

    /// What the run calls its rows.
    pub fn rows(&self) -> &'static str {
        match self.history.record.output.level {
            Level::Node => "nodes",
            Level::Graph | Level::Pair => "graphs",
        }
    }
}

/// What the data of a recipe is called.
pub fn data_name(recipe: &Recipe) -> String {
    let data = &recipe.data;
    let of = |path: &Path| path.file_name().map_or("data".into(), |name| name.to_string_lossy().into_owned());
    match (&data.dataset, &data.molecules, &data.nodes) {
        (Some(name), ..) => match catalogue::find(name) {
            Ok(entry) => entry.name.to_string(),
            Err(_) => of(Path::new(name)),
        },
        (_, Some(table), _) | (_, _, Some(table)) => of(table),
        _ => "data".to_string(),
    }
}

/// How a run stands, in words.
pub fn status_text(status: Status) -> &'static str {
    match status {
        Status::Running => "not ended: a process works on it, or was killed",
        Status::Interrupted => "interrupted; it can be continued",
        Status::Finished => "finished",
        Status::Failed => "failed",
    }
}

/// What a run is called among others: the end of its path, or all of it where that is not enough.
pub fn run_names(runs: &[RunHistory]) -> Vec<String> {
    let end = |run: &RunHistory| run.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let ends: Vec<String> = runs.iter().map(end).collect();
    let name = |(run, end): (&RunHistory, &String)| match ends.iter().filter(|other| *other == end).count() {
        1 if !end.is_empty() => end.clone(),
        _ => run.path.display().to_string(),
    };
    runs.iter().zip(&ends).map(name).collect()
}
