//! Run folders that vanish, are damaged, or are asked for what they can't give.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Answer, Place, answer};

#[test]
fn a_run_folder_that_vanishes_is_an_error() {
    let place = Place::with_tables();
    let line = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --width 8 --layers 1 --epochs 100000 --patience none --quiet --out gone";
    for replaced in [false, true] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = place.command(&words);
        let running = std::thread::spawn(move || -> Answer { answer(&mut command) });
        let begun = Instant::now();
        while fs::metadata(place.path("gone/metrics.jsonl")).map_or(0, |file| file.len()) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "no epoch after a minute");
            std::thread::sleep(Duration::from_millis(1));
        }
        // Moved away at once: a removal file by file could be met half done.
        fs::rename(place.path("gone"), place.path(&format!("away-{replaced}"))).unwrap();
        if replaced {
            fs::create_dir(place.path("gone")).unwrap();
            place.write("gone/farhop.lock", "");
        }
        let ended = running.join().unwrap();
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains("gone is gone") && ended.stderr.lines().count() == 1, "{}", ended.stderr);
        assert!(!place.path("gone/model.safetensors").exists() && !place.path("gone/checkpoint").exists());
        let _ = fs::remove_dir_all(place.path("gone"));
    }
}

/// Every number in a tree, by its path.
fn numbers(tree: &Value, path: &str, found: &mut Vec<String>) {
    match tree {
        Value::Object(object) => object.iter().for_each(|(key, value)| numbers(value, &format!("{path}/{key}"), found)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| numbers(value, &format!("{path}/{at}"), found))
        }
        Value::Number(_) => found.push(path.to_string()),
        _ => {}
    }
}

#[test]
fn absurd_sizes_in_a_record_are_an_error_of_one_line() {
    let place = Place::with_run();
    let text = place.text("run/run.json");
    let mut record: Value = serde_json::from_str(&text).unwrap();
    // Arrays that the data does not have are absurd at any width.
    record["input"]["arrays"] =
        serde_json::json!([{ "name": "walk", "width": 4 }, { "name": "laplacian", "width": 2 }]);
    let mut places = Vec::new();
    for part in ["input", "output"] {
        numbers(&record[part], &format!("/{part}"), &mut places);
    }
    assert!(places.len() >= 5, "{places:?}");
    for path in places {
        for value in [0, 1 << 20, 1 << 32, 1 << 63, u64::MAX] {
            let mut changed = record.clone();
            *changed.pointer_mut(&path).unwrap() = value.into();
            if changed == record {
                continue;
            }
            place.write("run/run.json", &changed.to_string());
            place.refuses("evaluate run --quiet", 1, &[]);
        }
    }
    place.write("run/run.json", &text);
    place.farhop("evaluate run --quiet").succeeded();
}

#[test]
fn a_run_does_not_go_back() {
    let place = Place::with_run();
    let recipe = place.read("run/recipe.toml");
    place.refuses("train --resume run --epochs 2 --quiet", 2, &["epochs is 2", "has done 6 epochs already"]);
    assert_eq!(place.read("run/recipe.toml"), recipe);
    place.farhop("evaluate run --quiet").succeeded();
    assert_eq!(place.farhop("train --resume run --epochs 6 --json --quiet").object()["epochs"], 6);
    assert_eq!(place.farhop("train --resume run --epochs 7 --json --quiet").object()["epochs"], 7);
}

/// Whoever comes second is told, and loses nothing; looking is free.
#[test]
fn two_processes_never_work_on_one_run() {
    let place = Place::with_run();
    let before = place.read("run/run.json");
    let lock = farhop_train::run::FolderLock::take(&place.path("run")).unwrap();
    let told = ["run is in use by another farhop process", "Wait for it"];
    place.refuses("train --resume run --epochs 8 --quiet", 1, &told);
    let again =
        "train --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 2 --out run --overwrite --quiet";
    place.refuses(again, 1, &told);
    assert_eq!(place.read("run/run.json"), before);
    place.farhop("evaluate run --quiet").succeeded();
    place.farhop("report run --quiet").succeeded();
    drop(lock);
    place.farhop("train --resume run --epochs 8 --quiet").succeeded();
}
