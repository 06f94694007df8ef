//! The first process has the run folder; all go on from its checkpoint.

use farhop_data::Split;
use farhop_nn::exchange::Group;

use super::check;
use crate::TrainError;
use crate::run::Checkpoint;

/// The split of the first process, on all of them.
pub(crate) fn split_of_first(group: &Group, own: Option<Split>) -> Result<Split, TrainError> {
    let said = group
        .first(serde_json::to_vec(&own.map(|Split { train, valid, test }| [train, valid, test])).unwrap_or_default());
    check(group)?;
    let [train, valid, test] = serde_json::from_slice::<Option<[Vec<u32>; 3]>>(&said)
        .map_err(|error| TrainError::Task(format!("the split of process 0 can't be read: {error}.")))?
        .unwrap_or_default();
    Ok(Split { train, valid, test })
}

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
