//! Ctrl-C in the middle of training.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, answer, timeless_metrics};

#[test]
fn an_interrupted_run_goes_on_as_if_nothing_had_happened() {
    let place = Place::with_tables();
    let settings = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --width 16 --layers 2 --dropout 0.3 --epochs 150 --patience none --quiet --out";
    let checkpoints = ["--checkpoint-every", "1 epochs"];
    let words = |out: &'static str| {
        let mut words: Vec<&str> = settings.split(' ').collect();
        words.push(out);
        words.extend(checkpoints);
        words
    };
    answer(&mut place.command(&words("whole"))).succeeded();

    let child = place.command(&words("stopped")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let saved = |number: usize| place.path(&format!("stopped/checkpoint/{number:08}")).exists();
    while !(3..150).any(saved) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint after a minute");
        std::thread::sleep(Duration::from_millis(1));
    }
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("farhop train --resume stopped"), "{stderr}");
    let record: serde_json::Value = serde_json::from_str(&place.text("stopped/run.json")).unwrap();
    assert_eq!(record["status"], "interrupted");
    assert!(record["epochs"].as_u64().unwrap() < 150, "it was stopped on the way: {record}");

    // Settings can't change on the way.
    let refused = place.farhop("train --resume stopped --learning-rate 0.5");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);

    let object = place.farhop("train --resume stopped --json").object();
    assert_eq!(object["epochs"], 150);
    assert_eq!(place.read("whole/model.safetensors"), place.read("stopped/model.safetensors"));
    let metrics = |run: &str| timeless_metrics(&place.text(&format!("{run}/metrics.jsonl")));
    assert_eq!(metrics("whole"), metrics("stopped"));
    assert_eq!(metrics("whole").len(), 150);
}
