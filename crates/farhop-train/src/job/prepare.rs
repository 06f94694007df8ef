//! Data on its way into a model, the same for training and for answers.

use farhop_data::{Dataset, Numbers};

use crate::insight::Question;
use crate::memory::{self, Division, Plan};
use crate::together::{OwnPart, same};
use crate::{Observer, Parting, Places, Recipe, Stage, TargetScale, Task, TrainError, plan_whole};

/// The data with its encodings and parts, ready for a model. `scale` is that of a run that is used again.
///
/// A large graph that is to be worked on as a whole is planned first: features that would not fit are not even read.
///
/// # Errors
/// When the data does not hold together, can't be divided, or would not fit into memory.
pub fn prepare_task(
    recipe: &Recipe,
    dataset: Dataset,
    part: Option<OwnPart>,
    scale: Option<TargetScale>,
    training: bool,
    places: &Places,
    observer: &mut dyn Observer,
) -> Result<Task, TrainError> {
    observer.stage(Stage::Preparing);
    let config = recipe.encodings;
    if let Some(part) = part {
        return together(recipe, dataset, part, scale);
    }
    if let (None, true, Numbers::OnDisk(_)) = (recipe.train.parts, dataset.splits_nodes(), &dataset.nodes.numbers) {
        let division = Division::of(&dataset, &config);
        let limit = memory::available();
        let graph = dataset.graphs.union();
        plan_whole(&recipe.model, &division, graph, &recipe.train, training, limit.as_ref()).check()?;
    }
    observer.encoding(&config);
    let encodings = config.compute_cached(&dataset.graphs, places.cache.as_deref())?;
    let parting = Parting::of_cached(&dataset, &recipe.train, places.cache.as_deref())?;
    Task::with_parting(dataset, encodings, parting, &recipe.train, scale)
}

/// Plans a pass over the data, and refuses what does not fit.
///
/// # Errors
/// When the model can't learn this, or there is not enough memory for it.
pub fn plan_task(
    recipe: &Recipe,
    task: &Task,
    training: bool,
    observer: &mut dyn Observer,
) -> Result<Plan, TrainError> {
    observer.stage(if training { Stage::Training } else { Stage::Answering });
    checked_plan(recipe, task, training, observer)
}

/// Plans the explanation of one prediction, and refuses what does not fit. Contributions take a pass forward and back, as a step of training
/// does.
///
/// # Errors
/// As [`plan_task`].
pub fn plan_explanation(
    recipe: &Recipe,
    task: &Task,
    question: &Question,
    observer: &mut dyn Observer,
) -> Result<Plan, TrainError> {
    observer.stage(Stage::Answering);
    checked_plan(recipe, task, question.walks_back(&recipe.model, task.level()), observer)
}

fn checked_plan(recipe: &Recipe, task: &Task, training: bool, observer: &mut dyn Observer) -> Result<Plan, TrainError> {
    task.check_model(&recipe.model)?;
    let plan = task.plan(&recipe.model, &recipe.train, training, memory::available().as_ref());
    plan.check()?;
    observer.planned(&plan);
    Ok(plan)
}

/// The task of one of several processes, if all have the same settings.
fn together(recipe: &Recipe, dataset: Dataset, part: OwnPart, scale: Option<TargetScale>) -> Result<Task, TrainError> {
    let group = part.group().clone();
    same(&group, "the version of farhop", env!("CARGO_PKG_VERSION"))?;
    // Where the parts lie may differ from host to host.
    let mut settings = recipe.clone();
    settings.data.dataset = None;
    same(&group, "the recipe", &farhop_data::hash::sha256_hex(settings.to_toml()?.as_bytes()))?;
    let config = recipe.encodings;
    if config.walk + config.laplacian > 0 {
        return Err(TrainError::Task(
            "positional encodings are not computed over several processes. Leave them out, or train in one process."
                .to_string(),
        ));
    }
    if recipe.train.parts.is_some() {
        return Err(TrainError::Task(
            "the graph is divided among processes already: leave out the parts of the training.".to_string(),
        ));
    }
    Task::of_part(dataset, part, &recipe.train, scale)
}
