//! From the string to atoms and bonds, in one pass.
//!
//! Bonds along the string come first, in the order written; ring closures follow, by ring number and
//! then by the order of opening. A ring bond begins at the atom that closes the ring, unless the
//! opening atom names its order. This is the numbering RDKit gives them.

use super::bracket::{Cursor, bare_atom, bracket_atom};
use super::error::SmilesError;
use super::structure::{Atom, Bond, Direction, Order, Structure};
use super::written_order::{Neighbour, WrittenOrder};
use std::collections::BTreeMap;

/// A bond symbol.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    /// `None` for no symbol and for `/` and `\`: single, or aromatic between aromatic atoms.
    order: Option<Order>,
    direction: Direction,
    /// `<-`: the bond begins at the atom written after it.
    backwards: bool,
    place: usize,
}

impl Symbol {
    const fn absent(place: usize) -> Self {
        Self { order: None, direction: Direction::None, backwards: false, place }
    }
}

/// Two ends of a ring bond.
struct Closure {
    number: u32,
    first: u32,
    first_symbol: Symbol,
    second: Option<(u32, Symbol)>,
    place: usize,
}

/// An open `(`: the atom it hangs on, and where it stands.
struct Branch {
    atom: u32,
    place: usize,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    structure: Structure,
    /// The atom the next one is bonded to.
    previous: Option<u32>,
    symbol: Option<Symbol>,
    branches: Vec<Branch>,
    closures: Vec<Closure>,
    open_rings: BTreeMap<u32, usize>,
    written: WrittenOrder,
}

/// Reads `text`, which holds neither blanks nor an extension.
pub(super) fn parse_structure(text: &str) -> Result<Structure, SmilesError> {
    let mut parser = Parser {
        cursor: Cursor { text, position: 0 },
        structure: Structure::default(),
        previous: None,
        symbol: None,
        branches: Vec::new(),
        closures: Vec::new(),
        open_rings: BTreeMap::new(),
        written: WrittenOrder::default(),
    };
    parser.run()?;
    let Parser { cursor, mut structure, closures, written, .. } = parser;
    let ring_bonds = close_rings(&mut structure, &closures);
    structure.connect();
    refuse_double_bonding(&cursor, &structure, &closures, &ring_bonds)?;
    written.apply(&mut structure, &ring_bonds);
    Ok(structure)
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), SmilesError> {
        while let Some(byte) = self.cursor.peek() {
            match byte {
                b'(' => self.open_branch()?,
                b')' => self.close_branch()?,
                b'.' => self.dot()?,
                b'0'..=b'9' | b'%' => self.ring()?,
                b'-' | b'=' | b'#' | b'$' | b':' | b'~' | b'/' | b'\\' | b'<' => self.bond_symbol()?,
                b'[' => {
                    let atom = bracket_atom(&mut self.cursor)?;
                    self.add_atom(atom)?;
                }
                _ => match bare_atom(&mut self.cursor) {
                    Some(atom) => self.add_atom(atom)?,
                    None => return Err(self.unknown()),
                },
            }
        }
        self.finish()
    }

    fn unknown(&self) -> SmilesError {
        let place = self.cursor.position;
        let reason = format!(
            "{} is not part of SMILES. Allowed are B, C, N, O, P, S, F, Cl, Br, I, b, c, n, o, p, s, *, atoms in brackets \
             such as [Na+], bonds, branches and ring numbers; put other elements in brackets.",
            self.cursor.shown(place)
        );
        self.cursor.error(place, reason)
    }

    fn fail<T>(&self, place: usize, reason: &str) -> Result<T, SmilesError> {
        Err(self.cursor.error(place, reason.to_owned()))
    }

    fn add_atom(&mut self, atom: Atom) -> Result<(), SmilesError> {
        let Ok(number) = u32::try_from(self.structure.atoms.len()) else {
            return self.fail(self.cursor.position, "too many atoms. Split the molecule.");
        };
        let hydrogen_first = atom.explicit_hydrogens == 1;
        if atom.chirality.is_tetrahedral() {
            self.written.start(number, self.previous.is_none() && hydrogen_first, hydrogen_first);
        }
        let aromatic = atom.aromatic;
        self.structure.atoms.push(Atom { written: number, ..atom });
        if let Some(previous) = self.previous {
            let symbol = self.symbol.take().unwrap_or(Symbol::absent(0));
            let both = aromatic && self.structure.atom(previous).aromatic;
            let order = symbol.order.unwrap_or(if both { Order::Aromatic } else { Order::Single });
            let (begin, end) = if symbol.backwards { (number, previous) } else { (previous, number) };
            let bond = self.structure.bonds.len() as u32;
            self.structure.bonds.push(Bond::new(begin, end, order, symbol.direction));
            self.written.add(previous, Neighbour::Chain(bond));
            self.written.add(number, Neighbour::Chain(bond));
        }
        self.previous = Some(number);
        Ok(())
    }

    fn open_branch(&mut self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        let Some(atom) = self.previous else {
            return self.fail(place, "a branch \"(\" needs an atom before it. Begin with an atom.");
        };
        if let Some(symbol) = self.symbol {
            return self
                .fail(symbol.place, "a bond stands before \"(\". Put the bond inside the branch, such as C(=O).");
        }
        self.branches.push(Branch { atom, place });
        self.cursor.position += 1;
        self.refuse_in_branch()
    }

    /// A branch needs an atom first, with or without a bond before it.
    fn refuse_in_branch(&self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        match self.cursor.peek() {
            Some(b'(' | b')' | b'.' | b'0'..=b'9' | b'%') => {
                let shown = self.cursor.shown(place);
                let reason = format!("found {shown} where a branch begins. Write an atom there, such as C(=O).");
                Err(self.cursor.error(place, reason))
            }
            _ => Ok(()),
        }
    }

    fn close_branch(&mut self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        self.refuse_symbol("before \")\"")?;
        let Some(branch) = self.branches.pop() else {
            return self.fail(place, "\")\" closes no branch. Remove it, or open the branch with \"(\".");
        };
        self.previous = Some(branch.atom);
        self.cursor.position += 1;
        Ok(())
    }

    /// A bond symbol that no atom follows.
    fn refuse_symbol(&self, at: &str) -> Result<(), SmilesError> {
        let Some(symbol) = self.symbol else { return Ok(()) };
        let reason =
            format!("the bond {} ends {at}. Write an atom or a ring number after it.", self.cursor.shown(symbol.place));
        Err(self.cursor.error(symbol.place, reason))
    }

    fn dot(&mut self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        self.refuse_symbol("before \".\"")?;
        let follows = matches!(self.cursor.rest().get(1), Some(b'[' | b'*' | b'a'..=b'z' | b'A'..=b'Z'));
        if self.previous.is_none() || !follows {
            return self.fail(place, "\".\" must stand between two atoms. Remove it, or write the missing part.");
        }
        self.previous = None;
        self.cursor.position += 1;
        Ok(())
    }

    fn bond_symbol(&mut self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        if self.symbol.is_some() {
            return self.fail(place, "two bonds in a row. Keep one.");
        }
        if self.previous.is_none() {
            return self.fail(place, "a bond needs an atom before it. Begin with an atom.");
        }
        let plain = |order| (Some(order), Direction::None, false, 1);
        let (order, direction, backwards, length) = match self.cursor.rest() {
            [b'-', b'>', ..] => (Some(Order::Dative), Direction::None, false, 2),
            [b'<', b'-', ..] => (Some(Order::Dative), Direction::None, true, 2),
            [b'-', ..] => plain(Order::Single),
            [b'=', ..] => plain(Order::Double),
            [b'#', ..] => plain(Order::Triple),
            [b'$', ..] => plain(Order::Quadruple),
            [b':', ..] => plain(Order::Aromatic),
            [b'~', ..] => plain(Order::Any),
            [b'/', ..] => (None, Direction::Up, false, 1),
            // Doubled in files that escape the backslash.
            [b'\\', b'\\', ..] => (None, Direction::Down, false, 2),
            [b'\\', ..] => (None, Direction::Down, false, 1),
            _ => return Err(self.unknown()),
        };
        self.cursor.position += length;
        self.symbol = Some(Symbol { order, direction, backwards, place });
        let begins_branch = self.branches.last().is_some_and(|branch| branch.place + 1 == place);
        if begins_branch { self.refuse_in_branch() } else { Ok(()) }
    }

    /// The number of a ring bond: a digit, `%` and two digits, or `%(` up to five digits `)`.
    fn ring_number(&mut self) -> Result<u32, SmilesError> {
        let place = self.cursor.position;
        if !self.cursor.take(b'%') {
            return Ok(self.cursor.digits(1).unwrap_or(0));
        }
        let number = if self.cursor.take(b'(') {
            self.cursor.digits(5).filter(|_| self.cursor.take(b')'))
        } else {
            let start = self.cursor.position;
            self.cursor.digits(2).filter(|_| self.cursor.position == start + 2)
        };
        let reason = "\"%\" needs two digits, or up to five in parentheses. Write a ring number such as %12 or %(123).";
        number.ok_or_else(|| self.cursor.error(place, reason.to_owned()))
    }

    fn ring(&mut self) -> Result<(), SmilesError> {
        let place = self.cursor.position;
        let number = self.ring_number()?;
        let Some(atom) = self.previous else {
            return self.fail(place, "a ring number needs an atom before it. Begin with an atom.");
        };
        let symbol = self.symbol.take().unwrap_or(Symbol::absent(place));
        let index = match self.open_rings.remove(&number) {
            Some(index) => {
                self.closures[index].second = Some((atom, symbol));
                index
            }
            None => {
                self.open_rings.insert(number, self.closures.len());
                self.closures.push(Closure { number, first: atom, first_symbol: symbol, second: None, place });
                self.closures.len() - 1
            }
        };
        if self.closures[index].second.is_some_and(|(second, _)| second == self.closures[index].first) {
            let reason = format!("ring number {number} bonds an atom to itself. Close the ring on another atom.");
            return Err(self.cursor.error(place, reason));
        }
        self.written.add(atom, Neighbour::Closure(index));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SmilesError> {
        self.refuse_symbol("the string")?;
        if let Some(branch) = self.branches.last() {
            return self.fail(branch.place, "the branch \"(\" is not closed. Add \")\".");
        }
        if let Some((number, index)) = self.open_rings.first_key_value() {
            let reason = format!(
                "ring number {number} is opened and never closed. Write it again at the other atom of the bond."
            );
            return Err(self.cursor.error(self.closures[*index].place, reason));
        }
        Ok(())
    }
}

/// Appends the ring bonds and returns the number of the bond of each closure.
fn close_rings(structure: &mut Structure, closures: &[Closure]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..closures.len()).collect();
    order.sort_by_key(|index| closures[*index].number);
    let mut bonds = vec![0; closures.len()];
    for index in order {
        let closure = &closures[index];
        let Some((second, symbol)) = closure.second else { continue };
        bonds[index] = structure.bonds.len() as u32;
        structure.bonds.push(ring_bond(structure, closure, second, symbol));
    }
    bonds
}

fn ring_bond(structure: &Structure, closure: &Closure, second: u32, second_symbol: Symbol) -> Bond {
    let (first, first_symbol) = (closure.first, closure.first_symbol);
    let (from, to, symbol, other) = if first_symbol.order.is_some() {
        (first, second, first_symbol, second_symbol)
    } else {
        (second, first, second_symbol, first_symbol)
    };
    let both = structure.atom(from).aromatic && structure.atom(to).aromatic;
    // "Any bond" is as good as no symbol on a ring bond.
    let given = symbol.order.filter(|order| *order != Order::Any);
    let order = given.unwrap_or(if both { Order::Aromatic } else { Order::Single });
    let direction = match symbol.direction {
        Direction::None => other.direction.reversed(),
        direction => direction,
    };
    let (begin, end) = if symbol.backwards { (to, from) } else { (from, to) };
    Bond::new(begin, end, order, direction)
}

/// A ring closure between atoms that are bonded already.
fn refuse_double_bonding(
    cursor: &Cursor,
    structure: &Structure,
    closures: &[Closure],
    ring_bonds: &[u32],
) -> Result<(), SmilesError> {
    for (closure, number) in closures.iter().zip(ring_bonds) {
        let bond = structure.bond(*number);
        let between = structure.links(bond.begin).iter().filter(|link| link.atom == bond.end).count();
        if between > 1 {
            let reason = format!(
                "ring number {} bonds two atoms that are bonded already. Keep one of the two bonds.",
                closure.number
            );
            return Err(cursor.error(closure.place, reason));
        }
    }
    Ok(())
}
