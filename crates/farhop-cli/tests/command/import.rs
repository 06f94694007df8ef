//! Tables as one file, and runs on it.

use crate::support::{Place, has_training_keys, rows};

const IMPORT: &str =
    "data import --nodes atoms.csv --edges bonds.csv --graphs molecules.csv --target shape --out mine.farhop";

/// 30 paths of 3 to 6 nodes as three tables.
fn place() -> Place {
    let place = Place::new();
    let mut nodes = String::from("id,graph,colour,size\n");
    let mut edges = String::from("source,target,bond\n");
    let mut graphs = String::from("graph,shape,weight\n");
    let mut node = 0;
    for graph in 0..30 {
        let length = 3 + graph % 4;
        let shape = if length > 4 { "long" } else { "short" };
        graphs.push_str(&format!("g{graph},{shape},{length}.25\n"));
        for place in 0..length {
            nodes.push_str(&format!("v{node},g{graph},{},{}.5\n", ["red", "blue"][place % 2], graph + place));
            if place > 0 {
                edges.push_str(&format!("v{},v{node},{}\n", node - 1, ["single", "double"][place % 2]));
            }
            node += 1;
        }
    }
    place.write("atoms.csv", &nodes);
    place.write("bonds.csv", &edges);
    place.write("molecules.csv", &graphs);
    place
}

#[test]
fn many_graphs_from_three_tables() {
    let place = place();
    let object = place.farhop(&format!("{IMPORT} --json --quiet")).object();
    // Lengths 3, 4, 5, 6 in turn: seven rounds of 18 nodes, then 3 and 4.
    assert_eq!((&object["graphs"], &object["nodes"], &object["edges"]), (&30.into(), &133.into(), &103.into()));
    assert_eq!(object["bytes"], place.read("mine.farhop").len());
    let before = place.read("mine.farhop");
    place.farhop(&format!("{IMPORT} --overwrite")).succeeded();
    assert_eq!(place.read("mine.farhop"), before, "the same tables give the same bytes");

    let card = &place.farhop("data info mine.farhop --json --quiet").object()["card"];
    assert_eq!((&card["graphs"], &card["nodes"], &card["edges"]), (&30.into(), &133.into(), &103.into()));
    assert_eq!(card["target"]["classes"][0], serde_json::json!({ "name": "long", "rows": 14 }));
    assert!(
        !card["edge_features"]["numbers"].is_null() || card["edge_features"]["categories"][0].is_object(),
        "{card}"
    );
    let text = place.farhop("data info mine.farhop").succeeded().stdout;
    for said in ["30 graphs with 133 nodes and 103 undirected edges", "one of 2 classes for every graph", "edges have"]
    {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }

    let line = "train mine.farhop --width 8 --layers 1 --hops 2 --epochs 3 --json --quiet";
    let trained = place.farhop(line).object();
    has_training_keys(&trained);
    assert_eq!((&trained["task"], &trained["run"]), (&"graph-classification".into(), &"runs/mine-gen-1".into()));
    let scores = place.farhop("evaluate runs/mine-gen-1 --json --quiet").object();
    assert_eq!(scores["accuracy"], trained["test"]);
    place.farhop("predict runs/mine-gen-1 --out predictions.csv --quiet").succeeded();
    let predicted = rows(&place.path("predictions.csv"));
    assert_eq!(predicted[0], ["id", "prediction", "probability_long", "probability_short"]);
    let ids: Vec<String> = predicted[1..].iter().map(|row| row[0].clone()).collect();
    assert_eq!(ids, (0..30).map(|graph| format!("g{graph}")).collect::<Vec<_>>());
    let line = "predict runs/mine-gen-1 --nodes atoms.csv --edges bonds.csv";
    place.refuses(line, 1, &["trained on a farhop dataset", "farhop predict RUN FILE"]);

    // The recipe repeats it, and other data under the same name is noticed.
    place.farhop("train runs/mine-gen-1/recipe.toml --out again --quiet").succeeded();
    assert_eq!(place.read("again/model.safetensors"), place.read("runs/mine-gen-1/model.safetensors"));
    place.farhop(&format!("{IMPORT} --overwrite").replace("shape", "weight")).succeeded();
    place.write("molecules.csv", &place.text("molecules.csv").replacen("long", "short", 1));
    place.farhop(&format!("{IMPORT} --overwrite")).succeeded();
    place.refuses(
        "train --resume again --epochs 5 --quiet",
        1,
        &["molecules.csv", "not those the run was started with"],
    );
}

#[test]
fn one_graph_and_molecules() {
    let place = Place::with_tables();
    let object = place
        .farhop("data import --nodes nodes.csv --edges edges.csv --target label --fill mean --out one.farhop --json --quiet")
        .object();
    assert_eq!((&object["graphs"], &object["nodes"], &object["edges"]), (&1.into(), &40.into(), &44.into()));
    let trained = place.farhop("train one.farhop --model mlp --width 4 --epochs 2 --out run --json --quiet").object();
    assert_eq!(trained["task"], "node-classification");
    assert_eq!(place.farhop("evaluate run --json --quiet").object()["accuracy"], trained["test"]);

    let lines: Vec<String> = (1..=20).map(|carbons| format!("{},{carbons}.5", "C".repeat(carbons))).collect();
    place.write("chains.csv", &format!("smiles,length\n{}\n", lines.join("\n")));
    place.farhop("data import chains.csv --target length --out chains.farhop --quiet").succeeded();
    let card = &place.farhop("data info chains.farhop --json --quiet").object()["card"];
    assert_eq!((&card["graphs"], &card["nodes"]), (&20.into(), &210.into()));
}

#[test]
fn what_can_not_be_imported_is_said() {
    let place = place();
    let line = |old: &str, new: &str| format!("{IMPORT} --quiet").replace(old, new);
    place.refuses(&line("shape", "shap"), 2, &["molecules.csv", "\"shap\"", "Did you mean \"shape\"?"]);
    place.refuses(&line("shape", "shape,weight"), 1, &["molecules.csv, line 2", "\"shape\"", "one target alone"]);
    place.refuses(&line("--nodes atoms.csv ", ""), 2, &["--nodes", "missing", "farhop data import --help"]);
    place.refuses(&line("--edges bonds.csv ", ""), 2, &["--edges", "missing"]);
    place.refuses(&line("--out mine.farhop", ""), 2, &["--out", "missing", "farhop data import --help"]);
    place.refuses(&line("--graphs molecules.csv", "--graph graf"), 2, &["atoms.csv", "\"graf\"", "\"graph\"?"]);
    place.write("bonds.csv", &place.text("bonds.csv").replacen("v0,v1", "v0,v5", 1));
    place.refuses(&line("", ""), 1, &["bonds.csv, line 2", "\"g0\"", "\"g1\"", "take it out"]);
    assert!(!place.path("mine.farhop").exists());

    place.write("torn.farhop", "not a dataset");
    for command in ["train", "data info"] {
        place.refuses(&format!("{command} torn.farhop --quiet"), 1, &["torn.farhop"]);
        place.refuses(&format!("{command} gone.farhop --quiet"), 1, &["gone.farhop", "no such file"]);
    }
}
