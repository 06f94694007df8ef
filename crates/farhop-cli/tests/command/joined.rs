//! New nodes that link to those of training.

use crate::support::{Place, edges, id, nodes};

/// Rows of `new_nodes.csv`: other ids, no label.
const NEW_NODES: &str = "id,kind,size\nzoe,red,1\nada,blue,2\nbob,green,\n";

fn new_edges() -> String {
    format!("source,target\nzoe,ada\nada,{}\n{},bob\n{},zoe\n", id(3), id(17), id(17))
}

/// The tables of training with the new rows appended, by hand.
fn write_merged(place: &Place, old_edges: &str, new_edges: &str) {
    let new_rows = NEW_NODES.lines().skip(1).map(|row| format!("{row},\n"));
    place.write("all_nodes.csv", &(nodes(40) + &new_rows.collect::<String>()));
    let rows = new_edges.split_once('\n').unwrap().1;
    place.write("all_edges.csv", &format!("{old_edges}{rows}"));
}

fn with_new(place: &Place) {
    place.write("new_nodes.csv", NEW_NODES);
    place.write("new_edges.csv", &new_edges());
    write_merged(place, &edges(40), &new_edges());
}

const NEW: &str = "--nodes new_nodes.csv --edges new_edges.csv";

/// What joining gives for the new nodes, and what the merged tables give for all.
fn both_ways(place: &Place, more: &str) -> (String, String) {
    let joined = place.farhop(&format!("predict run {NEW} {more} --out joined.csv --overwrite")).succeeded();
    assert!(
        joined.stderr.contains("joined      3 nodes to the 40 of training: 3 edges go to known nodes"),
        "{}",
        joined.stderr
    );
    place
        .farhop(&format!(
            "predict run --nodes all_nodes.csv --edges all_edges.csv --alone {more} --out all.csv --overwrite"
        ))
        .succeeded();
    (place.text("joined.csv"), place.text("all.csv"))
}

fn assert_same(joined: &str, all: &str) {
    let lines: Vec<&str> = all.lines().collect();
    let expected = format!("{}\n{}\n", lines[0], lines[41..].join("\n"));
    assert_eq!(lines.len(), 44);
    assert_eq!(joined, expected);
}

#[test]
fn new_nodes_are_answered_as_if_the_tables_had_been_merged() {
    for more in [&[][..], &["--directed"][..], &["--walk", "4", "--laplacian", "3"][..]] {
        let place = Place::with_tables();
        place.train("run", more).succeeded();
        with_new(&place);
        let (joined, all) = both_ways(&place, "");
        assert_same(&joined, &all);
        let (joined, all) = both_ways(&place, "--parts 3 --halo 2");
        assert_same(&joined, &all);
    }
}

#[test]
fn features_of_edges_come_along() {
    let place = Place::with_tables();
    let weighted = |text: &str| -> String {
        let rows = text.lines().skip(1).enumerate().map(|(row, line)| format!("{line},{}.5\n", row % 7));
        format!("source,target,length\n{}", rows.collect::<String>())
    };
    place.write("edges.csv", &weighted(&edges(40)));
    place.train("run", &[]).succeeded();
    place.write("new_nodes.csv", NEW_NODES);
    place.write("new_edges.csv", &weighted(&new_edges()));
    write_merged(&place, &weighted(&edges(40)), &weighted(&new_edges()));
    let (joined, all) = both_ways(&place, "");
    assert_same(&joined, &all);
}

#[test]
fn the_answer_says_what_was_joined_and_alone_is_alone() {
    let place = Place::with_run();
    with_new(&place);
    let object = place.farhop(&format!("predict run {NEW} --json")).object();
    assert_eq!(object["nodes"], 3);
    assert_eq!(object["joined"]["known_nodes"], 40);
    assert_eq!(object["joined"]["edges_to_known"], 3);
    place.refuses(
        &format!("predict run {NEW} --alone"),
        1,
        &["new_edges.csv, line 3", "is not in new_nodes.csv (3 ids)"],
    );
    // Nobody known is asked for.
    place.write("new_edges.csv", "source,target\nzoe,ada\n");
    let answer = place.farhop(&format!("predict run {NEW} --json"));
    assert!(answer.object()["joined"].is_null());
    assert!(answer.stderr.contains("a graph by themselves"), "{}", answer.stderr);
}

#[test]
fn known_ids_in_new_tables_are_no_guess() {
    let place = Place::with_run();
    with_new(&place);
    place.write("new_nodes.csv", &format!("{NEW_NODES}{},red,99\n", id(17)));
    place.refuses(
        &format!("predict run {NEW} --quiet"),
        1,
        &["new_nodes.csv, line 5", "\"n-017\" is a node of training too", "--alone", "--replace-known"],
    );
    let object = place.farhop(&format!("predict run {NEW} --replace-known --json --out replaced.csv")).object();
    assert_eq!((&object["nodes"], &object["joined"]["replaced_nodes"]), (&4.into(), &1.into()));
    let text = place.text("replaced.csv");
    assert_eq!(text.lines().last().unwrap().split(',').next(), Some("n-017"), "in the order of the new table");
    // The whole graph as it is now needs no option.
    place.write("grown.csv", &nodes(45));
    place.write("grown_edges.csv", &edges(45));
    place.farhop("predict run --nodes grown.csv --edges grown_edges.csv").succeeded();
}

#[test]
fn tables_of_training_that_moved_or_changed() {
    let place = Place::with_run();
    with_new(&place);
    place.farhop(&format!("predict run {NEW} --out before.csv")).succeeded();
    std::fs::create_dir(place.path("moved")).unwrap();
    for name in ["nodes.csv", "edges.csv"] {
        std::fs::rename(place.path(name), place.path("moved").join(name)).unwrap();
    }
    place.refuses(
        &format!("predict run {NEW}"),
        1,
        &["new_edges.csv, line 3", "nodes.csv of training is not there", "--known-nodes"],
    );
    let moved = "--known-nodes moved/nodes.csv --known-edges moved/edges.csv";
    place.farhop(&format!("predict run {NEW} {moved} --out after.csv")).succeeded();
    assert_eq!(place.text("before.csv"), place.text("after.csv"));
    // The tables of training under another name have the split of training.
    let scores = place.farhop("evaluate run --nodes moved/nodes.csv --edges moved/edges.csv --json").object();
    assert_eq!(scores["split"], "test");
    place.write("moved/nodes.csv", &nodes(40).replacen("red", "blue", 1));
    let changed = place.farhop(&format!("predict run {NEW} {moved} --quiet")).succeeded();
    assert!(changed.stderr.contains("not what the run was trained on"), "{}", changed.stderr);
}

#[test]
fn labelled_new_nodes_are_scored() {
    let place = Place::with_run();
    with_new(&place);
    place.write("new_nodes.csv", "id,kind,size,label\nzoe,red,1,warm\nada,blue,2,cold\nbob,green,,\n");
    let object = place.farhop(&format!("evaluate run {NEW} --json")).object();
    assert_eq!((&object["nodes"], &object["split"]), (&2.into(), &"all".into()));
    assert_eq!(object["joined"]["known_nodes"], 40);
}
