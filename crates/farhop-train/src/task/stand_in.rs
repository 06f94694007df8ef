//! Stand-ins until the graph crate has them.
use farhop_graph::{Graph, GraphError};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Partitioner {
    #[default]
    BuiltIn,
    Metis,
}
pub struct ClusterOptions {
    pub partitioner: Partitioner,
    pub seed: u64,
}
pub struct Clusters(Vec<u32>);
impl Clusters {
    pub fn of_node(&self) -> &[u32] {
        &self.0
    }
}
pub fn cluster_with(graph: &Graph, parts: usize, _: &ClusterOptions) -> Result<Clusters, GraphError> {
    let nodes = graph.nodes();
    let mut of_node = vec![u32::MAX; nodes];
    let mut queue = std::collections::VecDeque::new();
    let mut done = 0usize;
    for root in 0..nodes as u32 {
        queue.push_back(root);
        while let Some(node) = queue.pop_front() {
            if of_node[node as usize] != u32::MAX {
                continue;
            }
            of_node[node as usize] = (done * parts / nodes) as u32;
            done += 1;
            queue.extend(graph.neighbours(node as usize));
        }
    }
    Ok(Clusters(of_node))
}
pub struct HaloFinder {
    seen: Vec<bool>,
}
impl HaloFinder {
    pub fn new(graph: &Graph) -> Self {
        HaloFinder { seen: vec![false; graph.nodes()] }
    }
    /// All nodes within `hops` of the given, the given included, ascending.
    pub fn within(&mut self, graph: &Graph, nodes: &[u32], hops: usize) -> Vec<u32> {
        let mut found = nodes.to_vec();
        nodes.iter().for_each(|node| self.seen[*node as usize] = true);
        let mut start = 0;
        for _ in 0..hops {
            let end = found.len();
            for at in start..end {
                for &other in graph.neighbours(found[at] as usize) {
                    if !std::mem::replace(&mut self.seen[other as usize], true) {
                        found.push(other);
                    }
                }
            }
            start = end;
        }
        found.iter().for_each(|node| self.seen[*node as usize] = false);
        found.sort_unstable();
        found
    }
}
pub struct Subgraph {
    pub graph: Graph,
    pub entries: Vec<u32>,
}
pub fn induce(graph: &Graph, nodes: &[u32], scratch: &mut Vec<u32>) -> Subgraph {
    scratch.resize(graph.nodes(), u32::MAX);
    nodes.iter().zip(0..).for_each(|(node, place)| scratch[*node as usize] = place);
    let (mut offsets, mut sources, mut entries) = (vec![0], Vec::new(), Vec::new());
    for &node in nodes {
        for entry in graph.offsets()[node as usize]..graph.offsets()[node as usize + 1] {
            let place = scratch[graph.sources()[entry] as usize];
            if place != u32::MAX {
                sources.push(place);
                entries.push(entry as u32);
            }
        }
        offsets.push(sources.len());
    }
    nodes.iter().for_each(|node| scratch[*node as usize] = u32::MAX);
    Subgraph { graph: Graph::from_csr(graph.direction(), offsets, sources).unwrap(), entries }
}
