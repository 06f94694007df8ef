//! A chart's surface between two axes.

use super::axis::Axis;
use super::svg::Svg;

/// How wide words are, in a font that is rather wide.
pub fn width_of(words: &str) -> f64 {
    let letter = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 13.0,
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | ' ' => 5.0,
        'f' | 't' | 'r' | '-' | '/' => 5.8,
        'A'..='Z' => 9.5,
        // Letters of other alphabets may be as wide as high.
        other if !other.is_ascii() => 13.0,
        _ => 8.4,
    };
    words.chars().map(letter).sum()
}

/// A word in the legend.
pub struct Key<'a> {
    pub class: &'a str,
    pub kind: KeyKind,
    pub words: &'a str,
}

/// What stands before a word in the legend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    Line,
    Dashed,
    Dot,
    Hollow,
    Surface,
}

/// Two axes, and what is drawn between them.
pub struct Frame {
    pub svg: Svg,
    pub x: Axis,
    pub y: Axis,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// The measures of a chart.
#[derive(Clone, Copy)]
pub struct Size {
    pub width: f64,
    pub height: f64,
    /// Room for names at the right.
    pub names: f64,
}

impl Size {
    /// That of most charts.
    pub const USUAL: Size = Size { width: 520.0, height: 300.0, names: 16.0 };
}

impl Frame {
    /// Draws grid and axes, and a legend in as many lines as it needs.
    pub fn new(size: Size, title: &str, (x, below): (Axis, &str), (y, beside): (Axis, &str), keys: &[Key<'_>]) -> Self {
        let widest = y.ticks.iter().map(|(_, text)| width_of(text)).fold(0.0, f64::max);
        let left = widest + if beside.is_empty() { 18.0 } else { 38.0 };
        let mut svg = Svg::new(size.width, size.height, title);
        let top = legend(&mut svg, keys, left, size.width) + 18.0;
        let bottom = size.height - if below.is_empty() { 28.0 } else { 46.0 };
        // The last number is centred below the end of the axis.
        let last = x.ticks.last().map_or(0.0, |(_, text)| width_of(text) / 2.0 + 2.0);
        let mut frame = Frame { svg, x, y, left, right: size.width - size.names.max(last), top, bottom };
        frame.draw(below, beside);
        frame
    }

    fn draw(&mut self, below: &str, beside: &str) {
        for (value, text) in self.y.ticks.clone() {
            let y = self.at_y(value);
            self.svg.line((self.left, y), (self.right, y), "grid");
            self.svg.text((self.left - 8.0, y + 4.5), "end", &text);
        }
        self.svg.line((self.left, self.bottom), (self.right, self.bottom), "axis");
        let mut free = f64::NEG_INFINITY;
        for (value, text) in self.x.ticks.clone() {
            let (x, half) = (self.at_x(value), width_of(&text) / 2.0);
            if x - half < free {
                continue;
            }
            free = x + half + 6.0;
            self.svg.line((x, self.bottom), (x, self.bottom + 4.0), "axis");
            self.svg.text((x, self.bottom + 18.0), "middle", &text);
        }
        if !below.is_empty() {
            self.svg.text(((self.left + self.right) / 2.0, self.svg.height - 8.0), "middle", below);
        }
        if !beside.is_empty() {
            self.svg.upright((14.0, (self.top + self.bottom) / 2.0), beside);
        }
    }

    pub fn at_x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.place(value)
    }

    pub fn at_y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.place(value)
    }

    pub fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.at_x(x), self.at_y(y))
    }

    /// A line through values.
    pub fn through(&mut self, values: &[(f64, f64)], class: &str) {
        let points: Vec<(f64, f64)> = values.iter().map(|value| self.at(*value)).collect();
        self.svg.through(&points, class);
    }

    /// A point at a value.
    pub fn dot(&mut self, value: (f64, f64), radius: f64, class: &str, note: &str) {
        let place = self.at(value);
        self.svg.dot(place, radius, class, note);
    }
}

/// Draws what the colours mean and gives the height that it took.
fn legend(svg: &mut Svg, keys: &[Key<'_>], left: f64, width: f64) -> f64 {
    const LINE: f64 = 20.0;
    let (mut x, mut y) = (left, 0.0);
    for key in keys {
        let wide = 30.0 + width_of(key.words) + 16.0;
        if x + wide > width + 16.0 && x > left {
            (x, y) = (left, y + LINE);
        }
        let middle = y + 10.0;
        let class = key.class;
        match key.kind {
            KeyKind::Line => svg.line((x, middle), (x + 22.0, middle), &format!("line {class}")),
            KeyKind::Dashed => svg.line((x, middle), (x + 22.0, middle), &format!("line dashed {class}")),
            KeyKind::Dot => svg.dot((x + 14.0, middle), 4.5, &format!("dot {class}"), ""),
            KeyKind::Hollow => svg.dot((x + 14.0, middle), 4.0, &format!("hollow {class}"), ""),
            KeyKind::Surface => svg.bar((x + 6.0, middle - 6.0), (16.0, 12.0), class, ""),
        }
        svg.text((x + 28.0, middle + 4.5), "", key.words);
        x += wide;
    }
    if keys.is_empty() { 0.0 } else { y + LINE }
}

/// Moves labels down until none covers the one above it, then all up as far as they left the chart.
pub fn apart<T>(mut labels: Vec<(f64, T)>, bottom: f64) -> Vec<(f64, T)> {
    const LINE: f64 = 18.0;
    labels.sort_by(|left, right| left.0.total_cmp(&right.0));
    for place in 1..labels.len() {
        labels[place].0 = labels[place].0.max(labels[place - 1].0 + LINE);
    }
    let lowest = labels.last().map_or(0.0, |label| label.0);
    let over = (lowest - bottom).max(0.0);
    labels.iter_mut().for_each(|label| label.0 -= over);
    labels
}
