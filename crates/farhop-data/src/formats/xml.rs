//! A small reader of XML, piece by piece: enough for data, nothing that could be turned against its reader.
//!
//! The five named entities and numbered characters are known; a document that declares its own entities is refused, so that
//! no small file can grow into a large one. Nothing outside the file is ever read.
//!
//! Why not a crate: the same walk with quick-xml 0.38 (names and attributes checked, entities resolved, lines counted) took 1.5
//! to 1.8 times as long on a GraphML file of 36 MB, five turns each on a busy machine; and what it says of a broken file would
//! have to be put into our words.

use std::borrow::Cow;

use super::text_file::TextFile;
use crate::error::DataError;

/// How deep elements may be nested.
const DEEPEST: usize = 64;
/// How many attributes an element may have.
const MOST_ATTRIBUTES: usize = 256;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// An element starts. An element that ends at once (`<a/>`) gives its end as the next piece.
    Start {
        /// Its name without a prefix.
        name: &'a str,
        /// Names (without prefixes) and values.
        attributes: Vec<(&'a str, Cow<'a, str>)>,
    },
    /// The element of this name ends.
    End(&'a str),
    /// Text between elements, entities resolved.
    Text(Cow<'a, str>),
}

/// Calls `take` with every piece of a file and the line it is on; what is wrong is said of that line.
pub fn each_piece(
    file: &TextFile,
    mut take: impl FnMut(Piece<'_>, u64) -> Result<(), String>,
) -> Result<(), DataError> {
    let mut reader = Reader::new(file.text()?);
    loop {
        let piece = reader.next_piece();
        let line = reader.line();
        let taken = match piece {
            Ok(Some(piece)) => take(piece, line),
            Ok(None) => return Ok(()),
            Err(reason) => Err(reason),
        };
        taken.map_err(|reason| file.wrong_at(line, reason))?;
    }
}

/// A walk over a document.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    /// Up to where lines were counted.
    counted: usize,
    open: Vec<&'a str>,
    /// The last element was empty: its end comes next.
    ends_at_once: bool,
    seen_root: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning.
    pub fn new(text: &'a str) -> Self {
        Reader { text, at: 0, line: 1, counted: 0, open: Vec::new(), ends_at_once: false, seen_root: false }
    }

    /// The line of the piece that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next piece; `None` at the end. The error says what is wrong.
    pub fn next_piece(&mut self) -> Result<Option<Piece<'a>>, String> {
        if std::mem::take(&mut self.ends_at_once) {
            return Ok(self.open.pop().map(Piece::End));
        }
        loop {
            self.count_lines();
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return match self.open.last() {
                    Some(name) => Err(format!("the file ends within <{}>. It is cut short.", short(name))),
                    None if !self.seen_root => Err("there is no element in the file.".to_string()),
                    None => Ok(None),
                };
            }
            if !rest.starts_with('<') {
                let length = rest.find('<').unwrap_or(rest.len());
                let text = &rest[..length];
                self.at += length;
                if self.open.is_empty() {
                    if text.trim().is_empty() {
                        continue;
                    }
                    return Err("there is text outside of all elements.".to_string());
                }
                return Ok(Some(Piece::Text(resolved(text)?)));
            }
            if let Some(piece) = self.markup(rest)? {
                return Ok(Some(piece));
            }
        }
    }

    fn count_lines(&mut self) {
        let passed = &self.text.as_bytes()[self.counted..self.at];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.counted = self.at;
    }

    /// What starts with `<`; `None` for what is left out.
    fn markup(&mut self, rest: &'a str) -> Result<Option<Piece<'a>>, String> {
        if rest.starts_with("<!--") {
            self.skip_past(rest, "-->", "a comment")?;
            return Ok(None);
        }
        if rest.starts_with("<?") {
            self.skip_past(rest, "?>", "an instruction <?")?;
            return Ok(None);
        }
        if let Some(inner) = rest.strip_prefix("<![CDATA[") {
            if self.open.is_empty() {
                return Err("there is text outside of all elements.".to_string());
            }
            let length = inner.find("]]>").ok_or("a section <![CDATA[ has no end.")?;
            self.at += "<![CDATA[".len() + length + "]]>".len();
            return Ok(Some(Piece::Text(Cow::Borrowed(&inner[..length]))));
        }
        if rest.starts_with("<!") {
            let end = rest.find('>').ok_or("a declaration <! has no end.")?;
            if rest[..end].contains('[') || rest.starts_with("<!ENTITY") {
                return Err(
                    "the document declares entities or types of its own, which is refused. Remove the declaration."
                        .to_string(),
                );
            }
            self.at += end + 1;
            return Ok(None);
        }
        if let Some(inner) = rest.strip_prefix("</") {
            let end = inner.find('>').ok_or("an end tag has no \">\".")?;
            let name = local(inner[..end].trim());
            self.at += 2 + end + 1;
            return match self.open.pop() {
                Some(open) if open == name => Ok(Some(Piece::End(name))),
                Some(open) => Err(format!("</{}> where </{}> is expected.", short(name), short(open))),
                None => Err(format!("</{}> ends an element that never started.", short(name))),
            };
        }
        self.start(&rest[1..]).map(Some)
    }

    fn skip_past(&mut self, rest: &str, end: &str, what: &str) -> Result<(), String> {
        let length = rest.find(end).ok_or_else(|| format!("{what} has no end."))?;
        self.at += length + end.len();
        Ok(())
    }

    fn start(&mut self, inner: &'a str) -> Result<Piece<'a>, String> {
        if self.open.is_empty() && self.seen_root {
            return Err("there is a second element beside the outermost one.".to_string());
        }
        let name_length =
            inner.find(|c: char| c.is_whitespace() || c == '>' || c == '/').ok_or("a tag has no \">\".")?;
        let name = local(&inner[..name_length]);
        if name.is_empty() || name.contains(['<', '&', '"', '\'', '=']) {
            return Err(format!("<{}> is not a tag.", short(name)));
        }
        let mut rest = &inner[name_length..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix("/>") {
                self.ends_at_once = true;
                rest = after;
                break;
            }
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let (attribute, after) = self.attribute(name, rest)?;
            if attributes.len() == MOST_ATTRIBUTES {
                return Err(format!("<{}> has more than {MOST_ATTRIBUTES} attributes.", short(name)));
            }
            attributes.push(attribute);
            rest = after;
        }
        self.at = self.text.len() - rest.len();
        self.open.push(name);
        self.seen_root = true;
        if self.open.len() > DEEPEST {
            return Err(format!("elements are nested more than {DEEPEST} deep."));
        }
        Ok(Piece::Start { name, attributes })
    }

    #[allow(clippy::type_complexity)]
    fn attribute(&self, element: &str, rest: &'a str) -> Result<((&'a str, Cow<'a, str>), &'a str), String> {
        let bad = || format!("<{}> has an attribute that is not of the form name=\"value\".", short(element));
        let equals = rest.find('=').ok_or_else(bad)?;
        let name = rest[..equals].trim_end();
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '/')) {
            return Err(bad());
        }
        let value = rest[equals + 1..].trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(bad)?;
        let length = value[1..].find(quote).ok_or_else(bad)?;
        let text = &value[1..1 + length];
        if text.contains('<') {
            return Err(bad());
        }
        Ok(((local(name), resolved(text)?), &value[length + 2..]))
    }
}

/// The name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A name for a message.
fn short(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// The text with its entities resolved.
pub fn resolved(text: &str) -> Result<Cow<'_, str>, String> {
    if !text.contains('&') {
        return Ok(Cow::Borrowed(text));
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        result.push_str(&rest[..at]);
        let inner = &rest[at + 1..];
        let end = inner.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        let end = end.ok_or("\"&\" stands alone; write it as &amp;.")?;
        let entity = &inner[..end];
        let number = |digits: &str, base| u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
        let character = match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match entity.strip_prefix('#') {
                Some(digits) => digits.strip_prefix('x').map_or_else(|| number(digits, 10), |hex| number(hex, 16)),
                None => None,
            },
        };
        let character = character.ok_or_else(|| format!("entity &{}; is not known.", short(entity)))?;
        result.push(character);
        rest = &inner[end + 1..];
    }
    result.push_str(rest);
    Ok(Cow::Owned(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Result<Vec<String>, String> {
        let mut reader = Reader::new(text);
        let mut found = Vec::new();
        while let Some(piece) = reader.next_piece()? {
            found.push(match piece {
                Piece::Start { name, attributes } => {
                    let listed: Vec<String> =
                        attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                    format!("+{name}{}@{}", listed.concat(), reader.line())
                }
                Piece::End(name) => format!("-{name}"),
                Piece::Text(text) => format!("\"{text}\""),
            });
        }
        Ok(found)
    }

    #[test]
    fn pieces_come_in_order_with_their_lines() {
        let text = "<?xml version='1.0'?>\n<!DOCTYPE g>\n<x:g a=\"1 &lt; 2\" n:b='&#x41;&#66;'>\n<!-- <no> --><e/>a&amp;<![CDATA[<&]]></x:g>\n";
        let expected = ["+g a=1 < 2 b=AB@3", "\"\n\"", "+e@4", "-e", "\"a&\"", "\"<&\"", "-g"];
        assert_eq!(pieces(text).unwrap(), expected);
    }

    #[test]
    fn what_could_harm_or_is_cut_short_is_refused() {
        for (text, reason) in [
            ("<!DOCTYPE g [<!ENTITY a \"aaa\">]><g>&a;</g>", "declares entities"),
            ("<g>&a;</g>", "entity &a; is not known"),
            ("<g>", "cut short"),
            ("<g></h>", "</h> where </g> is expected"),
            ("</g>", "never started"),
            ("<g a=1></g>", "not of the form"),
            ("<g/><g/>", "second element"),
            ("x<g/>", "outside of all elements"),
            ("", "no element"),
            ("<g>a & b</g>", "stands alone"),
            ("<g>&#xD800;</g>", "is not known"),
        ] {
            let error = pieces(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(pieces(&"<a>".repeat(100)).unwrap_err().contains("nested"));
    }
}
