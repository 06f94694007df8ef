//! How long reading takes: `cargo run --release -p farhop-data --example load_times -- <molecules.csv.gz> <target> | <ogb folder>`.

use std::path::Path;
use std::time::Instant;

use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::{Dataset, ogb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a table of molecules or a folder")?;
    let start = Instant::now();
    let dataset = if Path::new(&path).is_dir() {
        ogb::read(Path::new(&path), &ogb::OgbOptions::default())?
    } else {
        let targets = arguments.collect();
        let options = MoleculeOptions { targets, skip_bad: true, ..MoleculeOptions::default() };
        MoleculeTable::load(Path::new(&path), &options)?.dataset
    };
    let union = dataset.graphs.union();
    println!("{} graphs, {} nodes, {} edges", dataset.graphs.len(), union.nodes(), union.edges());
    println!("read in {:.2} s; {}", start.elapsed().as_secs_f64(), dataset.notes.join("; "));
    let saved = std::env::temp_dir().join(format!("load_times_{}.farhop", std::process::id()));
    let start = Instant::now();
    dataset.save(&saved)?;
    println!("saved in {:.2} s", start.elapsed().as_secs_f64());
    for _ in 0..3 {
        let start = Instant::now();
        let again = Dataset::load(&saved)?;
        println!("loaded in {:.2} s, {} rows", start.elapsed().as_secs_f64(), again.rows());
    }
    std::fs::remove_file(&saved)?;
    Ok(())
}
