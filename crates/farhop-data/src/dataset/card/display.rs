//! The card as text: a name on the left, what there is to say on the right, bars for degrees.

use std::fmt::{self, Write};

use super::{ColumnsSummary, DataCard, DegreeBin, FeatureSummary, NOTHING_TO_PREDICT, Spread, TargetSummary};
use crate::text::{CARD_INDENT as INDENT, card_line, counted, listed, quoted, thousands};

/// The last column that text uses, where nobody says.
const LAST: usize = 100;
/// How long the longest bar is.
const LONGEST_BAR: usize = 24;
/// The line that the bars stand below.
const DEGREE: &str = "degree";
/// Larger degrees share the last bar.
const MOST_BARS: usize = 9;
/// Classes, labels and numbers that are listed one by one.
const SHOWN: usize = 10;

/// What bars are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bars {
    /// Blocks and eighths of blocks.
    #[default]
    Unicode,
    /// Number signs, for terminals without Unicode.
    Ascii,
}

impl fmt::Display for DataCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Bars::Unicode))
    }
}

/// Lines that are being written; long ones go on below their own start.
struct Lines {
    text: String,
    /// The last column that they use.
    last: usize,
}

impl Lines {
    fn line(&mut self, name: &str, text: &str) {
        self.text.push_str(&card_line(name, text, self.last));
        self.text.push('\n');
    }

    /// The text, with the spaces at which lines were not to be broken.
    fn finish(self) -> String {
        self.text.replace(NO_BREAK, " ")
    }
}

/// A space at which a line is not broken.
const NO_BREAK: char = '\u{a0}';

/// Keeps a piece of text on one line.
fn unbroken(text: String) -> String {
    text.replace(' ', "\u{a0}")
}

impl DataCard {
    /// The card as text, a screen long.
    pub fn text(&self, bars: Bars) -> String {
        self.text_within(bars, LAST)
    }

    /// The card as text with lines of at most `last` columns, where that is possible.
    pub fn text_within(&self, bars: Bars, last: usize) -> String {
        let mut lines = Lines { text: String::new(), last };
        for (name, text) in self.told() {
            lines.line(name, &text);
            if name == DEGREE {
                for line in histogram(&self.degree_histogram, bars) {
                    lines.text.push_str(&line);
                }
            }
        }
        lines.finish()
    }

    /// What the card says: names, each with its text. Degrees are told without their histogram.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        self.told().into_iter().map(|(name, text)| (name, text.replace(NO_BREAK, " "))).collect()
    }

    /// How many nodes have which degrees, as it is drawn: small bins one by one, large ones together.
    pub fn degree_bars(&self) -> Vec<(String, usize)> {
        degree_rows(&self.degree_histogram)
    }

    /// As [`DataCard::entries`], with the spaces at which lines are not to be broken.
    fn told(&self) -> Vec<(&'static str, String)> {
        let mut told = vec![("data", self.name_text())];
        told.push(if self.task == NOTHING_TO_PREDICT {
            ("task", self.task.clone())
        } else {
            let reason = self.metric_reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            ("task", format!("{}, scored by {}{reason}", self.task, self.metric))
        });
        told.push(("graph", self.graph_text()));
        if self.graphs != 1 {
            let (nodes, edges) = (spread(&self.nodes_per_graph), spread(&self.edges_per_graph));
            told.push(("per graph", format!("nodes {nodes}; edges {edges}")));
        }
        told.push((DEGREE, format!("{}; {}", spread(&self.degrees), self.isolated_text())));
        told.push(("components", self.components_text()));
        told.extend(self.homophily_text().map(|text| ("homophily", text)));
        told.push(("features", self.features_text()));
        told.extend(self.edge_features_text().map(|text| ("edges have", text)));
        told.extend(self.target_text().map(|text| ("target", text)));
        if self.split != [0, 0, 0] {
            told.push(("split", self.split_text()));
        }
        told.extend(self.notes.iter().map(|note| ("note", note.clone())));
        told.extend(self.warnings.iter().map(|warning| ("warning", warning.clone())));
        told
    }

    fn homophily_text(&self) -> Option<String> {
        let homophily = self.homophily.as_ref()?;
        let mut text = format!("{:.2} of edges join equal classes", homophily.edge);
        for (value, name) in [(homophily.adjusted, "adjusted"), (homophily.class_insensitive, "class-insensitive")] {
            if let Some(value) = value {
                // Without the sign of a number that rounds to 0.
                let value = (100.0 * value).round() / 100.0 + 0.0;
                let _ = write!(text, ", {name} {value:.2}");
            }
        }
        Some(text)
    }

    fn name_text(&self) -> String {
        let file = |(name, bytes): &(String, u64)| format!("{name} ({})", size(*bytes));
        let text = match self.files.len() {
            0..=2 => self.files.iter().map(file).collect::<Vec<_>>().join(", "),
            count => format!("{count} files ({})", size(self.files.iter().map(|(_, bytes)| bytes).sum())),
        };
        match (self.files.iter().any(|(name, _)| *name == self.name), text.is_empty()) {
            (_, true) => self.name.clone(),
            (true, _) => text,
            (false, _) => format!("{} from {text}", self.name),
        }
    }

    fn graph_text(&self) -> String {
        let mut text = String::new();
        if self.graphs != 1 {
            let _ = write!(text, "{} with ", counted(self.graphs as u64, "graph", "graphs"));
        }
        let direction = if self.directed { "directed" } else { "undirected" };
        let edges = if self.edges == 1 { "edge" } else { "edges" };
        let _ = write!(
            text,
            "{} and {} {direction} {edges}",
            counted(self.nodes as u64, "node", "nodes"),
            thousands(self.edges as u64)
        );
        if let Some(table) = &self.table {
            if table.duplicates > 0 {
                let _ = write!(text, ", {} merged", counted(table.duplicates as u64, "duplicate", "duplicates"));
            }
            if table.self_loops > 0 {
                let _ = write!(text, ", {} set apart", counted(table.self_loops as u64, "self-loop", "self-loops"));
            }
            if table.added_nodes > 0 {
                let _ =
                    write!(text, ", {} only in the edges table", counted(table.added_nodes as u64, "node", "nodes"));
            }
        }
        text
    }

    fn isolated_text(&self) -> String {
        match self.isolated {
            0 => "no node is isolated".to_string(),
            isolated => counted(isolated as u64, "node is isolated", "nodes are isolated"),
        }
    }

    fn components_text(&self) -> String {
        let mut text = match self.components == self.graphs && self.graphs != 1 {
            true => "one per graph".to_string(),
            false => thousands(self.components as u64),
        };
        if self.components > 1 && self.graphs == 1 {
            let share = 100.0 * self.largest_component as f64 / self.nodes.max(1) as f64;
            let nodes = counted(self.largest_component as u64, "node", "nodes");
            let _ = write!(text, ", the largest has {nodes} ({share:.1} %)");
        }
        if self.reach.graphs > 0 {
            let _ = write!(text, "; diameter at least {}", thousands(self.reach.diameter as u64));
            if self.graphs != 1 {
                let _ = write!(text, ", median {}", short(self.reach.median));
            }
            if self.reach.graphs < self.graphs {
                let _ = write!(text, " ({} graphs looked at)", thousands(self.reach.graphs as u64));
            }
        }
        text
    }

    fn features_text(&self) -> String {
        let own = columns_text(&self.node_features);
        match (&self.table, own) {
            (Some(table), Some(own)) => format!("{}: {own}", table_columns(&table.features)),
            (_, Some(own)) => own,
            (_, None) => "none".to_string(),
        }
    }

    fn edge_features_text(&self) -> Option<String> {
        let own = columns_text(&self.edge_features)?;
        match &self.table {
            Some(table) => Some(format!("{}: {own}", table_columns(&table.edge_features))),
            None => Some(own),
        }
    }

    fn target_text(&self) -> Option<String> {
        let mut text = match &self.table {
            Some(table) if table.targets.len() == 1 => format!("{}: ", quoted(&table.targets[0])),
            _ => String::new(),
        };
        let (items, total): (Vec<String>, usize) = match &self.target {
            _ if self.task == NOTHING_TO_PREDICT => return None,
            TargetSummary::Classes { classes } => {
                let _ = write!(text, "{}: ", counted(classes.len() as u64, "class", "classes"));
                let known: usize = classes.iter().map(|class| class.rows).sum();
                let item = |(name, rows): (&str, usize)| format!("{} {}", quoted(name), percent(rows, known));
                (classes.iter().take(SHOWN).map(|c| item((&c.name, c.rows))).collect(), classes.len())
            }
            TargetSummary::Labels { labels } => {
                text.push_str("yes in ");
                let item = |label: &super::LabelCount| {
                    let mut text = format!("{} {}", quoted(&label.name), percent(label.yes, label.yes + label.no));
                    if label.missing > 0 {
                        let _ = write!(text, " ({} unknown)", thousands(label.missing as u64));
                    }
                    text
                };
                (labels.iter().take(SHOWN).map(item).collect(), labels.len())
            }
            TargetSummary::Numbers { numbers } => {
                let alone = numbers.len() == 1;
                let item = |number: &super::NumberSummary| {
                    let [min, max, mean, deviation] =
                        [number.min, number.max, number.mean, number.deviation].map(significant);
                    let name =
                        if alone && !text.is_empty() { String::new() } else { format!("{} ", quoted(&number.name)) };
                    let mut text = format!("{name}{min} to {max}, mean {mean}, deviation {deviation}");
                    if number.missing > 0 && !alone {
                        let _ = write!(text, " ({} unknown)", thousands(number.missing as u64));
                    }
                    text
                };
                (numbers.iter().take(SHOWN).map(item).collect(), numbers.len())
            }
            TargetSummary::Pairs { pairs, together } => {
                return Some(format!(
                    "{}, {} of them together",
                    counted(*pairs as u64, "pair", "pairs"),
                    percent(*together, *pairs)
                ));
            }
        };
        let separator = if matches!(self.target, TargetSummary::Numbers { .. }) { "; " } else { ", " };
        text.push_str(&items.into_iter().map(unbroken).collect::<Vec<_>>().join(separator));
        if total > SHOWN {
            let _ = write!(text, " and {} more", total - SHOWN);
        }
        if self.unknown > 0 {
            let _ = write!(text, "; {} without a target", counted(self.unknown as u64, "row", "rows"));
        }
        Some(text)
    }

    fn split_text(&self) -> String {
        let [train, valid, test] = self.split.map(|size| thousands(size as u64));
        let mut text = format!("train {train}, valid {valid}, test {test}");
        let rest = self.split_of.saturating_sub(self.split.iter().sum());
        if rest > 0 {
            let _ = write!(text, ", in none {}", thousands(rest as u64));
        }
        if let Some(origin) = self.table.as_ref().and_then(|table| table.split.as_ref()) {
            let _ = write!(text, " ({origin})");
        }
        text
    }
}

fn spread(spread: &Spread) -> String {
    let (min, max) = (thousands(spread.min as u64), thousands(spread.max as u64));
    format!("{min} to {max}, mean {}, median {}", short(spread.mean), short(spread.median))
}

/// A number with one decimal, if it has any.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
}

/// A number with four significant digits.
fn significant(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (1e-3..1e6).contains(&size) {
        let decimals = if size < 1e-9 { 0 } else { (3 - size.log10().floor() as i32).clamp(0, 6) as usize };
        let text = format!("{number:.decimals$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text,
        }
    } else {
        format!("{number:.3e}")
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn table_columns(columns: &[FeatureSummary]) -> String {
    let mut parts = Vec::new();
    for (kind, singular, plural) in [
        ("number", "number", "numbers"),
        ("date", "date", "dates"),
        ("category", "category", "categories"),
        ("degree", "from the graph", "from the graph"),
        ("one", "constant", "constants"),
    ] {
        let names: Vec<&str> = columns.iter().filter(|c| c.kind == kind).map(|c| c.name.as_str()).collect();
        if !names.is_empty() {
            parts.push(format!("{} ({})", counted(names.len() as u64, singular, plural), listed(names.into_iter())));
        }
    }
    parts.join(", ")
}

fn columns_text(summary: &ColumnsSummary) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(numbers) = &summary.numbers {
        let mut text = counted(numbers.columns as u64, "number", "numbers");
        let (min, max) = (significant(f64::from(numbers.min)), significant(f64::from(numbers.max)));
        let _ = write!(text, " from {min} to {max}, {:.1} % zeros", 100.0 * numbers.zeros);
        if numbers.sparse {
            text.push_str(", kept sparse");
        }
        parts.push(text);
    }
    if !summary.categories.is_empty() {
        let sizes: Vec<String> = summary
            .categories
            .iter()
            .take(2 * SHOWN)
            .map(|c| if c.used < c.size { format!("{} of {}", c.used, c.size) } else { c.size.to_string() })
            .collect();
        let columns = counted(summary.categories.len() as u64, "column", "columns");
        parts.push(format!("{columns} of categories ({} used)", sizes.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The bins from the first that holds a node; those beyond [`MOST_BARS`] are one.
fn degree_rows(bins: &[DegreeBin]) -> Vec<(String, usize)> {
    let first = bins.iter().position(|bin| bin.nodes > 0).unwrap_or(bins.len());
    let bins = &bins[first..];
    let (shown, rest) = bins.split_at(bins.len().min(MOST_BARS));
    let mut rows: Vec<(String, usize)> = shown
        .iter()
        .map(|bin| match bin.to - bin.from {
            0 => (bin.from.to_string(), bin.nodes),
            _ => (format!("{}-{}", bin.from, bin.to), bin.nodes),
        })
        .collect();
    if let Some(bin) = rest.first() {
        rows.push((format!("{}+", bin.from), rest.iter().map(|bin| bin.nodes).sum()));
    }
    rows
}

/// A bar per bin.
fn histogram(bins: &[DegreeBin], bars: Bars) -> Vec<String> {
    let rows = degree_rows(bins);
    let most = rows.iter().map(|(_, nodes)| *nodes).max().unwrap_or(0).max(1);
    let width = rows.iter().map(|(range, _)| range.len()).max().unwrap_or(0);
    let line = |(range, nodes): &(String, usize)| {
        format!("{:INDENT$}{range:>width$} {} {}\n", "", bar(*nodes, most, bars), thousands(*nodes as u64))
    };
    rows.iter().map(line).collect()
}

/// A bar of up to [`LONGEST_BAR`] characters; at least something for one node.
fn bar(nodes: usize, most: usize, bars: Bars) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = nodes as f64 / most as f64;
    match bars {
        Bars::Unicode => {
            let eighths = ((share * (8 * LONGEST_BAR) as f64).round() as usize).max(usize::from(nodes > 0));
            format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
        }
        Bars::Ascii => "#".repeat(((share * LONGEST_BAR as f64).round() as usize).max(usize::from(nodes > 0))),
    }
}
