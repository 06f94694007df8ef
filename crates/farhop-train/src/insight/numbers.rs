//! Numbers, predicted and true.

use farhop_data::Target;
use farhop_data::metrics::{mean_absolute_error, r2, root_mean_squared_error};

use crate::Outputs;

/// One number of the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// What it is called.
    pub name: String,
    /// (true, predicted) for every row whose number is known.
    pub points: Vec<(f32, f32)>,
    /// Mean absolute error.
    pub mean_absolute_error: Option<f64>,
    /// Root mean squared error.
    pub root_mean_squared_error: Option<f64>,
    /// Coefficient of determination.
    pub r2: Option<f64>,
}

impl Agreement {
    /// Of outputs for rows of the target; empty unless it has numbers.
    pub(super) fn of(target: &Target, outputs: &Outputs) -> Vec<Agreement> {
        let Target::Number { values, names } = target else { return Vec::new() };
        let width = names.len();
        let one = |(column, name): (usize, &String)| {
            let told = outputs
                .rows
                .iter()
                .enumerate()
                .map(|(at, row)| (values[*row as usize * width + column], outputs.values[at * width + column]));
            let points: Vec<(f32, f32)> = told.filter(|(truth, _)| !truth.is_nan()).collect();
            let (truth, predicted): (Vec<f32>, Vec<f32>) = points.iter().copied().unzip();
            Agreement {
                name: name.clone(),
                mean_absolute_error: mean_absolute_error(&truth, &predicted, 1),
                root_mean_squared_error: root_mean_squared_error(&truth, &predicted, 1),
                r2: r2(&truth, &predicted, 1),
                points,
            }
        };
        names.iter().enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_own_errors_and_gaps_are_left_out() {
        let names = vec!["a".to_string(), "b".to_string()];
        let target = Target::Number { values: vec![1.0, 10.0, 3.0, f32::NAN], names };
        let mut outputs = Outputs::default();
        outputs.rows.extend([1, 0]);
        outputs.values.extend([2.0, 7.0, 1.0, 14.0]);
        let found = Agreement::of(&target, &outputs);
        assert_eq!(found[0].points, [(3.0, 2.0), (1.0, 1.0)]);
        assert_eq!(found[0].mean_absolute_error, Some(0.5));
        assert_eq!(found[1].points, [(10.0, 14.0)]);
        assert_eq!(found[1].root_mean_squared_error, Some(4.0));
    }
}
