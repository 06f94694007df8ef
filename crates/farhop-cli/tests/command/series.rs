//! Several runs of one recipe.

use std::fs;

use serde_json::Value;

use crate::support::{Place, answer, real_data};

const TABLES: &str =
    "train --nodes nodes.csv --edges edges.csv --target label --fill mean --width 8 --layers 1 --hops 2 --epochs 3";

/// The record of a run, without what differs between two equal runs.
fn timeless(place: &Place, run: &str) -> Value {
    let mut record: Value = serde_json::from_str(&place.text(&format!("{run}/run.json"))).unwrap();
    for key in ["started", "seconds", "seconds_per_epoch", "peak_rss_bytes", "machine"] {
        record.as_object_mut().unwrap().remove(key);
    }
    record
}

#[test]
fn mean_and_deviation_are_those_of_the_runs() {
    let place = Place::with_tables();
    let found = place.farhop(&format!("{TABLES} --runs 3 --seed 4 --out three --json")).object();
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.iter().map(|run| run["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [4, 5, 6]);
    let tests: Vec<f64> = runs.iter().map(|run| run["test"].as_f64().unwrap()).collect();
    let mean = tests.iter().sum::<f64>() / 3.0;
    let deviation = (tests.iter().map(|test| (test - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    assert!((found["test"]["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert!((found["test"]["deviation"].as_f64().unwrap() - deviation).abs() < 1e-12);
    let kept: Value = serde_json::from_str(&place.text("three/summary.json")).unwrap();
    assert_eq!((&kept["test"], &kept["runs"]), (&found["test"], &Value::from(3)));
    // Each run is one like any other, the same as by itself.
    place.farhop(&format!("{TABLES} --seed 5 --out alone --quiet")).succeeded();
    assert_eq!(timeless(&place, "three/seed-5"), timeless(&place, "alone"));
    place.farhop("evaluate three/seed-4 --quiet").succeeded();
}

#[test]
fn what_is_done_is_not_done_again() {
    let place = Place::with_tables();
    let line = format!("{TABLES} --seeds 3,1 --out two");
    place.farhop(&format!("{line} --quiet")).succeeded();
    let before = place.read("two/seed-3/run.json");
    // One run is lost; the other stays as it is.
    fs::remove_dir_all(place.path("two/seed-1")).unwrap();
    let answer = place.farhop("train --resume two").succeeded();
    assert!(answer.stderr.contains("1 run to train, 1 there already"), "{}", answer.stderr);
    assert!(place.path("two/seed-1/model.safetensors").is_file());
    assert_eq!(place.read("two/seed-3/run.json"), before);
    let again = place.farhop("train --resume two").succeeded();
    assert!(again.stdout.contains("seed 3") && again.stdout.contains("mean"), "{}", again.stdout);
    // The folder is taken.
    place.refuses(&format!("{line} --quiet"), 1, &["two already holds several runs", "--resume"]);
    place.refuses("train --resume two --epochs 9", 2, &["--epochs", "several"]);
}

#[test]
fn run_i_is_on_split_i() {
    let Some(data) = real_data() else {
        eprintln!("skipped: the real datasets are not here");
        return;
    };
    let place = Place::new();
    let words = "train texas --model mlp --width 4 --epochs 2 --runs 3 --out runs --json --data-dir";
    let words: Vec<&str> = words.split(' ').chain([data.to_str().unwrap()]).collect();
    let found = answer(&mut place.command(&words)).object();
    let splits: Vec<&str> =
        found["runs"].as_array().unwrap().iter().map(|run| run["split"].as_str().unwrap()).collect();
    assert_eq!(splits, ["0", "1", "2"]);
}

#[test]
fn a_split_of_a_file_is_by_ids() {
    let place = Place::with_tables();
    let parts: Vec<String> =
        (0..40).map(|node| format!("n-{node:03},{}", ["train", "train", "valid", "test"][node / 3 % 4])).collect();
    place.write("split.csv", &format!("id,split\n{}\n", parts.join("\n")));
    place.farhop(&format!("{TABLES} --split split.csv --out run --quiet")).succeeded();
    let kept: Value = serde_json::from_str(&place.text("run/split.json")).unwrap();
    let named =
        |part: &str| -> Vec<&str> { kept[part].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect() };
    assert_eq!(named("test")[..3], ["n-009", "n-010", "n-011"]);
    assert_eq!(named("train").len() + named("valid").len() + named("test").len(), 40);
    place.farhop("evaluate run --quiet").succeeded();
    // Another split is other data.
    place.write("split.csv", &format!("id,split\n{}\n", parts.join("\n").replace("valid", "test")));
    place.refuses("train --resume run --epochs 5 --quiet", 1, &["split.csv"]);
}
