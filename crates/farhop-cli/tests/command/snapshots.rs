//! What the command says, word for word: help, tables, errors, exit codes. Each is a file in `snapshots/`; `FARHOP_SNAPSHOTS=write` writes
//! them anew, and the change is then seen in the diff.

use std::path::{Path, PathBuf};

use crate::support::{Answer, Place, answer};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/snapshots")
}

/// Runs lines one after the other and compares what they say with the file of that name.
fn said(name: &str, place: &Place, lines: &[&str]) {
    let mut text = String::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Answer { code, stdout, stderr } = answer(place.command(&words).env("COLUMNS", "80"));
        text.push_str(&format!("$ farhop {line}\n"));
        for (stream, said) in [("", stdout), ("stderr: ", stderr)] {
            for line in said.lines() {
                text.push_str(format!("{stream}{line}").trim_end());
                text.push('\n');
            }
        }
        text.push_str(&format!("exit code {}\n\n", code.map_or("none".to_string(), |code| code.to_string())));
    }
    let file = folder().join(format!("{name}.txt"));
    if std::env::var_os("FARHOP_SNAPSHOTS").is_some_and(|wish| wish == "write") {
        std::fs::write(&file, text).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if let Some((number, (now, then))) = first_difference(&text, &kept) {
        panic!(
            "{}, line {number}:\n  kept: {then}\n  now:  {now}\nSet FARHOP_SNAPSHOTS=write to write it anew, if it is meant.",
            file.display()
        );
    }
}

fn first_difference<'a>(now: &'a str, then: &'a str) -> Option<(usize, (&'a str, &'a str))> {
    let length = now.lines().count().max(then.lines().count());
    let line = |text: &'a str, at: usize| text.lines().nth(at).unwrap_or("(nothing)");
    (0..length).map(|at| (at + 1, (line(now, at), line(then, at)))).find(|(_, (now, then))| now != then)
}

#[test]
fn help_of_every_command() {
    let place = Place::new();
    let commands = [
        "train",
        "compare",
        "tune",
        "table",
        "predict",
        "evaluate",
        "explain",
        "report",
        "hops",
        "plan",
        "data",
        "data list",
        "data info",
        "data import",
        "data fetch",
        "models",
        "bench",
        "doctor",
        "completions",
        "man",
    ];
    said("help", &place, &["--help"]);
    for command in commands {
        said(&format!("help-{}", command.replace(' ', "-")), &place, &[&format!("{command} --help")]);
    }
}

#[test]
fn tables() {
    let place = Place::with_tables();
    place.write("mine.toml", "[model]\nkind = \"gcn\"\nwidth = 24\n");
    said(
        "tables",
        &place,
        &[
            "models gcn",
            "train --recipe mine.toml --show-settings --nodes nodes.csv --edges edges.csv --target label",
            "plan --node-count 1000 --edge-count 5000 --limit 8GiB",
            "data info --nodes nodes.csv --edges edges.csv --target label --fill mean",
            "table list",
            "table nodes --only gcn,gen --datasets cora,citeseer --no-run --own",
        ],
    );
}

#[test]
fn errors() {
    let place = Place::with_tables();
    place.write("wrong.toml", "[model]\nkind = \"gen\"\nhopps = 3\n");
    place.write("split.csv", "id,split\nn-000,train\nn-999,test\n");
    said(
        "errors",
        &place,
        &[
            "tarin",
            "train cora --modle gcn",
            "train cora --model gcnn",
            "train cora --set model.widht=3",
            "train cora --learning-rate -1",
            "train cora --epochs -5",
            "train coar",
            "train mine/coar",
            "train --nodes nodes.csv --edges edges.csv",
            "train --nodes nodes.csv --edges edges.csv --target labl",
            "train --nodes nodes.csv --edges edges.csv --target label --fill mean --split split.csv",
            "train --recipe wrong.toml",
            "train --resume nowhere",
            "train cora --runs 0",
            "train cora --seeds 1,2,1",
            "train --runs 3",
            "train cora --split best",
            "train cora --halo 2",
            "compare cora --models gen,gcnn",
            "compare cora --models gen,gen",
            "compare cora --json --format csv",
            "tune",
            "tune cora --trials 0",
            "train cora --model nagphormer --recipe tuned",
            "train mutag --recipe tuned",
            "compare cora --models gen --trials 0",
            "table",
            "table nodse",
            "table nodes --only gcnn",
            "table nodes --datasets coar",
            "table nodes --seed 3",
            "table nodes --json --format csv",
            "evaluate nowhere",
            "explain nowhere",
            "explain nowhere --node 3",
            "predict nowhere",
            "plan",
            "models gne",
            "data info coar",
        ],
    );
}
