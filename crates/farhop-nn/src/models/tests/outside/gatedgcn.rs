//! GatedGCN: whole, from encoders to answers about graphs; and its layers alone, where states of nodes and of entries are the output.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{Case, Get, Numbers, Outside, OutsideFile, Told, compare, compare_network, files};
use crate::config::{ActivationKind, NormKind};
use crate::layers::{BlockConfig, GatedGcnConfig, GatedGcnLayer, Layer, Linear};
use crate::{Batch, Context, Features, ModelConfig};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[
    ("activation", &["relu"]),
    ("readout", &["none", "none: node and edge states are the output", "mean pool, linear"]),
];

fn has_states(file: &OutsideFile) -> bool {
    file.find("out_e").is_some()
}

fn case(file: &OutsideFile) -> Option<Case> {
    if has_states(file) {
        return None;
    }
    let (arrays, inputs) = file.arrays(true);
    let config = ModelConfig::from_name("gatedgcn").unwrap();
    let config = config.with("layers", file.config["layers"].clone()).unwrap();
    let config = config.with("width", file.config["dims"][1].clone()).unwrap().with("dropout", 0.0).unwrap();
    let config = config.with("input_projection", file.config["encoders"].clone()).unwrap();
    let config = config.with("residual", file.config["residual"][0].clone()).unwrap();
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let layers = file.count("layers");
    let mut table = Vec::new();
    let mut linear = |ours: String, theirs: String| {
        if get.has(&format!("{theirs}.weight")) {
            table.push((format!("{ours}.weight"), get.turned(&format!("{theirs}.weight"))));
            table.push((format!("{ours}.bias"), get.get(&format!("{theirs}.bias"))));
        }
    };
    linear("encoder.projection".into(), "node_encoder".into());
    linear("entries.projection".into(), "edge_encoder".into());
    linear("head.output".into(), "head".into());
    for l in 0..layers {
        for (ours, theirs) in [("own", "A"), ("value", "B"), ("entry", "C"), ("receiver", "D"), ("sender", "E")] {
            linear(format!("layers.{l}.{ours}"), format!("layer{l}.{theirs}"));
        }
    }
    for l in 0..layers {
        for (ours, theirs) in [("norm", "bn_node"), ("entry_norm", "bn_edge")] {
            let names = [("scale", "gain"), ("shift", "shift"), ("running_mean", "mean"), ("running_variance", "var")];
            let names = names.map(|(own, name)| (own, get.get(&format!("layer{l}.{theirs}.{name}"))));
            // A model has no norm for the entry states of its last layer, which nobody reads.
            if ours == "norm" || l + 1 < layers || has_states(file) {
                table.extend(names.map(|(own, numbers)| (format!("layers.{l}.{ours}.{own}"), numbers)));
            }
        }
    }
    table
}

#[test]
fn gatedgcn() {
    compare(&Outside { folder: "gatedgcn", case, table, unused: &[], told: TOLD });
}

#[derive(Module, Debug)]
struct Projection {
    projection: Linear,
}

/// Layers without a head: states of nodes, and below them those of entries.
#[derive(Module, Debug)]
struct States {
    encoder: Option<Projection>,
    entries: Option<Projection>,
    layers: Vec<GatedGcnLayer>,
}

impl Layer for States {
    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let encoded = |encoder: &Option<Projection>, x: Features| match encoder {
            Some(encoder) => encoder.projection.apply(x),
            None => x.into_dense(batch),
        };
        let mut h = encoded(&self.encoder, features);
        let mut e = encoded(&self.entries, batch.edge_numbers().into());
        for layer in &self.layers {
            let (nodes, entries) = layer.forward(h.into(), Some(e), batch, context);
            (h, e) = (nodes, entries.unwrap());
        }
        Tensor::cat(vec![h, e], 0)
    }
}

#[test]
fn layers_with_states_of_entries() {
    let mut compared = 0;
    for mut file in files("gatedgcn").into_iter().filter(has_states) {
        let (arrays, inputs) = file.arrays(true);
        for (nodes, entries) in [("out", "out_e"), ("out_train", "out_e_train"), ("cotangent", "cotangent_e")] {
            file.stack(nodes, entries);
        }
        let dims: Vec<usize> =
            file.config["dims"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect();
        let projection = |from: usize| {
            (file.config["encoders"] == true).then(|| Projection { projection: Linear::init(from, dims[0], 1) })
        };
        let block = BlockConfig { norm: NormKind::Batch, activation: ActivationKind::Relu, dropout: 0.0 };
        let layer = |l: usize| {
            let residual = file.config["residual"][l] == true;
            let (inputs, outputs) = (dims[l], dims[l + 1]);
            let config = GatedGcnConfig { inputs, entry_inputs: inputs, outputs, gives_entries: true, residual, block };
            GatedGcnLayer::init(config, 1)
        };
        let states = States {
            encoder: projection(inputs.numbers),
            entries: projection(inputs.edge_numbers),
            layers: (0..file.count("layers")).map(layer).collect(),
        };
        let outside = Outside { folder: "gatedgcn", case, table, unused: &[], told: TOLD };
        let make = || Batch::from_arrays(arrays.clone(), &inputs);
        compare_network(&outside, &file, Box::new(states), &make);
        compared += 1;
    }
    assert!(compared > 0);
}
