//! Scores of predicted classes: accuracy, balanced accuracy and macro F1 of a table of counts.

use crate::error::DataError;

/// How often each true class was predicted as each class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    /// `[true class, predicted class]`.
    counts: Vec<u64>,
}

impl Confusion {
    /// Counts pairs of true and predicted class. Both lists have the same length and all classes
    /// are below `classes`; otherwise an error.
    pub fn new(truth: &[u32], predicted: &[u32], classes: usize) -> Result<Confusion, DataError> {
        if truth.len() != predicted.len() {
            return Err(DataError::Mismatch {
                what: format!("{} labels cannot be compared with {} predictions.", truth.len(), predicted.len()),
            });
        }
        let mut counts = vec![0; classes * classes];
        for (&t, &p) in truth.iter().zip(predicted) {
            let largest = t.max(p) as usize;
            if largest >= classes {
                return Err(DataError::Mismatch {
                    what: format!("class {largest} does not exist: there are {classes} classes."),
                });
            }
            counts[t as usize * classes + p as usize] += 1;
        }
        Ok(Confusion { classes, counts })
    }

    /// Rows with class `truth` that were predicted as `predicted`.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth * self.classes + predicted]
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Share of right predictions, `sum_c count(c, c) / total`. `None` without rows.
    pub fn accuracy(&self) -> Option<f64> {
        let right: u64 = (0..self.classes).map(|c| self.count(c, c)).sum();
        let total = self.total();
        (total > 0).then(|| right as f64 / total as f64)
    }

    /// Rows of a class that were predicted as it, as a share. `None` for a class without rows.
    pub fn recall(&self, class: usize) -> Option<f64> {
        let rows: u64 = (0..self.classes).map(|p| self.count(class, p)).sum();
        (rows > 0).then(|| self.count(class, class) as f64 / rows as f64)
    }

    /// Rows predicted as a class that have it, as a share. `None` for a class that is never predicted.
    pub fn precision(&self, class: usize) -> Option<f64> {
        let rows: u64 = (0..self.classes).map(|t| self.count(t, class)).sum();
        (rows > 0).then(|| self.count(class, class) as f64 / rows as f64)
    }

    /// The plain mean of recall over the classes that have rows: every class counts the same, however rare. `None` without
    /// rows.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let recalls: Vec<f64> = (0..self.classes).filter_map(|c| self.recall(c)).collect();
        (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64)
    }

    /// F1 of a class, `2 tp / (2 tp + fp + fn)`. `None` for a class that is neither true nor
    /// predicted in any row.
    pub fn f1(&self, class: usize) -> Option<f64> {
        let right = self.count(class, class);
        let truth: u64 = (0..self.classes).map(|p| self.count(class, p)).sum();
        let predicted: u64 = (0..self.classes).map(|t| self.count(t, class)).sum();
        let both = truth + predicted;
        (both > 0).then(|| 2.0 * right as f64 / both as f64)
    }

    /// The plain mean of F1 over the classes that are true or predicted in some row. `None`
    /// without rows.
    pub fn macro_f1(&self) -> Option<f64> {
        let scores: Vec<f64> = (0..self.classes).filter_map(|c| self.f1(c)).collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }
}

/// The class with the largest score in each row of `[rows, classes]`; the first of equals. A
/// score that is NaN never wins; a row of NaN alone is class 0.
pub fn largest(scores: &[f32], classes: usize) -> Vec<u32> {
    if classes == 0 {
        return Vec::new();
    }
    let best = |row: &[f32]| {
        let mut best = (f32::NEG_INFINITY, 0);
        for (class, &score) in row.iter().enumerate() {
            if score > best.0 {
                best = (score, class as u32);
            }
        }
        best.1
    };
    scores.chunks_exact(classes).map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    /// Precision and recall written out, class by class.
    fn macro_f1_by_hand(truth: &[u32], predicted: &[u32], classes: u32) -> f64 {
        let (mut sum, mut met) = (0.0, 0.0);
        for c in 0..classes {
            let pairs = || truth.iter().zip(predicted);
            let right = pairs().filter(|&(&t, &p)| t == c && p == c).count() as f64;
            let true_rows = truth.iter().filter(|&&t| t == c).count() as f64;
            let predicted_rows = predicted.iter().filter(|&&p| p == c).count() as f64;
            if true_rows + predicted_rows == 0.0 {
                continue;
            }
            met += 1.0;
            if right > 0.0 {
                let (precision, recall) = (right / predicted_rows, right / true_rows);
                sum += 2.0 * precision * recall / (precision + recall);
            }
        }
        sum / met
    }

    #[test]
    fn agrees_with_precision_and_recall_on_random_rows() {
        let mut random = Stream::new(1);
        for round in 0..200 {
            let classes = 2 + round % 7;
            let rows = 1 + random.below(30);
            let mut draw = || (0..rows).map(|_| random.below(classes) as u32).collect();
            let (truth, predicted): (Vec<u32>, Vec<u32>) = (draw(), draw());
            let confusion = Confusion::new(&truth, &predicted, classes as usize).unwrap();
            let by_hand = macro_f1_by_hand(&truth, &predicted, classes as u32);
            assert!((confusion.macro_f1().unwrap() - by_hand).abs() < 1e-12);
            let right = truth.iter().zip(&predicted).filter(|(t, p)| t == p).count();
            let accuracy = right as f64 / rows as f64;
            assert_eq!(confusion.accuracy(), Some(accuracy));
            assert_eq!(confusion.total(), rows);
        }
    }

    #[test]
    fn the_names_of_classes_do_not_matter() {
        let mut random = Stream::new(8);
        for round in 0..100 {
            let classes = 2 + round % 9;
            let mut draw = || (0..25).map(|_| random.below(classes) as u32).collect::<Vec<u32>>();
            let (truth, predicted) = (draw(), draw());
            let mut name: Vec<u32> = (0..classes as u32).collect();
            random.shuffle(&mut name);
            let renamed = |rows: &[u32]| rows.iter().map(|&class| name[class as usize]).collect::<Vec<u32>>();
            let before = Confusion::new(&truth, &predicted, classes as usize).unwrap();
            let after = Confusion::new(&renamed(&truth), &renamed(&predicted), classes as usize).unwrap();
            assert_eq!(before.accuracy(), after.accuracy());
            assert!((before.macro_f1().unwrap() - after.macro_f1().unwrap()).abs() < 1e-14);
        }
    }

    #[test]
    fn degenerate_cases() {
        let nothing = Confusion::new(&[], &[], 3).unwrap();
        assert_eq!((nothing.accuracy(), nothing.macro_f1()), (None, None));
        let perfect = Confusion::new(&[2, 2, 0], &[2, 2, 0], 4).unwrap();
        assert_eq!((perfect.accuracy(), perfect.macro_f1()), (Some(1.0), Some(1.0)));
        assert_eq!((nothing.balanced_accuracy(), perfect.balanced_accuracy()), (None, Some(1.0)));
        let lazy = Confusion::new(&[0, 0, 0, 1], &[0; 4], 3).unwrap();
        assert_eq!((lazy.accuracy(), lazy.balanced_accuracy()), (Some(0.75), Some(0.5)));
        assert_eq!((lazy.precision(0), lazy.precision(1), lazy.recall(2)), (Some(0.75), None, None));
        let wrong = Confusion::new(&[0, 0], &[1, 1], 2).unwrap();
        assert_eq!((wrong.accuracy(), wrong.macro_f1()), (Some(0.0), Some(0.0)));
        assert!(Confusion::new(&[0], &[], 2).is_err());
        assert!(Confusion::new(&[0], &[2], 2).is_err());
    }

    #[test]
    fn the_largest_score_wins_and_the_first_of_equals() {
        let scores = [1.0, 3.0, 2.0, 5.0, 5.0, 0.0, f32::NAN, -2.0, -1.0];
        assert_eq!(largest(&scores, 3), [1, 0, 2]);
        assert_eq!(largest(&[f32::NAN, f32::NAN], 2), [0]);
        assert_eq!(largest(&[], 3), [0u32; 0]);
    }
}
