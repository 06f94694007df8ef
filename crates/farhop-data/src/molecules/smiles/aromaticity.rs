//! Which rings are aromatic: 4n + 2 electrons in a ring, or round a group of fused rings.
//!
//! Rings are tried alone, then in groups of two to six that share single bonds; the bonds inside an
//! aromatic group stay as they are, those round it become aromatic.

use super::elements::{element_of, more_electronegative};
use super::rings::{Ring, Rings, ring_neighbours, ring_systems};
use super::structure::{Link, Order, Structure};
use super::valence::pi_electrons;

/// Larger rings are never fused with others.
const LARGEST_FUSED: usize = 24;
/// In larger rings an ether or thioether is a joint, not part of an aromatic system.
const LARGEST_WITH_ETHER: u32 = 8;
/// Rings in a group.
const MOST_RINGS: usize = 6;
/// A system with more rings than this is tried in pairs only.
const LARGEST_SYSTEM: usize = 300;
/// Groups tried in one ring system before the search ends.
const MOST_GROUPS: usize = 500_000;
/// Groups tried in all ring systems of a molecule before rings are tried alone and in pairs only.
const MOST_GROUPS_IN_ALL: usize = 1_000_000;

/// What an atom gives to the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Donor {
    /// An empty orbital.
    Vacant,
    One,
    Two,
    /// A wildcard: one or two.
    Any,
    /// Nothing: the ring cannot be aromatic.
    Never,
}

/// Marks aromatic atoms and bonds. The molecule holds no aromatic marks before.
pub(super) fn mark_aromatic(structure: &mut Structure, rings: &Rings) {
    let mut donors: Vec<Option<(Donor, bool)>> = vec![None; structure.atoms.len()];
    let mut candidates: Vec<&Ring> = Vec::new();
    for ring in &rings.rings {
        let mut fits = ring.atoms.iter().any(|atom| structure.atom(*atom).number != 0);
        for atom in &ring.atoms {
            let entry = donors[*atom as usize].get_or_insert_with(|| {
                let donor = donor(structure, rings, *atom);
                (donor, can_be_aromatic(structure, *atom, donor))
            });
            fits &= entry.1;
        }
        if fits {
            candidates.push(ring);
        }
    }
    let donors: Vec<Donor> = donors.into_iter().map(|entry| entry.map_or(Donor::Never, |entry| entry.0)).collect();
    let neighbours = ring_neighbours(&candidates, structure.bonds.len(), LARGEST_FUSED, 1);
    let mut groups = Groups::new(structure, &candidates, &donors, &neighbours);
    let mut tried = 0;
    for system in ring_systems(&neighbours) {
        groups.try_all(&system, tried > MOST_GROUPS_IN_ALL);
        tried += groups.tried;
    }
}

/// A neutral O or S with two single bonds.
fn is_ether(structure: &Structure, number: u32) -> bool {
    let atom = structure.atom(number);
    let plain = matches!(atom.number, 8 | 16) && atom.charge == 0 && structure.degree(number) == 2;
    plain && !any_multiple_bond(structure, number)
}

fn outside_multiple_bond(structure: &Structure, rings: &Rings, atom: u32) -> Option<u32> {
    let links = structure.links(atom).iter();
    let multiple = |link: &&Link| structure.bond(link.bond).twice_contribution(atom) >= 4 && !rings.has_bond(link.bond);
    links.clone().find(multiple).map(|link| link.atom)
}

fn ring_multiple_bond(structure: &Structure, rings: &Rings, atom: u32) -> bool {
    let multiple = |link: &Link| structure.bond(link.bond).twice_contribution(atom) >= 4 && rings.has_bond(link.bond);
    structure.links(atom).iter().any(multiple)
}

/// Any bond above single, by the valence.
fn any_multiple_bond(structure: &Structure, atom: u32) -> bool {
    let counts = |link: &&Link| structure.bond(link.bond).twice_contribution(atom) > 0;
    let bonds = structure.links(atom).iter().filter(counts).count() as i32;
    structure.atom(atom).valence != bonds + i32::from(structure.atom(atom).explicit_hydrogens)
}

fn donor(structure: &Structure, rings: &Rings, number: u32) -> Donor {
    let atom = structure.atom(number);
    if atom.number == 0 {
        return if ring_multiple_bond(structure, rings, number) { Donor::One } else { Donor::Any };
    }
    if rings.smallest_with_atom(number) > LARGEST_WITH_ETHER && is_ether(structure, number) {
        return Donor::Never;
    }
    let electrons = pi_electrons(structure, number);
    let outside = outside_multiple_bond(structure, rings, number);
    let drawn = outside.is_some_and(|other| more_electronegative(structure.atom(other).number, atom.number));
    match electrons {
        ..0 => Donor::Never,
        0 if outside.is_some() => Donor::Vacant,
        0 if ring_multiple_bond(structure, rings, number) => Donor::One,
        0 => Donor::Never,
        1 if outside.is_some() => {
            if drawn {
                Donor::Vacant
            } else {
                Donor::One
            }
        }
        1 if any_multiple_bond(structure, number) => Donor::One,
        1 if atom.charge == 1 => Donor::Vacant,
        1 => Donor::Never,
        more if (more - i32::from(drawn)) % 2 == 1 => Donor::One,
        _ => Donor::Two,
    }
}

fn can_be_aromatic(structure: &Structure, number: u32, donor: Donor) -> bool {
    let atom = structure.atom(number);
    if donor == Donor::Never || (atom.number > 18 && !matches!(atom.number, 34 | 52)) {
        return false;
    }
    let like = (i32::from(atom.number) - i32::from(atom.charge)).clamp(0, 118) as u8;
    let usual = element_of(like).default_valence();
    if element_of(atom.number).default_valence() > 0 && atom.total_valence() > usual {
        return false;
    }
    if atom.radicals > 0 && (atom.number != 6 || atom.charge != 0) {
        return false;
    }
    let multiple = |link: &&Link| matches!(structure.bond(link.bond).order, Order::Double | Order::Triple);
    let unsaturated = atom.valence - structure.degree(number) > 1;
    !(unsaturated && structure.links(number).iter().filter(multiple).count() > 1)
}

/// The search through the groups of one ring system.
struct Groups<'a> {
    structure: &'a mut Structure,
    rings: &'a [&'a Ring],
    donors: &'a [Donor],
    neighbours: &'a [Vec<u32>],
    tried: usize,
    done: Vec<bool>,
    done_count: usize,
    counts: Vec<u32>,
}

impl<'a> Groups<'a> {
    fn new(
        structure: &'a mut Structure,
        rings: &'a [&'a Ring],
        donors: &'a [Donor],
        neighbours: &'a [Vec<u32>],
    ) -> Self {
        let (atoms, bonds) = (structure.atoms.len(), structure.bonds.len());
        let counts = vec![0; atoms.max(bonds)];
        Self { structure, rings, donors, neighbours, tried: 0, done: vec![false; bonds], done_count: 0, counts }
    }

    /// Tries one ring system; `in_pairs` if larger groups are not tried any more.
    fn try_all(&mut self, system: &[u32], in_pairs: bool) {
        (self.tried, self.done_count) = (0, 0);
        let mut bonds: Vec<u32> =
            system.iter().flat_map(|ring| self.rings[*ring as usize].bonds.iter().copied()).collect();
        bonds.sort_unstable();
        bonds.dedup();
        let most =
            if system.len() > LARGEST_SYSTEM || in_pairs { 2.min(system.len()) } else { MOST_RINGS.min(system.len()) };
        for size in 1..=most {
            if self.done_count >= bonds.len() || self.tried > MOST_GROUPS {
                return;
            }
            for ring in system {
                let later = self.neighbours[*ring as usize].iter().copied().filter(|next| next > ring).collect();
                self.grow(&mut vec![*ring], later, *ring, size);
            }
        }
    }

    /// Every connected group of `size` rings whose lowest ring is `lowest`, each once.
    fn grow(&mut self, group: &mut Vec<u32>, mut open: Vec<u32>, lowest: u32, size: usize) {
        if group.len() == size {
            self.tried += 1;
            self.try_group(group);
            return;
        }
        while let Some(next) = open.pop() {
            if self.tried > MOST_GROUPS {
                return;
            }
            let beside = |ring: &u32| {
                group.contains(ring) || group.iter().any(|member| self.neighbours[*member as usize].contains(ring))
            };
            let fresh = self.neighbours[next as usize].iter().copied().filter(|ring| *ring > lowest && !beside(ring));
            let wider: Vec<u32> = open.iter().copied().chain(fresh).collect();
            group.push(next);
            self.grow(group, wider, lowest, size);
            group.pop();
        }
    }

    fn try_group(&mut self, group: &[u32]) {
        if !self.has_aromatic_sextet(group) {
            return;
        }
        let rings: Vec<&Ring> = group.iter().map(|ring| self.rings[*ring as usize]).collect();
        for bond in rings.iter().flat_map(|ring| &ring.bonds) {
            self.counts[*bond as usize] += 1;
        }
        for ring in &rings {
            ring.atoms.iter().for_each(|atom| self.structure.atom_mut(*atom).aromatic = true);
            for number in &ring.bonds {
                if std::mem::replace(&mut self.counts[*number as usize], 0) != 1 {
                    continue;
                }
                let bond = self.structure.bond_mut(*number);
                bond.aromatic = true;
                if matches!(bond.order, Order::Single | Order::Double) {
                    bond.order = Order::Aromatic;
                }
                self.done_count += usize::from(!std::mem::replace(&mut self.done[*number as usize], true));
            }
        }
    }

    /// 4n + 2 electrons on the atoms that are in one or two of the rings.
    fn has_aromatic_sextet(&mut self, group: &[u32]) -> bool {
        let rings: Vec<&Ring> = group.iter().map(|ring| self.rings[*ring as usize]).collect();
        for atom in rings.iter().flat_map(|ring| &ring.atoms) {
            self.counts[*atom as usize] += 1;
        }
        let (mut least, mut most, mut wildcards) = (0, 0, 0);
        for atom in rings.iter().flat_map(|ring| &ring.atoms) {
            if !matches!(std::mem::replace(&mut self.counts[*atom as usize], 0), 1 | 2) {
                continue;
            }
            let (low, high) = match self.donors[*atom as usize] {
                Donor::Any => (1, 2),
                Donor::One => (1, 1),
                Donor::Two => (2, 2),
                Donor::Vacant | Donor::Never => (0, 0),
            };
            wildcards += i32::from(self.donors[*atom as usize] == Donor::Any);
            (least, most) = (least + low, most + high);
        }
        if wildcards > 1 {
            return false;
        }
        most == 2 || (most >= 6 && (least..=most).any(|electrons| (electrons - 2) % 4 == 0))
    }
}
