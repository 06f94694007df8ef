//! Hydrogens written as atoms of their own become counts on their neighbours.
//!
//! Kept are isotopes, hydride ions, hydrogens without neighbour, bridging ones, those bonded to
//! hydrogen or a wildcard only, and one that alone shows the direction at a double bond.

use super::structure::{Direction, Order, Structure};
use super::written_order::is_odd;

/// Removes what can be removed.
pub(super) fn remove_hydrogens(structure: &mut Structure) {
    let removed: Vec<bool> = structure.atom_numbers().map(|number| is_plain(structure, number)).collect();
    if !removed.contains(&true) {
        return;
    }
    let mut gone = vec![false; structure.bonds.len()];
    for number in structure.atom_numbers().rev().filter(|number| removed[*number as usize]) {
        detach(structure, number, &mut gone);
    }
    compact(structure, &removed, &gone);
}

fn is_plain(structure: &Structure, number: u32) -> bool {
    let atom = structure.atom(number);
    let [link] = structure.links(number) else { return false };
    if atom.number != 1 || atom.isotope != 0 || atom.charge == -1 {
        return false;
    }
    let heavy = structure.atom(link.atom);
    if heavy.number <= 1 || heavy.chirality.is_higher() {
        return false;
    }
    let shows_direction = structure.bond(link.bond).direction != Direction::None
        && structure.degree(link.atom) == 2
        && structure.links(link.atom).iter().any(|link| structure.bond(link.bond).order == Order::Double);
    !shows_direction
}

/// Counts the hydrogen on its neighbour, and keeps the sense and the directions there.
fn detach(structure: &mut Structure, number: u32, gone: &mut [bool]) {
    let [link] = *structure.links(number) else { return };
    let bond = structure.bond(link.bond).clone();
    let heavy = link.atom;
    if structure.atom(heavy).chirality.is_tetrahedral() && structure.links(heavy).len() <= 8 {
        let others = structure.links(heavy).iter().map(|link| link.bond);
        let mut order: Vec<u32> = others.filter(|one| *one != link.bond && !gone[*one as usize]).collect();
        order.push(link.bond);
        if is_odd(&order) {
            let atom = structure.atom_mut(heavy);
            atom.chirality = atom.chirality.inverted();
        }
    }
    let atom = structure.atom_mut(heavy);
    atom.explicit_hydrogens = atom.explicit_hydrogens.saturating_add(1);
    if bond.direction != Direction::None {
        hand_over_direction(structure, heavy, link.bond, gone);
    }
    gone[link.bond as usize] = true;
}

/// The only bond with a direction goes, so that another one takes it.
fn hand_over_direction(structure: &mut Structure, heavy: u32, removed: u32, gone: &[bool]) {
    let candidates = structure.links(heavy).iter().map(|link| link.bond);
    let single = |bond: &u32| *bond != removed && !gone[*bond as usize] && structure.bond(*bond).order == Order::Single;
    let singles: Vec<u32> = candidates.filter(single).collect();
    if singles.iter().any(|bond| structure.bond(*bond).direction != Direction::None) {
        return;
    }
    let Some(heir) = singles.last().copied() else { return };
    let direction = structure.bond(removed).direction;
    let flip = structure.bond(heir).begin == heavy && structure.bond(removed).begin == heavy;
    structure.bond_mut(heir).direction = if flip { direction.reversed() } else { direction };
}

/// Renumbers what is left.
fn compact(structure: &mut Structure, removed: &[bool], gone: &[bool]) {
    let mut number = vec![0u32; removed.len()];
    let mut next = 0;
    for (slot, removed) in number.iter_mut().zip(removed) {
        *slot = next;
        next += u32::from(!removed);
    }
    let mut index = 0;
    structure.atoms.retain(|_| {
        index += 1;
        !removed[index - 1]
    });
    let mut index = 0;
    structure.bonds.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
    for bond in &mut structure.bonds {
        bond.begin = number[bond.begin as usize];
        bond.end = number[bond.end as usize];
    }
    structure.connect();
}
