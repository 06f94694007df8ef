//! From two tables to predictions.

use crate::support::{Place, edges, has_training_keys, id, nodes, rows};

#[test]
fn trains_predicts_and_evaluates() {
    let place = Place::with_tables();
    let line = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --width 8 --hops 3 --dropout 0.1 --epochs 60 --learning-rate 0.02 --out runs/mine --json";
    let trained = place.farhop(line);
    let object = trained.object();
    has_training_keys(&object);
    assert!(object["train"].as_f64().unwrap() > 0.9, "the category tells the label: {object}");
    for said in ["40 nodes and 44 undirected edges", "\"label\"", "memory", "farhop predict runs/mine"] {
        assert!(trained.stderr.contains(said), "{said} is not in\n{}", trained.stderr);
    }

    // New nodes: other ids in another order, a category that training never saw, no labels.
    let header_and_rows = "id,kind,size\nzoe,red,1\nada,violet,2\nbob,green,\n";
    place.write("new_nodes.csv", header_and_rows);
    place.write("new_edges.csv", "source,target\nzoe,ada\nada,bob\n");
    let line = "predict runs/mine --nodes new_nodes.csv --edges new_edges.csv --out predictions.csv";
    let predicted = place.farhop(line).succeeded();
    assert!(predicted.stdout.contains("predictions.csv"));
    let rows = rows(&place.path("predictions.csv"));
    assert_eq!(rows[0], ["id", "prediction", "probability_cold", "probability_warm"]);
    assert_eq!(rows[1..].iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["zoe", "ada", "bob"]);
    for row in &rows[1..] {
        let shares: Vec<f64> = row[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{row:?}");
        let named = if shares[0] >= shares[1] { "cold" } else { "warm" };
        assert_eq!(row[1], named);
    }
    let before = place.read("predictions.csv");
    place.farhop(&format!("{line} --overwrite")).succeeded();
    assert_eq!(place.read("predictions.csv"), before, "predicting twice gives the same bytes");

    let scores = place.farhop("evaluate runs/mine --json").object();
    assert_eq!(scores["accuracy"], object["test"]);
    assert_eq!(scores["split"], "test");
    assert_eq!(scores["classes"].as_array().unwrap().len(), 2);
    let all = place.farhop("evaluate runs/mine --split all --json").object();
    assert_eq!(all["nodes"], 40);
}

#[test]
fn the_training_tables_are_remembered() {
    let place = Place::with_run();
    let answer = place.farhop("predict run --json");
    assert_eq!(answer.object()["data_changed"], false);
    let written = rows(&place.path("run/predictions.csv"));
    assert_eq!(written.len(), 41);
    assert_eq!(written[40][0], id(39));
    // One label more: the predictions are still made, and the change is said.
    place.write("nodes.csv", &nodes(40).replacen(",warm", ",cold", 1));
    let answer = place.farhop("predict run --json --quiet");
    assert_eq!(answer.object()["data_changed"], true);
    assert!(answer.stderr.contains("nodes.csv") && answer.stderr.contains("not those the run was started with"));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let place = Place::with_tables();
    for threads in ["1", "2"] {
        place.train(threads, &["--threads", threads, "--dropout", "0.3"]).succeeded();
    }
    assert_eq!(place.read("1/model.safetensors"), place.read("2/model.safetensors"));
    for threads in ["1", "2"] {
        place.farhop(&format!("predict 1 --out by{threads}.csv --threads {threads}")).succeeded();
    }
    assert_eq!(place.read("by1.csv"), place.read("by2.csv"));
}

#[test]
fn seeds_decide_and_a_recipe_repeats() {
    let place = Place::with_tables();
    place.train("first", &["--seed", "3"]).succeeded();
    place.train("other", &["--seed", "4"]).succeeded();
    place.farhop("train --recipe first/recipe.toml --out again --quiet").succeeded();
    assert_eq!(place.read("first/model.safetensors"), place.read("again/model.safetensors"));
    assert_ne!(place.read("first/model.safetensors"), place.read("other/model.safetensors"));
    // A split seed of its own keeps the split while the weights change.
    place.train("split", &["--seed", "4", "--split-seed", "3"]).succeeded();
    assert_eq!(place.read("split/split.json"), place.read("first/split.json"));
    assert_ne!(place.read("split/split.json"), place.read("other/split.json"));
}

#[test]
fn every_model_trains_and_options_reach_the_recipe() {
    let place = Place::with_tables();
    for model in ["gen", "gcn", "mlp"] {
        let line = format!(
            "train --nodes nodes.csv --edges edges.csv --target label --fill zero --model {model} --width 8 --dropout 0.125 --norm batch --epochs 2 --patience none --quiet --json"
        );
        let object = place.farhop(&line).object();
        assert_eq!(object["run"], format!("runs/{model}-1"), "a fresh folder when none is given");
        assert_eq!(object["epochs"], 2);
        let recipe = place.text(&format!("runs/{model}-1/recipe.toml"));
        for written in ["width = 8", "dropout = 0.125", "norm = \"batch\"", "patience = \"none\"", "fill = \"zero\""] {
            assert!(recipe.contains(written), "{written} is not in\n{recipe}");
        }
    }
    place
        .train("unused", &["--model", "mlp"])
        .stderr
        .contains("--hops is not a setting of model mlp")
        .then_some(())
        .unwrap();
}

#[test]
fn tables_may_come_from_standard_input_and_compressed_names_are_not_needed() {
    let place = Place::with_tables();
    let line = "train --nodes - --edges edges.csv --target label --fill mean --model mlp --width 4 --epochs 2 --out run --quiet";
    place.farhop_with_input(line, nodes(40).as_bytes()).succeeded();
    let answer = place.farhop("predict run");
    assert_eq!(answer.code, Some(1));
    assert!(answer.stderr.contains("Pass --nodes and --edges"), "{}", answer.stderr);
    place.farhop("predict run --nodes nodes.csv --edges edges.csv").succeeded();
}

#[test]
fn a_table_on_standard_output_survives_a_reader_that_leaves() {
    use std::io::Read;
    use std::process::Stdio;
    let place = Place::with_run();
    let whole = place.farhop("predict run --out - --quiet").succeeded();
    assert_eq!(whole.stdout.lines().count(), 41);
    place.write("big.csv", &nodes(6000));
    place.write("big_edges.csv", &edges(6000));
    let words = "predict run --nodes big.csv --edges big_edges.csv --fill mean --out - --quiet";
    let mut command = place.command(&words.split(' ').collect::<Vec<_>>());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut few = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut few).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
