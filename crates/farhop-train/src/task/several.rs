//! A task of one of several processes: each has a part of one graph, or a share of every batch of graphs.

use std::borrow::Cow;
use std::sync::Arc;

use farhop_data::Target;
use farhop_nn::exchange::Group;

use super::{NamedOutputs, Task};
use crate::together::{OwnPart, agree, answers_together, asked, check, joined};
use crate::{Outputs, TrainError};

impl Task {
    /// The part of this process, where the graph is divided among several.
    pub fn own_part(&self) -> Option<&OwnPart> {
        self.part.as_ref()
    }

    /// Nodes and edges of all graphs; of a graph that is divided among processes, of the whole of it.
    pub fn whole_sizes(&self) -> [usize; 2] {
        match &self.part {
            Some(part) => [part.halo.total_nodes() as usize, part.total_edges],
            None => [self.graph().nodes(), self.graph().edges()],
        }
    }

    /// Whether there is something to learn from, on this process or on another.
    pub fn learns(&self) -> bool {
        self.somewhere(!self.split.train.is_empty())
    }

    /// Whether there is something to choose by, on this process or on another.
    pub(crate) fn chooses(&self) -> bool {
        self.somewhere(!self.split.valid.is_empty())
    }

    fn somewhere(&self, here: bool) -> bool {
        self.group().map_or(here, |group| asked(group, here))
    }

    /// The same task for one of several processes that share the graphs of every batch. All have all graphs.
    pub(crate) fn shared(self, group: &Arc<Group>) -> Self {
        Task { shared: Some(group.clone()), ..self }
    }

    /// The processes that work on this together, if there are several.
    pub fn group(&self) -> Option<&Arc<Group>> {
        self.part.as_ref().map(OwnPart::group).or(self.shared.as_ref())
    }

    /// What the only process, or the first of several, does for all; none on the others.
    ///
    /// # Errors
    /// Its error, on all.
    pub(crate) fn by_first<T>(&self, work: impl FnOnce() -> Result<T, TrainError>) -> Result<Option<T>, TrainError> {
        match self.group() {
            None => work().map(Some),
            Some(group) if group.is_first() => agree(group, work().map(Some)),
            Some(group) => agree(group, Ok(None)),
        }
    }

    /// Truth and outputs of the rows of all processes, on the first of them; none on the others. Of a task in one piece, its own.
    ///
    /// # Errors
    /// When a process is gone.
    pub fn rows_of_all(&self, outputs: Outputs) -> Result<Option<(Cow<'_, Target>, Outputs)>, TrainError> {
        match (&self.part, &self.shared) {
            (Some(part), _) => {
                let found = joined(part.group(), self, &outputs)?;
                Ok(found.map(|(target, outputs)| (Cow::Owned(target), outputs)))
            }
            (None, Some(group)) => {
                let found = outputs.gathered(group)?;
                Ok(found.map(|outputs| (Cow::Borrowed(self.target()), outputs)))
            }
            (None, None) => Ok(Some((Cow::Borrowed(self.target()), outputs))),
        }
    }

    /// The answers of all processes in the order of the whole graph, with their ids, on the first of them; none on the others. Of a task in one
    /// piece, its own.
    ///
    /// # Errors
    /// When a process is gone.
    pub fn answers_of_all(&self, outputs: Outputs) -> Result<Option<NamedOutputs<'_>>, TrainError> {
        match (&self.part, &self.shared) {
            (Some(part), _) => {
                let found = answers_together(part, self, &outputs)?;
                Ok(found.map(|(ids, outputs)| (Cow::Owned(ids), outputs)))
            }
            (None, Some(group)) => Ok(outputs.gathered(group)?.map(|outputs| (Cow::Borrowed(&self.ids[..]), outputs))),
            (None, None) => Ok(Some((Cow::Borrowed(&self.ids), outputs))),
        }
    }

    /// Whether all processes are still there.
    ///
    /// # Errors
    /// Says who is not.
    pub(crate) fn check_others(&self) -> Result<(), TrainError> {
        self.group().map_or(Ok(()), |group| check(group))
    }
}
