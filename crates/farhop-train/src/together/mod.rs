//! One run over several processes: each has a part of the graph or a share of every batch of graphs, all do the same steps, and the first one speaks and writes.
//!
//! What has to be said beside the halos of a pass: that all read what belongs together ([`agree`], [`same`]), scores over the nodes of all
//! ([`evaluate`]), the checkpoint that a run goes on from, and whether somebody asked to stop.

mod checkpoint;
mod figures;
mod score;
mod settings;

use std::path::Path;
use std::sync::Arc;

use farhop_data::parts::{DatasetPart, Division, PartsFolder};
use farhop_data::{Columns, Dataset};
use farhop_graph::Graph;
use farhop_nn::exchange::{Group, Halo, HaloParts};

use crate::TrainError;
pub(crate) use checkpoint::{checkpoint_of_first, split_of_first};
pub(crate) use figures::{Counted, Reading};
pub use figures::{Figures, ProcessFigures};
pub(crate) use score::{answers_together, evaluate_together, joined, split_together};
pub(crate) use settings::same_settings;

/// The part of a graph that this process has.
#[derive(Clone, Debug)]
pub struct OwnPart {
    /// All processes, and the nodes of others around own ones.
    pub halo: Arc<Halo>,
    /// Own nodes, then those of others.
    pub graph: Arc<Graph>,
    /// Features of its entries.
    pub edges: Columns,
    /// Edges of the whole graph.
    pub total_edges: usize,
    /// Nodes to learn from, of all processes.
    pub total_training: usize,
    /// How many times the mean the work of the largest part is.
    pub imbalance: f64,
}

impl OwnPart {
    /// Loads the part of this process out of a folder of parts.
    ///
    /// # Errors
    /// When there are not as many processes as parts, or a part is missing, damaged, or of another division. All processes have the same error,
    /// which names the process and the file.
    pub fn load(folder: &Path, group: &Arc<Group>) -> Result<(Dataset, Self), TrainError> {
        same_version(group)?;
        let opened = agree(group, PartsFolder::open(folder).map_err(TrainError::from))?;
        let (parts, ranks) = (opened.division.parts(), group.ranks());
        same(group, &format!("{}: the division", folder.join("manifest.json").display()), &opened.division.partition)?;
        if parts != ranks {
            return Err(TrainError::Task(format!(
                "{} has {parts} parts, and there are {ranks} processes. Start as many as there are parts (mpirun -n {parts}), or divide the data into {ranks}.",
                folder.display()
            )));
        }
        let part = agree(group, opened.load(group.rank()).map_err(TrainError::from))?;
        agree(group, OwnPart::of(part, group, &opened.division))
    }

    /// From a part that is at hand.
    ///
    /// # Errors
    /// When its arrays do not belong together.
    pub fn of(part: DatasetPart, group: &Arc<Group>, division: &Division) -> Result<(Dataset, Self), TrainError> {
        let DatasetPart { dataset, local, edges, place } = part;
        let parts = HaloParts {
            own: local.own,
            owners: local.owners,
            nodes: local.nodes,
            entries: local.entries,
            degrees: local.degrees,
            total_nodes: place.nodes,
            total_entries: place.entries,
        };
        let halo = Halo::new(group.clone(), &local.graph, parts)
            .map_err(|problem| TrainError::Task(format!("part {} of {}: {problem}.", place.part, place.parts)))?;
        // To measure what it gives that rows are computed while messages are under way.
        let waits = std::env::var_os("FARHOP_WAIT").is_some_and(|told| told == "all");
        let own = OwnPart {
            halo: Arc::new(if waits { halo.waiting() } else { halo }),
            graph: Arc::new(local.graph),
            edges,
            total_edges: division.edges as usize,
            total_training: division.training() as usize,
            imbalance: division.imbalance(),
        };
        Ok((dataset, own))
    }

    /// All processes.
    pub fn group(&self) -> &Arc<Group> {
        self.halo.group()
    }
}

/// What this process has, if no process has an error; else the first error, on all of them.
///
/// # Errors
/// That of the first process that has one, with its number.
pub fn agree<T>(group: &Group, found: Result<T, TrainError>) -> Result<T, TrainError> {
    let own = found.as_ref().err().map(|error| error.to_string()).unwrap_or_default();
    let said = group.all(own.as_bytes());
    check(group)?;
    match said.iter().position(|problem| !problem.is_empty()) {
        None => found,
        Some(rank) => {
            let problem = String::from_utf8_lossy(&said[rank]).into_owned();
            Err(TrainError::Task(format!("process {rank} of {}: {problem}", group.ranks())))
        }
    }
}

/// What has to be the same before anything else.
pub(crate) const VERSION: &str = "the version of farhop";

/// Whether all processes are of this farhop: before anything is read, since another one may read it otherwise.
///
/// # Errors
/// Names the first process that is not.
pub fn same_version(group: &Group) -> Result<(), TrainError> {
    same(group, VERSION, env!("CARGO_PKG_VERSION"))
}

/// Whether all processes say the same.
///
/// # Errors
/// Names the first process that says something else than the first.
pub fn same(group: &Group, what: &str, own: &str) -> Result<(), TrainError> {
    let said = group.all(own.as_bytes());
    check(group)?;
    match said.iter().position(|other| *other != said[0]) {
        None => Ok(()),
        Some(rank) => {
            let text = |rank: usize| String::from_utf8_lossy(&said[rank]).chars().take(40).collect::<String>();
            Err(TrainError::Task(format!(
                "{what} of process {rank} is not that of process 0 ({} and {}). Start all with the same.",
                text(rank),
                text(0)
            )))
        }
    }
}

/// Whether all processes are still there.
///
/// # Errors
/// Says who is not.
pub fn check(group: &Group) -> Result<(), TrainError> {
    match group.failure() {
        None => Ok(()),
        Some(problem) => Err(TrainError::Lost { rank: group.rank(), problem: problem.to_string() }),
    }
}

/// Whether one of the processes was asked to stop: all of them stop, at the same place.
pub(crate) fn asked(group: &Group, own: bool) -> bool {
    group.sums(&[f64::from(u8::from(own))])[0] > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::exchange::threads;

    /// What [`same`] says on every one of three processes.
    fn said(what: &str, own: [&str; 3]) -> Vec<Option<String>> {
        std::thread::scope(|scope| {
            let ask =
                |transport, own: &str| same(&Group::new(transport), what, own).err().map(|error| error.to_string());
            let started: Vec<_> = threads(3)
                .into_iter()
                .zip(own)
                .map(|(transport, own)| scope.spawn(move || ask(transport, own)))
                .collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn another_version_on_one_host_is_refused_on_all() {
        assert_eq!(said(VERSION, ["0.1.0"; 3]), [None, None, None]);
        let refusal =
            "the version of farhop of process 2 is not that of process 0 (0.2.0 and 0.1.0). Start all with the same.";
        assert_eq!(said(VERSION, ["0.1.0", "0.1.0", "0.2.0"]), [(); 3].map(|()| Some(refusal.to_string())));
    }
}
