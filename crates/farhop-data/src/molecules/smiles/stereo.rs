//! Which of the written senses at atoms and directions at double bonds mean anything.
//!
//! A sense stays on atoms whose neighbours all differ, and on ring atoms that differ only by the
//! senses of others in their ring system. What has been settled tells more atoms apart, so that the
//! question is asked again until nothing changes.

use super::bond_stereo::{assign_bonds, has_directions};
use super::conjugation::has_conjugated_bond;
use super::ranks::Ranks;
use super::rings::{Rings, is_bridgehead};
use super::structure::{Chirality, Hybridisation, Link, Order, Stereo, Structure};
use super::valence::update_leniently;
use super::written_order::is_odd;

/// R or S, as far as the ranks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    None,
    S,
    R,
}

/// Settles all stereochemistry; senses and directions without meaning are removed.
pub(super) fn assign_stereo(structure: &mut Structure, rings: &Rings) {
    let senses = structure.atoms.iter().any(|atom| atom.chirality != Chirality::None);
    let mut bonds_open = has_directions(structure);
    if !senses && !bonds_open {
        return;
    }
    let mut ranks = Ranks::new(structure);
    let mut labels = vec![Label::None; structure.atoms.len()];
    let mut atoms_open = true;
    loop {
        let (mut atoms_changed, mut bonds_changed) = (false, false);
        if atoms_open {
            (atoms_open, atoms_changed) = assign_atoms(structure, rings, &ranks, &mut labels);
        }
        if bonds_open {
            (bonds_open, bonds_changed) = assign_bonds(structure, rings, &ranks);
        }
        if !(atoms_open || bonds_open) || !(atoms_changed || bonds_changed) {
            break;
        }
        ranks = ranks.split(structure, |atom| details(structure, &labels, atom));
    }
    remove_senses(structure, rings, &ranks, &labels);
}

fn details(structure: &Structure, labels: &[Label], atom: u32) -> u32 {
    let label = match labels[atom as usize] {
        Label::None => 0,
        Label::S => 10,
        Label::R => 20,
    };
    let bonds = structure.links(atom).iter().map(|link| match structure.bond(link.bond) {
        bond if bond.order != Order::Double => 0,
        bond if bond.stereo == Stereo::E => 1,
        bond if bond.stereo == Stereo::Z => 2,
        _ => 0,
    });
    label + bonds.sum::<u32>()
}

/// Labels every sense whose neighbours differ. Returns whether possible centres are left without a
/// label, and whether a label was given.
fn assign_atoms(structure: &Structure, rings: &Rings, ranks: &Ranks, labels: &mut [Label]) -> (bool, bool) {
    let (mut open, mut changed) = (false, false);
    for atom in structure.atom_numbers() {
        if labels[atom as usize] != Label::None || !can_be_centre(structure, rings, atom) {
            continue;
        }
        if !structure.atom(atom).chirality.is_tetrahedral() || has_equal_neighbours(structure, ranks, atom) {
            open = true;
            continue;
        }
        labels[atom as usize] = label(structure, ranks, atom);
        changed = true;
    }
    (open, changed)
}

/// Whether the bond counts as a corner at `atom`.
fn is_corner(structure: &Structure, link: &Link, atom: u32) -> bool {
    let bond = structure.bond(link.bond);
    bond.order != Order::Any && !(bond.order == Order::Dative && bond.begin == atom)
}

fn can_be_centre(structure: &Structure, rings: &Rings, number: u32) -> bool {
    let links = structure.links(number);
    if links.len() < 2 {
        return false;
    }
    let atom = structure.atom(number);
    let corners = links.iter().filter(|link| is_corner(structure, link, number)).count() as i32;
    let all = corners + atom.hydrogens();
    if !(3..=4).contains(&all) || (corners < 3 && !matches!(atom.number, 15 | 33)) {
        return false;
    }
    if corners != 3 {
        return true;
    }
    if atom.hydrogens() == 1 {
        let protium = |link: &Link| structure.atom(link.atom).number == 1 && structure.atom(link.atom).isotope == 0;
        return !links.iter().any(protium);
    }
    match atom.number {
        7 => {
            let pyramid = atom.hybridisation == Hybridisation::Sp3 && !has_conjugated_bond(structure, number);
            pyramid && cannot_turn_over(structure, rings, number)
        }
        15 | 33 => true,
        16 | 34 => atom.valence == 4 || (atom.valence == 3 && atom.charge == 1),
        _ => false,
    }
}

/// A nitrogen that rings hold in place.
fn cannot_turn_over(structure: &Structure, rings: &Rings, atom: u32) -> bool {
    rings.smallest_with_atom(atom) == 3 || is_bridgehead(structure, rings, atom)
}

fn has_equal_neighbours(structure: &Structure, ranks: &Ranks, atom: u32) -> bool {
    let corners = structure.links(atom).iter().filter(|link| is_corner(structure, link, atom));
    let mut seen: Vec<u32> = corners.map(|link| ranks.of(link.atom)).collect();
    seen.sort_unstable();
    seen.windows(2).any(|pair| pair[0] == pair[1])
}

fn label(structure: &Structure, ranks: &Ranks, number: u32) -> Label {
    let mut order: Vec<(u32, u32)> =
        structure.links(number).iter().map(|link| (ranks.of(link.atom), link.bond)).collect();
    order.sort_unstable();
    let bonds: Vec<u32> = order.into_iter().map(|entry| entry.1).collect();
    let atom = structure.atom(number);
    let hydrogen = bonds.len() == 3 && atom.hydrogens() == 1;
    let sense = if is_odd(&bonds) ^ hydrogen { atom.chirality.inverted() } else { atom.chirality };
    if sense == Chirality::Counterclockwise { Label::S } else { Label::R }
}

/// Takes away every sense that is neither labelled nor held by others in its ring system.
fn remove_senses(structure: &mut Structure, rings: &Rings, ranks: &Ranks, labels: &[Label]) {
    let held = held_by_ring(structure, rings, ranks, labels);
    for number in structure.atom_numbers() {
        let atom = structure.atom_mut(number);
        let keep = labels[number as usize] != Label::None || held[number as usize] || atom.chirality.is_higher();
        if keep || atom.chirality == Chirality::None {
            continue;
        }
        atom.chirality = Chirality::None;
        // The hydrogen was written for the sake of the sense only.
        if atom.explicit_hydrogens == 1 && atom.charge == 0 && !atom.aromatic {
            (atom.explicit_hydrogens, atom.bracket) = (0, false);
            update_leniently(structure, number);
        }
    }
}

/// Candidates for a sense within their ring system, where there are at least two of them.
fn held_by_ring(structure: &Structure, rings: &Rings, ranks: &Ranks, labels: &[Label]) -> Vec<bool> {
    let mut held = vec![false; structure.atoms.len()];
    let mut seen = vec![false; structure.atoms.len()];
    let candidate = |atom: u32| {
        labels[atom as usize] == Label::None
            && structure.atom(atom).chirality != Chirality::None
            && may_be_held(structure, rings, ranks, atom)
    };
    for start in structure.atom_numbers() {
        if !rings.has_atom(start) || std::mem::replace(&mut seen[start as usize], true) {
            continue;
        }
        let mut system = vec![start];
        let mut next = 0;
        while let Some(atom) = system.get(next).copied() {
            next += 1;
            for link in structure.links(atom).iter().filter(|link| rings.has_bond(link.bond)) {
                if !std::mem::replace(&mut seen[link.atom as usize], true) {
                    system.push(link.atom);
                }
            }
        }
        system.retain(|atom| candidate(*atom));
        if system.len() > 1 {
            system.iter().for_each(|atom| held[*atom as usize] = true);
        }
    }
    held
}

/// A ring atom whose neighbours outside the ring differ, or whose ring neighbours differ in part.
fn may_be_held(structure: &Structure, rings: &Rings, ranks: &Ranks, number: u32) -> bool {
    let three_bonded_nitrogen = structure.atom(number).number == 7 && structure.total_degree(number) == 3;
    if three_bonded_nitrogen && !cannot_turn_over(structure, rings, number) {
        return false;
    }
    let (inside, outside): (Vec<&Link>, Vec<&Link>) =
        structure.links(number).iter().partition(|link| rings.has_bond(link.bond));
    let mut inner: Vec<u32> = inside.iter().map(|link| ranks.of(link.atom)).collect();
    inner.sort_unstable();
    inner.dedup();
    match outside.as_slice() {
        [one, two] => ranks.of(one.atom) != ranks.of(two.atom),
        [_] => inside.len() >= 2,
        [] => matches!((inside.len(), inner.len()), (4, 3) | (3, 2)),
        _ => false,
    }
}
