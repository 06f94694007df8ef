//! Stand-ins until the graph crate has them.
use farhop_graph::Graph;

#[derive(Debug)]
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
pub fn induce(graph: &Graph, nodes: &[u32]) -> Subgraph {
    let mut scratch = vec![u32::MAX; graph.nodes()];
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
