//! The header of an `npy` file: a small Python dictionary, parsed strictly.

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dtype {
    /// `?`: one byte, 0 or not.
    Bool,
    /// Signed integer of this many bytes: 1, 2, 4 or 8.
    Signed(usize),
    /// Unsigned integer of this many bytes: 1, 2, 4 or 8.
    Unsigned(usize),
    /// Float of this many bytes: 2, 4 or 8.
    Float(usize),
    /// Text of this many characters of four bytes each, padded with zeros.
    Text(usize),
    /// Text of this many bytes, padded with zeros.
    Bytes(usize),
}

impl Dtype {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Dtype::Bool => 1,
            Dtype::Signed(bytes) | Dtype::Unsigned(bytes) | Dtype::Float(bytes) | Dtype::Bytes(bytes) => bytes,
            Dtype::Text(characters) => 4 * characters,
        }
    }

    /// Bytes whose order is reversed in a big-endian file.
    pub fn unit(self) -> usize {
        match self {
            Dtype::Text(_) => 4,
            Dtype::Bytes(_) => 1,
            other => other.bytes(),
        }
    }

    /// NumPy's short name, without byte order: `f4`, `i8`, `U12`.
    pub fn name(self) -> String {
        match self {
            Dtype::Bool => "b1".to_string(),
            Dtype::Signed(bytes) => format!("i{bytes}"),
            Dtype::Unsigned(bytes) => format!("u{bytes}"),
            Dtype::Float(bytes) => format!("f{bytes}"),
            Dtype::Text(characters) => format!("U{characters}"),
            Dtype::Bytes(bytes) => format!("S{bytes}"),
        }
    }

    /// Reads NumPy's short name with or without byte order (`<f4`, `|b1`, `U12`): whether it is
    /// big-endian, and the type. `None` for objects, records, dates and complex numbers.
    pub fn parse(text: &str) -> Option<(bool, Dtype)> {
        let (order, kind) = match text.chars().next() {
            Some(order @ ('<' | '>' | '|' | '=')) => (order, &text[1..]),
            _ => ('=', text),
        };
        let letter = kind.chars().next()?;
        let size: usize = kind[letter.len_utf8()..].parse().ok()?;
        let dtype = match (letter, size) {
            ('b', 1) => Dtype::Bool,
            ('i', 1 | 2 | 4 | 8) => Dtype::Signed(size),
            ('u', 1 | 2 | 4 | 8) => Dtype::Unsigned(size),
            ('f', 2 | 4 | 8) => Dtype::Float(size),
            ('U', 1..=1_000_000) => Dtype::Text(size),
            ('S' | 'a', 1..=4_000_000) => Dtype::Bytes(size),
            _ => return None,
        };
        Some((order == '>', dtype))
    }
}

/// What the header of an `npy` file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The type of the elements.
    pub dtype: Dtype,
    /// Whether elements are big-endian.
    pub big_endian: bool,
    /// Whether the first index runs fastest.
    pub fortran_order: bool,
    /// The length of each dimension; empty for a single number.
    pub shape: Vec<usize>,
}

/// The most dimensions an array may have, as in NumPy.
const MOST_DIMENSIONS: usize = 32;

impl Header {
    /// The number of elements; `None` if it does not fit in memory's address space.
    pub fn elements(&self) -> Option<usize> {
        // A zero anywhere makes the array empty, even beside lengths whose product overflows.
        if self.shape.contains(&0) {
            return Some(0);
        }
        let mut product = 1usize;
        for &length in &self.shape {
            product = product.checked_mul(length)?;
        }
        Some(product)
    }

    /// Whether the elements are Python objects, and then whether there is a single one without dimensions.
    pub(crate) fn of_objects(text: &str) -> Option<bool> {
        // With a type that is known in its place, the rest of the dictionary is checked as any other.
        let plain = text.replace("'|O'", "'|b1'").replace("'|O8'", "'|b1'");
        if plain == text {
            return None;
        }
        Header::parse(&plain).ok().map(|header| header.shape.is_empty())
    }

    /// Parses the dictionary. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Header, String> {
        let mut parser = Parser { rest: text };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        parser.expect('{')?;
        while !parser.take('}') {
            let key = parser.string()?;
            parser.expect(':')?;
            match key {
                "descr" if descr.is_none() => descr = Some(parser.descr()?),
                "fortran_order" if fortran_order.is_none() => {
                    fortran_order = Some(parser.boolean()?);
                }
                "shape" if shape.is_none() => shape = Some(parser.shape()?),
                other => return Err(format!("unexpected key {}", crate::text::quoted(other))),
            }
            if !parser.take(',') {
                parser.expect('}')?;
                break;
            }
        }
        if !parser.rest.trim().is_empty() {
            return Err("text after the dictionary".to_string());
        }
        let (big_endian, dtype) = descr.ok_or("no key \"descr\"")?;
        Ok(Header {
            dtype,
            big_endian,
            fortran_order: fortran_order.ok_or("no key \"fortran_order\"")?,
            shape: shape.ok_or("no key \"shape\"")?,
        })
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("\"{wanted}\" expected in the header")) }
    }

    fn string(&mut self) -> Result<&'a str, String> {
        self.rest = self.rest.trim_start();
        let quote = match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => quote,
            _ => return Err("a quoted string expected in the header".to_string()),
        };
        let inner = &self.rest[1..];
        let end = inner.find(quote).ok_or("a string in the header has no end")?;
        self.rest = &inner[end + 1..];
        Ok(&inner[..end])
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("fortran_order must be True or False".to_string())
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let length = self.rest[..digits].parse().map_err(|_| "a length in the shape is not a whole number")?;
            self.rest = &self.rest[digits..];
            shape.push(length);
            if shape.len() > MOST_DIMENSIONS {
                return Err(format!("more than {MOST_DIMENSIONS} dimensions"));
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }

    fn descr(&mut self) -> Result<(bool, Dtype), String> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return Err("records are not supported; save plain arrays".to_string());
        }
        let text = self.string()?;
        Dtype::parse(text).ok_or_else(|| {
            format!(
                "element type {} is not supported; save it as f4, f8, i4, i8 or another plain type",
                crate::text::quoted(text)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let header = Header::parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n");
        assert_eq!(
            header.unwrap(),
            Header { dtype: Dtype::Float(4), big_endian: false, fortran_order: false, shape: vec![3, 4] }
        );
        let header = Header::parse("{\"shape\":(),'fortran_order':True,'descr':'>U7'}").unwrap();
        assert!(header.shape.is_empty());
        assert_eq!(header.elements(), Some(1));
        assert_eq!(header.dtype, Dtype::Text(7));
        assert!(header.big_endian && header.fortran_order);
        let one = Header::parse("{'descr': '|b1', 'fortran_order': False, 'shape': (5,)}");
        assert_eq!(one.unwrap().shape, [5]);
    }

    #[test]
    fn anything_else_is_refused() {
        for (text, reason) in [
            ("", "\"{\" expected in the header"),
            ("{}", "no key \"descr\""),
            ("{'descr': '<f4', 'fortran_order': False}", "no key \"shape\""),
            ("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "element type \"|O\""),
            ("{'descr': [('a', '<f4')]}", "records are not supported"),
            ("{'shape': (-1,)}", "a length in the shape is not a whole number"),
            ("{'shape': (99999999999999999999,)}", "a length in the shape"),
            ("{'shape': (1 2)}", "\")\" expected"),
            ("{'shape': (1), 'shape': (1)}", "unexpected key \"shape\""),
            ("{'import os': 1}", "unexpected key \"import os\""),
            ("{'fortran_order': 1}", "fortran_order must be True or False"),
            ("{'descr': '<c8'}", "element type \"<c8\""),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "text after"),
            ("{'descr': '<f4", "a string in the header has no end"),
        ] {
            let error = Header::parse(text).unwrap_err();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
    }

    #[test]
    fn products_that_overflow_are_noticed() {
        let shape = |lengths: &str| {
            let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {lengths}}}");
            Header::parse(&text).unwrap().elements()
        };
        assert_eq!(shape("(18446744073709551615, 2)"), None);
        assert_eq!(shape("(18446744073709551615, 2, 0)"), Some(0));
    }
}
