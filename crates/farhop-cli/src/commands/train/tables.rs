//! The data of the demonstration as tables, so that its runs are runs like any other.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use farhop_data::save::write_atomically;
use farhop_data::{Dataset, FeatureScaling, Numbers, Part, Target};
use farhop_nn::ModelConfig;
use farhop_train::{DataConfig, EncodingConfig, Material, Places, Recipe, TrainConfig};

use crate::failure::Failure;
use crate::output::Output;

const NODES: &str = "nodes.csv";
const EDGES: &str = "edges.csv";

/// The recipe of a run on the tables in `place`.
pub fn recipe(place: &Path, model: &ModelConfig, train: &TrainConfig) -> Recipe {
    Recipe {
        model: model.clone(),
        train: train.clone(),
        encodings: EncodingConfig::default(),
        data: DataConfig {
            nodes: Some(place.join(NODES)),
            edges: Some(place.join(EDGES)),
            targets: vec!["label".to_string()],
            scaling: FeatureScaling::None,
            ..DataConfig::default()
        },
    }
}

/// Writes the tables into a folder and reads them back.
pub fn write_and_read(place: &Path, dataset: &Dataset, overwrite: bool) -> Result<Material, Failure> {
    fs::create_dir_all(place).map_err(|error| {
        Failure::failed(format!("{}: can't create the folder: {error}. Choose another --out.", place.display()))
    })?;
    let nodes = Output::new("--out", &place.join(NODES), overwrite)?;
    let edges = Output::new("--out", &place.join(EDGES), overwrite)?;
    write_atomically(nodes.path(), |file| write_nodes(file, dataset))?;
    write_atomically(edges.path(), |file| write_edges(file, dataset))?;
    let recipe = recipe(place, &ModelConfig::from_name("mlp")?, &TrainConfig::default());
    Ok(Material::read(&recipe, &Places::usual(None))?)
}

fn write_nodes(file: &mut impl Write, dataset: &Dataset) -> io::Result<()> {
    let (Target::Class { labels, classes }, Numbers::Dense(numbers)) = (&dataset.target, &dataset.nodes.numbers) else {
        return Err(io::Error::other("the demonstration has classes and dense features"));
    };
    let mut part_of = vec![""; labels.len()];
    for part in Part::ALL {
        for node in dataset.split.part(part) {
            part_of[*node as usize] = part.name();
        }
    }
    let columns: Vec<String> = (0..dataset.nodes.width).map(|column| format!("x{column}")).collect();
    writeln!(file, "id,label,split,{}", columns.join(","))?;
    for (node, row) in numbers.chunks(dataset.nodes.width.max(1)).enumerate() {
        let label = labels[node].map_or("", |class| &classes[class as usize]);
        let numbers: Vec<String> = row.iter().map(f32::to_string).collect();
        writeln!(file, "{},{label},{},{}", dataset.id(node), part_of[node], numbers.join(","))?;
    }
    Ok(())
}

fn write_edges(file: &mut impl Write, dataset: &Dataset) -> io::Result<()> {
    let graph = dataset.graphs.union();
    writeln!(file, "source,target")?;
    for node in 0..graph.nodes() {
        for other in graph.neighbours(node).iter().map(|other| *other as usize).filter(|other| *other < node) {
            writeln!(file, "{},{}", dataset.id(other), dataset.id(node))?;
        }
    }
    Ok(())
}
