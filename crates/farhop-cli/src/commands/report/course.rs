//! How training went: loss and score, epoch by epoch.

use farhop_data::metrics::Metric;
use farhop_train::{EpochReport, RunHistory};

use super::html::{Markup, figure, tag};
use crate::picture::{Chart, Curve, Scale};

/// (epoch, value) of the epochs that have one.
pub fn points(epochs: &[EpochReport], value: impl Fn(&EpochReport) -> Option<f64>) -> Vec<(usize, f64)> {
    epochs.iter().filter_map(|epoch| Some((epoch.epoch, value(epoch)?))).collect()
}

/// A line that is told apart by colour and by breaks.
pub fn curve(name: &str, colour: &'static str, dashed: bool, points: Vec<(usize, f64)>) -> Curve {
    Curve { name: name.to_string(), colour, dashed, faint: false, points }
}

/// The charts of one run.
pub fn of_run(run: &RunHistory) -> Markup {
    let RunHistory { record, epochs, .. } = run;
    let metric = record.metric;
    let best: Vec<(usize, &str)> = record.best_epoch.map(|epoch| (epoch, "best")).into_iter().collect();
    let loss = [
        curve(
            "training, each step before it is taken",
            "c1",
            false,
            points(epochs, |epoch| Some(f64::from(epoch.loss))),
        ),
        curve("validation", "c2", true, points(epochs, |epoch| epoch.valid_loss)),
    ];
    let scores = [
        curve("training part", "c1", false, points(epochs, |epoch| epoch.train)),
        curve("validation part", "c2", true, points(epochs, |epoch| epoch.valid)),
    ];
    let rate = [curve("learning rate", "c3", false, points(epochs, |epoch| Some(epoch.learning_rate)))];
    let norm =
        [curve("norm of the gradient", "c4", false, points(epochs, |epoch| Some(f64::from(epoch.gradient_norm))))];
    let chart = |title, beside, percent, scale, curves: &[Curve]| {
        Chart { title, below: "epoch", beside, percent, scale, curves, marks: &best }.draw()
    };
    let name = metric.name();
    let pictures = [
        (
            "Loss",
            "The validation loss is that of evaluation, without dropout.",
            chart("Loss by epoch", "loss", false, Scale::Even, &loss),
        ),
        ("Score", score_note(metric), chart("Score by epoch", &name, metric.in_percent(), Scale::Even, &scores)),
        ("Learning rate", "", chart("Learning rate by epoch", "", false, Scale::Even, &rate)),
        (
            "Gradient",
            "Its norm before clipping, at the last step of an epoch.",
            chart("Norm of the gradient by epoch", "", false, Scale::Powers, &norm),
        ),
    ];
    let drawn: Markup =
        pictures.into_iter().filter_map(|(caption, note, svg)| Some(figure(caption, &svg?, note))).collect();
    match drawn.is_empty() {
        true => tag("p", "", "There are no epochs to draw yet."),
        false => tag("div", "figures", drawn),
    }
}

/// Which way is up.
pub fn score_note(metric: Metric) -> &'static str {
    if metric.higher_is_better() { "More is better." } else { "Less is better." }
}

/// The mean over several runs at every epoch that all of the longest have; runs that have ended count with what they have.
pub fn mean_course(runs: &[&RunHistory], value: impl Fn(&EpochReport) -> Option<f64>) -> Vec<(usize, f64)> {
    let mut sums: std::collections::BTreeMap<usize, (f64, usize)> = std::collections::BTreeMap::new();
    for (epoch, value) in runs.iter().flat_map(|run| points(&run.epochs, &value)) {
        let entry = sums.entry(epoch).or_default();
        *entry = (entry.0 + value, entry.1 + 1);
    }
    sums.into_iter().map(|(epoch, (sum, count))| (epoch, sum / count as f64)).collect()
}
