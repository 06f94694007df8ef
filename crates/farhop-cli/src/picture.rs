//! Charts as SVG: accuracy against distance, one line a model, labelled where it ends; score against training time.

use std::fmt::Write;

use farhop_data::metrics::Metric;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 64.0;

/// Colours that stay apart for colour-blind readers (Okabe and Ito, 2008), and a mark of its own for each line.
const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];

/// One line of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The model.
    pub name: String,
    /// (distance, accuracy from 0 to 1).
    pub points: Vec<(usize, f64)>,
}

/// The chart. `chance` is (distance, accuracy of always naming the most frequent class).
pub fn accuracy_against_distance(lines: &[Line], chance: &[(usize, f64)]) -> String {
    let distances: Vec<usize> = chance.iter().map(|(distance, _)| *distance).collect();
    let first = distances.iter().copied().min().unwrap_or(1) as f64;
    let last = distances.iter().copied().max().unwrap_or(1) as f64;
    let span = (last - first).max(1.0);
    let x = |distance: usize| LEFT + (WIDTH - LEFT - RIGHT) * (distance as f64 - first) / span;
    let y = |share: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
    let path = |points: &[(usize, f64)]| {
        let places = points.iter().map(|(distance, share)| format!("{:.1},{:.1}", x(*distance), y(*share)));
        places.collect::<Vec<_>>().join(" ")
    };

    let mut svg = start("Test accuracy against distance", "The majority colour at distance r: who can tell?");
    let mut add = |line: String| {
        // Writing to a text can't fail.
        let _ = writeln!(svg, "{line}");
    };
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        let (height, right) = (y(share), WIDTH - RIGHT);
        add(format!("<line x1=\"{LEFT}\" y1=\"{height:.1}\" x2=\"{right}\" y2=\"{height:.1}\" stroke=\"#ddd\"/>"));
        let (place, baseline) = (LEFT - 8.0, height + 5.0);
        add(format!("<text x=\"{place}\" y=\"{baseline:.1}\" text-anchor=\"end\">{:.0} %</text>", 100.0 * share));
    }
    for distance in &distances {
        let (place, baseline) = (x(*distance), HEIGHT - BOTTOM + 22.0);
        add(format!("<text x=\"{place:.1}\" y=\"{baseline}\" text-anchor=\"middle\">{distance}</text>"));
    }
    let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0);
    add(format!(
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">distance r of the colours that decide</text>"
    ));
    let up = (TOP + HEIGHT - BOTTOM) / 2.0;
    add(format!("<text transform=\"translate(20 {up}) rotate(-90)\" text-anchor=\"middle\">test accuracy</text>"));

    add(format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#666\" stroke-width=\"1.5\" stroke-dasharray=\"6 5\"/>",
        path(chance)
    ));
    let mut ends: Vec<(f64, String, &str)> = Vec::new();
    let end_of = |points: &[(usize, f64)]| points.last().map(|(_, share)| y(*share));
    ends.extend(end_of(chance).map(|end| (end, "guessing".to_string(), "#666")));
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        add(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>",
            path(&line.points)
        ));
        for (distance, share) in &line.points {
            add(format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>", x(*distance), y(*share)));
        }
        ends.extend(end_of(&line.points).map(|end| (end, line.name.clone(), *colour)));
    }
    for (height, name, colour) in apart(ends) {
        let (place, baseline) = (WIDTH - RIGHT + 12.0, height + 5.0);
        let name = escaped(&name);
        add(format!("<text x=\"{place}\" y=\"{baseline:.1}\" fill=\"{colour}\" font-weight=\"bold\">{name}</text>"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// One model of a chart of scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The model.
    pub name: String,
    /// Mean seconds of training.
    pub seconds: f64,
    /// Mean score.
    pub score: f64,
    /// Its deviation; none of a single run.
    pub deviation: Option<f64>,
}

/// Score with error bars against training time, on a scale of powers of ten.
pub fn score_against_time(marks: &[Mark], metric: Option<Metric>) -> String {
    let percent = metric.is_some_and(Metric::in_percent);
    let low = |mark: &Mark| mark.score - mark.deviation.unwrap_or(0.0);
    let high = |mark: &Mark| mark.score + mark.deviation.unwrap_or(0.0);
    let least = marks.iter().map(low).fold(f64::INFINITY, f64::min);
    let most = marks.iter().map(high).fold(f64::NEG_INFINITY, f64::max);
    let step = round_step((most - least).max(1e-3));
    let (bottom, top) = ((least / step - 0.25).floor() * step, (most / step + 0.25).ceil() * step);
    let logarithm = |seconds: f64| seconds.max(1e-3).log10();
    let first = marks.iter().map(|mark| logarithm(mark.seconds)).fold(f64::INFINITY, f64::min).floor();
    let last =
        marks.iter().map(|mark| logarithm(mark.seconds)).fold(f64::NEG_INFINITY, f64::max).ceil().max(first + 1.0);
    let x = |seconds: f64| LEFT + (WIDTH - LEFT - RIGHT) * (logarithm(seconds) - first) / (last - first);
    let y = |score: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (score - bottom) / (top - bottom);
    let name = metric.map_or("score".to_string(), Metric::name);
    let mut svg = start("Test score against training time", &format!("Test {name} and time of training"));
    let mut add = |line: String| {
        // Writing to a text can't fail.
        let _ = writeln!(svg, "{line}");
    };
    let digits = (-step.log10().floor()).max(0.0) as usize;
    for line in 0..=((top - bottom) / step).round() as usize {
        let score = bottom + step * line as f64;
        let (height, right) = (y(score), WIDTH - RIGHT);
        add(format!("<line x1=\"{LEFT}\" y1=\"{height:.1}\" x2=\"{right}\" y2=\"{height:.1}\" stroke=\"#ddd\"/>"));
        let told = if percent {
            format!("{:.*} %", digits.saturating_sub(2), 100.0 * score)
        } else {
            format!("{score:.digits$}")
        };
        add(format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{told}</text>", LEFT - 8.0, height + 5.0));
    }
    for power in first as i32..=last as i32 {
        let seconds = 10f64.powi(power);
        let place = x(seconds);
        add(format!(
            "<text x=\"{place:.1}\" y=\"{}\" text-anchor=\"middle\">{seconds} s</text>",
            HEIGHT - BOTTOM + 22.0
        ));
    }
    let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0);
    add(format!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">seconds of training, mean of runs</text>"));
    let mut labels = Vec::new();
    for (mark, colour) in marks.iter().zip(COLOURS.iter().cycle()) {
        let (place, height) = (x(mark.seconds), y(mark.score));
        if mark.deviation.is_some() {
            let (from, to) = (y(low(mark)), y(high(mark)));
            add(format!(
                "<line x1=\"{place:.1}\" y1=\"{from:.1}\" x2=\"{place:.1}\" y2=\"{to:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            ));
        }
        add(format!("<circle cx=\"{place:.1}\" cy=\"{height:.1}\" r=\"5\" fill=\"{colour}\"/>"));
        labels.push((height, mark.name.clone(), *colour));
    }
    for (height, name, colour) in apart(labels) {
        let (place, baseline) = (WIDTH - RIGHT + 12.0, height + 5.0);
        let from = marks.iter().find(|mark| mark.name == name).map(|mark| (x(mark.seconds), y(mark.score)));
        if let Some((start, at)) = from {
            add(format!(
                "<line x1=\"{start:.1}\" y1=\"{at:.1}\" x2=\"{}\" y2=\"{height:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.25\"/>",
                place - 4.0
            ));
        }
        let name = escaped(&name);
        add(format!("<text x=\"{place}\" y=\"{baseline:.1}\" fill=\"{colour}\" font-weight=\"bold\">{name}</text>"));
    }
    svg.push_str("</svg>\n");
    svg
}

/// A step of 1, 2 or 5 times a power of ten that divides a span into about five.
fn round_step(span: f64) -> f64 {
    let rough = span / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    factor * power
}

/// The beginning of a chart: its title for readers of the picture's text, and the heading that is seen.
fn start(title: &str, heading: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#222\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"17\" font-weight=\"bold\">{heading}</text>\n"
    )
}

/// Moves labels down until none covers the one above it, then all up as far as they left the chart.
fn apart(mut labels: Vec<(f64, String, &str)>) -> Vec<(f64, String, &str)> {
    const LINE: f64 = 18.0;
    labels.sort_by(|left, right| left.0.total_cmp(&right.0));
    for place in 1..labels.len() {
        labels[place].0 = labels[place].0.max(labels[place - 1].0 + LINE);
    }
    let lowest = labels.last().map_or(0.0, |label| label.0);
    let over = (lowest - (HEIGHT - BOTTOM)).max(0.0);
    labels.iter_mut().for_each(|label| label.0 -= over);
    labels
}

/// The text as it stands in XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_model_stands_higher_and_labels_do_not_touch() {
        let line = |name: &str, share: f64| Line { name: name.into(), points: vec![(1, share), (4, share)] };
        let lines = [line("mlp", 0.26), line("gcn", 0.27), line("a<b", 0.95)];
        let svg = accuracy_against_distance(&lines, &[(1, 0.25), (4, 0.25)]);
        let height_of = |name: &str| -> f64 {
            let label = svg.lines().find(|line| line.contains(&format!(">{name}</text>"))).unwrap();
            let after = label.split("y=\"").nth(1).unwrap();
            after.split('"').next().unwrap().parse().unwrap()
        };
        let mut heights = ["a&lt;b", "gcn", "mlp", "guessing"].map(height_of);
        assert!(heights[0] + 100.0 < heights[1]);
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 17.9));
        assert!(heights[3] < HEIGHT);
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        assert_eq!(svg.matches("<polyline").count(), 4);
    }

    #[test]
    fn scores_have_error_bars_and_slower_models_stand_to_the_right() {
        let mark = |name: &str, seconds, score, deviation| Mark { name: name.into(), seconds, score, deviation };
        let marks =
            [mark("fast", 2.0, 0.81, Some(0.01)), mark("slow", 200.0, 0.85, Some(0.02)), mark("one", 20.0, 0.5, None)];
        let svg = score_against_time(&marks, Some(Metric::Accuracy));
        let places: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<circle"))
            .map(|line| line.split('"').nth(1).unwrap().parse().unwrap())
            .collect();
        assert!(
            places[0] < places[2]
                && places[2] < places[1]
                && places.iter().all(|place| (LEFT..=WIDTH - RIGHT).contains(place))
        );
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 2);
        assert!(svg.contains("80 %") && svg.contains(">10 s<") && svg.contains(">slow</text>"));
        assert_eq!([0.7, 0.2, 12.0].map(round_step), [0.2, 0.05, 5.0]);
    }
}
