//! What models show of their attention to neighbours.

use farhop_graph::{Direction, build};

use super::support::*;
use crate::{BatchArrays, BatchNumbers, InputShape, OutputShape, Sights};

const LOOK: Sights = Sights { hops: true, edges: true, reads_of: None };

/// Models that attend to neighbours along the edges of the graph.
const ATTENTIVE: [&str; 5] = ["gen", "gat", "magna", "goat", "polynormer"];

fn numbers_only() -> InputShape {
    InputShape { numbers: 3, ..InputShape::default() }
}

/// Looking changes no answer, and every entropy is a share.
#[test]
fn entropies_are_shares_and_looking_changes_nothing() {
    let shape = numbers_only();
    let batch = batch(&fill(graph(14, 20, 2), &shape, 3), &shape);
    for name in models() {
        let Ok(mut model) = config(name, "").init(&shape, OutputShape::from(3), 5) else { continue };
        stir(&mut model, 9);
        let seen = model.look(&batch, LOOK);
        assert_eq!(seen.outputs, model.outputs(&batch), "{name}");
        assert_eq!(!seen.edges.is_empty(), ATTENTIVE.contains(&name), "{name}");
        for layer in &seen.edges {
            assert_eq!(layer.entropies.len(), batch.nodes() * layer.sets * layer.heads, "{name}");
            let known: Vec<f32> = layer.entropies.iter().copied().filter(|share| !share.is_nan()).collect();
            assert!(!known.is_empty() && known.iter().all(|share| (0.0..=1.0).contains(share)), "{name}: {known:?}");
            // Stirred weights do not attend to all alike.
            assert!(known.iter().any(|share| *share < 0.999_99), "{name}: {known:?}");
        }
        assert!(model.look(&batch, Sights::default()).edges.is_empty(), "{name}: not asked for");
    }
}

/// Where all nodes are alike, nobody has a reason to prefer one: weights are even, in every layer and round.
#[test]
fn attention_among_equals_is_even() {
    let shape = numbers_only();
    let ring: Vec<(u32, u32)> = (0..12).map(|node| (node, (node + 1) % 12)).collect();
    let graph = build(12, &ring, Direction::Undirected).unwrap().graph;
    let same = [0.3, -1.2, 0.7].repeat(12);
    let arrays = BatchArrays { numbers: BatchNumbers::Dense(same), ..fill(graph, &shape, 1) };
    let batch = batch(&arrays, &shape);
    for name in ["gen", "gat", "magna"] {
        let mut model = config(name, "").init(&shape, OutputShape::from(3), 5).unwrap();
        stir(&mut model, 9);
        let seen = model.look(&batch, LOOK);
        let all = seen.edges.iter().flat_map(|layer| &layer.entropies);
        assert!(all.clone().all(|share| (share - 1.0).abs() < 1e-4), "{name}: {:?}", all.collect::<Vec<_>>());
    }
    // A GEN has weights of its own in every round.
    let eliminating = config("gen", r#""hops": 3, "heads": 2"#).init(&shape, OutputShape::from(3), 5).unwrap();
    let seen = eliminating.look(&batch, LOOK);
    assert!(seen.edges.iter().all(|layer| (layer.sets, layer.heads) == (3, 2)));
    let fixed = config("gen", r#""coefficients": "gcn""#).init(&shape, OutputShape::from(3), 5).unwrap();
    assert!(fixed.look(&batch, LOOK).edges.is_empty(), "fixed coefficients are no attention");
}
