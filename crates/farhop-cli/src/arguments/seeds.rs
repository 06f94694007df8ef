//! Arguments of commands that train several times.

use clap::Args;

use super::Common;
use crate::failure::Failure;

/// The most runs of one command.
const MOST: usize = 10_000;

/// Which seeds to train with.
#[derive(Args, Debug, Default, Clone)]
#[command(next_help_heading = "Several runs")]
pub struct SeedArguments {
    /// Train N times, with the seeds --seed, --seed + 1 and so on; where a dataset has several splits, run i is on split i
    #[arg(long, value_name = "N", conflicts_with = "seeds")]
    pub runs: Option<usize>,
    /// Train once with each of these seeds
    #[arg(long, value_name = "SEED,...", value_delimiter = ',')]
    pub seeds: Vec<u64>,
}

impl SeedArguments {
    /// Whether several runs are asked for.
    pub fn is_empty(&self) -> bool {
        self.runs.is_none() && self.seeds.is_empty()
    }

    /// The seeds; `usual` runs if nothing is said.
    pub fn list(&self, common: &Common, usual: usize) -> Result<Vec<u64>, Failure> {
        if !self.seeds.is_empty() {
            if common.seed.is_some() {
                return Err(Failure::usage("--seed and --seeds were both given. Take one of them out."));
            }
            let mut seen = std::collections::BTreeSet::new();
            if let Some(twice) = self.seeds.iter().find(|seed| !seen.insert(**seed)) {
                return Err(Failure::usage(format!("--seeds has {twice} twice. Give every seed once.")));
            }
            return Ok(self.seeds.clone());
        }
        let runs = self.runs.unwrap_or(usual);
        if !(1..=MOST).contains(&runs) {
            return Err(Failure::usage(format!("--runs is {runs}: give 1 to {MOST}.")));
        }
        let first = common.seed.unwrap_or(0);
        Ok((0..runs as u64).map(|number| first.saturating_add(number)).collect())
    }
}
