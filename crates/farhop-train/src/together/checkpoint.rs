//! The first process has the run folder; all go on from its checkpoint.

use farhop_nn::exchange::Group;

use super::check;
use crate::TrainError;
use crate::run::Checkpoint;

/// The checkpoint of the first process, on all of them; none if it has none.
pub(crate) fn checkpoint_of_first(group: &Group, own: Option<Checkpoint>) -> Result<Option<Checkpoint>, TrainError> {
    let progress = own.as_ref().map(|own| serde_json::to_vec(&own.progress)).transpose();
    let progress = progress.map_err(|error| TrainError::Task(format!("the checkpoint can't be told: {error}.")))?;
    let said = group.first(progress.unwrap_or_default());
    let [weights, best, optimizer] = own.map_or_else(Default::default, |own| [own.weights, own.best, own.optimizer]);
    let [weights, best, optimizer] = [weights, best, optimizer].map(|bytes| group.first(bytes));
    check(group)?;
    if said.is_empty() {
        return Ok(None);
    }
    let progress = serde_json::from_slice(&said)
        .map_err(|error| TrainError::Task(format!("the checkpoint of process 0 can't be read: {error}.")))?;
    Ok(Some(Checkpoint { progress, weights, best, optimizer }))
}
