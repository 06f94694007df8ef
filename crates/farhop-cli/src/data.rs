//! Data on its way into a model, the same for every command.

use std::path::{Path, PathBuf};

use farhop_data::card::Bars;
use farhop_data::catalogue::{self, Entry};
use farhop_data::import::{Kind, detect};
use farhop_data::text::{counted, thousands};
use farhop_data::{Dataset, Numbers, Split};
use farhop_kernels::allocator;
use farhop_nn::{ModelConfig, Shape};
use farhop_train::memory::{self, DataBytes, Division, Limit, Plan, bytes_text};
use farhop_train::{
    DataConfig, Material, NewFiles, Parting, Places, Recipe, SavedSchema, TargetScale, Task, TrainError, TrainedRun,
    plan_whole, read_again,
};

use crate::arguments::NewData;
use crate::console::Console;
use crate::failure::Failure;
use crate::join::{self, Join};

/// Reads the data that a recipe names, to learn from.
pub fn read(recipe: &Recipe, places: &Places) -> Result<Material, Failure> {
    let data = &recipe.data;
    let own = data.nodes.is_some() || data.molecules.is_some();
    if own && data.targets.is_empty() {
        return Err(Failure::usage("--target is missing: name the column of the table to predict."));
    }
    let material = read_any(recipe, places)?.scaled(data)?;
    if material.dataset.target.outputs() == 0 {
        return Err(Failure::usage(format!(
            "{} has nothing to predict: name an attribute, item or array in it with --target, or give tables with --nodes and --edges.",
            material.dataset.name
        )));
    }
    Ok(material)
}

/// Reads the data that a recipe names, with or without something to predict.
pub fn read_any(recipe: &Recipe, places: &Places) -> Result<Material, Failure> {
    allocator::doing(&"reading the data");
    let data = &recipe.data;
    match (&data.nodes, &data.edges) {
        (Some(_), None) => return Err(Failure::usage("--edges is missing: give the edges table, a CSV file.")),
        (None, Some(_)) => return Err(Failure::usage("--nodes is missing: give the nodes table, a CSV file.")),
        (None, None) if data.dataset.is_none() && data.molecules.is_none() => {
            return Err(Failure::usage(
                "--nodes and --edges are missing. Give both, a table of molecules, or the name of a dataset (farhop data list).",
            ));
        }
        _ => {}
    }
    if let Some(name) = &data.dataset {
        check_name(name)?;
    }
    refuse_distance(recipe)?;
    data.read(recipe.train.seed, places).map_err(|error| {
        let same = data.dataset.as_ref().filter(|name| Path::new(name).exists() && catalogue::find(name).is_ok());
        match same {
            Some(name) => Failure::failed(format!("{error} For what is here under that name write ./{name}.")),
            None => error.into(),
        }
    })
}

/// A name that is neither a path that exists nor in the catalogue is a slip.
fn check_name(name: &str) -> Result<(), Failure> {
    let path = Path::new(name);
    let looks_like_a_path = name.contains(['/', '\\']) || path.extension().is_some();
    match catalogue::find(name) {
        Ok(_) => Ok(()),
        Err(_) if path.exists() => Ok(()),
        Err(_) if looks_like_a_path => {
            Err(Failure::failed(format!("{name}: there is no such file or folder. Correct the path.")))
        }
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}

/// Only data that is made has a distance to choose.
fn refuse_distance(recipe: &Recipe) -> Result<(), Failure> {
    let data = &recipe.data;
    let made = |name: &String| catalogue::find(name).is_ok_and(Entry::is_made);
    if data.distance.is_none() || data.dataset.as_ref().is_some_and(made) {
        return Ok(());
    }
    let known: Vec<&str> =
        catalogue::entries().iter().filter(|entry| entry.is_made()).map(|entry| entry.name).collect();
    Err(Failure::usage(format!("--distance is a setting of data that is made: {}. Take it out.", known.join(", "))))
}

/// Says what was read.
pub fn show_card(material: &Material, console: &Console) {
    if !console.is_quiet() {
        console.message(card_text(material, console.message_width()).trim_end());
    }
}

/// The data card in the width of a terminal.
pub fn card_text(material: &Material, width: Option<usize>) -> String {
    let card = material.card();
    width.map_or_else(|| card.to_string(), |width| card.text_within(Bars::default(), width.min(100)))
}

/// The data with its encodings, ready for a model. `scale` is that of a run that is used again.
///
/// A large graph that is to be worked on as a whole is planned first: features that would not fit are not even read.
pub fn task(
    recipe: &Recipe,
    dataset: Dataset,
    scale: Option<TargetScale>,
    training: bool,
    places: &Places,
    console: &Console,
) -> Result<Task, Failure> {
    allocator::doing(&"preparing the data");
    let config = recipe.encodings;
    if let (None, true, Numbers::OnDisk(_)) = (recipe.train.parts, dataset.splits_nodes(), &dataset.nodes.numbers) {
        let division = Division::of(&dataset, &config);
        let limit = memory::available();
        let graph = dataset.graphs.union();
        plan_whole(&recipe.model, &division, graph, &recipe.train, training, limit.as_ref()).check()?;
    }
    if config.walk + config.laplacian > 0 {
        console.message(&format!("encodings   {}", encodings_text(config.walk, config.laplacian)));
    }
    let encodings = config.compute_cached(&dataset.graphs, places.cache.as_deref())?;
    let parting = Parting::of_cached(&dataset, &recipe.train, places.cache.as_deref())?;
    let task = Task::with_parting(dataset, encodings, parting, &recipe.train, scale)?;
    if let Some((parting, halo)) = task.parting() {
        console.message(&parts_line(&task, parting, halo));
    }
    Ok(task)
}

/// `parts       64, 1 hop around each: at most 31,020 nodes and 402,118 entries in a batch`, in line with the data card.
fn parts_line(task: &Task, parting: &Parting, halo: usize) -> String {
    let around = match halo {
        0 => "each cut off from the rest".to_string(),
        hops => format!("{} around each", counted(hops as u64, "hop", "hops")),
    };
    let shape = task.shape();
    let (nodes, entries) = (thousands(shape.nodes as u64), thousands(shape.entries as u64));
    let parts = thousands(parting.parts() as u64);
    format!("parts       {parts}, {around}: at most {nodes} nodes and {entries} entries in a batch")
}

fn encodings_text(walk: usize, laplacian: usize) -> String {
    let walk = (walk > 0).then(|| format!("return probabilities of {walk} steps"));
    let laplacian = (laplacian > 0).then(|| format!("{laplacian} Laplacian eigenvectors"));
    walk.into_iter().chain(laplacian).collect::<Vec<_>>().join(", ")
}

/// The memory there is for a pass that is about to begin.
fn available(training: bool) -> Option<Limit> {
    allocator::doing(if training { &"training" } else { &"computing answers" });
    // What reading left behind is free again.
    allocator::give_back();
    memory::available()
}

/// Plans a pass over the data, says so, and refuses what does not fit.
pub fn plan(recipe: &Recipe, task: &Task, training: bool, console: &Console) -> Result<Plan, Failure> {
    task.check_model(&recipe.model)?;
    let limit = available(training);
    let plan = task.plan(&recipe.model, &recipe.train, training, limit.as_ref());
    plan.check()?;
    console.message(&plan_line(&plan));
    Ok(plan)
}

/// As [`plan`], from sizes.
pub fn plan_shape(
    model: &ModelConfig,
    shape: &Shape,
    held: DataBytes,
    training: bool,
    console: &Console,
) -> Result<Plan, Failure> {
    model.check_nodes(shape.nodes / shape.graphs.max(1))?;
    let limit = available(training);
    let plan = memory::plan(model, shape, held, training, limit.as_ref());
    plan.check()?;
    console.message(&plan_line(&plan));
    Ok(plan)
}

/// `memory      340 MiB at the peak, 21.4 GiB available (the machine)`, in line with the data card.
pub fn plan_line(plan: &Plan) -> String {
    let peak = bytes_text(plan.total);
    match (plan.limit, plan.limit_source) {
        (Some(limit), Some(source)) => {
            format!("memory      {peak} at the peak, {} available ({source})", bytes_text(limit))
        }
        _ => format!("memory      {peak} at the peak, limit unknown"),
    }
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

/// Reads new files, or those of training, as the run read its own.
pub fn apply(run: &TrainedRun, new: &NewData, console: &Console) -> Result<Applied, Failure> {
    allocator::doing(&"reading the data");
    let places = Places::usual(new.data_dir.as_deref().or(run.record.data_dir.as_deref()));
    let recorded = &run.record.found(&run.recipe.data);
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
        (Some(SavedSchema::File(_)) | None, None) => {
            let path = recorded.dataset.as_deref().filter(|name| catalogue::find(name).is_err()).map(PathBuf::from);
            if let (Some(path), Some(_)) = (path, &schema) {
                still_there(run, &path, "Give it, or another file of its layout, after the run.")?;
            }
            (recorded.read(run.recipe.train.seed, &places)?.dataset, true)
        }
        (Some(schema), None) => {
            let files = training_files(run, recorded, new.skip_bad_molecules)?;
            (again(schema, &files)?, true)
        }
        (None, Some(_)) => {
            let name = recorded.dataset.as_deref().unwrap_or("a dataset");
            return Err(Failure::usage(format!(
                "{} was trained on {name}, which has no tables to be read anew. Take the new files out.",
                run.path.display()
            )));
        }
    };
    if let Some(scale) = &run.record.features {
        scale.apply(&mut dataset)?;
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
    let recipe = new.parts.applied(&run.recipe)?;
    // A file that was imported names the files it came from, not itself.
    let read = dataset.sources.iter().map(|source| PathBuf::from(&source.path));
    let named = [&new.file, &new.molecules, &new.known_nodes, &new.known_edges, &recorded.nodes, &recorded.edges];
    let read = read.chain(named.into_iter().flatten().cloned()).chain(recorded.dataset.as_ref().map(PathBuf::from));
    let read = read.collect();
    let mut task = task(&recipe, dataset, run.record.scale.clone(), false, &places, console)?;
    let split = if of_training { Some(run.split(&task)?) } else { None };
    if let Some(split) = &split {
        task.set_split(split.clone())?;
    }
    Ok(Applied { recipe, task, read, split, join, changed: changed.is_some() })
}

/// An error unless what the run was trained on is there to be read again.
fn still_there(run: &TrainedRun, path: &Path, remedy: &str) -> Result<(), Failure> {
    if path.as_os_str() != "-" && path.exists() {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{}: the run was trained on {}, which is not there now. {remedy}",
        run.path.display(),
        path.display()
    )))
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

/// The files a run was trained on, if they are still there.
fn training_files<'a>(run: &TrainedRun, data: &'a DataConfig, skip_bad: bool) -> Result<NewFiles<'a>, Failure> {
    let there = |path: &Path, remedy: &str| still_there(run, path, remedy);
    match (&data.nodes, &data.edges, &data.molecules) {
        (Some(nodes), Some(edges), _) => {
            there(nodes, "Pass --nodes and --edges.")?;
            there(edges, "Pass --nodes and --edges.")?;
            Ok(NewFiles::Tables { nodes, edges })
        }
        (_, _, Some(table)) => {
            there(table, "Pass --molecules.")?;
            Ok(NewFiles::Molecules { table, skip_bad: skip_bad || data.skip_bad_molecules })
        }
        _ => {
            Err(TrainError::Task(format!("{} does not say where its tables are. Pass them.", run.path.display()))
                .into())
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
