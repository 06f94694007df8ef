//! The data of the demonstration as tables, so that its runs are runs like any other.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use farhop_data::save::write_atomically;
use farhop_data::{FeatureScaling, NodeDataset, Part};
use farhop_nn::ModelConfig;
use farhop_train::{DataConfig, Recipe, TrainConfig};

use crate::data;
use crate::failure::Failure;

const NODES: &str = "nodes.csv";
const EDGES: &str = "edges.csv";

/// The recipe of a run on the tables in `place`.
pub fn recipe(place: &Path, model: &ModelConfig, train: &TrainConfig) -> Recipe {
    Recipe {
        model: model.clone(),
        train: train.clone(),
        data: DataConfig {
            nodes: Some(place.join(NODES)),
            edges: Some(place.join(EDGES)),
            target: Some("label".to_string()),
            scaling: FeatureScaling::None,
            ..DataConfig::default()
        },
    }
}

/// Writes the tables into a folder and reads them back.
pub fn write_and_read(place: &Path, dataset: &NodeDataset) -> Result<NodeDataset, Failure> {
    fs::create_dir_all(place).map_err(|error| {
        Failure::failed(format!("{}: can't create the folder: {error}. Choose another --out.", place.display()))
    })?;
    write_atomically(&place.join(NODES), |file| write_nodes(file, dataset))?;
    write_atomically(&place.join(EDGES), |file| write_edges(file, dataset))?;
    let recipe = recipe(place, &ModelConfig::from_name("mlp")?, &TrainConfig::default());
    data::load(&recipe)
}

fn write_nodes(file: &mut impl Write, dataset: &NodeDataset) -> io::Result<()> {
    let mut part_of = vec![""; dataset.ids.len()];
    if let Some(split) = &dataset.split {
        for part in Part::ALL {
            for node in split.part(part) {
                part_of[*node as usize] = part.name();
            }
        }
    }
    let columns: Vec<String> = (0..dataset.width).map(|column| format!("x{column}")).collect();
    writeln!(file, "id,label,split,{}", columns.join(","))?;
    let rows = dataset.features.chunks(dataset.width.max(1));
    for (node, row) in rows.enumerate() {
        let label = dataset.labels[node].map_or("", |class| &dataset.classes[class as usize]);
        let numbers: Vec<String> = row.iter().map(f32::to_string).collect();
        writeln!(file, "{},{label},{},{}", dataset.ids[node], part_of[node], numbers.join(","))?;
    }
    Ok(())
}

fn write_edges(file: &mut impl Write, dataset: &NodeDataset) -> io::Result<()> {
    writeln!(file, "source,target")?;
    for node in 0..dataset.graph.nodes() {
        for &other in dataset.graph.neighbours(node) {
            if (other as usize) < node {
                writeln!(file, "{},{}", dataset.ids[other as usize], dataset.ids[node])?;
            }
        }
    }
    Ok(())
}
