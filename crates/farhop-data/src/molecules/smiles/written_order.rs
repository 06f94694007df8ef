//! From `@` and `@@`, which go by the order neighbours are written in, to a sense that goes by the
//! order of bond numbers.
//!
//! A hydrogen in the brackets, or the free corner of an atom with three neighbours, counts as the
//! last neighbour; every swap that sorts the written order turns the sense round.

use super::structure::{Chirality, Order, Structure};

/// A neighbour as written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Neighbour {
    /// By a bond along the string, with its number.
    Chain(u32),
    /// By a ring closure, numbered among the closures.
    Closure(usize),
}

#[derive(Debug)]
struct Centre {
    atom: u32,
    hydrogen_first: bool,
    hydrogen: bool,
    neighbours: Vec<Neighbour>,
}

/// The neighbours of every atom with a written sense.
#[derive(Debug, Default)]
pub(super) struct WrittenOrder {
    centres: Vec<Centre>,
    /// Sorted by atom, because atoms are added in order.
    atoms: Vec<u32>,
}

impl WrittenOrder {
    /// A new centre; `hydrogen_first` when the hydrogen in its brackets comes before all neighbours.
    pub fn start(&mut self, atom: u32, hydrogen_first: bool, hydrogen: bool) {
        self.centres.push(Centre { atom, hydrogen_first, hydrogen, neighbours: Vec::with_capacity(4) });
        self.atoms.push(atom);
    }

    /// The next neighbour of `atom`, if that is a centre.
    pub fn add(&mut self, atom: u32, neighbour: Neighbour) {
        if let Ok(index) = self.atoms.binary_search(&atom) {
            self.centres[index].neighbours.push(neighbour);
        }
    }

    /// Turns the senses round where the bond numbers are in another order than the neighbours.
    pub fn apply(&self, structure: &mut Structure, ring_bonds: &[u32]) {
        // Nothing with more than four neighbours is a tetrahedron.
        for centre in self.centres.iter().filter(|centre| centre.neighbours.len() <= 8) {
            let number = |neighbour: &Neighbour| match neighbour {
                Neighbour::Chain(bond) => *bond,
                Neighbour::Closure(index) => ring_bonds.get(*index).copied().unwrap_or(0),
            };
            let bonds: Vec<u32> = centre.neighbours.iter().map(number).collect();
            let closures = centre.neighbours.iter().filter(|one| matches!(one, Neighbour::Closure(_))).count();
            let mut odd = is_odd(&bonds);
            if bonds.len() == 3 {
                let three_and_ring = !centre.hydrogen && closures == 1 && !is_unsaturated(structure, centre.atom);
                odd ^= centre.hydrogen_first || three_and_ring;
            }
            let atom = structure.atom_mut(centre.atom);
            if odd && atom.chirality != Chirality::None {
                atom.chirality = atom.chirality.inverted();
            }
        }
    }
}

/// Whether sorting takes an odd number of swaps.
pub(super) fn is_odd(numbers: &[u32]) -> bool {
    let mut inversions = 0usize;
    for (index, one) in numbers.iter().enumerate() {
        inversions += numbers[index + 1..].iter().filter(|two| *two < one).count();
    }
    inversions % 2 == 1
}

fn is_unsaturated(structure: &Structure, atom: u32) -> bool {
    let multiple = |order| matches!(order, Order::Double | Order::Triple | Order::Quadruple | Order::Aromatic);
    structure.links(atom).iter().any(|link| multiple(structure.bond(link.bond).order))
}
