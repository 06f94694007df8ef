//! Numbers with a decimal comma, `1,5`, in tables whose columns are separated by something else.

/// What the commas in the cells of a table turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commas {
    /// There is no number with a comma.
    None,
    /// Decimal commas.
    Decimal,
    /// This one (where it starts, and its length) may part thousands as well: all numbers with a comma look like `1,234`.
    Unclear(usize, usize),
    /// Numbers with a comma and numbers with a point: one of each (where it starts, and its length).
    Mixed([(usize, usize); 2]),
}

/// What was seen of the cells behind the header.
#[derive(Debug, Default)]
pub(crate) struct CommaLook {
    /// Where the first number with a comma starts, and its length.
    first: Option<(usize, usize)>,
    /// Whether a comma can't part thousands: one that is clear makes the others clear.
    clear: bool,
    /// The first number with a decimal point.
    point: Option<(usize, usize)>,
}

impl CommaLook {
    /// Takes in bytes from `place` on that are whole cells.
    pub fn see(&mut self, place: usize, bytes: &[u8], delimiter: u8) {
        for (start, cell) in cells(bytes, delimiter) {
            let found = Some((place + start, cell.len()));
            match look(cell) {
                Look::Comma { is_clear, .. } => {
                    self.clear |= is_clear;
                    self.first = self.first.or(found);
                }
                Look::Point => self.point = self.point.or(found),
                Look::Other => {}
            }
        }
    }

    /// What they are.
    pub fn commas(&self) -> Commas {
        match (self.first, self.point) {
            (None, _) => Commas::None,
            (Some(first), Some(point)) => Commas::Mixed([first, point]),
            (Some((start, length)), None) if !self.clear => Commas::Unclear(start, length),
            (Some(_), None) => Commas::Decimal,
        }
    }
}

/// Turns the decimal commas of whole cells into points, in place: nothing moves, so that places in the file stay what they are.
pub(crate) fn turn(bytes: &mut [u8], delimiter: u8) {
    let commas = cells(bytes, delimiter).filter_map(|(start, cell)| match look(cell) {
        Look::Comma { at, .. } => Some(start + at),
        Look::Point | Look::Other => None,
    });
    for comma in commas.collect::<Vec<_>>() {
        bytes[comma] = b'.';
    }
}

/// How many of these bytes, which start a cell, are whole cells with the ends behind them.
pub(crate) fn whole_cells(bytes: &[u8], delimiter: u8) -> usize {
    let (mut quoted, mut whole) = (false, 0);
    for (at, byte) in bytes.iter().enumerate() {
        quoted ^= *byte == b'"';
        if !quoted && (*byte == delimiter || matches!(byte, b'\n' | b'\r')) {
            whole = at + 1;
        }
    }
    whole
}

enum Look {
    /// A number with a comma at this place; clear if the comma can't part thousands.
    Comma {
        at: usize,
        is_clear: bool,
    },
    /// A number with a decimal point.
    Point,
    Other,
}

fn look(cell: &[u8]) -> Look {
    let unsigned = cell.strip_prefix(b"-").or(cell.strip_prefix(b"+")).unwrap_or(cell);
    let sign = cell.len() - unsigned.len();
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(unsigned);
    let mark = unsigned.get(whole).copied();
    let Some(rest) = unsigned.get(whole + 1..) else {
        return Look::Other;
    };
    let fraction = digits(rest);
    let end = &rest[fraction..];
    let exponent = match end {
        [] => true,
        [b'e' | b'E', b'+' | b'-', power @ ..] | [b'e' | b'E', power @ ..] => {
            !power.is_empty() && digits(power) == power.len()
        }
        _ => false,
    };
    match mark {
        Some(b',') if whole > 0 && fraction > 0 && exponent => {
            let thousands = (1..=3).contains(&whole) && unsigned[0] != b'0' && fraction == 3 && end.is_empty();
            Look::Comma { at: sign + whole, is_clear: !thousands }
        }
        Some(b'.') if whole + fraction > 0 && exponent => Look::Point,
        _ => Look::Other,
    }
}

/// The cells with where they start, without quotes and white space around them.
fn cells(bytes: &[u8], delimiter: u8) -> impl Iterator<Item = (usize, &[u8])> {
    let mut quoted = false;
    let ends = move |byte: &u8| {
        quoted ^= *byte == b'"';
        !quoted && (*byte == delimiter || matches!(byte, b'\n' | b'\r'))
    };
    let mut next = 0;
    bytes.split(ends).map(move |cell| {
        let start = next + (cell.len() - cell.trim_ascii_start().len());
        next += cell.len() + 1;
        let cell = cell.trim_ascii();
        match cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")) {
            Some(inner) => (start + 1, inner),
            None => (start, cell),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(text: &str) -> (Commas, String) {
        let mut bytes = text.as_bytes().to_vec();
        // In one piece and in pieces of whole cells.
        let mut look = CommaLook::default();
        look.see(0, &bytes, b';');
        let commas = look.commas();
        for size in 1..bytes.len() {
            let (mut look, mut start, mut end) = (CommaLook::default(), 0, 0);
            while end < bytes.len() {
                end = bytes.len().min(end + size);
                let whole = whole_cells(&bytes[start..end], b';');
                look.see(start, &bytes[start..start + whole], b';');
                start += whole;
            }
            look.see(start, &bytes[start..], b';');
            assert_eq!(look.commas(), commas, "{size}");
        }
        if commas == Commas::Decimal {
            turn(&mut bytes, b';');
        }
        (commas, String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn decimal_commas_become_points_and_nothing_moves() {
        let (commas, text) = turned("a;1,5;\"2,25\"\nb; -3,5e-2 ;7\r\n\"x, y\";1,2,3;,5\n");
        assert_eq!(commas, Commas::Decimal);
        assert_eq!(text, "a;1.5;\"2.25\"\nb; -3.5e-2 ;7\r\n\"x, y\";1,2,3;,5\n");
        // One that is clear makes the others clear.
        assert_eq!(turned("1,234;0,5").1, "1.234;0.5");
        assert_eq!(turned("1;2\n3;4\n"), (Commas::None, "1;2\n3;4\n".to_string()));
    }

    #[test]
    fn what_is_not_clear_stays() {
        assert_eq!(turned("a;1,234\nb;22,500\n"), (Commas::Unclear(2, 5), "a;1,234\nb;22,500\n".to_string()));
        assert_eq!(turned("1,5;2.5"), (Commas::Mixed([(0, 3), (4, 3)]), "1,5;2.5".to_string()));
        // Dates with points are no numbers.
        assert_eq!(turned("01.02.2024;1,5").0, Commas::Decimal);
    }
}
