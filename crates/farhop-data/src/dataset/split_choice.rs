//! Which split data get: given, from a column of their table, or drawn with a seed.

use farhop_graph::random::Stream;

use crate::dataset::Target;
use crate::dataset::labels::class_counts;
use crate::dataset::split::{Part, Split, SplitError, SplitFractions};
use crate::error::DataError;
use crate::error::place::Place;
use crate::tables::options::SplitChoice;
use crate::text::quoted;

/// Rows by group; groups get the same shares of all parts.
pub(crate) struct Strata {
    /// The group of every row; `None` where nothing is known, so that the row is in no part.
    pub of_row: Vec<Option<u32>>,
    /// How many groups there are.
    pub count: usize,
}

impl Strata {
    /// Classes, and the two answers to a single question, are groups; the known rows of other targets are one. If `rows`
    /// are not those of the target (they are graphs, and pairs or nodes are predicted), all rows are one group.
    pub fn of(target: &Target, rows: usize) -> Strata {
        if target.rows() != Some(rows) {
            return Strata { of_row: vec![Some(0); rows], count: 1 };
        }
        match target {
            Target::Class { labels, classes } => Strata { of_row: labels.clone(), count: classes.len() },
            Target::Binary { values, names } if names.len() == 1 => {
                let answer = |value: &f32| (!value.is_nan()).then_some(*value as u32);
                Strata { of_row: values.iter().map(answer).collect(), count: 2 }
            }
            _ => {
                let known = |row| target.is_known(row).then_some(0);
                Strata { of_row: (0..rows).map(known).collect(), count: 1 }
            }
        }
    }

    /// All rows as one group if a group has a single row, which cannot be in train and in test.
    pub fn joined_if_lonely(mut self) -> Strata {
        if class_counts(&self.of_row, self.count).contains(&1) {
            self.of_row.iter_mut().for_each(|group| *group = group.map(|_| 0));
            self.count = 1;
        }
        self
    }

    /// A seeded split.
    pub fn draw(&self, fractions: SplitFractions, seed: u64) -> Result<Split, SplitError> {
        if self.count > 1 {
            return Split::stratified(&self.of_row, self.count, fractions, seed);
        }
        let known: Vec<u32> =
            (0u32..).zip(&self.of_row).filter(|(_, group)| group.is_some()).map(|(row, _)| row).collect();
        let drawn = Split::random(known.len(), fractions, seed)?;
        let named = |part: &[u32]| part.iter().map(|&place| known[place as usize]).collect();
        Ok(Split { train: named(&drawn.train), valid: named(&drawn.valid), test: named(&drawn.test) })
    }
}

impl Split {
    /// Moves a share of the training part, drawn with a seed, to the validation part: of classes the same share of each, as far as whole
    /// rows can. Every class keeps a training row. `rows` is what the split divides.
    pub fn hold_out(&mut self, target: &Target, rows: usize, share: f64, seed: u64) {
        let strata = Strata::of(target, rows);
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); strata.count];
        for &row in &self.train {
            if let Some(group) = strata.of_row.get(row as usize).copied().flatten() {
                groups[group as usize].push(row);
            }
        }
        let mut random = Stream::new(seed);
        let rounded = |rows: usize| (share * rows as f64).round() as usize;
        let mut before = 0;
        for group in groups.iter_mut().filter(|group| !group.is_empty()) {
            random.shuffle(group);
            let after = before + group.len();
            let held = (rounded(after) - rounded(before)).min(group.len() - 1);
            self.valid.extend_from_slice(&group[..held]);
            before = after;
        }
        self.valid.sort_unstable();
        self.train.retain(|row| self.valid.binary_search(row).is_err());
    }
}

/// The split of `rows` rows that was chosen: the one that is given, or a seeded one over the rows whose target is known.
pub(crate) fn chosen_split(rows: usize, target: &Target, choice: &SplitChoice) -> Result<Split, SplitError> {
    match choice {
        SplitChoice::Given(Split { train, valid, test }) => {
            Split::from_lists(rows, train.clone(), valid.clone(), test.clone())
        }
        SplitChoice::Automatic { fractions, seed } => {
            let strata = Strata::of(target, rows);
            // A class that occurs once is a mistake worth naming; a rare answer is not.
            let strata = if matches!(target, Target::Binary { .. }) { strata.joined_if_lonely() } else { strata };
            strata.draw(*fractions, *seed)
        }
    }
}

/// The rows of a table on their way to a split.
pub(crate) struct TableSplit<'a> {
    /// The name of the table.
    pub file: &'a str,
    /// The name of the target column, or of the first one.
    pub column: &'a str,
    pub target: &'a Target,
    pub rows: usize,
    /// The split column, if there is one: its name, and the part of each row.
    pub marked: Option<(&'a str, &'a [Option<Part>])>,
    /// Where a row stands.
    pub place: &'a dyn Fn(usize) -> Place,
}

impl TableSplit<'_> {
    /// The split of training, and where it comes from in words. What is unusual about it becomes a note.
    pub fn learn(&self, choice: &SplitChoice, notes: &mut Vec<String>) -> Result<(Split, String), DataError> {
        let (split, origin) = match (choice, self.apply()) {
            (SplitChoice::Automatic { .. }, Some((split, origin))) => {
                let marked = self.marked.map_or(0, |(_, parts)| parts.iter().flatten().count());
                let used: usize = Part::ALL.iter().map(|&part| split.part(part).len()).sum();
                if marked > used {
                    let lost = marked - used;
                    notes.push(format!("{lost} rows are in a part of the split but have no label; they are in none"));
                }
                (split, origin)
            }
            _ => {
                let split = chosen_split(self.rows, self.target, choice).map_err(|error| self.located(error))?;
                (split, self.origin(choice))
            }
        };
        self.check_train(&split)?;
        Ok((split, origin))
    }

    /// The split that the column of the table gives over the rows that have a target, and where it comes from.
    pub fn apply(&self) -> Option<(Split, String)> {
        let (name, parts) = self.marked?;
        let known: Vec<Option<u32>> = (0..self.rows).map(|row| self.target.is_known(row).then_some(0)).collect();
        Some((Split::from_parts(parts, &known), format!("column {}", quoted(name))))
    }

    fn origin(&self, choice: &SplitChoice) -> String {
        match (choice, self.target) {
            (SplitChoice::Given(_), _) => "given".to_string(),
            (SplitChoice::Automatic { seed, .. }, Target::Class { .. }) => format!("stratified, seed {seed}"),
            (SplitChoice::Automatic { seed, .. }, _) => format!("at random, seed {seed}"),
        }
    }

    /// Training must see every class that is scored.
    fn check_train(&self, split: &Split) -> Result<(), DataError> {
        if split.train.is_empty() {
            let column = self.marked.map_or("split", |(name, _)| name).to_string();
            return Err(DataError::EmptyTrain { file: self.file.to_string(), column });
        }
        let Target::Class { labels, classes } = self.target else {
            return Ok(());
        };
        let of_train: Vec<Option<u32>> = split.train.iter().map(|&row| labels[row as usize]).collect();
        let Some(class) = class_counts(&of_train, classes.len()).iter().position(|&count| count == 0) else {
            return Ok(());
        };
        let row = labels.iter().position(|&label| label == Some(class as u32));
        let (place, column) = ((self.place)(row.unwrap_or(0)), self.column.to_string());
        Err(DataError::ClassNotInTrain { place, class: classes[class].clone(), column })
    }

    fn located(&self, error: SplitError) -> DataError {
        match error {
            SplitError::Lonely { class, row } => DataError::LonelyClass {
                place: (self.place)(row as usize),
                class: self.target.names().get(class as usize).cloned().unwrap_or_default(),
                column: self.column.to_string(),
            },
            SplitError::TooFew { labelled } => DataError::TooFewLabels { file: self.file.to_string(), labelled },
            other => DataError::Split(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_every_class_is_held_out() {
        let labels: Vec<Option<u32>> = (0..101).map(|row| if row == 100 { Some(2) } else { Some(row / 50) }).collect();
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        let target = Target::Class { labels: labels.clone(), classes };
        let mut split = Split { train: (0..101).collect(), ..Split::default() };
        split.hold_out(&target, 101, 0.2, 7);
        let count = |rows: &[u32], class: u32| rows.iter().filter(|row| labels[**row as usize] == Some(class)).count();
        assert_eq!([0, 1, 2].map(|class| count(&split.valid, class)), [10, 10, 0]);
        assert_eq!([0, 1, 2].map(|class| count(&split.train, class)), [40, 40, 1]);
        let mut again = Split { train: (0..101).collect(), ..Split::default() };
        again.hold_out(&target, 101, 0.2, 7);
        assert_eq!(again, split);
        assert_eq!(Split::from_lists(101, again.train.clone(), again.valid.clone(), Vec::new()).unwrap(), again);
    }
}
