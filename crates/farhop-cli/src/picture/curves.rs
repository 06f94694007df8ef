//! Numbers epoch by epoch, over each other.

use super::axis::{Axis, Scale};
use super::frame::{Frame, Key, KeyKind, Size};
use super::svg::Svg;

/// More points than this are not told apart.
const MOST_POINTS: usize = 400;

/// One line.
#[derive(Debug, Clone)]
pub struct Curve {
    pub name: String,
    /// A class of colour.
    pub colour: &'static str,
    /// Broken, so that it is told apart without its colour.
    pub dashed: bool,
    /// In the background: one of many, without a word in the legend.
    pub faint: bool,
    /// (epoch, value).
    pub points: Vec<(usize, f64)>,
}

/// Lines over each other.
pub struct Chart<'a> {
    pub title: &'a str,
    /// What stands at the axes.
    pub below: &'a str,
    pub beside: &'a str,
    /// Whether values are shares.
    pub percent: bool,
    pub scale: Scale,
    pub curves: &'a [Curve],
    /// Epochs that are marked, with a word and a class of colour.
    pub marks: &'a [(usize, &'a str)],
}

impl Chart<'_> {
    /// The picture; none without a line that has two points.
    pub fn draw(&self) -> Option<Svg> {
        let finite = |curve: &Curve| -> Vec<(usize, f64)> {
            curve.points.iter().copied().filter(|(_, value)| value.is_finite()).collect()
        };
        let lines: Vec<(&Curve, Vec<(usize, f64)>)> = self.curves.iter().map(|curve| (curve, finite(curve))).collect();
        if lines.iter().all(|(_, points)| points.len() < 2) {
            return None;
        }
        let all = || lines.iter().flat_map(|(_, points)| points);
        let (low, high) = all()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
        let first = all().map(|(epoch, _)| *epoch).min().unwrap_or(0);
        let last = all().map(|(epoch, _)| *epoch).max().unwrap_or(1);
        let scale = if low > 0.0 { self.scale } else { Scale::Even };
        let axes =
            ((Axis::whole(first, last), self.below), (Axis::scaled(scale, low, high, self.percent), self.beside));
        let named = lines.iter().filter(|(curve, points)| !curve.faint && points.len() > 1);
        // One line among no others is what the caption says.
        let alone = self.curves.len() == 1;
        let keys: Vec<Key<'_>> = named
            .filter(|_| !alone)
            .map(|(curve, _)| Key {
                class: curve.colour,
                kind: if curve.dashed { KeyKind::Dashed } else { KeyKind::Line },
                words: &curve.name,
            })
            .collect();
        let mut frame = Frame::new(Size::USUAL, self.title, axes.0, axes.1, &keys);
        for (epoch, word) in self.marks {
            let x = frame.at_x(*epoch as f64);
            frame.svg.line((x, frame.top), (x, frame.bottom), "guide");
            frame.svg.text((x, frame.top - 4.0), "middle", word);
        }
        for (curve, points) in &lines {
            let kind = match (curve.faint, curve.dashed, self.curves.len() > 6) {
                (true, ..) => "faint",
                (_, true, true) => "thin dashed",
                (_, true, false) => "line dashed",
                (_, _, true) => "thin",
                _ => "line",
            };
            let values: Vec<(f64, f64)> =
                thinned(points).iter().map(|(epoch, value)| (*epoch as f64, *value)).collect();
            frame.through(&values, &format!("{kind} {}", curve.colour));
        }
        frame.svg.describe(&self.words(&lines));
        Some(frame.svg)
    }

    /// What is to be seen, for those who can't.
    fn words(&self, lines: &[(&Curve, Vec<(usize, f64)>)]) -> String {
        let shown = |value: f64| if self.percent { format!("{:.1} %", 100.0 * value) } else { format!("{value:.4}") };
        let told = lines.iter().filter(|(curve, points)| !curve.faint && points.len() > 1).map(|(curve, points)| {
            let ((first, from), (last, to)) = (points[0], points[points.len() - 1]);
            format!("{}: {} at {} {first}, {} at {last}", curve.name, shown(from), self.below, shown(to))
        });
        told.collect::<Vec<_>>().join("; ")
    }
}

/// The lowest and the highest point of every stretch, so that no peak is lost.
fn thinned(points: &[(usize, f64)]) -> Vec<(usize, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::new();
    for part in points.chunks(stretch) {
        let by_value = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
        let mut ends: Vec<(usize, f64)> =
            part.iter().min_by(by_value).into_iter().chain(part.iter().max_by(by_value)).copied().collect();
        ends.sort_by_key(|(epoch, _)| *epoch);
        ends.dedup();
        kept.extend(ends);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_of_long_curves_stay() {
        let points: Vec<(usize, f64)> = (0..5000).map(|epoch| (epoch, if epoch == 3333 { 9.0 } else { 0.0 })).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= MOST_POINTS && kept.contains(&(3333, 9.0)));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_curve_needs_two_finite_points() {
        let curve = |points: &[(usize, f64)]| Curve {
            name: "valid".into(),
            colour: "c1",
            dashed: false,
            faint: false,
            points: points.to_vec(),
        };
        let draw = |curves: &[Curve]| {
            Chart {
                title: "t",
                below: "epoch",
                beside: "loss",
                percent: false,
                scale: Scale::Powers,
                curves,
                marks: &[],
            }
            .draw()
        };
        assert!(draw(&[curve(&[(1, 0.5), (2, f64::NAN)])]).is_none());
        let svg = draw(&[curve(&[(1, 0.5), (2, f64::NAN), (3, 0.25)])]).unwrap().inline();
        assert!(svg.contains("valid: 0.5000 at epoch 1, 0.2500 at 3") && !svg.contains("NaN"), "{svg}");
    }
}
