//! Priorities of atoms: by element first, then by ever wider surroundings.
//!
//! Two atoms with the same rank look the same from everywhere, as far as the walk goes. The ranks are
//! those of RDKit's first stereochemistry model (after Labute, J. Chem. Comp. Group, 1996), which the
//! features follow.

use super::elements::element_of;
use super::structure::{Order, Structure};

/// The rank of each atom; equal for atoms that cannot be told apart. Only the order means anything.
#[derive(Debug)]
pub(super) struct Ranks {
    rank: Vec<u32>,
    /// Atoms by rank.
    sorted: Vec<u32>,
    classes: usize,
}

impl Ranks {
    /// From element, isotope and class.
    pub fn new(structure: &Structure) -> Self {
        let first = structure.atoms.iter().map(|atom| {
            let mut mass = 512;
            if atom.isotope != 0 {
                let off = i32::from(atom.isotope) - element_of(atom.number).isotope;
                mass += if off >= 0 { off + 1 } else { off };
            }
            let class = if atom.class == 0 { 0 } else { (atom.class + 1) % 1024 };
            u64::from(atom.number) << 20 | (mass.max(0) as u64 % 1024) << 10 | u64::from(class)
        });
        Self::refined(structure, &first.collect::<Vec<u64>>())
    }

    /// The same ranks, split further by what is known about each atom.
    pub fn split(&self, structure: &Structure, details: impl Fn(u32) -> u32) -> Self {
        let keys = structure.atom_numbers().map(|atom| u64::from(self.of(atom)) << 32 | u64::from(details(atom)));
        Self::refined(structure, &keys.collect::<Vec<u64>>())
    }

    pub fn of(&self, atom: u32) -> u32 {
        self.rank[atom as usize]
    }

    fn refined(structure: &Structure, keys: &[u64]) -> Self {
        let mut sorted: Vec<u32> = structure.atom_numbers().collect();
        sorted.sort_unstable_by_key(|atom| keys[*atom as usize]);
        let mut ranks = Self { rank: vec![0; keys.len()], sorted, classes: 0 };
        let mut start = 0;
        for index in 0..keys.len() {
            let atom = ranks.sorted[index] as usize;
            if index == 0 || keys[atom] != keys[ranks.sorted[index - 1] as usize] {
                start = index as u32;
                ranks.classes += 1;
            }
            ranks.rank[atom] = start;
        }
        let mut rounds = keys.len() / 2 + 1;
        let mut touched: Vec<u32> = structure.atom_numbers().collect();
        while ranks.classes < keys.len() && rounds > 0 {
            let moved = ranks.refine(structure, touched);
            if moved.is_empty() {
                break;
            }
            touched = neighbours_of(structure, &moved);
            rounds -= 1;
        }
        ranks
    }

    /// One shell further. `touched` are the atoms that may see something new; all others of a class still see the same as one
    /// another, so that one of them stands for all. Returns the atoms that have left their class, except for the largest
    /// piece of each class: who sees that piece alone sees what it saw before.
    fn refine(&mut self, structure: &Structure, mut touched: Vec<u32>) -> Vec<u32> {
        touched.sort_unstable_by_key(|atom| (self.rank[*atom as usize], *atom));
        let mut views = Views::default();
        let mut changes: Vec<(u32, u32)> = Vec::new();
        let mut moved = Vec::new();
        for looked_at in touched.chunk_by(|one, two| self.rank[*one as usize] == self.rank[*two as usize]) {
            let rank = self.rank[looked_at[0] as usize];
            let start = rank as usize;
            let same = self.sorted[start..].iter().take_while(|atom| self.rank[**atom as usize] == rank).count();
            if same < 2 {
                continue;
            }
            let members = self.sorted[start..start + same].to_vec();
            let others: Vec<u32> = match looked_at.len() == same {
                true => Vec::new(),
                false => members.into_iter().filter(|atom| looked_at.binary_search(atom).is_err()).collect(),
            };
            views.clear();
            looked_at.iter().chain(others.first()).for_each(|atom| views.add(structure, &self.rank, *atom));
            views.sort();
            let (mut place, mut pieces) = (start, Vec::new());
            for piece in views.entries.chunk_by(|one, two| views.view(one) == views.view(two)) {
                let first = place;
                for entry in piece {
                    let alike = if others.first() == Some(&entry.atom) { &others[..] } else { &[entry.atom] };
                    self.sorted[place..place + alike.len()].copy_from_slice(alike);
                    place += alike.len();
                }
                pieces.push(first..place);
            }
            if pieces.len() < 2 {
                continue;
            }
            self.classes += pieces.len() - 1;
            let largest = (0..pieces.len()).max_by_key(|piece| pieces[*piece].len());
            for (number, piece) in pieces.into_iter().enumerate() {
                changes.extend(self.sorted[piece.clone()].iter().map(|atom| (*atom, piece.start as u32)));
                if Some(number) != largest {
                    moved.extend_from_slice(&self.sorted[piece]);
                }
            }
        }
        for (atom, rank) in changes {
            self.rank[atom as usize] = rank;
        }
        moved
    }
}

/// Every neighbour of any of the atoms, once.
fn neighbours_of(structure: &Structure, atoms: &[u32]) -> Vec<u32> {
    let mut around: Vec<u32> =
        atoms.iter().flat_map(|atom| structure.links(*atom).iter().map(|link| link.atom)).collect();
    around.sort_unstable();
    around.dedup();
    around
}

/// What the atoms of one class see: the ranks of their neighbours, highest first, each as often as
/// twice the order of the bond, then a zero for each hydrogen.
#[derive(Default)]
struct Views {
    values: Vec<u32>,
    entries: Vec<View>,
    around: Vec<(u32, u32)>,
}

struct View {
    atom: u32,
    start: usize,
    end: usize,
}

impl Views {
    fn clear(&mut self) {
        self.values.clear();
        self.entries.clear();
    }

    fn add(&mut self, structure: &Structure, rank: &[u32], atom: u32) {
        self.around.clear();
        for link in structure.links(atom) {
            let order = structure.bond(link.bond).order;
            let to_phosphorus = order == Order::Double
                && structure.atom(link.atom).number == 15
                && matches!(structure.degree(link.atom), 3 | 4);
            let times = if to_phosphorus { 1 } else { weight(order) };
            self.around.push((rank[link.atom as usize], times));
        }
        self.around.sort_unstable_by(|one, two| two.cmp(one));
        let start = self.values.len();
        for (rank, times) in &self.around {
            self.values.extend(std::iter::repeat_n(rank + 1, *times as usize));
        }
        self.values.extend(std::iter::repeat_n(0, structure.atom(atom).hydrogens().max(0) as usize));
        self.entries.push(View { atom, start, end: self.values.len() });
    }

    fn view(&self, entry: &View) -> &[u32] {
        &self.values[entry.start..entry.end]
    }

    fn sort(&mut self) {
        let values = &self.values;
        self.entries.sort_unstable_by(|one, two| {
            values[one.start..one.end].cmp(&values[two.start..two.end]).then(one.atom.cmp(&two.atom))
        });
    }
}

fn weight(order: Order) -> u32 {
    match order {
        Order::Any => 0,
        Order::Single | Order::Dative => 2,
        Order::Aromatic => 3,
        Order::Double => 4,
        Order::Triple => 6,
        Order::Quadruple => 8,
    }
}
