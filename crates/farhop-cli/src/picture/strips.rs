//! Scores of several runs: every one a point, their mean and deviation a bar.

use farhop_data::metrics::Metric;
use farhop_train::series::Spread;

use super::axis::Axis;
use super::bars::shortened;
use super::colour;
use super::frame::width_of;
use super::svg::Svg;

const WIDTH: f64 = 520.0;
const LINE: f64 = 34.0;

/// The runs of one model.
pub struct Strip {
    pub name: String,
    /// What a run is called, and its score.
    pub runs: Vec<(String, f64)>,
}

/// One line for each; none without a score.
pub fn strips(title: &str, rows: &[Strip], metric: Metric) -> Option<Svg> {
    let all = || rows.iter().flat_map(|row| &row.runs).map(|(_, score)| *score).filter(|score| score.is_finite());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if !low.is_finite() {
        return None;
    }
    let axis = Axis::around(low, high, metric.in_percent());
    let names: Vec<String> = rows.iter().map(|row| shortened(&row.name, 24)).collect();
    let left = names.iter().map(|name| width_of(name)).fold(30.0, f64::max) + 14.0;
    let right = WIDTH - 24.0;
    let bottom = 6.0 + LINE * rows.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 46.0, title);
    let x = |score: f64| left + (right - left) * axis.place(score);
    for (value, text) in &axis.ticks {
        svg.line((x(*value), 6.0), (x(*value), bottom), "grid");
        svg.text((x(*value), bottom + 18.0), "middle", text);
    }
    let mut told = Vec::new();
    for (number, (row, name)) in rows.iter().zip(&names).enumerate() {
        let middle = 6.0 + LINE * (number as f64 + 0.5);
        let class = colour(number);
        svg.text((left - 10.0, middle + 4.5), "end", name);
        let Some(spread) = Spread::of(row.runs.iter().map(|(_, score)| *score)) else { continue };
        if let Some(deviation) = spread.deviation {
            let (from, to) = (x(spread.mean - deviation), x(spread.mean + deviation));
            svg.bar((from, middle - 9.0), ((to - from).max(1.0), 18.0), &format!("soft {class}"), "");
        }
        svg.line((x(spread.mean), middle - 9.0), (x(spread.mean), middle + 9.0), &format!("line {class}"));
        for (run, score) in &row.runs {
            svg.dot(
                (x(*score), middle),
                4.0,
                &format!("dot {class}"),
                &format!("{run}: {}", metric.shown(Some(*score))),
            );
        }
        told.push(format!("{}: mean {} of {}", row.name, metric.shown(Some(spread.mean)), row.runs.len()));
    }
    svg.text(((left + right) / 2.0, bottom + 40.0), "middle", &metric.name());
    svg.describe(&told.join("; "));
    Some(svg)
}
