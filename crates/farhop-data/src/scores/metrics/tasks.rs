//! Scores task by task, and their mean.

/// What one task adds to the mean.
pub(super) enum TaskScore {
    /// It counts with this score.
    Counts(f64),
    /// It cannot be scored and is left out.
    Skipped,
    /// Its values make the whole score undefined.
    Undefined,
}

/// A truth that is not missing, and the score beside it.
pub(super) type ScoredTruth = (f64, f64);

/// The number of rows, if both slices are `[rows, tasks]`.
pub(super) fn rows_of(truth: usize, scores: usize, tasks: usize) -> Option<usize> {
    let fits = tasks > 0 && truth == scores && truth.is_multiple_of(tasks);
    fits.then(|| truth / tasks)
}

/// The plain mean of `score` over the tasks that count. `score` sees the entries of one task in
/// the order of the rows, without missing ones. `None` if no task counts or one is
/// undefined.
pub(super) fn mean_over_tasks<T, S>(
    truth: &[T],
    scores: &[S],
    tasks: usize,
    score: impl Fn(&mut Vec<ScoredTruth>) -> TaskScore,
) -> Option<f64>
where
    T: Copy + Into<f64>,
    S: Copy + Into<f64>,
{
    let rows = rows_of(truth.len(), scores.len(), tasks)?;
    let (mut sum, mut counted) = (0.0, 0u64);
    let mut entries: Vec<ScoredTruth> = Vec::with_capacity(rows);
    for task in 0..tasks {
        let pairs = truth.iter().zip(scores).skip(task).step_by(tasks);
        entries.clear();
        entries.extend(pairs.map(|(&t, &s)| (t.into(), s.into())).filter(|(t, _)| !t.is_nan()));
        match score(&mut entries) {
            TaskScore::Counts(value) => {
                sum += value;
                counted += 1;
            }
            TaskScore::Skipped => {}
            TaskScore::Undefined => return None,
        }
    }
    let mean = sum / counted as f64;
    mean.is_finite().then_some(mean)
}

/// Whether all truths and scores are finite.
pub(super) fn all_finite(entries: &[ScoredTruth]) -> bool {
    entries.iter().all(|(truth, score)| truth.is_finite() && score.is_finite())
}
