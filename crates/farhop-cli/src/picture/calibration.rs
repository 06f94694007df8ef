//! Whether a model is right as often as it says.

use farhop_train::insight::{Calibration, Sureness};

use super::axis::Axis;
use super::frame::{Frame, Key, KeyKind, Size};
use super::svg::Svg;

/// Height of the counts below.
const COUNTS: f64 = 64.0;

/// A reliability diagram, and below it how many answers there are of each probability.
pub fn reliability(calibration: &Calibration) -> Svg {
    let (below, beside, of_bars) = match calibration.of {
        Sureness::OfChoice => ("probability of the chosen class", "share that is right", "share that is right"),
        Sureness::OfYes => ("probability of yes", "share that is yes", "share that is yes"),
    };
    let key = |kind, class, words| Key { class, kind, words };
    let keys = [
        key(KeyKind::Surface, "fill c1", of_bars),
        key(KeyKind::Surface, "gap c2", "too sure"),
        key(KeyKind::Surface, "gap c3", "not sure enough"),
    ];
    let mut frame = Frame::new(
        Size { width: 520.0, height: 400.0, names: 16.0 },
        "Calibration",
        (Axis::exactly(0.0, 1.0, true), ""),
        (Axis::exactly(0.0, 1.0, true), beside),
        &keys,
    );
    let bins = &calibration.bins;
    let step = 1.0 / bins.len().max(1) as f64;
    for (number, bin) in bins.iter().enumerate().filter(|(_, bin)| bin.count > 0) {
        let (left, right) = (frame.at_x(step * number as f64) + 1.5, frame.at_x(step * (number + 1) as f64) - 1.5);
        let (right_share, said) = (frame.at_y(bin.frequency), frame.at_y(bin.probability));
        let note = format!(
            "{} answers of {:.0} % in the mean: {:.0} % came true",
            bin.count,
            100.0 * bin.probability,
            100.0 * bin.frequency
        );
        let (above, below) = (right_share.min(said), right_share.max(said));
        frame.svg.bar((left, below), (right - left, frame.bottom - below), "fill c1", &note);
        let class = if bin.probability > bin.frequency { "gap c2" } else { "gap c3" };
        frame.svg.bar((left, above), (right - left, below - above), class, &note);
    }
    let (from, to) = (frame.at((0.0, 0.0)), frame.at((1.0, 1.0)));
    frame.svg.line(from, to, "guide");
    let (left, right) = (frame.left, frame.right);
    let mut svg = frame.svg;
    // How many answers there are of each.
    let base = svg.height + COUNTS;
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1) as f64;
    for (number, bin) in bins.iter().enumerate() {
        let width = (right - left) * step;
        let height = (COUNTS - 16.0) * bin.count as f64 / most;
        let x = left + width * number as f64;
        svg.bar((x + 1.5, base - height), (width - 3.0, height), "fill quiet", &format!("{} answers", bin.count));
    }
    svg.line((left, base), (right, base), "axis");
    svg.upright((14.0, base - COUNTS / 2.0 + 6.0), "answers");
    svg.text(((left + right) / 2.0, base + 20.0), "middle", below);
    svg.height = base + 28.0;
    svg.describe(&format!(
        "Expected calibration error {:.1} %. {}",
        100.0 * calibration.expected_error,
        words(calibration)
    ));
    svg
}

fn words(calibration: &Calibration) -> String {
    let told = calibration.bins.iter().filter(|bin| bin.count > 0).map(|bin| {
        format!("{} at {:.0} %: {:.0} % came true", bin.count, 100.0 * bin.probability, 100.0 * bin.frequency)
    });
    told.collect::<Vec<_>>().join("; ")
}
