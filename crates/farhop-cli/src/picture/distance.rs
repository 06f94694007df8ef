//! Accuracy against distance, one line a model, labelled where it ends.

use super::axis::Axis;
use super::colour;
use super::frame::{Frame, Size, apart};

/// One line of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The model.
    pub name: String,
    /// (distance, accuracy from 0 to 1).
    pub points: Vec<(usize, f64)>,
}

/// The chart, as a file. `chance` is (distance, accuracy of always naming the most frequent class).
pub fn accuracy_against_distance(lines: &[Line], chance: &[(usize, f64)]) -> String {
    let first = chance.iter().map(|(distance, _)| *distance).min().unwrap_or(1);
    let last = chance.iter().map(|(distance, _)| *distance).max().unwrap_or(1);
    let values = |points: &[(usize, f64)]| -> Vec<(f64, f64)> {
        points.iter().map(|(distance, share)| (*distance as f64, *share)).collect()
    };
    let mut frame = Frame::new(
        Size { width: 720.0, height: 400.0, names: 96.0 },
        "Test accuracy against distance",
        (Axis::whole(first, last), "distance r of the colours that decide"),
        (Axis::around(0.0, 1.0, true), "test accuracy"),
        &[],
    );
    let mut ends = Vec::new();
    let mut end = |frame: &Frame, points: &[(usize, f64)], name: &str, class: &'static str| {
        ends.extend(points.last().map(|(_, share)| (frame.at_y(*share), (name.to_string(), class))));
    };
    frame.through(&values(chance), "guide");
    end(&frame, chance, "guessing", "quiet");
    for (number, line) in lines.iter().enumerate() {
        let class = colour(number);
        let values = values(&line.points);
        frame.through(&values, &format!("line {class}"));
        for value in values {
            frame.dot(value, 4.0, &format!("dot {class}"), "");
        }
        end(&frame, &line.points, &line.name, class);
    }
    for (y, (name, class)) in apart(ends, frame.bottom) {
        frame.svg.bar((frame.right + 10.0, y - 4.0), (8.0, 8.0), &format!("fill {class}"), "");
        frame.svg.text((frame.right + 23.0, y + 5.0), "strong", &name);
    }
    frame.svg.alone("The majority colour at distance r: who can tell?")
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
        assert!(heights[3] < 400.0);
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        assert_eq!(svg.matches("<polyline").count(), 4);
    }
}
