//! Small tables, and a way to run the command on them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What a command answered.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    /// The one object on standard output.
    pub fn object(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}:\n{}", self.stdout))
    }

    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }
}

/// A folder to work in.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with `nodes.csv` and `edges.csv` of [`nodes`] and [`edges`].
    pub fn with_tables() -> Self {
        let place = Place::new();
        place.write("nodes.csv", &nodes(40));
        place.write("edges.csv", &edges(40));
        place
    }

    /// The same, with a trained run in `run`.
    pub fn with_run() -> Self {
        let place = Place::with_tables();
        place.train("run", &[]).succeeded();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The command, to be run in this folder with a line of words as arguments. It keeps nothing in a cache and knows no
    /// datasets but those it makes. Unless the words say how many threads, see [`threads_of`].
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farhop"));
        command
            .args(words)
            .args(threads_of(words))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .env_remove("NO_COLOR");
        command.env("FARHOP_CACHE", "").env_remove("FARHOP_DATA").env("XDG_DATA_HOME", self.path("no-datasets"));
        command
    }

    /// Runs `farhop` with the words of a line.
    pub fn farhop(&self, line: &str) -> Answer {
        answer(&mut self.command(&line.split_whitespace().collect::<Vec<_>>()))
    }

    /// Runs `farhop` with something on standard input.
    pub fn farhop_with_input(&self, line: &str, input: &[u8]) -> Answer {
        let mut command = self.command(&line.split_whitespace().collect::<Vec<_>>());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        of(child.wait_with_output().unwrap())
    }

    /// Exactly one line on standard error (and one for each problem of the data, where there are several) that says all of
    /// this, nothing on standard output.
    pub fn refuses(&self, line: &str, code: i32, says: &[&str]) {
        let answer = self.farhop(line);
        assert_eq!(answer.code, Some(code), "{line}: {}", answer.stderr);
        assert_eq!(answer.stdout, "", "{line}");
        let mut lines = answer.stderr.lines();
        let first = lines.next().unwrap_or_default();
        assert!(first.starts_with("error: "), "{line}: {}", answer.stderr);
        let several = first.ends_with(" problems in the data:");
        assert!(lines.all(|problem| several && problem.starts_with("  ")), "{line}: {}", answer.stderr);
        for words in says {
            assert!(answer.stderr.contains(words), "{line}: {words:?} is not in\n{}", answer.stderr);
        }
    }

    /// A few epochs of a small model on the tables.
    pub fn train(&self, out: &str, more: &[&str]) -> Answer {
        let mut words: Vec<&str> = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet \
             --width 8 --layers 2 --hops 3 --epochs 6 --out"
            .split_whitespace()
            .collect();
        words.push(out);
        words.extend(more);
        answer(&mut self.command(&words))
    }
}

/// Every second command, by the letters of its line, works on one thread, the others on two: nothing may depend on it.
/// `FARHOP_TEST_THREADS` gives all of them that number.
fn threads_of(words: &[&str]) -> Vec<String> {
    let said = words.iter().any(|word| word.starts_with("--threads"));
    let asks = words == ["data"] || words.first() == Some(&"help");
    if said || asks || words.first().is_none_or(|word| word.starts_with('-')) {
        return Vec::new();
    }
    let letters: usize = words.iter().flat_map(|word| word.bytes()).map(usize::from).sum();
    let threads = std::env::var("FARHOP_TEST_THREADS").unwrap_or_else(|_| (1 + letters % 2).to_string());
    vec!["--threads".to_string(), threads]
}

pub fn answer(command: &mut Command) -> Answer {
    of(command.output().unwrap())
}

fn of(output: std::process::Output) -> Answer {
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Keys that the answer of `farhop train --json` has, whatever is learned.
pub fn has_training_keys(object: &Value) {
    let keys = "run task metric train valid test best_epoch epochs seconds_per_epoch peak_rss_bytes parameters seed"
        .split(' ');
    for key in keys {
        assert!(!object[key].is_null(), "{key} is missing in {object}");
    }
}

/// The folder with the real datasets: `$FARHOP_DATA`, or `shared/data` beside the checkout.
pub fn real_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os("FARHOP_DATA").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = given.into_iter().chain([beside]).find(|folder| folder.is_dir());
    folder.and_then(|folder| folder.canonicalize().ok())
}

/// A nodes table with string ids, a category, a number with a missing cell, and a label that the category tells.
pub fn nodes(count: usize) -> String {
    let mut text = String::from("id,kind,size,label\n");
    for node in 0..count {
        let kind = ["red", "green", "blue"][node % 3];
        let size = if node == 5 { String::new() } else { format!("{}.5", (node * 7) % 11) };
        let label = if node % 3 == 0 { "warm" } else { "cold" };
        text.push_str(&format!("{},{kind},{size},{label}\n", id(node)));
    }
    text
}

/// A ring with a few chords.
pub fn edges(count: usize) -> String {
    let mut text = String::from("source,target\n");
    for node in 0..count {
        text.push_str(&format!("{},{}\n", id(node), id((node + 1) % count)));
        if node % 5 == 0 {
            text.push_str(&format!("{},{}\n", id(node), id((node + count / 2) % count)));
        }
    }
    text
}

pub fn id(node: usize) -> String {
    format!("n-{node:03}")
}

/// The rows of a CSV file, the header among them.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect()
}

/// The lines of a run's metrics without their times.
pub fn timeless_metrics(text: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("seconds");
    }
    lines
}
