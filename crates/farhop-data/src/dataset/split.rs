//! Which labelled nodes are for training, for choosing and for the final score.

use farhop_graph::random::Stream;
use serde::{Deserialize, Serialize};

use crate::text::{counted, thousands};

/// A part of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The nodes whose labels the loss sees.
    Train,
    /// The nodes that choose the weights to keep.
    Valid,
    /// The nodes that are only scored.
    Test,
}

impl Part {
    /// All parts in their usual order.
    pub const ALL: [Part; 3] = [Part::Train, Part::Valid, Part::Test];

    /// `train`, `valid` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Valid => "valid",
            Part::Test => "test",
        }
    }

    /// Reads a name, whatever its case; `val` and `validation` are `valid`, `training` is
    /// `train`, `testing` is `test`.
    pub fn from_name(text: &str) -> Option<Part> {
        match text.to_ascii_lowercase().as_str() {
            "train" | "training" => Some(Part::Train),
            "valid" | "val" | "validation" => Some(Part::Valid),
            "test" | "testing" => Some(Part::Test),
            _ => None,
        }
    }
}

/// Rows of the nodes table by part, each list ascending. No row is in two parts; rows without a
/// label are in none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// Training rows.
    pub train: Vec<u32>,
    /// Validation rows.
    pub valid: Vec<u32>,
    /// Test rows.
    pub test: Vec<u32>,
}

/// Shares of a seeded split; the rest is for test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitFractions {
    /// Share of train. Default 0.6.
    pub train: f64,
    /// Share of valid. Default 0.2.
    pub valid: f64,
}

impl Default for SplitFractions {
    fn default() -> Self {
        SplitFractions { train: 0.6, valid: 0.2 }
    }
}

fn left_over(rows: usize) -> String {
    let verb = if rows == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(rows as u64, "row", "rows"))
}

/// Why a split is not possible. The reader of a table adds file and line.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SplitError {
    /// The same row is in two lists.
    #[error("row {row} is in {} and in {}. A node may be in one part of the split only.", first.name(), second.name())]
    Overlap {
        /// The row, from 0.
        row: u32,
        /// One part.
        first: Part,
        /// The other.
        second: Part,
    },
    /// A list names a row that does not exist.
    #[error("row {row} in {} does not exist: there are {} rows, numbered from 0.", part.name(), thousands(*rows as u64))]
    Range {
        /// The row.
        row: u32,
        /// The part.
        part: Part,
        /// How many rows there are.
        rows: usize,
    },
    /// The fractions are not above 0, or leave nothing for test.
    #[error("split fractions train {train} and valid {valid} must be above 0 and leave something for test.")]
    Fractions {
        /// Share of train.
        train: f64,
        /// Share of valid.
        valid: f64,
    },
    /// The class has one row.
    #[error("class {class} occurs only in row {row}, so it cannot be in both train and test.")]
    Lonely {
        /// The class.
        class: u32,
        /// Its only row.
        row: u32,
    },
    /// Too few labelled rows for three parts.
    #[error("{labelled} labelled rows are too few for a split into train, valid and test.")]
    TooFew {
        /// Labelled rows.
        labelled: usize,
    },
    /// A part of counted size is to be empty.
    #[error("split sizes {per_class} per class, {valid} for valid and {test} for test must all be at least 1.")]
    Sizes {
        /// Training rows of each class.
        per_class: usize,
        /// Validation rows.
        valid: usize,
        /// Test rows.
        test: usize,
    },
    /// A class has fewer rows than train should get of it.
    #[error("class {class} has {}, too few for {per_class} per class in train. Ask for fewer.", counted(*rows as u64, "row", "rows"))]
    SmallClass {
        /// The class.
        class: u32,
        /// Its rows.
        rows: usize,
        /// Training rows of each class.
        per_class: usize,
    },
    /// Too few rows are left after train.
    #[error("after train {} left, too few for {valid} in valid and {test} in test. Ask for fewer.", left_over(*left))]
    SmallRest {
        /// Rows outside train.
        left: usize,
        /// Validation rows.
        valid: usize,
        /// Test rows.
        test: usize,
    },
    /// A label is not one of the classes.
    #[error("row {row} has class {class}, which does not exist: classes are numbered from 0 to below {classes}.")]
    NoClass {
        /// The row.
        row: usize,
        /// Its class.
        class: u32,
        /// How many classes there are.
        classes: usize,
    },
    /// The masks are of different length.
    #[error(
        "the masks have length {train} for train, {valid} for valid and {test} for test. Each needs one value per row."
    )]
    MaskLengths {
        /// Length of the mask of train.
        train: usize,
        /// Length of the mask of valid.
        valid: usize,
        /// Length of the mask of test.
        test: usize,
    },
    /// More rows than can be numbered.
    #[error("{} rows are more than a split can number, {}.", thousands(*rows as u64), thousands(u64::from(u32::MAX)))]
    TooMany {
        /// The rows.
        rows: usize,
    },
}

impl SplitFractions {
    /// An error unless all three parts get something.
    pub(crate) fn check(self) -> Result<(), SplitError> {
        let SplitFractions { train, valid } = self;
        let sensible = train > 0.0 && valid > 0.0 && train + valid < 1.0;
        if sensible { Ok(()) } else { Err(SplitError::Fractions { train, valid }) }
    }
}

impl Split {
    /// A split from lists of rows in any order, checked: every row below `rows`, none twice.
    pub fn from_lists(rows: usize, train: Vec<u32>, valid: Vec<u32>, test: Vec<u32>) -> Result<Split, SplitError> {
        let mut split = Split { train, valid, test };
        let mut part_of: Vec<Option<Part>> = vec![None; rows];
        for part in Part::ALL {
            for &row in split.part(part) {
                let Some(place) = part_of.get_mut(row as usize) else {
                    return Err(SplitError::Range { row, part, rows });
                };
                if let Some(first) = place.replace(part)
                    && first != part
                {
                    return Err(SplitError::Overlap { row, first, second: part });
                }
            }
        }
        for list in [&mut split.train, &mut split.valid, &mut split.test] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(split)
    }

    /// A split from the part of each row, leaving out rows without a label.
    pub fn from_parts(parts: &[Option<Part>], labels: &[Option<u32>]) -> Split {
        let mut split = Split::default();
        for (row, (part, label)) in parts.iter().zip(labels).enumerate() {
            if let (Some(part), Some(_)) = (part, label) {
                split.part_mut(*part).push(row as u32);
            }
        }
        split
    }

    /// A seeded split that gives each class the same shares, as far as whole rows can: every
    /// class has at least one row in train and one outside. Shares are rounded over the running
    /// total of the classes, so that many small classes still add up to the fractions. The same
    /// labels and seed give the same split.
    pub fn stratified(
        labels: &[Option<u32>],
        classes: usize,
        fractions: SplitFractions,
        seed: u64,
    ) -> Result<Split, SplitError> {
        fractions.check()?;
        let SplitFractions { train, valid } = fractions;
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); classes];
        for (row, label) in labels.iter().enumerate() {
            if let Some(class) = label
                && let Some(rows) = rows_of.get_mut(*class as usize)
            {
                rows.push(row as u32);
            }
        }
        for (class, rows) in rows_of.iter().enumerate() {
            if let [row] = rows[..] {
                return Err(SplitError::Lonely { class: class as u32, row });
            }
        }
        let share = |fraction: f64, rows: usize| (fraction * rows as f64).round() as usize;
        let mut random = Stream::new(seed);
        let mut split = Split::default();
        let mut before = 0;
        for rows in rows_of.iter_mut().filter(|rows| !rows.is_empty()) {
            random.shuffle(rows);
            let after = before + rows.len();
            let taken = |fraction: f64| share(fraction, after) - share(fraction, before);
            let first = taken(train).clamp(1, rows.len() - 1);
            let second = taken(train + valid).clamp(first, rows.len());
            split.train.extend_from_slice(&rows[..first]);
            split.valid.extend_from_slice(&rows[first..second]);
            split.test.extend_from_slice(&rows[second..]);
            before = after;
        }
        if Part::ALL.iter().any(|&part| split.part(part).is_empty()) {
            return Err(SplitError::TooFew { labelled: before });
        }
        for part in Part::ALL {
            split.part_mut(part).sort_unstable();
        }
        Ok(split)
    }

    /// The rows of a part.
    pub fn part(&self, part: Part) -> &[u32] {
        match part {
            Part::Train => &self.train,
            Part::Valid => &self.valid,
            Part::Test => &self.test,
        }
    }

    fn part_mut(&mut self, part: Part) -> &mut Vec<u32> {
        match part {
            Part::Train => &mut self.train,
            Part::Valid => &mut self.valid,
            Part::Test => &mut self.test,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(sizes: &[usize]) -> Vec<Option<u32>> {
        let mut labels = Vec::new();
        for (class, &size) in sizes.iter().enumerate() {
            labels.extend(std::iter::repeat_n(Some(class as u32), size));
            labels.push(None);
        }
        Stream::new(9).shuffle(&mut labels);
        labels
    }

    #[test]
    fn stratified_covers_every_labelled_row_once_and_keeps_shares() {
        for seed in 0..20 {
            let sizes = [2, 3, 5, 7, 50, 211, 1000];
            let labels = labels(&sizes);
            let split = Split::stratified(&labels, sizes.len(), SplitFractions::default(), seed).unwrap();
            let mut all = [&split.train[..], &split.valid, &split.test].concat();
            all.sort_unstable();
            let labelled: Vec<u32> = (0..labels.len() as u32).filter(|&row| labels[row as usize].is_some()).collect();
            assert_eq!(all, labelled);
            for (class, &size) in sizes.iter().enumerate() {
                let of = |part: &[u32]| {
                    let inside = |row: &&u32| labels[**row as usize] == Some(class as u32);
                    part.iter().filter(inside).count()
                };
                let train = of(&split.train);
                assert!(train >= 1 && train < size);
                assert!((train as f64 - 0.6 * size as f64).abs() <= 1.0);
                assert!((of(&split.valid) as f64 - 0.2 * size as f64).abs() < 2.0);
            }
        }
    }

    #[test]
    fn the_seed_decides_the_split() {
        let labels = labels(&[40, 60]);
        let make = |seed| Split::stratified(&labels, 2, SplitFractions::default(), seed).unwrap();
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }

    #[test]
    fn many_pairs_still_fill_all_parts() {
        let sizes = vec![2; 100];
        let split = Split::stratified(&labels(&sizes), 100, SplitFractions::default(), 1).unwrap();
        assert_eq!(split.train.len(), 100);
        assert!(split.valid.len() >= 30 && split.test.len() >= 30);
    }

    #[test]
    fn problems_are_named() {
        let lonely = [Some(0), Some(0), None, Some(1)];
        let fractions = SplitFractions::default();
        assert_eq!(Split::stratified(&lonely, 2, fractions, 0), Err(SplitError::Lonely { class: 1, row: 3 }));
        assert_eq!(Split::stratified(&[Some(0), Some(0)], 1, fractions, 0), Err(SplitError::TooFew { labelled: 2 }));
        for (train, valid) in [(0.0, 0.5), (0.8, 0.2), (f64::NAN, 0.1), (0.5, -0.1)] {
            let wrong = SplitFractions { train, valid };
            assert!(matches!(Split::stratified(&labels(&[5, 5]), 2, wrong, 0), Err(SplitError::Fractions { .. })));
        }
    }

    #[test]
    fn lists_may_not_overlap_or_leave_the_table() {
        let split = Split::from_lists(5, vec![3, 0, 0], vec![1], vec![2]).unwrap();
        assert_eq!(split.train, [0, 3]);
        let overlap = Split::from_lists(5, vec![0, 4], vec![1], vec![4]).unwrap_err();
        assert_eq!(overlap.to_string(), "row 4 is in train and in test. A node may be in one part of the split only.");
        assert!(matches!(Split::from_lists(5, vec![5], vec![], vec![]), Err(SplitError::Range { row: 5, .. })));
    }
}
