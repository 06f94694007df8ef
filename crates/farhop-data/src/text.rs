//! Small pieces of text that messages and cards share.

/// A whole number with thousands separators: `2708` becomes `2,708`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The column where the text of a card starts, after the name of the line.
pub const CARD_INDENT: usize = 12;

/// A line of a card: a name, and a text that goes on below its own start where it would be longer than `last`.
pub fn card_line(name: &str, text: &str, last: usize) -> String {
    let mut line = String::new();
    let mut column = 0;
    for (position, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if position == 0 {
            line = format!("{name:<CARD_INDENT$}{word}");
            column = CARD_INDENT + width;
        } else if column + 1 + width > last {
            line.push_str(&format!("\n{:CARD_INDENT$}{word}", ""));
            column = CARD_INDENT + width;
        } else {
            line.push(' ');
            line.push_str(word);
            column += 1 + width;
        }
    }
    line
}

/// A value as part of an option that a message recommends: plain words as they are, others in quotes and on one line.
pub fn argument(value: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let short = value.chars().count() <= 60;
    if short && !value.is_empty() && value.chars().all(plain) { value.to_string() } else { quoted(value) }
}

/// A user's value in double quotes, on one line and of bounded length: control characters are
/// escaped and anything after the first 60 characters is left out.
pub fn quoted(value: &str) -> String {
    const LONGEST: usize = 60;
    let mut text = String::from("\"");
    for (position, character) in value.chars().enumerate() {
        if position == LONGEST {
            text.push('…');
            break;
        }
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text.push('"');
    text
}

/// What another library said, for a message: on one line, without a full stop, and of bounded length.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let mut line: String = text.trim().trim_end_matches('.').chars().map(plain).take(LONGEST).collect();
    if text.chars().count() > LONGEST + 1 {
        line.push('…');
    }
    line
}

/// `1 row`, `2 rows`: a count with its noun.
pub fn counted(number: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { singular } else { plural })
}

/// A list of values for a message: the first few in quotes, then how many more there are.
pub fn listed<'a>(values: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let total = values.len();
    let mut text = values.take(SHOWN).map(quoted).collect::<Vec<_>>().join(", ");
    if total > SHOWN {
        text.push_str(&format!(" and {} more", thousands((total - SHOWN) as u64)));
    }
    text
}

/// The candidate whose spelling is nearest to `wanted`, if any is near enough to be a slip.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let likeness = strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
        if likeness >= 0.7 && best.is_none_or(|(highest, _)| likeness > highest) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_from_the_right() {
        let removed = |n: u64| thousands(n).replace(',', "");
        for n in [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, u64::MAX] {
            assert_eq!(removed(n), n.to_string());
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(123), "123");
    }

    #[test]
    fn quoted_values_stay_on_one_short_line() {
        let text = quoted(&"a\nb\r\t\u{0}".repeat(100));
        assert!(!text.chars().any(char::is_control));
        assert!(text.chars().count() < 400);
        assert_eq!(quoted("A17"), "\"A17\"");
    }

    #[test]
    fn nearest_finds_slips_and_refuses_strangers() {
        let columns = ["id", "label", "width"];
        assert_eq!(nearest("lable", columns.into_iter()), Some("label"));
        assert_eq!(nearest("Label", columns.into_iter()), Some("label"));
        assert_eq!(nearest("zzz", columns.into_iter()), None);
    }
}
