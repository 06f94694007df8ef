//! The walk that places double bonds in one ring system.

use super::structure::{Direction, Order, Structure};
use std::collections::{BTreeMap, VecDeque};

/// How often a wrong choice is taken back before the ring system is given up.
const MOST_STEPS_BACK: u32 = 100;

/// One ring system: its atoms in ascending order, and which of them need a double bond.
pub(super) struct Walk<'a> {
    pub atoms: &'a [u32],
    pub needs: &'a [bool],
}

struct State {
    needs: Vec<bool>,
    inside: Vec<bool>,
    is_done: Vec<bool>,
    done: Vec<u32>,
    queue: VecDeque<u32>,
    /// How often each atom is in the queue.
    queued: Vec<u32>,
    /// Neighbours not tried yet, for each atom that had a choice, and those atoms in order.
    options: BTreeMap<u32, VecDeque<u32>>,
    choices: Vec<u32>,
    added: Vec<u32>,
    first_open: usize,
}

impl Walk<'_> {
    /// Places the double bonds; on failure all that were placed are taken back.
    pub fn run(&self, structure: &mut Structure, done: &[u32]) -> bool {
        let mut state = self.start(structure, done);
        let mut steps_back = 0;
        while let Some(atom) = self.next(&mut state) {
            state.done.push(atom);
            state.is_done[atom as usize] = true;
            let needs = state.needs[atom as usize];
            let mut options = match state.options.get(&atom) {
                Some(options) => options.clone(),
                None => look_round(structure, &mut state, atom, needs),
            };
            if !needs {
                continue;
            }
            if let Some(partner) = options.pop_front() {
                place(structure, &mut state, atom, partner, options);
            } else if structure.atom(atom).number != 0 {
                if state.choices.is_empty() || steps_back >= MOST_STEPS_BACK {
                    for bond in state.added {
                        structure.bond_mut(bond).order = Order::Single;
                    }
                    return false;
                }
                steps_back += 1;
                step_back(structure, &mut state);
            }
        }
        true
    }

    fn start(&self, structure: &Structure, done: &[u32]) -> State {
        let mut inside = vec![false; structure.atoms.len()];
        self.atoms.iter().for_each(|atom| inside[*atom as usize] = true);
        let mut is_done = vec![false; structure.atoms.len()];
        done.iter().for_each(|atom| is_done[*atom as usize] = true);
        State {
            needs: self.needs.to_vec(),
            inside,
            is_done,
            done: done.to_vec(),
            queue: VecDeque::new(),
            queued: vec![0; structure.atoms.len()],
            options: BTreeMap::new(),
            choices: Vec::new(),
            added: Vec::new(),
            first_open: 0,
        }
    }

    /// The next atom of the queue, or else the first one not reached yet.
    fn next(&self, state: &mut State) -> Option<u32> {
        if let Some(atom) = state.queue.pop_front() {
            state.queued[atom as usize] -= 1;
            return Some(atom);
        }
        while let Some(atom) = self.atoms.get(state.first_open) {
            if !state.is_done[*atom as usize] {
                return Some(*atom);
            }
            state.first_open += 1;
        }
        None
    }
}

/// Queues the neighbours not seen yet and lists those that could share a double bond with `atom`.
fn look_round(structure: &Structure, state: &mut State, atom: u32, needs: bool) -> VecDeque<u32> {
    let mut options = VecDeque::new();
    let mut links = structure.links(atom).to_vec();
    links.sort_unstable_by_key(|link| link.atom);
    for link in links {
        let next = link.atom;
        if state.is_done[next as usize] || !state.inside[next as usize] {
            continue;
        }
        if state.queued[next as usize] == 0 {
            state.queued[next as usize] = 1;
            state.queue.push_back(next);
        }
        let wildcard = structure.atom(atom).number == 0 || structure.atom(next).number == 0;
        if needs && state.needs[next as usize] && (structure.bond(link.bond).aromatic || wildcard) {
            options.push_back(next);
        }
    }
    options
}

fn place(structure: &mut Structure, state: &mut State, atom: u32, partner: u32, options: VecDeque<u32>) {
    let Some(bond) = structure.bond_between(atom, partner) else { return };
    structure.bond_mut(bond).order = Order::Double;
    structure.bond_mut(bond).direction = Direction::None;
    state.added.push(bond);
    state.needs[atom as usize] = false;
    state.needs[partner as usize] = false;
    let known = state.options.contains_key(&atom);
    if !options.is_empty() {
        if !known {
            state.choices.push(atom);
        }
        state.options.insert(atom, options);
    } else if known {
        state.options.remove(&atom);
        state.choices.pop();
    }
}

/// Goes back to the last atom that had a choice, and undoes what was placed since.
fn step_back(structure: &mut Structure, state: &mut State) {
    let Some(last) = state.choices.last().copied() else { return };
    let first = state.done.iter().position(|atom| *atom == last).unwrap_or(0);
    for atom in state.done.drain(first..).rev() {
        state.queue.push_front(atom);
        state.queued[atom as usize] += 1;
        state.is_done[atom as usize] = false;
    }
    state.first_open = 0;
    let added = std::mem::take(&mut state.added);
    for bond in added {
        let (begin, end) = (structure.bond(bond).begin, structure.bond(bond).end);
        if state.is_done[begin as usize] || state.is_done[end as usize] {
            state.added.push(bond);
            continue;
        }
        structure.bond_mut(bond).order = Order::Single;
        state.needs[begin as usize] = true;
        state.needs[end as usize] = true;
    }
}
