//! Options that would change nothing are refused: nobody shall believe that they did.

use std::path::Path;

use farhop_data::{Level, catalogue};
use farhop_train::{DataConfig, GivenSetting, Recipe, SplitSetting, Task};

use crate::arguments::{DataArguments, TrainArguments};
use crate::console::Console;
use crate::data::Named;
use crate::failure::Failure;

/// Options that say how a graph is divided, when it is not.
pub fn refuse_parts(recipe: &Recipe, given: &[GivenSetting]) -> Result<(), Failure> {
    const OF_PARTS: [&str; 3] = ["--halo", "--parts-per-batch", "--partitioner"];
    let idle = given.iter().map(GivenSetting::origin).find(|flag| OF_PARTS.contains(flag));
    match idle.filter(|_| recipe.train.parts.is_none()) {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(format!(
            "{flag} says how parts of a graph are seen, and there are none. Pass --parts with it, or take it out."
        ))),
    }
}

/// Options that say how data is read or divided, when this data is not read or divided so.
pub fn refuse_reading(named: Option<&Named>, data: &DataArguments, config: &DataConfig) -> Result<(), Failure> {
    let refused = |flag: &str, why: String| Err(Failure::usage(format!("{flag} {why} Take it out.")));
    let given = |flags: &[&str]| data.flags_of_tables().find(|flag| flags.contains(flag));
    let word = data.what.as_deref().unwrap_or_default();
    // A file says it by ids, whatever the data is.
    let split = data.split.as_ref().filter(|split| split.file().is_none()).map(|_| "--split");
    match named {
        Some(named) if named.is_complete() => {
            if let Some(flag) = data.flags_of_tables().next() {
                return refused(flag, format!("is for tables; {word} is a whole dataset with its own columns."));
            }
            let made = data.fractions.map(|_| "--fractions").or(data.split_seed.map(|_| "--split-seed"));
            if catalogue::find(word).is_err()
                && Path::new(word).exists()
                && let Some(flag) = split.or(made)
            {
                return refused(flag, format!("is for a split that is made; {word} has its own."));
            }
            let seeded = config.split == SplitSetting::Seeded;
            let drawn = matches!(config.split, SplitSetting::Seeded | SplitSetting::PerClass);
            match (data.fractions, data.split_seed) {
                (Some(_), _) if !seeded => refused("--fractions", "is for --split seeded.".into()),
                (_, Some(_)) if !drawn => {
                    refused("--split-seed", "is for --split seeded and --split per-class.".into())
                }
                _ => Ok(()),
            }
        }
        Some(Named::Molecules(_)) => {
            let of_nodes = ["--no-features", "--ignore", "--ignore-edges", "--category", "--fill", "--directed"];
            let scaling = data.scaling.as_ref().map(|_| "--scaling");
            match given(&of_nodes).or(given(&["--add-missing-nodes"])).or(scaling).or(split) {
                Some(flag) => refused(flag, format!("has no meaning for molecules, and {word} is a table of them.")),
                None => Ok(()),
            }
        }
        _ if data.nodes.is_some() => match given(&["--smiles", "--skip-bad-molecules"]).or(split) {
            Some("--split") => {
                refused("--split", "chooses among the splits of a dataset. Use a column named split.".into())
            }
            Some(flag) => refused(flag, "is for molecules, and --nodes is a table of nodes.".into()),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// What is known only when the data was read is said instead. Settings of the model are tried: a list of them would have to know
/// all models.
pub fn say_idle(arguments: &TrainArguments, recipe: &Recipe, task: &Task, console: &Console) {
    let one_graph = (!task.has_batches_of_graphs()).then_some("this is one graph, not a collection of graphs");
    for setting in arguments.training.settings().into_iter().chain(arguments.model.settings()) {
        let key = setting.key();
        let why = match key.as_str() {
            "train.batch_size" | "train.bucket_by_size" => one_graph,
            _ => match key.strip_prefix("model.") {
                Some(key) if recipe.model.is_idle(key, task.input(), task.output()) => Some(why_idle(key, task)),
                _ => None,
            },
        };
        if let Some(why) = why {
            console.warning(&format!("{} has no effect: {why}", setting.origin()));
        }
    }
}

/// What is known of why, for the settings that many models have.
fn why_idle(key: &str, task: &Task) -> &'static str {
    let inputs = task.input();
    match key {
        "readout" if task.level() != Level::Graph => "answers are not about whole graphs",
        "laplacian_encoder" if inputs.array(farhop_nn::LAPLACIAN) == 0 => {
            "there are no eigenvectors without --laplacian"
        }
        key if key.starts_with("edge") && !inputs.has_edges() => "edges have no features",
        _ => "for these data and settings the model computes the same without it",
    }
}
