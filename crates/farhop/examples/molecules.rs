//! Molecules from SMILES: a number for each, learned by batches of graphs.
//!
//! `cargo run --release -p farhop --example molecules`

use farhop::molecules::joined;
use farhop::{Dataset, Preset, smiles, train};

/// Reads the molecules, trains, and prints what came out.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Chains and rings of carbon with one other atom; the number is how many atoms there are.
    let mut texts = Vec::new();
    for length in 1..13 {
        for other in ["O", "N", "F"] {
            texts.push(format!("{}{other}", "C".repeat(length)));
            texts.push(format!("{other}C1{}C1", "C".repeat(length)));
        }
    }
    let molecules = texts.iter().map(|text| smiles::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let sizes: Vec<f32> = molecules.iter().map(|molecule| molecule.atoms.len() as f32).collect();
    let (graphs, atoms, bonds) = joined("chains and rings", &molecules)?;

    let dataset =
        Dataset::graphs(graphs).columns(atoms).edge_columns(bonds).numbers("atoms", sizes).ids(texts).build()?;
    let mut recipe = Preset::of(&dataset).recipe("gen")?;
    recipe.model = recipe.model.with("width", 32)?.with("layers", 2)?.with("readout", "sum")?;
    recipe.train.epochs = 20;
    let trained = train(dataset, recipe)?;

    let told = trained.predict()?;
    println!("mean absolute error: {:?}", trained.fitted.summary.scores);
    println!("{} has {:.1} atoms", trained.task.unit_id(0), told[0]);
    assert!(told.iter().all(|atoms| atoms.is_finite()) && told.len() == trained.task.rows());
    Ok(())
}
