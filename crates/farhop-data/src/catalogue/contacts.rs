//! A demonstration of contact prediction: PCQM-Contact's rule on molecules with coordinates.

use farhop_graph::BreadthFirst;

use super::entry::Entry;
use super::folders::Located;
use super::molecules::parse_all;
use super::unsplit_dataset::{Splits, UnsplitDataset};
use crate::dataset::Target;
use crate::error::DataError;
use crate::formats::table::Table;
use crate::molecules::joined;
use crate::molecules::smiles::Molecule;

/// Atoms closer than this, in angstrom, are in contact.
const CLOSE: f64 = 3.5;
/// The first feature of a hydrogen: the number of its element from 0.
const HYDROGEN: u8 = 0;
/// Only atoms more bonds apart than this are asked about.
const NEAR_BONDS: u32 = 5;

/// Reads molecules with coordinates (CXSMILES). Asked about are all pairs of heavy atoms more than 5 bonds apart; those
/// closer than 3.5 angstrom belong together.
pub(super) fn read(entry: &Entry, files: &Located) -> Result<UnsplitDataset, DataError> {
    let table = Table::open(files.path(entry.files[0].names[0])?, "smiles,homo")?;
    let column = table.require("smiles", "the SMILES")?;
    let mut smiles = Vec::new();
    let mut rows = table.rows();
    while let Some(row) = rows.next_row()? {
        smiles.push(row.cell(column).to_string());
    }
    let molecules = parse_all(&smiles, |row| table.place_of_row(row))?;
    let (graphs, nodes, edges) = joined(table.name(), &molecules)?;
    let union = graphs.union();
    let mut search = BreadthFirst::new(union);
    let (mut pairs, mut together, mut offsets, mut pool) = (Vec::new(), Vec::new(), vec![0], Vec::new());
    for (number, molecule) in molecules.iter().enumerate() {
        let places =
            coordinates(molecule).map_err(|reason| DataError::Line { place: table.place_of_row(number), reason })?;
        let start = graphs.nodes_of(number).start;
        let before = together.len();
        // Hydrogens that the sense of a double bond hangs on stay atoms; they are not asked about.
        let heavy = |atom: &usize| molecule.atoms[*atom][0] != HYDROGEN;
        for first in (0..places.len()).filter(heavy) {
            let mut near = vec![false; places.len()];
            let reached = search.around(start + first, NEAR_BONDS);
            for reached in reached.map_err(|error| DataError::Mismatch { what: error.to_string() })? {
                near[reached.node as usize - start] = true;
            }
            for second in (first + 1..places.len()).filter(|second| !near[*second] && heavy(second)) {
                let square: f64 = (0..3).map(|axis| (places[first][axis] - places[second][axis]).powi(2)).sum();
                pairs.push([(start + first) as u32, (start + second) as u32]);
                together.push(square.sqrt() < CLOSE);
            }
        }
        if together[before..].contains(&true) {
            pool.push(number as u32);
        }
        offsets.push(pairs.len());
    }
    Ok(UnsplitDataset {
        nodes,
        edges,
        target: Target::Pair { pairs, together, offsets },
        splits: Splits { pool: Some(pool), ..Splits::default() },
        ids: Vec::new(),
        notes: Vec::new(),
        sources: vec![table.source().clone()],
        graphs,
    })
}

/// The coordinates of every atom of the graph, from `|(x,y,z;x,y,z;...)|`.
fn coordinates(molecule: &Molecule) -> Result<Vec<[f64; 3]>, String> {
    let extension = molecule.extension.as_deref().unwrap_or("");
    let inside = extension.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inside, _)| inside);
    let inside = inside.ok_or("there are no coordinates |(x,y,z;...)| after the SMILES.")?;
    let mut all = Vec::new();
    for triple in inside.split(';') {
        let mut place = [0.0; 3];
        let mut numbers = triple.split(',').map(str::trim);
        for axis in &mut place {
            // RDKit leaves out what is 0.
            let number = match numbers.next() {
                Some("") => Some(0.0),
                text => text.and_then(|number| number.parse::<f64>().ok()).filter(|number| number.is_finite()),
            };
            *axis = number.ok_or_else(|| format!("\"{triple}\" is not three coordinates."))?;
        }
        all.push(place);
    }
    let place = |&written: &u32| {
        let count = all.len();
        all.get(written as usize).copied().ok_or_else(|| format!("{count} coordinates, none for atom {written}."))
    };
    molecule.written.iter().map(place).collect()
}
