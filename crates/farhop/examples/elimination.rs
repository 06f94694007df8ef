//! The elimination alone: which numbers lie at which distance, without a model and without training.
//!
//! `cargo run --release -p farhop --example elimination`

use farhop::elimination::{Coefficients, Config, Heads, Mode, Source, Storage, forward};
use farhop::generate;

/// Prints how many nodes see the root at each distance.
pub fn main() -> Result<(), farhop::GraphError> {
    // A tree of 15 nodes; its root carries the number 1. All coefficients are 1.
    let graph = generate::balanced_tree(2, 3)?;
    let mut features = vec![0.0; graph.nodes()];
    features[0] = 1.0;
    let (edge, node) = (vec![1.0; graph.entries()], vec![1.0; graph.nodes()]);
    let coefficients = Coefficients { rounds: 1, edge: &edge, node: &node };
    let config =
        Config { rounds: 3, heads: Heads::new(1, 1), mode: Mode::Exact, skip_negligible: true, storage: Storage::Full };
    let kept = forward(&graph, &config, &Source::Given(coefficients), &features);

    for (round, increment) in kept.increments.iter().enumerate() {
        let reached = increment.iter().filter(|value| **value != 0.0).count();
        println!("distance {}: {reached} nodes see the root", round + 1);
        // Nothing turns back: at distance k there are 2^k nodes, and no others.
        assert_eq!(reached, 1 << (round + 1));
    }
    Ok(())
}
