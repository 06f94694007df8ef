//! How many bonds an atom has, how many hydrogens it still takes, and its unpaired electrons.
//!
//! A charged atom takes the valences of the element with as many electrons: N+ those of C.

use super::elements::{Element, element_of};
use super::error::AtomProblem;
use super::structure::{Link, Structure};

/// The element whose valences hold for an atom with this number and charge.
fn effective(number: u8, charge: i8) -> u8 {
    if !element_of(number).has_valences() {
        return number;
    }
    (i32::from(number) - i32::from(charge)).clamp(0, 118) as u8
}

/// P, S, As and Se keep their high valences when a negative charge makes them look like a halogen.
fn stays_hypervalent(number: u8, effective: u8) -> bool {
    (effective > 16 && matches!(number, 15 | 16)) || (effective > 34 && matches!(number, 33 | 34))
}

/// Bonds and explicit hydrogens of an atom; an aromatic atom with too many is brought down to a
/// valence it can have.
pub(super) fn explicit_valence(structure: &Structure, number: u32) -> i32 {
    let atom = structure.atom(number);
    let bonds: i32 =
        structure.links(number).iter().map(|link| structure.bond(link.bond).twice_contribution(number)).sum();
    let mut twice = 2 * i32::from(atom.explicit_hydrogens) + bonds;
    let element = element_of(effective(atom.number, atom.charge));
    let default = element.default_valence();
    if default >= 0 && twice > 2 * default && structure.touches_aromatic(number) {
        let fitting = element.valences.iter().take_while(|valence| **valence >= 0 && 2 * **valence <= twice);
        let fitting = fitting.last().copied().unwrap_or(default);
        if twice - 2 * fitting <= 3 {
            twice = 2 * fitting;
        }
    }
    (twice + 1) / 2
}

/// Hydrogens that fill the valence of an atom, given its explicit valence.
fn implicit_hydrogens(structure: &Structure, number: u32) -> Result<i32, AtomProblem> {
    let atom = structure.atom(number);
    if atom.bracket || atom.number == 0 {
        return Ok(0);
    }
    let own = element_of(atom.number);
    let like = effective(atom.number, atom.charge);
    let default = element_of(like).default_valence();
    if like == 0 || default < 0 {
        return Ok(0);
    }
    let mut used = atom.valence + i32::from(atom.radicals);
    let mut element = element_of(like);
    if stays_hypervalent(atom.number, like) {
        used -= i32::from(atom.charge);
        element = own;
    }
    let mut known = element.valences.iter().take_while(|valence| **valence >= 0);
    if structure.touches_aromatic(number) {
        if used <= default {
            return Ok(default - used);
        }
        let fits = known.any(|valence| *valence == used);
        return if fits { Ok(0) } else { Err(too_many(structure, number, own)) };
    }
    match known.find(|valence| used <= **valence) {
        Some(valence) => Ok(valence - used),
        None if element.largest_valence() != -1 && own.largest_valence() > 0 => Err(too_many(structure, number, own)),
        None => Ok(0),
    }
}

fn too_many(structure: &Structure, number: u32, element: &Element) -> AtomProblem {
    let atom = structure.atom(number);
    let charge = match atom.charge {
        0 => String::new(),
        charge => format!(" with charge {charge:+}"),
    };
    let like = effective(atom.number, atom.charge);
    let most = match element_of(like).largest_valence() {
        _ if stays_hypervalent(atom.number, like) => element.largest_valence() + i32::from(atom.charge),
        most => most,
    };
    let reason = format!(
        "{}{charge} has {} bonds; the most it can have is {most}. Check its bonds, or write its charge in brackets.",
        element.symbol, atom.valence
    );
    AtomProblem::new(number, reason)
}

/// More bonds than the largest valence allows.
fn check(structure: &Structure, number: u32) -> Result<(), AtomProblem> {
    let atom = structure.atom(number);
    let own = element_of(atom.number);
    let like = effective(atom.number, atom.charge);
    let mut largest = element_of(like).largest_valence();
    let mut bonds = atom.valence;
    if stays_hypervalent(atom.number, like) {
        largest = own.largest_valence();
        bonds -= i32::from(atom.charge);
    }
    if atom.number == 1 && atom.charge == -1 {
        largest = 2;
    }
    if largest >= 0 && own.largest_valence() >= 0 && bonds > largest {
        return Err(too_many(structure, number, own));
    }
    Ok(())
}

/// Counts the bonds of one atom and fills it with hydrogens.
pub(super) fn update(structure: &mut Structure, number: u32) -> Result<(), AtomProblem> {
    structure.atom_mut(number).valence = explicit_valence(structure, number);
    check(structure, number)?;
    let hydrogens = implicit_hydrogens(structure, number)?;
    structure.atom_mut(number).implicit_hydrogens = hydrogens.clamp(0, 255) as u8;
    Ok(())
}

/// The same, taking what there is when the valence is too large.
pub(super) fn update_leniently(structure: &mut Structure, number: u32) {
    structure.atom_mut(number).valence = explicit_valence(structure, number);
    let hydrogens = implicit_hydrogens(structure, number).unwrap_or(0);
    structure.atom_mut(number).implicit_hydrogens = hydrogens.clamp(0, 255) as u8;
}

/// [`update`] for every atom.
pub(super) fn update_all(structure: &mut Structure) -> Result<(), AtomProblem> {
    structure.atom_numbers().try_for_each(|number| update(structure, number))
}

/// Unpaired electrons of atoms in brackets, from the electrons that bonds and charge leave over.
pub(super) fn assign_radicals(structure: &mut Structure) {
    for number in structure.atom_numbers() {
        let atom = structure.atom(number);
        if !atom.bracket || atom.number == 0 {
            continue;
        }
        let radicals = radicals(structure, number);
        structure.atom_mut(number).radicals = radicals.clamp(0, 255) as u8;
    }
}

fn radicals(structure: &Structure, number: u32) -> i32 {
    let atom = structure.atom(number);
    let (element, charge) = (element_of(atom.number), i32::from(atom.charge));
    if !element.has_valences() {
        // Nothing is known about a bonded metal; a lone one has an even or an odd number of electrons.
        let left = (element.outer - charge).max(0);
        return if structure.degree(number) > 0 { 0 } else { left % 2 };
    }
    let twice: i32 =
        structure.links(number).iter().map(|link| structure.bond(link.bond).twice_contribution(number)).sum();
    let total = twice / 2 + i32::from(atom.explicit_hydrogens);
    let shell = if atom.number <= 2 { 2 } else { 8 };
    let mut missing = shell - element.outer - total + charge;
    if missing < 0 {
        let several = element.valences.len() > 1;
        let higher = element.valences.iter().map(|valence| valence - total + charge).find(|left| *left >= 0);
        missing = higher.filter(|_| several).unwrap_or(0);
    }
    let unshared = element.outer - total - charge;
    if unshared >= 0 { missing.min(unshared) } else { missing }
}

/// Hydrogens that an aromatic atom would lose, because its bonds now count half, become explicit.
pub(super) fn keep_hydrogens(structure: &mut Structure) {
    for number in structure.atom_numbers() {
        let before = structure.atom(number).implicit_hydrogens;
        update_leniently(structure, number);
        let after = structure.atom(number).implicit_hydrogens;
        if after < before {
            let atom = structure.atom_mut(number);
            atom.explicit_hydrogens = atom.explicit_hydrogens.saturating_add(before - after);
            structure.atom_mut(number).valence = explicit_valence(structure, number);
        }
    }
}

/// Electrons an atom can give to a ring or a conjugated system, -1 when it cannot take part.
pub(super) fn pi_electrons(structure: &Structure, number: u32) -> i32 {
    let atom = structure.atom(number);
    let element = element_of(atom.number);
    let default = element.default_valence();
    if default <= 1 {
        return -1;
    }
    let bonded = |link: &&Link| structure.bond(link.bond).twice_contribution(number) > 0;
    let degree = structure.links(number).iter().filter(bonded).count() as i32 + atom.hydrogens();
    if degree > 3 {
        return -1;
    }
    let unshared = (element.outer - default - i32::from(atom.charge)).max(0);
    let electrons = default - degree + unshared - i32::from(atom.radicals);
    // A triple bond leaves one electron to the system, not two.
    if electrons > 1 && atom.valence - structure.degree(number) > 1 { 1 } else { electrons }
}
