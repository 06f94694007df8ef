//! Which settings are used, and what a run remembers of its surroundings.

use crate::support::{Place, answer, real_data};

#[test]
fn settings_say_where_they_come_from() {
    let place = Place::with_tables();
    let shown = place.farhop("train cora --width 32 --seed 7 --show-settings --json").object();
    let settings = shown["settings"].as_array().unwrap();
    let of = |key: &str| settings.iter().find(|one| one["setting"] == key).unwrap_or_else(|| panic!("{key}"));
    for (key, value, from) in [
        ("model.width", "32", "--width"),
        ("model.layers", "2", "general for one graph with few labels"),
        ("model.heads", "1", "default"),
        ("train.seed", "7", "--seed"),
    ] {
        assert_eq!((of(key)["value"].to_string().as_str(), of(key)["from"].as_str().unwrap()), (value, from), "{key}");
    }
    let text = place.farhop("train cora --show-settings").succeeded().stdout;
    let dropout = ["model.dropout", "0.7", "general", "for", "one", "graph", "with", "few", "labels"];
    assert!(text.lines().any(|line| line.split_whitespace().eq(dropout)), "{text}");
    let text = place.farhop("train tolokers --show-settings").succeeded().stdout;
    let dropout = ["model.dropout", "0.6", "general", "for", "one", "graph"];
    assert!(text.lines().any(|line| line.split_whitespace().eq(dropout)), "{text}");
    // A recipe is one more place.
    place.write("mine.toml", "[model]\nkind = \"gcn\"\nwidth = 24\n");
    let text = place.farhop("train --recipe mine.toml --show-settings").succeeded().stdout;
    assert!(
        text.lines().any(|line| line.split_whitespace().eq(["model.width", "24", "recipe", "mine.toml"])),
        "{text}"
    );
    // The short form.
    let line = "plan --nodes nodes.csv --edges edges.csv --target label --fill mean --width 8 --hops 3";
    let said = place.farhop(line).succeeded().stderr;
    assert!(said.contains("settings    general for one graph; --hops 3 --width 8\n"), "{said}");
}

#[test]
fn a_run_finds_its_tables_from_another_folder() {
    let place = Place::with_run();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let mut command = place.command(&["evaluate", "../run", "--json"]);
    let found = answer(command.current_dir(place.path("elsewhere"))).object();
    assert_eq!(found["data_changed"], false);
    assert_eq!(found["accuracy"], place.farhop("evaluate run --json").object()["accuracy"]);
}

#[test]
fn a_run_remembers_its_folder_of_datasets() {
    let Some(data) = real_data() else {
        eprintln!("skipped: the real datasets are not here");
        return;
    };
    let place = Place::new();
    let data = data.display().to_string();
    let words =
        ["train", "cora", "--model", "mlp", "--width", "4", "--epochs", "2", "--quiet", "--out", "run", "--data-dir"];
    answer(&mut place.command(&words.into_iter().chain([data.as_str()]).collect::<Vec<_>>())).succeeded();
    place.farhop("evaluate run --quiet").succeeded();
    place.farhop("predict run --quiet").succeeded();
    place.farhop("train --resume run --epochs 3 --quiet").succeeded();
}

#[test]
fn numbers_of_arrays_are_scaled_alike_in_training_and_after() {
    let place = Place::new();
    for (more, scaled) in [("", true), ("--scaling none", false)] {
        let train = format!("train hop-majority --distance 2 --epochs 3 --out run --overwrite --json {more}");
        let trained = place.farhop(&train).object();
        let kept: serde_json::Value = serde_json::from_str(&place.text("run/run.json")).unwrap();
        assert_eq!(kept["features"]["shift"].is_array(), scaled, "{more}");
        let found = place.farhop("evaluate run --json").object();
        assert_eq!(found["score"], trained["test"], "{more}");
    }
    // What is kept for other tools is as it was.
    let card = place.farhop("data info hop-majority --distance 2").succeeded().stdout;
    assert!(!card.contains("standardised"), "{card}");
}

#[test]
fn values_that_a_setting_can_not_have_are_refused_with_what_is_allowed() {
    let place = Place::new();
    let whole = "allowed is a whole number, 1 to 65536.\n";
    for (set, allowed) in [
        ("model.width=abc", whole),
        ("model.width=", whole),
        ("model.width=-3", whole),
        ("model.width=3.5", whole),
        ("model.width=1e30", whole),
        ("model.width=[1,2]", whole),
        ("model.dropout=nan", "allowed is a number, 0 to below 1.\n"),
        ("model.residual=yes", "allowed is true or false.\n"),
        ("model.norm=3", "allowed is none, layer, batch.\n"),
        ("model.norm=bacth", "did you mean `batch`? Known: none, layer, batch.\n"),
        ("train.epochs=many", "allowed is a whole number from 0 on.\n"),
        ("train.optimizer.kind=sgd", "Known: adamw, adam.\n"),
    ] {
        let (key, _) = set.split_once('=').unwrap();
        let setting = format!("--set {key} = ");
        let says = [setting.as_str(), "is not possible: ", allowed];
        place.refuses(&format!("train cora --model gcn --quiet --set {set}"), 2, &says);
    }
    let says = ["--set model.powers = 3", "allowed is a list, each 0 to 32.\n"];
    place.refuses("train cora --model mixhop --quiet --set model.powers=3", 2, &says);
    place.refuses("train cora --quiet --model GCN", 2, &["did you mean \"gcn\"?"]);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let place = Place::new();
    let says = ["--width and --set model.width contradict each other: model.width is 3 or 4"];
    place.refuses("train cora --model gcn --quiet --width 3 --set model.width=4", 2, &says);
    let says = ["--set model.kind is not a setting of model gcn"];
    place.refuses("train cora --model gcn --quiet --set model.kind=gat", 2, &says);
    // The same twice is no contradiction.
    place.farhop("train cora --model gcn --width 4 --set model.width=4 --show-settings --quiet").succeeded();
}
