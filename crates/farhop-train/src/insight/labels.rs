//! Scores of every question, where there are several.

use farhop_data::Target;
use farhop_data::metrics::{average_precision, roc_auc};

use crate::Outputs;
use crate::decisions::choices;

/// How well one yes-or-no question is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelScores {
    /// The question.
    pub name: String,
    /// Rows whose answer is yes, and no.
    pub answers: [u64; 2],
    /// Area under the ROC curve.
    pub roc_auc: Option<f64>,
    /// Average precision.
    pub average_precision: Option<f64>,
    /// Of the rows that were answered with yes, the share that is one.
    pub precision: Option<f64>,
    /// Of the rows that are a yes, the share that was answered so.
    pub recall: Option<f64>,
}

impl LabelScores {
    /// Of outputs for rows of the target; empty unless there are several questions.
    pub(super) fn of(target: &Target, outputs: &Outputs, thresholds: Option<&[f32]>) -> Vec<LabelScores> {
        let Target::Binary { values, names } = target else { return Vec::new() };
        let width = names.len();
        if width < 2 {
            return Vec::new();
        }
        let chosen = choices(target, &outputs.values, thresholds);
        let one = |(question, name): (usize, &String)| {
            let truth = |row: &u32| values[*row as usize * width + question];
            let told = outputs.rows.iter().enumerate().map(|(at, row)| (at * width + question, truth(row)));
            let known: Vec<(usize, f32)> = told.filter(|(_, truth)| !truth.is_nan()).collect();
            let truths: Vec<f32> = known.iter().map(|(_, truth)| *truth).collect();
            let scores: Vec<f32> = known.iter().map(|(at, _)| outputs.values[*at]).collect();
            let count = |wanted: &dyn Fn(bool, bool) -> bool| {
                known.iter().filter(|(at, truth)| wanted(*truth == 1.0, chosen[*at] == 1)).count() as u64
            };
            let (yes, said, right) = (count(&|yes, _| yes), count(&|_, said| said), count(&|yes, said| yes && said));
            let share = |of: u64| (of > 0).then(|| right as f64 / of as f64);
            LabelScores {
                name: name.clone(),
                answers: [yes, known.len() as u64 - yes],
                roc_auc: roc_auc(&truths, &scores, 1),
                average_precision: average_precision(&truths, &scores, 1),
                precision: share(said),
                recall: share(yes),
            }
        };
        names.iter().enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_its_own_scores() {
        let names = vec!["a".to_string(), "b".to_string()];
        let target = Target::Binary { values: vec![1.0, 0.0, 0.0, f32::NAN, 1.0, 1.0], names };
        let mut outputs = Outputs::default();
        outputs.rows.extend([0, 1, 2]);
        outputs.values.extend([2.0, -1.0, 1.0, 9.0, -1.0, 1.0]);
        let found = LabelScores::of(&target, &outputs, None);
        // a: yes, no, yes; answered with yes, yes, no.
        assert_eq!((found[0].answers, found[0].precision, found[0].recall), ([2, 1], Some(0.5), Some(0.5)));
        assert_eq!(found[0].roc_auc, Some(0.5));
        // b: no, unknown, yes; the unknown one does not count.
        assert_eq!((found[1].answers, found[1].precision, found[1].roc_auc), ([1, 1], Some(1.0), Some(1.0)));
    }
}
