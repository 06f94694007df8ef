//! How long datasets take to load: `cargo run --release -p farhop-data --example load_times -- DATA_FOLDER [NAME ...]`.

use std::path::PathBuf;
use std::time::Instant;

use farhop_data::catalogue::{self, DataFolders, LoadOptions, Presence};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let given = arguments.next().map(PathBuf::from);
    let folders = DataFolders::usual(given.as_deref());
    let names: Vec<String> = arguments.collect();
    println!("{:<28} {:>9} {:>9} {:>11} {:>11} {:>9}", "dataset", "seconds", "graphs", "nodes", "edges", "MB read");
    for entry in catalogue::entries() {
        let wanted = names.is_empty() || names.iter().any(|name| name == entry.name);
        let here = matches!(entry.on_this_machine(&folders), Presence::Here { .. } | Presence::Made);
        if !wanted || !here {
            continue;
        }
        // The best of three: machines are noisy.
        let mut best = f64::INFINITY;
        let mut last = None;
        for _ in 0..3 {
            let start = Instant::now();
            let loaded = catalogue::load(entry, &folders, &LoadOptions::default());
            best = best.min(start.elapsed().as_secs_f64());
            last = Some(loaded);
        }
        match last {
            Some(Ok(data)) => {
                let union = data.graphs.union();
                let megabytes = data.sources.iter().map(|source| source.bytes).sum::<u64>() as f64 / 1e6;
                let (graphs, nodes, edges) = (data.graphs.len(), union.nodes(), union.edges());
                println!("{:<28} {best:>9.3} {graphs:>9} {nodes:>11} {edges:>11} {megabytes:>9.2}", entry.name);
            }
            Some(Err(error)) => println!("{:<28} {error}", entry.name),
            None => {}
        }
    }
}
