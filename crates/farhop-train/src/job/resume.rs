//! A run that goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use farhop_nn::exchange::Group;

use super::{Trained, keep_data, plan_task, prepare_task, trained};
use crate::run::names;
use crate::together::{agree, split_of_first};
use crate::{Material, Observer, Places, Recipe, RunFolder, RunRecord, TrainError};

/// A run that is to be continued where it stopped, and what may differ from what it was started with.
pub struct Resume<'a> {
    /// The run folder.
    pub path: &'a Path,
    /// The nodes table, if it has moved.
    pub nodes: Option<PathBuf>,
    /// The edges table, if it has moved.
    pub edges: Option<PathBuf>,
    /// The folder of datasets, if not that of the run.
    pub data_dir: Option<PathBuf>,
    /// Epochs in all, if not those of the run.
    pub epochs: Option<usize>,
    /// The dataset, if it has moved: the same data divided into another number of parts.
    pub dataset: Option<String>,
    /// The processes that go on with it; none: this one alone.
    pub group: Option<Arc<Group>>,
}

impl<'a> Resume<'a> {
    /// The run in a folder, as it is.
    pub fn new(path: &'a Path) -> Self {
        Resume { path, nodes: None, edges: None, data_dir: None, epochs: None, dataset: None, group: None }
    }

    /// Continues. The run ends with the same bits as one that was never stopped.
    ///
    /// # Errors
    /// When there is no run, its data has changed, another process works on it, or training fails.
    pub fn train(self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Trained, TrainError> {
        let path = self.path;
        for missing in [names::RECORD, names::RECIPE] {
            if !path.join(missing).is_file() {
                return Err(TrainError::NoRun { path: path.to_path_buf(), missing });
            }
        }
        // Data first: a run whose data has changed stays as it is.
        let mut recipe = Recipe::read(&path.join(names::RECIPE))?;
        let record = RunRecord::read(&path.join(names::RECORD))?;
        recipe.data = record.found(path, &recipe.data);
        recipe.data.nodes = self.nodes.or(recipe.data.nodes);
        recipe.data.edges = self.edges.or(recipe.data.edges);
        recipe.data.dataset = self.dataset.or(recipe.data.dataset);
        let usual = Places::usual(self.data_dir.as_deref().or(record.data_dir.as_deref()));
        let places = Places { group: self.group, ..usual };
        observer.stage(crate::Stage::Reading);
        let Material { mut dataset, schema, split_file, part, .. } = Material::read(&recipe, &places)?;
        record.check_data(&dataset.sources)?;
        record.check_split(split_file.as_ref())?;
        if !record.model.is_empty() {
            // A run that has begun goes on with its score, whatever is usual.
            dataset.metric = record.metric;
        }
        let mut task = prepare_task(&recipe, dataset, part, record.scale.clone(), true, &places, observer)?;
        let resume = || {
            let mut folder = RunFolder::resume(path)?;
            if let Some(epochs) = self.epochs {
                folder.set_epochs(epochs)?;
            }
            Ok(folder)
        };
        let mut folder = task.by_first(resume)?;
        if let Some(epochs) = self.epochs {
            recipe.train.epochs = epochs;
        }
        if task.own_part().is_some() {
            // The split lies in the parts.
            keep_data(folder.as_ref(), schema.as_ref(), &task)?;
        } else if path.join(names::SPLIT).is_file() {
            let found = folder.as_mut().map(|folder| folder.read_split(&task)).transpose();
            let split = match task.group() {
                Some(group) => split_of_first(group, agree(group, found)?)?,
                None => found?.unwrap_or_default(),
            };
            task.set_split(split)?;
        } else {
            // Killed before it was written: the same is made again.
            keep_data(folder.as_ref(), schema.as_ref(), &task)?;
        }
        observer.prepared(&recipe, &task);
        let plan = plan_task(&recipe, &task, true, observer)?;
        let recipe = folder.as_ref().map_or(recipe, |folder| folder.recipe().clone());
        trained(recipe, task, plan, folder, observer, stop)
    }
}
