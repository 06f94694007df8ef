//! Which settings to try next: a tree-structured Parzen estimator.
//!
//! Trials are divided into the best and the rest. With `l` the density of the best and `g` that of the rest, some places are drawn
//! from `l`, and the one with the largest `l / g` is tried. The proposal is a function of the seed, the number of the trial and
//! what is known of the others: nothing is remembered between calls, so that any process can make the next one.
//!
//! Why it is our own: the crates that do this (`tpe`, `optimizer`, `parzen`) keep their state in the process and draw from a
//! generator that moves on; a study here is a folder that many processes work on, with trials that run, are ended early or were killed.

use farhop_graph::random::{Stream, mix, unit};

use super::parzen::{Axis, Parzen, Place};

/// Trials before the estimator begins: these cover the space evenly.
pub const START_UP: usize = 10;
/// Places drawn from the density of the best.
const CANDIDATES: usize = 24;
/// Share of trials that count as the best, and how many at most.
const BEST_SHARE: f64 = 0.1;
const BEST_MOST: usize = 25;

/// What is known of another trial.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub place: Place,
    pub standing: Standing,
}

/// How a trial stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Standing {
    /// It ended with this score; more is better.
    Ended(f64),
    /// It was ended early, after so many epochs, with this score.
    Pruned { epochs: usize, score: f64 },
    /// It failed, or it still runs: something else is to be tried.
    Unknown,
}

/// The place of trial `number`. `open` says which coordinates of a full place are in use (conditions).
pub(super) fn propose(
    axes: &[Axis],
    known: &[Known],
    seed: u64,
    number: usize,
    open: impl Fn(&[f64]) -> Vec<bool>,
) -> Place {
    let told = known.iter().filter(|trial| trial.standing != Standing::Unknown).count();
    let keep = |full: Vec<f64>| -> Place {
        let open = open(&full);
        full.into_iter().zip(open).map(|(at, open)| open.then_some(at)).collect()
    };
    if told < START_UP {
        return keep(spread(axes, seed, number));
    }
    let (best, rest) = divided(known);
    let (best, rest) = (Parzen::new(axes, best), Parzen::new(axes, rest));
    let mut stream = Stream::new(mix(seed, number as u64));
    let mut chosen: Option<(f64, Place)> = None;
    for _ in 0..CANDIDATES {
        let place = keep(best.draw(&mut stream));
        let gain = best.log_density(&place) - rest.log_density(&place);
        if chosen.as_ref().is_none_or(|(most, _)| gain > *most) {
            chosen = Some((gain, place));
        }
    }
    chosen.map_or_else(|| keep(spread(axes, seed, number)), |(_, place)| place)
}

/// Places that cover the space evenly: steps of an irrational number along every axis (Roberts's sequence), from a random start.
fn spread(axes: &[Axis], seed: u64, number: usize) -> Vec<f64> {
    // The root of x^(d+1) = x + 1 above 1.
    let power = 1.0 / (axes.len() as f64 + 1.0);
    let root = (0..64).fold(2.0f64, |root, _| (1.0 + root).powf(power));
    let along = |(d, axis): (usize, &Axis)| {
        let step = root.powi(-(d as i32 + 1)).fract();
        let start = unit(mix(seed, u64::MAX - d as u64));
        axis.uniform((start + step * number as f64).fract())
    };
    axes.iter().enumerate().map(along).collect()
}

/// The best and the rest, each in the order of their numbers.
fn divided(known: &[Known]) -> (Vec<&Place>, Vec<&Place>) {
    let mut order: Vec<usize> = (0..known.len()).filter(|trial| known[*trial].standing != Standing::Unknown).collect();
    let rank = |trial: &usize| match known[*trial].standing {
        Standing::Ended(score) => (2, 0, score),
        Standing::Pruned { epochs, score } => (1, epochs, score),
        Standing::Unknown => (0, 0, 0.0),
    };
    order.sort_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2))
    });
    let count = ((BEST_SHARE * order.len() as f64).ceil() as usize).min(BEST_MOST);
    let best = &order[..count];
    let (mut good, mut other) = (Vec::new(), Vec::new());
    for (trial, of) in known.iter().enumerate() {
        if best.contains(&trial) { good.push(&of.place) } else { other.push(&of.place) }
    }
    (good, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_open(place: &[f64]) -> Vec<bool> {
        vec![true; place.len()]
    }

    /// Best score after `trials` of a function to be made large.
    fn search(axes: &[Axis], seed: u64, trials: usize, score: impl Fn(&Place) -> f64) -> f64 {
        let mut known: Vec<Known> = Vec::new();
        for number in 0..trials {
            let place = propose(axes, &known, seed, number, all_open);
            let standing = Standing::Ended(score(&place));
            known.push(Known { place, standing });
        }
        let scores = known.iter().map(|trial| match trial.standing {
            Standing::Ended(score) => score,
            _ => f64::NEG_INFINITY,
        });
        scores.fold(f64::NEG_INFINITY, f64::max)
    }

    fn median(mut scores: Vec<f64>) -> f64 {
        scores.sort_by(f64::total_cmp);
        scores[scores.len() / 2]
    }

    /// A bowl with a kind that costs: far better than as many even draws, over the median of seeds.
    #[test]
    fn it_finds_what_even_draws_do_not() {
        let axes = [Axis::Line, Axis::Line, Axis::Steps(8), Axis::Kinds(4)];
        let bowl = |place: &Place| {
            let at = |d: usize| place[d].unwrap();
            let kind = if at(3) == 2.0 { 0.0 } else { 0.3 };
            -((at(0) - 0.73).powi(2) + (at(1) - 0.21).powi(2) + ((at(2) - 5.0) / 8.0).powi(2) + kind)
        };
        let found = median((0..15).map(|seed| search(&axes, seed, 60, bowl)).collect());
        let even = (0..15).map(|seed| {
            let draws = (0..60).map(|number| bowl(&spread(&axes, seed, number).into_iter().map(Some).collect()));
            draws.fold(f64::NEG_INFINITY, f64::max)
        });
        let even = median(even.collect());
        assert!(found > 0.5 * even, "{found} against {even}");
    }

    #[test]
    fn the_same_knowledge_gives_the_same_proposal() {
        let axes = [Axis::Line, Axis::Steps(3)];
        let known: Vec<Known> = (0..14)
            .map(|number| Known {
                place: spread(&axes, 1, number).into_iter().map(Some).collect(),
                standing: Standing::Ended(number as f64),
            })
            .collect();
        assert_eq!(propose(&axes, &known, 5, 14, all_open), propose(&axes, &known, 5, 14, all_open));
        assert_ne!(propose(&axes, &known, 5, 14, all_open), propose(&axes, &known, 5, 15, all_open));
    }

    /// A running trial keeps others from its place.
    #[test]
    fn running_trials_are_kept_away_from() {
        let axes = [Axis::Kinds(3)];
        let trial = |kind: f64, standing| Known { place: vec![Some(kind)], standing };
        let mut known: Vec<Known> =
            (0..12).map(|number| trial(f64::from(number % 3), Standing::Ended(f64::from(number % 2)))).collect();
        known.extend((0..30).map(|_| trial(1.0, Standing::Unknown)));
        let proposals = (0..40).map(|number| propose(&axes, &known, number, 42, all_open)[0]);
        let same = proposals.filter(|kind| *kind == Some(1.0)).count();
        assert!(same < 8, "{same} of 40");
    }

    #[test]
    fn what_is_not_open_is_left_out() {
        let axes = [Axis::Kinds(2), Axis::Line];
        let open = |place: &[f64]| vec![true, place[0] == 1.0];
        let mut known = Vec::new();
        for number in 0..40 {
            let place = propose(&axes, &known, 3, number, open);
            assert_eq!(place[1].is_some(), place[0] == Some(1.0), "trial {number}");
            let score = place[1].map_or(0.2, |at| 1.0 - (at - 0.5).abs());
            known.push(Known { place, standing: Standing::Ended(score) });
        }
        let late = known[20..].iter().filter(|trial| trial.place[1].is_some()).count();
        assert!(late > 12, "{late} of 20 where the better scores are");
    }

    #[test]
    fn the_first_places_cover_the_space() {
        let axes = [Axis::Line, Axis::Line];
        let places: Vec<Vec<f64>> = (0..16).map(|number| spread(&axes, 9, number)).collect();
        for d in 0..2 {
            let quarters: std::collections::BTreeSet<u8> = places.iter().map(|place| (place[d] * 4.0) as u8).collect();
            assert_eq!(quarters.len(), 4, "axis {d}");
        }
    }
}
