//! Node tables with other targets than one class, and with features of edges.

use crate::support::{Place, has_training_keys, rows};

const SMALL: &str = "--width 8 --layers 1 --hops 2 --epochs 3 --quiet";
const NODES: usize = 40;

fn number(node: usize) -> f64 {
    2.0 * ((node * 7) % 11) as f64 + 0.25
}

/// Nodes on a ring: a feature, a number that it tells, two yes-or-no columns (one answer is unknown).
fn place() -> Place {
    let place = Place::new();
    let mut nodes = String::from("id,x,y,big,even\n");
    let mut edges = String::from("source,target,length,kind\n");
    for node in 0..NODES {
        let x = (node * 7) % 11;
        let even = if node == 3 { String::new() } else { u8::from(node % 2 == 0).to_string() };
        nodes.push_str(&format!("n{node},{x}.5,{},{},{even}\n", number(node), u8::from(x > 5)));
        let kind = ["street", "path"][node % 2];
        edges.push_str(&format!("n{node},n{},{}.5,{kind}\n", (node + 1) % NODES, node % 5));
    }
    place.write("nodes.csv", &nodes);
    place.write("edges.csv", &edges);
    place
}

#[test]
fn numbers_of_nodes() {
    let place = place();
    let line = format!(
        "train --nodes nodes.csv --edges edges.csv --target y --ignore big,even --metric rmse --out run --json {SMALL}"
    );
    let trained = place.farhop(&line).object();
    has_training_keys(&trained);
    assert_eq!((&trained["task"], &trained["metric"]), (&"node-regression".into(), &"rmse".into()));
    place.farhop("predict run --quiet").succeeded();
    let predicted = rows(&place.path("run/predictions.csv"));
    assert_eq!(predicted[0], ["id", "prediction_y"]);
    assert_eq!(predicted.len(), NODES + 1);
    let scores = place.farhop("evaluate run --split all --json --quiet").object();
    let errors = (0..NODES).map(|node| predicted[node + 1][1].parse::<f64>().unwrap() - number(node));
    let (mut absolute, mut squared) = (0.0, 0.0);
    for error in errors {
        absolute += error.abs() / NODES as f64;
        squared += error * error / NODES as f64;
    }
    assert!((scores["mae"].as_f64().unwrap() - absolute).abs() < 1e-3, "{scores} and {absolute}");
    assert!((scores["rmse"].as_f64().unwrap() - squared.sqrt()).abs() < 1e-3, "{scores} and {squared}");
    assert_eq!((&scores["score"], &scores["nodes"]), (&scores["rmse"], &40.into()));
    // Training on numbers learns them: an error below that of the best constant.
    let line = format!("{line} --epochs 150 --learning-rate 0.02 --overwrite").replace("--epochs 3 ", "");
    let longer = place.farhop(&line).object();
    assert!(longer["train"].as_f64().unwrap() < 6.0, "the deviation of y is 6.4: {longer}");
}

#[test]
fn labels_of_nodes() {
    let place = place();
    let line =
        format!("train --nodes nodes.csv --edges edges.csv --target big,even --ignore y --out run --json {SMALL}");
    let trained = place.farhop(&line).object();
    has_training_keys(&trained);
    assert_eq!(trained["task"], "node-multi-label-classification");
    place.farhop("predict run --quiet").succeeded();
    let predicted = rows(&place.path("run/predictions.csv"));
    assert_eq!(predicted[0], ["id", "prediction_big", "prediction_even", "probability_big", "probability_even"]);
    assert_eq!(predicted.len(), NODES + 1);
    assert_eq!(place.farhop("evaluate run --json --quiet").object()["score"], trained["test"]);

    let line = "train --nodes nodes.csv --edges edges.csv --fill zero --out other --quiet";
    place.refuses(
        &format!("{line} --target y,big --task labels"),
        1,
        &["nodes.csv, line 2", "\"y\"", "\"0.25\"", "--task"],
    );
    place.refuses(&format!("{line} --target y --metric accuracy"), 1, &["accuracy", "mae"]);
    place.refuses(&format!("{line} --target y --metric rmsee"), 2, &["rmsee", "rmse"]);
    place.refuses(&format!("{line} --target y --loss cross-entropy"), 1, &["cross-entropy"]);
}

#[test]
fn columns_of_edges_are_features() {
    let place = place();
    let line = format!("train --nodes nodes.csv --edges edges.csv --target y --ignore big,even --json {SMALL}");
    let with = place.farhop(&format!("{line} --out with")).object();
    let without = place.farhop(&format!("{line} --out without --ignore-edges length,kind")).object();
    let parameters = |object: &serde_json::Value| object["parameters"].as_u64().unwrap();
    assert!(parameters(&with) > parameters(&without), "features of edges have weights");
    let card = place.farhop("data info --nodes nodes.csv --edges edges.csv --ignore big,even --target y").succeeded();
    assert!(card.stdout.contains("1 number (\"length\"), 1 category (\"kind\")"), "{}", card.stdout);

    // Predicting needs the same columns.
    place.write("bare.csv", "source,target\nn0,n1\n");
    place.refuses("predict with --nodes nodes.csv --edges bare.csv --quiet", 2, &["bare.csv", "\"length\""]);
    place.farhop("predict without --nodes nodes.csv --edges bare.csv --quiet").succeeded();
    let line = format!("{line} --ignore-edges lenght --out slip");
    place.refuses(&line, 2, &["edges.csv", "\"lenght\"", "Did you mean \"length\"?"]);
    // A column that can't be read is left out, and that is said.
    place.write("edges.csv", &place.text("edges.csv").replacen(",0.5,", ",far,", 1));
    let card = place.farhop("data info --nodes nodes.csv --edges edges.csv --ignore big,even --target y").succeeded();
    assert!(card.stdout.contains("\"length\" of edges.csv is not used"), "{}", card.stdout);
}
