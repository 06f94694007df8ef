//! Scores over all thresholds at once: area under the ROC curve and average precision.

use super::tasks::{ScoredTruth, TaskScore, all_finite, mean_over_tasks};

/// Rows of equal score: how many are positive and how many negative.
#[derive(Clone, Copy)]
struct Tie {
    positive: u64,
    negative: u64,
}

/// Why a task has no ties to score, or its ties in order of falling score.
enum Task {
    OneClass,
    Undefined,
    Ties(Vec<Tie>),
}

/// Sorts the entries of a task. OGB's rule: a task counts if it has a positive and a negative
/// entry.
fn task(entries: &mut [ScoredTruth]) -> Task {
    let positive = entries.iter().filter(|entry| entry.0 == 1.0).count();
    let negative = entries.iter().filter(|entry| entry.0 == 0.0).count();
    if positive + negative != entries.len() {
        return Task::Undefined;
    }
    if positive == 0 || negative == 0 {
        return Task::OneClass;
    }
    if !all_finite(entries) {
        return Task::Undefined;
    }
    entries.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    // Compared by ==, so that 0.0 and -0.0, neighbours in the total order, are one tie.
    let ties = entries.chunk_by(|a, b| a.1 == b.1).map(|tie| {
        let positive = tie.iter().filter(|entry| entry.0 == 1.0).count() as u64;
        Tie { positive, negative: tie.len() as u64 - positive }
    });
    Task::Ties(ties.collect())
}

fn mean_of_ties<S: Copy + Into<f64>>(
    truth: &[f32],
    scores: &[S],
    tasks: usize,
    score: impl Fn(&[Tie]) -> f64,
) -> Option<f64> {
    mean_over_tasks(truth, scores, tasks, |entries| match task(entries) {
        Task::OneClass => TaskScore::Skipped,
        Task::Undefined => TaskScore::Undefined,
        Task::Ties(ties) => TaskScore::Counts(score(&ties)),
    })
}

/// Area under the ROC curve: the share of pairs of a positive and a negative row in which the
/// positive one has the higher score, a tie counting one half,
/// `(#{s_p > s_n} + #{s_p = s_n} / 2) / (positives · negatives)`.
///
/// `truth` and `scores` are `[rows, tasks]`, the truth 0, 1 or NaN for missing. The plain mean
/// over the tasks that have a positive and a negative entry (OGB's rule). `None` if no task has,
/// and as told in the [module](super).
pub fn roc_auc<S: Copy + Into<f64>>(truth: &[f32], scores: &[S], tasks: usize) -> Option<f64> {
    mean_of_ties(truth, scores, tasks, |ties| {
        // Twice the number of won pairs, so that halves stay whole numbers.
        let (mut won_twice, mut positive) = (0u128, 0u128);
        let mut negative = 0u128;
        for tie in ties {
            won_twice += u128::from(tie.negative) * (2 * positive + u128::from(tie.positive));
            positive += u128::from(tie.positive);
            negative += u128::from(tie.negative);
        }
        won_twice as f64 / (2 * positive * negative) as f64
    })
}

/// Average precision: `sum_k (R_k - R_(k-1)) P_k` over the different scores in falling order,
/// where precision `P_k` and recall `R_k` are those of calling every row with at least the `k`-th
/// score positive. Rows of equal score enter together; nothing is interpolated.
///
/// `truth` and `scores` are `[rows, tasks]`, the truth 0, 1 or NaN for missing. The plain mean
/// over the tasks that have a positive and a negative entry (OGB's rule). `None` if no task has,
/// and as told in the [module](super).
pub fn average_precision<S: Copy + Into<f64>>(truth: &[f32], scores: &[S], tasks: usize) -> Option<f64> {
    mean_of_ties(truth, scores, tasks, |ties| {
        let (mut sum, mut found, mut called) = (0.0, 0u64, 0u64);
        for tie in ties {
            found += tie.positive;
            called += tie.positive + tie.negative;
            sum += tie.positive as f64 * (found as f64 / called as f64);
        }
        sum / found as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    /// Truth with missing entries and scores of few different values, so that ties are common.
    fn draw(random: &mut Stream, rows: u64, tasks: u64, values: u64) -> (Vec<f32>, Vec<f32>) {
        let mut truth = Vec::new();
        let mut scores = Vec::new();
        for _ in 0..rows * tasks {
            truth.push([0.0, 0.0, 1.0, 1.0, f32::NAN][random.below(5) as usize]);
            scores.push(random.below(values) as f32 / 8.0 - 2.0);
        }
        (truth, scores)
    }

    fn rounds(check: impl Fn(&mut Stream, &[f32], &[f32], usize)) {
        let mut random = Stream::new(5);
        for round in 0..200 {
            let (rows, tasks) = (1 + random.below(40), 1 + round % 4);
            let (truth, scores) = draw(&mut random, rows, tasks, 2 + round % 32);
            check(&mut random, &truth, &scores, tasks as usize);
        }
    }

    #[test]
    fn only_the_order_of_scores_matters() {
        rounds(|_, truth, scores, tasks| {
            let curved: Vec<f64> = scores.iter().map(|&s| 1.0 / (1.0 + (-f64::from(s)).exp())).collect();
            assert_eq!(roc_auc(truth, scores, tasks), roc_auc(truth, &curved, tasks));
            assert_eq!(average_precision(truth, scores, tasks), average_precision(truth, &curved, tasks));
        });
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        rounds(|random, truth, scores, tasks| {
            let mut order: Vec<usize> = (0..truth.len() / tasks).collect();
            random.shuffle(&mut order);
            let permuted = |values: &[f32]| -> Vec<f32> {
                order.iter().flat_map(|&row| values[row * tasks..(row + 1) * tasks].to_vec()).collect()
            };
            let (other_truth, other_scores) = (permuted(truth), permuted(scores));
            assert_eq!(roc_auc(truth, scores, tasks), roc_auc(&other_truth, &other_scores, tasks));
            let permuted = average_precision(&other_truth, &other_scores, tasks);
            assert_eq!(average_precision(truth, scores, tasks), permuted);
        });
    }

    #[test]
    fn the_area_of_scores_and_of_their_negatives_is_one() {
        rounds(|_, truth, scores, tasks| {
            let negated: Vec<f32> = scores.iter().map(|s| -s).collect();
            if let Some(area) = roc_auc(truth, scores, tasks) {
                assert!((area + roc_auc(truth, &negated, tasks).unwrap() - 1.0).abs() < 1e-14);
            }
        });
    }

    #[test]
    fn the_area_counts_pairs() {
        rounds(|_, truth, scores, tasks| {
            if tasks > 1 {
                return;
            }
            let (mut won, mut pairs) = (0.0, 0.0);
            for (t, s) in truth.iter().zip(scores).filter(|(t, _)| **t == 1.0) {
                for (_, other) in truth.iter().zip(scores).filter(|(t, _)| **t == 0.0) {
                    won += if s > other { 1.0 } else { 0.5 * f64::from(u8::from(s == other)) };
                    pairs += *t as f64;
                }
            }
            let by_hand = (pairs > 0.0).then(|| won / pairs);
            assert_eq!(roc_auc(truth, scores, 1), by_hand);
        });
    }

    #[test]
    fn perfect_scores_and_constant_scores() {
        let truth = [0.0, 1.0, 0.0, 1.0, 0.0];
        assert_eq!(roc_auc(&truth, &truth, 1), Some(1.0));
        assert_eq!(average_precision(&truth, &truth, 1), Some(1.0));
        assert_eq!(roc_auc(&truth, &[7.0; 5], 1), Some(0.5));
        assert_eq!(average_precision(&truth, &[7.0; 5], 1), Some(0.4));
        // Zero has two signs and one value.
        assert_eq!(roc_auc(&truth, &[0.0, -0.0, 0.0, -0.0, -0.0], 1), Some(0.5));
    }

    #[test]
    fn undefined_scores_are_none() {
        for score in [roc_auc::<f32>, average_precision::<f32>] {
            assert_eq!(score(&[], &[], 1), None);
            assert_eq!(score(&[1.0, 1.0], &[0.1, 0.2], 1), None);
            assert_eq!(score(&[0.0, f32::NAN], &[0.1, 0.2], 1), None);
            assert_eq!(score(&[0.0, 0.5, 1.0], &[0.1, 0.2, 0.3], 1), None);
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                assert_eq!(score(&[0.0, 1.0], &[0.1, bad], 1), None);
                // Beside a missing truth nobody asks.
                assert_eq!(score(&[0.0, 1.0, f32::NAN], &[0.1, 0.2, bad], 1), Some(1.0));
            }
            assert_eq!(score(&[0.0, 1.0], &[0.1], 1), None);
            assert_eq!(score(&[0.0, 1.0, 1.0], &[0.1, 0.2, 0.3], 2), None);
            assert_eq!(score(&[0.0, 1.0], &[0.1, 0.2], 0), None);
        }
    }
}
