//! The table of a comparison: for reading, for spreadsheets, for a README, for a paper.

use farhop_data::metrics::Metric;
use farhop_data::text::thousands;
use farhop_train::compare::Standing;
use farhop_train::memory::bytes_text;
use farhop_train::series::Spread;

use crate::spread::spread_text;
use crate::table::{self, TextTable, duration};

/// A difference that would come by chance less often than this is one.
const LEVEL: f64 = 0.05;

/// The columns.
pub const HEADING: [&str; 9] = ["model", "test", "valid", "rank", "p", "parameters", "time", "memory", "runs"];

/// The best first; those without a score last.
fn in_order(standings: &[Standing]) -> Vec<&Standing> {
    let mut order: Vec<&Standing> = standings.iter().collect();
    order.sort_by_key(|one| one.rank.unwrap_or(usize::MAX));
    order
}

/// What stands in the columns.
pub fn cells(one: &Standing) -> [String; 9] {
    let metric = one.metric().unwrap_or(Metric::Accuracy);
    let score = |spread: Option<Spread>| spread.map_or("-".to_string(), |spread| spread_text(metric, &spread));
    let done = one.runs.records().count();
    let failed = one.runs.rows.len() - done;
    [
        one.model().to_string(),
        score(one.test),
        score(one.valid),
        one.rank.map_or("-".to_string(), |rank| rank.to_string()),
        one.significance.map_or("-".to_string(), chance),
        one.parameters.map_or("-".to_string(), |count| thousands(count as u64)),
        one.seconds.map_or("-".to_string(), |seconds| duration(seconds.mean)),
        one.peak_rss_bytes.map_or("-".to_string(), bytes_text),
        if failed == 0 { done.to_string() } else { format!("{done} ({failed} failed)") },
    ]
}

/// `0.031`, `< 0.001`.
fn chance(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_string() } else { format!("{p:.3}") }
}

/// Columns of text.
pub fn text(standings: &[Standing]) -> TextTable {
    let mut table = TextTable::new(&HEADING).sparing(2);
    for one in in_order(standings) {
        table.row(cells(one));
    }
    table
}

/// Numbers in full.
pub fn csv(standings: &[Standing]) -> String {
    let mut lines = vec![
        "model,test_mean,test_deviation,valid_mean,valid_deviation,rank,p,parameters,seconds,peak_rss_bytes,runs,failed"
            .to_string(),
    ];
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let spread = |spread: Option<Spread>| {
        [number(spread.map(|spread| spread.mean)), number(spread.and_then(|spread| spread.deviation))]
    };
    for one in in_order(standings) {
        let ([test, test_deviation], [valid, valid_deviation]) = (spread(one.test), spread(one.valid));
        let done = one.runs.records().count();
        let cells = [
            one.model().to_string(),
            test,
            test_deviation,
            valid,
            valid_deviation,
            one.rank.map_or(String::new(), |rank| rank.to_string()),
            number(one.significance),
            one.parameters.map_or(String::new(), |count| count.to_string()),
            number(one.seconds.map(|seconds| seconds.mean)),
            one.peak_rss_bytes.map_or(String::new(), |bytes| bytes.to_string()),
            done.to_string(),
            (one.runs.rows.len() - done).to_string(),
        ];
        lines.push(cells.join(","));
    }
    lines.join("\n")
}

/// The heading and a row for each model; the best score is marked.
fn rows(standings: &[Standing], heading: [&str; 9], mark: fn(&str) -> String) -> Vec<Vec<String>> {
    let row = |one: &Standing| {
        let mut cells = cells(one);
        if one.rank == Some(1) {
            cells[1] = mark(&cells[1]);
        }
        cells.to_vec()
    };
    std::iter::once(heading.map(str::to_string).to_vec()).chain(in_order(standings).into_iter().map(row)).collect()
}

/// For a README.
pub fn markdown(standings: &[Standing]) -> String {
    table::markdown(&rows(standings, HEADING, |best| format!("**{best}**")))
}

/// A tabular environment.
pub fn latex(standings: &[Standing]) -> String {
    let heading = HEADING.map(|name| if name == "p" { "$p$" } else { name });
    let rows = rows(standings, heading, |best| format!("\\textbf{{{best}}}"));
    table::latex(&format!("l{}", "r".repeat(HEADING.len() - 1)), &rows)
}

/// What the table says, in one line.
pub fn conclusion(standings: &[Standing]) -> Option<String> {
    let order = in_order(standings);
    let best = order.first().filter(|one| one.rank == Some(1))?;
    let near: Vec<&str> = order
        .iter()
        .skip(1)
        .filter(|one| one.rank.is_some() && one.significance.is_none_or(|p| p >= LEVEL))
        .map(|one| one.model())
        .collect();
    let others = order.len() - 1;
    Some(match (near.as_slice(), others) {
        (_, 0) => return None,
        ([], _) => format!("{} is ahead of all others (p < {LEVEL}, paired over runs)", best.model()),
        (near, _) => format!(
            "{} is ahead, but not beyond chance of {} (p < {LEVEL}, paired over runs)",
            best.model(),
            near.join(", ")
        ),
    })
}
