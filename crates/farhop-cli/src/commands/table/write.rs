//! A table of scores: for reading, for spreadsheets, for a README, for a paper.

use farhop_train::series::Spread;
use farhop_train::table::{Cell, Verdict};

use crate::table::{self, TextTable};

/// Blanks between two columns of text.
const GAP: usize = 2;

/// What the marks mean.
pub const LEGEND: &str =
    "+ better than published by more than one deviation, = within one, - worse by more, open: not all runs are there";

/// The marks of ours: `84.90 ± 0.51 =`.
fn ours_text(cell: &Cell) -> String {
    let numbers = cell.ours().map(|ours| number_text(cell, ours.mean, ours.deviation));
    match (cell.verdict(), numbers) {
        (Verdict::Open, Some(numbers)) => format!("{numbers} ({} of {})", cell.runs.len(), cell.wanted),
        (_, None) if !cell.runs.is_empty() => "failed".to_string(),
        (_, None) => "open".to_string(),
        (Verdict::Better, Some(numbers)) => format!("{numbers} +"),
        (Verdict::Equal, Some(numbers)) => format!("{numbers} ="),
        (Verdict::Worse, Some(numbers)) => format!("{numbers} -"),
        (Verdict::Alone, Some(numbers)) => numbers,
    }
}

fn published_text(cell: &Cell) -> String {
    cell.published().map_or("-".to_string(), |published| number_text(cell, published.mean, published.deviation))
}

fn number_text(cell: &Cell, mean: f64, deviation: Option<f64>) -> String {
    let digits = cell.column.digits();
    match deviation {
        Some(deviation) => format!("{mean:.digits$} ± {deviation:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}

/// The cells of a row, one after the other.
fn rows(cells: &[Cell]) -> Vec<&[Cell]> {
    cells.chunk_by(|one, other| one.line.name == other.line.name).collect()
}

fn heading(cells: &[Cell]) -> Vec<String> {
    let columns = rows(cells).first().map_or(&[][..], |row| row);
    let names = columns.iter().map(|cell| cell.column.name.clone());
    ["model", "whose"].map(str::to_string).into_iter().chain(names).collect()
}

/// Two lines for a row: published, ours.
fn lines(cells: &[Cell]) -> Vec<Vec<String>> {
    let of = |row: &[Cell], name: &str, whose: &str, text: fn(&Cell) -> String| {
        [name, whose].map(str::to_string).into_iter().chain(row.iter().map(text)).collect()
    };
    rows(cells)
        .into_iter()
        .flat_map(|row| [of(row, &row[0].line.name, "published", published_text), of(row, "", "ours", ours_text)])
        .collect()
}

/// Columns of text: as many tables below each other as it takes for every number to be read in a terminal of that width.
pub fn text(cells: &[Cell], width: Option<usize>) -> Vec<TextTable> {
    let all = all(cells);
    let long = |column: usize| all.iter().map(|line| line[column].chars().count()).max().unwrap_or(0) + GAP;
    let room = width.map_or(usize::MAX, |width| (width + GAP).saturating_sub(long(0) + long(1)));
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new()];
    let mut taken = 0;
    for column in 2..all[0].len() {
        if taken > 0 && taken + long(column) > room {
            blocks.push(Vec::new());
            taken = 0;
        }
        taken += long(column);
        blocks.last_mut().unwrap_or(&mut Vec::new()).push(column);
    }
    let block = |columns: &Vec<usize>| {
        let of = |line: &[String]| -> Vec<String> {
            [0, 1].iter().chain(columns).map(|&column| line[column].clone()).collect()
        };
        let mut table = TextTable::new(&of(&all[0]).iter().map(String::as_str).collect::<Vec<_>>());
        all[1..].iter().for_each(|line| table.row(of(line)));
        table
    };
    blocks.iter().map(block).collect()
}

/// A line for each cell, numbers in full.
pub fn csv(cells: &[Cell]) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut lines = vec![
        "row,model,column,dataset,published_mean,published_deviation,mean,deviation,runs,wanted,verdict,seconds"
            .to_string(),
    ];
    for cell in cells {
        let (published, ours) = (cell.published(), cell.ours());
        let verdict = serde_json::to_value(cell.verdict()).ok();
        let quoted = |text: &str| if text.contains(',') { format!("\"{text}\"") } else { text.to_string() };
        let cells = [
            quoted(&cell.line.name),
            cell.line.model.clone(),
            quoted(&cell.column.name),
            cell.column.dataset.clone(),
            number(published.map(|published| published.mean)),
            number(published.and_then(|published| published.deviation)),
            number(ours.map(|ours| ours.mean)),
            number(ours.and_then(|ours| ours.deviation)),
            cell.records().count().to_string(),
            cell.wanted.to_string(),
            verdict.as_ref().and_then(|verdict| verdict.as_str()).unwrap_or_default().to_string(),
            number(Spread::of(cell.records().map(|record| record.seconds)).map(|seconds| seconds.mean)),
        ];
        lines.push(cells.join(","));
    }
    lines.join("\n")
}

/// The heading and the lines.
fn all(cells: &[Cell]) -> Vec<Vec<String>> {
    std::iter::once(heading(cells)).chain(lines(cells)).collect()
}

/// For a README.
pub fn markdown(cells: &[Cell]) -> String {
    table::markdown(&all(cells))
}

/// A tabular environment.
pub fn latex(cells: &[Cell]) -> String {
    let marked = |cell: String| match [" -", " +", " ="].iter().find(|mark| cell.ends_with(*mark)) {
        Some(mark) => format!("{} ${}$", &cell[..cell.len() - mark.len()], mark.trim()),
        None => cell,
    };
    let rows: Vec<Vec<String>> = all(cells).into_iter().map(|row| row.into_iter().map(marked).collect()).collect();
    table::latex(&format!("ll{}", "r".repeat(heading(cells).len().saturating_sub(2))), &rows)
}
