//! The numbers and texts of protocol 0, written as Python source, and long whole numbers.

use super::arena::Item;

/// `INT`: a decimal number; `00` and `01` are truth values.
pub(super) fn int(line: &[u8]) -> Option<Item> {
    match line {
        b"00" => Some(Item::Bool(false)),
        b"01" => Some(Item::Bool(true)),
        _ => ascii(line)?.parse().ok().map(Item::Int),
    }
}

/// `LONG`: a decimal number with an `L` behind it.
pub(super) fn long(line: &[u8]) -> Option<Item> {
    let digits = ascii(line)?;
    digits.strip_suffix('L').unwrap_or(digits).parse().ok().map(Item::Int)
}

/// `FLOAT`: a decimal number.
pub(super) fn float(line: &[u8]) -> Option<Item> {
    ascii(line)?.parse().ok().map(Item::Float)
}

/// The number of a `GET` or `PUT`.
pub(super) fn memory_number(line: &[u8]) -> Option<u64> {
    ascii(line)?.parse().ok()
}

/// `LONG1` and `LONG4`: two's complement, little-endian. `None` beyond 64 bits.
pub(super) fn long_bytes(bytes: &[u8]) -> Option<Item> {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let filler = if negative { 0xff } else { 0 };
    let (low, high) = bytes.split_at(bytes.len().min(8));
    let mut whole = [filler; 8];
    for (place, &byte) in whole.iter_mut().zip(low) {
        *place = byte;
    }
    let number = i64::from_le_bytes(whole);
    let fits = high.iter().all(|&byte| byte == filler) && (number < 0) == negative;
    fits.then_some(Item::Int(number))
}

fn ascii(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()
}

/// `STRING`: bytes in quotes with escapes, as Python's `repr` writes them.
pub(super) fn quoted_bytes(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (&quote, rest) = line.split_first()?;
    let inner = rest.strip_suffix(&[quote])?;
    if !matches!(quote, b'\'' | b'"') {
        return None;
    }
    let mut result = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        result.push(match bytes.next()? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'x' => 16 * hex(bytes.next()?)? + hex(bytes.next()?)?,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = bytes.next_if(|next| matches!(next, b'0'..=b'7')) else { break };
                    value = 8 * value + u32::from(next - b'0');
                }
                u8::try_from(value).ok()?
            }
            other @ (b'\\' | b'\'' | b'"') => other,
            _ => return None,
        });
    }
    Some(result)
}

/// `UNICODE`: Latin-1 with `\uXXXX` and `\UXXXXXXXX`.
pub(super) fn escaped_text(line: &[u8]) -> Option<String> {
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let digits = match (byte, tail.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => {
                result.push(char::from(byte));
                continue;
            }
        };
        let mut code = 0;
        for &digit in tail.get(1..=digits)? {
            code = (code << 4) | u32::from(hex(digit)?);
        }
        result.push(char::from_u32(code)?);
        rest = tail.get(digits + 1..)?;
    }
    Some(result)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_two_s_complement() {
        for (bytes, number) in [
            (&[][..], 0),
            (&[255, 0], 255),
            (&[255], -1),
            (&[0, 128], -32768),
            (&[0, 0, 0, 0, 0, 0, 0, 128], i64::MIN),
            (&[255, 255, 255, 255, 255, 255, 255, 127, 0], i64::MAX),
        ] {
            assert!(matches!(long_bytes(bytes), Some(Item::Int(found)) if found == number), "{bytes:?}");
        }
        assert!(long_bytes(&[0, 0, 0, 0, 0, 0, 0, 128, 0]).is_none());
        assert!(long_bytes(&[0; 300]).is_some());
    }

    #[test]
    fn texts_as_python_writes_them() {
        assert_eq!(quoted_bytes(br"'a\x00\n\\\'\012'").unwrap(), b"a\0\n\\'\n");
        assert_eq!(quoted_bytes(b"'a"), None);
        assert_eq!(quoted_bytes(b"'"), None);
        assert_eq!(quoted_bytes(br"'\"), None);
        assert_eq!(escaped_text(br"\u0394-\U0001d11e\u005c").unwrap(), "Δ-𝄞\\");
        assert_eq!(escaped_text(b"\xe9").unwrap(), "é");
        assert_eq!(escaped_text(br"\ud800"), None);
        assert_eq!(escaped_text(br"\u12"), None);
    }
}
