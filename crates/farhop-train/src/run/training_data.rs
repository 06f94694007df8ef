//! The data that a run was trained on, read again.

use std::path::{Path, PathBuf};

use farhop_data::{ApplyOptions, Dataset, Setting, catalogue};

use super::TrainedRun;
use crate::together::OwnPart;
use crate::{DataConfig, NewFiles, Places, SavedSchema, TrainError, read_again};

impl TrainedRun {
    /// What the recipe says about the data, with paths that lead to it from here.
    pub fn data(&self) -> DataConfig {
        self.record.found(&self.path, &self.recipe.data)
    }

    /// Reads the data of training as the run read it. Nothing is scaled yet ([`DataConfig::scale_again`]), and the split is not yet
    /// that of the run ([`TrainedRun::split`]).
    ///
    /// # Errors
    /// When the data is not where it was, or does not hold together.
    pub fn training_data(
        &self,
        places: &Places,
        options: &ApplyOptions,
        skip_bad_molecules: bool,
    ) -> Result<Dataset, TrainError> {
        self.training_material(places, options, skip_bad_molecules).map(|(dataset, _)| dataset)
    }

    /// As [`TrainedRun::training_data`], with the part of this process where the data is divided among several.
    ///
    /// # Errors
    /// As [`TrainedRun::training_data`].
    pub fn training_material(
        &self,
        places: &Places,
        options: &ApplyOptions,
        skip_bad_molecules: bool,
    ) -> Result<(Dataset, Option<OwnPart>), TrainError> {
        let recorded = self.data();
        match self.schema()? {
            schema @ (Some(SavedSchema::File(_)) | None) => {
                let path = recorded.dataset.as_deref().filter(|name| catalogue::find(name).is_err()).map(PathBuf::from);
                if let (Some(path), Some(_)) = (path, &schema) {
                    self.still_there(&path, "Give it, or another file of its layout, after the run.")?;
                }
                let material = recorded.read(self.recipe.train.seed, places)?;
                Ok((material.dataset, material.part))
            }
            Some(schema) => {
                let files = self.training_files(&recorded, skip_bad_molecules)?;
                let add_missing = options.add_missing_nodes || recorded.add_missing_nodes;
                Ok((read_again(&schema, &files, &recorded, options.fill, add_missing)?, None))
            }
        }
    }

    /// The files the run was trained on, if they are still there.
    fn training_files<'a>(&self, data: &'a DataConfig, skip_bad: bool) -> Result<NewFiles<'a>, TrainError> {
        match (&data.nodes, &data.edges, &data.molecules) {
            (Some(nodes), Some(edges), _) => {
                let remedy = format!("Pass {} and {}.", Setting::named("nodes"), Setting::named("edges"));
                self.still_there(nodes, &remedy)?;
                self.still_there(edges, &remedy)?;
                Ok(NewFiles::Tables { nodes, edges })
            }
            (_, _, Some(table)) => {
                self.still_there(table, &format!("Pass {}.", Setting::named("molecules")))?;
                Ok(NewFiles::Molecules { table, skip_bad: skip_bad || data.skip_bad_molecules })
            }
            _ => {
                Err(TrainError::Task(format!("{} does not say where its tables are. Pass them.", self.path.display())))
            }
        }
    }

    /// An error unless what the run was trained on is there to be read again.
    fn still_there(&self, path: &Path, remedy: &str) -> Result<(), TrainError> {
        if path.as_os_str() != "-" && path.exists() {
            return Ok(());
        }
        Err(TrainError::Task(format!(
            "{}: the run was trained on {}, which is not there now. {remedy}",
            self.path.display(),
            path.display()
        )))
    }
}
