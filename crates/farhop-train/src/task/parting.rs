//! Which node belongs to which part.

use std::path::Path;

use farhop_data::cache::{CacheKey, cached_ids};
use farhop_data::hash::sha256_of_graphs;
use farhop_data::text::{counted, thousands};
use farhop_data::{DataError, Dataset, Setting};
use farhop_graph::{ClusterOptions, Graph, GraphError, Partitioner, cluster_with};

use crate::recipe::PartitionerKind;
use crate::{TrainConfig, TrainError};

/// Raise it when the same graph is divided otherwise.
const CACHE_VERSION: u32 = 1;
/// Graphs with fewer entries are divided faster than the cache is read.
const WORTH_CACHING: usize = 1 << 20;

/// The parts of a graph's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    of_node: Vec<u32>,
    /// `[parts + 1]`.
    starts: Vec<usize>,
    /// Part after part, ascending in each.
    members: Vec<u32>,
}

impl Parting {
    /// From the part of every node; none if one is not below `parts`.
    pub fn new(of_node: Vec<u32>, parts: usize) -> Option<Self> {
        let mut starts = vec![0usize; parts + 1];
        for &part in &of_node {
            *starts.get_mut(part as usize + 1)? += 1;
        }
        for part in 0..parts {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        let mut members = vec![0; of_node.len()];
        for (node, &part) in of_node.iter().enumerate() {
            members[next[part as usize]] = node as u32;
            next[part as usize] += 1;
        }
        Some(Parting { of_node, starts, members })
    }

    /// Divides the graph into the parts that the settings ask for; none if they ask for none.
    ///
    /// # Errors
    /// When there are many graphs, fewer nodes than parts, or the partitioner is not part of this build.
    pub fn of(dataset: &Dataset, config: &TrainConfig) -> Result<Option<Self>, TrainError> {
        Parting::of_cached(dataset, config, None)
    }

    /// As [`Parting::of`], kept in the cache under the content of the graph.
    ///
    /// # Errors
    /// As [`Parting::of`].
    pub fn of_cached(
        dataset: &Dataset,
        config: &TrainConfig,
        cache: Option<&Path>,
    ) -> Result<Option<Self>, TrainError> {
        let Some(parts) = config.parts else {
            return Ok(None);
        };
        check(dataset, parts)?;
        let graph = dataset.graphs.union();
        let cache = cache.filter(|_| graph.entries() >= WORTH_CACHING && parts > 1);
        let of_node = match cache {
            None => divided(graph, parts, config).map_err(|error| TrainError::Task(format!("{error}.")))?,
            Some(cache) => {
                let options = (sha256_of_graphs(&dataset.graphs), parts, config.partitioner, config.seed);
                let key = CacheKey::new("parts", CACHE_VERSION, &[], &options)?;
                let divide =
                    || divided(graph, parts, config).map_err(|error| DataError::Mismatch { what: format!("{error}.") });
                cached_ids(cache, &key, divide)?.0
            }
        };
        let fits = of_node.len() == graph.nodes();
        match Parting::new(of_node, parts).filter(|_| fits) {
            Some(parting) => Ok(Some(parting)),
            // Not what was saved under this key: the cache is not to be trusted.
            None => {
                let of_node = divided(graph, parts, config).map_err(|error| TrainError::Task(format!("{error}.")))?;
                Ok(Parting::new(of_node, parts))
            }
        }
    }

    /// For every part whether it holds one of these nodes.
    pub fn holding(&self, nodes: &[u32]) -> Vec<bool> {
        let mut holding = vec![false; self.parts()];
        nodes.iter().for_each(|node| holding[self.of_node[*node as usize] as usize] = true);
        holding
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// The part of every node.
    pub fn of_node(&self) -> &[u32] {
        &self.of_node
    }

    /// The nodes of a part, ascending.
    pub fn members(&self, part: u32) -> &[u32] {
        &self.members[self.starts[part as usize]..self.starts[part as usize + 1]]
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> u64 {
        4 * (self.of_node.len() + self.members.len()) as u64 + 8 * self.starts.len() as u64
    }
}

fn check(dataset: &Dataset, parts: usize) -> Result<(), TrainError> {
    if !dataset.splits_nodes() {
        let graphs = counted(dataset.graphs.len() as u64, "graph", "graphs");
        return Err(TrainError::Task(format!(
            "parts is {parts}, but {} has {graphs}, of which batches are made anyway: only one graph whose nodes are predicted is divided. Take {} out, and set {}.",
            dataset.name,
            Setting::named("parts"),
            Setting::named("batch_size")
        )));
    }
    let nodes = dataset.graphs.union().nodes();
    if parts > nodes {
        return Err(TrainError::Task(format!(
            "parts is {parts}, but {} has {} nodes: give at most that many.",
            dataset.name,
            thousands(nodes as u64)
        )));
    }
    Ok(())
}

pub(super) fn divided(graph: &Graph, parts: usize, config: &TrainConfig) -> Result<Vec<u32>, GraphError> {
    let partitioner = match config.partitioner {
        PartitionerKind::BuiltIn => Partitioner::BuiltIn,
        PartitionerKind::Metis => Partitioner::Metis,
    };
    let options = ClusterOptions { partitioner, seed: config.seed, ..ClusterOptions::default() };
    Ok(cluster_with(graph, parts, &options)?.of_node().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_in_its_part() {
        let parting = Parting::new(vec![2, 0, 2, 1, 0], 4).unwrap();
        let members: Vec<&[u32]> = (0..4).map(|part| parting.members(part)).collect();
        assert_eq!(members, [&[1, 4][..], &[3], &[0, 2], &[]]);
        assert_eq!(parting.parts(), 4);
        assert_eq!(Parting::new(vec![0, 4], 4), None);
    }
}
