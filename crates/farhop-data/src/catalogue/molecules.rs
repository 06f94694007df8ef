//! Molecules for several families.

use farhop_graph::{Direction, GraphSet};
use rayon::prelude::*;

use crate::dataset::Columns;
use crate::dataset::entry_rows::{build_graph, graph_set, spread};
use crate::error::DataError;
use crate::error::place::Place;
use crate::molecules::smiles::{self, KekuleMolecule, Molecule, SmilesError};
use crate::text::quoted;

/// The atoms of ZINC in the order of upstream's dictionary: element, hydrogens in brackets, charge.
const ZINC_ATOMS: [(&str, u8, i8); 28] = [
    ("C", 0, 0),
    ("O", 0, 0),
    ("N", 0, 0),
    ("F", 0, 0),
    ("C", 1, 0),
    ("S", 0, 0),
    ("Cl", 0, 0),
    ("O", 0, -1),
    ("N", 1, 1),
    ("Br", 0, 0),
    ("N", 3, 1),
    ("N", 2, 1),
    ("N", 0, 1),
    ("N", 0, -1),
    ("S", 0, -1),
    ("I", 0, 0),
    ("P", 0, 0),
    ("O", 1, 1),
    ("N", 1, -1),
    ("O", 0, 1),
    ("S", 0, 1),
    ("P", 1, 0),
    ("P", 2, 0),
    ("C", 2, -1),
    ("P", 0, 1),
    ("S", 1, 1),
    ("C", 1, -1),
    ("P", 1, 1),
];
/// How many kinds of atoms ZINC has.
pub(super) const ZINC_ATOM_KINDS: u32 = ZINC_ATOMS.len() as u32;
/// Bond orders are 1 to 3, as upstream numbers them; 0 is not used.
pub(super) const ZINC_BOND_KINDS: u32 = 4;

/// Reads every SMILES with the features of OGB; `place` names a row in messages.
pub(super) fn parse_all(smiles: &[String], place: impl Fn(usize) -> Place) -> Result<Vec<Molecule>, DataError> {
    let read: Vec<Result<Molecule, SmilesError>> = smiles.par_iter().map(|text| smiles::parse(text)).collect();
    named_errors(smiles, read, place)
}

/// [`parse_all`] for a dataset that holds molecules with impossible valences.
pub(super) fn parse_all_leniently(
    smiles: &[String],
    place: impl Fn(usize) -> Place,
) -> Result<Vec<Molecule>, DataError> {
    let read: Vec<Result<Molecule, SmilesError>> =
        smiles.par_iter().map(|text| smiles::parse(text).or_else(|_| smiles::parse_leniently(text))).collect();
    named_errors(smiles, read, place)
}

/// Reads every SMILES with whole bond orders.
pub(super) fn parse_kekule_all(
    smiles: &[&str],
    place: impl Fn(usize) -> Place,
) -> Result<Vec<KekuleMolecule>, DataError> {
    let read: Vec<Result<KekuleMolecule, SmilesError>> =
        smiles.par_iter().map(|text| smiles::parse_kekule(text)).collect();
    named_errors(smiles, read, place)
}

fn named_errors<T>(
    smiles: &[impl AsRef<str>],
    read: Vec<Result<T, SmilesError>>,
    place: impl Fn(usize) -> Place,
) -> Result<Vec<T>, DataError> {
    let molecule = |(row, molecule): (usize, Result<T, SmilesError>)| {
        molecule.map_err(|error| DataError::Line {
            place: place(row),
            reason: format!("{}: {error}", quoted(smiles[row].as_ref())),
        })
    };
    read.into_iter().enumerate().map(molecule).collect()
}

/// Graphs that are collected one after the other, with categories of nodes and of directed edges.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub offsets: Vec<usize>,
    pub atoms: Vec<u16>,
    pub rows: Vec<(u32, u32)>,
    pub bonds: Vec<u16>,
}

impl Collected {
    /// Nothing yet.
    pub fn new() -> Self {
        Collected { offsets: vec![0], ..Collected::default() }
    }

    /// Atoms so far.
    pub fn nodes(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Adds a molecule of ZINC.
    pub fn add_zinc(&mut self, molecule: &KekuleMolecule) -> Result<(), String> {
        let start = self.nodes() as u32;
        for atom in &molecule.atoms {
            let known = |kind: &(&str, u8, i8)| *kind == (atom.symbol, atom.bracket_hydrogens, atom.charge);
            let kind = ZINC_ATOMS.iter().position(known).ok_or_else(|| {
                let (symbol, hydrogens, charge) = (atom.symbol, atom.bracket_hydrogens, atom.charge);
                format!("atom {symbol} with {hydrogens} written hydrogens and charge {charge} is none of the 28 kinds of ZINC.")
            })?;
            self.atoms.push(kind as u16);
        }
        for &([begin, end], order) in &molecule.bonds {
            self.rows.push((start + begin, start + end));
            self.bonds.push(u16::from(order));
        }
        self.offsets.push(start as usize + molecule.atoms.len());
        Ok(())
    }

    /// The graphs with their atoms (`atom_sizes`) and bonds (`bond_sizes`).
    pub fn finish(
        self,
        name: &str,
        atom_sizes: Vec<u32>,
        bond_sizes: Vec<u32>,
    ) -> Result<(GraphSet, Columns, Columns), DataError> {
        let built = build_graph(name, self.nodes(), &self.rows, Direction::Undirected)?;
        let bonds = spread(&built, bond_sizes.len(), &self.bonds, 0).values;
        let graphs = graph_set(name, built.graph, self.offsets)?;
        Ok((graphs, Columns::categories(atom_sizes, self.atoms), Columns::categories(bond_sizes, bonds)))
    }
}
