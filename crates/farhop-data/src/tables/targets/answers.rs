//! Yes and no in words.

/// What a cell answers to a yes-or-no question: `1`, `yes`, `true`, `y` and `t` (in any case) are yes, `0`, `no`, `false`, `n`
/// and `f` are no.
pub(crate) fn answer(cell: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|word| cell.eq_ignore_ascii_case(word));
    match cell.parse::<f64>() {
        Ok(1.0) => Some(true),
        Ok(0.0) => Some(false),
        Ok(_) => None,
        Err(_) if is(["yes", "true", "y", "t"]) => Some(true),
        Err(_) if is(["no", "false", "n", "f"]) => Some(false),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_answer() {
        for yes in ["1", "1.0", "yes", "Yes", "TRUE", "y", "T"] {
            assert_eq!(answer(yes), Some(true), "{yes}");
        }
        for no in ["0", "0.0", "-0", "no", "False", "N", "f"] {
            assert_eq!(answer(no), Some(false), "{no}");
        }
        for neither in ["", "2", "0.5", "maybe", "nan", "inf", "ja"] {
            assert_eq!(answer(neither), None, "{neither}");
        }
    }
}
