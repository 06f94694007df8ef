//! Conjugated bonds and the orbitals of atoms.

use super::elements::element_of;
use super::structure::{Chirality, Hybridisation, Link, Order, Structure};
use super::valence::pi_electrons;

/// A multiple bond and a bond beside it are conjugated when all atoms on them can take part.
pub(super) fn mark_conjugated(structure: &mut Structure) {
    let candidates: Vec<bool> = structure.atom_numbers().map(|atom| can_conjugate(structure, atom)).collect();
    structure.bonds.iter_mut().for_each(|bond| bond.conjugated = bond.aromatic);
    for atom in structure.atom_numbers() {
        if !candidates[atom as usize] || !matches!(structure.total_degree(atom), 2 | 3) {
            continue;
        }
        for first in 0..structure.links(atom).len() {
            let one = structure.links(atom)[first];
            if structure.bond(one.bond).twice_contribution(atom) < 3 || !candidates[one.atom as usize] {
                continue;
            }
            for second in 0..structure.links(atom).len() {
                let two = structure.links(atom)[second];
                let flat = candidates[two.atom as usize] && structure.total_degree(two.atom) <= 3;
                if second != first && flat {
                    structure.bond_mut(one.bond).conjugated = true;
                    structure.bond_mut(two.bond).conjugated = true;
                }
            }
        }
    }
}

/// Elements beyond the second row with five or six outer electrons only take part at the end of a
/// chain, and neutral atoms beyond their usual valence not at all.
fn can_conjugate(structure: &Structure, number: u32) -> bool {
    let atom = structure.atom(number);
    let element = element_of(atom.number);
    let usual = element.default_valence();
    if atom.charge == 0 && usual >= 0 && atom.total_valence() > usual {
        return false;
    }
    let outer = element.outer;
    let light = atom.number <= 10 || !matches!(outer, 5 | 6) || (outer == 6 && structure.total_degree(number) < 2);
    light && pi_electrons(structure, number) > 0
}

/// Whether a bond of the atom is conjugated.
pub(super) fn has_conjugated_bond(structure: &Structure, atom: u32) -> bool {
    structure.links(atom).iter().any(|link| structure.bond(link.bond).conjugated)
}

/// Sets the orbitals of every atom.
pub(super) fn assign_hybridisation(structure: &mut Structure) {
    for atom in structure.atom_numbers() {
        let hybridisation = hybridisation(structure, atom);
        structure.atom_mut(atom).hybridisation = hybridisation;
    }
}

fn hybridisation(structure: &Structure, number: u32) -> Hybridisation {
    let atom = structure.atom(number);
    let degree = structure.total_degree(number);
    if atom.number == 0 {
        return Hybridisation::Other;
    }
    match atom.chirality {
        Chirality::Clockwise | Chirality::Counterclockwise if degree == 4 => return Hybridisation::Sp3,
        Chirality::SquarePlanar if (2..=4).contains(&degree) => return Hybridisation::Other,
        Chirality::TrigonalBipyramidal if (2..=5).contains(&degree) => return Hybridisation::Sp3d,
        Chirality::Octahedral if (2..=6).contains(&degree) => return Hybridisation::Sp3d2,
        _ => {}
    }
    let orbitals = if atom.number < 89 { bonds_and_pairs(structure, number) } else { degree };
    match orbitals {
        2 => Hybridisation::Sp,
        3 => Hybridisation::Sp2,
        4 if degree > 3 || !has_conjugated_bond(structure, number) => Hybridisation::Sp3,
        // The lone pair takes part in the conjugation, as on the second O of a carboxylic acid.
        4 => Hybridisation::Sp2,
        5 => Hybridisation::Sp3d,
        6 => Hybridisation::Sp3d2,
        _ => Hybridisation::Other,
    }
}

fn bonds_and_pairs(structure: &Structure, number: u32) -> i32 {
    let atom = structure.atom(number);
    let given = |link: &&Link| {
        let bond = structure.bond(link.bond);
        bond.order == Order::Dative && bond.end != number
    };
    let degree = structure.total_degree(number) - structure.links(number).iter().filter(given).count() as i32;
    if atom.number <= 1 {
        return degree;
    }
    let (outer, charge) = (element_of(atom.number).outer, i32::from(atom.charge));
    let valence = atom.total_valence();
    let free = outer - valence - charge;
    if valence + outer - charge < 8 {
        let radicals = i32::from(atom.radicals);
        degree + (free - radicals) / 2 + radicals
    } else {
        degree + free / 2
    }
}
