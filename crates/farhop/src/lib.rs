//! Long-range graph learning: exact graph elimination networks on an ordinary machine.
//!
//! A layer of a graph elimination network sees K hops, one by one: in round k, what steps straight back along an edge is
//! taken away, so that round k carries what lies at distance k and nothing else. This crate is the library behind the
//! `farhop` command: checked graphs, the layers and models, readers of tables, and the training loop.
//!
//! # A model from a graph
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use farhop::{Dataset, Direction, Encodings, Outputs, Recipe, Session, Silent, Split, Task, build, fit};
//!
//! // A path of eight nodes. Its ends have a colour; every node is to know the colour of the nearer end.
//! let edges: Vec<(u32, u32)> = (0..7).map(|node| (node, node + 1)).collect();
//! let graph = build(8, &edges, Direction::Undirected)?.graph;
//! let mut features = vec![0.0; 8 * 2];
//! features[0] = 1.0; // node 0 is red
//! features[15] = 1.0; // node 7 is blue
//! let labels: Vec<Option<u32>> = (0..8).map(|node| Some(u32::from(node >= 4))).collect();
//! let split = Split { train: vec![0, 1, 3, 4, 6, 7], valid: vec![], test: vec![2, 5] };
//!
//! // The settings are those of a recipe file; what is not changed has its default.
//! let mut recipe = Recipe::for_model("gen")?;
//! recipe.train.epochs = 20;
//!
//! let classes = vec!["red".to_string(), "blue".to_string()];
//! let dataset = Dataset::from_arrays("path", graph, features, 2, labels, classes, split)?;
//! let task = Task::new(dataset, Encodings::default(), &recipe.train, None)?;
//! let stop = AtomicBool::new(false);
//! let mut session = Session { folder: None, observer: &mut Silent, stop: &stop };
//! let fitted = fit(&task, &recipe.model, &recipe.train, &mut session)?;
//!
//! assert_eq!(Outputs::of_all(&task, &fitted.model)?.values.len(), 8 * 2);
//! assert!(fitted.summary.scores.test.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The elimination alone
//!
//! ```
//! use farhop::elimination::{Coefficients, Config, Heads, Mode, Source, Storage, forward};
//! use farhop::generate;
//!
//! // A path of five nodes; the first one carries the number 1. All coefficients are 1.
//! let graph = generate::path(5)?;
//! let ones = vec![1.0; graph.entries()];
//! let coefficients = Coefficients { rounds: 1, edge: &ones, node: &[1.0; 5] };
//! let config = Config { rounds: 4, heads: Heads::new(1, 1), mode: Mode::Exact, skip_negligible: true, storage: Storage::Full };
//! let kept = forward(&graph, &config, &Source::Given(coefficients), &[1.0, 0.0, 0.0, 0.0, 0.0]);
//!
//! // Increment k: the number is where the distance is k, and nowhere else.
//! assert_eq!(kept.increments[0], [0.0, 1.0, 0.0, 0.0, 0.0]);
//! assert_eq!(kept.increments[3], [0.0, 0.0, 0.0, 0.0, 1.0]);
//! # Ok::<(), farhop::GraphError>(())
//! ```
//!
//! # Tables, runs and predictions
//!
//! [`catalogue`] loads the datasets of the literature, [`NodeTables`] a nodes table and an edges table,
//! [`molecules`] a table of SMILES; [`RunFolder`] keeps a run that can be continued; [`TrainedRun`]
//! reads one back to predict. The same seed gives the same bits on any number of threads.

pub use farhop_data::{
    ApplyOptions, Columns, DataCard, DataError, Dataset, FeatureScaling, Fill, NoFeatures, NodeTableOptions,
    NodeTables, Part, Schema, SourceFile, Split, SplitChoice, SplitFractions, Target, TargetKind, catalogue, fetch,
    import, metrics, molecules, npz, predictions, smiles, synthetic,
};
pub use farhop_graph::{
    BuildReport, Built, Direction, Graph, GraphError, GraphSet, NO_EDGE, Union, build, connected_components,
    disjoint_union, distances, encodings, generate, random, relabel,
};
pub use farhop_nn::{
    About, ActivationKind, Architecture, Batch, BatchArrays, Change, Common, InputShape, Knob, Learner, Level,
    MemoryEstimate, Model, ModelConfig, NnError, NormKind, NumberLoss, Numbers, OptimizerConfig, OptimizerKind,
    OutputShape, Properties, REGISTRY, Reach, Shape, StepReport, Targets,
};
pub use farhop_train::{
    CheckpointEvery, DataConfig, EncodingConfig, Encodings, EpochReport, Fitted, LossKind, Machine, Material, Observer,
    Outcome, Outputs, Places, Recipe, RunFolder, RunRecord, Schedule, Scores, Session, Silent, Status, Summary, Task,
    TrainConfig, TrainError, TrainedRun, fit, memory, presets, probabilities, softmax_rows,
};

/// The elimination over plain slices: K rounds, each with its increment, and their states.
pub mod elimination {
    pub use farhop_kernels::elimination::{Coefficients, Config, Kept, Mode, Source, Storage, cumulative, forward};
    pub use farhop_kernels::heads::Heads;
}

/// The kinds that settings of a GEN layer choose from.
pub mod layers {
    pub use farhop_nn::layers::{CoefficientKind, EliminationKind, HopReading, LaplacianKind, ReadoutKind};
}
