//! What settings may be: one place for options and recipes alike.

use farhop_data::text::thousands;
use farhop_nn::OptimizerKind;

use super::{DataConfig, TrainConfig};
use crate::{EncodingConfig, TrainError};

/// No count of epochs, graphs or parts is larger: TOML can hold it, and no sum of a few overflows.
const MOST: usize = 1_000_000_000;
/// TOML's integers end there, and a seed that can't be written can't be repeated.
const MOST_SEED: u64 = i64::MAX as u64;
/// No model sees further.
const MOST_HALO: usize = 1024;
/// Columns of an encoding.
const MOST_ENCODED: usize = 256;
/// Hops between nodes of data that is made.
const MOST_DISTANCE: usize = 64;

/// A whole number in `least..=most`; `or` says what else may be written.
fn count(name: &'static str, value: usize, least: usize, most: usize, or: &str) -> Result<(), TrainError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let allowed = format!("give {} to {}{or}.", thousands(least as u64), thousands(most as u64));
    Err(TrainError::Setting { name, value: value.to_string(), allowed })
}

/// A number that is as `allowed` says.
fn number(name: &'static str, value: f64, holds: bool, allowed: impl Into<String>) -> Result<(), TrainError> {
    if holds { Ok(()) } else { Err(TrainError::Setting { name, value: value.to_string(), allowed: allowed.into() }) }
}

fn seed(name: &'static str, value: u64) -> Result<(), TrainError> {
    let allowed = format!("give 0 to {MOST_SEED}.");
    if value <= MOST_SEED { Ok(()) } else { Err(TrainError::Setting { name, value: value.to_string(), allowed }) }
}

pub(super) fn of_training(config: &TrainConfig) -> Result<(), TrainError> {
    count("epochs", config.epochs, 1, MOST, "")?;
    count("batch_size", config.batch_size, 1, MOST, "")?;
    if let Some(parts) = config.parts {
        count("parts", parts, 1, MOST, ", or \"none\" for the whole graph at once")?;
    }
    // Without parts, there is nothing to join.
    count("parts_per_batch", config.parts_per_batch, 1, config.parts.unwrap_or(MOST), "")?;
    if let Some(halo) = config.halo {
        count("halo", halo, 0, MOST_HALO, ", or \"none\"")?;
    }
    let rate = config.learning_rate;
    number("learning_rate", rate, rate > 0.0 && rate <= 1000.0, "give a number above 0, at most 1000.")?;
    count("warmup_epochs", config.warmup_epochs, 0, MOST, "")?;
    config.optimizer.validate()?;
    let decay = f64::from(config.optimizer.weight_decay);
    // More would turn the signs of all weights at every step; inside the gradient, the moments bound the step.
    let bounded = config.optimizer.kind == OptimizerKind::Adam || decay * rate <= 1.0;
    let most = format!("give at most {}, which is 1 divided by the learning rate.", 1.0 / rate);
    number("weight_decay", decay, bounded, most)?;
    if let Some(patience) = config.patience {
        count("patience", patience, 1, MOST, ", or \"none\" to never stop early")?;
    }
    count("evaluate_every", config.evaluate_every, 1, MOST, "")?;
    seed("seed", config.seed)
}

pub(super) fn of_encodings(config: &EncodingConfig) -> Result<(), TrainError> {
    count("walk", config.walk, 0, MOST_ENCODED, "")?;
    count("laplacian", config.laplacian, 0, MOST_ENCODED, "")
}

pub(super) fn of_data(config: &DataConfig) -> Result<(), TrainError> {
    if let Some(number) = config.split_seed {
        seed("split_seed", number)?;
    }
    if let Some(distance) = config.distance {
        count("distance", distance, 1, MOST_DISTANCE, "")?;
    }
    count("most_categories", config.most_categories, 1, usize::from(u16::MAX), "")?;
    let shares = &config.fractions;
    let (train, valid) = (shares.train, shares.valid);
    number("fractions.train", train, train > 0.0 && train < 1.0, "give a share above 0, below 1.")?;
    number(
        "fractions.valid",
        valid,
        valid > 0.0 && train + valid < 1.0,
        "give a share above 0; train and valid stay below 1.",
    )
}
