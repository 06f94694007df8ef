//! Which class was taken for which, and how well each is found: at the end of training and of an evaluation.

use farhop_data::text::{counted, quoted, thousands};
use farhop_train::Confusions;
use serde_json::{Value, json};

use crate::console::Console;

/// Up to so many classes every count is shown; beyond that the largest confusions.
const MOST_SHOWN: usize = 12;
/// So many confusions are told where there are more classes.
const MOST_TOLD: usize = 10;
/// Up to so many classes JSON has every count.
const MOST_IN_JSON: usize = 256;
/// No line is longer.
const WIDTH: usize = 80;
/// No name is longer.
const LONGEST_NAME: usize = 16;

/// What was taken for what.
pub struct ConfusionReport<'a> {
    /// The counts.
    pub of: &'a Confusions,
    /// What was looked at, such as `test`.
    pub part: &'a str,
    /// What is counted, such as `nodes`.
    pub rows: &'static str,
}

impl ConfusionReport<'_> {
    /// For JSON: the classes, every count `[true][predicted]` (null beyond 256 classes), and the largest confusions.
    pub fn object(&self) -> Value {
        let Confusions { names, counts } = self.of;
        let all = 0..names.len();
        let matrix: Option<Vec<Vec<u64>>> = (names.len() <= MOST_IN_JSON)
            .then(|| all.clone().map(|truth| all.clone().map(|guess| counts.count(truth, guess)).collect()).collect());
        let largest: Vec<Value> = self
            .largest()
            .into_iter()
            .map(|(count, truth, guess)| json!({ "true": names[truth], "predicted": names[guess], "count": count }))
            .collect();
        json!({ "part": self.part, "classes": names, "matrix": matrix, "largest": largest })
    }

    /// For JSON: the scores of every class.
    pub fn classes(&self) -> Vec<Value> {
        let Confusions { names, counts } = self.of;
        let one = |(class, name): (usize, &String)| {
            json!({
                "class": name,
                self.rows: self.rows_of(class),
                "precision": counts.precision(class),
                "recall": counts.recall(class),
                "f1": counts.f1(class),
            })
        };
        names.iter().enumerate().map(one).collect()
    }

    /// Rows that have a class.
    pub fn rows_of(&self, class: usize) -> u64 {
        (0..self.of.names.len()).map(|guess| self.of.counts.count(class, guess)).sum()
    }

    /// For people: a line for each class, or for each of the largest confusions where there are too many classes.
    pub fn text(&self, console: &Console) -> String {
        let mut lines = if self.of.names.len() <= MOST_SHOWN { self.matrix() } else { self.list() };
        lines[0] = console.heading(&lines[0]);
        lines.join("\n")
    }

    fn looked_at(&self) -> String {
        let one = self.rows.trim_end_matches('s');
        let part = if self.part == "all" { "labelled" } else { self.part };
        counted(self.of.counts.total(), &format!("{part} {one}"), &format!("{part} {}", self.rows))
    }

    fn matrix(&self) -> Vec<String> {
        let all = 0..self.of.names.len();
        let heading = format!("true class down, predicted across: {}", self.looked_at());
        let cells = |cell: &dyn Fn(u64, u64) -> String| -> Vec<Vec<String>> {
            let row = |truth: usize| {
                let rows = self.rows_of(truth);
                all.clone().map(|guess| cell(self.of.counts.count(truth, guess), rows)).collect()
            };
            all.clone().map(row).collect()
        };
        let counts = cells(&|count, _| thousands(count));
        let fits = |lines: &Vec<String>| lines.iter().all(|line| line.chars().count() <= WIDTH);
        let by_name = self.laid_out(&counts, false);
        if let Some(lines) = Some(by_name).filter(fits).or_else(|| Some(self.laid_out(&counts, true)).filter(fits)) {
            return [vec![heading], lines].concat();
        }
        // Where counts are too wide, shares of the class in whole percent say the same.
        let share = |count: u64, rows: u64| format!("{:.0}", 100.0 * count as f64 / rows.max(1) as f64);
        [vec![format!("{heading}, in % of the class")], self.laid_out(&cells(&share), true)].concat()
    }

    /// Names, cells and recall in columns; classes can be numbered, so that their columns are narrow.
    fn laid_out(&self, cells: &[Vec<String>], numbered: bool) -> Vec<String> {
        let Confusions { names, counts } = self.of;
        let digits = names.len().to_string().len();
        let name = |(at, name): (usize, &String)| match numbered {
            true => format!("{at:>digits$} {}", shortened(name)),
            false => shortened(name),
        };
        let named: Vec<String> = (1..).zip(names).map(name).collect();
        let columns: Vec<String> = match numbered {
            true => (1..=names.len()).map(|at| at.to_string()).collect(),
            false => named.clone(),
        };
        let widest = named.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = cells.iter().map(|row| &row[column]).chain([&columns[column]]);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let line = |name: &str, cells: &[String], recall: &str| {
            let cells: String = cells.iter().enumerate().map(|(at, cell)| format!("  {cell:>0$}", width(at))).collect();
            format!("{name:<widest$}{cells}  {recall:>7}")
        };
        let mut lines = vec![line("", &columns, "recall")];
        for (class, (name, cells)) in named.iter().zip(cells).enumerate() {
            let recall = counts.recall(class).map_or("-".to_string(), |recall| format!("{:.1} %", 100.0 * recall));
            lines.push(line(name, cells, &recall));
        }
        lines
    }

    fn list(&self) -> Vec<String> {
        let names = &self.of.names;
        let largest = self.largest();
        let mut lines = vec![match largest.is_empty() {
            true => format!("no confusion in {}", self.looked_at()),
            false => format!("largest confusions in {}", self.looked_at()),
        }];
        for (count, truth, guess) in largest {
            let of = self.rows_of(truth);
            let (truth, guess) = (shortened(&names[truth]), shortened(&names[guess]));
            lines.push(format!("{} of {} {truth} taken for {guess}", thousands(count), thousands(of)));
        }
        lines
    }

    /// The most frequent wrong answers: count, true class, predicted class.
    pub fn largest(&self) -> Vec<(u64, usize, usize)> {
        let all = 0..self.of.names.len();
        let pairs = all.clone().flat_map(|truth| all.clone().map(move |guess| (truth, guess)));
        let wrong = pairs.filter(|(truth, guess)| truth != guess);
        let mut found: Vec<(u64, usize, usize)> = wrong
            .map(|(truth, guess)| (self.of.counts.count(truth, guess), truth, guess))
            .filter(|(count, ..)| *count > 0)
            .collect();
        found.sort_by_key(|&(count, truth, guess)| (std::cmp::Reverse(count), truth, guess));
        found.truncate(MOST_TOLD);
        found
    }
}

/// A name on one line and of bounded length.
fn shortened(name: &str) -> String {
    let name = quoted(name).trim_matches('"').to_string();
    match name.chars().count() > LONGEST_NAME {
        true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_data::metrics::Confusion;

    fn confusions(classes: u32, rows: u32) -> Confusions {
        let truth: Vec<u32> = (0..rows).map(|row| row % classes).collect();
        let guess: Vec<u32> =
            (0..rows).map(|row| if row % 7 == 0 { (row + 1) % classes } else { row % classes }).collect();
        let names = (0..classes).map(|class| format!("a rather long name {class}")).collect();
        Confusions { names, counts: Confusion::new(&truth, &guess, classes as usize).unwrap() }
    }

    #[test]
    fn a_dozen_classes_fit_on_eighty_columns_whatever_their_counts() {
        for (classes, rows) in [(2, 10), (2, 3_000_000), (12, 40), (12, 3_000_000)] {
            let of = confusions(classes, rows);
            let report = ConfusionReport { of: &of, part: "test", rows: "nodes" };
            let lines = report.matrix();
            assert_eq!(lines.len(), classes as usize + 2);
            assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{}", lines.join("\n"));
            let widths: Vec<usize> = lines[1..].iter().map(|line| line.chars().count()).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{}", lines.join("\n"));
        }
    }

    #[test]
    fn beyond_a_dozen_the_largest_confusions_are_told() {
        let names = (0..20).map(|class| format!("c{class}")).collect();
        let counts = Confusion::new(&[3, 3, 3, 5, 5, 7], &[4, 4, 3, 6, 5, 7], 20).unwrap();
        let of = Confusions { names, counts };
        let report = ConfusionReport { of: &of, part: "all", rows: "graphs" };
        let expected = ["largest confusions in 6 labelled graphs", "2 of 3 c3 taken for c4", "1 of 2 c5 taken for c6"];
        assert_eq!(report.list(), expected);
        let object = report.object();
        assert_eq!(object["matrix"][3][4], 2);
        assert_eq!(object["largest"][1], json!({ "true": "c5", "predicted": "c6", "count": 1 }));
        assert_eq!(report.classes()[5]["recall"], 0.5);
    }
}
