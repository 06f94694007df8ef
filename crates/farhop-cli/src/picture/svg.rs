//! Shapes and words on a surface. Nothing else writes SVG, and every word that goes in is escaped here.

use std::fmt::Write;

/// What every picture wears.
pub const STYLE: &str = include_str!("picture.css");

/// Height of the heading of a picture that stands by itself.
const HEADING: f64 = 44.0;

/// A picture that is being drawn.
#[derive(Debug, Clone)]
pub struct Svg {
    pub width: f64,
    pub height: f64,
    title: String,
    description: String,
    body: String,
}

impl Svg {
    /// An empty one. The title is for those who can't see it.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        Svg { width, height, title: title.to_string(), description: String::new(), body: String::new() }
    }

    /// Says in words what is to be seen.
    pub fn describe(&mut self, text: &str) {
        self.description = text.to_string();
    }

    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a text can't fail.
        let _ = self.body.write_fmt(line);
        self.body.push('\n');
    }

    /// Words that begin, end or are centred at a place, as the class says.
    pub fn text(&mut self, (x, y): (f64, f64), class: &str, words: &str) {
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\"{}>{}</text>", classed(class), escaped(words)));
    }

    /// Words that go upwards, centred.
    pub fn upright(&mut self, (x, y): (f64, f64), words: &str) {
        self.add(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" class=\"middle\">{}</text>",
            escaped(words)
        ));
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.add(format_args!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"{}/>", classed(class)));
    }

    /// A line through points.
    pub fn through(&mut self, points: &[(f64, f64)], class: &str) {
        if points.len() > 1 {
            self.add(format_args!("<polyline points=\"{}\"{}/>", places(points), classed(class)));
        }
    }

    /// A point; `note` is told when it is pointed at.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, note: &str) {
        let (start, end) = (format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"{}", classed(class)), "circle");
        self.noted(&start, end, note);
    }

    /// A rectangle from its upper left corner.
    pub fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, note: &str) {
        let start =
            format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"{}", classed(class));
        self.noted(&start, "rect", note);
    }

    fn noted(&mut self, start: &str, element: &str, note: &str) {
        match note {
            "" => self.add(format_args!("{start}/>")),
            note => self.add(format_args!("{start}><title>{}</title></{element}>", escaped(note))),
        }
    }

    /// Another picture, with its upper left corner at a place.
    pub fn place(&mut self, (x, y): (f64, f64), other: &Svg) {
        self.add(format_args!(
            "<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\">",
            other.width, other.height
        ));
        self.body.push_str(&other.body);
        self.add(format_args!("</svg>"));
    }

    /// For a page that has [`STYLE`].
    pub fn inline(&self) -> String {
        let description = match self.description.as_str() {
            "" => String::new(),
            text => format!("<desc>{}</desc>\n", escaped(text)),
        };
        format!(
            "<svg class=\"picture\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\">\n<title>{}</title>\n{description}{}</svg>\n",
            self.width,
            self.height,
            escaped(&self.title),
            self.body
        )
    }

    /// A file of its own, with a heading that is seen.
    pub fn alone(&self, heading: &str) -> String {
        let (width, height) = (self.width, self.height + HEADING);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 {:.0} {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<style>\n{STYLE}</style>\n\
             <rect y=\"{:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" class=\"ground\"/>\n\
             <text x=\"16\" y=\"-16\" class=\"heading\">{}</text>\n{}</svg>\n",
            -HEADING,
            escaped(&self.title),
            escaped(&self.description),
            -HEADING,
            escaped(heading),
            self.body
        )
    }
}

fn classed(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}

fn places(points: &[(f64, f64)]) -> String {
    let place = |(x, y): &(f64, f64)| format!("{x:.1},{y:.1}");
    points.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// The text as it stands in XML and HTML, also between quotes. What neither may hold is left out.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(character),
            other if other.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&other) => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_never_markup() {
        let mut svg = Svg::new(10.0, 10.0, "<script>alert(1)</script>");
        svg.describe("a & b");
        svg.text((1.0, 2.0), "end", "</text><script>");
        svg.dot((1.0, 1.0), 2.0, "dot", "\"'><b>");
        for text in [svg.inline(), svg.alone("<i>")] {
            assert!(!text.contains("<script") && !text.contains("<b>") && !text.contains("<i>"), "{text}");
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && text.contains("a &amp; b"));
            assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        }
        assert_eq!(escaped("a\u{0}b\u{1b}c\n"), "a\u{fffd}b\u{fffd}c\n");
    }
}
