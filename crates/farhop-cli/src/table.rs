//! Tables of text: words to the left, numbers to the right.

/// A table with a heading.
#[derive(Debug)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    /// A column that is left out where there is no room for all.
    spare: Option<usize>,
}

impl TextTable {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        TextTable { rows: vec![columns.iter().map(ToString::to_string).collect()], spare: None }
    }

    /// The same table, which leaves this column out before it cuts any text.
    pub fn sparing(self, column: usize) -> Self {
        TextTable { spare: Some(column), ..self }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    /// The lines of the table; the first is the heading. Texts are cut with an ellipsis where lines would be longer than
    /// `most`: the widest column first.
    pub fn lines(&self, most: Option<usize>) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let starts_as_number = |cell: &String| cell.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        let numbers = |column: usize| {
            // Names of things may look like numbers; the first column has names.
            column > 0 && self.rows.iter().skip(1).filter_map(|row| row.get(column)).all(starts_as_number)
        };
        let mut layout: Vec<(usize, bool)> = (0..columns).map(|column| (width(column), numbers(column))).collect();
        let spare = self.spare.filter(|_| most.is_some_and(|most| total(&layout) > most));
        if let Some(column) = spare {
            layout.remove(column);
        }
        if let Some(most) = most {
            narrow(&mut layout, most);
        }
        let line = |row: &Vec<String>| {
            let kept = row.iter().enumerate().filter(|(column, _)| Some(*column) != spare).map(|(_, cell)| cell);
            let cells = kept.zip(&layout).map(|(cell, &(width, right))| {
                let cell = cut(cell, width);
                if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
        };
        self.rows.iter().map(line).collect()
    }
}

/// Makes columns of text narrower until a line is not longer than `most`. Numbers are never cut, and names (the first
/// column) only if nothing else is left.
fn narrow(layout: &mut [(usize, bool)], most: usize) {
    const LEAST: usize = 6;
    while total(layout) > most {
        let texts = layout.iter_mut().skip(1).filter(|(width, right)| !right && *width > LEAST);
        if let Some((width, _)) = texts.max_by_key(|(width, _)| *width) {
            *width -= 1;
        } else {
            match layout.first_mut() {
                Some((width, _)) if *width > LEAST => *width -= 1,
                _ => return,
            }
        }
    }
}

/// How long a line is.
fn total(layout: &[(usize, bool)]) -> usize {
    2 * layout.len().saturating_sub(1) + layout.iter().map(|(width, _)| width).sum::<usize>()
}

/// The text in that many columns.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Rows as a table of Markdown; the first is the heading.
pub fn markdown(rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let rule = rows.first().map(|heading| line(&vec!["---".to_string(); heading.len()]));
    let mut lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
    lines.splice(1.min(lines.len())..1.min(lines.len()), rule);
    lines.join("\n")
}

/// Rows as a tabular environment with these columns (`lrr`); the first is the heading.
pub fn latex(columns: &str, rows: &[Vec<String>]) -> String {
    let plain =
        |cell: &String| cell.replace('%', "\\%").replace('_', "\\_").replace("± ", "$\\pm$ ").replace("< ", "$<$ ");
    let rule = || "  \\hline".to_string();
    let mut lines = vec![format!("\\begin{{tabular}}{{{columns}}}"), rule()];
    for (number, row) in rows.iter().enumerate() {
        lines.push(format!("  {} \\\\", row.iter().map(plain).collect::<Vec<_>>().join(" & ")));
        lines.extend((number == 0 || number + 1 == rows.len()).then(rule));
    }
    lines.push("\\end{tabular}".to_string());
    lines.join("\n")
}

/// `91.4 %`, or a dash where there is nothing to score.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |share| format!("{:.1} %", 100.0 * share))
}

/// `0.42 s`, `17 s`, `3 min 20 s`, `2 h 05 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::new(&["model", "test"]);
        table.row(["gen".into(), percent(Some(0.914))]);
        table.row(["a longer name".into(), percent(None)]);
        let lines = table.lines(None);
        let ends = lines.iter().map(|line| line.chars().count());
        assert_eq!(ends.clone().min(), ends.max());
        assert!(lines[1].starts_with("gen ") && lines[1].ends_with("91.4 %"));
    }

    #[test]
    fn texts_are_cut_to_the_width_and_numbers_are_not() {
        let mut table = TextTable::new(&["dataset", "nodes", "here"]);
        table.row(["cora".into(), "2,708".into(), "yes".into()]);
        table.row(["roman-empire".into(), "22,662".into(), "partly (3 of its files are missing)".into()]);
        let lines = table.lines(Some(30));
        assert_eq!(lines[0], "dataset        nodes  here");
        assert_eq!(lines[2], "roman-empire  22,662  partly …");
        assert!(lines.iter().all(|line| line.chars().count() <= 30), "{lines:?}");
        assert!(table.lines(None)[2].ends_with("are missing)"));
        let table = table.sparing(1);
        assert_eq!(table.lines(Some(30))[2], "roman-empire  partly (3 of it…");
        assert!(table.lines(None)[2].ends_with("are missing)"));
    }

    #[test]
    fn rows_for_pages_and_papers() {
        let rows = [["model", "p"], ["a_b", "< 0.5 ± 1 %"]].map(|row| row.map(str::to_string).to_vec());
        assert_eq!(markdown(&rows), "| model | p |\n| --- | --- |\n| a_b | < 0.5 ± 1 % |");
        let expected = [
            "\\begin{tabular}{lr}",
            "  \\hline",
            "  model & p \\\\",
            "  \\hline",
            "  a\\_b & $<$ 0.5 $\\pm$ 1 \\% \\\\",
            "  \\hline",
            "\\end{tabular}",
        ];
        assert_eq!(latex("lr", &rows), expected.join("\n"));
    }

    #[test]
    fn durations_name_their_units() {
        assert_eq!(duration(0.5), "0.50 s");
        assert_eq!(duration(59.4), "59 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7500.0), "2 h 05 min");
    }
}
