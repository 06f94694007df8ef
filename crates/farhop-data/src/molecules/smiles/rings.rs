//! The smallest rings: enough of them to cover every ring bond, and the equally small alternatives
//! to each, so that symmetric cages are treated alike all round.
//!
//! The search follows Figueras (J. Chem. Inf. Comput. Sci. 36, 986, 1996) with the changes RDKit
//! makes, because the aromatic rings depend on which of several equally small rings are found.

use super::ring_search::Search;
use super::structure::Structure;

/// One ring: its atoms in order round the ring, and the bond from each to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ring {
    pub atoms: Vec<u32>,
    pub bonds: Vec<u32>,
}

/// All rings, and which atoms and bonds they hold.
#[derive(Debug, Default)]
pub(super) struct Rings {
    pub rings: Vec<Ring>,
    /// Per bond: how many rings, and the size of the smallest.
    bonds: Vec<(u32, u32)>,
    /// Per atom: how many rings, and the size of the smallest.
    atoms: Vec<(u32, u32)>,
}

impl Rings {
    /// Searches the whole molecule.
    pub fn find(structure: &Structure) -> Self {
        let mut rings = Self {
            rings: Search::new(structure).run(),
            bonds: vec![(0, u32::MAX); structure.bonds.len()],
            atoms: vec![(0, u32::MAX); structure.atoms.len()],
        };
        for ring in &rings.rings {
            let size = ring.atoms.len() as u32;
            for (list, members) in [(&mut rings.atoms, &ring.atoms), (&mut rings.bonds, &ring.bonds)] {
                for member in members {
                    let (count, smallest) = &mut list[*member as usize];
                    *count += 1;
                    *smallest = size.min(*smallest);
                }
            }
        }
        rings
    }

    /// How many rings hold the atom.
    pub fn atom_count(&self, atom: u32) -> u32 {
        self.atoms[atom as usize].0
    }

    pub fn has_atom(&self, atom: u32) -> bool {
        self.atom_count(atom) > 0
    }

    pub fn has_bond(&self, bond: u32) -> bool {
        self.bonds[bond as usize].0 > 0
    }

    /// Size of the smallest ring with this bond; larger than any ring when there is none.
    pub fn smallest_with_bond(&self, bond: u32) -> u32 {
        self.bonds[bond as usize].1
    }

    /// Size of the smallest ring with this atom; larger than any ring when there is none.
    pub fn smallest_with_atom(&self, atom: u32) -> u32 {
        self.atoms[atom as usize].1
    }
}

/// Which rings share a bond with which: for each ring its neighbours in ascending order.
/// `largest` leaves out larger rings, `overlap` rings that share more bonds than that; 0 is no limit.
pub(super) fn ring_neighbours(rings: &[&Ring], bonds: usize, largest: usize, overlap: usize) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); rings.len()];
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); if rings.len() > 1 { bonds } else { 0 }];
    for (index, ring) in rings.iter().enumerate() {
        if rings.len() < 2 || (largest > 0 && ring.bonds.len() > largest) {
            continue;
        }
        let mut shared: Vec<u32> = Vec::new();
        for bond in &ring.bonds {
            shared.extend(&holders[*bond as usize]);
            holders[*bond as usize].push(index as u32);
        }
        shared.sort_unstable();
        for group in shared.chunk_by(|one, two| one == two) {
            if overlap == 0 || group.len() <= overlap {
                neighbours[group[0] as usize].push(index as u32);
                neighbours[index].push(group[0]);
            }
        }
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    neighbours
}

/// Ring systems: rings that hang together by neighbourhood, each in the order of a depth-first walk
/// from its lowest ring.
pub(super) fn ring_systems(neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; neighbours.len()];
    let mut systems = Vec::new();
    for start in 0..neighbours.len() {
        if seen[start] {
            continue;
        }
        let mut system = Vec::new();
        let mut stack = vec![start as u32];
        while let Some(ring) = stack.pop() {
            if std::mem::replace(&mut seen[ring as usize], true) {
                continue;
            }
            system.push(ring);
            stack.extend(neighbours[ring as usize].iter().rev().filter(|next| !seen[**next as usize]));
        }
        systems.push(system);
    }
    systems
}

/// An atom where rings meet that share at least two bonds, one of the ends of a bridge.
pub(super) fn is_bridgehead(structure: &Structure, rings: &Rings, atom: u32) -> bool {
    let ring_bonds = structure.links(atom).iter().filter(|link| rings.has_bond(link.bond)).count();
    if ring_bonds < 3 {
        return false;
    }
    let here: Vec<&Ring> = rings.rings.iter().filter(|ring| ring.atoms.contains(&atom)).collect();
    here.iter().enumerate().any(|(index, one)| {
        let shares_two = |two: &&Ring| two.bonds.iter().filter(|bond| one.bonds.contains(bond)).count() >= 2;
        here[index + 1..].iter().any(shares_two)
    })
}
