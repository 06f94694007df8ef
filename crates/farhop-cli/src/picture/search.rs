//! A search: every trial with the best so far, and how much each setting mattered.

use farhop_data::metrics::Metric;
use farhop_train::study::{State, Study, Trial};

use super::axis::Axis;
use super::bars::{Bar, bars};
use super::frame::{Frame, Key, KeyKind, Size};
use super::svg::Svg;

/// Every trial, and the best so far; none before a trial has a score.
pub fn search(trials: &[Trial], metric: Metric) -> Option<Svg> {
    let told: Vec<(&Trial, f64)> = trials.iter().filter_map(|trial| Some((trial, trial.score?))).collect();
    let scores = || told.iter().map(|(_, score)| *score).filter(|score| score.is_finite());
    let (low, high) = (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
    if !(low.is_finite() && high.is_finite()) {
        return None;
    }
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
        (Axis::around(low, high, metric.in_percent()), &format!("validation {}", metric.name())),
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
