//! The search behind [`Rings`](super::rings::Rings).

use super::bridges::bridges;
use super::ring_choice::{add_alternatives, choose};
use super::rings::Ring;
use super::structure::{Order, Structure};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The atoms of a ring, from the largest number down: the same for the same set, ordered as the set
/// written as a binary number.
type Key = Vec<u32>;

fn key_of(ring: &[u32]) -> Key {
    let mut key = ring.to_vec();
    key.sort_unstable_by(|one, two| two.cmp(one));
    key
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Waiting,
    Done,
}

/// What is left of the molecule while rings are cut out of it.
pub(super) struct Search<'a> {
    structure: &'a Structure,
    active: Vec<bool>,
    /// Bonds that are in no ring: there is no need to look behind them.
    bridges: Vec<bool>,
    degrees: Vec<i32>,
    known: BTreeSet<Key>,
    ring_bonds: Vec<bool>,
    ring_atoms: Vec<bool>,
    marks: Vec<Mark>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    touched: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl<'a> Search<'a> {
    pub fn new(structure: &'a Structure) -> Self {
        let atoms = structure.atoms.len();
        let active: Vec<bool> = structure.bonds.iter().map(|bond| bond.order != Order::Dative).collect();
        let count = |atom| structure.links(atom).iter().filter(|link| active[link.bond as usize]).count() as i32;
        let degrees = structure.atom_numbers().map(count).collect();
        Self {
            structure,
            bridges: bridges(structure, &active),
            active,
            degrees,
            known: BTreeSet::new(),
            ring_bonds: vec![false; structure.bonds.len()],
            ring_atoms: vec![false; atoms],
            marks: vec![Mark::New; atoms],
            parents: vec![NOBODY; atoms],
            depths: vec![0; atoms],
            touched: Vec::new(),
        }
    }

    /// All rings, part by part.
    pub fn run(mut self) -> Vec<Ring> {
        let mut chosen = Vec::new();
        let mut spare = Vec::new();
        for part in self.parts() {
            let bonds: i32 = part.iter().map(|atom| self.degrees[*atom as usize]).sum::<i32>() / 2;
            let expected = bonds - part.len() as i32 + 1;
            let any_ring = part.iter().map(|atom| self.structure.degree(*atom)).sum::<i32>() / 2 >= part.len() as i32;
            if !any_ring {
                continue;
            }
            let mut found = Vec::new();
            self.search_part(&part, &mut found);
            if (found.len() as i32) < expected {
                self.connect_missed(&mut found);
            }
            if found.len() as i32 > expected {
                choose(self.structure.bonds.len(), &mut found, &mut spare);
            }
            chosen.append(&mut found);
        }
        add_alternatives(self.structure.bonds.len(), &mut chosen, &spare);
        chosen
    }

    /// Atoms that hang together, each part in ascending order.
    fn parts(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.structure.atoms.len()];
        let mut parts = Vec::new();
        for start in self.structure.atom_numbers() {
            if std::mem::replace(&mut seen[start as usize], true) {
                continue;
            }
            let mut part = vec![start];
            let mut next = 0;
            while let Some(atom) = part.get(next).copied() {
                next += 1;
                for link in self.structure.links(atom) {
                    if !std::mem::replace(&mut seen[link.atom as usize], true) {
                        part.push(link.atom);
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }

    fn search_part(&mut self, part: &[u32], found: &mut Vec<Ring>) {
        let loose = part.iter().filter(|atom| self.degrees[**atom as usize] < 2);
        let mut changed: BTreeSet<u32> = loose.copied().collect();
        let mut done = vec![false; self.structure.atoms.len()];
        let mut left = part.len();
        let mut finish = |atom: u32, left: &mut usize| {
            let new = !std::mem::replace(&mut done[atom as usize], true);
            *left -= usize::from(new && *left > 0);
            new
        };
        while left > 0 {
            while let Some(atom) = changed.pop_first() {
                if finish(atom, &mut left) {
                    self.trim(atom, &mut changed);
                }
            }
            let pairs = self.pick_pairs(part);
            if !pairs.is_empty() {
                self.rings_of_pairs(&pairs, found);
                for atom in pairs {
                    finish(atom, &mut left);
                    self.trim(atom, &mut changed);
                }
            } else if left > 0 {
                let Some(atom) = part.iter().copied().find(|atom| self.degrees[*atom as usize] == 3) else { return };
                self.rings_of_triple(atom, found);
                finish(atom, &mut left);
                self.trim(atom, &mut changed);
            }
        }
    }

    /// Cuts the bonds of an atom; neighbours that become loose ends go into `changed`.
    fn trim(&mut self, atom: u32, changed: &mut BTreeSet<u32>) {
        for link in self.structure.links(atom) {
            if !std::mem::replace(&mut self.active[link.bond as usize], false) {
                continue;
            }
            if self.degrees[link.atom as usize] <= 2 {
                changed.insert(link.atom);
            }
            self.degrees[link.atom as usize] -= 1;
            self.degrees[atom as usize] -= 1;
        }
    }

    /// One atom of each chain of atoms with two bonds: the others of the chain see the same rings.
    fn pick_pairs(&self, part: &[u32]) -> Vec<u32> {
        let mut covered = vec![false; self.structure.atoms.len()];
        let mut picked = Vec::new();
        let mut stack = Vec::new();
        for atom in part.iter().copied() {
            if self.degrees[atom as usize] != 2 || std::mem::replace(&mut covered[atom as usize], true) {
                continue;
            }
            picked.push(atom);
            stack.push(atom);
            while let Some(atom) = stack.pop() {
                for link in self.structure.links(atom).iter().filter(|link| self.active[link.bond as usize]) {
                    let next = link.atom as usize;
                    if self.degrees[next] == 2 && !std::mem::replace(&mut covered[next], true) {
                        stack.push(link.atom);
                    }
                }
            }
        }
        picked
    }

    fn keep(&mut self, ring: Vec<u32>, found: &mut Vec<Ring>, mark: bool) {
        if !self.known.insert(key_of(&ring)) {
            return;
        }
        let ring = self.with_bonds(ring);
        if mark {
            ring.bonds.iter().for_each(|bond| self.ring_bonds[*bond as usize] = true);
            ring.atoms.iter().for_each(|atom| self.ring_atoms[*atom as usize] = true);
        }
        found.push(ring);
    }

    fn with_bonds(&self, atoms: Vec<u32>) -> Ring {
        let next = atoms.iter().cycle().skip(1);
        let bonds = atoms.iter().zip(next).filter_map(|(one, two)| self.structure.bond_between(*one, *two)).collect();
        Ring { atoms, bonds }
    }

    fn rings_of_pairs(&mut self, pairs: &[u32], found: &mut Vec<Ring>) {
        let mut by_ring: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
        let mut rivals: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for atom in pairs.iter().copied() {
            let smallest = self.smallest_rings(atom, None);
            if smallest.is_empty() {
                let mut changed = BTreeSet::from([atom]);
                while let Some(atom) = changed.pop_first() {
                    self.trim(atom, &mut changed);
                }
            }
            for ring in smallest {
                let finders = by_ring.entry(key_of(&ring)).or_default();
                for other in finders.iter().copied().filter(|other| *other != atom) {
                    rivals.entry(atom).or_default().push(other);
                    rivals.entry(other).or_default().push(atom);
                }
                finders.push(atom);
                self.keep(ring, found, true);
            }
        }
        for finders in by_ring.into_values().filter(|finders| finders.len() > 1) {
            self.rings_behind(&finders, &rivals, found);
        }
    }

    /// Several atoms found one ring: each may hide another ring, seen once its rivals are cut off.
    fn rings_behind(&mut self, finders: &[u32], rivals: &BTreeMap<u32, Vec<u32>>, found: &mut Vec<Ring>) {
        let mut rings = Vec::new();
        for atom in finders.iter().copied() {
            let (active, degrees) = (self.active.clone(), self.degrees.clone());
            let mut changed = BTreeSet::new();
            for rival in rivals.get(&atom).into_iter().flatten().copied() {
                self.trim(rival, &mut changed);
            }
            rings.append(&mut self.smallest_rings(atom, None));
            (self.active, self.degrees) = (active, degrees);
        }
        let smallest = rings.iter().map(Vec::len).min().unwrap_or(0);
        for ring in rings.into_iter().filter(|ring| ring.len() == smallest) {
            self.keep(ring, found, false);
        }
    }

    /// An atom with three bonds and no atom with two left: up to three rings, each bond in two of them.
    fn rings_of_triple(&mut self, atom: u32, found: &mut Vec<Ring>) {
        let smallest = self.smallest_rings(atom, None);
        for ring in &smallest {
            self.keep(ring.clone(), found, false);
        }
        let links = self.structure.links(atom).iter().filter(|link| self.active[link.bond as usize]);
        let neighbours: Vec<u32> = links.map(|link| link.atom).take(3).collect();
        let holds = |ring: &Vec<u32>, neighbour: &u32| ring.contains(neighbour);
        let forbidden: Vec<u32> = match smallest.as_slice() {
            [one, two] => {
                neighbours.iter().copied().filter(|next| holds(one, next) && holds(two, next)).take(1).collect()
            }
            [one] => {
                // Two more rings over the third neighbour, each without one of the other two.
                let outside = neighbours.iter().copied().find(|next| !holds(one, next));
                neighbours.iter().copied().rev().filter(|next| Some(*next) != outside).take(2).collect()
            }
            _ => Vec::new(),
        };
        for neighbour in forbidden {
            for ring in self.smallest_rings(atom, Some(neighbour)) {
                self.keep(ring, found, false);
            }
        }
    }

    /// All smallest rings through `root`, breadth first.
    fn smallest_rings(&mut self, root: u32, forbidden: Option<u32>) -> Vec<Vec<u32>> {
        for atom in self.touched.drain(..) {
            let atom = atom as usize;
            (self.marks[atom], self.parents[atom], self.depths[atom]) = (Mark::New, NOBODY, 0);
        }
        let structure = self.structure;
        if let Some(atom) = forbidden {
            self.marks[atom as usize] = Mark::Done;
            self.touched.push(atom);
        }
        self.touched.push(root);
        let mut rings = Vec::new();
        let mut size = usize::MAX;
        let mut queue = VecDeque::from([root]);
        while let Some(atom) = queue.pop_front() {
            self.marks[atom as usize] = Mark::Done;
            let depth = self.depths[atom as usize] + 1;
            if depth as usize > size {
                break;
            }
            for link in structure.links(atom) {
                if !self.active[link.bond as usize] || self.bridges[link.bond as usize] {
                    continue;
                }
                let next = link.atom;
                match self.marks[next as usize] {
                    _ if self.parents[atom as usize] == next => {}
                    Mark::Done => {}
                    Mark::New => {
                        let slot = next as usize;
                        (self.marks[slot], self.parents[slot], self.depths[slot]) = (Mark::Waiting, atom, depth);
                        self.touched.push(next);
                        queue.push_back(next);
                    }
                    Mark::Waiting => match self.ring_through(root, atom, next) {
                        Some(ring) if ring.len() <= size => {
                            size = ring.len();
                            rings.push(ring);
                        }
                        Some(_) => return rings,
                        None => {}
                    },
                }
            }
        }
        rings
    }

    /// The two paths from `root` to `atom` and `next`, unless they meet before it.
    fn ring_through(&self, root: u32, atom: u32, next: u32) -> Option<Vec<u32>> {
        // The deeper end goes up: paths that meet before the root are left where they do.
        let (mut forth, mut back) = (vec![atom], vec![next]);
        let (mut one, mut two) = (atom, next);
        while one != two {
            if self.depths[one as usize] >= self.depths[two as usize] {
                one = self.parents[one as usize];
                forth.push(one);
            } else {
                two = self.parents[two as usize];
                back.push(two);
            }
        }
        if one != root {
            return None;
        }
        back.pop();
        forth.reverse();
        forth.extend(back);
        Some(forth)
    }

    /// In tightly fused systems rings can be missed: looks for one over each bond between ring atoms
    /// that is in no ring yet.
    fn connect_missed(&mut self, found: &mut Vec<Ring>) {
        for bond in 0..self.structure.bonds.len() {
            let (begin, end) = (self.structure.bonds[bond].begin, self.structure.bonds[bond].end);
            let between = self.ring_atoms[begin as usize] && self.ring_atoms[end as usize];
            if self.ring_bonds[bond] || !between || self.structure.bonds[bond].order == Order::Dative {
                continue;
            }
            if let Some(ring) = self.path_round(begin, end) {
                self.keep(ring, found, true);
            }
        }
    }

    /// A shortest way from `begin` to `end` over ring atoms, without their common bond.
    fn path_round(&self, begin: u32, end: u32) -> Option<Vec<u32>> {
        let mut parents = vec![NOBODY; self.structure.atoms.len()];
        let mut queue = VecDeque::from([begin]);
        parents[begin as usize] = begin;
        while let Some(atom) = queue.pop_front() {
            for link in self.structure.links(atom) {
                if link.atom == end && atom != begin {
                    let mut path = vec![end, atom];
                    let mut last = atom;
                    while last != begin {
                        last = parents[last as usize];
                        path.push(last);
                    }
                    path.reverse();
                    return Some(path);
                }
                let next = link.atom as usize;
                if link.atom != end && self.ring_atoms[next] && parents[next] == NOBODY {
                    parents[next] = atom;
                    queue.push_back(link.atom);
                }
            }
        }
        None
    }
}
