//! Models against numbers that were made outside of the project: outputs, and the gradients of every parameter and of the input.
//!
//! A model has a folder of npz files (`tests/fixtures/<model>`, and `$FARHOP_FIXTURES/<model>` where that is set). Every file says its settings
//! in `config`; one table a model says how the file's parameters are named and laid out here. The same table serves for weights
//! and for gradients, so it may only transpose, cut, join and rename.

mod appnp;
mod cpgnn;
mod dagnn;
mod drew;
mod exphormer;
mod file;
mod fsgnn;
mod gat;
mod gatedgcn;
mod gea;
mod gin;
mod glognn;
mod gmn;
mod goat;
mod gprgnn;
mod gps;
mod graph_mamba;
mod graphsage;
mod grit;
mod h2gcn;
mod ipr_mpnn;
mod jknet;
mod magna;
mod mixhop;
mod nagphormer;
mod nodeformer;
mod polynormer;
mod sat;
mod settings;
mod sgc;
mod sgformer;

pub use file::{Numbers, OutsideFile};
pub use settings::Told;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use farhop_graph::{Direction, Graph, build};

use crate::ops::bridge;
use crate::{Batch, BatchArrays, Context, InputShape, Level, Model, ModelConfig, Network, NodeArray, OutputShape};

/// How a file becomes a model and a batch.
pub struct Case {
    /// The model with the settings of the file.
    pub config: ModelConfig,
    /// What it reads.
    pub inputs: InputShape,
    /// What it gives.
    pub outputs: OutputShape,
    /// The batch.
    pub arrays: BatchArrays,
}

/// How a model is compared.
pub struct Outside {
    /// The folder's name.
    pub folder: &'static str,
    /// Settings and batch of a file; none for a file that is compared in another way.
    pub case: fn(&OutsideFile) -> Option<Case>,
    /// Our names with the numbers, from those of the file. Asks `get` for every parameter of the file.
    pub table: fn(&OutsideFile, &Get) -> Vec<(String, Numbers)>,
    /// Parameters of the file that have no counterpart here, and why the comparison is whole without them.
    pub unused: &'static [&'static str],
    /// Settings of the file that `case` does not read, because the model has them as part of its formula.
    pub told: &'static [Told],
}

/// Looks up a parameter of the file by its name without `param/`: its value, its gradient, or a statistic after a step.
pub struct Get<'a> {
    file: &'a OutsideFile,
    prefix: &'a str,
    asked: RefCell<BTreeSet<String>>,
}

/// Stands before the statistics of norms after a step of training.
const AFTER: &str = "buffer_after/";

impl Get<'_> {
    /// The parameter, the stored statistic (`buffer/`, values only) or the gradient of that name. An offset that the file does not have is
    /// without numbers: ours is zero, and its gradient is not looked at.
    ///
    /// # Panics
    /// If the file has no such parameter.
    pub fn get(&self, name: &str) -> Numbers {
        self.asked.borrow_mut().insert(name.to_string());
        let part = if self.prefix == AFTER { "" } else { "param/" };
        if let Some(found) = self.file.find(&format!("{}{part}{name}", self.prefix)) {
            return found;
        }
        let shape_of = self.file.find(&format!("param/{name}")).or_else(|| self.file.find(&format!("buffer/{name}")));
        let known = match shape_of {
            Some(known) => known,
            None if name.ends_with(".bias") => Numbers { shape: vec![0], data: Vec::new() },
            None => panic!("{}: no parameter {name}", self.file.name),
        };
        // Statistics have no gradient: what stands there is never looked at.
        if self.prefix.is_empty() { known } else { known.map(|_| f64::NAN) }
    }

    /// Whether the file has that parameter.
    pub fn has(&self, name: &str) -> bool {
        self.file.find(&format!("param/{name}")).is_some()
    }

    /// Zeros for a parameter of ours that the file does not have; its gradient is not looked at.
    pub fn without(&self, count: usize) -> Numbers {
        let value = if self.prefix.is_empty() { 0.0 } else { f64::NAN };
        Numbers { shape: vec![count], data: vec![value; count] }
    }

    /// `[out, in]` turned to `[in, out]`, as weights lie here.
    pub fn turned(&self, name: &str) -> Numbers {
        self.get(name).transposed()
    }
}

/// The files of a model: those of the project, and those of `$FARHOP_FIXTURES`.
pub fn files(folder: &str) -> Vec<OutsideFile> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let further = std::env::var_os("FARHOP_FIXTURES").map(|root| PathBuf::from(root).join(folder));
    let mut paths = Vec::new();
    for place in [Some(own), further].into_iter().flatten() {
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "npz")));
    }
    paths.sort();
    assert!(!paths.is_empty(), "no outside numbers for {folder}");
    paths.iter().map(|path| OutsideFile::open(path)).collect()
}

/// One pass through a model, and the numbers of a file that it is held against.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The outputs; a file without them is not compared in this pass.
    pub output: &'static str,
    /// What the outputs are multiplied with before they are summed up.
    pub cotangent: &'static str,
    /// What stands before the names of the gradients of that sum; none if the files do not have them.
    pub gradients: Option<&'static str>,
    /// Whether it is a step of training.
    pub training: bool,
}

/// What nearly all files have.
pub const PASSES: [Pass; 2] = [
    Pass { output: "out", cotangent: "cotangent", gradients: Some("grad/"), training: false },
    Pass { output: "out_train", cotangent: "cotangent", gradients: Some("grad_train/"), training: true },
];

/// What differs from model to model in a comparison.
pub struct How<'a> {
    /// The passes.
    pub passes: &'a [Pass],
    /// Puts what a file recorded (random draws, say) into the batch of a pass.
    pub prepare: &'a dyn Fn(&OutsideFile, &Pass, &Batch),
    /// Gradients that are not compared, by folder, file and our name; the test says why.
    pub left_out: &'a [&'a str],
    /// Arrays of nodes whose gradients are compared: our name and the file's.
    pub arrays: &'a [(&'a str, &'a str)],
    /// Turns our outputs into those of the file.
    pub read: fn(Tensor<2>, &OutsideFile) -> Tensor<2>,
}

impl Default for How<'_> {
    fn default() -> Self {
        How { passes: &PASSES, prepare: &|_, _, _| (), left_out: &[], arrays: &[], read: |outputs, _| outputs }
    }
}

/// Compares every file of a model.
pub fn compare(outside: &Outside) {
    compare_how(outside, &How::default());
}

/// As [`compare`], for files whose outputs are the logarithms of probabilities.
pub fn compare_log_probabilities(outside: &Outside) {
    compare_how(outside, &How { read: |outputs, _| log_softmax(outputs, 1), ..How::default() });
}

/// As [`compare`], in another way.
pub fn compare_how(outside: &Outside, how: &How) {
    let mut compared = 0;
    for file in files(outside.folder) {
        let Some(case) = (outside.case)(&file) else { continue };
        compare_one(outside, &file, &case, how);
        compared += 1;
    }
    assert!(compared > 0, "{}: no file was compared", outside.folder);
}

/// Compares one file.
pub fn compare_one(outside: &Outside, file: &OutsideFile, case: &Case, how: &How) {
    let make = || Batch::from_arrays(case.arrays.clone(), &case.inputs);
    compare_passes(outside, file, loaded(outside, file, case).network(), &make, how);
}

/// Compares a network, which may be a part of a model.
pub fn compare_network(
    outside: &Outside,
    file: &OutsideFile,
    mut network: Box<dyn Network>,
    batch: &dyn Fn() -> Batch,
) {
    load(outside, file, network.as_mut());
    compare_passes(outside, file, network.as_ref(), batch, &How::default());
}

/// The model of a file, with its weights.
pub fn loaded(outside: &Outside, file: &OutsideFile, case: &Case) -> Model {
    case.config.validate().unwrap();
    let mut model = case.config.init(&case.inputs, case.outputs, 1).unwrap();
    load(outside, file, model.network_mut());
    model
}

/// Gives a network the weights of a file: every parameter of the file, every array of the network.
fn load(outside: &Outside, file: &OutsideFile, network: &mut dyn Network) {
    let name = &file.name;
    let get = Get { file, prefix: "", asked: RefCell::default() };
    let mut table: BTreeMap<String, Numbers> = (outside.table)(file, &get).into_iter().collect();
    for parameter in file.names().filter_map(|name| name.strip_prefix("param/").map(str::to_string)) {
        let known = get.asked.borrow().contains(&parameter) || outside.unused.contains(&parameter.as_str());
        assert!(known, "{name}: parameter {parameter} is not in the table");
    }
    let ignored = file.config.ignored(outside.told);
    assert!(ignored.is_empty(), "{name}: nobody reads these settings of the file: {ignored:?}");
    let mut values = BTreeMap::new();
    for array in network.arrays() {
        let numbers = table.remove(&array.name).unwrap_or_else(|| panic!("{name}: nothing for {}", array.name));
        let numbers = if numbers.data.is_empty() { vec![0.0; array.data.len()] } else { numbers.data };
        assert_eq!(numbers.len(), array.data.len(), "{name}: {} {:?}", array.name, array.shape);
        values.insert(array.id, numbers.iter().map(|value| *value as f32).collect::<Vec<_>>());
    }
    assert!(table.is_empty(), "{name}: not in the model: {:?}", table.keys());
    network.replace(&mut |id| values.remove(&id));
}

fn compare_passes(outside: &Outside, file: &OutsideFile, network: &dyn Network, batch: &dyn Fn() -> Batch, how: &How) {
    let name = &file.name;
    for pass in how.passes {
        let Some(expected) = file.find(pass.output) else { continue };
        let mut batch = batch();
        let has = |(ours, _): &&(&str, &str)| batch.shape().array(ours) > 0;
        let named: Vec<_> = how.arrays.iter().filter(has).collect();
        let mut named: Vec<_> = named.into_iter().map(|(ours, theirs)| (*theirs, batch.track_array(ours))).collect();
        let of_edges = pass.gradients.and_then(|gradients| file.find(&format!("{gradients}edge_attr")));
        if of_edges.is_some() && batch.shape().edge_numbers > 0 {
            named.push(("edge_attr", batch.track_edge_numbers()));
        }
        (how.prepare)(file, pass, &batch);
        let context = if pass.training { Context::training(1, 1) } else { Context::evaluation() };
        let tracked = network.tracked();
        let x = batch.features().autodiff().require_grad();
        let found = (how.read)(tracked.run(x.clone().into(), &batch, &context), file);
        assert_close(&format!("{name}, {}", pass.output), &bridge::into_vec(found.clone()), &expected.data, 0.0);
        if pass.training {
            compare_statistics(outside, file, network, context);
        }
        let Some(gradients) = pass.gradients else { continue };
        let cotangent = file.find(pass.cotangent).unwrap_or_else(|| panic!("{name}: no {}", pass.cotangent));
        let [rows, columns] = found.dims();
        let cotangent = cotangent.data.iter().map(|value| *value as f32).collect();
        let cotangent: Tensor<2> = bridge::from_vec(cotangent, [rows, columns]);
        let mut tape = (found * cotangent.autodiff()).sum().backward();
        let get = Get { file, prefix: gradients, asked: RefCell::default() };
        let table: BTreeMap<String, Numbers> = (outside.table)(file, &get).into_iter().collect();
        let found = tracked.gradients(&mut tape);
        // A gradient that is zero but for rounding is held against the others.
        let largest =
            table.values().flat_map(|n| &n.data).filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let left_out = |ours: &str| how.left_out.contains(&format!("{name} {ours}").as_str());
        for array in found.into_iter().filter(|array| !left_out(&array.name)) {
            let what = format!("{name}, {gradients}{}", array.name);
            if table[&array.name].data.iter().all(|value| value.is_nan()) {
                // A parameter of ours that the file does not have: its table gave it a value that changes nothing.
                continue;
            }
            assert_close(&what, &array.data, &table[&array.name].data, largest);
        }
        for (theirs, array) in named {
            let expected = file.find(&format!("{gradients}{theirs}")).unwrap();
            let Some(found) = array.grad_remove(&mut tape) else {
                // What nobody reads has none.
                assert!(expected.data.iter().all(|value| *value == 0.0), "{name}: {theirs} has no gradient");
                continue;
            };
            assert_close(&format!("{name}, {gradients}{theirs}"), &bridge::into_vec(found), &expected.data, largest);
        }
        if let Some(expected) = file.input_gradient(gradients, batch.width()) {
            let dx = x.grad_remove(&mut tape).unwrap_or_else(|| panic!("{name}: the input has no gradient"));
            // A case may have further numbers after those of the file.
            let ([_, ours], theirs) = (dx.dims(), expected.shape[1]);
            let dx: Vec<f32> = bridge::into_vec(dx).chunks_exact(ours).flat_map(|row| row[..theirs].to_vec()).collect();
            assert_close(&format!("{name}, {gradients}x"), &dx, &expected.data, largest);
        }
    }
}

/// What norms store after the step, where the file says it.
fn compare_statistics(outside: &Outside, file: &OutsideFile, network: &dyn Network, context: Context) {
    let get = Get { file, prefix: AFTER, asked: RefCell::default() };
    let table: BTreeMap<String, Numbers> = (outside.table)(file, &get).into_iter().collect();
    let names: BTreeMap<_, _> = network.arrays().into_iter().map(|array| (array.id, array.name)).collect();
    for (id, found) in context.into_updates() {
        let ours = &names[&id];
        let expected = &table[ours].data;
        if expected.iter().any(|value| value.is_finite()) {
            assert_close(&format!("{}, {AFTER}{ours}", file.name), &found, expected, 0.0);
        }
    }
}

/// Each number within 1e-4 of the array's largest one (and of 1 % of `largest`): f32 against f64.
fn assert_close(what: &str, found: &[f32], expected: &[f64], largest: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-2 * largest, |most, value| most.max(value.abs())).max(1e-6);
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(*found) - expected).abs();
        assert!(error <= 1e-4 * scale, "{what}, number {at}: {found} instead of {expected}");
    }
}

/// Gives a batch a named array of nodes.
pub fn add_array(arrays: &mut BatchArrays, shape: &mut InputShape, name: &str, width: usize, values: Vec<f32>) {
    let array = NodeArray::new(name, width, values);
    shape.arrays.push(array.shape());
    arrays.arrays.push(array);
}

impl OutsideFile {
    /// The graph: `edge_index` with row 0 the sources, row 1 the targets.
    pub fn graph(&self) -> Graph {
        let nodes = self.number("num_nodes") as usize;
        let edges = self.find("edge_index").unwrap();
        let count = edges.data.len() / 2;
        let pairs: Vec<(u32, u32)> = (0..count).map(|e| (edges.data[e] as u32, edges.data[count + e] as u32)).collect();
        let turned = |&(source, target): &(u32, u32)| pairs.contains(&(target, source));
        let direction = if pairs.iter().all(turned) { Direction::Undirected } else { Direction::Directed };
        let graph = build(nodes, &pairs, direction).unwrap().graph;
        assert_eq!(graph.entries(), count, "{}: every edge is one entry", self.name);
        graph
    }

    /// Where the graphs of the batch begin, from `batch`; empty for one graph.
    pub fn offsets(&self) -> Vec<usize> {
        let Some(batch) = self.find("batch") else { return Vec::new() };
        let graphs = batch.data.iter().fold(0.0, |most: f64, graph| most.max(*graph)) as usize + 1;
        let start = |graph: usize| batch.data.iter().filter(|of| (**of as usize) < graph).count();
        (0..=graphs).map(start).collect()
    }

    /// The batch of the file, with `x` as numbers of nodes and `edge_attr`, if `edges`, as numbers of entries; and what that is.
    pub fn arrays(&self, edges: bool) -> (BatchArrays, InputShape) {
        let x = self.find("x").unwrap();
        let mut shape = InputShape::from(x.shape[1]);
        let mut arrays = BatchArrays {
            offsets: self.offsets(),
            numbers: crate::BatchNumbers::Dense(x.to_f32()),
            ..BatchArrays::new(Arc::new(self.graph()))
        };
        if let Some(features) = self.find("edge_attr").filter(|_| edges) {
            // Edges are sorted by target, then source: the order of entries.
            shape.edge_numbers = features.shape[1];
            arrays.edge_numbers = features.to_f32();
        }
        (arrays, shape)
    }

    /// The gradient of the input, of `width` numbers a node: that of `x`, and if that is narrower, that of `lappe` beside it.
    fn input_gradient(&self, gradients: &str, width: usize) -> Option<Numbers> {
        let x = self.find(&format!("{gradients}x"))?;
        match self.find(&format!("{gradients}lappe")) {
            Some(beside) if x.shape.last() != Some(&width) => {
                Some(Numbers::stacked(&[x.transposed(), beside.transposed()]).transposed())
            }
            _ => Some(x),
        }
    }

    /// Answers about nodes, or about graphs if the outputs have a row for each of these.
    pub fn outputs(&self) -> OutputShape {
        let out = self.find("out").unwrap();
        let nodes = self.number("num_nodes") as usize;
        let level = if out.shape[0] == nodes { Level::Node } else { Level::Graph };
        OutputShape { level, outputs: out.shape[1] }
    }
}
