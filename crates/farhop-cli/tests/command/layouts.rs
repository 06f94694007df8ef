//! Runs that were trained on a file predict for new files of its layout.

use std::path::{Path, PathBuf};

use crate::support::{Place, rows};

fn graphml(from: usize, count: usize, labels: bool) -> String {
    let mut text = String::from(
        "<graphml><key id=\"s\" for=\"node\" attr.name=\"size\" attr.type=\"double\"/><key id=\"k\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/><key id=\"y\" for=\"node\" attr.name=\"y\" attr.type=\"string\"/><graph edgedefault=\"undirected\">",
    );
    for node in from..from + count {
        let (size, kind) = (node * 7 % 11, ["red", "green", "blue"][node % 3]);
        text += &format!("<node id=\"n{node}\"><data key=\"s\">{size}</data><data key=\"k\">{kind}</data>");
        let label = if node % 3 == 0 { "warm" } else { "cold" };
        text += &if labels { format!("<data key=\"y\">{label}</data></node>") } else { "</node>".to_string() };
    }
    for node in from + 1..from + count {
        text += &format!("<edge source=\"n{}\" target=\"n{node}\"/>", node - 1);
    }
    text + "</graph></graphml>"
}

#[test]
fn new_graphml_is_read_as_that_of_training() {
    let place = Place::new();
    place.write("old.graphml", &graphml(0, 40, true));
    let line = "train old.graphml --target y --width 8 --layers 1 --epochs 30 --out run --quiet";
    place.farhop(line).succeeded();
    place.write("new.graphml", &graphml(100, 7, false));
    let object = place.farhop("predict run new.graphml --out new.csv --json").object();
    assert_eq!(object["nodes"], 7);
    let table = rows(&place.path("new.csv"));
    assert_eq!(table[0], ["id", "prediction", "probability_cold", "probability_warm"]);
    assert_eq!(table[1][0], "n100");
    // With labels it can be scored; the data of training under another name has its split.
    place.write("labelled.graphml", &graphml(100, 7, true));
    let scored = place.farhop("evaluate run labelled.graphml --json").object();
    assert_eq!((&scored["nodes"], &scored["split"]), (&7.into(), &"all".into()));
    std::fs::rename(place.path("old.graphml"), place.path("moved.graphml")).unwrap();
    assert_eq!(place.farhop("evaluate run moved.graphml --json").object()["split"], "test");
    place.refuses("evaluate run --quiet", 1, &["old.graphml, which is not there now", "after the run"]);
    // Something else is said on one line.
    place.write("new_nodes.csv", "id,size\na,1\n");
    place.write("new_edges.csv", "source,target\n");
    place.refuses("predict run --nodes new_nodes.csv --edges new_edges.csv --quiet", 1, &["trained on GraphML"]);
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../farhop-data/tests/good_data/graphs").join(name)
}

#[test]
fn arrays_with_other_features_are_refused() {
    let place = Place::new();
    std::fs::copy(fixture("masks.npz"), place.path("masks.npz")).unwrap();
    std::fs::copy(fixture("adjacency.npz"), place.path("other.npz")).unwrap();
    place.farhop("train masks.npz --width 4 --layers 1 --epochs 2 --out run --quiet").succeeded();
    let told = place.farhop("predict run --out told.csv").succeeded();
    assert!(told.stdout.contains("told.csv"), "{}", told.stdout);
    place.farhop("predict run masks.npz --out again.csv").succeeded();
    assert_eq!(place.read("told.csv"), place.read("again.csv"));
    place.refuses("predict run other.npz --quiet", 1, &["other.npz", "for every node; the run was trained with"]);
    place.refuses("predict run nowhere.npz --quiet", 1, &["nowhere.npz"]);
}
