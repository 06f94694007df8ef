//! Data on its way into a model, the same for every command.

use std::path::{Path, PathBuf};

use farhop_data::card::Bars;
use farhop_data::catalogue;
use farhop_data::import::{Kind, detect};
use farhop_data::text::{card_line, thousands};
use farhop_data::{ApplyOptions, Dataset, Split};
use farhop_kernels::allocator;
use farhop_nn::{ModelConfig, Shape};
use farhop_train::memory::{self, DataBytes, Plan};
use farhop_train::together::OwnPart;
use farhop_train::{
    DataConfig, Material, NewFiles, Observer, Places, Recipe, SavedSchema, Settings, Settled, Stage, Task, TrainedRun,
    plan_task, prepare_task, read_again,
};

use crate::arguments::NewData;
use crate::console::Console;
use crate::failure::Failure;
use crate::join::{self, Join};
use crate::together;
use crate::watcher::{Watcher, plan_line};

/// Reads the data that is asked for, to learn from, and settles the recipe for it.
pub fn read(asked: &Settings, places: &Places) -> Result<(Settled, Material), Failure> {
    allocator::doing(&"reading the data");
    Ok(asked.read(places)?)
}

/// Reads the data that a recipe names, with or without something to predict.
pub fn read_any(recipe: &Recipe, places: &Places) -> Result<Material, Failure> {
    allocator::doing(&"reading the data");
    Ok(Material::read_any(recipe, places)?)
}

/// Says what was read.
pub fn show_card(material: &Material, console: &Console) {
    if !console.is_quiet() {
        console.message(card_text(material, console.message_width()).trim_end());
    }
}

/// The data card in the width of a terminal.
pub fn card_text(material: &Material, width: Option<usize>) -> String {
    if let Some(part) = &material.part {
        return part_text(material, part);
    }
    let card = material.card();
    width.map_or_else(|| card.to_string(), |width| card.text_within(Bars::default(), width.min(100)))
}

/// What was read where every process has a part. The card of a part would tell of nodes without edges.
fn part_text(material: &Material, part: &OwnPart) -> String {
    let halo = &part.halo;
    let own = format!("{} of them and {} around", thousands(halo.own() as u64), thousands(halo.others() as u64));
    let whole = format!("{} nodes and {} edges", thousands(halo.total_nodes()), thousands(part.total_edges as u64));
    let line = |name: &str, text: String| card_line(name, &text, usize::MAX);
    [
        line("data", format!("{} in {} parts", material.dataset.name, part.group().ranks())),
        line("graph", format!("{whole}; this process has {own}")),
        line("target", format!("{} to learn from", thousands(part.total_training as u64))),
    ]
    .join("\n")
}

/// Plans a pass over the data that only computes answers, says so, and refuses what does not fit.
pub fn plan_answers(recipe: &Recipe, task: &Task, console: &Console) -> Result<(), Failure> {
    plan_task(recipe, task, false, &mut Watcher::new(console))?;
    Ok(())
}

/// Plans a pass from sizes, says so, and refuses what does not fit.
pub fn plan_shape(
    model: &ModelConfig,
    shape: &Shape,
    held: DataBytes,
    training: bool,
    console: &Console,
) -> Result<Plan, Failure> {
    model.check_nodes(shape.nodes / shape.graphs.max(1))?;
    Watcher::new(console).stage(if training { Stage::Training } else { Stage::Answering });
    let limit = memory::available();
    let plan = memory::plan(model, shape, held, training, limit.as_ref());
    plan.check()?;
    console.message(&plan_line(&plan));
    Ok(plan)
}

/// What a trained run is applied to.
pub struct Applied {
    /// The settings: those of the run, but for what was given about parts.
    pub recipe: Recipe,
    /// The data.
    pub task: Task,
    /// The files that it came from.
    pub read: Vec<PathBuf>,
    /// The split of the training data; none for new files.
    pub split: Option<Split>,
    /// What joins new nodes to those of training; none: everything is asked for.
    pub join: Option<Join>,
    /// Whether the files are those of training but with other contents.
    pub changed: bool,
}

/// Reads new files, or those of training, as the run read its own, and makes a task of them.
pub fn apply(run: &TrainedRun, new: &NewData, console: &Console) -> Result<Applied, Failure> {
    read_for(run, new, console)?.prepare(run, new, console)
}

/// Data that was read as a run read its own.
pub struct ReadAgain {
    /// The data, with the split of the run where it is that of training.
    pub dataset: Dataset,
    /// Whether the files are those of training but with other contents.
    pub changed: bool,
    part: Option<OwnPart>,
    of_training: bool,
    join: Option<Join>,
    recorded: DataConfig,
    places: Places,
}

/// Reads new files, or those of training, as the run read its own.
pub fn read_for(run: &TrainedRun, new: &NewData, console: &Console) -> Result<ReadAgain, Failure> {
    allocator::doing(&"reading the data");
    let places = together::places(new.data_dir.as_deref().or(run.record.data_dir.as_deref()));
    let mut part = None;
    let recorded = &run.data();
    let schema = run.schema()?;
    let add_missing = new.add_missing_nodes || recorded.add_missing_nodes;
    let again = |schema: &SavedSchema, files: &NewFiles<'_>| read_again(schema, files, recorded, new.fill, add_missing);
    refuse_reading(new, schema.as_ref())?;
    let given = new.files(recorded.skip_bad_molecules);
    let mut join = None;
    let (mut dataset, of_training) = match (&schema, given) {
        (Some(SavedSchema::Nodes(schema)), Some(NewFiles::Tables { nodes, edges })) => {
            let dataset;
            (dataset, join) = join::read(run, (recorded, schema), (nodes, edges), new, console)?;
            // Those of training under another name have its split.
            let of_training = join.is_none() && join::is_training(run, &dataset.sources);
            (dataset, of_training)
        }
        (Some(schema), Some(files)) => {
            let dataset = again(schema, &files)?;
            let of_training = join::is_training(run, &dataset.sources);
            (dataset, of_training)
        }
        (_, None) => {
            let options = ApplyOptions { fill: new.fill, add_missing_nodes: new.add_missing_nodes };
            let dataset;
            (dataset, part) = run.training_material(&places, &options, new.skip_bad_molecules)?;
            (dataset, true)
        }
        (None, Some(_)) => {
            let name = recorded.dataset.as_deref().unwrap_or("a dataset");
            return Err(Failure::usage(format!(
                "{} was trained on {name}, which has no tables to be read anew. Take the new files out.",
                run.path.display()
            )));
        }
    };
    together::refuse_whole(part.is_some(), &dataset)?;
    if part.is_none() {
        run.recipe.data.scale_again(run.record.features.as_ref(), &mut dataset)?;
    }
    // Scored as in training, whatever is usual.
    dataset.metric = run.record.metric;
    for note in &dataset.notes {
        console.message(&format!("note: {note}"));
    }
    let changed = of_training.then(|| run.record.check_data(&dataset.sources).err()).flatten();
    if let Some(difference) = &changed {
        console.warning(&difference.to_string());
    }
    // Parts have the split with them.
    if of_training && part.is_none() {
        dataset.split = run.split(&dataset)?;
    }
    let changed = changed.is_some();
    Ok(ReadAgain { dataset, part, changed, of_training, join, recorded: recorded.clone(), places })
}

impl ReadAgain {
    /// Makes a task of it.
    pub fn prepare(self, run: &TrainedRun, new: &NewData, console: &Console) -> Result<Applied, Failure> {
        let ReadAgain { dataset, part, changed, of_training, join, recorded, places } = self;
        let recipe = new.parts.applied(&run.recipe)?;
        // A file that was imported names the files it came from, not itself.
        let read = dataset.sources.iter().map(|source| PathBuf::from(&source.path));
        let named = [&new.file, &new.molecules, &new.known_nodes, &new.known_edges, &recorded.nodes, &recorded.edges];
        let read = read.chain(named.into_iter().flatten().cloned()).chain(recorded.dataset.as_ref().map(PathBuf::from));
        let read = read.collect();
        let mut watcher = Watcher::new(console);
        let task = prepare_task(&recipe, dataset, part, run.record.scale.clone(), false, &places, &mut watcher)?;
        watcher.prepared(&recipe, &task);
        let split = of_training.then(|| task.split().clone());
        Ok(Applied { recipe, task, read, split, join, changed })
    }
}

/// Options of reading that the data of this run has no use for.
fn refuse_reading(new: &NewData, schema: Option<&SavedSchema>) -> Result<(), Failure> {
    let of_nodes = new.fill.map(|_| "--fill").or(new.add_missing_nodes.then_some("--add-missing-nodes"));
    let of_molecules = new.skip_bad_molecules.then_some("--skip-bad-molecules");
    let (idle, what) = match schema {
        Some(SavedSchema::Nodes(_)) => (of_molecules, "tables of nodes"),
        Some(SavedSchema::Molecules(_)) => (of_nodes, "molecules"),
        // It depends on the layout.
        Some(SavedSchema::File(_)) => (None, "files"),
        None => (of_nodes.or(of_molecules), "a whole dataset"),
    };
    match idle {
        None => Ok(()),
        Some(flag) => {
            Err(Failure::usage(format!("{flag} has no meaning for {what}, which the run reads. Take it out.")))
        }
    }
}

/// A name that is a path, a recipe or a dataset of the catalogue.
pub enum Named {
    /// A recipe.
    Recipe(PathBuf),
    /// A table of molecules.
    Molecules(PathBuf),
    /// Anything else: a dataset of the catalogue, or a file or folder with a whole one.
    Dataset(String),
}

impl Named {
    /// What the word on the command line means. A table with a SMILES column is one of molecules.
    pub fn of(word: &str, smiles: bool) -> Result<Self, Failure> {
        let path = Path::new(word);
        let lower = word.to_ascii_lowercase();
        if lower.ends_with(".toml") {
            return Ok(Named::Recipe(path.to_path_buf()));
        }
        if catalogue::find(word).is_ok() {
            return Ok(Named::Dataset(word.to_string()));
        }
        let is_table = [".csv", ".tsv", ".smi", ".sdf", ".csv.gz", ".tsv.gz", ".smi.gz", ".sdf.gz"]
            .iter()
            .any(|end| lower.ends_with(end));
        let kind = if is_table && path.is_file() { detect(path).ok() } else { None };
        if matches!(kind, Some(Kind::EdgesTable | Kind::EdgeList)) && !smiles {
            return Ok(Named::Dataset(word.to_string()));
        }
        if smiles || (is_table && kind != Some(Kind::NodesTable)) {
            return Ok(Named::Molecules(path.to_path_buf()));
        }
        if is_table {
            return Err(Failure::usage(format!(
                "{word} is a table without a column smiles. Give a table of nodes as --nodes with --edges, or a table of molecules with --smiles COLUMN."
            )));
        }
        Ok(Named::Dataset(word.to_string()))
    }

    /// Whether it is a dataset that says itself what its columns, targets and splits are: one of the catalogue, or a file
    /// that was imported before.
    pub fn is_complete(&self) -> bool {
        let Named::Dataset(name) = self else {
            return false;
        };
        catalogue::find(name).is_ok() || Path::new(name).extension().is_some_and(|end| end == "farhop")
    }
}
