//! Z and E at double bonds, from `/` and `\` on the bonds beside them.

use super::ranks::Ranks;
use super::rings::Rings;
use super::structure::{Direction, Link, Order, Stereo, Structure};

/// In smaller rings a double bond has no choice.
const SMALLEST_RING: u32 = 8;

/// Whether any double bond has a direction beside it.
pub(super) fn has_directions(structure: &Structure) -> bool {
    let beside = |atom| structure.links(atom).iter().any(|link| structure.bond(link.bond).direction != Direction::None);
    let double = structure.bonds.iter().filter(|bond| bond.order == Order::Double);
    double.clone().any(|bond| beside(bond.begin) || beside(bond.end))
}

/// A neighbour of one end of a double bond, with the direction of its bond as seen from that end.
#[derive(Debug, Clone, Copy)]
struct Side {
    atom: u32,
    bond: u32,
    direction: Direction,
}

/// Settles double bonds. Returns whether some are left open, and whether one was settled.
pub(super) fn assign_bonds(structure: &mut Structure, rings: &Rings, ranks: &Ranks) -> (bool, bool) {
    let (mut open, mut changed) = (false, false);
    let mut cleared = Vec::new();
    for number in 0..structure.bonds.len() as u32 {
        let bond = structure.bond(number);
        let can_have = bond.order == Order::Double && bond.stereo == Stereo::None;
        let ends = [bond.begin, bond.end];
        let flat = ends.iter().all(|atom| matches!(structure.degree(*atom), 2 | 3));
        if !can_have || !flat || rings.smallest_with_bond(number) < SMALLEST_RING {
            continue;
        }
        let [begin, end] = ends.map(|atom| sides(structure, ranks, atom, number));
        if begin.is_empty() || end.is_empty() {
            open = true;
            continue;
        }
        changed = true;
        let conflict = |sides: &[Side]| matches!(sides, [one, two] if one.direction == two.direction);
        if conflict(&begin) || conflict(&end) {
            let bad = [&begin, &end].into_iter().filter(|sides| conflict(sides));
            cleared.extend(bad.flatten().map(|side| side.bond));
            continue;
        }
        let same = leading(ranks, &begin) == leading(ranks, &end);
        structure.bond_mut(number).stereo = if same { Stereo::Z } else { Stereo::E };
    }
    for bond in cleared {
        structure.bond_mut(bond).direction = Direction::None;
    }
    (open, changed)
}

/// The neighbours of one end; none when no direction is given or when they cannot be told apart.
fn sides(structure: &Structure, ranks: &Ranks, atom: u32, double: u32) -> Vec<Side> {
    let links = structure.links(atom).iter().filter(|link| link.bond != double);
    let side = |link: &Link| {
        let direction = structure.bond(link.bond).direction_from(atom);
        Side { atom: link.atom, bond: link.bond, direction }
    };
    let mut sides: Vec<Side> = links.map(side).collect();
    match sides.as_mut_slice() {
        [one] if one.direction != Direction::None => {}
        [one, two] if ranks.of(one.atom) != ranks.of(two.atom) => match (one.direction, two.direction) {
            (Direction::None, Direction::None) => sides.clear(),
            (Direction::None, given) => one.direction = given.reversed(),
            (given, Direction::None) => two.direction = given.reversed(),
            _ => {}
        },
        _ => sides.clear(),
    }
    sides
}

/// The direction towards the neighbour of higher rank.
fn leading(ranks: &Ranks, sides: &[Side]) -> Option<Direction> {
    sides.iter().max_by_key(|side| ranks.of(side.atom)).map(|side| side.direction)
}
