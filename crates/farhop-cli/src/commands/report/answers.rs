//! What the model answers, beside what is true.

use farhop_data::metrics::Metric;
use farhop_data::text::thousands;
use farhop_train::Confusions;
use farhop_train::insight::{Agreement, Calibration, HitCurve, Insight, LabelScores, Sureness};

use super::course::curve;
use super::html::{Cell, Look, Markup, Table, figure, tag};
use super::view::RunView;
use crate::confusion::ConfusionReport;
use crate::picture::{Chart, Scale, errors, reliability, scatter};

/// With more classes than this the largest confusions are told.
const MOST_CLASSES: usize = 24;
/// Numbers that are drawn.
const MOST_DRAWN: usize = 12;

/// Everything about answers.
pub fn section(view: &RunView, insight: &Insight) -> Markup {
    let what = format!("{} {} {}", thousands(insight.rows as u64), insight.part.name(), view.rows());
    let mut beside = scores(insight, &what);
    let mut above = Markup::default();
    if let Some(confusion) = &insight.confusion {
        above = above.and(confused(view, insight, confusion));
        beside = beside.and(classes(view, insight, confusion));
    }
    if !insight.labels.is_empty() {
        above = above.and(labels(&insight.labels, &what));
    }
    let mut pictures = insight.calibration.as_ref().map(calibrated).unwrap_or_default();
    pictures = pictures.and(insight.hits.as_ref().and_then(hits).unwrap_or_default());
    let both = match pictures.is_empty() {
        true => beside,
        false => tag("div", "figures", tag("div", "stack", beside).and(pictures)),
    };
    above.and(both).and(numbers(&insight.numbers, &what))
}

fn scores(insight: &Insight, what: &str) -> Markup {
    let mut table = Table::new(&format!("Scores on {what}"), &["score", "#value"]);
    for (metric, value) in &insight.metrics {
        let look = match value {
            Some(value) if metric.higher_is_better() && *metric != Metric::R2 => Look::Bar(*value),
            _ => Look::Number,
        };
        table.row(vec![Cell::word(metric.name()), Cell::of(look, metric.shown(*value))]);
    }
    table.markup()
}

fn share_cell(value: Option<f64>) -> Cell {
    value.map_or(Cell::number("-"), |value| Cell::of(Look::Bar(value), format!("{value:.3}")))
}

fn report_of<'a>(view: &RunView, insight: &Insight, of: &'a Confusions) -> ConfusionReport<'a> {
    ConfusionReport { of, part: insight.part.name(), rows: view.rows() }
}

/// Scores of every class.
fn classes(view: &RunView, insight: &Insight, of: &Confusions) -> Markup {
    let report = report_of(view, insight, of);
    let Confusions { names, counts } = of;
    let rows = format!("#{}", view.rows());
    let mut table = Table::new("Every class", &["class", &rows, "#precision", "#recall", "#F1"]);
    for (class, name) in names.iter().enumerate() {
        table.row(vec![
            Cell::word(name),
            Cell::number(thousands(report.rows_of(class))),
            share_cell(counts.precision(class)),
            share_cell(counts.recall(class)),
            share_cell(counts.f1(class)),
        ]);
    }
    table.markup()
}

/// What was taken for what.
fn confused(view: &RunView, insight: &Insight, of: &Confusions) -> Markup {
    let report = report_of(view, insight, of);
    let Confusions { names, counts } = of;
    if names.len() > MOST_CLASSES {
        let mut table = Table::new("Largest confusions", &["true class", "taken for", "#count", "#of the class"]);
        for (count, truth, guess) in report.largest() {
            let all = report.rows_of(truth).max(1);
            let share = count as f64 / all as f64;
            table.row(vec![
                Cell::word(&names[truth]),
                Cell::word(&names[guess]),
                Cell::number(thousands(count)),
                Cell::of(Look::Bar(share), format!("{:.1} %", 100.0 * share)),
            ]);
        }
        return table.markup();
    }
    let mut table = Table::new("What was taken for what: true class down, predicted across", &["true \\ predicted"]);
    names.iter().for_each(|name| table.heat_column(name));
    for (truth, name) in names.iter().enumerate() {
        let all = report.rows_of(truth).max(1) as f64;
        let cell = |guess: usize| {
            let count = counts.count(truth, guess);
            let share = count as f64 / all;
            Cell::of(if truth == guess { Look::Heat(share) } else { Look::WrongHeat(share) }, thousands(count))
        };
        table.row([Cell::word(name)].into_iter().chain((0..names.len()).map(cell)).collect());
    }
    table.markup()
}

fn labels(labels: &[LabelScores], what: &str) -> Markup {
    let head = ["label", "#yes", "#no", "#average precision", "#ROC AUC", "#precision", "#recall"];
    let mut table = Table::new(&format!("Every label, on {what}"), &head);
    for label in labels {
        table.row(vec![
            Cell::word(&label.name),
            Cell::number(thousands(label.answers[0])),
            Cell::number(thousands(label.answers[1])),
            share_cell(label.average_precision),
            share_cell(label.roc_auc),
            share_cell(label.precision),
            share_cell(label.recall),
        ]);
    }
    table.markup()
}

fn numbers(numbers: &[Agreement], what: &str) -> Markup {
    if numbers.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new(
        &format!("Every number, on {what}"),
        &["number", "#rows", "#mean absolute error", "#root mean squared error", "#R²"],
    );
    let shown = |metric: Metric, value: Option<f64>| Cell::number(metric.shown(value));
    for one in numbers {
        table.row(vec![
            Cell::word(&one.name),
            Cell::number(thousands(one.points.len() as u64)),
            shown(Metric::Mae, one.mean_absolute_error),
            shown(Metric::Rmse, one.root_mean_squared_error),
            shown(Metric::R2, one.r2),
        ]);
    }
    let mut figures = Markup::default();
    for one in numbers.iter().take(MOST_DRAWN) {
        if let Some(svg) = scatter(one) {
            figures = figures.and(figure(
                &format!("{}: predicted against true", one.name),
                &svg,
                "On the line, they are the same.",
            ));
        }
        if let Some(svg) = errors(one).filter(|_| numbers.len() <= 3) {
            let note = "To the right of 0, predictions are too high. The farthest hundredth is counted at the ends.";
            figures = figures.and(figure(&format!("{}: errors", one.name), &svg, note));
        }
    }
    let left = match numbers.len() > MOST_DRAWN {
        true => tag("p", "", format!("The first {MOST_DRAWN} of {} numbers are drawn.", numbers.len())),
        false => Markup::default(),
    };
    table.markup().and(tag("div", "figures", figures)).and(left)
}

fn calibrated(calibration: &Calibration) -> Markup {
    let error = 100.0 * calibration.expected_error;
    let note = match calibration.of {
        Sureness::OfChoice => format!(
            "Expected calibration error {error:.1} %: so far are the probability of the most probable class and the share that is right apart, in the mean over answers. Bars below the line mean that the model is too sure."
        ),
        Sureness::OfYes => format!(
            "Expected calibration error {error:.1} %: so far are the probability of yes and the share of yes apart, in the mean over answers."
        ),
    };
    figure("Calibration", &reliability(calibration), &note)
}

fn hits(hits: &HitCurve) -> Option<Markup> {
    let points = hits.shares.iter().enumerate().map(|(at, share)| (at + 1, *share)).collect();
    let curves = [curve("share of true pairs", "c1", false, points)];
    let chart = Chart {
        title: "True pairs among the first k",
        below: "rank k",
        beside: "ranked k or better",
        percent: true,
        scale: Scale::Even,
        curves: &curves,
        marks: &[],
    };
    Some(figure(
        "True pairs among the first k",
        &chart.draw()?,
        "Of all pairs of a node, ordered by their score; the mean over graphs.",
    ))
}
