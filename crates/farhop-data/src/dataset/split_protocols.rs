//! Splits as benchmarks make them: so many per class, at random, from masks.

use farhop_graph::random::Stream;

use crate::dataset::mersenne::Mersenne;
use crate::dataset::split::{Split, SplitError, SplitFractions};

impl Split {
    /// A seeded split by counts, as on citation graphs (20 per class, 500, 1,000): `per_class`
    /// random rows of each class for train, then `valid` and `test` random rows of the rest,
    /// whatever their class. Other rows are in no part, and so are rows without a label. Classes
    /// that no row has are passed over. The same labels and seed give the same split.
    ///
    /// An error if a count is 0, a label is not below `classes`, or there are too few rows.
    pub fn per_class(
        labels: &[Option<u32>],
        classes: usize,
        per_class: usize,
        valid: usize,
        test: usize,
        seed: u64,
    ) -> Result<Split, SplitError> {
        let mut random = Stream::new(seed);
        draw_per_class(labels, classes, [per_class, valid, test], |rows| random.shuffle(rows))
    }

    /// The same by PyTorch's generator, as published splits were drawn: classes ascending, a permutation of the rows of each, then
    /// one of all that is left.
    ///
    /// An error as of [`Split::per_class`].
    pub fn per_class_by_torch(
        labels: &[Option<u32>],
        classes: usize,
        per_class: usize,
        valid: usize,
        test: usize,
        seed: u32,
    ) -> Result<Split, SplitError> {
        let mut random = Mersenne::new(seed);
        draw_per_class(labels, classes, [per_class, valid, test], |rows| random.permute(rows))
    }

    /// A seeded split of `rows` rows, all of which are in some part: for graphs, and for numbers
    /// as targets. Shares are rounded to whole rows and no part is empty. The same number of rows
    /// and seed give the same split.
    ///
    /// An error if the fractions leave a part empty or there are fewer than three rows.
    pub fn random(rows: usize, fractions: SplitFractions, seed: u64) -> Result<Split, SplitError> {
        fractions.check()?;
        if rows < 3 {
            return Err(SplitError::TooFew { labelled: rows });
        }
        let last = numbered(rows)?;
        let mut order: Vec<u32> = (0..last).collect();
        Stream::new(seed).shuffle(&mut order);
        let share = |fraction: f64| (fraction * rows as f64).round() as usize;
        let first = share(fractions.train).clamp(1, rows - 2);
        let second = share(fractions.train + fractions.valid).clamp(first + 1, rows - 1);
        let (train, valid, test) = (&order[..first], &order[first..second], &order[second..]);
        Split::from_lists(rows, train.to_vec(), valid.to_vec(), test.to_vec())
    }

    /// A split from one mask per part, each with one value per row. A row may be in no part, but
    /// not in two.
    ///
    /// An error if the masks differ in length or overlap.
    pub fn from_masks(train: &[bool], valid: &[bool], test: &[bool]) -> Result<Split, SplitError> {
        let rows = train.len();
        if valid.len() != rows || test.len() != rows {
            return Err(SplitError::MaskLengths { train: rows, valid: valid.len(), test: test.len() });
        }
        numbered(rows)?;
        let marked = |mask: &[bool]| (0u32..).zip(mask).filter(|(_, inside)| **inside).map(|(row, _)| row).collect();
        Split::from_lists(rows, marked(train), marked(valid), marked(test))
    }
}

/// So many rows of each class in the order that `shuffle` gives them, and so many of the rest in the order it gives those.
fn draw_per_class(
    labels: &[Option<u32>],
    classes: usize,
    [per_class, valid, test]: [usize; 3],
    mut shuffle: impl FnMut(&mut [u32]),
) -> Result<Split, SplitError> {
    if per_class == 0 || valid == 0 || test == 0 {
        return Err(SplitError::Sizes { per_class, valid, test });
    }
    let (mut train, mut rest) = (Vec::new(), Vec::new());
    for (class, mut rows) in rows_of_classes(labels, classes)?.into_iter().enumerate() {
        if rows.is_empty() {
            continue;
        }
        shuffle(&mut rows);
        let Some((first, others)) = rows.split_at_checked(per_class) else {
            return Err(SplitError::SmallClass { class: class as u32, rows: rows.len(), per_class });
        };
        train.extend_from_slice(first);
        rest.extend_from_slice(others);
    }
    shuffle(&mut rest);
    let parts = rest.split_at_checked(valid).and_then(|(first, others)| Some((first, others.get(..test)?)));
    let Some((valid_rows, test_rows)) = parts else {
        return Err(SplitError::SmallRest { left: rest.len(), valid, test });
    };
    Split::from_lists(labels.len(), train, valid_rows.to_vec(), test_rows.to_vec())
}

/// The number of rows as a `u32`, so that every row has a number below it.
fn numbered(rows: usize) -> Result<u32, SplitError> {
    u32::try_from(rows).map_err(|_| SplitError::TooMany { rows })
}

/// The labelled rows of each class, ascending.
fn rows_of_classes(labels: &[Option<u32>], classes: usize) -> Result<Vec<Vec<u32>>, SplitError> {
    numbered(labels.len())?;
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); classes];
    for (row, label) in labels.iter().enumerate() {
        let Some(class) = *label else { continue };
        match rows_of.get_mut(class as usize) {
            Some(rows) => rows.push(row as u32),
            None => return Err(SplitError::NoClass { row, class, classes }),
        }
    }
    Ok(rows_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::split::Part;

    /// The sizes of the parts, after checking that they are ascending and share no row.
    fn sizes(split: &Split, rows: usize) -> [usize; 3] {
        let mut all: Vec<u32> = Part::ALL.iter().flat_map(|&part| split.part(part)).copied().collect();
        assert!(Part::ALL.iter().all(|&part| split.part(part).is_sorted()));
        assert!(all.iter().all(|&row| (row as usize) < rows));
        let total = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), total);
        Part::ALL.map(|part| split.part(part).len())
    }

    /// Random labels of some of 7 classes; class 3 never occurs.
    fn labels(rows: usize, seed: u64) -> Vec<Option<u32>> {
        let mut random = Stream::new(seed);
        let mut draw = || [Some(0), Some(1), Some(2), Some(4), Some(5), Some(6), None][random.below(7) as usize];
        (0..rows).map(|_| draw()).collect()
    }

    #[test]
    fn counts_per_class_are_kept() {
        for seed in 0..20 {
            let labels = labels(600, seed);
            let split = Split::per_class(&labels, 7, 20, 100, 150, seed).unwrap();
            assert_eq!(sizes(&split, 600), [120, 100, 150]);
            for class in [0, 1, 2, 4, 5, 6] {
                let of_class = split.train.iter().filter(|&&row| labels[row as usize] == Some(class));
                assert_eq!(of_class.count(), 20);
            }
            let unlabelled = |row: &&u32| labels[**row as usize].is_none();
            assert_eq!(Part::ALL.iter().flat_map(|&part| split.part(part)).filter(unlabelled).count(), 0);
        }
    }

    #[test]
    fn every_row_gets_its_turn() {
        // Each of 10 rows of a class is one of the 3 in train in three tenths of the seeds.
        let labels: Vec<Option<u32>> = (0..20).map(|row| Some(row % 2)).collect();
        let mut met = [[0u32; 20]; 3];
        for seed in 0..2000 {
            let split = Split::per_class(&labels, 2, 3, 4, 6, seed).unwrap();
            for (met, part) in met.iter_mut().zip(Part::ALL) {
                split.part(part).iter().for_each(|&row| met[row as usize] += 1);
            }
        }
        for (met, expected) in met.iter().zip([600.0, 400.0, 600.0]) {
            assert!(met.iter().all(|&count| (f64::from(count) - expected).abs() < 120.0), "{met:?}");
        }
    }

    #[test]
    fn random_splits_cover_all_rows_in_their_shares() {
        for rows in 3..200 {
            for (train, valid) in [(0.6, 0.2), (0.8, 0.1), (0.01, 0.01), (0.98, 0.01)] {
                let split = Split::random(rows, SplitFractions { train, valid }, rows as u64).unwrap();
                let sizes = sizes(&split, rows);
                assert_eq!(sizes.iter().sum::<usize>(), rows);
                for (size, share) in sizes.into_iter().zip([train, valid, 1.0 - train - valid]) {
                    assert!(size >= 1 && (size as f64 - share * rows as f64).abs() < 2.0);
                }
            }
        }
        let split = Split::random(1000, SplitFractions::default(), 1).unwrap();
        assert_eq!(sizes(&split, 1000), [600, 200, 200]);
    }

    #[test]
    fn the_seed_decides() {
        let labels = labels(300, 1);
        let by_class = |seed| Split::per_class(&labels, 7, 5, 30, 50, seed).unwrap();
        let random = |seed| Split::random(300, SplitFractions::default(), seed).unwrap();
        assert_eq!((by_class(3), random(3)), (by_class(3), random(3)));
        assert_ne!(by_class(3), by_class(4));
        assert_ne!(random(3), random(4));
    }

    #[test]
    fn masks_are_read_back() {
        for seed in 0..20 {
            let split = Split::random(50, SplitFractions::default(), seed).unwrap();
            let mask = |part| (0..50).map(|row| split.part(part).contains(&row)).collect::<Vec<bool>>();
            let [train, valid, test] = Part::ALL.map(mask);
            assert_eq!(Split::from_masks(&train, &valid, &test), Ok(split));
        }
        assert_eq!(Split::from_masks(&[], &[], &[]), Ok(Split::default()));
    }

    #[test]
    fn problems_are_named() {
        let text = |result: Result<Split, SplitError>| result.unwrap_err().to_string();
        let labels = [Some(0), Some(0), Some(0), Some(1), Some(1), None];
        assert_eq!(
            text(Split::per_class(&labels, 2, 0, 1, 1, 0)),
            "split sizes 0 per class, 1 for valid and 1 for test must all be at least 1."
        );
        assert_eq!(
            text(Split::per_class(&labels, 2, 3, 1, 1, 0)),
            "class 1 has 2 rows, too few for 3 per class in train. Ask for fewer."
        );
        assert_eq!(
            text(Split::per_class(&labels, 2, 2, 1, 1, 0)),
            "after train 1 row is left, too few for 1 in valid and 1 in test. Ask for fewer."
        );
        assert_eq!(
            text(Split::per_class(&labels, 1, 1, 1, 1, 0)),
            "row 3 has class 1, which does not exist: classes are numbered from 0 to below 1."
        );
        assert!(Split::per_class(&labels, 2, 1, usize::MAX, usize::MAX, 0).is_err());
        let fractions = SplitFractions::default();
        assert_eq!(Split::random(2, fractions, 0), Err(SplitError::TooFew { labelled: 2 }));
        let nothing_for_test = SplitFractions { train: 0.5, valid: 0.5 };
        assert!(matches!(Split::random(9, nothing_for_test, 0), Err(SplitError::Fractions { .. })));
        assert_eq!(
            text(Split::from_masks(&[true], &[true, false], &[])),
            "the masks have length 1 for train, 2 for valid and 0 for test. Each needs one value per row."
        );
        assert_eq!(
            Split::from_masks(&[false, true], &[false, false], &[false, true]),
            Err(SplitError::Overlap { row: 1, first: Part::Train, second: Part::Test })
        );
    }
}
