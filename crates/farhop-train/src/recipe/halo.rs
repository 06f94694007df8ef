//! How far a model sees, and the context that parts of a graph are worth.

use farhop_nn::{CoefficientKind, ModelConfig};

use super::TrainConfig;
use crate::TrainError;

/// The hops that an answer depends on. A batch of a part with a halo this wide gives the answers of the whole graph.
pub fn hops_seen(model: &ModelConfig) -> usize {
    match model {
        // Symmetric normalisation also counts the neighbours of those that it reads.
        ModelConfig::Gen(config) => {
            config.layers * config.hops + usize::from(config.coefficients == CoefficientKind::Gcn)
        }
        ModelConfig::Gcn(config) => config.layers + 1,
        ModelConfig::Mlp(_) => 0,
    }
}

/// A halo wider than that is a waste, and most likely a slip.
pub(super) fn check(model: &ModelConfig, train: &TrainConfig) -> Result<(), TrainError> {
    // The default, 1, is for all models.
    let most = hops_seen(model).max(1);
    match (train.parts, train.halo) {
        (Some(_), Some(halo)) if halo > most => {
            Err(TrainError::Halo { halo, model: model.name(), seen: hops_seen(model), most })
        }
        _ => Ok(()),
    }
}
