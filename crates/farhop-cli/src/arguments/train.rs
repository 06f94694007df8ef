//! Arguments of `farhop train`.

use std::path::PathBuf;

use clap::Args;
use farhop_train::{CheckpointEvery, GivenSetting};
use serde_json::Value;

use super::{DataArguments, ModelArguments, PartsArguments, SeedArguments};

const EXAMPLES: &str = "\
Examples:
  farhop train
  farhop train --distance 6
  farhop train --picture accuracy.svg
  farhop train cora
  farhop train cora --model gcn --recipe tuned --runs 5
      the settings and the protocol behind published scores
  farhop train peptides-func --model gcn --epochs 20 --out runs/peptides
  farhop train molecules.csv --smiles smiles --target logp
  farhop train --nodes nodes.csv --edges edges.csv --target label --out runs/mine
  farhop train --nodes nodes.csv --edges edges.csv --target label --model gcn --layers 4 --width 64
  farhop train --recipe runs/mine/recipe.toml --seed 1 --out runs/again
  farhop train large.farhop --parts 64
      a graph that does not fit into memory, part by part
  farhop train chameleon-filtered --runs 10 --out runs/ten
      ten seeds on ten splits: mean and deviation
  farhop train --resume runs/mine

Defaults are the general settings, one set for one graph and one for many graphs, the same for every dataset; a recipe
has its own. --show-settings prints what is used and where it comes from.

Ctrl-C saves the run and says how to continue it; a second Ctrl-C stops at once.";

/// Arguments of `farhop train`.
#[derive(Args, Debug, Default)]
#[command(after_help = EXAMPLES)]
pub struct TrainArguments {
    /// Run folder to write [default: the first free runs/DATASET-MODEL-N; the demonstration keeps nothing]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Replace the run that is in --out, or the file of --picture
    #[arg(long)]
    pub overwrite: bool,
    /// Continue the run in this folder; only --epochs, --nodes, --edges and --data-dir may be given with it
    #[arg(long, value_name = "RUN", conflicts_with_all = ["out", "overwrite", "recipe"])]
    pub resume: Option<PathBuf>,
    /// Settings as TOML, such as the recipe.toml of a run, or `tuned` for the recipe that comes with farhop for dataset and model; options
    /// override it
    #[arg(long, value_name = "FILE")]
    pub recipe: Option<PathBuf>,
    /// Print every setting with its value and where it comes from (default, preset, recipe, option), and train nothing
    #[arg(long, conflicts_with = "resume")]
    pub show_settings: bool,
    /// Several runs.
    #[command(flatten)]
    pub several: SeedArguments,
    /// The built-in demonstration.
    #[command(flatten)]
    pub demonstration: DemonstrationArguments,
    /// The data.
    #[command(flatten)]
    pub data: DataArguments,
    /// The model.
    #[command(flatten)]
    pub model: ModelArguments,
    /// The training loop.
    #[command(flatten)]
    pub training: TrainingArguments,
}

/// The built-in demonstration.
#[derive(Args, Debug, Default, Clone)]
#[command(next_help_heading = "Demonstration (without your data)")]
pub struct DemonstrationArguments {
    /// Distance whose colours decide the label; also of the datasets that are made [default: 4]
    #[arg(long, value_name = "R", conflicts_with = "picture")]
    pub distance: Option<usize>,
    /// Train at several distances and draw accuracy against distance as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Distances of the picture [default: 1,2,3,4,5,6]
    #[arg(long, value_name = "R,...", value_delimiter = ',', requires = "picture")]
    pub distances: Vec<usize>,
    /// Nodes of the generated trees, together
    #[arg(long, value_name = "N")]
    pub tree_nodes: Option<usize>,
}

impl DemonstrationArguments {
    /// Whether anything was asked about the demonstration.
    pub fn is_empty(&self) -> bool {
        self.distance.is_none() && self.picture.is_none() && self.tree_nodes.is_none()
    }
}

/// Settings of the training loop, each a key of the recipe's `[train]` section.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Training")]
pub struct TrainingArguments {
    /// Epochs, at most [default: 200; many graphs: 100]
    #[arg(long, value_name = "N")]
    pub epochs: Option<usize>,
    /// Graphs in a step, where there are many [default: 64]
    #[arg(long, value_name = "B")]
    batch_size: Option<usize>,
    /// Graphs of like size go into one batch
    #[arg(long)]
    bucket_by_size: bool,
    /// What is minimised [default: auto, what the target asks for]
    #[arg(long, value_name = "KIND", value_parser = ["auto", "cross-entropy", "weighted-cross-entropy", "binary-cross-entropy", "l1", "l2"])]
    loss: Option<String>,
    /// Steps of the random walks whose return probabilities are features [default: 0, none]
    #[arg(long, value_name = "N")]
    walk: Option<usize>,
    /// Eigenvectors of the Laplacian that are features [default: 0, none]
    #[arg(long, value_name = "N")]
    laplacian: Option<usize>,
    /// Optimiser: weight decay beside the gradient (adamw) or inside it (adam) [default: adamw; gcn: adam; many graphs: adamw]
    #[arg(long, value_name = "KIND", value_parser = ["adamw", "adam"])]
    optimizer: Option<String>,
    /// Learning rate after the warm-up [default: 0.01; many graphs: 0.001]
    #[arg(long, value_name = "X", value_parser = finite::<f64>)]
    learning_rate: Option<f64>,
    /// Weight decay, as the optimiser means it [default: 0.5; gcn: 0.0005; many graphs: 0.0001]
    #[arg(long, value_name = "X", value_parser = finite::<f32>)]
    weight_decay: Option<f32>,
    /// Epochs over which the learning rate rises to its full value [default: 10; gcn: 0; many graphs: 5]
    #[arg(long, value_name = "N")]
    warmup_epochs: Option<usize>,
    /// How the learning rate moves after the warm-up [default: cosine; gcn: constant]
    #[arg(long, value_name = "KIND", value_parser = ["constant", "cosine"])]
    schedule: Option<String>,
    /// Stop when the validation score has not improved for N epochs; none: never [default: 100; many graphs: 30]
    #[arg(long, value_name = "N|none", value_parser = or_none::<usize>)]
    patience: Option<Value>,
    /// Which of several epochs with the best validation score is kept [default: lowest-loss]
    #[arg(long, value_name = "KIND", value_parser = ["lowest-loss", "first"])]
    ties: Option<String>,
    /// Largest norm of the gradient; none: no limit [default: 1]
    #[arg(long, value_name = "X|none", value_parser = or_none::<f32>)]
    clip_norm: Option<Value>,
    /// Epochs between evaluations [default: 1]
    #[arg(long, value_name = "N")]
    evaluate_every: Option<usize>,
    /// Time between checkpoints, such as "10 epochs" [default: "30 seconds"]
    #[arg(long, value_name = "TIME")]
    checkpoint_every: Option<CheckpointEvery>,
    /// How one graph is divided.
    #[command(flatten)]
    parts: PartsArguments,
}

impl TrainingArguments {
    /// The settings that were given.
    pub fn settings(&self) -> Vec<GivenSetting> {
        let mut given = Vec::new();
        let mut add = |flag: &'static str, path: &[&'static str], value: Option<Value>| {
            given.extend(value.map(|value| GivenSetting::new(flag, path.iter().copied(), value)));
        };
        let train = |key| ["train", key];
        let optimizer = |key| ["train", "optimizer", key];
        add("--epochs", &train("epochs"), self.epochs.map(Value::from));
        add("--batch-size", &train("batch_size"), self.batch_size.map(Value::from));
        add("--bucket-by-size", &train("bucket_by_size"), self.bucket_by_size.then(|| Value::from(true)));
        add("--loss", &train("loss"), self.loss.clone().map(Value::from));
        add("--walk", &["encodings", "walk"], self.walk.map(Value::from));
        add("--laplacian", &["encodings", "laplacian"], self.laplacian.map(Value::from));
        add("--optimizer", &optimizer("kind"), self.optimizer.clone().map(Value::from));
        let rate = self.learning_rate.map(Value::from);
        add("--learning-rate", &train("learning_rate"), rate);
        let decay = self.weight_decay.map(Value::from);
        add("--weight-decay", &optimizer("weight_decay"), decay);
        let warmup = self.warmup_epochs.map(Value::from);
        add("--warmup-epochs", &train("warmup_epochs"), warmup);
        let schedule = self.schedule.clone().map(Value::from);
        add("--schedule", &train("schedule"), schedule);
        add("--patience", &train("patience"), self.patience.clone());
        add("--ties", &train("ties"), self.ties.clone().map(Value::from));
        add("--clip-norm", &optimizer("clip_norm"), self.clip_norm.clone());
        let every = self.evaluate_every.map(Value::from);
        add("--evaluate-every", &train("evaluate_every"), every);
        let checkpoint = self.checkpoint_every.map(|every| Value::from(every.to_string()));
        add("--checkpoint-every", &train("checkpoint_every"), checkpoint);
        given.extend(self.parts.settings());
        given
    }

    /// Whether anything but the number of epochs was given.
    pub fn is_more_than_epochs(&self) -> bool {
        self.settings().len() > usize::from(self.epochs.is_some())
    }
}

/// A number, or null for `none`.
pub(super) fn or_none<T>(text: &str) -> Result<Value, String>
where
    T: std::str::FromStr,
    Value: From<T>,
{
    if text == "none" {
        return Ok(Value::Null);
    }
    // A number that is not finite would be no value at all, which means none.
    let number = text.parse::<T>().ok().map(Value::from).filter(|value| !value.is_null());
    number.ok_or_else(|| "write a number, or none".to_string())
}

/// A number that is finite: nothing else can be written into a recipe.
pub(super) fn finite<T>(text: &str) -> Result<T, String>
where
    T: std::str::FromStr + Copy,
    f64: From<T>,
{
    let number = text.parse::<T>().ok().filter(|number| f64::from(*number).is_finite());
    number.ok_or_else(|| "it is not a number".to_string())
}
