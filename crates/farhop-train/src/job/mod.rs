//! One training run from beginning to end: a recipe and its data in, a trained run out. Everything that trains goes through here.

mod keep;
mod prepare;
mod resume;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use farhop_data::Dataset;
use farhop_data::catalogue::DataFolders;

pub use keep::{Keep, free_path};
pub use prepare::{plan_explanation, plan_task, prepare_task};
pub use resume::Resume;

use crate::memory::Plan;
use crate::run::RecordedFile;
use crate::together::split_together;
use crate::{
    Fitted, Machine, Material, Observer, Outputs, Places, Recipe, RunFolder, RunRecord, SavedSchema, Session, Silent,
    Task, TrainError, fit, probabilities,
};

/// A run that is to be trained.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use farhop_train::{DataConfig, Job, Material, Places, Silent, presets::Preset};
///
/// let mut recipe = Preset::ManyGraphs.recipe("gen")?;
/// recipe.data.dataset = Some("ring-transfer".to_string());
/// recipe.train.epochs = 1;
/// let places = Places::usual(None);
/// let material = Material::read(&recipe, &places)?;
/// let trained = Job::new(recipe, material, &places).train(&mut Silent, &AtomicBool::new(false))?;
/// assert!(trained.fitted.summary.scores.test.is_some());
/// # Ok::<(), farhop_train::TrainError>(())
/// ```
pub struct Job<'a> {
    /// Every setting.
    pub recipe: Recipe,
    /// The data, as [`Material::read`] gives it.
    pub material: Material,
    /// Where encodings and divisions of graphs are cached.
    pub places: &'a Places,
    /// Where the run is kept. Default: nowhere.
    pub keep: Keep,
    /// For the record: the machine.
    pub machine: Machine,
    /// For the record: the folder of datasets that was named.
    pub data_dir: Option<PathBuf>,
    /// The data as it was before it was scaled, if it is to lie in the run folder ([`Material::given`]).
    pub own_data: Option<Arc<Dataset>>,
}

/// A run that was trained.
pub struct Trained {
    /// Its folder, if it has one.
    pub folder: Option<PathBuf>,
    /// Its settings.
    pub recipe: Recipe,
    /// Its data.
    pub task: Task,
    /// The memory it was to need.
    pub plan: Plan,
    /// The model, its scores, and how it ended.
    pub fitted: Fitted,
}

/// Trains on data that is at hand, in silence, and keeps nothing.
///
/// # Errors
/// As [`Job::train`].
pub fn train(dataset: Dataset, recipe: Recipe) -> Result<Trained, TrainError> {
    let places = Places { folders: DataFolders::new(Vec::new()), cache: None, group: None };
    Job::new(recipe, Material::of(dataset), &places).train(&mut Silent, &AtomicBool::new(false))
}

impl Trained {
    /// The answers for all rows, `[rows, outputs]`: probabilities of classes and labels, or numbers.
    ///
    /// # Errors
    /// When an output is not finite.
    pub fn predict(&self) -> Result<Vec<f32>, TrainError> {
        let outputs = Outputs::of_all(&self.task, &self.fitted.model)?;
        Ok(probabilities(self.task.target(), &outputs.values))
    }
}

impl<'a> Job<'a> {
    /// A run that is kept nowhere.
    pub fn new(recipe: Recipe, material: Material, places: &'a Places) -> Self {
        Job {
            recipe,
            material,
            places,
            keep: Keep::Nowhere,
            machine: Machine::default(),
            data_dir: None,
            own_data: None,
        }
    }

    /// Prepares the data, plans, makes the folder, trains and scores. `stop`, set from anywhere, ends the training loop with everything
    /// saved.
    ///
    /// # Errors
    /// When the data has nothing to learn from, the run would not fit into memory, its folder can't be made, or training fails.
    pub fn train(self, observer: &mut dyn Observer, stop: &AtomicBool) -> Result<Trained, TrainError> {
        let Job { recipe, material, places, keep, machine, data_dir, own_data } = self;
        observer.read(&material);
        let Material { dataset, schema, features, split_file, part, .. } = material;
        let mut record = RunRecord::new(&dataset.sources, machine);
        record.features = features;
        record.split_file = split_file.as_ref().map(RecordedFile::of);
        record.data_dir = data_dir;
        let task = prepare_task(&recipe, dataset, part, None, true, places, observer)?;
        if !task.learns() {
            return Err(TrainError::NothingToLearn { distance: recipe.data.distance });
        }
        observer.prepared(&recipe, &task);
        let plan = plan_task(&recipe, &task, true, observer)?;
        // Of several processes the first one writes.
        let folder = task.by_first(|| keep.create(&recipe, record))?.flatten();
        if let (Some(folder), Some(dataset)) = (&folder, &own_data) {
            folder.write_data(dataset)?;
        }
        keep_data(folder.as_ref(), schema.as_ref(), &task)?;
        trained(recipe, task, plan, folder, observer, stop)
    }
}

/// Keeps how the data was read and divided.
fn keep_data(folder: Option<&RunFolder>, schema: Option<&SavedSchema>, task: &Task) -> Result<(), TrainError> {
    if let (Some(folder), Some(schema)) = (folder, schema) {
        folder.write_schema(schema)?;
    }
    let named = task.own_part().map(|part| split_together(part, task)).transpose()?;
    task.by_first(|| match (folder, named) {
        (None, _) => Ok(()),
        (Some(folder), None) => folder.write_split(task),
        (Some(folder), Some(named)) => folder.write_named_split(named),
    })?;
    Ok(())
}

/// The training loop with all that is ready for it.
fn trained(
    recipe: Recipe,
    task: Task,
    plan: Plan,
    mut folder: Option<RunFolder>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Trained, TrainError> {
    let path = folder.as_ref().map(|folder| folder.path().to_path_buf());
    observer.training(&recipe, path.as_deref());
    if let Some(group) = task.group() {
        // The first one made the folder; who has something to say when another is gone says it there.
        let told = path.as_deref().and_then(Path::to_str).unwrap_or_default();
        let told = group.first(told.as_bytes().to_vec());
        task.check_others()?;
        if !told.is_empty() {
            observer.shares(Path::new(&*String::from_utf8_lossy(&told)));
        }
    }
    let mut session = Session { folder: folder.as_mut(), observer, stop };
    let fitted = fit(&task, &recipe.model, &recipe.train, &mut session)?;
    Ok(Trained { folder: path, recipe, task, plan, fitted })
}
