//! New nodes that link to known ones give what tables give that were merged by hand.

use std::path::Path;

use crate::support::{Tables, dense, graph, message, target};
use farhop_data::{
    ApplyOptions, DataError, Fill, JoinOptions, Joined, NewNodes, NodeTableOptions, NodeTables, Part, Schema,
};
use farhop_graph::random::Stream;

fn node_rows(random: &mut Stream, ids: std::ops::Range<usize>) -> String {
    let row = |id: usize| {
        let (size, kind) = (random.normal(), ["a", "b", "c"][random.below(3) as usize]);
        format!("n{id},{size},{kind},{}\n", ["yes", "no"][random.below(2) as usize])
    };
    ids.map(row).collect()
}

/// Edges from nodes of `from` to any below `to`, with a number and a category.
fn edge_rows(random: &mut Stream, from: std::ops::Range<usize>, to: usize, count: usize) -> String {
    let row = |_| {
        let source = from.start + random.below((from.end - from.start) as u64) as usize;
        let (target, weight) = (random.below(to as u64), random.normal());
        let ends = if random.below(2) == 0 { format!("n{source},n{target}") } else { format!("n{target},n{source}") };
        format!("{ends},{weight},{}\n", ["thin", "thick"][random.below(2) as usize])
    };
    (0..count).map(row).collect()
}

const NODES: &str = "id,size,kind,answer\n";
const EDGES: &str = "source,target,weight,road\n";

fn read_again(tables: &Tables, schema: &Schema, add_missing_nodes: bool) -> NodeTables {
    let options = ApplyOptions { add_missing_nodes, ..ApplyOptions::default() };
    NodeTables::load_with_schema(&tables.nodes(), &tables.edges(), schema, &options).unwrap()
}

fn join(known: &NodeTables, new: &Tables, options: &JoinOptions) -> Result<NewNodes, DataError> {
    known.join(&new.nodes(), &new.edges(), options)
}

fn joined(known: &NodeTables, new: &Tables, options: &JoinOptions) -> Joined {
    match join(known, new, options).unwrap() {
        NewNodes::Joined(joined) => *joined,
        NewNodes::ByThemselves(_) => panic!("not joined"),
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn assert_same(found: &Joined, by_hand: &NodeTables) {
    let (one, other) = (&found.dataset, &by_hand.dataset);
    assert_eq!(one.ids, other.ids);
    assert_eq!(one.graphs.union(), graph(by_hand));
    assert_eq!(bits(dense(&one.nodes)), bits(dense(&other.nodes)));
    assert_eq!(bits(dense(&one.edges)), bits(dense(&other.edges)));
    assert_eq!((one.nodes.width, one.edges.width), (other.nodes.width, other.edges.width));
    assert_eq!(one.target, other.target);
}

#[test]
fn as_if_the_tables_had_been_merged_by_hand() {
    for (seed, directed) in [(0, false), (1, true), (2, false), (3, true)] {
        let mut random = Stream::new(seed);
        let (old_nodes, new_nodes) = (node_rows(&mut random, 0..30), node_rows(&mut random, 30..41));
        let (old_edges, new_edges) = (edge_rows(&mut random, 0..30, 30, 60), edge_rows(&mut random, 30..41, 41, 40));
        // Edges between known nodes may come too, also ones that are there already with other features.
        let repeated = old_edges.lines().next().unwrap().rsplit_once(',').unwrap().0.rsplit_once(',').unwrap().0;
        let new_edges = format!("{new_edges}n3,n7,0.25,thin\n{repeated},99,thin\n");
        let options = NodeTableOptions { directed, ..target("answer") };
        let old = Tables::new(&format!("{NODES}{old_nodes}"), &format!("{EDGES}{old_edges}"));
        let known = read_again(&old, &old.load(&options).unwrap().schema, false);
        let new = Tables::new(&format!("{NODES}{new_nodes}"), &format!("{EDGES}{new_edges}"));
        let found = joined(&known, &new, &JoinOptions::default());
        let merged = Tables::new(&format!("{NODES}{old_nodes}{new_nodes}"), &format!("{EDGES}{old_edges}{new_edges}"));
        assert_same(&found, &read_again(&merged, &known.schema, false));
        assert_eq!(found.new_nodes, (30..41).collect::<Vec<u32>>());
        assert_eq!((found.known, found.replaced), (30, 0));
        let between = graph(&read_again(&merged, &known.schema, false)).clone();
        let links: usize = (0..30)
            .map(|node| between.neighbours(node).iter().filter(|other| **other >= 30).count())
            .chain(
                (30..41)
                    .filter(|_| directed)
                    .map(|node| between.neighbours(node).iter().filter(|other| **other < 30).count()),
            )
            .sum();
        assert_eq!(found.links, links);
    }
}

#[test]
fn degrees_count_edges_of_both_tables() {
    let old = Tables::new("id,y\na,0\nb,1\nc,0\nd,1\n", "source,target\na,b\nb,c\n");
    let known = old.load(&target("y")).unwrap();
    let new = Tables::new("id\ne\n", "source,target\ne,a\ne,b\n");
    let found = joined(&known, &new, &JoinOptions::default());
    let merged = Tables::new("id,y\na,0\nb,1\nc,0\nd,1\ne,\n", "source,target\na,b\nb,c\ne,a\ne,b\n");
    assert_same(&found, &read_again(&merged, &known.schema, false));
}

#[test]
fn nodes_that_only_edges_name_come_last() {
    let options = NodeTableOptions { add_missing_nodes: true, ..target("y") };
    let old = Tables::new("id,x,y\na,1,0\nb,2,1\nc,3,0\nd,4,1\n", "source,target\na,b\nghost,c\nother,d\n");
    let known = old.load(&options).unwrap();
    // One of the nodes without a row has one now; another is named again; a third is new.
    let new = Tables::new("id,x\ne,7\nother,9\n", "source,target\ne,ghost\nother,a\ne,spirit\n");
    let apply = ApplyOptions { add_missing_nodes: true, ..ApplyOptions::default() };
    let found = joined(&known, &new, &JoinOptions { apply, replace_known: false });
    let merged = Tables::new(
        "id,x,y\na,1,0\nb,2,1\nc,3,0\nd,4,1\ne,7,\nother,9,\n",
        "source,target\na,b\nghost,c\nother,d\ne,ghost\nother,a\ne,spirit\n",
    );
    assert_same(&found, &read_again(&merged, &known.schema, true));
    let named: Vec<&str> = found.new_nodes.iter().map(|node| found.dataset.ids[*node as usize].as_str()).collect();
    assert_eq!(named, ["e", "other", "spirit"]);
}

#[test]
fn rows_of_known_ids_are_refused_or_take_their_place() {
    let old = Tables::new("id,x,y\na,1,0\nb,2,1\nc,3,0\nd,4,1\n", "source,target\na,b\nc,d\n");
    let known = old.load(&target("y")).unwrap();
    let new = Tables::new("id,x,y,split\ne,7,1,test\nb,8,0,valid\n", "source,target\ne,a\n");
    let error = join(&known, &new, &JoinOptions::default()).unwrap_err();
    let file = old.nodes().display().to_string();
    assert_eq!(
        message(&new, &error).replace(&file, "nodes.csv"),
        "nodes.csv, line 3: id \"b\" is a node of training too (nodes.csv). Pass alone = true if the new tables are a graph by themselves, or replace_known = true if their rows take the place of those of training."
    );
    let found = joined(&known, &new, &JoinOptions { replace_known: true, ..JoinOptions::default() });
    let merged = Tables::new("id,x,y\na,1,0\nb,8,0\nc,3,0\nd,4,1\ne,7,1\n", "source,target\na,b\nc,d\ne,a\n");
    assert_same(&found, &read_again(&merged, &known.schema, false));
    assert_eq!((found.new_nodes.as_slice(), found.replaced), (&[4, 1][..], 1));
}

#[test]
fn the_split_is_that_of_the_new_table() {
    let rows = "id,x,y,split\na,1,0,train\nb,2,1,train\nc,3,0,valid\nd,4,1,test\n";
    let old = Tables::new(rows, "source,target\na,b\nc,d\n");
    let known = old.load(&target("y")).unwrap();
    let new = Tables::new("id,x,y,split\ne,7,1,test\nf,8,0,valid\n", "source,target\ne,a\n");
    let found = joined(&known, &new, &JoinOptions::default());
    let parts = Part::ALL.map(|part| found.dataset.split.part(part).to_vec());
    assert_eq!(parts, [vec![], vec![5], vec![4]]);
}

#[test]
fn what_needs_no_known_node_stands_by_itself() {
    let old = Tables::new("id,x,y\na,1,0\nb,2,1\nc,3,0\nd,4,1\n", "source,target\na,b\nc,d\n");
    let known = old.load(&target("y")).unwrap();
    let inside = Tables::new("id,x\ne,1\nf,2\n", "source,target\ne,f\n");
    let whole = Tables::new("id,x\nd,5\nc,5\nb,5\na,5\nz,5\n", "source,target\na,z\n");
    for (new, nodes) in [(inside, 2), (whole, 5)] {
        match join(&known, &new, &JoinOptions::default()).unwrap() {
            NewNodes::ByThemselves(read) => assert_eq!(read.dataset.graphs.union().nodes(), nodes),
            NewNodes::Joined(_) => panic!("joined"),
        }
    }
}

#[test]
fn what_is_wrong_is_said_of_the_new_tables() {
    let old = Tables::new("id,x,y\na,1,0\nb,2,1\nc,3,0\nd,4,1\n", "source,target\na,b\nc,d\n");
    let known = old.load(&target("y")).unwrap();
    let refused = |nodes: &str, edges: &str, options: &JoinOptions| {
        let new = Tables::new(nodes, edges);
        let known_file: &Path = &old.nodes();
        let text = message(&new, &join(&known, &new, options).unwrap_err());
        text.replace(&known_file.display().to_string(), "old.csv")
    };
    assert_eq!(
        refused("id,x\ne,1\n", "source,target\ne,a\ne,A\n", &JoinOptions::default()),
        "edges.csv, line 3: target id \"A\" is neither in nodes.csv (1 id) nor in old.csv of training (4 ids). Add the node, or pass add_missing_nodes = true."
    );
    assert!(refused("id,x\ne,1\n", "e,a\ne,b\n", &JoinOptions::default()).contains("looks like data"));
    assert!(refused("id,x\ne,\n", "source,target\ne,a\n", &JoinOptions::default()).contains("the cell is empty"));
    let fill = ApplyOptions { fill: Some(Fill::Zero), ..ApplyOptions::default() };
    let new = Tables::new("id,x\ne,\n", "source,target\ne,a\n");
    assert!(join(&known, &new, &JoinOptions { apply: fill, replace_known: false }).is_ok());
}
