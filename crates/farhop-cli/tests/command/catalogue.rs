//! Datasets by name: what there is, what it is like, and what is said when it is not here.

use serde_json::Value;

use crate::support::{Place, has_training_keys, rows};

#[test]
fn the_list_says_what_is_here() {
    let place = Place::new();
    let object = place.farhop("data list --json --quiet").object();
    let all = object["datasets"].as_array().unwrap();
    let named = |name: &str| all.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    for name in ["cora", "ogbn-arxiv", "peptides-func", "zinc", "mutag", "pcqm-contact"] {
        assert_eq!((&named(name)["here"], &named(name)["status"]), (&false.into(), &"no".into()), "{name}");
    }
    assert_eq!(named("ring-transfer")["status"], "made");
    for key in ["title", "level", "metric", "splits", "licence"] {
        assert!(all.iter().all(|entry| entry[key].is_string()), "{key}");
    }
    let here = place.farhop("data list --here --json --quiet").object();
    let names: Vec<&str> =
        here["datasets"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hop-majority", "ring-transfer", "tree-neighbours-match"]);
    let text = place.farhop("data list").succeeded();
    assert_eq!(text.stdout.lines().count(), all.len() + 1);
    assert!(text.stderr.contains("no-datasets"), "{}", text.stderr);
}

#[test]
fn cards_of_data_that_is_made() {
    let place = Place::new();
    let card = |line: &str| place.farhop(&format!("data info {line} --json --quiet")).object();
    // A ring of 2r nodes has its farthest node at distance r.
    let ring = card("ring-transfer --distance 4");
    assert_eq!(ring["card"]["nodes_per_graph"]["max"], 8);
    assert_eq!(ring["card"]["reach"]["diameter"], 4);
    assert!(ring["about"]["citation"].as_str().unwrap().contains("Di Giovanni"));
    // A binary tree of depth d has 2^(d+1) - 1 nodes and a class per leaf.
    let tree = card("tree-neighbours-match --distance 3");
    assert_eq!(
        tree["card"]["nodes_per_graph"],
        serde_json::json!({ "min": 15, "max": 15, "mean": 15.0, "median": 15.0 })
    );
    assert_eq!(tree["card"]["target"]["classes"].as_array().unwrap().len(), 8);
    // A forest: edges are nodes without trees.
    let majority = &card("hop-majority --distance 2")["card"];
    let count = |key: &str| majority[key].as_u64().unwrap();
    assert_eq!(count("edges"), count("nodes") - count("components"));
    assert!(majority["notes"][0].as_str().unwrap().contains("distance is 2"), "{majority}");
    let text = place.farhop("data info hop-majority --distance 2 --quiet").succeeded().stdout;
    for line in ["data ", "task ", "graph ", "degree ", "features ", "target ", "split ", "about ", "cite ", "licence "]
    {
        assert!(text.lines().any(|shown| shown.starts_with(line)), "{line} is not in\n{text}");
    }
    place.refuses("data info ring-transfer --distance 1", 1, &["distance", "at least 2"]);
    place.refuses("data info tree-neighbours-match --distance 40", 1, &["1 to 12", "40"]);
}

#[test]
fn cards_of_tables() {
    let place = Place::with_tables();
    let line = "data info --nodes nodes.csv --edges edges.csv --fill mean";
    let object = place.farhop(&format!("{line} --target label --json --quiet")).object();
    let card = &object["card"];
    // A ring of 40 and 8 chords to the node opposite, 4 of which are the same from the other side.
    assert_eq!((&card["nodes"], &card["edges"], &card["components"]), (&40.into(), &44.into(), &1.into()));
    assert_eq!(card["target"]["classes"][1], serde_json::json!({ "name": "warm", "rows": 14 }));
    assert!(object["about"].is_null());
    let text = place.farhop(&format!("{line} --target label")).succeeded().stdout;
    assert!(text.contains("40 nodes and 44 undirected edges") && text.contains("nodes.csv"), "{text}");
    // Without a target there is still much to say.
    let text = place.farhop(line).succeeded().stdout;
    assert!(text.contains("nothing to predict"), "{text}");
    place.write("chains.csv", "smiles\nCC\nCCC\n");
    let text = place.farhop("data info chains.csv").succeeded().stdout;
    assert!(text.contains("nothing to predict") && !text.contains("\ntarget"), "{text}");
}

#[test]
fn data_that_is_made_is_trained_on() {
    let place = Place::new();
    let line = "train ring-transfer --distance 2 --width 8 --layers 1 --hops 2 --epochs 1 --json --quiet";
    let trained = place.farhop(line).object();
    has_training_keys(&trained);
    assert_eq!(
        (&trained["task"], &trained["run"]),
        (&"graph-classification".into(), &"runs/ring-transfer-gen-1".into())
    );
    let recipe = place.text("runs/ring-transfer-gen-1/recipe.toml");
    assert!(recipe.contains("distance = 2") && recipe.contains("dataset = \"ring-transfer\""), "{recipe}");
    // The run knows its data.
    let scores = place.farhop("evaluate runs/ring-transfer-gen-1 --json --quiet").object();
    assert_eq!(scores["accuracy"], trained["test"]);
    place.farhop("predict runs/ring-transfer-gen-1 --out p.csv --quiet").succeeded();
    assert_eq!(rows(&place.path("p.csv")).len(), 2001);
    place.farhop("train --resume runs/ring-transfer-gen-1 --epochs 2 --quiet").succeeded();
}

#[test]
fn names_that_are_wrong_or_not_here() {
    let place = Place::with_tables();
    let nearest = ["\"coar\"", "Did you mean \"cora\"?", "farhop data list"];
    for line in ["train coar", "data info coar", "data fetch coar", "data fetch cora coar", "plan coar"] {
        place.refuses(line, 2, &nearest);
    }
    for line in ["train cora", "data info Cora", "train texas --split 3"] {
        place.refuses(
            line,
            1,
            &["not on this machine", "looked in", "no-datasets", "farhop data fetch", "under a data folder"],
        );
    }
    // A file of the same name is not the dataset, and is reached as a path.
    place.write("pubmed", "no dataset");
    place.refuses("train pubmed", 1, &["not on this machine", "./pubmed"]);
    place.refuses("train ./pubmed", 1, &["./pubmed: it is not clear what the file holds"]);
    place.refuses("train mine/coar", 1, &["mine/coar", "no such file or folder"]);
    place.refuses("train cora --split best", 2, &["\"best\"", "standard", "per-class", "seeded"]);
    place.refuses("train cora --distance 3", 2, &["--distance", "ring-transfer"]);
    place.refuses("train cora --nodes nodes.csv --edges edges.csv", 2, &["cora", "--nodes", "one of them"]);
    place.refuses("train cora --target label", 2, &["--target", "cora", "Take it out"]);
    place.refuses("train cora --smiles smiles", 2, &["--smiles", "cora"]);
    place.refuses("train hop-majority --distance 999 --quiet", 2, &["distance", "999", "1 to 64"]);
    place.refuses("train hop-majority --distance 64 --quiet", 1, &["64", "smaller --distance"]);
    place.refuses("train nodes.csv --target label", 2, &["nodes.csv", "--nodes", "--edges", "--smiles"]);
    place.refuses("train ring-transfer --split 3 --quiet", 1, &["ring-transfer", "no numbered splits"]);
    place.refuses("train ring-transfer --metric mae --quiet", 1, &["mae", "accuracy"]);
    place.refuses("data lst", 2, &["lst", "list", "farhop data --help"]);
    place.refuses("data fetch", 2, &["NAME", "missing", "farhop data fetch --help"]);
    place.refuses("data info", 2, &["--nodes", "dataset"]);
    assert!(!place.path("runs").exists());
    assert!(!place.path("no-datasets").exists(), "nothing is fetched unless asked for");
    assert!(place.farhop("data").succeeded().stdout.contains("fetch"));
}

#[test]
fn a_recipe_can_be_given_other_data() {
    let place = Place::with_run();
    let model = ["--width 4", "--layers 1", "--epochs 1"].join(" ");
    place.farhop(&format!("train ring-transfer --distance 2 {model} --out rings --quiet")).succeeded();
    let tables = "--nodes nodes.csv --edges edges.csv --target label --fill mean";
    let object: Value = place.farhop(&format!("train rings/recipe.toml {tables} --out nodes --json --quiet")).object();
    assert_eq!(object["task"], "node-classification");
    place.refuses("train rings/recipe.toml --recipe run/recipe.toml", 2, &["two recipes"]);
}
