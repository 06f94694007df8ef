//! New files of the layout that a model was trained on, read as that one was.

use std::path::Path;

use super::file_schema::{ColumnSizes, FileSchema, layout};
use super::{
    ImportOptions, Kind, attributed_of_one, attributed_of_several, detect, import, molecule_options, python,
    tu_options, wrong,
};
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Numbers, Target};
use crate::error::DataError;
use crate::layouts::attributed::AttributedGraphs;
use crate::layouts::tu;
use crate::molecules::MoleculeTable;
use crate::tables::graph_features::{complete_graph_features, graph_feature};
use crate::tables::node_tables::{NodeTables, load_open};
use crate::tables::options::{ApplyOptions, NodeTableOptions, SplitChoice};
use crate::tables::schema::FeatureColumn;

/// As [`import`], with what is needed to read another file the same way.
///
/// # Errors
/// As [`import`].
pub fn import_learning(path: &Path, options: &ImportOptions) -> Result<(Dataset, FileSchema), DataError> {
    let kind = detect(path)?;
    if let Some(file) = attributed(path, &kind)? {
        let Some(table_options) = attributed_of_one(&file, options) else {
            let (dataset, graphs) = attributed_of_several(&file, options, None)?;
            let schema = FileSchema { graphs: Some(graphs), ..FileSchema::of(&kind, &dataset) };
            return Ok((dataset, schema));
        };
        let mut read = load_open(&file.nodes, &file.edges, &table_options, false)?.0;
        read.dataset.notes.extend(file.notes);
        let schema = FileSchema { table: Some(read.schema), ..FileSchema::of(&kind, &read.dataset) };
        return Ok((read.dataset, schema));
    }
    match &kind {
        Kind::TuFolder { names } if names.len() == 1 => {
            let (dataset, labels) = tu::read_with_labels(path, &names[0], &tu_options(options), None)?;
            let schema = FileSchema { labels: Some(labels), ..FileSchema::of(&kind, &dataset) };
            Ok((dataset, schema))
        }
        Kind::Molecules | Kind::SmilesLines | Kind::Sdf => {
            let table = MoleculeTable::load(path, &molecule_options(options))?;
            let schema = FileSchema { molecules: Some(table.schema), ..FileSchema::of(&kind, &table.dataset) };
            Ok((table.dataset, schema))
        }
        _ => {
            let dataset = import(path, options)?;
            let stand_in = stand_in(&dataset, &options.table);
            let schema = FileSchema { stand_in, ..FileSchema::of(&kind, &dataset) };
            Ok((dataset, schema))
        }
    }
}

/// Graphs with attributes, if that is what a path holds.
fn attributed(path: &Path, kind: &Kind) -> Result<Option<AttributedGraphs>, DataError> {
    match kind {
        Kind::Graphs(format) => AttributedGraphs::open(path, *format).map(Some),
        Kind::Pickle => python::networkx(path),
        _ => Ok(None),
    }
}

/// The column that the reader made for want of features, if that is what the nodes have.
fn stand_in(dataset: &Dataset, options: &NodeTableOptions) -> Option<FeatureColumn> {
    let Numbers::Dense(numbers) = &dataset.nodes.numbers else { return None };
    let graph = dataset.graphs.union();
    let train: &[u32] = if dataset.splits_nodes() { &dataset.split.train } else { &[] };
    let column = complete_graph_features(graph, train, options);
    let mut made = vec![0.0; graph.nodes()];
    graph_feature(std::slice::from_ref(&column), graph, &mut made);
    (ColumnSizes::of(&dataset.nodes) == ColumnSizes { numbers: 1, categories: Vec::new() } && made == *numbers)
        .then_some(column)
}

/// Reads a file that may lack the targets.
fn import_unlabelled(path: &Path, options: &ImportOptions) -> Result<Dataset, DataError> {
    let first = import(path, options);
    if first.is_ok() || options.targets.is_empty() {
        return first;
    }
    match import(path, &ImportOptions { targets: Vec::new(), ..options.clone() }) {
        Ok(dataset) => Ok(Dataset { target: Target::none(dataset.rows()), ..dataset }),
        Err(_) => first,
    }
}

/// Reads a new file as `schema` says that of training was read. Targets need not be there; it has no split.
///
/// # Errors
/// When it has another layout, other features or other targets, or can't be read.
pub fn import_again(path: &Path, options: &ImportOptions, schema: &FileSchema) -> Result<Dataset, DataError> {
    let kind = detect(path)?;
    if layout(&kind) != schema.layout {
        return Err(wrong(
            path,
            format!("this is {kind}; the run was trained on {}. Give one of those.", schema.layout),
        ));
    }
    let mut options = ImportOptions { task: schema.task, ..options.clone() };
    options.table.split = SplitChoice::Given(Split::default());
    if let Some(file) = attributed(path, &kind)? {
        if let Some(graphs) = &schema.graphs {
            return schema.fit(attributed_of_several(&file, &options, Some(graphs))?.0);
        }
        let Some(table) = &schema.table else {
            let remedy =
                "Train it once more, or keep new graphs in one file with those of training, without their targets.";
            return Err(wrong(
                path,
                format!("the run does not know how attributes of several graphs were read. {remedy}"),
            ));
        };
        if file.graphs > 1 {
            return Err(wrong(path, "the file has several graphs, that of training one. Give one graph.".into()));
        }
        let read = NodeTables::read_open(&file.nodes, &file.edges, table, &ApplyOptions::default(), None)?;
        return schema.fit(read.dataset);
    }
    let dataset = match (&kind, &schema.labels, &schema.molecules) {
        (Kind::TuFolder { names }, Some(labels), _) if names.len() == 1 => {
            tu::read_with_labels(path, &names[0], &tu_options(&options), Some(labels))?.0
        }
        (_, _, Some(molecules)) => {
            MoleculeTable::load_with_schema(path, molecules, options.skip_bad_molecules)?.dataset
        }
        _ => {
            let mut dataset = import_unlabelled(path, &options)?;
            if let (Some(column), Some(_)) = (&schema.stand_in, stand_in(&dataset, &options.table)) {
                let mut numbers = vec![0.0; dataset.graphs.union().nodes()];
                graph_feature(std::slice::from_ref(column), dataset.graphs.union(), &mut numbers);
                dataset.nodes = Columns::dense(1, numbers);
            }
            dataset
        }
    };
    schema.fit(dataset)
}
