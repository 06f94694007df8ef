//! Dates and times in cells, as numbers.
//!
//! Read are ISO dates and times: `2024-01-31`, `2024-01-31 17:45`, `2024-01-31T17:45:09.5Z`, `2024-01-31T17:45:09+02:00`.
//! A time without a zone counts as UTC.

/// The days since the first day of 1970, with their fraction; `None` if the text is no date.
pub(crate) fn days(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let ([y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1], rest) = bytes.split_first_chunk::<10>()? else {
        return None;
    };
    let year = 100 * two(*y0, *y1)? + two(*y2, *y3)?;
    let (month, day) = (two(*m0, *m1)?, two(*d0, *d1)?);
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) {
        return None;
    }
    let whole = days_from_1970(i64::from(year), i64::from(month), i64::from(day)) as f64;
    match rest {
        [] => Some(whole),
        [b'T' | b't' | b' ', time @ ..] => Some(whole + seconds(time)? / 86_400.0),
        _ => None,
    }
}

/// The seconds since midnight UTC of `17:45`, `17:45:09.5`, with a zone or without.
fn seconds(time: &[u8]) -> Option<f64> {
    let ([h0, h1, b':', m0, m1], mut rest) = time.split_first_chunk::<5>()? else {
        return None;
    };
    let (hour, minute) = (two(*h0, *h1)?, two(*m0, *m1)?);
    let mut second = 0.0;
    if let [b':', s0, s1, behind @ ..] = rest {
        second = f64::from(two(*s0, *s1)?);
        rest = behind;
        if let [b'.' | b',', digits @ ..] = rest {
            let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = std::str::from_utf8(digits.get(..count).filter(|digits| !digits.is_empty())?).ok()?;
            second += format!("0.{digits}").parse::<f64>().ok()?;
            rest = &rest[1 + count..];
        }
    }
    if hour > 23 || minute > 59 || second >= 61.0 {
        return None;
    }
    let zone = zone_minutes(rest.trim_ascii_start())?;
    Some(60.0 * (60.0 * f64::from(hour) + f64::from(minute) - zone) + second)
}

/// How many minutes a zone such as `Z`, `UTC`, `+02:00`, `-0530` or `+02` is ahead.
fn zone_minutes(zone: &[u8]) -> Option<f64> {
    let (sign, hour, minute) = match zone {
        [] | b"Z" | b"z" | b"UTC" => return Some(0.0),
        [sign, h0, h1, b':', m0, m1] | [sign, h0, h1, m0, m1] => (*sign, two(*h0, *h1)?, two(*m0, *m1)?),
        [sign, h0, h1] => (*sign, two(*h0, *h1)?, 0),
        _ => return None,
    };
    let ahead = f64::from(60 * hour + minute);
    match sign {
        _ if hour > 23 || minute > 59 => None,
        b'+' => Some(ahead),
        b'-' => Some(-ahead),
        _ => None,
    }
}

fn two(tens: u8, ones: u8) -> Option<u32> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    Some(10 * digit(tens)? + digit(ones)?)
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first of 1970 to a date of the Gregorian calendar. Years start in March here, so that the leap day is
/// their last, and are counted in spans of 400, which all have 146,097 days.
fn days_from_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (span, of_span) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    span * 146_097 + of_span * 365 + of_span / 4 - of_span / 100 + of_year - 719_468
}

/// Whether a text looks like a date that is not written as the ISO has it, such as `31.1.2024` or `1/31/2024`.
pub(crate) fn looks_like_another_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['.', '/', '-']).collect();
    let number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let last = parts.last().and_then(|part| part.split([' ', 'T']).next()).unwrap_or_default();
    parts.len() == 3 && number(parts[0]) && number(parts[1]) && number(last) && days(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are from Python: `datetime(...).timestamp() / 86400`.
    #[test]
    fn days_agree_with_another_calendar() {
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("1969-12-31", -1.0),
            ("2000-02-29", 11_016.0),
            ("2024-01-31", 19_753.0),
            ("0001-01-01", -719_162.0),
            ("9999-12-31", 2_932_896.0),
            ("2024-01-31T12:00", 19_753.5),
            ("2024-01-31 12:00:00Z", 19_753.5),
            ("2024-01-31 14:00:00+02:00", 19_753.5),
            ("2024-01-31T06:30:00.0-0530", 19_753.5),
            ("2024-01-31 12:00:00 UTC", 19_753.5),
            ("2024-01-31T00:00:00.5", 19_753.0 + 0.5 / 86_400.0),
        ] {
            assert_eq!(days(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn every_day_is_one_after_the_day_before() {
        let mut expected = None;
        for year in 1890..2110 {
            for (month, day) in (1..=12).flat_map(|month| (1..=31).map(move |day| (month, day))) {
                if let Some(found) = days(&format!("{year:04}-{month:02}-{day:02}")) {
                    assert!(expected.is_none_or(|before| found == before + 1.0), "{year}-{month}-{day}");
                    expected = Some(found);
                }
            }
        }
        assert_eq!(expected, Some(51_133.0));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "1900-02-29",
            "2024-00-10",
            "2024-01-32",
            "2024-1-1",
            "20240131",
            "0000-01-01",
            "2024-01-31T",
            "2024-01-31T24:00",
            "2024-01-31T12:60",
            "2024-01-31x",
            "2024-01-31 12:00:00.",
            "2024-01-31T12:00+",
            "2024-01-31T12:00+2:00",
            "2024-01-31T12:00 CET",
            "+024-01-31",
            "31.01.2024",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    #[test]
    fn dates_in_other_forms_are_noticed() {
        for text in ["31.1.2024", "1/31/2024", "01-02-2024", "31.01.2024 17:45"] {
            assert!(looks_like_another_date(text), "{text}");
        }
        for text in ["1.2", "a.b.c", "10.0.0.1", "2024-01-31", "some text"] {
            assert!(!looks_like_another_date(text), "{text}");
        }
    }
}
