//! Too little memory: an error of one line, never an abort.

use crate::Row;
use crate::place::{Place, text};

pub fn all(place: &Place) -> Vec<Row> {
    let lines = [
        (
            "train whole",
            "train --nodes nodes.csv --edges edges.csv --target label --width 256 --epochs 2 --out tight --overwrite",
        ),
        (
            "train parts",
            "train --nodes nodes.csv --edges edges.csv --target label --width 256 --epochs 2 --parts 6 --out tight --overwrite",
        ),
        ("train batches", "train molecules.csv --target y --width 256 --epochs 2 --out tight --overwrite"),
        ("predict", "predict parts-alone --out tight.csv --overwrite"),
        (
            "data import",
            "data import --nodes nodes.csv --edges edges.csv --target label --out tight.farhop --overwrite",
        ),
        ("hops", "hops --nodes nodes.csv --edges edges.csv --ignore label --rounds 64 --out tight.npz --overwrite"),
    ];
    let rows = lines.into_iter().flat_map(|(name, line)| ["1", "2", "8"].map(|threads| (name, line, threads)));
    rows.map(|(name, line, threads)| limited(place, name, line, threads)).collect()
}

/// `ulimit -v` from where the program just starts to where everything fits.
fn limited(place: &Place, name: &str, line: &str, threads: &str) -> Row {
    let mut row = Row { what: format!("{name}, ulimit -v, {threads} threads"), tries: 0, hit: 0, lost: Vec::new() };
    let starts = |mebibytes: usize| {
        let answer = place.run_after(&limit(mebibytes), "--version");
        answer.status.success()
    };
    let least = (8..400).step_by(4).find(|mebibytes| starts(*mebibytes)).unwrap_or(400);
    let mut mebibytes = least;
    while mebibytes < 1200 {
        row.tries += 1;
        let answer = place.run_after(&limit(mebibytes), &format!("{line} --threads {threads}"));
        let said = text(&answer);
        let failed =
            answer.status.code() == Some(1) && said.lines().last().is_some_and(|line| line.starts_with("error: "));
        row.hit += usize::from(failed);
        if !answer.status.success() && !failed {
            let last = said.lines().last().unwrap_or_default();
            row.lost.push(format!("{name} with {mebibytes} MiB, {threads} threads: {}: {last}", answer.status));
        }
        mebibytes += (mebibytes / 8).max(4);
    }
    row
}

fn limit(mebibytes: usize) -> String {
    format!("ulimit -c 0; ulimit -v {}", mebibytes * 1024)
}
