//! Whether a model is right as often as it says it is.

use farhop_data::Target;
use farhop_data::metrics::largest;

use crate::{Outputs, probabilities};

/// Groups of equal width between 0 and 1.
const BINS: usize = 10;

/// What the probabilities are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    /// That the most probable class is the right one.
    OfChoice,
    /// That the answer is yes.
    OfYes,
}

/// Answers of about the same probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// How many.
    pub count: u64,
    /// Their mean probability.
    pub probability: f64,
    /// The share of them that came true.
    pub frequency: f64,
}

/// How often answers come true, by how probable they were said to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// What is probable.
    pub of: Sureness,
    /// Groups of equal width from 0 to 1; some may be empty.
    pub bins: Vec<CalibrationBin>,
    /// `sum over bins of count / all |frequency - probability|`.
    pub expected_error: f64,
}

impl Calibration {
    /// Of outputs for rows of the target. None for numbers and pairs, and where nothing is known.
    pub fn of(target: &Target, outputs: &Outputs) -> Option<Calibration> {
        let shares = probabilities(target, &outputs.values);
        let rows = || outputs.rows.iter().map(|row| *row as usize);
        match target {
            Target::Class { labels, classes } => {
                let chosen = largest(&outputs.values, classes.len());
                let of_row = |(row, (chosen, shares)): (usize, (&u32, &[f32]))| {
                    Some((f64::from(shares[*chosen as usize]), labels[row]? == *chosen))
                };
                let told = rows().zip(chosen.iter().zip(shares.chunks_exact(classes.len().max(1)))).filter_map(of_row);
                Self::of_answers(Sureness::OfChoice, told)
            }
            Target::Binary { values, names } => {
                let truth = rows().flat_map(|row| &values[row * names.len()..(row + 1) * names.len()]);
                let told = truth.zip(&shares).filter(|(truth, _)| !truth.is_nan());
                Self::of_answers(Sureness::OfYes, told.map(|(truth, share)| (f64::from(*share), *truth == 1.0)))
            }
            Target::Number { .. } | Target::Pair { .. } => None,
        }
    }

    /// Of probabilities, and whether each came true.
    fn of_answers(of: Sureness, answers: impl Iterator<Item = (f64, bool)>) -> Option<Calibration> {
        let mut sums = [(0u64, 0.0, 0u64); BINS];
        for (probability, came_true) in answers {
            let bin = &mut sums[((probability * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += 1;
            bin.1 += probability;
            bin.2 += u64::from(came_true);
        }
        let all: u64 = sums.iter().map(|(count, ..)| count).sum();
        let bin = |(count, probability, right): (u64, f64, u64)| match count {
            0 => CalibrationBin { count, probability: 0.0, frequency: 0.0 },
            _ => CalibrationBin {
                count,
                probability: probability / count as f64,
                frequency: right as f64 / count as f64,
            },
        };
        let bins: Vec<CalibrationBin> = sums.into_iter().map(bin).collect();
        let gap = |bin: &CalibrationBin| bin.count as f64 / all as f64 * (bin.frequency - bin.probability).abs();
        (all > 0).then(|| Calibration { of, expected_error: bins.iter().map(gap).sum(), bins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 0.95 and 0.85 are right, 0.85 and 0.55 wrong. Gaps: (1/4) 0.05 + (2/4) |1/2 - 0.85| + (1/4) 0.55 = 0.325.
    #[test]
    fn the_expected_error_is_that_of_the_groups() {
        let answers = [(0.95, true), (0.85, true), (0.85, false), (0.55, false)];
        let found = Calibration::of_answers(Sureness::OfChoice, answers.into_iter()).unwrap();
        assert!((found.expected_error - 0.325).abs() < 1e-12, "{found:?}");
        assert_eq!(found.bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 1, 0, 0, 2, 1]);
        assert_eq!(found.bins[8].frequency, 0.5);
        assert_eq!(Calibration::of_answers(Sureness::OfYes, std::iter::empty()), None);
        // A certain answer belongs into the last group.
        let certain = Calibration::of_answers(Sureness::OfYes, [(1.0, true)].into_iter()).unwrap();
        assert_eq!((certain.bins[9].count, certain.expected_error), (1, 0.0));
    }

    #[test]
    fn unknown_rows_and_labels_do_not_count() {
        let classes = ["a", "b"].map(str::to_string).to_vec();
        let target = Target::Class { labels: vec![Some(0), None], classes };
        let mut outputs = Outputs::default();
        outputs.rows.extend([0, 1]);
        outputs.values.extend([2.0, 0.0, 0.0, 5.0]);
        let found = Calibration::of(&target, &outputs).unwrap();
        assert_eq!(found.bins.iter().map(|bin| bin.count).sum::<u64>(), 1);
        let labels = Target::Binary { values: vec![1.0, f32::NAN], names: vec!["x".into(), "y".into()] };
        let mut outputs = Outputs::default();
        outputs.rows.push(0);
        outputs.values.extend([0.0, 3.0]);
        let found = Calibration::of(&labels, &outputs).unwrap();
        assert_eq!((found.of, found.bins[5].count, found.bins[5].frequency), (Sureness::OfYes, 1, 1.0));
        assert!((found.expected_error - 0.5).abs() < 1e-12);
    }
}
