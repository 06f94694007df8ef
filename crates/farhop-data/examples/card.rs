//! Prints data cards: of the tables that are given, of a dataset of the catalogue, or of made datasets with the sizes of
//! known benchmarks.
//!
//! ```sh
//! cargo run -p farhop-data --example card -- cora
//! cargo run -p farhop-data --example card -- nodes.csv edges.csv label
//! cargo run -p farhop-data --example card
//! ```

use std::path::Path;
use std::time::Instant;

use farhop_data::card::Bars;
use farhop_data::catalogue::{self, DataFolders, LoadOptions};
use farhop_data::metrics::Metric;
use farhop_data::synthetic::{HopMajorityOptions, hop_majority};
use farhop_data::{
    Columns, DataCard, DataError, Dataset, Level, NodeTableOptions, NodeTables, Split, SplitFractions, Target,
};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphError, GraphSet, build, generate};

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), DataError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [nodes, edges, targets @ ..] = &arguments[..] {
        let options = NodeTableOptions { targets: targets.to_vec(), ..NodeTableOptions::default() };
        let tables = NodeTables::load(Path::new(nodes), Path::new(edges), &options)?;
        print!("{}", tables.card());
        return Ok(());
    }
    if let [name] = &arguments[..] {
        let folders = DataFolders::usual(None);
        show(&catalogue::load(catalogue::find(name)?, &folders, &LoadOptions::default())?);
        return Ok(());
    }
    show(&hop_majority(&HopMajorityOptions::default())?);
    show(&citations()?);
    show(&molecules()?);
    Ok(())
}

fn show(dataset: &Dataset) {
    let start = Instant::now();
    let card = DataCard::of(dataset);
    let seconds = start.elapsed().as_secs_f64();
    println!("{}made in {seconds:.2} s\n", card.text(Bars::Unicode));
}

fn made(error: GraphError) -> DataError {
    DataError::Mismatch { what: error.to_string() }
}

/// As many nodes, edges, numbers and classes as a large citation graph.
fn citations() -> Result<Dataset, DataError> {
    const NODES: usize = 169_343;
    let graph = generate::chung_lu(NODES, 1_166_243, 2.5, 1).map_err(made)?;
    let mut random = Stream::new(2);
    let features = (0..NODES * 128).map(|_| random.uniform() as f32).collect();
    let labels = (0..NODES).map(|_| Some((40.0 * random.uniform().powi(2)) as u32)).collect();
    let classes = (0..40).map(|class| format!("subject {class}")).collect();
    let split = Split::random(NODES, SplitFractions::default(), 3)?;
    Dataset::from_arrays("made citations", graph, features, 128, labels, classes, split)
}

/// As many graphs, nodes and categories as a large set of molecules.
fn molecules() -> Result<Dataset, DataError> {
    const GRAPHS: usize = 15_535;
    const SIZES: [u32; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
    let mut random = Stream::new(4);
    let (mut rows, mut offsets, mut nodes) = (Vec::new(), vec![0], 0u32);
    for _ in 0..GRAPHS {
        let first = nodes;
        nodes += 20 + random.below(262) as u32;
        rows.extend(
            (first + 1..nodes).map(|node| (node, node - 1 - random.below(u64::from(node - first).min(2)) as u32)),
        );
        offsets.push(nodes as usize);
    }
    let graph = build(nodes as usize, &rows, Direction::Undirected).map_err(made)?.graph;
    let entries = graph.entries();
    let mut categories = |sizes: &[u32], rows: usize| {
        let values = (0..rows * sizes.len()).map(|cell| random.below(u64::from(sizes[cell % sizes.len()])) as u16);
        Columns::categories(sizes.to_vec(), values.collect())
    };
    let (node_features, edge_features) = (categories(&SIZES, nodes as usize), categories(&[5, 6, 2], entries));
    let values = (0..GRAPHS * 10).map(|cell| f32::from(u8::from(random.below(20) < 1 + cell as u64 % 10))).collect();
    let dataset = Dataset {
        nodes: node_features,
        edges: edge_features,
        split: Split::random(GRAPHS, SplitFractions { train: 0.7, valid: 0.15 }, 5)?,
        metric: Metric::AveragePrecision,
        ..Dataset::new(
            "made molecules",
            GraphSet::new(graph, offsets).map_err(made)?,
            Level::Graph,
            Target::Binary { values, names: (0..10).map(|label| format!("property {label}")).collect() },
        )
    };
    dataset.check()
}
