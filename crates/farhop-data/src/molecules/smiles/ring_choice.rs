//! More rings were found than are independent: which to keep, and which of the others stand for
//! equally good choices.

use super::rings::Ring;

/// Keeps in `found` rings that together cover every ring bond, smallest first and, among rings of
/// one size, those that overlap most with what is covered. The others go to `spare`.
pub(super) fn choose(bonds: usize, found: &mut Vec<Ring>, spare: &mut Vec<Ring>) {
    found.sort_by_key(|ring| ring.bonds.len());
    let mut covered = vec![false; bonds];
    let overlap = |ring: &Ring, covered: &[bool]| ring.bonds.iter().filter(|bond| covered[**bond as usize]).count();
    let cover = |ring: &Ring, covered: &mut [bool]| {
        ring.bonds.iter().for_each(|bond| covered[*bond as usize] = true);
    };
    let mut available = vec![true; found.len()];
    let mut keep = vec![false; found.len()];
    for first in 0..found.len() {
        let size = found[first].bonds.len();
        if !available[first] || overlap(&found[first], &covered) == size {
            continue;
        }
        cover(&found[first], &mut covered);
        keep[first] = true;
        let mut waiting: Vec<usize> =
            (first + 1..found.len()).filter(|next| available[*next] && found[*next].bonds.len() == size).collect();
        while !waiting.is_empty() {
            let mut best = 0;
            let mut most = None;
            for (slot, next) in waiting.iter().enumerate() {
                let overlap = Some(overlap(&found[*next], &covered));
                if overlap > most {
                    (best, most) = (slot, overlap);
                }
            }
            let next = waiting.remove(best);
            available[next] = false;
            if most != Some(size) {
                keep[next] = true;
                cover(&found[next], &mut covered);
            }
        }
    }
    let mut index = 0;
    let (kept, mut left): (Vec<Ring>, Vec<Ring>) = std::mem::take(found).into_iter().partition(|_| {
        index += 1;
        keep[index - 1]
    });
    *found = kept;
    spare.append(&mut left);
}

/// Adds each spare ring that could stand in for a chosen one of its size: it shares a bond with it
/// and holds every bond that only the chosen one covers.
pub(super) fn add_alternatives(bonds: usize, chosen: &mut Vec<Ring>, spare: &[Ring]) {
    if spare.is_empty() {
        return;
    }
    let mut counts = vec![0u32; bonds];
    chosen.iter().flat_map(|ring| &ring.bonds).for_each(|bond| counts[*bond as usize] += 1);
    let independent = chosen.len();
    let mut inside = vec![false; bonds];
    for extra in spare {
        extra.bonds.iter().for_each(|bond| inside[*bond as usize] = true);
        let holds = |bond: u32| inside[bond as usize];
        let stands_in = |ring: &Ring| {
            ring.bonds.len() == extra.bonds.len()
                && ring.bonds.iter().any(|bond| holds(*bond))
                && ring.bonds.iter().all(|bond| counts[*bond as usize] != 1 || holds(*bond))
        };
        if chosen[..independent].iter().any(stands_in) {
            chosen.push(extra.clone());
        }
        extra.bonds.iter().for_each(|bond| inside[*bond as usize] = false);
    }
}
