//! Numbers in text, quickly.

/// Powers of ten that 32-bit floats hold exactly.
const POWERS: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// The nearest 32-bit float to a decimal number; `None` if the text is none.
///
/// A number of few digits is one exact whole number divided by one exact power of ten, so that the division
/// rounds once and rightly. All others go through the standard library.
pub fn parse_f32(text: &[u8]) -> Option<f32> {
    short_f32(text).or_else(|| std::str::from_utf8(text).ok()?.parse().ok())
}

fn short_f32(text: &[u8]) -> Option<f32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut whole = 0u32;
    let (mut seen, mut after_point) = (0usize, None);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                whole = whole.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
                seen += 1;
                if let Some(places) = &mut after_point {
                    *places += 1;
                }
            }
            b'.' if after_point.is_none() => after_point = Some(0usize),
            _ => return None,
        }
    }
    let power = POWERS.get(after_point.unwrap_or(0))?;
    if seen == 0 || whole > 1 << 24 {
        return None;
    }
    let number = whole as f32 / power;
    Some(if negative { -number } else { number })
}

/// A whole number of up to 64 bits; `None` if the text is none.
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    match text {
        // Up to 18 digits cannot overflow.
        [b'0'..=b'9', ..] if text.len() <= 18 && text.iter().all(u8::is_ascii_digit) => {
            Some(text.iter().fold(0, |number, byte| 10 * number + i64::from(byte - b'0')))
        }
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use farhop_graph::random::Stream;

    use super::*;

    #[test]
    fn agrees_with_the_standard_library_bit_by_bit() {
        let mut random = Stream::new(5);
        let mut short = 0;
        for round in 0..200_000 {
            let value = random.normal() * 10f64.powi(random.below(12) as i32 - 6);
            let text = match round % 4 {
                0 => format!("{value:.6}"),
                1 => format!("{}", value as f32),
                2 => format!("{value:e}"),
                _ => format!("{}", (value * 1e6) as i64),
            };
            short += u32::from(short_f32(text.as_bytes()).is_some());
            let expected: f32 = text.parse().unwrap();
            assert_eq!(parse_f32(text.as_bytes()).map(f32::to_bits), Some(expected.to_bits()), "{text}");
            if round % 4 == 3 {
                assert_eq!(parse_i64(text.as_bytes()), text.parse().ok());
            }
        }
        assert!(short > 50_000, "the quick way is taken: {short}");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "-.", "1.2.3", "1,2", "0x10", "--1", "1 2", "e5"] {
            assert_eq!(parse_f32(text.as_bytes()), None, "{text}");
            assert_eq!(parse_i64(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_f32(b"-0").map(f32::to_bits), Some((-0f32).to_bits()));
        assert_eq!(parse_f32(b"5."), Some(5.0));
        assert_eq!(parse_f32(b".5"), Some(0.5));
        assert_eq!(parse_i64(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(parse_i64(b"9223372036854775808"), None);
        assert_eq!(parse_i64(b"-12"), Some(-12));
        assert_eq!(parse_i64(b"1.5"), None);
    }
}
