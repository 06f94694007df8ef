//! Runs that were measured before and come with farhop (`recipes/measured/TABLE.json` of the repository), found by the settings they were made
//! with: settings that change since then have no measured runs.

use std::collections::BTreeMap;

use farhop_data::metrics::Metric;
use serde::{Deserialize, Serialize};

use crate::compare::identity;
use crate::series::{Member, Row};
use crate::{Machine, Recipe, RunRecord, Scores, SplitSetting, Status, TrainError};

/// Name of a table, text.
static MEASURED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/measured.rs"));

/// What is kept of a run of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRun {
    /// What its settings are called, seed and split among them.
    pub settings: String,
    /// Its seed.
    pub seed: u64,
    /// Its split.
    pub split: SplitSetting,
    /// How it is scored; none if it failed.
    pub metric: Option<Metric>,
    /// Score on the training part.
    pub train: Option<f64>,
    /// Score on the validation part.
    pub valid: Option<f64>,
    /// Score on the test part.
    pub test: Option<f64>,
    /// Epoch of the best weights.
    pub best_epoch: Option<usize>,
    /// Epochs done.
    pub epochs: usize,
    /// Number of weights.
    pub parameters: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Mean seconds of an epoch.
    pub seconds_per_epoch: Option<f64>,
    /// Largest resident memory.
    pub peak_rss_bytes: Option<u64>,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// Where.
    pub machine: Machine,
    /// By which version of farhop.
    pub farhop: String,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// What is read of the file of a table.
#[derive(Deserialize)]
struct Kept {
    cells: Vec<KeptCell>,
}

#[derive(Deserialize)]
struct KeptCell {
    runs: Vec<MeasuredRun>,
}

/// The measured runs of a table, by the names of their settings.
///
/// # Errors
/// When the file is not as it has to be, which a test rules out.
pub(super) fn measured(table: &str) -> Result<BTreeMap<String, MeasuredRun>, TrainError> {
    let Some((name, text)) = MEASURED.iter().find(|(name, _)| *name == table) else { return Ok(BTreeMap::new()) };
    let kept: Kept = serde_json::from_str(text).map_err(|error| TrainError::Recipe {
        file: format!("measured/{name}.json").into(),
        line: Some(error.line()),
        problem: error.to_string(),
    })?;
    let runs = kept.cells.into_iter().flat_map(|cell| cell.runs);
    Ok(runs.map(|run| (run.settings.clone(), run)).collect())
}

/// What the settings of a run are called, whatever the data.
pub(super) fn settings_of(recipe: &Recipe) -> Result<String, TrainError> {
    identity(recipe, &[])
}

impl MeasuredRun {
    /// What is kept of a run.
    ///
    /// # Errors
    /// When its settings can't be written.
    pub fn of(row: &Row) -> Result<Self, TrainError> {
        let recipe = &row.member.recipe;
        // A run that failed has no numbers; the version and the machine are those of now.
        let none = RunRecord::new(&[], Machine::default());
        let (record, error) = match &row.result {
            Ok(record) => (record, None),
            Err(problem) => (&none, Some(problem.clone())),
        };
        Ok(MeasuredRun {
            settings: settings_of(recipe)?,
            seed: recipe.train.seed,
            split: recipe.data.split.clone(),
            metric: error.is_none().then_some(record.metric),
            train: record.scores.train,
            valid: record.scores.valid,
            test: record.scores.test,
            best_epoch: record.best_epoch,
            epochs: record.epochs,
            parameters: record.parameters,
            seconds: record.seconds,
            seconds_per_epoch: record.seconds_per_epoch,
            peak_rss_bytes: record.peak_rss_bytes,
            started: record.started,
            machine: record.machine.clone(),
            farhop: record.farhop.clone(),
            error,
        })
    }

    /// The run as one of a cell.
    pub(super) fn row(&self, member: Member) -> Row {
        let result = match &self.error {
            Some(problem) => Err(problem.clone()),
            None => Ok(self.record(&member.recipe)),
        };
        Row { member, path: None, result }
    }

    fn record(&self, recipe: &Recipe) -> RunRecord {
        let mut record = RunRecord::new(&[], self.machine.clone());
        record.status = Status::Finished;
        record.farhop.clone_from(&self.farhop);
        record.started = self.started;
        record.started_in = None;
        record.metric = self.metric.unwrap_or(record.metric);
        record.model = recipe.model.name().to_string();
        record.seed = self.seed;
        record.parameters = self.parameters;
        record.epochs = self.epochs;
        record.best_epoch = self.best_epoch;
        record.scores = Scores { train: self.train, valid: self.valid, test: self.test };
        record.seconds = self.seconds;
        record.seconds_per_epoch = self.seconds_per_epoch;
        record.peak_rss_bytes = self.peak_rss_bytes;
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::members;
    use crate::table::definitions;

    /// What comes with farhop can be read, and belongs to a table.
    #[test]
    fn every_file_is_one_of_a_table() {
        let tables = definitions().unwrap();
        for (name, _) in MEASURED {
            assert!(tables.iter().any(|table| table.name == *name), "{name}");
            let runs = measured(name).unwrap_or_else(|error| panic!("{error}"));
            for run in runs.values() {
                assert!(
                    run.error.is_some() || (run.test.is_some() && run.metric.is_some()),
                    "{name}: {}",
                    run.settings
                );
            }
        }
        assert!(measured("efficiencies").unwrap().is_empty());
    }

    /// What is kept of a run is what a table shows of it.
    #[test]
    fn a_run_is_found_again_by_its_settings() {
        let mut recipe = Recipe::for_model("mlp").unwrap();
        recipe.data.dataset = Some("chameleon-filtered".to_string());
        let members = members(&recipe, &[0, 1]);
        let mut record = RunRecord::new(&[], Machine::default());
        record.scores.test = Some(0.25);
        record.metric = Metric::RocAuc;
        record.started = 17;
        let row = |member: &Member, result| Row { member: member.clone(), path: Some("there".into()), result };
        let kept = MeasuredRun::of(&row(&members[0], Ok(record))).unwrap();
        let other = MeasuredRun::of(&row(&members[1], Err("diverged".to_string()))).unwrap();
        assert_ne!(kept.settings, other.settings, "seed and split are part of it");
        assert_eq!(kept.settings, settings_of(&members[0].recipe).unwrap());
        for kept in [kept.clone(), other] {
            let text = serde_json::to_string(&kept).unwrap();
            assert_eq!(serde_json::from_str::<MeasuredRun>(&text).unwrap(), kept);
            let again = kept.row(members[0].clone());
            assert_eq!(again.path, None);
            assert_eq!(again.result.as_ref().err().cloned(), kept.error);
        }
        let again = kept.row(members[0].clone()).result.unwrap();
        assert_eq!((again.scores.test, again.metric, again.started), (Some(0.25), Metric::RocAuc, 17));
    }
}
