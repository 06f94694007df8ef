//! How much each setting mattered.

use super::parzen::Axis;
use super::sampler::{Known, Standing};

/// Groups that values with an order are divided into: few, so that each has some trials.
const GROUPS: usize = 4;

/// For every axis the share of the variance of scores that its value explains, from 0 to 1, with the share that groups of that size
/// explain by chance taken away (ω²). Point that matter only together with others show little here.
pub(super) fn importance(known: &[Known], axes: &[Axis]) -> Vec<f64> {
    let share = |(number, axis): (usize, &Axis)| {
        let told = known.iter().filter_map(|trial| match (trial.place[number], trial.standing) {
            (Some(at), Standing::Ended(score) | Standing::Pruned { score, .. }) => Some((at, score)),
            _ => None,
        });
        explained(&told.collect::<Vec<_>>(), *axis)
    };
    axes.iter().enumerate().map(share).collect()
}

/// ω² of scores in groups of their coordinates.
fn explained(told: &[(f64, f64)], axis: Axis) -> f64 {
    let group = |at: f64| match axis {
        Axis::Kinds(_) => at as usize,
        Axis::Steps(count) if count <= GROUPS => at as usize,
        Axis::Steps(count) => at as usize * GROUPS / count,
        Axis::Line => ((at * GROUPS as f64) as usize).min(GROUPS - 1),
    };
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    let mut groups: Vec<(usize, Vec<f64>)> = Vec::new();
    for (at, score) in told {
        let number = group(*at);
        match groups.iter_mut().find(|(other, _)| *other == number) {
            Some((_, scores)) => scores.push(*score),
            None => groups.push((number, vec![*score])),
        }
    }
    let (count, kinds) = (told.len() as f64, groups.len() as f64);
    if groups.len() < 2 || count <= kinds {
        return 0.0;
    }
    let all = mean(&told.iter().map(|(_, score)| *score).collect::<Vec<_>>());
    let total: f64 = told.iter().map(|(_, score)| (score - all).powi(2)).sum();
    let between: f64 = groups.iter().map(|(_, scores)| scores.len() as f64 * (mean(scores) - all).powi(2)).sum();
    let within = (total - between) / (count - kinds);
    let omega = (between - (kinds - 1.0) * within) / (total + within);
    if omega.is_finite() { omega.clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    #[test]
    fn what_decides_the_score_stands_out() {
        let mut stream = Stream::new(3);
        let known: Vec<Known> = (0..80)
            .map(|_| {
                let place = vec![Some(stream.uniform()), Some(stream.below(3) as f64), Some(stream.uniform())];
                let score = 3.0 * place[0].unwrap_or(0.0) + 0.3 * stream.normal();
                Known { place, standing: Standing::Ended(score) }
            })
            .collect();
        let found = importance(&known, &[Axis::Line, Axis::Kinds(3), Axis::Line]);
        assert!(found[0] > 0.6, "{found:?}");
        assert!(found[1] < 0.15 && found[2] < 0.15, "{found:?}");
    }

    #[test]
    fn nothing_known_is_nothing_said() {
        assert_eq!(importance(&[], &[Axis::Line, Axis::Steps(5)]), [0.0, 0.0]);
        let one = Known { place: vec![Some(0.5), None], standing: Standing::Ended(1.0) };
        assert_eq!(importance(&[one], &[Axis::Line, Axis::Steps(5)]), [0.0, 0.0]);
    }
}
