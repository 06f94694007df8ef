//! A graph of one's own: nodes know something of themselves, and shall tell what lies four hops away.
//!
//! `cargo run --release -p farhop --example own_graph`

use farhop::{Dataset, Direction, Preset, build, train};

/// Builds the graph, trains, and prints what came out.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A ring of 60 nodes in three colours that come by chance; the label is the colour four steps ahead.
    let nodes = 60;
    let colour = |node: usize| (node * node / 7 + node * 5) % nodes % 3;
    let edges: Vec<(u32, u32)> = (0..nodes as u32).map(|node| (node, (node + 1) % nodes as u32)).collect();
    let graph = build(nodes, &edges, Direction::Directed)?.graph;
    let features = (0..nodes).flat_map(|node| (0..3).map(move |which| if colour(node) == which { 1.0 } else { 0.0 }));
    let labels = (0..nodes).map(|node| ["red", "green", "blue"][colour((node + nodes - 4) % nodes)]);

    let dataset = Dataset::graph(graph).name("ring").features(3, features.collect()).classes(labels).build()?;
    let mut recipe = Preset::of(&dataset).recipe("gen")?;
    recipe.train.epochs = 60;
    let trained = train(dataset, recipe)?;

    let scores = trained.fitted.summary.scores;
    println!("accuracy: train {:?}, test {:?}", scores.train, scores.test);
    let answers = trained.predict()?;
    println!("node 0: probabilities {:.2?}", &answers[..3]);
    assert_eq!(answers.len(), nodes * 3);
    assert!((answers[..3].iter().sum::<f32>() - 1.0).abs() < 1e-4);
    Ok(())
}
