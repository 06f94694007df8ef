//! Arguments of graphs that are seen part by part.

use clap::Args;
use farhop_train::{GivenSetting, Recipe};
use serde_json::Value;

use super::train::or_none;
use crate::failure::Failure;
use crate::without_effect;

/// How one graph is divided, each a key of the recipe's `[train]` section.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Graphs that do not fit into memory")]
pub struct PartsArguments {
    /// Divide the graph into N parts, and work on one after the other; none: all at once [default: none]
    #[arg(long, value_name = "N|none", value_parser = or_none::<usize>)]
    parts: Option<Value>,
    /// Hops around a part that it sees as context; none: it is cut off from the rest [default: 1]
    #[arg(long, value_name = "HOPS|none", value_parser = or_none::<usize>)]
    halo: Option<Value>,
    /// Parts that are joined to a batch, other ones in every epoch [default: 1]
    #[arg(long, value_name = "Q")]
    parts_per_batch: Option<usize>,
    /// Who divides the graph; metis only where farhop was built with it [default: built-in]
    #[arg(long, value_name = "KIND", value_parser = ["built-in", "metis"])]
    partitioner: Option<String>,
}

impl PartsArguments {
    /// The settings that were given.
    pub fn settings(&self) -> Vec<GivenSetting> {
        let given = [
            ("--parts", "parts", self.parts.clone()),
            ("--halo", "halo", self.halo.clone()),
            ("--parts-per-batch", "parts_per_batch", self.parts_per_batch.map(Value::from)),
            ("--partitioner", "partitioner", self.partitioner.clone().map(Value::from)),
        ];
        let setting = |(flag, key, value): (_, _, Option<Value>)| Some(GivenSetting::new(flag, ["train", key], value?));
        given.into_iter().filter_map(setting).collect()
    }

    /// The recipe of a run with what was given in place of its own.
    pub fn applied(&self, recipe: &Recipe) -> Result<Recipe, Failure> {
        let recipe = recipe.with(&self.settings())?;
        without_effect::refuse_parts(&recipe, &self.settings())?;
        recipe.validate()?;
        Ok(recipe)
    }
}
