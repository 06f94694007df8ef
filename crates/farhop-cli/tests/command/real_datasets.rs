//! Datasets as their authors publish them, where they are on this machine.

use std::path::PathBuf;

use farhop_nn::{ModelConfig, REGISTRY};

use crate::support::{Answer, Place, answer, has_training_keys, real_data, rows};

/// Runs the command with the real datasets at hand.
pub fn farhop(place: &Place, data: &PathBuf, line: &str) -> Answer {
    let words: Vec<&str> = line.split_whitespace().collect();
    answer(place.command(&words).env("FARHOP_DATA", data))
}

/// The data folder, if it has this dataset.
pub fn with(place: &Place, name: &str) -> Option<PathBuf> {
    let found = real_data().filter(|data| {
        let object = farhop(place, data, "data list --here --json --quiet").object();
        object["datasets"].as_array().unwrap().iter().any(|entry| entry["name"] == name)
    });
    if found.is_none() {
        println!("skipped: {name} is neither in $FARHOP_DATA nor beside the checkout");
    }
    found
}

#[test]
fn cora_by_its_name() {
    let place = Place::new();
    let Some(data) = with(&place, "cora") else { return };
    let trained = farhop(&place, &data, "train cora --epochs 3 --json --quiet").object();
    has_training_keys(&trained);
    assert_eq!((&trained["task"], &trained["metric"]), (&"node-classification".into(), &"accuracy".into()));
    assert_eq!((&trained["run"], &trained["epochs"]), (&"runs/cora-gen-1".into(), &3.into()));
    let scores = farhop(&place, &data, "evaluate runs/cora-gen-1 --json --quiet").object();
    assert_eq!((&scores["accuracy"], &scores["nodes"]), (&trained["test"], &1000.into()));
    farhop(&place, &data, "predict runs/cora-gen-1 --out p.csv --quiet").succeeded();
    assert_eq!(rows(&place.path("p.csv")).len(), 2709);
    // The folder may be named instead.
    let line = format!("evaluate runs/cora-gen-1 --split valid --json --quiet --data-dir {}", data.display());
    assert_eq!(place.farhop(&line).object()["accuracy"], trained["valid"]);
    place.refuses("evaluate runs/cora-gen-1 --quiet", 1, &["cora", "not on this machine", "farhop data fetch cora"]);
}

/// Small forms of all models on molecules: trained, scored and asked by the command. `benches/every/run.py` takes them as they are.
#[test]
fn every_model_is_trained_and_asked() {
    let place = Place::new();
    let Some(data) = with(&place, "zinc-acyclic") else { return };
    let mut answers = Vec::new();
    for registration in REGISTRY {
        let name = registration.name;
        let (small, own) = (registration.small_config().unwrap(), ModelConfig::from_name(name).unwrap());
        let mut line = format!("train zinc-acyclic --model {name} --epochs 1 --json --quiet --out {name}");
        for knob in small.knobs() {
            if let Some(value) = small.get(knob.key).filter(|value| own.get(knob.key).as_ref() != Some(value)) {
                line += &format!(" --set model.{}={}", knob.key, value.to_string().replace('"', ""));
            }
        }
        let trained = farhop(&place, &data, &line).object();
        let found = farhop(&place, &data, &format!("evaluate {name} --json --quiet")).object();
        assert_eq!(found["score"], trained["test"], "{name}");
        farhop(&place, &data, &format!("predict {name} --out {name}.csv --quiet")).succeeded();
        answers.push(rows(&place.path(&format!("{name}.csv"))).len());
    }
    assert!(answers[0] > 1000 && answers.iter().all(|count| *count == answers[0]), "{answers:?}");
}

#[test]
fn a_split_by_its_number() {
    let place = Place::new();
    let Some(data) = with(&place, "texas") else { return };
    let small = "--width 8 --layers 1 --epochs 2 --quiet";
    for (split, out) in [("0", "first"), ("3", "fourth"), ("standard", "standard")] {
        farhop(&place, &data, &format!("train texas --split {split} --out {out} {small}")).succeeded();
    }
    assert_eq!(place.read("first/split.json"), place.read("standard/split.json"));
    assert_ne!(place.read("first/split.json"), place.read("fourth/split.json"));
    assert!(place.text("fourth/recipe.toml").contains("split = \"3\""));
    let refused = farhop(&place, &data, &format!("train texas --split 10 --out none {small}"));
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("0 to 9"), "{}", refused.stderr);
}

#[test]
fn whole_graphs_and_pairs() {
    let place = Place::new();
    let small = "--width 8 --layers 1 --hops 2 --json --quiet";
    if let Some(data) = with(&place, "mutag") {
        let trained = farhop(&place, &data, &format!("train mutag --epochs 2 --out mutag {small}")).object();
        has_training_keys(&trained);
        assert_eq!(trained["task"], "graph-classification");
        let scores = farhop(&place, &data, "evaluate mutag --split all --json --quiet").object();
        assert_eq!(scores["graphs"], 188);
    }
    if let Some(data) = with(&place, "pcqm-contact-sample") {
        let line = format!("train pcqm-contact-sample --epochs 1 --out contacts {small}");
        let trained = farhop(&place, &data, &line).object();
        has_training_keys(&trained);
        assert_eq!(trained["metric"], "mrr");
        let scores = farhop(&place, &data, "evaluate contacts --json --quiet").object();
        assert_eq!(scores["mrr"], trained["test"]);
        farhop(&place, &data, "predict contacts --out contacts.csv --quiet").succeeded();
        let predicted = rows(&place.path("contacts.csv"));
        assert_eq!(predicted[0], ["graph", "a", "b", "probability"]);
        assert!(predicted.len() > 2000, "{}", predicted.len());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_graph_task_goes_on_as_if_nothing_had_happened() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let place = Place::new();
    let Some(data) = with(&place, "mutag") else { return };
    let settings = "train mutag --width 8 --layers 1 --hops 2 --dropout 0.3 --epochs 120 --patience none --quiet --out";
    let words = |out: &'static str| {
        let mut words: Vec<&str> = settings.split(' ').collect();
        words.extend([out, "--checkpoint-every", "1 epochs"]);
        words
    };
    answer(place.command(&words("whole")).env("FARHOP_DATA", &data)).succeeded();
    let mut command = place.command(&words("stopped"));
    let child = command.env("FARHOP_DATA", &data).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !(2..120).any(|number| place.path(&format!("stopped/checkpoint/{number:08}")).exists()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no checkpoint after a minute");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let resumed = farhop(&place, &data, "train --resume stopped --json --quiet").object();
    assert_eq!(resumed["epochs"], 120);
    assert_eq!(place.read("whole/model.safetensors"), place.read("stopped/model.safetensors"));
}
