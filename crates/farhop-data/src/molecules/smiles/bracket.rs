//! Atoms: one or two letters as they stand, or everything between `[` and `]`.

use super::elements::number_of;
use super::error::SmilesError;
use super::structure::{Atom, Chirality};

/// Reads bytes of a string from left to right.
pub(super) struct Cursor<'a> {
    pub text: &'a str,
    pub position: usize,
}

impl<'a> Cursor<'a> {
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// The bytes from here on.
    pub fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.position..).unwrap_or(&[])
    }

    /// Moves on if `byte` stands here.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    /// Reads at most `longest` digits, if there is one.
    pub fn digits(&mut self, longest: usize) -> Option<u32> {
        let start = self.position;
        let mut value = 0u32;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            if self.position - start == longest {
                break;
            }
            value = value.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            self.position += 1;
        }
        (self.position > start).then_some(value)
    }

    /// What stands at `place`, in quotes.
    pub fn shown(&self, place: usize) -> String {
        match self.text.get(place..).and_then(|rest| rest.chars().next()) {
            Some(character) => format!("\"{}\"", character.escape_debug()),
            None => "the end".to_owned(),
        }
    }

    pub fn error(&self, place: usize, reason: String) -> SmilesError {
        SmilesError::at(self.text, place, reason)
    }
}

/// An atom of the organic subset or the wildcard, if one stands here.
pub(super) fn bare_atom(cursor: &mut Cursor) -> Option<Atom> {
    let place = cursor.position;
    let (number, length, aromatic) = match cursor.rest() {
        [b'C', b'l', ..] => (17, 2, false),
        [b'B', b'r', ..] => (35, 2, false),
        [b'B', ..] => (5, 1, false),
        [b'C', ..] => (6, 1, false),
        [b'N', ..] => (7, 1, false),
        [b'O', ..] => (8, 1, false),
        [b'P', ..] => (15, 1, false),
        [b'S', ..] => (16, 1, false),
        [b'F', ..] => (9, 1, false),
        [b'I', ..] => (53, 1, false),
        [b'b', ..] => (5, 1, true),
        [b'c', ..] => (6, 1, true),
        [b'n', ..] => (7, 1, true),
        [b'o', ..] => (8, 1, true),
        [b'p', ..] => (15, 1, true),
        [b's', ..] => (16, 1, true),
        [b'*', ..] => (0, 1, false),
        _ => return None,
    };
    cursor.position += length;
    Some(Atom { aromatic, ..Atom::new(number, place) })
}

/// An atom in brackets. The cursor stands on `[`.
pub(super) fn bracket_atom(cursor: &mut Cursor) -> Result<Atom, SmilesError> {
    let open = cursor.position;
    cursor.position += 1;
    let isotope = isotope(cursor)?;
    let (number, aromatic) = symbol(cursor)?;
    let chirality = chirality(cursor)?;
    let explicit_hydrogens = hydrogens(cursor)?;
    let charge = charge(cursor)?;
    let class = class(cursor)?;
    if !cursor.take(b']') {
        let place = cursor.position;
        let reason = match cursor.peek() {
            None => "the bracket \"[\" is not closed. Add \"]\".".to_owned(),
            Some(_) => format!(
                "found {} in an atom in brackets. Write isotope, symbol, chirality, hydrogens, charge and class in this \
                 order, such as [13C@@H+:1].",
                cursor.shown(place)
            ),
        };
        return Err(cursor.error(if cursor.peek().is_none() { open } else { place }, reason));
    }
    let atom = Atom::new(number, open);
    Ok(Atom { isotope, aromatic, chirality, explicit_hydrogens, charge, class, bracket: true, ..atom })
}

fn isotope(cursor: &mut Cursor) -> Result<u16, SmilesError> {
    let place = cursor.position;
    let mass = cursor.digits(9).unwrap_or(0);
    u16::try_from(mass).ok().filter(|mass| *mass < 1024).ok_or_else(|| {
        let reason = format!("the isotope {mass} is too large. Write a mass number below 1024, such as [13C].");
        cursor.error(place, reason)
    })
}

/// The number of the element, and whether it is written as aromatic.
fn symbol(cursor: &mut Cursor) -> Result<(u8, bool), SmilesError> {
    let place = cursor.position;
    if cursor.take(b'#') {
        let number = cursor.digits(3).and_then(|number| u8::try_from(number).ok());
        let reason = || "write an atomic number from 0 to 118 after \"#\", such as [#6].".to_owned();
        let known = number.filter(|number| *number <= 118);
        return known.map(|number| (number, false)).ok_or_else(|| cursor.error(place, reason()));
    }
    let rest = cursor.rest();
    let aromatic_pair = match rest.get(..2) {
        Some(b"se") => Some(34),
        Some(b"as") => Some(33),
        Some(b"te") => Some(52),
        Some(b"si") => Some(14),
        _ => None,
    };
    if let Some(number) = aromatic_pair {
        cursor.position += 2;
        return Ok((number, true));
    }
    if let Some(number) = rest.get(..2).and_then(number_of) {
        cursor.position += 2;
        return Ok((number, false));
    }
    let aromatic = matches!(rest.first(), Some(b'b' | b'c' | b'n' | b'o' | b'p' | b's'));
    let letter = rest.first().map(|byte| if aromatic { byte.to_ascii_uppercase() } else { *byte });
    if let Some(number) = letter.and_then(|letter| number_of(&[letter])) {
        cursor.position += 1;
        return Ok((number, aromatic));
    }
    let reason =
        format!("found {} where an element is needed. Write a symbol such as [Na] or [se].", cursor.shown(place));
    Err(cursor.error(place, reason))
}

fn chirality(cursor: &mut Cursor) -> Result<Chirality, SmilesError> {
    let place = cursor.position;
    if !cursor.take(b'@') {
        return Ok(Chirality::None);
    }
    if cursor.take(b'@') {
        return Ok(Chirality::Clockwise);
    }
    let (kind, most) = match cursor.rest().get(..2) {
        Some(b"TH") => (Chirality::Counterclockwise, 2),
        Some(b"AL") => (Chirality::Allene, 2),
        Some(b"SP") => (Chirality::SquarePlanar, 3),
        Some(b"TB") => (Chirality::TrigonalBipyramidal, 20),
        Some(b"OH") => (Chirality::Octahedral, 30),
        _ => return Ok(Chirality::Counterclockwise),
    };
    cursor.position += 2;
    let permutation = cursor.digits(3).unwrap_or(0);
    if permutation > most {
        let reason = format!("the chirality class has no number {permutation}. Write a number from 1 to {most}.");
        return Err(cursor.error(place, reason));
    }
    Ok(if permutation == 2 && kind == Chirality::Counterclockwise { Chirality::Clockwise } else { kind })
}

fn hydrogens(cursor: &mut Cursor) -> Result<u8, SmilesError> {
    let place = cursor.position;
    if !cursor.take(b'H') {
        return Ok(0);
    }
    let count = cursor.digits(3).unwrap_or(1);
    u8::try_from(count).ok().filter(|count| *count < 64).ok_or_else(|| {
        let reason = format!("{count} hydrogens are more than any atom has. Write a number below 64.");
        cursor.error(place, reason)
    })
}

fn charge(cursor: &mut Cursor) -> Result<i8, SmilesError> {
    let place = cursor.position;
    let Some(sign @ (b'+' | b'-')) = cursor.peek() else { return Ok(0) };
    let mut size = 0u32;
    while cursor.take(sign) {
        size += 1;
    }
    if size == 1 {
        size = cursor.digits(3).unwrap_or(1);
    }
    let size = i8::try_from(size).map_err(|_| {
        let reason = format!("the charge {size} is too large. Write a charge below 128.");
        cursor.error(place, reason)
    })?;
    Ok(if sign == b'+' { size } else { -size })
}

fn class(cursor: &mut Cursor) -> Result<u32, SmilesError> {
    if !cursor.take(b':') {
        return Ok(0);
    }
    let place = cursor.position;
    cursor.digits(9).ok_or_else(|| {
        let reason =
            format!("found {} after \":\". Write the class as a number, such as [CH4:1].", cursor.shown(place));
        cursor.error(place, reason)
    })
}
