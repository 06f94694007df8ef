//! Recipes that come with the command, and tables made of them.

use std::process::Stdio;

use serde_json::Value;

use crate::real_datasets::{farhop, with};
use crate::support::{Place, answer};

/// A cell that takes a second.
const CELL: &str = "table heterophily --own --only mlp --datasets chameleon-filtered";

fn cell(object: &Value) -> &Value {
    assert_eq!(object["cells"].as_array().map(Vec::len), Some(1), "{object}");
    &object["cells"][0]
}

fn folders(cell: &Value) -> Vec<String> {
    cell["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_string()).collect()
}

#[test]
fn recipes_that_come_with_it_are_found_by_dataset_and_model() {
    let place = Place::new();
    let said = |line: &str| place.farhop(line).object();
    let value = |object: &Value, key: &str| {
        let all = object["settings"].as_array().unwrap().clone();
        all.into_iter()
            .find(|one| one["setting"] == key)
            .map(|one| (one["value"].clone(), one["from"].clone()))
            .unwrap()
    };
    let found = said("train Cora --model gcn --recipe tuned --show-settings --json --quiet");
    let from: Value = "recipe recipes/cora/gcn.toml".into();
    assert_eq!(value(&found, "model.width"), (512.into(), from.clone()));
    assert_eq!(value(&found, "data.split").0, "tuned");
    assert_eq!(value(&found, "train.patience").0, Value::Null);
    // Options override it, and without a model it is that of a GEN.
    let found = said("train cora --recipe tuned --width 32 --show-settings --json --quiet");
    assert_eq!(value(&found, "model.width"), (32.into(), "--width".into()));
    assert_eq!(value(&found, "model.kind").0, "gen");
}

#[test]
fn a_recipe_for_another_task_is_one_line() {
    let place = Place::with_tables();
    place.write("numbers.toml", "[model]\nkind = \"mlp\"\n\n[train]\nloss = \"l1\"\n");
    let tables = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet";
    place.refuses(&format!("{tables} --recipe numbers.toml"), 1, &["l1"]);
    place.refuses(&format!("{tables} --recipe tuned"), 2, &["no recipe comes with farhop", "cora", "general settings"]);
}

#[test]
fn compare_takes_the_recipes_that_come_with_it() {
    let place = Place::new();
    let Some(data) = with(&place, "chameleon-filtered") else { return };
    let line = "compare chameleon-filtered --models mlp,gin --runs 1 --epochs 2";
    let found = farhop(&place, &data, &format!("{line} --json"));
    assert!(found.stderr.contains("mlp recipes/chameleon-filtered/mlp.toml, gin general"), "{}", found.stderr);
    let dropout = |object: &Value| object["models"][0]["settings"]["dropout"].as_f64().unwrap() as f32;
    assert_eq!(dropout(&found.object()), 0.6);
    let general = farhop(&place, &data, &format!("{line} --recipes none --set model.dropout=0.25 --json"));
    assert!(general.stderr.contains("mlp general, gin general"), "{}", general.stderr);
    assert_eq!(dropout(&general.object()), 0.25);
}

#[test]
fn models_without_a_recipe_are_searched_first_where_trials_are_given() {
    let place = Place::with_tables();
    let line = "compare --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 3 --models mlp --runs 1 --trials 3 \
                --set model.width=8";
    let first = place.farhop(&format!("{line} --json"));
    assert!(first.stderr.contains("mlp by 3 trials") && first.stderr.contains("trial 2 of 3"), "{}", first.stderr);
    let first = first.object();
    assert_eq!(first["models"][0]["settings"]["width"], 8, "what is given is not searched");
    let again = place.farhop(&format!("{line} --json"));
    assert!(!again.stderr.contains("trial 2 of 3"), "{}", again.stderr);
    assert_eq!(again.object()["models"][0]["runs"], first["models"][0]["runs"]);
    let studies: Vec<_> = std::fs::read_dir(place.path("runs/compare/studies")).unwrap().collect();
    assert_eq!(studies.len(), 1);
}

#[test]
fn a_cell_is_run_once_and_any_one_can_repeat_it() {
    let place = Place::new();
    let Some(data) = with(&place, "chameleon-filtered") else { return };
    let before = farhop(&place, &data, &format!("{CELL} --no-run --json --quiet")).object();
    assert_eq!((&cell(&before)["verdict"], &cell(&before)["ours"]), (&"open".into(), &Value::Null));
    let made = farhop(&place, &data, &format!("{CELL} --runs 2 --json"));
    assert!(
        made.stderr.contains("timing MLP on Chameleon") && made.stderr.contains("2 runs to train"),
        "{}",
        made.stderr
    );
    let made = made.object();
    assert_eq!((&cell(&made)["ours"]["count"], &cell(&made)["verdict"]), (&2.into(), &"alone".into()));
    let again = farhop(&place, &data, &format!("{CELL} --runs 2 --json"));
    assert!(!again.stderr.contains("timing"), "{}", again.stderr);
    assert_eq!(again.object(), made);
    // One run of it by itself: the same bits.
    let alone = "train chameleon-filtered --model mlp --recipe tuned --seed 1 --split 1 --out alone --quiet --json";
    let alone = farhop(&place, &data, alone).object();
    assert_eq!(alone["test"], cell(&made)["runs"][1]["test"]);
    let there = &folders(cell(&made))[1];
    let weights = |run: &str| place.read(&format!("{run}/model.safetensors"));
    assert!(weights("alone") == weights(there));
    // A table for every reader.
    let ask =
        |format: &str| farhop(&place, &data, &format!("{CELL} --runs 2 --quiet --format {format}")).succeeded().stdout;
    assert!(ask("text").contains("ours") && ask("text").contains(" ± "));
    let csv = ask("csv");
    let rows: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(rows.len() == 2 && rows[0] == rows[1] && csv.contains(",2,2,alone,"), "{csv}");
    assert!(ask("markdown").starts_with("| model | whose | Chameleon |"));
    assert!(ask("latex").contains("\\begin{tabular}{llr}") && ask("latex").contains("$\\pm$"));
}

/// No data, no folder: a table is there all the same.
#[test]
fn what_was_measured_comes_with_the_command() {
    let place = Place::new();
    let line = "table heterophily --only mlp --datasets chameleon-filtered";
    let found = place.farhop(&format!("{line} --no-run --json --quiet")).object();
    let cell = cell(&found);
    assert_eq!(
        (&cell["ours"]["count"], &cell["verdict"], &cell["hindrance"]),
        (&10.into(), &"alone".into(), &Value::Null)
    );
    let runs = cell["runs"].as_array().unwrap();
    assert!(runs.iter().all(|run| run["run"].is_null() && run["machine"]["threads"].as_u64().is_some()), "{cell}");
    assert_eq!(runs.iter().map(|run| run["split"].as_str().unwrap()).collect::<String>(), "0123456789");
    // There is nothing to run, so that nothing is missed.
    let said = place.farhop(line).succeeded();
    assert!(said.stderr.contains("10 runs were measured before") && said.stderr.contains("--own"), "{}", said.stderr);
}

#[test]
fn two_processes_fill_one_table() {
    let place = Place::new();
    let Some(data) = with(&place, "chameleon-filtered") else { return };
    let line = format!("{CELL} --runs 6 --json --threads 1");
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = place.command(&words);
    command.env("FARHOP_DATA", &data).stdout(Stdio::piped()).stderr(Stdio::piped());
    let other = command.spawn().unwrap();
    let one = answer(place.command(&words).env("FARHOP_DATA", &data));
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    let other = other.wait_with_output().unwrap();
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
    let all = farhop(&place, &data, &format!("{CELL} --runs 6 --no-run --json --quiet")).object();
    assert_eq!(cell(&all)["ours"]["count"], 6, "{all}");
    let kept = std::fs::read_dir(place.path("runs/compare")).unwrap();
    let runs = kept.filter(|entry| entry.as_ref().unwrap().path().join("run.json").is_file()).count();
    assert_eq!(runs, 6);
}

#[test]
fn cells_that_can_not_be_run_are_open_and_say_why() {
    let place = Place::new();
    let found = place.farhop("table nodes --own --only gcn --datasets cora,wikics --json --quiet").object();
    let cells = found["cells"].as_array().unwrap();
    assert!(cells.iter().all(|cell| cell["verdict"] == "open"), "{found}");
    assert!(cells[0]["hindrance"].as_str().unwrap().contains("not on this machine"), "{found}");
    assert!(cells[1]["hindrance"].as_str().unwrap().contains("no recipe for gcn on wikics"), "{found}");
    let (published, deviation) = (&cells[0]["published"]["mean"], &cells[0]["published"]["deviation"]);
    assert_eq!((published.as_f64(), deviation.as_f64()), (Some(85.10), Some(0.67)));
}
