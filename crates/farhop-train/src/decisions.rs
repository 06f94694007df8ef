//! What a model's outputs come to: yes or no, or one class of several.

use farhop_data::metrics::{Confusion, Metric, largest};
use farhop_data::{Part, Target};
use farhop_nn::Model;

use crate::score::{Failed, evaluate, evaluate_rows, outputs_of_parts, probabilities};
use crate::task::Task;
use crate::together::{OwnPart, joined};
use crate::{Outputs, Scores, TrainError};

/// The names of the answers to a single question, no first.
const ANSWERS: [&str; 2] = ["no", "yes"];

/// How often each true class was taken for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusions {
    /// The names of the classes; of a single question `no` and `yes`.
    pub names: Vec<String>,
    /// The counts.
    pub counts: Confusion,
}

impl Confusions {
    /// Of outputs for rows of the target. None where no class is chosen: numbers, pairs, several questions, or no known row.
    pub fn of(target: &Target, outputs: &Outputs, thresholds: Option<&[f32]>) -> Option<Confusions> {
        let (names, truth): (Vec<String>, Vec<Option<u32>>) = match target {
            Target::Class { labels, classes } => {
                (classes.clone(), outputs.rows.iter().map(|row| labels[*row as usize]).collect())
            }
            Target::Binary { values, names } if names.len() == 1 => {
                let answer = |row: &u32| Some(values[*row as usize]).filter(|value| !value.is_nan());
                let truth = outputs.rows.iter().map(|row| answer(row).map(|value| value as u32));
                (ANSWERS.map(str::to_string).to_vec(), truth.collect())
            }
            _ => return None,
        };
        let chosen = choices(target, &outputs.values, thresholds);
        let known = truth.iter().zip(chosen).filter_map(|(truth, choice)| Some(((*truth)?, choice)));
        let (truth, chosen): (Vec<u32>, Vec<u32>) = known.unzip();
        let counts = Confusion::new(&truth, &chosen, names.len()).ok().filter(|counts| counts.total() > 0)?;
        Some(Confusions { names, counts })
    }
}

/// The class of every row, or the answer (0 or 1) to every question. Two classes and questions are decided by the
/// thresholds; without them the most probable class wins, and a probability above one half is a yes.
pub(crate) fn choices(target: &Target, values: &[f32], thresholds: Option<&[f32]>) -> Vec<u32> {
    match (target, thresholds) {
        (Target::Class { classes, .. }, Some([threshold])) if classes.len() == 2 => {
            let shares = probabilities(target, values);
            shares.chunks_exact(2).map(|row| u32::from(row[1] > *threshold)).collect()
        }
        (Target::Class { classes, .. }, _) => largest(values, classes.len()),
        (_, Some(thresholds)) => {
            let shares = probabilities(target, values);
            shares.iter().zip(thresholds.iter().cycle()).map(|(share, limit)| u32::from(share > limit)).collect()
        }
        (_, None) => values.iter().map(|value| u32::from(*value > 0.0)).collect(),
    }
}

/// For each question (or for the second of two classes) the probability above which the answer is yes, with the best
/// balanced accuracy on these rows. A question that these rows do not answer both ways is decided at one half. None where
/// nothing is to be chosen: other targets, scores that depend on decisions and were taken at one half, or no such question.
pub fn choose_thresholds(metric: Metric, target: &Target, outputs: &Outputs) -> Option<Vec<f32>> {
    if !metric.is_of_ranking() {
        return None;
    }
    let shares = probabilities(target, &outputs.values);
    let rows = || outputs.rows.iter().map(|row| *row as usize).enumerate();
    let found: Vec<Option<f32>> = match target {
        Target::Class { labels, classes } if classes.len() == 2 => {
            let known = rows().filter_map(|(at, row)| Some((shares[2 * at + 1], labels[row]? == 1)));
            vec![best_threshold(known.collect())]
        }
        Target::Binary { values, names } => {
            let width = names.len();
            let answers = |question: usize| {
                let entry = |(at, row): (usize, usize)| (shares[at * width + question], values[row * width + question]);
                let known = rows().map(entry).filter(|(_, truth)| !truth.is_nan());
                known.map(|(share, truth)| (share, truth == 1.0)).collect()
            };
            (0..width).map(|question| best_threshold(answers(question))).collect()
        }
        _ => return None,
    };
    found.iter().any(Option::is_some).then(|| found.iter().map(|one| one.unwrap_or(0.5)).collect())
}

/// The threshold with the best balanced accuracy; among equals one half, or the one nearest to it, in as few digits as do.
fn best_threshold(mut rows: Vec<(f32, bool)>) -> Option<f32> {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let yeses = rows.iter().filter(|(_, yes)| *yes).count() as u128;
    let noes = rows.len() as u128 - yeses;
    if yeses == 0 || noes == 0 {
        return None;
    }
    let mut below = [0u128; 2];
    // How much is right, how far from one half, and between which two.
    let mut best: Option<(u128, f32, f32, f32)> = None;
    for (at, (share, yes)) in rows.iter().enumerate() {
        below[usize::from(*yes)] += 1;
        let Some((next, _)) = rows.get(at + 1).filter(|(next, _)| next > share) else {
            continue;
        };
        // The sum of both recalls, times both counts.
        let right = below[0] * yeses + (yeses - below[1]) * noes;
        let from_half = (share - 0.5).max(0.5 - next).max(0.0);
        if best.is_none_or(|(most, nearest, ..)| right > most || (right == most && from_half < nearest)) {
            best = Some((right, from_half, *share, *next));
        }
    }
    best.map(|(.., above, below)| short_number(above, below))
}

/// A number of few digits from `low` on and below `high`; one half if it is one.
fn short_number(low: f32, high: f32) -> f32 {
    if low <= 0.5 && 0.5 < high {
        return 0.5;
    }
    let middle = (f64::from(low) + f64::from(high)) / 2.0;
    let rounded = |digits: i32| ((middle * 10f64.powi(digits)).round() / 10f64.powi(digits)) as f32;
    (1..=9).map(rounded).find(|number| low <= *number && *number < high).unwrap_or(low)
}

/// What a trained model came to.
pub(crate) struct Ending {
    pub scores: Scores,
    pub thresholds: Option<Vec<f32>>,
    pub confusion: Option<(Part, Confusions)>,
}

impl Ending {
    /// Scores every part, chooses thresholds on the validation part, and counts what was taken for what in test, or in valid
    /// where there is no test.
    pub fn of(task: &Task, model: &Model) -> Result<Ending, TrainError> {
        let outputs = outputs_of_parts(task, model, Part::ALL, None).map_err(Failed::into_error)?;
        if let Some(part) = task.own_part() {
            return Ending::together(part, task, &outputs);
        }
        let outputs = match task.group() {
            None => outputs,
            Some(group) => {
                let [train, valid, test] = outputs.map(|outputs| outputs.gathered(group));
                match (train?, valid?, test?) {
                    (Some(train), Some(valid), Some(test)) => [train, valid, test],
                    _ => return Ok(Ending { scores: Scores::default(), thresholds: None, confusion: None }),
                }
            }
        };
        let targets = [task.target(); 3];
        Ok(Ending::of_rows(task.metric, &outputs, targets, |outputs, _| evaluate(task, outputs).score))
    }

    /// As [`Ending::of`] over the nodes of all processes: the first one has it, the others have nothing.
    fn together(part: &OwnPart, task: &Task, outputs: &[Outputs; 3]) -> Result<Ending, TrainError> {
        let mut all = Vec::new();
        for outputs in outputs {
            all.extend(joined(part.group(), task, outputs)?);
        }
        let Ok([train, valid, test]) = <[(Target, Outputs); 3]>::try_from(all) else {
            return Ok(Ending { scores: Scores::default(), thresholds: None, confusion: None });
        };
        let outputs = [train.1, valid.1, test.1];
        let score = |outputs: &Outputs, target: &Target| {
            evaluate_rows(task.metric, &task.truth().with_target(target.clone()), outputs).score
        };
        Ok(Ending::of_rows(task.metric, &outputs, [&train.0, &valid.0, &test.0], score))
    }

    fn of_rows(
        metric: Metric,
        outputs: &[Outputs; 3],
        targets: [&Target; 3],
        score: impl Fn(&Outputs, &Target) -> Option<f64>,
    ) -> Ending {
        let thresholds = choose_thresholds(metric, targets[1], &outputs[1]);
        let [train, valid, test] = std::array::from_fn(|at| score(&outputs[at], targets[at]));
        let confusion = [2, 1].into_iter().find_map(|at| {
            let found = Confusions::of(targets[at], &outputs[at], thresholds.as_deref())?;
            Some((Part::ALL[at], found))
        });
        Ending { scores: Scores { train, valid, test }, thresholds, confusion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_parts_yes_from_no() {
        let rows = |shares: &[f32], yes: &[u8]| shares.iter().copied().zip(yes.iter().map(|yes| *yes == 1)).collect();
        // Apart: anything between would do, and one half goes first.
        assert_eq!(best_threshold(rows(&[0.1, 0.2, 0.7, 0.9], &[0, 0, 1, 1])), Some(0.5));
        assert_eq!(best_threshold(rows(&[0.01, 0.02, 0.06, 0.3], &[0, 0, 1, 1])), Some(0.04));
        assert_eq!(best_threshold(rows(&[0.8, 0.91, 0.92, 0.99], &[0, 0, 1, 1])), Some(0.915));
        // By hand: above 0.3 are 2 of 2 yeses and 1 of 4 noes, (1 + 3/4) / 2; above 0.5 (1/2 + 1) / 2 is less.
        assert_eq!(best_threshold(rows(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], &[0, 0, 0, 1, 0, 1])), Some(0.35));
        // Equal scores are not parted, and one answer alone tells nothing.
        assert_eq!(best_threshold(rows(&[0.4, 0.4], &[0, 1])), None);
        assert_eq!(best_threshold(rows(&[0.1, 0.4], &[1, 1])), None);
        assert_eq!(best_threshold(Vec::new()), None);
    }

    #[test]
    fn decisions_follow_the_threshold() {
        let classes = ["no", "yes"].map(str::to_string).to_vec();
        let target = Target::Class { labels: vec![Some(0), Some(1), None], classes };
        // Probabilities of the second class: 1/2, 1 / (1 + e), 1 / (1 + 1/e).
        let mut outputs = Outputs::default();
        outputs.rows.extend([0, 1, 2]);
        outputs.values.extend([0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(choices(&target, &outputs.values, None), [0, 0, 1]);
        assert_eq!(choices(&target, &outputs.values, Some(&[0.25])), [1, 1, 1]);
        assert_eq!(choices(&target, &outputs.values, Some(&[0.8])), [0, 0, 0]);
        let found = Confusions::of(&target, &outputs, Some(&[0.25])).unwrap();
        assert_eq!((found.counts.total(), found.counts.count(0, 1), found.counts.count(1, 1)), (2, 1, 1));
        let labels = Target::Binary { values: vec![1.0, 0.0], names: vec!["a".to_string(), "b".to_string()] };
        assert_eq!(choices(&labels, &[0.0, 0.0], Some(&[0.4, 0.6])), [1, 0]);
    }
}
