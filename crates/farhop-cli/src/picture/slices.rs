//! Scores of trials by the value of one setting.

use farhop_data::metrics::Metric;

use super::axis::{Axis, Scale};
use super::bars::shortened;
use super::frame::{Frame, Size};
use super::search::score_axis;
use super::svg::Svg;

/// What a trial had for the setting, and what it got.
#[derive(Debug, Clone, Copy)]
pub struct Tried {
    /// The number, or which of the kinds.
    pub value: f64,
    pub score: f64,
    /// Whether it was trained to its end.
    pub ended: bool,
}

/// One setting.
pub struct Slice {
    pub name: String,
    /// Its kinds in the order of the space; none: it is a number.
    pub kinds: Vec<String>,
    pub scale: Scale,
    pub trials: Vec<Tried>,
    pub metric: Metric,
}

/// The picture; none without trials.
pub fn slice(of: &Slice) -> Option<Svg> {
    let trials: Vec<Tried> =
        of.trials.iter().copied().filter(|trial| trial.value.is_finite() && trial.score.is_finite()).collect();
    let range = |of: fn(&Tried) -> f64| {
        trials.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    if trials.is_empty() {
        return None;
    }
    let (from, to) = range(|trial| trial.value);
    let scores = score_axis(trials.iter().map(|trial| trial.score), of.metric)?;
    let mut x = match of.kinds.len() {
        0 => Axis::scaled(if from > 0.0 { of.scale } else { Scale::Even }, from, to, false),
        count => Axis::exactly(-0.5, count as f64 - 0.5, false),
    };
    if !of.kinds.is_empty() {
        x.ticks = of.kinds.iter().enumerate().map(|(at, kind)| (at as f64, shortened(kind, 14))).collect();
    }
    let mut frame = Frame::new(
        Size { width: 360.0, height: 240.0, names: 18.0 },
        &format!("Validation score by {}", of.name),
        (x, &of.name),
        (scores, ""),
        &[],
    );
    for trial in &trials {
        let (radius, class) = if trial.ended { (4.0, "dot c1") } else { (3.0, "hollow quiet") };
        frame.dot((trial.value, trial.score), radius, class, &of.metric.shown(Some(trial.score)));
    }
    frame.svg.describe(&format!("{} trials", trials.len()));
    Some(frame.svg)
}
