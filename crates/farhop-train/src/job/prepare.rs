//! Data on its way into a model, the same for training and for answers.

use std::sync::Arc;

use farhop_data::hash::{sha256_hex, sha256_of_graphs};
use farhop_data::{Dataset, Numbers, Part, Target};
use farhop_nn::exchange::Group;

use crate::insight::Question;
use crate::memory::{self, Division, Plan};
use crate::together::{OwnPart, agree, same, same_settings, same_version};
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
    if let Some(group) = &places.group {
        return sharing(recipe, dataset, scale, group, places, observer);
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

/// Whether all processes are of the same farhop and have the same settings. (Parts were read by the same farhop already.)
fn same_recipe(recipe: &Recipe, group: &Group) -> Result<(), TrainError> {
    same_version(group)?;
    // Where the data lies may differ from host to host.
    let mut settings = recipe.clone();
    settings.data.dataset = None;
    same_settings(group, &settings.to_toml()?)
}

/// The task of one of several processes that share the graphs of every batch. All of them read all graphs.
fn sharing(
    recipe: &Recipe,
    dataset: Dataset,
    scale: Option<TargetScale>,
    group: &Arc<Group>,
    places: &Places,
    observer: &mut dyn Observer,
) -> Result<Task, TrainError> {
    same_recipe(recipe, group)?;
    if dataset.splits_nodes() {
        return Err(TrainError::Task(format!(
            "{name} is one graph, and is not divided among processes. Divide it first, into {} parts (farhop data partition), and train on their folder.",
            group.ranks(),
            name = dataset.name
        )));
    }
    same(group, "the data", &fingerprint(&dataset))?;
    observer.encoding(&recipe.encodings);
    // What the first one computed, the others find in the cache where they share it.
    let compute = || recipe.encodings.compute_cached(&dataset.graphs, places.cache.as_deref());
    let first = agree(group, if group.is_first() { compute().map(Some) } else { Ok(None) })?;
    let encodings = agree(group, first.map_or_else(compute, Ok))?;
    Ok(Task::with_parting(dataset, encodings, None, &recipe.train, scale)?.shared(group))
}

/// A name of what is learned and from which graphs: the same on all processes, or they do not do the same steps.
fn fingerprint(dataset: &Dataset) -> String {
    let mut bytes = sha256_of_graphs(&dataset.graphs).into_bytes();
    let mut add = |values: &mut dyn Iterator<Item = u64>| values.for_each(|value| bytes.extend(value.to_le_bytes()));
    for part in Part::ALL {
        add(&mut std::iter::once(u64::MAX).chain(dataset.split.part(part).iter().map(|unit| u64::from(*unit))));
    }
    match &dataset.target {
        Target::Class { labels, .. } => add(&mut labels.iter().map(|label| label.map_or(u64::MAX, u64::from))),
        Target::Binary { values, .. } | Target::Number { values, .. } => {
            add(&mut values.iter().map(|value| u64::from(value.to_bits())));
        }
        Target::Pair { pairs, .. } => add(&mut pairs.as_flattened().iter().map(|node| u64::from(*node))),
    }
    sha256_hex(&bytes)
}

/// The task of one of several processes, if all have the same settings.
fn together(recipe: &Recipe, dataset: Dataset, part: OwnPart, scale: Option<TargetScale>) -> Result<Task, TrainError> {
    same_recipe(recipe, part.group())?;
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
