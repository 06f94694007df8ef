//! How many nodes have how many neighbours.

use crate::Graph;

/// Degrees below this have a class of their own.
const ALONE: usize = 16;

/// Nodes by their degree: the classes 0 to 15, then 16 to 31, 32 to 63 and so on, each as `[nodes, entries]`. Classes without nodes are left out.
pub fn degree_classes(graph: &Graph) -> Vec<[usize; 2]> {
    let mut classes = vec![[0, 0]; ALONE + usize::BITS as usize];
    for degree in (0..graph.nodes()).map(|node| graph.degree(node)) {
        let class = if degree < ALONE { degree } else { ALONE + degree.ilog2() as usize };
        classes[class][0] += 1;
        classes[class][1] += degree;
    }
    classes.retain(|class| class[0] > 0);
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, build};

    #[test]
    fn every_node_and_entry_is_in_one_class() {
        // A star of 40 leaves, a path of three, a node alone.
        let edges: Vec<(u32, u32)> = (1..=40).map(|leaf| (0, leaf)).chain([(41, 42), (42, 43)]).collect();
        let graph = build(45, &edges, Direction::Undirected).unwrap().graph;
        assert_eq!(degree_classes(&graph), [[1, 0], [42, 42], [1, 2], [1, 40]]);
        let directed = build(3, &[(0, 2), (1, 2)], Direction::Directed).unwrap().graph;
        assert_eq!(degree_classes(&directed), [[2, 0], [1, 2]]);
        assert!(degree_classes(&build(0, &[], Direction::Undirected).unwrap().graph).is_empty());
    }
}
