//! Scores of predicted numbers.

use super::tasks::{ScoredTruth, TaskScore, all_finite, mean_over_tasks};

/// The mean over tasks of a score that needs `least` finite entries.
fn mean_of_errors<T, P>(
    truth: &[T],
    predicted: &[P],
    tasks: usize,
    least: usize,
    score: impl Fn(&[ScoredTruth]) -> f64,
) -> Option<f64>
where
    T: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    mean_over_tasks(truth, predicted, tasks, |entries| {
        if entries.len() < least {
            TaskScore::Skipped
        } else if !all_finite(entries) {
            TaskScore::Undefined
        } else {
            TaskScore::Counts(score(entries))
        }
    })
}

fn sum(entries: &[ScoredTruth], term: impl Fn(&ScoredTruth) -> f64) -> f64 {
    entries.iter().map(term).sum()
}

fn squared_error(entry: &ScoredTruth) -> f64 {
    (entry.0 - entry.1).powi(2)
}

/// Mean absolute error: `mean |y - p|` of each task, then the plain mean over the tasks.
///
/// `truth` and `predicted` are `[rows, tasks]`; a truth of NaN is missing, and a task without any
/// truth is left out. `None` as told in the [module](super).
pub fn mean_absolute_error<T, P>(truth: &[T], predicted: &[P], tasks: usize) -> Option<f64>
where
    T: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    let mean = |entries: &[ScoredTruth]| sum(entries, |(y, p)| (y - p).abs()) / entries.len() as f64;
    mean_of_errors(truth, predicted, tasks, 1, mean)
}

/// Mean squared error: `mean (y - p)²` of each task, then the plain mean over the tasks. Shapes
/// and `None` as in [`mean_absolute_error`].
pub fn mean_squared_error<T, P>(truth: &[T], predicted: &[P], tasks: usize) -> Option<f64>
where
    T: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    let mean = |entries: &[ScoredTruth]| sum(entries, squared_error) / entries.len() as f64;
    mean_of_errors(truth, predicted, tasks, 1, mean)
}

/// Root mean squared error: `√(mean (y - p)²)` of each task, then the plain mean over the tasks
/// (the root comes before that mean, as in OGB and scikit-learn). Shapes and `None` as in
/// [`mean_absolute_error`].
pub fn root_mean_squared_error<T, P>(truth: &[T], predicted: &[P], tasks: usize) -> Option<f64>
where
    T: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    let root = |entries: &[ScoredTruth]| (sum(entries, squared_error) / entries.len() as f64).sqrt();
    mean_of_errors(truth, predicted, tasks, 1, root)
}

/// Coefficient of determination: `1 - sum (y - p)² / sum (y - mean y)²` of each task, then the
/// plain mean over the tasks.
///
/// A task whose truth is constant has 1 if every prediction is exact and 0 otherwise. A task with
/// fewer than two truths is left out. Shapes and `None` as in [`mean_absolute_error`].
pub fn r2<T, P>(truth: &[T], predicted: &[P], tasks: usize) -> Option<f64>
where
    T: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    mean_of_errors(truth, predicted, tasks, 2, determination)
}

fn determination(entries: &[ScoredTruth]) -> f64 {
    let errors = sum(entries, squared_error);
    if errors == 0.0 {
        return 1.0;
    }
    // Asked directly: the mean of equal numbers can be off by a rounding, which would leave a
    // tiny spread to divide by.
    if entries.windows(2).all(|pair| pair[0].0 == pair[1].0) {
        return 0.0;
    }
    let mean = sum(entries, |entry| entry.0) / entries.len() as f64;
    1.0 - errors / sum(entries, |entry| (entry.0 - mean).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    type Score = fn(&[f64], &[f64], usize) -> Option<f64>;

    const ALL: [Score; 4] = [mean_absolute_error, mean_squared_error, root_mean_squared_error, r2];

    #[test]
    fn exact_predictions_are_best_and_the_mean_predicts_nothing() {
        let mut random = Stream::new(2);
        for rows in 2..40 {
            let truth: Vec<f64> = (0..rows).map(|_| random.normal()).collect();
            let scores = ALL.map(|score| score(&truth, &truth, 1).unwrap());
            assert_eq!(scores, [0.0, 0.0, 0.0, 1.0]);
            let mean = truth.iter().sum::<f64>() / rows as f64;
            assert!(r2(&truth, &vec![mean; rows], 1).unwrap().abs() < 1e-12);
        }
    }

    #[test]
    fn shifts_and_scales_act_as_the_formulas_say() {
        let mut random = Stream::new(3);
        for _ in 0..50 {
            let mut draw = || (0..24).map(|_| random.normal()).collect::<Vec<f64>>();
            let (truth, predicted) = (draw(), draw());
            let moved = |values: &[f64]| values.iter().map(|v| 3.0 - 2.0 * v).collect::<Vec<f64>>();
            let before = ALL.map(|score| score(&truth, &predicted, 3).unwrap());
            let after = ALL.map(|score| score(&moved(&truth), &moved(&predicted), 3).unwrap());
            for ((before, after), factor) in before.iter().zip(after).zip([2.0, 4.0, 2.0, 1.0]) {
                assert!((factor * before - after).abs() < 1e-11 * (1.0 + after.abs()));
            }
        }
    }

    #[test]
    fn a_constant_truth_explains_itself_or_nothing() {
        // A tenth added up three times is not three tenths.
        let truth = [0.1f64; 3];
        assert_eq!(r2(&truth, &[0.1, 0.1, 0.1], 1), Some(1.0));
        assert_eq!(r2(&truth, &[0.1, 0.2, 0.1], 1), Some(0.0));
    }

    #[test]
    fn undefined_scores_are_none() {
        for score in ALL {
            assert_eq!(score(&[], &[], 1), None);
            assert_eq!(score(&[f64::NAN, f64::NAN], &[1.0, 2.0], 1), None);
            for bad in [f64::NAN, f64::INFINITY] {
                assert_eq!(score(&[1.0, 2.0], &[1.0, bad], 1), None);
            }
            assert_eq!(score(&[1.0, f64::INFINITY], &[1.0, 2.0], 1), None);
            assert_eq!(score(&[1.0, 2.0], &[1.0], 1), None);
            assert_eq!(score(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 2), None);
            assert_eq!(score(&[1.0, 2.0], &[1.0, 2.0], 0), None);
        }
        assert_eq!(r2(&[1.0f32], &[1.0f32], 1), None);
        // Finite input whose squares overflow.
        assert_eq!(mean_squared_error(&[1e200], &[-1e200], 1), None);
    }
}
