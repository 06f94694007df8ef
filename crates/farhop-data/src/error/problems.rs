//! Everything that is wrong with a table, gathered before it is said.

use crate::error::DataError;

/// So many problems are told, then how many more there are.
const MOST_TOLD: usize = 10;

/// Problems in the order they were found.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    told: Vec<DataError>,
    more: usize,
}

impl Problems {
    /// One more problem. It is put into words only if it will be told: finding the line of a row walks the table.
    pub fn add(&mut self, problem: impl FnOnce() -> DataError) {
        if self.told.len() < MOST_TOLD {
            self.told.push(problem());
        } else {
            self.more += 1;
        }
    }

    /// What came of a step; its problems if nothing did.
    pub fn hear<T>(&mut self, step: Result<T, DataError>) -> Option<T> {
        match step {
            Ok(done) => return Some(done),
            Err(DataError::Several { problems, more }) => {
                problems.into_iter().for_each(|problem| self.add(|| problem));
                self.more += more;
            }
            Err(problem) => self.add(|| problem),
        }
        None
    }

    /// An error if there is any.
    pub fn into_result(self) -> Result<(), DataError> {
        if self.is_empty() { Ok(()) } else { Err(self.into_error()) }
    }

    /// An error that tells them all; one alone is itself.
    pub fn into_error(mut self) -> DataError {
        match self.told.pop() {
            Some(only) if self.told.is_empty() && self.more == 0 => only,
            last => {
                self.told.extend(last);
                DataError::Several { problems: self.told, more: self.more }
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(number: usize) -> DataError {
        DataError::Mismatch { what: format!("problem {number}.") }
    }

    #[test]
    fn ten_are_told_and_the_rest_are_counted() {
        let mut problems = Problems::default();
        (1..=13).for_each(|number| problems.add(|| problem(number)));
        let text = problems.into_result().unwrap_err().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 12);
        assert_eq!((lines[0], lines[1]), ("13 problems in the data:", "  problem 1."));
        assert_eq!((lines[10], lines[11]), ("  problem 10.", "  and 3 more"));
    }

    #[test]
    fn one_alone_is_itself_and_none_is_no_error() {
        assert!(Problems::default().into_result().is_ok());
        let mut problems = Problems::default();
        problems.add(|| problem(1));
        assert_eq!(problems.into_result().unwrap_err().to_string(), "problem 1.");
    }

    #[test]
    fn the_problems_of_steps_are_joined() {
        let mut step = Problems::default();
        (1..=12).for_each(|number| step.add(|| problem(number)));
        let mut problems = Problems::default();
        problems.add(|| problem(0));
        assert_eq!(problems.hear(step.into_result()), None);
        assert_eq!(problems.hear(Ok(7)), Some(7));
        let text = problems.into_result().unwrap_err().to_string();
        assert!(text.starts_with("13 problems") && text.ends_with("problem 9.\n  and 3 more"), "{text}");
    }
}
