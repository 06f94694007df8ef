//! A search as SVG: every trial with the best so far, and how much each setting mattered.

use std::fmt::Write;

use farhop_data::metrics::Metric;
use farhop_train::study::{State, Study, Trial};

use crate::picture::escaped;

const WIDTH: f64 = 920.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 56.0;
const PLOT: f64 = 300.0;
const BAR: f64 = 24.0;

/// The picture.
pub fn draw(study: &Study, trials: &[Trial], metric: Metric) -> String {
    let importance = study.importance(trials);
    let height = (TOP + PLOT + 64.0).max(TOP + 40.0 + BAR * importance.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\" role=\"img\">\n\
         <title>{} trials, best validation score so far, and what mattered</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        trials.len()
    );
    search(&mut svg, trials, metric);
    bars(&mut svg, importance);
    svg.push_str("</svg>\n");
    svg
}

/// Writing to a text can't fail.
fn add(svg: &mut String, line: &str) {
    let _ = writeln!(svg, "{line}");
}

/// Every trial, and the best so far.
fn search(svg: &mut String, trials: &[Trial], metric: Metric) {
    add(
        svg,
        &format!(
            "<text x=\"{LEFT}\" y=\"28\" font-size=\"16\" font-weight=\"bold\">Validation {} by trial</text>",
            escaped(&metric.name())
        ),
    );
    let told: Vec<(&Trial, f64)> = trials.iter().filter_map(|trial| Some((trial, trial.score?))).collect();
    let scores = || told.iter().map(|(_, score)| *score);
    let (mut low, mut high) = (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
    if !(low.is_finite() && high.is_finite()) {
        add(svg, &format!("<text x=\"{LEFT}\" y=\"{}\">no trial has a score yet</text>", TOP + 40.0));
        return;
    }
    let room = ((high - low) * 0.05).max(1e-6 * high.abs()).max(1e-12);
    (low, high) = (low - room, high + room);
    let last = trials.iter().map(|trial| trial.number).max().unwrap_or(0).max(1) as f64;
    let x = |number: usize| LEFT + (RIGHT - LEFT) * number as f64 / last;
    let y = |score: f64| TOP + PLOT * (high - score) / (high - low);
    for step in 0..=4 {
        let score = low + (high - low) * f64::from(step) / 4.0;
        let at = y(score);
        add(svg, &format!("<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"));
        add(
            svg,
            &format!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                escaped(&metric.shown(Some(score)))
            ),
        );
    }
    let mut line = String::new();
    let mut best: Option<f64> = None;
    for (trial, score) in told.iter().filter(|(trial, _)| trial.state == State::Finished) {
        let now = best.map_or(*score, |best| if metric.is_better(*score, best) { *score } else { best });
        if let Some(before) = best {
            let _ = write!(line, "{:.1},{:.1} ", x(trial.number), y(before));
        }
        let _ = write!(line, "{:.1},{:.1} ", x(trial.number), y(now));
        best = Some(now);
    }
    add(
        svg,
        &format!("<polyline points=\"{}\" fill=\"none\" stroke=\"#D55E00\" stroke-width=\"2.5\"/>", line.trim_end()),
    );
    for (trial, score) in &told {
        let (cx, cy) = (x(trial.number), y(*score));
        let state = if trial.state == State::Pruned { "ended early" } else { "trained to its end" };
        let title = format!("<title>trial {}: {}, {state}</title>", trial.number, escaped(&metric.shown(Some(*score))));
        add(
            svg,
            &match trial.state {
                State::Pruned => format!(
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\" fill=\"#fff\" stroke=\"#888\">{title}</circle>"
                ),
                _ => format!("<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"4\" fill=\"#0072B2\">{title}</circle>"),
            },
        );
    }
    let below = TOP + PLOT + 22.0;
    add(
        svg,
        &format!(
            "<text x=\"{LEFT}\" y=\"{below}\">0</text><text x=\"{RIGHT}\" y=\"{below}\" text-anchor=\"end\">{last:.0}</text>"
        ),
    );
    let (middle, legend) = ((LEFT + RIGHT) / 2.0, below + 26.0);
    add(svg, &format!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">trial</text>"));
    add(
        svg,
        &format!(
            "<circle cx=\"{LEFT}\" cy=\"{0}\" r=\"4\" fill=\"#0072B2\"/><text x=\"{1}\" y=\"{legend}\">trained to its end</text>\
         <circle cx=\"{2}\" cy=\"{0}\" r=\"3.5\" fill=\"#fff\" stroke=\"#888\"/><text x=\"{3}\" y=\"{legend}\">ended early</text>\
         <line x1=\"{4}\" y1=\"{0}\" x2=\"{5}\" y2=\"{0}\" stroke=\"#D55E00\" stroke-width=\"2.5\"/><text x=\"{6}\" y=\"{legend}\">best so far</text>",
            legend - 4.0,
            LEFT + 10.0,
            LEFT + 150.0,
            LEFT + 160.0,
            LEFT + 260.0,
            LEFT + 286.0,
            LEFT + 294.0
        ),
    );
}

/// How much each setting mattered, most first.
fn bars(svg: &mut String, mut importance: Vec<(String, f64)>) {
    const NAMES: f64 = 740.0;
    const END: f64 = 880.0;
    importance.sort_by(|a, b| b.1.total_cmp(&a.1));
    add(svg, "<text x=\"600\" y=\"28\" font-size=\"16\" font-weight=\"bold\">What mattered</text>");
    for (place, (key, share)) in importance.iter().enumerate() {
        let at = TOP + BAR * place as f64;
        let short = escaped(key.rsplit('.').next().unwrap_or(key));
        let length = ((END - NAMES) * share).max(1.0);
        add(svg, &format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{short}</text>", NAMES - 8.0, at + 13.0));
        add(
            svg,
            &format!(
                "<rect x=\"{NAMES}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"14\" fill=\"#009E73\"/>",
                at + 2.0
            ),
        );
        add(
            svg,
            &format!("<text x=\"{:.1}\" y=\"{:.1}\">{:.0} %</text>", NAMES + length + 5.0, at + 13.0, 100.0 * share),
        );
    }
}
