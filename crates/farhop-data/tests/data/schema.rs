//! A schema that was kept reads new tables as training read its own.

use crate::support::{Tables, features, labels, message, notes, target};
use farhop_data::{ApplyOptions, Fill, NodeTableOptions, NodeTables, Schema};
use farhop_graph::random::Stream;

const EDGES: &str = "source,target\n0,1\n1,2\n5,9\n";

/// A table with numbers of many sizes, a category and labels.
fn random_nodes(seed: u64, rows: u64) -> String {
    let mut random = Stream::new(seed);
    let mut text = String::from("id,time,tiny,kind,label\n");
    for row in 0..rows {
        let time = 1.7e9 + 60.0 * random.normal();
        let tiny = 1e-7 * random.normal();
        let kind = ["a", "b", "c"][random.below(3) as usize];
        let label = random.below(2);
        text.push_str(&format!("{row},{time},{tiny},{kind},{label}\n"));
    }
    text
}

fn kept(data: &NodeTables) -> Schema {
    serde_json::from_str(&serde_json::to_string(&data.schema).unwrap()).unwrap()
}

fn apply(tables: &Tables, schema: &Schema, options: ApplyOptions) -> Result<NodeTables, farhop_data::DataError> {
    NodeTables::load_with_schema(&tables.nodes(), &tables.edges(), schema, &options)
}

#[test]
fn the_same_table_gets_the_same_bits() {
    for seed in 0..5 {
        let tables = Tables::new(&random_nodes(seed, 60), EDGES);
        let trained = tables.load(&target("label")).unwrap();
        let again = apply(&tables, &kept(&trained), ApplyOptions::default()).unwrap();
        let bits = |data: &NodeTables| -> Vec<u32> { features(data).iter().map(|value| value.to_bits()).collect() };
        assert_eq!(bits(&trained), bits(&again));
        assert_eq!(labels(&trained), labels(&again));
        assert_eq!(trained.dataset.target.names(), again.dataset.target.names());
        assert_eq!(trained.schema, again.schema);
        assert!(again.dataset.split.train.is_empty() && again.dataset.notes.is_empty());
    }
}

#[test]
fn columns_may_move_and_the_target_may_be_missing() {
    let nodes = random_nodes(1, 40);
    let tables = Tables::new(&nodes, EDGES);
    let trained = tables.load(&target("label")).unwrap();
    let moved: Vec<String> = nodes
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let extra = if cells[0] == "id" { "extra" } else { "7" };
            [cells[3], cells[2], extra, cells[1], cells[0]].join(",")
        })
        .collect();
    let moved = Tables::new(&format!("{}\n", moved.join("\n")), EDGES);
    let new = apply(&moved, &kept(&trained), ApplyOptions::default()).unwrap();
    assert_eq!(features(&new), features(&trained));
    assert_eq!(new.dataset.ids, trained.dataset.ids);
    assert!(labels(&new).iter().all(Option::is_none));
    assert_eq!(new.dataset.target.names(), trained.dataset.target.names());
    assert!(new.dataset.notes[0].ends_with("that the model does not use: \"extra\""));
}

#[test]
fn strange_values_are_counted_or_refused() {
    let trained = Tables::new(&random_nodes(2, 40), EDGES).load(&target("label")).unwrap();
    let schema = kept(&trained);
    let rows = "id,time,tiny,kind,label\n0,1,1,new,0\n1,1,1,other,9\n2,1,1,a,1\n";
    let edges = "source,target\n";
    let data = apply(&Tables::new(rows, edges), &schema, ApplyOptions::default()).unwrap();
    let width = data.dataset.nodes.width;
    assert_eq!(features(&data)[2..width], [0.0; 3], "none of the known kinds");
    assert_eq!(features(&data)[2 * width + 2..3 * width], [1.0, 0.0, 0.0]);
    assert_eq!(labels(&data), [Some(0), None, Some(1)]);
    let warnings = notes(&data);
    assert!(warnings.contains("column \"kind\": 2 cells have a category that training never saw"));
    assert!(warnings.contains("1 node has a label that the model does not know"));

    let refused = |rows: &str, options| {
        let tables = Tables::new(rows, edges);
        message(&tables, &apply(&tables, &schema, options).unwrap_err())
    };
    let none = ApplyOptions::default();
    assert_eq!(
        refused("id,tim,tiny,kind\n0,1,1,a\n", none),
        "nodes.csv has no column \"time\" (a feature that the model was trained on). Did you mean \"tim\"? Its columns are \"id\", \"tim\", \"tiny\", \"kind\"."
    );
    assert!(refused("id,time,tiny,kind\n0,soon,1,a\n", none).contains("line 2, column \"time\": \"soon\""));
    assert!(refused("id,time,tiny,kind\n0,,1,a\n", none).contains("the cell is empty"));
    let filled = Tables::new("id,time,tiny,kind\n0,,1,\n", edges);
    let mean = ApplyOptions { fill: Some(Fill::Mean), ..none };
    let data = apply(&filled, &schema, mean).unwrap();
    assert_eq!(features(&data)[0], 0.0, "the mean of training");
    assert_eq!(features(&data)[2..5], [0.0; 3]);
}

#[test]
fn a_fill_of_training_is_kept() {
    let nodes = "id,x,y,split\na,2,0,train\nb,4,1,train\nc,,1,test\n";
    let options = NodeTableOptions { fill: Fill::Mean, ..target("y") };
    let trained = Tables::new(nodes, "source,target\n").load(&options).unwrap();
    let new = Tables::new("id,x\nz,\n", "source,target\n");
    let data = apply(&new, &kept(&trained), ApplyOptions::default()).unwrap();
    assert_eq!(features(&data), [0.0]);
}

#[test]
fn the_degree_feature_is_made_again_from_the_new_graph() {
    let nodes = "id,y\na,0\nb,1\nc,0\nd,1\ne,0\nf,1\n";
    let edges = "source,target\na,b\na,c\nd,e\na,d\ne,f\n";
    let tables = Tables::new(nodes, edges);
    let trained = tables.load(&target("y")).unwrap();
    let again = apply(&tables, &kept(&trained), ApplyOptions::default()).unwrap();
    assert_eq!(features(&trained), features(&again));
    assert!(features(&trained).iter().any(|&x| x != features(&trained)[0]));
}
