//! Accuracy and balanced accuracy of yes/no labels.

use super::tasks::{ScoredTruth, TaskScore, mean_over_tasks, rows_of};

/// A truth of 1 is yes, 0 is no; a score above the threshold says yes. `None` if the truth is
/// neither, or the score is not finite.
fn is_right((truth, score): ScoredTruth, threshold: f64) -> Option<bool> {
    let sensible = (truth == 0.0 || truth == 1.0) && score.is_finite();
    sensible.then_some((score > threshold) == (truth == 1.0))
}

/// The share of right labels: of each task over its entries that are not missing, then the plain
/// mean over the tasks that have any.
///
/// `truth` and `scores` are `[rows, tasks]`, the truth 0, 1 or NaN for missing. A score above
/// `threshold` says 1: 0 for logits, 0.5 for probabilities. With one task this is binary
/// accuracy. `None` as told in the [module](super).
pub fn label_accuracy<S: Copy + Into<f64>>(truth: &[f32], scores: &[S], tasks: usize, threshold: f64) -> Option<f64> {
    mean_over_tasks(truth, scores, tasks, |entries| {
        if entries.is_empty() {
            return TaskScore::Skipped;
        }
        let mut right = 0u64;
        for &entry in entries.iter() {
            match is_right(entry, threshold) {
                Some(is_right) => right += u64::from(is_right),
                None => return TaskScore::Undefined,
            }
        }
        TaskScore::Counts(right as f64 / entries.len() as f64)
    })
}

/// The mean of the shares of right labels among the yeses and among the noes: of each task over its entries that are not
/// missing, then the plain mean over the tasks that have both. Shapes, threshold and `None` as in [`label_accuracy`].
pub fn label_balanced_accuracy<S: Copy + Into<f64>>(
    truth: &[f32],
    scores: &[S],
    tasks: usize,
    threshold: f64,
) -> Option<f64> {
    mean_over_tasks(truth, scores, tasks, |entries| {
        let (mut right, mut all) = ([0u64; 2], [0u64; 2]);
        for &entry in entries.iter() {
            let Some(is_right) = is_right(entry, threshold) else {
                return TaskScore::Undefined;
            };
            let yes = usize::from(entry.0 == 1.0);
            right[yes] += u64::from(is_right);
            all[yes] += 1;
        }
        match all {
            [0, _] | [_, 0] => TaskScore::Skipped,
            [noes, yeses] => TaskScore::Counts(0.5 * (right[0] as f64 / noes as f64 + right[1] as f64 / yeses as f64)),
        }
    })
}

/// The share of rows whose labels are all right; missing entries are not looked at and rows
/// without any label are left out. Shapes, threshold and `None` as in [`label_accuracy`].
pub fn subset_accuracy<S: Copy + Into<f64>>(truth: &[f32], scores: &[S], tasks: usize, threshold: f64) -> Option<f64> {
    rows_of(truth.len(), scores.len(), tasks)?;
    let (mut right, mut counted) = (0u64, 0u64);
    for (truth, scores) in truth.chunks_exact(tasks).zip(scores.chunks_exact(tasks)) {
        let (mut all_right, mut any) = (true, false);
        for (&truth, &score) in truth.iter().zip(scores).filter(|(truth, _)| !truth.is_nan()) {
            all_right &= is_right((truth.into(), score.into()), threshold)?;
            any = true;
        }
        right += u64::from(any && all_right);
        counted += u64::from(any);
    }
    (counted > 0).then(|| right as f64 / counted as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_itself_says_no() {
        assert_eq!(label_accuracy(&[0.0, 1.0], &[0.5, 0.5], 1, 0.5), Some(0.5));
        assert_eq!(label_accuracy(&[0.0, 1.0], &[0.5, 0.5], 1, 0.4), Some(0.5));
        assert_eq!(label_accuracy(&[1.0, 1.0], &[0.5, 0.5], 1, 0.5), Some(0.0));
        assert_eq!(label_accuracy(&[1.0, 1.0], &[0.5, 0.5], 1, 0.4), Some(1.0));
    }

    #[test]
    fn tasks_weigh_alike_and_rows_without_labels_do_not_count() {
        let nan = f32::NAN;
        // Task 0 has three entries, two right; task 1 has one, right; task 2 has none.
        let truth = [1.0, 0.0, nan, 1.0, nan, nan, 0.0, nan, nan, nan, nan, nan];
        let scores = [1.0f32, -1.0, nan, 1.0, nan, 3.0, 2.0, 5.0, nan, nan, nan, nan];
        let mean = label_accuracy(&truth, &scores, 3, 0.0).unwrap();
        assert!((mean - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-15);
        assert_eq!(subset_accuracy(&truth, &scores, 3, 0.0), Some(2.0 / 3.0));
    }

    #[test]
    fn undefined_scores_are_none() {
        for score in [label_accuracy::<f32>, subset_accuracy::<f32>] {
            assert_eq!(score(&[], &[], 1, 0.0), None);
            assert_eq!(score(&[f32::NAN], &[1.0], 1, 0.0), None);
            assert_eq!(score(&[0.5], &[1.0], 1, 0.0), None);
            assert_eq!(score(&[1.0], &[f32::NAN], 1, 0.0), None);
            assert_eq!(score(&[1.0], &[f32::INFINITY], 1, 0.0), None);
            assert_eq!(score(&[1.0, 1.0], &[1.0], 1, 0.0), None);
            assert_eq!(score(&[1.0, 1.0, 0.0], &[1.0, 1.0, 1.0], 2, 0.0), None);
            assert_eq!(score(&[1.0], &[1.0], 0, 0.0), None);
        }
    }
}
