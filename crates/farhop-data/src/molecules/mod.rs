//! Tables of molecules: a column of SMILES, or an SDF, and what is to be predicted.
//!
//! CSV and TSV tables (compressed or not) have a header. In `.smi` and `.txt` files every line is a SMILES, perhaps followed by
//! white space and a name, the id of the molecule; there are no targets. In an SDF molecules are drawn, and their data items
//! are the columns. Every molecule becomes a graph with the atom and bond categories of OGB.

mod read;
mod sdf;
pub mod smiles;
mod source;

use std::path::Path;

use farhop_graph::{Direction, GraphSet};
use serde::{Deserialize, Serialize};

use crate::dataset::entry_rows::{build_graph, graph_set, spread};
use crate::dataset::split::SplitFractions;
use crate::dataset::{Columns, Dataset};
use crate::error::DataError;
use crate::molecules::smiles::{ATOM_SIZES, BOND_SIZES, Molecule};
use crate::tables::schema::TargetColumn;
use crate::tables::targets::TargetKind;
use read::ReadMolecules;
use source::Source;

/// How to read a table of molecules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MoleculeOptions {
    /// The column of SMILES. Default: the one named `smiles`, whatever its case.
    pub smiles: Option<String>,
    /// The columns to predict. Without any there is no target and no split.
    pub targets: Vec<String>,
    /// The column of ids. Default: the one named `id` or `name`, whatever its case; without it row numbers from 0.
    pub id: Option<String>,
    /// The column that says train, valid or test. Default: the one named `split`; without it a seeded split.
    pub split: Option<String>,
    /// What the targets are. Default: what they look like.
    pub task: Option<TargetKind>,
    /// Shares of a seeded split.
    pub fractions: SplitFractions,
    /// Seed of a seeded split.
    pub seed: u64,
    /// Leave out molecules that cannot be read, and say so in the notes; otherwise the first one is an error.
    pub skip_bad: bool,
}

/// How a table of molecules was read: what `predict` needs to read new ones the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoleculeSchema {
    /// The column of SMILES.
    pub smiles: String,
    /// The column of ids.
    pub id: Option<String>,
    /// The column that says train, valid or test.
    pub split: Option<String>,
    /// The targets; `None` if there were none.
    pub target: Option<TargetColumn>,
}

/// A table of molecules that was read.
#[derive(Debug, Clone)]
pub struct MoleculeTable {
    /// The molecules, a graph each.
    pub dataset: Dataset,
    /// How the table was read.
    pub schema: MoleculeSchema,
    /// For each graph the row of the table it came from, from 0; rows that were left out are missing.
    pub rows: Vec<usize>,
}

impl MoleculeTable {
    /// Reads a table for training.
    ///
    /// # Errors
    /// Names file, line, and the place in the SMILES of the molecules that cannot be read.
    pub fn load(path: &Path, options: &MoleculeOptions) -> Result<MoleculeTable, DataError> {
        let source = Source::open(path)?;
        let columns = source.find(options)?;
        let mut read = ReadMolecules::of(&source, &columns, options.skip_bad)?;
        let (target, split, target_column) = read.learn(&source, &columns, options)?;
        let name = |column: Option<usize>| column.map(|column| source.header(column).to_string());
        let schema = MoleculeSchema {
            smiles: source.header(columns.smiles).to_string(),
            id: name(columns.id),
            split: name(columns.split),
            target: target_column,
        };
        read.finish(&source, target, split, schema)
    }

    /// Reads new molecules as `schema` says. Targets and split need not be there; targets that are missing are unknown.
    pub fn load_with_schema(path: &Path, schema: &MoleculeSchema, skip_bad: bool) -> Result<MoleculeTable, DataError> {
        let source = Source::open(path)?;
        let columns = source.find_again(schema)?;
        let mut read = ReadMolecules::of(&source, &columns, skip_bad)?;
        let (target, split) = read.apply(&source, &columns, schema)?;
        read.finish(&source, target, split, schema.clone())
    }
}

/// Molecules as graphs with the categories of OGB: the graphs, their atoms, and both directions of their bonds.
///
/// # Errors
/// More atoms or bonds than `u32` counts.
pub fn joined(name: &str, molecules: &[Molecule]) -> Result<(GraphSet, Columns, Columns), DataError> {
    let mut offsets = vec![0usize];
    let mut rows = Vec::with_capacity(molecules.iter().map(|molecule| molecule.bonds.len()).sum());
    let mut bonds: Vec<u16> = Vec::with_capacity(3 * rows.capacity());
    let mut nodes = 0;
    for molecule in molecules {
        for ([begin, end], features) in &molecule.bonds {
            // Beyond 32 bits the builder refuses the number of nodes.
            let start = nodes as u32;
            rows.push((start.wrapping_add(*begin), start.wrapping_add(*end)));
            bonds.extend(features.iter().map(|&feature| u16::from(feature)));
        }
        nodes += molecule.atoms.len();
        offsets.push(nodes);
    }
    let built = build_graph(name, nodes, &rows, Direction::Undirected)?;
    let bonds = spread(&built, BOND_SIZES.len(), &bonds, 0).values;
    let atoms = molecules.iter().flat_map(|molecule| molecule.atoms.iter().flatten());
    let atoms: Vec<u16> = atoms.map(|&feature| u16::from(feature)).collect();
    let graphs = graph_set(name, built.graph, offsets)?;
    Ok((graphs, Columns::categories(ATOM_SIZES.to_vec(), atoms), Columns::categories(BOND_SIZES.to_vec(), bonds)))
}
