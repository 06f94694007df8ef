//! Score with error bars against training time.

use farhop_data::metrics::Metric;

use super::axis::Axis;
use super::colour;
use super::frame::{Frame, Size, apart, width_of};
use super::svg::Svg;

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

/// The chart, time on a scale of powers of ten.
pub fn score_against_time(marks: &[Mark], metric: Option<Metric>) -> Svg {
    let percent = metric.is_some_and(Metric::in_percent);
    let low = |mark: &Mark| mark.score - mark.deviation.unwrap_or(0.0);
    let high = |mark: &Mark| mark.score + mark.deviation.unwrap_or(0.0);
    let least = marks.iter().map(low).fold(f64::INFINITY, f64::min);
    let most = marks.iter().map(high).fold(f64::NEG_INFINITY, f64::max);
    let seconds = || marks.iter().map(|mark| mark.seconds.max(1e-3));
    let (fastest, slowest) = (seconds().fold(f64::INFINITY, f64::min), seconds().fold(0.0, f64::max));
    let mut x = Axis::powers(fastest.min(slowest), slowest);
    x.ticks.iter_mut().for_each(|(_, text)| text.push_str(" s"));
    let name = metric.map_or("score".to_string(), Metric::name);
    let names = marks.iter().map(|mark| width_of(&mark.name)).fold(40.0, f64::max) + 34.0;
    let mut frame = Frame::new(
        Size { names, height: 340.0, width: 620.0 },
        "Test score against training time",
        (x, "seconds of training, mean of runs"),
        (Axis::around(least, most, percent), &format!("test {name}")),
        &[],
    );
    let mut labels = Vec::new();
    for (number, mark) in marks.iter().enumerate() {
        let class = colour(number);
        let place = frame.at((mark.seconds, mark.score));
        if mark.deviation.is_some() {
            let ends = [low(mark), high(mark)].map(|score| (place.0, frame.at_y(score)));
            frame.svg.line(ends[0], ends[1], &format!("line {class}"));
        }
        let shown = |value: f64| metric.map_or_else(|| format!("{value:.4}"), |metric| metric.shown(Some(value)));
        frame.svg.dot(place, 5.0, &format!("dot {class}"), &format!("{}: {}", mark.name, shown(mark.score)));
        labels.push((place.1, (mark, class, place)));
    }
    for (y, (mark, class, place)) in apart(labels, frame.bottom) {
        let x = frame.right + 10.0;
        frame.svg.line((place.0 + 6.0, place.1), (x - 3.0, y), &format!("faint {class}"));
        frame.svg.bar((x, y - 4.0), (8.0, 8.0), &format!("fill {class}"), "");
        frame.svg.text((x + 13.0, y + 5.0), "strong", &mark.name);
    }
    let told = marks.iter().map(|mark| format!("{}: {:.4} in {:.1} s", mark.name, mark.score, mark.seconds));
    frame.svg.describe(&told.collect::<Vec<_>>().join("; "));
    frame.svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_error_bars_and_slower_models_stand_to_the_right() {
        let mark = |name: &str, seconds, score, deviation| Mark { name: name.into(), seconds, score, deviation };
        let marks =
            [mark("fast", 2.0, 0.81, Some(0.01)), mark("slow", 200.0, 0.85, Some(0.02)), mark("one", 20.0, 0.5, None)];
        let svg = score_against_time(&marks, Some(Metric::Accuracy));
        let svg = svg.inline();
        let places: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<circle"))
            .map(|line| line.split('"').nth(1).unwrap().parse().unwrap())
            .collect();
        assert!(places[0] < places[2] && places[2] < places[1], "{places:?}");
        assert_eq!(svg.matches("class=\"line ").count(), 2);
        assert!(svg.contains("80 %") && svg.contains(">10 s<") && svg.contains(">slow</text>"), "{svg}");
    }
}
