//! `farhop tune` as a user meets it.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Place, answer};

const SPACE: &str = "[space]\nmodel.hops = [1, 2]\ntrain.learning_rate = { log = [1e-3, 1e-1] }\n";
const TABLES: &str = "tune --nodes nodes.csv --edges edges.csv --target label --fill mean --width 8 --layers 1 --epochs 12 --patience none --space space.toml";

fn place() -> Place {
    let place = Place::with_tables();
    place.write("space.toml", SPACE);
    place
}

#[test]
fn a_study_ends_with_a_recipe_that_trains_and_costs_nothing_when_asked_again() {
    let place = place();
    let command = format!("{TABLES} --trials 4 --out study --json");
    let first = place.farhop(&command).object();
    assert_eq!((first["trials"].as_u64(), first["failed"].as_u64()), (Some(4), Some(0)), "{first}");
    let again = place.farhop(&command).object();
    assert_eq!(first["best"], again["best"]);
    assert_eq!(first["seconds"], again["seconds"], "nothing was trained a second time");
    // What was tried never saw the test part.
    let record: serde_json::Value = serde_json::from_str(&place.text("study/trials/0000/run/run.json")).unwrap();
    assert!(record["scores"]["valid"].is_number() && record["scores"]["test"].is_null(), "{record}");
    // The best recipe gives the same validation score, and then a test score.
    let trained = place.farhop("train --recipe study/best.toml --out run --json").object();
    assert_eq!(trained["valid"], first["best"]["valid"], "{trained}");
    assert!(trained["test"].is_number());
    assert!(place.text("study/best.toml").starts_with("# Trial "));
    assert!(place.text("study/study.svg").contains("</svg>"));
}

#[test]
fn a_longer_study_begins_like_a_shorter_one() {
    let place = place();
    place.farhop(&format!("{TABLES} --trials 2 --out a --quiet --no-pruning")).succeeded();
    place.farhop(&format!("{TABLES} --trials 3 --out a --quiet --no-pruning")).succeeded();
    place.farhop(&format!("{TABLES} --trials 3 --out b --quiet --no-pruning")).succeeded();
    for trial in ["0000", "0001", "0002"] {
        let of = |study: &str| -> serde_json::Value {
            serde_json::from_str(&place.text(&format!("{study}/trials/{trial}/trial.json"))).unwrap()
        };
        let (a, b) = (of("a"), of("b"));
        assert_eq!((&a["settings"], &a["score"]), (&b["settings"], &b["score"]), "trial {trial}");
    }
}

#[test]
fn a_killed_trial_is_taken_over() {
    let place = place();
    let long = TABLES.replace("--epochs 12", "--epochs 150") + " --trials 1 --out study --quiet";
    let words: Vec<&str> = long.split(' ').chain(["--checkpoint-every", "1 epochs"]).collect();
    let mut child = place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let saved = || {
        fs::read_dir(place.path("study/trials/0000/run/checkpoint")).is_ok_and(|mut found| {
            found.any(|one| {
                one.is_ok_and(|one| one.file_name().to_string_lossy().parse::<u64>().is_ok_and(|epoch| epoch > 2))
            })
        })
    };
    while !saved() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint after a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The same study goes on; its trial is where it was.
    let mut again: Vec<&str> = long.split(' ').filter(|word| *word != "--quiet").collect();
    again.extend(["--checkpoint-every", "1 epochs"]);
    let ended = answer(&mut place.command(&again)).succeeded();
    assert!(ended.stderr.contains("goes on where its process was stopped"), "{}", ended.stderr);
    let trial: serde_json::Value = serde_json::from_str(&place.text("study/trials/0000/trial.json")).unwrap();
    assert_eq!((trial["state"].as_str(), trial["epochs"].as_u64()), (Some("finished"), Some(150)));
    assert_eq!(trial["curve"].as_array().unwrap().len(), 150, "the epochs before the kill are part of the curve");
}

#[test]
fn what_is_wrong_is_one_line() {
    let place = place();
    place.farhop(&format!("{TABLES} --trials 1 --out study --quiet")).succeeded();
    place.write("other.toml", "[space]\nmodel.hops = [1, 2, 3]\n");
    place.write("bad.toml", "[space]\nmodel.hopps = [1, 2]\n");
    let other = TABLES.replace("space.toml", "other.toml");
    let bad = TABLES.replace("space.toml", "bad.toml");
    let cases = [
        (format!("{other} --out study"), "another space"),
        (format!("{bad} --out new"), "Did you mean \"hops\""),
        (format!("{TABLES} --trials 0 --out new"), "0"),
        ("tune --trials 3".to_string(), "nothing to search on"),
        (TABLES.replace("space.toml", "none.toml"), "none.toml"),
        (format!("{TABLES} --hops 2 --out new"), "--hops fixes model.hops"),
    ];
    for (command, told) in cases {
        let refused = place.farhop(&command);
        assert!(matches!(refused.code, Some(1 | 2)), "{command}: {}", refused.stderr);
        let error = refused.stderr.lines().find(|line| line.starts_with("error:")).unwrap_or_default();
        assert!(error.contains(told), "{command}: {}", refused.stderr);
    }
    assert!(!place.path("new").exists(), "nothing was made");
}

#[test]
fn settings_that_do_not_go_together_fail_a_trial_and_not_the_study() {
    let place = place();
    // Four heads can't share two channels; each of the two is fine by itself.
    place.write("space.toml", "[space]\nmodel.width = [2, 8]\n");
    let command = TABLES.replace("--width 8", "--heads 4") + " --trials 2 --out study --json";
    let object = place.farhop(&command).object();
    assert_eq!((object["finished"].as_u64(), object["failed"].as_u64()), (Some(1), Some(1)), "{object}");
    let failed: serde_json::Value = serde_json::from_str(&place.text("study/trials/0001/trial.json")).unwrap();
    assert!(failed["error"].as_str().unwrap().contains("heads"), "{failed}");
}

#[test]
fn the_space_can_be_seen_before() {
    let place = Place::with_tables();
    let shown =
        place.farhop("tune --nodes nodes.csv --edges edges.csv --target label --fill mean --show-space").succeeded();
    assert!(shown.stdout.starts_with("[space") && shown.stdout.contains("hops"), "{}", shown.stdout);
    let fixed =
        place.farhop("tune --nodes nodes.csv --edges edges.csv --target label --fill mean --show-space --hops 2");
    assert!(!fixed.stdout.contains("hops =") && fixed.stdout.contains("gamma"), "{}", fixed.stdout);
    place.write("shown.toml", &shown.stdout);
    place
        .farhop("tune --nodes nodes.csv --edges edges.csv --target label --fill mean --space shown.toml --epochs 2 --trials 1 --out study --quiet")
        .succeeded();
}

/// Numbers that stop being finite are the trial's own fault.
#[test]
fn a_trial_that_diverges_fails_and_the_study_goes_on() {
    let place = place();
    place.write("space.toml", "[space]\ntrain.learning_rate = [0.01, 1000.0]\n");
    let wild = "--clip-norm none --warmup-epochs 0 --weight-decay 0 --set model.norm=none --no-pruning";
    let command = TABLES.replace("--layers 1", "--layers 6").replace("--epochs 12", "--epochs 40");
    let answer = place.farhop(&format!("{command} {wild} --trials 4 --out study --json"));
    assert!(answer.stderr.contains("NaN or infinite"), "{}", answer.stderr);
    let object = answer.object();
    let counts = ["trials", "finished", "failed"].map(|key| object[key].as_u64().unwrap());
    assert_eq!((counts[0], counts[1] + counts[2]), (4, 4), "{object}");
    assert!(counts[1] >= 1 && counts[2] >= 1, "{object}");
    assert_eq!(object["best"]["settings"]["train.learning_rate"], 0.01, "{object}");
}

#[test]
fn a_study_of_another_dataset_is_refused_and_stays() {
    let place = place();
    place.farhop(&format!("{TABLES} --trials 1 --out study --quiet")).succeeded();
    let before = place.read("study/trials/0000/trial.json");
    place.write("other.csv", &place.text("nodes.csv").replace("n-007,green", "n-007,blue"));
    let other = TABLES.replace("nodes.csv", "other.csv");
    place.refuses(&format!("{other} --trials 2 --out study --quiet"), 1, &["study", "other data", "another folder"]);
    assert_eq!(place.read("study/trials/0000/trial.json"), before);
    assert!(!place.path("study/trials/0001").exists());
}

/// A search needs no test part; what scores by it says so.
#[test]
fn an_empty_test_part_is_no_hindrance() {
    let place = place();
    let untested = place.text("nodes.csv").lines().enumerate().fold(String::new(), |text, (number, line)| {
        let part = if number == 0 { "split" } else { ["train", "valid"][number % 2] };
        format!("{text}{line},{part}\n")
    });
    place.write("nodes.csv", &untested);
    place.farhop(&format!("{TABLES} --trials 2 --out study --quiet")).succeeded();
    let trained = place.farhop("train --recipe study/best.toml --runs 2 --out runs --json --quiet").object();
    assert!(trained["valid"]["mean"].is_number() && trained["test"].is_null(), "{trained}");
    place.refuses("evaluate runs/seed-0 --quiet", 1, &["nothing in part test", "--split"]);
    place.farhop("report runs --quiet").succeeded();
    assert!(place.text("runs/report.html").contains("Answers on the valid part"));
}

/// Nothing that is finished is lost on a disk that is full, and the same command goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_a_study_and_nothing_more() {
    let place = place();
    let command = format!("{TABLES} --out study --quiet --threads 1");
    place.farhop(&format!("{command} --trials 2")).succeeded();
    let kept = ["0000", "0001"].map(|trial| place.read(&format!("study/trials/{trial}/trial.json")));
    // Files of at most two blocks of 512 or 1,024 bytes: no checkpoint fits.
    let words = ["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_farhop")];
    let line = format!("{command} --trials 3");
    let inner = place.command(&[]);
    let mut limited = std::process::Command::new("sh");
    limited.args(words).args(line.split(' ')).current_dir(inner.get_current_dir().unwrap()).env("FARHOP_CACHE", "");
    let stopped = answer(&mut limited);
    assert_eq!((stopped.code, stopped.stdout.as_str()), (Some(1), ""), "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("can't write") && stopped.stderr.contains("with the same command"),
        "{}",
        stopped.stderr
    );
    assert_eq!(["0000", "0001"].map(|trial| place.read(&format!("study/trials/{trial}/trial.json"))), kept);
    let object = place.farhop(&format!("{command} --trials 3 --json")).object();
    assert_eq!((object["finished"].as_u64(), object["trials"].as_u64()), (Some(3), Some(3)), "{object}");
}
