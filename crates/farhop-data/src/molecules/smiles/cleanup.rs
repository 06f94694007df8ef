//! Groups that are often written with too many bonds get charges instead: nitro groups, azides,
//! perchlorates, and nitrogens or oxygens that give both electrons of a bond to a metal.

use super::elements::{element_of, is_metal};
use super::structure::{Link, Order, Structure};
use super::valence::{explicit_valence, update_leniently};
use std::cmp::Reverse;

/// All of it.
pub(super) fn clean_up(structure: &mut Structure) {
    nitrogens(structure);
    for number in structure.atom_numbers() {
        match structure.atom(number).number {
            15 => phosphorus(structure, number),
            17 | 35 | 53 => halogen(structure, number),
            _ => {}
        }
    }
    metal_bonds(structure);
}

/// `N(=O)=O` becomes `[N+](=O)[O-]`; `N=N#N` becomes `N=[N+]=[N-]`.
fn nitrogens(structure: &mut Structure) {
    let mut considered = Vec::new();
    for number in structure.atom_numbers() {
        let atom = structure.atom(number);
        if atom.number == 7 && atom.charge == 0 && explicit_valence(structure, number) == 5 {
            considered.push(number);
            split(structure, number, 8, Order::Double, Order::Single);
        }
    }
    for number in considered {
        split(structure, number, 7, Order::Triple, Order::Double);
    }
}

/// Moves one bond's electrons to a neutral neighbour of the given element.
fn split(structure: &mut Structure, number: u32, element: u8, from: Order, to: Order) {
    let links = structure.links(number);
    let fits = |link: &&Link| {
        let neighbour = structure.atom(link.atom);
        neighbour.number == element && neighbour.charge == 0 && structure.bond(link.bond).order == from
    };
    let Some(link) = links.iter().find(fits).copied() else { return };
    structure.bond_mut(link.bond).order = to;
    structure.atom_mut(number).charge = 1;
    structure.atom_mut(link.atom).charge = -1;
}

/// `C=P(=O)X` becomes `C=[P+]([O-])X`.
fn phosphorus(structure: &mut Structure, number: u32) {
    let neutral = structure.atom(number).charge == 0;
    if !neutral || structure.degree(number) != 3 || explicit_valence(structure, number) != 5 {
        return;
    }
    let mut oxygen = None;
    let mut carbon_or_nitrogen = false;
    for link in structure.links(number) {
        let neighbour = structure.atom(link.atom);
        if structure.bond(link.bond).order != Order::Double {
            continue;
        }
        match neighbour.number {
            8 if neighbour.charge == 0 => oxygen = Some(*link),
            6 | 7 if structure.degree(link.atom) >= 2 => carbon_or_nitrogen = true,
            _ => {}
        }
    }
    if let (Some(link), true) = (oxygen, carbon_or_nitrogen) {
        structure.bond_mut(link.bond).order = Order::Single;
        structure.atom_mut(link.atom).charge = -1;
        structure.atom_mut(number).charge = 1;
    }
}

/// `Cl(=O)(=O)(=O)O` becomes `[Cl+3]([O-])([O-])([O-])O`.
fn halogen(structure: &mut Structure, number: u32) {
    let valence = explicit_valence(structure, number);
    let all_oxygen = structure.links(number).iter().all(|link| structure.atom(link.atom).number == 8);
    if structure.atom(number).charge != 0 || !matches!(valence, 3 | 5 | 7) || !all_oxygen {
        return;
    }
    let mut charge = 0i8;
    for link in structure.links(number).to_vec() {
        if structure.bond(link.bond).order == Order::Double {
            structure.bond_mut(link.bond).order = Order::Single;
            structure.atom_mut(link.atom).charge = -1;
            charge = charge.saturating_add(1);
        }
    }
    structure.atom_mut(number).charge = charge;
}

/// A single bond from an atom with one bond too many to a metal becomes a dative one.
fn metal_bonds(structure: &mut Structure) {
    if !structure.atoms.iter().any(|atom| is_metal(atom.number)) {
        return;
    }
    for number in structure.atom_numbers() {
        if matches!(structure.atom(number).number, 1 | 2 | 9 | 10) || !is_hypervalent_non_metal(structure, number) {
            continue;
        }
        let to_metal = |link: &&Link| {
            structure.bond(link.bond).order == Order::Single && is_metal(structure.atom(link.atom).number)
        };
        let datives = |metal: u32| {
            structure.links(metal).iter().filter(|link| structure.bond(link.bond).order == Order::Dative).count()
        };
        let metals = structure.links(number).iter().filter(to_metal);
        let Some(link) = metals.min_by_key(|link| (datives(link.atom), Reverse(link.atom))).copied() else { continue };
        let bond = structure.bond_mut(link.bond);
        (bond.begin, bond.end, bond.order) = (number, link.atom, Order::Dative);
    }
}

fn is_hypervalent_non_metal(structure: &mut Structure, number: u32) -> bool {
    let atom = structure.atom(number);
    let like = i32::from(atom.number) - i32::from(atom.charge);
    if is_metal(atom.number) || like <= 0 {
        return false;
    }
    let Ok(like) = u8::try_from(like) else { return false };
    update_leniently(structure, number);
    let largest = element_of(like).largest_valence();
    let valence = structure.atom(number).valence;
    let crowded = valence == largest && structure.atom(number).aromatic && structure.total_degree(number) == 4;
    largest > 0 && (valence > largest || crowded)
}
