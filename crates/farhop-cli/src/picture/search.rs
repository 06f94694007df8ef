//! A search: every trial with the best so far, and how much each setting mattered.

use farhop_data::metrics::Metric;
use farhop_train::study::{State, Study, Trial};

use super::axis::Axis;
use super::bars::{Bar, bars};
use super::frame::{Frame, Key, KeyKind, Size};
use super::svg::Svg;

/// From the best score to twice as far as the median is from it: few that are far worse would leave no room for the differences that count.
/// Those stand at its end. None without scores.
pub fn score_axis(scores: impl Iterator<Item = f64>, metric: Metric) -> Option<Axis> {
    let mut scores: Vec<f64> = scores.filter(|score| score.is_finite()).collect();
    scores.sort_by(f64::total_cmp);
    if metric.higher_is_better() {
        scores.reverse();
    }
    let (best, median, worst) = (*scores.first()?, scores[scores.len() / 2], *scores.last()?);
    let limit = best + 2.0 * (median - best);
    let far = if (median - best).abs() > 0.0 && (worst - best).abs() > (limit - best).abs() { limit } else { worst };
    Some(Axis::around(best.min(far), best.max(far), metric.in_percent()))
}

/// Every trial, and the best so far; none before a trial has a score.
pub fn search(trials: &[Trial], metric: Metric) -> Option<Svg> {
    let told: Vec<(&Trial, f64)> = trials.iter().filter_map(|trial| Some((trial, trial.score?))).collect();
    let axis = score_axis(told.iter().map(|(_, score)| *score), metric)?;
    let last = trials.iter().map(|trial| trial.number).max().unwrap_or(0);
    let key = |kind, class, words| Key { class, kind, words };
    let keys = [
        key(KeyKind::Line, "c2", "best so far"),
        key(KeyKind::Dot, "c1", "trained to its end"),
        key(KeyKind::Hollow, "quiet", "ended early"),
    ];
    let mut frame = Frame::new(
        Size { height: 340.0, ..Size::USUAL },
        "Validation score of every trial",
        (Axis::whole(0, last), "trial"),
        (axis, &format!("validation {}", metric.name())),
        &keys,
    );
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (trial, score) in told.iter().filter(|(trial, _)| trial.state == State::Finished) {
        let best = steps.last().map(|(_, best)| *best);
        steps.extend(best.map(|best| (trial.number as f64, best)));
        let now = best.filter(|best| !metric.is_better(*score, *best)).unwrap_or(*score);
        steps.push((trial.number as f64, now));
    }
    steps.extend(steps.last().map(|(_, best)| (last as f64, *best)));
    frame.through(&steps, "line c2");
    for (trial, score) in &told {
        let state = if trial.state == State::Pruned { "ended early" } else { "trained to its end" };
        let note = format!("trial {}: {}, {state}", trial.number, metric.shown(Some(*score)));
        let (radius, class) = if trial.state == State::Pruned { (3.5, "hollow quiet") } else { (4.5, "dot c1") };
        frame.dot((trial.number as f64, *score), radius, class, &note);
    }
    let best = steps.last().map(|(_, best)| metric.shown(Some(*best)));
    frame.svg.describe(&best.map_or("No trial was trained to its end.".to_string(), |best| {
        format!("{} trials; the best has {best} on validation", trials.len())
    }));
    Some(frame.svg)
}

/// How much each setting mattered, most first.
pub fn importance(study: &Study, trials: &[Trial]) -> Svg {
    let mut importance = study.importance(trials);
    importance.sort_by(|a, b| b.1.total_cmp(&a.1));
    let bar = |(key, share): (String, f64)| Bar {
        name: key.rsplit('.').next().unwrap_or(&key).replace('_', " "),
        share,
        shown: format!("{:.0} %", 100.0 * share),
    };
    bars("What mattered", "c3", &importance.into_iter().map(bar).collect::<Vec<_>>())
}

/// Both side by side, as a file.
pub fn search_alone(study: &Study, trials: &[Trial], metric: Metric) -> String {
    const BETWEEN: f64 = 30.0;
    let importance = importance(study, trials);
    let search = search(trials, metric).unwrap_or_else(|| {
        let mut none = Svg::new(300.0, 60.0, "");
        none.text((16.0, 30.0), "", "no trial has a score yet");
        none
    });
    let height = search.height.max(importance.height + 40.0) + 10.0;
    let title = format!("{} trials, best validation score so far, and what mattered", trials.len());
    let mut svg = Svg::new(search.width + BETWEEN + importance.width + 16.0, height, &title);
    svg.place((0.0, 0.0), &search);
    svg.text((search.width + BETWEEN, 14.0), "strong", "Share of the differences that one setting explains");
    svg.place((search.width + BETWEEN, 28.0), &importance);
    svg.alone("The search, and what mattered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_far_worse_trials_do_not_hide_the_others() {
        let ends = |scores: &[f64], metric| {
            let axis = score_axis(scores.iter().copied(), metric).unwrap();
            (axis.ticks[0].0, axis.ticks[axis.ticks.len() - 1].0)
        };
        let (low, high) = ends(&[0.8, 0.81, 0.79, 0.1, f64::NAN], Metric::Accuracy);
        assert!((0.7..0.8).contains(&low) && (0.81..0.9).contains(&high), "{low} to {high}");
        let (low, high) = ends(&[0.2, 0.21, 0.22, 9.0], Metric::Mae);
        assert!((0.1..=0.2).contains(&low) && (0.22..0.4).contains(&high), "{low} to {high}");
        // Nothing is cut where all are much alike, or there is one.
        let (low, high) = ends(&[0.5, 0.6, 0.7], Metric::Accuracy);
        assert!(low <= 0.5 && high >= 0.7, "{low} to {high}");
        assert!(score_axis([0.5].into_iter(), Metric::Accuracy).is_some());
        assert!(score_axis([f64::NAN].into_iter(), Metric::Accuracy).is_none());
    }
}
