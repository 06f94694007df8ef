//! A moment as a day and a time.

/// `2026-11-18 01:17 UTC`, from seconds since 1970.
pub fn day_and_time(seconds: u64) -> String {
    // A record may say anything; the calendar ends with the year 9999.
    let seconds = seconds.min(253_402_300_799);
    let (mut days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02} UTC", days + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::day_and_time;

    #[test]
    fn days_are_those_of_the_calendar() {
        // As `date -u -d @N` has them.
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_798_761_599, "2026-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(day_and_time(seconds), text);
        }
    }
}
