//! Pieces of a page. Words become markup in one place only, and are escaped there.

use crate::picture::{Svg, escaped};

/// A piece of a page that is safe as it is.
#[derive(Debug, Clone, Default)]
pub struct Markup(String);

impl Markup {
    /// The text of it.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This, then the other.
    pub fn and(mut self, other: impl Into<Markup>) -> Markup {
        self.0.push_str(&other.into().0);
        self
    }
}

impl From<&str> for Markup {
    fn from(words: &str) -> Self {
        Markup(escaped(words))
    }
}

impl From<String> for Markup {
    fn from(words: String) -> Self {
        Markup(escaped(&words))
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Markup>>(parts: I) -> Self {
        parts.into_iter().fold(Markup::default(), Markup::and)
    }
}

/// An element with a class, or without one.
pub fn tag(name: &'static str, class: &'static str, inside: impl Into<Markup>) -> Markup {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    Markup(format!("<{name}{class}>{}</{name}>\n", inside.into().0))
}

/// A part of the page with a heading that can be linked to.
pub fn section(id: &str, title: &str, inside: Markup) -> Markup {
    let (id, title) = (escaped(id), escaped(title));
    Markup(format!("<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n{}</section>\n", inside.0))
}

/// Where on the page something is.
pub fn link(id: &str, words: &str) -> Markup {
    Markup(format!("<a href=\"#{}\">{}</a>", escaped(id), escaped(words)))
}

/// A picture with its caption, and a line about how it is read.
pub fn figure(caption: &str, picture: &Svg, note: &str) -> Markup {
    let heading = format!("<strong>{}</strong>", escaped(caption));
    let note = if note.is_empty() { String::new() } else { format!(" <span>{}</span>", escaped(note)) };
    Markup(format!("<figure>\n<figcaption>{heading}{note}</figcaption>\n{}</figure>\n", picture.inline()))
}

/// Something that is folded up until it is wanted.
pub fn folded(title: &str, inside: Markup) -> Markup {
    Markup(format!("<details>\n<summary>{}</summary>\n{}</details>\n", escaped(title), inside.0))
}

/// Lines of text as they are.
pub fn code(text: &str, what: &str) -> Markup {
    Markup(format!(
        "<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\"><code>{}</code></pre>\n",
        escaped(what),
        escaped(text.trim_end())
    ))
}

/// Names with what there is to say of each.
pub fn facts(rows: impl IntoIterator<Item = (String, Markup)>) -> Markup {
    let row = |(name, text): (String, Markup)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(&name), text.0);
    Markup(format!("<dl>\n{}</dl>\n", rows.into_iter().map(row).collect::<String>()))
}

/// A number that matters, with its name.
pub fn tile(name: &str, value: &str, more: &str) -> Markup {
    let more = if more.is_empty() { String::new() } else { format!("<span>{}</span>", escaped(more)) };
    Markup(format!("<div class=\"tile\"><dt>{}</dt><dd>{}{more}</dd></div>\n", escaped(name), escaped(value)))
}

/// Numbers that matter, side by side.
pub fn tiles(tiles: impl IntoIterator<Item = Markup>) -> Markup {
    Markup(format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.into_iter().collect::<Markup>().0))
}

/// What a cell of a table looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Look {
    /// Words, from the left.
    #[default]
    Word,
    /// A number, from the right.
    Number,
    /// A number with a bar of this length behind it, from 0 to 1.
    Bar(f64),
    /// A number on a colour of this strength, from 0 to 1.
    Heat(f64),
    /// The same for what should not be.
    WrongHeat(f64),
    /// Letters for machines.
    Code,
}

/// A cell of a table.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    text: String,
    look: Look,
}

impl Cell {
    pub fn word(text: impl Into<String>) -> Self {
        Cell { text: text.into(), look: Look::Word }
    }

    pub fn number(text: impl Into<String>) -> Self {
        Cell { text: text.into(), look: Look::Number }
    }

    pub fn of(look: Look, text: impl Into<String>) -> Self {
        Cell { text: text.into(), look }
    }

    fn markup(&self, first: bool) -> String {
        let (name, scope) = if first { ("th", " scope=\"row\"") } else { ("td", "") };
        let bounded = |share: f64| if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let styled = |class: &str, share: f64| {
            let share = bounded(share);
            // So strong that the words need another colour: found by their contrast, which is at least 4.5.
            let strong = match (class, share) {
                ("heat", 0.85..) | ("heat wrong", 0.98..) => " warm hot",
                ("heat" | "heat wrong", 0.62..) => " warm",
                _ => "",
            };
            format!(" class=\"number {class}{strong}\" style=\"--v:{share:.3}\"")
        };
        let looks = match self.look {
            Look::Word => String::new(),
            Look::Number => " class=\"number\"".to_string(),
            Look::Bar(share) => styled("bar", share),
            Look::Heat(share) => styled("heat", share),
            Look::WrongHeat(share) => styled("heat wrong", share),
            Look::Code => " class=\"code\"".to_string(),
        };
        format!("<{name}{scope}{looks}>{}</{name}>", escaped(&self.text))
    }
}

/// A table; the first cell of a row is its name.
#[derive(Debug, Clone, Default)]
pub struct Table {
    caption: String,
    /// Names, and where they stand: from the left without a class.
    head: Vec<(String, &'static str)>,
    rows: Vec<(bool, Vec<Cell>)>,
}

impl Table {
    /// Columns with their names; those that begin with `#` hold numbers.
    pub fn new(caption: &str, head: &[&str]) -> Self {
        let column =
            |name: &&str| (name.trim_start_matches('#').to_string(), if name.starts_with('#') { "number" } else { "" });
        Table { caption: caption.to_string(), head: head.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Another column, of numbers.
    pub fn column(&mut self, name: &str) {
        self.head.push((name.to_string(), "number"));
    }

    /// Another column, of numbers on colours.
    pub fn heat_column(&mut self, name: &str) {
        self.head.push((name.to_string(), "middle"));
    }

    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push((false, cells));
    }

    /// A row that stands out.
    pub fn strong(&mut self, cells: Vec<Cell>) {
        self.rows.push((true, cells));
    }

    /// It scrolls by itself where it is wider than the page.
    pub fn markup(&self) -> Markup {
        let head: String = self
            .head
            .iter()
            .map(|(name, class)| {
                let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
                format!("<th scope=\"col\"{class}>{}</th>", escaped(name))
            })
            .collect();
        let row = |(strong, cells): &(bool, Vec<Cell>)| {
            let cells: String = cells.iter().enumerate().map(|(at, cell)| cell.markup(at == 0)).collect();
            format!("<tr{}>{cells}</tr>\n", if *strong { " class=\"strong\"" } else { "" })
        };
        let rows: String = self.rows.iter().map(row).collect();
        let caption = escaped(&self.caption);
        Markup(format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n\
             <thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_told_becomes_markup() {
        let evil = "\"><script>alert(1)</script>";
        let mut table = Table::new(evil, &[evil, "#n"]);
        table.row(vec![Cell::word(evil), Cell::of(Look::Heat(2.0), evil)]);
        table.column(evil);
        let pieces = [
            table.markup(),
            section("id", evil, evil.into()),
            facts([(evil.to_string(), evil.into())]),
            tiles([tile(evil, evil, evil)]),
            code(evil, evil),
            folded(evil, evil.into()),
            figure(evil, &Svg::new(1.0, 1.0, evil), evil),
            link(evil, evil),
            tag("p", "", evil),
        ];
        for piece in pieces {
            assert!(!piece.text().contains("<script"), "{}", piece.text());
            assert!(!piece.text().contains("\"\"><"), "{}", piece.text());
        }
    }
}
