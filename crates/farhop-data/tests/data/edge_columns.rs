//! The other columns of an edges table become features of edges.

use crate::support::{Tables, dense, graph, message, notes};
use farhop_data::{ApplyOptions, FeatureScaling, Fill, NodeTableOptions, NodeTables, Schema};

const NODES: &str = "id,x\na,1\nb,2\nc,3\nd,4\n";

fn plain() -> NodeTableOptions {
    NodeTableOptions { scaling: FeatureScaling::None, ..NodeTableOptions::default() }
}

/// The features of the entry `i <- j`.
fn row(data: &NodeTables, i: usize, j: u32) -> &[f32] {
    let place = graph(data).neighbours(i).iter().position(|&source| source == j).unwrap();
    let width = data.dataset.edges.width;
    &dense(&data.dataset.edges)[(graph(data).offsets()[i] + place) * width..][..width]
}

#[test]
fn numbers_and_texts_arrive_in_both_directions() {
    let edges = "source,target,length,kind\nb,a,1.5,road\nb,c,2,rail\nc,c,9,road\nd,a,-3,road\n";
    let data = Tables::new(NODES, edges).load(&plain()).unwrap();
    assert_eq!(data.dataset.edges.width, 3);
    for (i, j, expected) in [(0, 1, [1.5, 0.0, 1.0]), (1, 2, [2.0, 1.0, 0.0]), (0, 3, [-3.0, 0.0, 1.0])] {
        assert_eq!(row(&data, i, j as u32), expected);
        assert_eq!(row(&data, j, i as u32), expected);
    }
    assert_eq!(notes(&data), "");
    assert_eq!(data.schema.edge_width(), 3);
    assert_eq!(data.schema.edge_feature_names(), ["length", "kind=rail", "kind=road"]);
}

#[test]
fn the_directions_of_a_directed_table_have_their_own() {
    let edges = "source,target,length\na,b,1\nb,a,2\nc,a,3\n";
    let data = Tables::new(NODES, edges).load(&NodeTableOptions { directed: true, ..plain() }).unwrap();
    assert_eq!((row(&data, 1, 0), row(&data, 0, 1), row(&data, 0, 2)), (&[1.0][..], &[2.0][..], &[3.0][..]));
}

#[test]
fn numbers_are_standardised_over_edges_not_rows() {
    // Edges of 1, 3 and 5: mean 3, deviation sqrt(8/3). The self-loop and the repeated row do not count.
    let edges = "source,target,length\na,b,1\nb,a,1\na,c,3\nd,d,100\nc,d,5\n";
    let data = Tables::new(NODES, edges).load(&NodeTableOptions::default()).unwrap();
    let scaled = |value: f64| ((value - 3.0) / (8.0f64 / 3.0).sqrt()) as f32;
    for (i, j, value) in [(0, 1, 1.0), (2, 0, 3.0), (3, 2, 5.0)] {
        assert!((row(&data, i, j)[0] - scaled(value)).abs() < 1e-6);
    }
}

#[test]
fn the_first_row_of_an_edge_counts_and_others_are_noted() {
    let edges = "source,target,length\na,b,1\nb,a,2\na,b,1\nc,d,4\nc,d,5\n";
    let data = Tables::new(NODES, edges).load(&plain()).unwrap();
    assert_eq!((row(&data, 0, 1), row(&data, 3, 2)), (&[1.0][..], &[4.0][..]));
    let text = notes(&data);
    assert!(
        text.contains("edges.csv: 2 rows repeat an edge with other values than its first row, such as line 3"),
        "{text}"
    );
    let directed = Tables::new(NODES, edges).load(&NodeTableOptions { directed: true, ..plain() }).unwrap();
    assert!(notes(&directed).contains("1 row repeats an edge"), "{}", notes(&directed));
}

#[test]
fn columns_that_cannot_be_read_are_left_out_with_a_note() {
    let mut edges = String::from("source,target,text,gap,mixed,empty,good,big\n");
    for row in 0..30 {
        let (from, to) = (["a", "b", "c"][row % 3], "d");
        let gap = if row == 3 { String::new() } else { row.to_string() };
        let mixed = if row == 4 { "soon".to_string() } else { row.to_string() };
        edges.push_str(&format!(
            "{from},{to},name {row},{gap},{mixed},,{},{}\n",
            row % 3,
            if row == 1 { "inf" } else { "1" }
        ));
    }
    let data = Tables::new(NODES, &edges).load(&plain()).unwrap();
    let names = |data: &NodeTables| data.schema.edge_features.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&data), ["good"]);
    let text = notes(&data);
    for reason in [
        "column \"text\" of ",
        "30 different texts are too many for categories",
        "1 missing cell. Pass fill = mean or fill = zero to use it",
        "1 cell is no number beside numbers",
        "it has no value in any row",
        "1 cell is no finite number",
    ] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
    let ignored = NodeTableOptions { ignore_edges: vec!["good".to_string()], fill: Fill::Zero, ..plain() };
    let data = Tables::new(NODES, &edges).load(&ignored).unwrap();
    assert_eq!(names(&data), ["gap"]);
    assert!(notes(&data).contains("edges.csv that are not used: \"good\""), "{}", notes(&data));
}

#[test]
fn a_weight_is_a_feature_unless_it_is_asked_for_as_weight() {
    let tables = Tables::new(NODES, "source,target,weight,length\na,b,2,7\nb,c,3,8\n");
    assert_eq!(tables.load(&plain()).unwrap().dataset.edges.width, 2);
    let (data, weights) = NodeTables::load_weighted(&tables.nodes(), &tables.edges(), &plain()).unwrap();
    assert_eq!(weights, [2.0, 2.0, 3.0, 3.0]);
    assert_eq!(row(&data, 0, 1), [7.0]);
}

#[test]
fn the_schema_reads_new_edges_the_same_way() {
    let edges = "source,target,length,kind\nb,a,1.5,road\nb,c,2,rail\nd,a,-3,road\n";
    let tables = Tables::new(NODES, edges);
    let trained = tables.load(&NodeTableOptions::default()).unwrap();
    let schema: Schema = serde_json::from_str(&serde_json::to_string(&trained.schema).unwrap()).unwrap();
    let apply = |edges: &str| {
        let tables = Tables::new(NODES, edges);
        NodeTables::load_with_schema(&tables.nodes(), &tables.edges(), &schema, &ApplyOptions::default())
            .map_err(|error| message(&tables, &error))
    };
    let again = apply(edges).unwrap();
    assert_eq!(again.dataset.edges, trained.dataset.edges);
    let other = apply("source,target,kind,length,extra\na,b,boat,1.5,x\n").unwrap();
    assert_eq!(row(&other, 0, 1)[1..], [0.0, 0.0]);
    assert_eq!(row(&other, 0, 1)[0], row(&trained, 0, 1)[0]);
    let text = notes(&other);
    assert!(
        text.contains("that are not used: \"extra\"") && text.contains("1 cell has a category that training never saw"),
        "{text}"
    );
    let error = apply("source,target,kind\na,b,road\n").unwrap_err();
    assert!(
        error.starts_with("edges.csv has no column \"length\" (a feature of edges that the model was trained on)."),
        "{error}"
    );
}
