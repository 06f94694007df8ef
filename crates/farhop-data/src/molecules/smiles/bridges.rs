//! Bonds that are in no ring: without one of them its two atoms do not hang together.

use super::structure::Structure;

/// For each bond whether it is such a bridge, among the bonds that are `active`. A depth-first walk notes how far back the
/// atoms behind a bond reach; a bridge is one whose atoms reach no further than its own end (Tarjan, 1974).
pub(super) fn bridges(structure: &Structure, active: &[bool]) -> Vec<bool> {
    const NEW: u32 = u32::MAX;
    let mut is_bridge = vec![false; structure.bonds.len()];
    let mut number = vec![NEW; structure.atoms.len()];
    let mut reach = vec![NEW; structure.atoms.len()];
    let mut next = 0;
    for root in structure.atom_numbers() {
        if number[root as usize] != NEW {
            continue;
        }
        // Atoms on the way down: the atom, the bond it was reached by, how many of its links were followed.
        let mut way: Vec<(u32, Option<u32>, usize)> = vec![(root, None, 0)];
        (number[root as usize], reach[root as usize], next) = (next, next, next + 1);
        while let Some((atom, from, followed)) = way.last_mut() {
            let (atom, from) = (*atom, *from);
            if let Some(link) = structure.links(atom).get(*followed) {
                *followed += 1;
                if Some(link.bond) == from || !active[link.bond as usize] {
                    continue;
                }
                let other = link.atom as usize;
                if number[other] == NEW {
                    (number[other], reach[other], next) = (next, next, next + 1);
                    way.push((link.atom, Some(link.bond), 0));
                } else {
                    reach[atom as usize] = reach[atom as usize].min(number[other]);
                }
                continue;
            }
            way.pop();
            if let (Some((above, ..)), Some(bond)) = (way.last(), from) {
                is_bridge[bond as usize] = reach[atom as usize] > number[*above as usize];
                reach[*above as usize] = reach[*above as usize].min(reach[atom as usize]);
            }
        }
    }
    is_bridge
}
