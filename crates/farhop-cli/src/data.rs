//! Data on its way into a model, the same for every command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use farhop_data::{ApplyOptions, NodeDataset, Schema, SourceFile, Split};
use farhop_nn::{Batch, ModelConfig, Shape};
use farhop_train::memory::{self, Plan, bytes_text};
use farhop_train::{Recipe, TrainedRun};

use crate::arguments::NewTables;
use crate::console::Console;
use crate::failure::Failure;

/// Reads the tables that a recipe names.
pub fn load(recipe: &Recipe) -> Result<NodeDataset, Failure> {
    let (nodes, edges) = paths(recipe)?;
    if recipe.data.target.is_none() {
        return Err(Failure::usage("--target is missing: name the column of the nodes table to predict."));
    }
    let options = recipe.data.table_options(recipe.train.seed);
    Ok(NodeDataset::load(nodes, edges, &options)?)
}

fn paths(recipe: &Recipe) -> Result<(&Path, &Path), Failure> {
    let need = |path: &'_ Option<PathBuf>, flag: &str, what: &str| match path {
        Some(_) => Ok(()),
        None => Err(Failure::usage(format!("{flag} is missing: give the {what} table, a CSV file."))),
    };
    need(&recipe.data.nodes, "--nodes", "nodes")?;
    need(&recipe.data.edges, "--edges", "edges")?;
    match (&recipe.data.nodes, &recipe.data.edges) {
        (Some(nodes), Some(edges)) => Ok((nodes, edges)),
        _ => Err(Failure::usage("--nodes and --edges are missing.")),
    }
}

/// The sizes that memory depends on.
pub fn shape(dataset: &NodeDataset) -> Shape {
    Shape {
        nodes: dataset.graph.nodes(),
        entries: dataset.graph.entries(),
        inputs: dataset.width,
        outputs: dataset.classes.len(),
        ..Shape::default()
    }
}

/// Plans a pass over the data, says so, and refuses what does not fit.
pub fn plan(
    model: &ModelConfig,
    shape: &Shape,
    directed: bool,
    training: bool,
    console: &Console,
) -> Result<Plan, Failure> {
    let limit = memory::available();
    let plan = memory::plan(model, shape, directed, training, limit.as_ref());
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

/// A data set whose graph and features have gone into a batch, without a copy.
pub struct Nodes {
    /// Graph and features.
    pub batch: Batch,
    /// The user's ids.
    pub ids: Vec<String>,
    /// The class of each node.
    pub labels: Vec<Option<u32>>,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// What each labelled node is for; empty without a split.
    pub split: Split,
    /// How the columns were read.
    pub schema: Schema,
    /// The files that were read.
    pub sources: Vec<SourceFile>,
}

impl From<NodeDataset> for Nodes {
    fn from(dataset: NodeDataset) -> Self {
        let NodeDataset { ids, graph, features, width, labels, classes, split, schema, sources, card: _ } = dataset;
        let batch = Batch::from_vec(Arc::new(graph), features, width);
        Nodes { batch, ids, labels, classes, split: split.unwrap_or_default(), schema, sources }
    }
}

/// What a trained run is applied to.
pub struct Applied {
    /// The nodes, their labels and their ids.
    pub dataset: NodeDataset,
    /// The split of the training data; none for new tables.
    pub split: Option<Split>,
    /// Whether the tables are those of training but with other contents.
    pub changed: bool,
}

/// Reads new tables, or those of training, as the run read its own.
pub fn apply(run: &TrainedRun, tables: &NewTables, console: &Console) -> Result<Applied, Failure> {
    let schema = run.schema()?;
    let recorded = &run.recipe.data;
    let options =
        ApplyOptions { fill: tables.fill, add_missing_nodes: tables.add_missing_nodes || recorded.add_missing_nodes };
    if let (Some(nodes), Some(edges)) = (&tables.nodes, &tables.edges) {
        let dataset = NodeDataset::load_with_schema(nodes, edges, &schema, &options)?;
        return Ok(Applied { dataset, split: None, changed: false });
    }
    let (Some(nodes), Some(edges)) = (&recorded.nodes, &recorded.edges) else {
        return Err(Failure::usage(format!(
            "{} does not say where its tables are. Pass --nodes and --edges.",
            run.path.display()
        )));
    };
    let moved = |path: &Path| path.as_os_str() == "-" || !path.exists();
    if let Some(path) = [nodes, edges].into_iter().find(|path| moved(path)) {
        return Err(Failure::failed(format!(
            "{}: the run was trained on {}, which is not there now. Pass --nodes and --edges.",
            run.path.display(),
            path.display()
        )));
    }
    let dataset = NodeDataset::load_with_schema(nodes, edges, &schema, &options)?;
    let changed = run.record.check_data(&dataset.sources).err();
    if let Some(difference) = &changed {
        console.warning(&difference.to_string());
    }
    let split = run.split(&dataset.ids)?;
    Ok(Applied { dataset, split: Some(split), changed: changed.is_some() })
}

/// Says what the reader of the tables noticed, where no data card does.
pub fn notes(dataset: &NodeDataset, console: &Console) {
    for warning in &dataset.card.warnings {
        console.message(&format!("note: {warning}"));
    }
}
