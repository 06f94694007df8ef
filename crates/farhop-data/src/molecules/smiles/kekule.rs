//! Alternating single and double bonds in place of aromatic ones.
//!
//! Each ring system is walked from its first atom; an atom that needs a double bond takes the first
//! neighbour that needs one too, and the walk goes back when a later atom is left alone. The order of
//! the walk is RDKit's, so that the same one of several possible patterns comes out.

use super::elements::element_of;
use super::error::AtomProblem;
use super::kekule_walk::Walk;
use super::rings::{Ring, Rings, ring_neighbours, ring_systems};
use super::structure::{Order, Structure};
use super::valence::update_leniently;

/// More wildcards than this in one ring system are not tried in all combinations.
const MOST_WILDCARDS: usize = 10;

/// Gives every aromatic bond an order and takes away all aromatic marks.
pub(super) fn kekulise(structure: &mut Structure, rings: &Rings) -> Result<(), AtomProblem> {
    if !structure.atom_numbers().any(|atom| structure.touches_aromatic(atom)) {
        return Ok(());
    }
    let real = |ring: &&Ring| ring.atoms.iter().any(|atom| structure.atom(*atom).number != 0);
    let list: Vec<&Ring> = rings.rings.iter().filter(real).collect();
    let neighbours = ring_neighbours(&list, structure.bonds.len(), 0, 0);
    for system in ring_systems(&neighbours) {
        let members: Vec<&Ring> = system.iter().map(|ring| list[*ring as usize]).collect();
        kekulise_system(structure, rings, &members)?;
    }
    clear_marks(structure, rings)
}

/// Atoms of a ring system in ascending order.
fn atoms_of(members: &[&Ring]) -> Vec<u32> {
    let mut atoms: Vec<u32> = members.iter().flat_map(|ring| ring.atoms.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

fn kekulise_system(structure: &mut Structure, rings: &Rings, members: &[&Ring]) -> Result<(), AtomProblem> {
    let atoms = atoms_of(members);
    if !atoms.iter().any(|atom| structure.atom(*atom).number == 0 || structure.touches_aromatic(*atom)) {
        return Ok(());
    }
    let candidates = Candidates::find(structure, rings, &atoms);
    for bond in &candidates.aromatic_bonds {
        structure.bond_mut(*bond).order = Order::Single;
    }
    let walk = Walk { atoms: &atoms, needs: &candidates.needs };
    if walk.run(structure, &candidates.outside) || with_fewer_wildcards(structure, &atoms, &candidates) {
        return Ok(());
    }
    let stuck = atoms.iter().copied().find(|atom| candidates.needs[*atom as usize]).unwrap_or(0);
    Err(AtomProblem::new(
        stuck,
        "no arrangement of single and double bonds fits the aromatic (lower-case) atoms of this ring system. Check the \
         hydrogens on its nitrogens, such as [nH], and its charges."
            .to_owned(),
    ))
}

/// Which atoms need a double bond.
struct Candidates {
    needs: Vec<bool>,
    /// Wildcards, which may or may not have one.
    wildcards: Vec<u32>,
    /// Atoms of the system that are not aromatic.
    outside: Vec<u32>,
    aromatic_bonds: Vec<u32>,
}

impl Candidates {
    fn find(structure: &Structure, rings: &Rings, atoms: &[u32]) -> Self {
        let mut inside = vec![false; structure.atoms.len()];
        let mut found = Self {
            needs: vec![false; structure.atoms.len()],
            wildcards: Vec::new(),
            outside: Vec::new(),
            aromatic_bonds: Vec::new(),
        };
        for atom in atoms.iter().copied() {
            inside[atom as usize] = true;
            if structure.atom(atom).number != 0 && !structure.touches_aromatic(atom) {
                found.outside.push(atom);
                continue;
            }
            let mut orders = 0;
            let mut idle = 0;
            let mut plain_neighbours = 0;
            for link in structure.links(atom) {
                let bond = structure.bond(link.bond);
                let other = structure.atom(link.atom);
                plain_neighbours += u32::from(other.number != 0 && !other.aromatic && inside[link.atom as usize]);
                if bond.aromatic && matches!(bond.order, Order::Single | Order::Double | Order::Aromatic) {
                    orders += 1;
                    found.aromatic_bonds.push(link.bond);
                } else {
                    let order = (bond.twice_contribution(atom) + 1) / 2;
                    orders += order;
                    idle += i32::from(order == 0);
                }
            }
            if structure.atom(atom).number == 0 {
                let count = rings.atom_count(atom);
                if plain_neighbours < count && hopeless_rings(structure, rings, atom) < count {
                    found.needs[atom as usize] = true;
                    found.wildcards.push(atom);
                }
            } else {
                found.needs[atom as usize] = needs_double_bond(structure, atom, orders, idle);
            }
        }
        found
    }
}

/// Rings round a wildcard in which no aromatic atom is in that ring only.
fn hopeless_rings(structure: &Structure, rings: &Rings, wildcard: u32) -> u32 {
    let here = rings.rings.iter().filter(|ring| ring.atoms.contains(&wildcard));
    let hope = |atom: &u32| structure.touches_aromatic(*atom) && rings.atom_count(*atom) == 1;
    here.filter(|ring| !ring.atoms.iter().any(hope)).count() as u32
}

/// Whether the valence leaves room for one more bond. `orders` is the sum with aromatic bonds as 1.
fn needs_double_bond(structure: &Structure, number: u32, orders: i32, idle: i32) -> bool {
    let atom = structure.atom(number);
    let element = element_of(atom.number);
    let orders = orders + atom.hydrogens();
    let mut charge = i32::from(atom.charge);
    if is_left_of_carbon(atom.number) || (atom.number == 6 && charge > 0) {
        charge = -charge;
    }
    let mut valence = element.default_valence() + charge;
    let total = atom.total_valence();
    for higher in element.valences.iter().skip(1) {
        if total <= valence || *higher <= 0 {
            break;
        }
        valence = higher + charge;
    }
    let radicals = i32::from(atom.radicals);
    let degree = structure.degree(number) + i32::from(atom.implicit_hydrogens) - idle;
    if degree + radicals >= valence {
        return false;
    }
    valence == orders + 1 + radicals || (radicals == 0 && atom.bracket && valence == orders + 2)
}

/// Elements that gain a bond with a negative charge.
fn is_left_of_carbon(number: u8) -> bool {
    matches!(number, 3..=5 | 11..=13 | 19..=22 | 30..=32 | 37..=41 | 48..=51 | 55..=61 | 72..=73 | 80..=83 | 87..=93 | 104..=118)
}

/// Some of the wildcards may have to do without a double bond.
fn with_fewer_wildcards(structure: &mut Structure, atoms: &[u32], candidates: &Candidates) -> bool {
    let wildcards = &candidates.wildcards;
    if wildcards.is_empty() || wildcards.len() > MOST_WILDCARDS {
        return false;
    }
    (1u32..1 << wildcards.len()).any(|choice| {
        for bond in &candidates.aromatic_bonds {
            structure.bond_mut(*bond).order = Order::Single;
        }
        let mut needs = candidates.needs.clone();
        for (index, atom) in wildcards.iter().enumerate() {
            needs[*atom as usize] &= choice >> index & 1 == 0;
        }
        Walk { atoms, needs: &needs }.run(structure, &[])
    })
}

/// Takes the marks away; `[nH]` becomes an ordinary nitrogen whose hydrogen fills the valence.
fn clear_marks(structure: &mut Structure, rings: &Rings) -> Result<(), AtomProblem> {
    structure.bonds.iter_mut().for_each(|bond| bond.aromatic = false);
    for number in structure.atom_numbers() {
        let atom = structure.atom_mut(number);
        if !std::mem::replace(&mut atom.aromatic, false) {
            continue;
        }
        if !rings.has_atom(number) {
            let reason = "an aromatic (lower-case) atom is in no ring. Write it in upper case, or close the ring.";
            return Err(AtomProblem::new(number, reason.to_owned()));
        }
        if matches!(atom.number, 7 | 15) && atom.charge == 0 && atom.explicit_hydrogens == 1 {
            let before = atom.total_valence();
            (atom.bracket, atom.explicit_hydrogens) = (false, 0);
            update_leniently(structure, number);
            if structure.atom(number).total_valence() != before {
                let reason = "the hydrogen on this aromatic atom does not fit its bonds. Remove it, or check the ring.";
                return Err(AtomProblem::new(number, reason.to_owned()));
            }
        }
    }
    Ok(())
}
