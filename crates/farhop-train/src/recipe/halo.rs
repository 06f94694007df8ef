//! How far a model sees, and the context that parts of a graph are worth.

use farhop_nn::{ModelConfig, Reach};

use super::TrainConfig;
use crate::TrainError;

/// The hops that an answer depends on; none if it depends on the whole graph. A batch of a part with a halo this wide gives the answers
/// of the whole graph.
pub fn hops_seen(model: &ModelConfig) -> Option<usize> {
    match model.reach() {
        Reach::Hops(hops) => Some(hops),
        Reach::WholeGraph => None,
    }
}

/// A halo wider than that is a waste, and most likely a slip.
pub(super) fn check(model: &ModelConfig, train: &TrainConfig) -> Result<(), TrainError> {
    let Some(seen) = hops_seen(model) else { return Ok(()) };
    // The default, 1, is for all models.
    let most = seen.max(1);
    match (train.parts, train.halo) {
        (Some(_), Some(halo)) if halo > most => Err(TrainError::Halo { halo, model: model.name(), seen, most }),
        _ => Ok(()),
    }
}
