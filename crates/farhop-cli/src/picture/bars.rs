//! Lengths side by side, each with its name and number.

use super::frame::width_of;
use super::svg::Svg;

const LINE: f64 = 24.0;
const WIDTH: f64 = 520.0;

/// One length.
pub struct Bar {
    pub name: String,
    /// Of the longest one.
    pub share: f64,
    /// The number as it is written.
    pub shown: String,
}

/// The bars, from the first down.
pub fn bars(title: &str, class: &str, rows: &[Bar]) -> Svg {
    const LONGEST: usize = 34;
    let names: Vec<String> = rows.iter().map(|row| shortened(&row.name, LONGEST)).collect();
    let widest = names.iter().map(|name| width_of(name)).fold(0.0, f64::max);
    let numbers = rows.iter().map(|row| width_of(&row.shown)).fold(0.0, f64::max);
    let left = widest + 10.0;
    let room = (WIDTH - left - numbers - 10.0).max(40.0);
    let mut svg = Svg::new(WIDTH, LINE * rows.len() as f64 + 4.0, title);
    for (place, (row, name)) in rows.iter().zip(&names).enumerate() {
        let y = LINE * place as f64 + 2.0;
        let length = (room * row.share.clamp(0.0, 1.0)).max(1.0);
        svg.text((left - 8.0, y + 15.0), "end", name);
        svg.bar((left, y + 3.0), (length, 16.0), &format!("fill {class}"), "");
        svg.text((left + length + 6.0, y + 15.5), "", &row.shown);
    }
    let told: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.name, row.shown)).collect();
    svg.describe(&told.join("; "));
    svg
}

/// A name of bounded length.
pub fn shortened(name: &str, longest: usize) -> String {
    match name.chars().count() > longest {
        true => name.chars().take(longest - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
