//! Long-range graph learning: exact graph elimination networks on an ordinary machine.
//!
//! A layer of a graph elimination network sees K hops, one by one: in round k, what steps straight back along an edge is
//! taken away, so that round k carries what lies at distance k and nothing else. This crate is the library behind the
//! `farhop` command: checked graphs, the layers and models, readers of tables, and the training loop.
//!
//! # A model from a graph
//!
//! ```
//! use farhop::{Dataset, Preset, Split, generate, train};
//!
//! // A path of eight nodes whose ends have a colour. Every node is to know the colour of the nearer end.
//! let features = (0..8).flat_map(|node| [f32::from(node == 0), f32::from(node == 7)]).collect();
//! let dataset = Dataset::graph(generate::path(8)?)
//!     .features(2, features)
//!     .classes((0..8).map(|node| if node < 4 { "red" } else { "blue" }))
//!     .split(Split { train: vec![0, 1, 3, 4, 6, 7], valid: vec![], test: vec![2, 5] })
//!     .build()?;
//! let mut recipe = Preset::of(&dataset).recipe("gen")?;
//! recipe.train.epochs = 20;
//! let trained = train(dataset, recipe)?;
//! assert!(trained.fitted.summary.scores.test.is_some());
//! assert_eq!(trained.predict()?.len(), 8 * 2); // probabilities of both classes
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/` has a graph of one's own, molecules, the elimination alone and a layer of one's own. A [`Job`] is the same with a run folder,
//! an observer and a way to stop it; [`Settings`] are what a recipe file and single settings ask for.
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
    ApplyOptions, Columns, DataCard, DataError, Dataset, DatasetBuilder, FeatureScaling, Fill, NoFeatures,
    NodeTableOptions, NodeTables, Part, Schema, SourceFile, Split, SplitChoice, SplitFile, SplitFractions, Target,
    TargetKind, catalogue, fetch, import, metrics, molecules, npz, predictions, smiles, synthetic,
};
pub use farhop_graph::{
    BuildReport, Built, Direction, Graph, GraphError, GraphSet, NO_EDGE, Union, build, connected_components,
    disjoint_union, distances, encodings, generate, random, relabel,
};
pub use farhop_nn::{
    About, ActivationKind, Architecture, Batch, BatchArrays, BatchNumbers, Change, Common, InputShape, Knob, Learner,
    Level, MemoryEstimate, Model, ModelConfig, NnError, NormKind, NumberLoss, OptimizerConfig, OptimizerKind,
    OutputShape, Properties, REGISTRY, Reach, Shape, StepReport, Targets,
};
pub use farhop_train::presets::Preset;
pub use farhop_train::{
    CheckpointEvery, DataConfig, EncodingConfig, Encodings, EpochReport, Fitted, GivenSetting, Job, Keep, LossKind,
    Machine, Material, Observer, Outcome, Outputs, Places, Recipe, Resume, RunFolder, RunRecord, Schedule, Scores,
    Session, Settings, Settled, Silent, SplitSetting, Stage, Status, Summary, Task, TrainConfig, TrainError, Trained,
    TrainedRun, compare, fit, memory, presets, probabilities, series, softmax_rows, train,
};

/// The elimination over plain slices: K rounds, each with its increment, and their states.
pub mod elimination {
    pub use farhop_kernels::elimination::{Coefficients, Config, Kept, Mode, Source, Storage, cumulative, forward};
    pub use farhop_kernels::heads::Heads;
}

/// The kinds that settings of a GEN layer choose from.
pub mod layers {
    pub use farhop_nn::layers::{CoefficientKind, EliminationKind, HopReading, LaplacianReading, ReadoutKind};
}
