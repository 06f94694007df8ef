//! SIGKILL at any moment.

use std::fs;
use std::time::Duration;

use crate::Row;
use crate::place::{Place, RUNS, moment, text};

/// Shares the kills among training, predicting and importing.
pub fn all(place: &Place, kills: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, (name, _, threads)) in RUNS.into_iter().enumerate() {
        rows.push(train(place, name, threads, kills / 4, number as u64));
    }
    let one = "predict whole-alone --out written.csv --overwrite --threads 1";
    let many = "predict parts-alone --out written.csv --overwrite --threads 8";
    let import = "data import --nodes nodes.csv --edges edges.csv --target label --out written.farhop --overwrite";
    for (line, file) in [(one, "written.csv"), (many, "written.csv"), (import, "written.farhop")] {
        rows.push(write(place, line, file, kills / 12));
    }
    rows
}

/// A run that is killed, continued and killed until it ends, then the next.
fn train(place: &Place, name: &str, threads: &str, kills: usize, seed: u64) -> Row {
    let what = format!("train {name} and --resume, SIGKILL, {threads} threads");
    let mut row = Row { what, tries: 0, hit: 0, lost: Vec::new() };
    let whole = place.time(&place.train(name, &format!("{name}-timed")));
    // Most of a run is over after a few kills.
    let pause = (whole / 3).max(Duration::from_millis(20));
    let mut run = 0;
    let mut newest = 0;
    while row.hit < kills && row.tries < 20 * kills + 20 {
        let out = format!("{name}-killed-{run}");
        row.tries += 1;
        let (status, hit) = place.disturb(&place.train_on(name, &out), "-KILL", moment(pause, seed, row.tries));
        row.hit += usize::from(hit);
        let saved = checkpoint(place, &out);
        if saved < newest {
            row.lost.push(format!("{out}: checkpoint {newest} became {saved}"));
        }
        newest = saved;
        if status.success() {
            if !place.is_like_alone(name, &out) {
                row.lost.push(format!("{out}: it ended with other weights than the run that was left alone"));
            }
            (run, newest) = (run + 1, 0);
        } else if !hit {
            row.lost.push(format!("{out}: it failed by itself: {status}"));
        }
        usable(place, &out, &mut row);
    }
    // What was killed last goes on to the end.
    let out = format!("{name}-killed-{run}");
    let ended = place.run(&place.train_on(name, &out));
    if !ended.status.success() || !place.is_like_alone(name, &out) {
        row.lost.push(format!("{out}: it did not go on to the same end: {}", text(&ended)));
    }
    row
}

/// A run is usable, or says that nothing was saved yet.
fn usable(place: &Place, out: &str, row: &mut Row) {
    let answer = place.run(&format!("evaluate {out} --quiet"));
    let said = text(&answer);
    let too_early = ["no saved weights yet", "is not a run folder"].iter().any(|words| said.contains(words));
    let fine = answer.status.success() || (too_early && answer.status.code() == Some(1));
    if !fine {
        row.lost.push(format!("{out}: it can't be evaluated: {said}"));
    }
}

/// The number of the newest checkpoint.
fn checkpoint(place: &Place, out: &str) -> u64 {
    let folder = fs::read_dir(place.path(out).join("checkpoint"));
    let names = folder.into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).max().unwrap_or(0)
}

/// A file that is replaced is the old one or the new one.
fn write(place: &Place, line: &str, file: &str, kills: usize) -> Row {
    let words: Vec<&str> = line.split(' ').collect();
    let threads = words.iter().position(|word| *word == "--threads").map_or("all", |at| words[at + 1]);
    let verb = if words[0] == "data" { "data import" } else { words[0] };
    let mut row = Row { what: format!("{verb}, SIGKILL, {threads} threads"), tries: 0, hit: 0, lost: Vec::new() };
    let whole = place.time(line);
    let new = place.read(file);
    while row.hit < kills && row.tries < 20 * kills + 20 {
        row.tries += 1;
        place.write(file, "old");
        let (_, hit) = place.disturb(line, "-KILL", moment(whole, 77, row.tries));
        row.hit += usize::from(hit);
        let found = place.read(file);
        if found.as_deref() != Some(b"old") && found != new {
            row.lost.push(format!("{file}: neither the old nor the new one after a kill of {verb}"));
        }
    }
    row
}
