//! What comes behind a model: scores of predictions, and predictions under the user's ids.

pub mod metrics;
pub mod predictions;
