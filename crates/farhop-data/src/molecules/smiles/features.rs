//! The features of OGB: each is the index of the value in OGB's list of values, whose last entry
//! stands for everything else.

use super::rings::Rings;
use super::structure::{Bond, Chirality, Hybridisation, Order, Stereo, Structure};

/// Number of values of each atom feature: atomic number, chirality, degree, formal charge, hydrogens,
/// radical electrons, hybridisation, aromatic, in a ring.
pub const ATOM_SIZES: [u32; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];

/// Number of values of each bond feature: type, stereo, conjugated.
pub const BOND_SIZES: [u32; 3] = [5, 6, 2];

/// A count from 0 to `most`, or the last index.
fn counted(value: i32, most: u8) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX).min(most + 1)
}

/// The nine features of an atom.
pub(super) fn atom_features(structure: &Structure, rings: &Rings, number: u32) -> [u8; 9] {
    let atom = structure.atom(number);
    let chirality = match atom.chirality {
        Chirality::None => 0,
        Chirality::Clockwise => 1,
        Chirality::Counterclockwise => 2,
        _ => 4,
    };
    let hybridisation = match atom.hybridisation {
        Hybridisation::Sp => 0,
        Hybridisation::Sp2 => 1,
        Hybridisation::Sp3 => 2,
        Hybridisation::Sp3d => 3,
        Hybridisation::Sp3d2 => 4,
        Hybridisation::Other => 5,
    };
    let charge = if (-5..=5).contains(&atom.charge) { counted(i32::from(atom.charge) + 5, 10) } else { 11 };
    [
        if atom.number == 0 { 118 } else { atom.number - 1 },
        chirality,
        counted(structure.total_degree(number), 10),
        charge,
        counted(atom.hydrogens(), 8),
        counted(i32::from(atom.radicals), 4),
        hybridisation,
        u8::from(atom.aromatic),
        u8::from(rings.has_atom(number)),
    ]
}

/// The three features of a bond.
pub(super) fn bond_features(bond: &Bond) -> [u8; 3] {
    let order = match bond.order {
        Order::Single => 0,
        Order::Double => 1,
        Order::Triple => 2,
        Order::Aromatic => 3,
        Order::Any | Order::Quadruple | Order::Dative => 4,
    };
    let stereo = match bond.stereo {
        Stereo::None => 0,
        Stereo::Z => 1,
        Stereo::E => 2,
        Stereo::Any => 5,
    };
    [order, stereo, u8::from(bond.conjugated)]
}
