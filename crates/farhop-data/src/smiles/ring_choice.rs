//! More rings were found than are independent: which to keep, and which of the others stand for
//! equally good choices.

use super::rings::Ring;

/// A set of bonds.
#[derive(Clone)]
struct BondSet(Vec<u64>);

impl BondSet {
    fn new(bonds: usize) -> Self {
        Self(vec![0; bonds.div_ceil(64)])
    }

    fn of(bonds: usize, ring: &Ring) -> Self {
        let mut set = Self::new(bonds);
        ring.bonds.iter().for_each(|bond| set.0[*bond as usize / 64] |= 1 << (bond % 64));
        set
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, two)| *one |= two);
    }

    fn shared(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(one, two)| (one & two).count_ones()).sum()
    }
}

/// Keeps in `found` rings that together cover every ring bond, smallest first and, among rings of
/// one size, those that overlap most with what is covered. The others go to `spare`.
pub(super) fn choose(bonds: usize, found: &mut Vec<Ring>, spare: &mut Vec<Ring>) {
    found.sort_by_key(|ring| ring.bonds.len());
    let sets: Vec<BondSet> = found.iter().map(|ring| BondSet::of(bonds, ring)).collect();
    let sizes: Vec<usize> = found.iter().map(|ring| ring.bonds.len()).collect();
    let covered = |set: &BondSet, union: &BondSet, size: usize| set.shared(union) as usize == size;
    let mut union = BondSet::new(bonds);
    let mut available = vec![true; found.len()];
    let mut keep = vec![false; found.len()];
    for first in 0..found.len() {
        if !available[first] || covered(&sets[first], &union, sizes[first]) {
            continue;
        }
        union.add(&sets[first]);
        keep[first] = true;
        let mut waiting: Vec<usize> =
            (first + 1..found.len()).filter(|next| available[*next] && sizes[*next] == sizes[first]).collect();
        while !waiting.is_empty() {
            let mut best = 0;
            let mut most = None;
            for (slot, next) in waiting.iter().enumerate() {
                let overlap = Some(sets[*next].shared(&union));
                if overlap > most {
                    (best, most) = (slot, overlap);
                }
            }
            let next = waiting.remove(best);
            available[next] = false;
            if !covered(&sets[next], &union, sizes[next]) {
                keep[next] = true;
                union.add(&sets[next]);
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
    for extra in spare {
        let set = BondSet::of(bonds, extra);
        let holds = |bond: u32| set.0[bond as usize / 64] >> (bond % 64) & 1 == 1;
        let stands_in = |ring: &Ring| {
            ring.bonds.len() == extra.bonds.len()
                && ring.bonds.iter().any(|bond| holds(*bond))
                && ring.bonds.iter().all(|bond| counts[*bond as usize] != 1 || holds(*bond))
        };
        if chosen[..independent].iter().any(stands_in) {
            chosen.push(extra.clone());
        }
    }
}
