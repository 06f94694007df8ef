//! Numbers, predicted and true.

use farhop_train::insight::Agreement;

use super::axis::Axis;
use super::frame::{Frame, Key, KeyKind, Size};
use super::svg::Svg;

/// More points than this are not told apart.
const MOST_POINTS: usize = 1500;
/// Groups of the errors.
const GROUPS: usize = 24;

/// Predicted against true; none without two different points.
pub fn scatter(of: &Agreement) -> Option<Svg> {
    let finite: Vec<(f64, f64)> = of
        .points
        .iter()
        .map(|(truth, predicted)| (f64::from(*truth), f64::from(*predicted)))
        .filter(|(truth, predicted)| truth.is_finite() && predicted.is_finite())
        .collect();
    if finite.is_empty() {
        return None;
    }
    let all = || finite.iter().flat_map(|(truth, predicted)| [*truth, *predicted]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let axis = Axis::around(low, high, false);
    let key = |kind, class, words| Key { class, kind, words };
    let keys = [key(KeyKind::Dot, "c1", "one row"), key(KeyKind::Dashed, "quiet", "as it should be")];
    let mut frame = Frame::new(
        Size { width: 520.0, height: 440.0, names: 16.0 },
        &format!("{}: predicted against true", of.name),
        (axis.clone(), "true"),
        (axis, "predicted"),
        &keys,
    );
    // Every k-th row, so that the picture is the same every time.
    let step = finite.len().div_ceil(MOST_POINTS);
    for value in finite.iter().step_by(step) {
        frame.dot(*value, 2.5, "cloud c1", "");
    }
    let (from, to) = ((frame.left, frame.bottom), (frame.right, frame.top));
    frame.svg.line(from, to, "guide");
    let r2 = of.r2.map_or(String::new(), |r2| format!(", R² {r2:.3}"));
    let drawn = if step > 1 { format!(", every {step}th is drawn") } else { String::new() };
    frame.svg.describe(&format!("{} rows{r2}{drawn}", finite.len()));
    Some(frame.svg)
}

/// How far predictions are off, and which way.
pub fn errors(of: &Agreement) -> Option<Svg> {
    let errors: Vec<f64> = of
        .points
        .iter()
        .map(|(truth, predicted)| f64::from(*predicted) - f64::from(*truth))
        .filter(|error| error.is_finite())
        .collect();
    // Few far ones would leave no room for the rest: they are counted into the outermost groups.
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let reach = *sizes.get((sizes.len() * 99 / 100).min(sizes.len().saturating_sub(1)))?;
    if reach <= 0.0 {
        return None;
    }
    let mut counts = [0u64; GROUPS];
    for error in &errors {
        let place = (error / reach + 1.0) / 2.0 * GROUPS as f64;
        counts[(place.max(0.0) as usize).min(GROUPS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1);
    let mut frame = Frame::new(
        Size { width: 520.0, height: 300.0, names: 16.0 },
        &format!("{}: errors", of.name),
        (Axis::exactly(-reach, reach, false), "predicted - true"),
        (Axis::around(0.0, most as f64, false), "rows"),
        &[],
    );
    let step = 2.0 * reach / GROUPS as f64;
    for (number, count) in counts.iter().enumerate() {
        let from = -reach + step * number as f64;
        let (left, right, top) = (frame.at_x(from), frame.at_x(from + step), frame.at_y(*count as f64));
        let note = format!("{count} rows");
        frame.svg.bar((left + 0.75, top), (right - left - 1.5, frame.bottom - top), "fill c1", &note);
    }
    let x = frame.at_x(0.0);
    frame.svg.line((x, frame.top), (x, frame.bottom), "guide");
    frame.svg.describe(&format!("Of {} errors, 99 of 100 are below {reach:.4}", errors.len()));
    Some(frame.svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_thinned_and_far_errors_do_not_hide_the_rest() {
        let points =
            (0..10_000).map(|row| (row as f32, row as f32 + if row == 7 { 1e6 } else { (row % 5) as f32 - 2.0 }));
        let of = Agreement {
            name: "<b>".into(),
            points: points.collect(),
            mean_absolute_error: None,
            root_mean_squared_error: None,
            r2: None,
        };
        let svg = scatter(&of).unwrap().inline();
        let dots = svg.matches("<circle").count();
        assert!((1000..=MOST_POINTS + 1).contains(&dots), "{dots}");
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
        let svg = errors(&of).unwrap().inline();
        assert!(svg.matches("<rect").filter(|_| true).count() == GROUPS && svg.contains("below 2.0"), "{svg}");
        let none = Agreement { points: Vec::new(), ..of };
        assert!(scatter(&none).is_none() && errors(&none).is_none());
    }
}
