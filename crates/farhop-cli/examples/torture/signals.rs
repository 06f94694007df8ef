//! Ctrl-C and the termination signal: exit code 130, and nothing is lost.

use crate::Row;
use crate::place::{Place, RUNS, moment, text};

const TRIES: usize = 6;
const INTERRUPTED: i32 = 130;

pub fn all(place: &Place) -> Vec<Row> {
    let mut rows = Vec::new();
    for signal in ["-INT", "-TERM"] {
        for (name, _, threads) in RUNS {
            rows.push(train(place, name, threads, signal));
        }
        rows.push(write(place, signal));
    }
    rows
}

fn train(place: &Place, name: &str, threads: &str, signal: &str) -> Row {
    let what = format!("train {name}, SIG{}, {threads} threads", &signal[1..]);
    let mut row = Row { what, tries: 0, hit: 0, lost: Vec::new() };
    let whole = place.time(&place.train(name, &format!("{name}{signal}-timed")));
    for number in 0..TRIES {
        let out = format!("{name}{signal}-{number}");
        row.tries += 1;
        let (status, hit) = place.disturb(&place.train(name, &out), signal, moment(whole, 5, number));
        let stopped = hit && status.code() == Some(INTERRUPTED);
        row.hit += usize::from(stopped);
        // Before it listens, a signal ends it as it ends any program.
        let early = hit && status.code().is_none() && !place.path(&out).exists();
        if !status.success() && !stopped && !early {
            row.lost.push(format!("{out}: {status}"));
        }
        let ended = place.run(&place.train_on(name, &out));
        if !ended.status.success() || !place.is_like_alone(name, &out) {
            row.lost.push(format!("{out}: it did not go on to the same end: {}", text(&ended)));
        }
    }
    row
}

fn write(place: &Place, signal: &str) -> Row {
    let line = "predict parts-alone --out signalled.csv --overwrite --threads 1";
    let mut row = Row { what: format!("predict, SIG{}, 1 threads", &signal[1..]), tries: 0, hit: 0, lost: Vec::new() };
    let whole = place.time(line);
    let new = place.read("signalled.csv");
    for number in 0..TRIES {
        row.tries += 1;
        place.write("signalled.csv", "old");
        let (status, hit) = place.disturb(line, signal, moment(whole, 6, number));
        row.hit += usize::from(hit && status.code() == Some(INTERRUPTED));
        let found = place.read("signalled.csv");
        if found.as_deref() != Some(b"old") && found != new {
            row.lost.push(format!("signalled.csv: neither the old nor the new one after SIG{}", &signal[1..]));
        }
    }
    row
}
