//! `farhop explain`: tables, pictures, and what is refused.

use crate::support::{Place, rows};

fn place() -> Place {
    let place = Place::with_tables();
    let words =
        "train --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet --width 8 --layers 1 --hops 2";
    place.farhop(&format!("{words} --epochs 6 --out run")).succeeded();
    place
}

/// The first id of the predictions.
fn some_id(place: &Place) -> String {
    place.farhop("predict run").succeeded();
    rows(&place.path("run/predictions.csv"))[1][0].clone()
}

#[test]
fn a_node_is_explained_as_text_table_picture_and_json() {
    let place = place();
    let id = some_id(&place);
    let told = place.farhop(&format!("explain run --node {id} --out picture.svg --table told.csv")).succeeded().stdout;
    assert!(told.contains(&format!("node {id}: ")) && told.contains("read in layer 1 of 1"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let picture = String::from_utf8(place.read("picture.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains("<circle") && picture.contains("hop 1"), "{picture}");
    let table = rows(&place.path("told.csv"));
    assert_eq!(table[0], ["id", "hop", "weight"]);

    let json = place.farhop(&format!("explain run --node {id} --json")).succeeded().object();
    let nodes = json["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), table.len() - 1);
    for (node, row) in nodes.iter().zip(&table[1..]) {
        assert_eq!(node["id"].as_str().unwrap(), row[0]);
        assert_eq!(node["hop"].to_string(), row[1]);
        assert_eq!(node["weight"].as_f64().unwrap() as f32, row[2].parse::<f32>().unwrap());
    }
    let share: f64 = json["hops"].as_array().unwrap().iter().map(|hop| hop["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-9);

    let told = place.farhop(&format!("explain run --node {id} --method contributions --top 2")).succeeded().stdout;
    assert!(told.contains("gradient times input") && told.contains("they add up to"), "{told}");
}

#[test]
fn what_can_not_be_explained_is_said_in_one_line() {
    let place = place();
    let id = some_id(&place);
    place.write("there.svg", "mine");
    for (words, code, text) in [
        ("explain run".to_string(), 2, "--node is missing"),
        ("explain run --node nobody".to_string(), 1, "has no node \"nobody\" (40 there"),
        (format!("explain run --graph {id}"), 2, "the run predicts nodes. Pass --node ID."),
        (format!("explain run --node {id} --output nothing"), 2, "the run has no such output. Allowed: "),
        (format!("explain run --node {id} --layer 2"), 1, "layer 2 is not there. Allowed: 1 to 1."),
        (format!("explain run --node {id} --out picture.png"), 2, "Give a name that ends in .svg"),
        (format!("explain run --node {id} --out there.svg"), 1, "there already"),
        (format!("explain run --node {id} --table nodes.txt"), 2, "ends in .npy or .csv"),
        (format!("explain run --node {id} --overwrite"), 2, "--overwrite is for --out and --table"),
    ] {
        place.refuses(&format!("{words} --quiet"), code, &[text]);
    }
    assert_eq!(place.read("there.svg"), b"mine");
}
