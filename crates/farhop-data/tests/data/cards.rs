//! Cards say what is true of a dataset, on one screen.

use std::path::{Path, PathBuf};

use crate::support::{Tables, target};
use farhop_data::card::{Bars, ClassCount, LabelCount, NumberSummary, Spread, TargetSummary};
use farhop_data::metrics::Metric;
use farhop_data::npz::Npz;
use farhop_data::{Columns, Csr, DataCard, Dataset, Level, Split, Target};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphSet, build, generate};

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| value.to_string()).collect()
}

/// Two triangles joined by an edge, and a node alone: classes 0 0 0, 1 1 1, and unknown.
fn triangles() -> Dataset {
    let rows = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)];
    let graph = build(7, &rows, Direction::Undirected).unwrap().graph;
    let labels = [Some(0), Some(0), Some(0), Some(1), Some(1), Some(1), None].to_vec();
    let features = (0..7).flat_map(|node| [node as f32, 2.0, 0.0]).collect();
    let split = Split { train: vec![0, 1], valid: vec![3], test: vec![4] };
    Dataset::from_arrays("triangles", graph, features, 3, labels, strings(&["a", "b"]), split).unwrap()
}

#[test]
fn a_graph_by_hand() {
    let card = DataCard::of(&triangles());
    assert_eq!((card.graphs, card.nodes, card.edges, card.isolated), (1, 7, 7, 1));
    assert_eq!((card.components, card.largest_component), (2, 6));
    assert_eq!(card.degrees, Spread { min: 0, mean: 2.0, median: 2.0, max: 3 });
    let bins: Vec<_> = card.degree_histogram.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect();
    assert_eq!(bins, [(0, 0, 1), (1, 1, 0), (2, 3, 6)]);
    assert_eq!(card.reach.diameter, 3);
    let homophily = card.homophily.unwrap();
    assert!((homophily.edge - 6.0 / 7.0).abs() < 1e-12);
    // Each class has 7 of the 14 ends, so chance gives 1/2; each class has 6/7 equal neighbours and half of the nodes.
    assert!((homophily.adjusted.unwrap() - (6.0 / 7.0 - 0.5) / 0.5).abs() < 1e-12);
    assert!((homophily.class_insensitive.unwrap() - 2.0 * (6.0 / 7.0 - 0.5)).abs() < 1e-12);
    let numbers = card.node_features.numbers.unwrap();
    assert_eq!((numbers.columns, numbers.min, numbers.max), (3, 0.0, 6.0));
    assert_eq!((numbers.constant, numbers.all_zero), (2, 1));
    assert!((numbers.zeros - 8.0 / 21.0).abs() < 1e-12, "the third column and one cell of the first");
    assert_eq!((card.unknown, card.split, card.split_of), (1, [2, 1, 1], 7));
    let counts = ["a", "b"].map(|name| ClassCount { name: name.to_string(), rows: 3 });
    assert_eq!(card.target, TargetSummary::Classes { classes: counts.to_vec() });
    let warnings = card.warnings.join("; ");
    assert!(warnings.contains("1 node has no edge"), "{warnings}");
    assert!(warnings.contains("columns of node features with one value only: 2 of 3"), "{warnings}");
    assert!(warnings.contains("classes that train does not have: \"b\""), "{warnings}");
}

#[test]
fn homophily_at_chance_is_0_whatever_the_shares() {
    // Classes are drawn without regard to edges, so equal ones meet with the sum of squared shares.
    let graph = generate::chung_lu(4_000, 60_000, 3.0, 1).unwrap();
    let mut random = Stream::new(2);
    let labels = (0..4_000).map(|_| Some([0, 0, 0, 1, 2][random.below(5) as usize])).collect();
    let split = Split { train: vec![0], valid: vec![1], test: vec![2] };
    let data = Dataset::from_arrays("random", graph, Vec::new(), 0, labels, strings(&["a", "b", "c"]), split).unwrap();
    let homophily = DataCard::of(&data).homophily.unwrap();
    assert!((homophily.edge - (0.36 + 0.04 + 0.04)).abs() < 0.03, "{homophily:?}");
    assert!(homophily.adjusted.unwrap().abs() < 0.02 && homophily.class_insensitive.unwrap() < 0.02, "{homophily:?}");
}

/// Paths of 3, 5, 5 and 2 nodes; the second and the third are the same.
fn paths(target: Target, level: Level) -> Dataset {
    let sizes = [3, 5, 5, 2];
    let parts: Vec<_> = sizes.iter().map(|&size| generate::path(size).unwrap()).collect();
    let union = farhop_graph::disjoint_union(&parts.iter().collect::<Vec<_>>()).unwrap().graph;
    let entries = union.entries();
    let dataset = Dataset {
        nodes: Columns::categories(vec![4, 2], (0..15).flat_map(|node| [(node == 0) as u16 * 2, 1]).collect()),
        edges: Columns::sparse(Csr::new("e", [entries, 2], vec![0; entries + 1], Vec::new(), Vec::new()).unwrap()),
        split: Split { train: vec![0, 1], valid: vec![2], test: vec![3] },
        metric: Metric::RocAuc,
        ids: strings(&["g1", "g2", "g3", "g1"]),
        notes: vec!["made by hand".to_string()],
        ..Dataset::new("paths", GraphSet::new(union, vec![0, 3, 8, 13, 15]).unwrap(), level, target)
    };
    dataset.check().unwrap()
}

#[test]
fn many_graphs_by_hand() {
    let nan = f32::NAN;
    let target = Target::Binary { values: vec![0.0, 1.0, 0.0, nan, 1.0, nan, 1.0, nan], names: strings(&["p", "q"]) };
    let card = DataCard::of(&paths(target, Level::Graph));
    assert_eq!(card.nodes_per_graph, Spread { min: 2, mean: 3.75, median: 4.0, max: 5 });
    assert_eq!(card.edges_per_graph, Spread { min: 1, mean: 2.75, median: 3.0, max: 4 });
    assert_eq!((card.reach.diameter, card.reach.median), (4, 3.0));
    let used: Vec<_> = card.node_features.categories.iter().map(|c| (c.size, c.used)).collect();
    assert_eq!(used, [(4, 2), (2, 1)]);
    let edges = card.edge_features.numbers.unwrap();
    assert_eq!((edges.zeros, edges.all_zero, edges.sparse), (1.0, 2, true));
    let label = |name: &str, yes, no, missing| LabelCount { name: name.to_string(), yes, no, missing };
    assert_eq!(card.target, TargetSummary::Labels { labels: vec![label("p", 2, 2, 0), label("q", 1, 0, 3)] });
    let warnings = card.warnings.join("; ");
    assert!(warnings.contains("labels of one answer only in train: \"p\", \"q\""), "{warnings}");
    assert!(warnings.contains("1 id is in two parts of the split"), "{warnings}");
    assert!(warnings.contains("1 graph equals an earlier one, with all features; 1 is in another part"), "{warnings}");
    let text = card.to_string();
    assert!(text.contains("2 yes-or-no labels for every graph, scored by roc-auc"), "{text}");
    assert!(text.contains("median 3\n") && text.contains("note        made by hand"), "{text}");
}

#[test]
fn numbers_and_pairs_by_hand() {
    let target = Target::Number { values: vec![1.0, f32::NAN, 3.0, 8.0], names: strings(&["y"]) };
    let card = DataCard::of(&paths(target, Level::Graph));
    let TargetSummary::Numbers { numbers } = &card.target else { panic!("{:?}", card.target) };
    let NumberSummary { min, max, mean, deviation, missing, .. } = numbers[0];
    assert_eq!((min, max, mean, missing, card.unknown), (1.0, 8.0, 4.0, 1, 1));
    // Differences from the mean are -3, -1 and 4.
    assert!((deviation - (26.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!(
        card.warnings.iter().any(|warning| warning == "1 row of the split without a target"),
        "{:?}",
        card.warnings
    );
    let pairs = vec![[0, 1], [3, 7], [13, 14]];
    let target = Target::Pair { pairs, together: vec![true, false, true], offsets: vec![0, 1, 2, 2, 3] };
    let card = DataCard::of(&paths(target, Level::Pair));
    assert_eq!(card.target, TargetSummary::Pairs { pairs: 3, together: 2 });
    assert!(card.to_string().contains("3 pairs, 66.7 % of them together"));
}

#[test]
fn the_text_is_aligned_narrow_and_on_one_screen() {
    let nodes = "id,label,colour,size\nA1,cat,red,1\nA2,dog,green,2\nA3,cat,red,3\nA4,dog,blue,4\nA5,cat,green,5\nA6,dog,red,6\n";
    let edges = "source,target,length\nA1,A2,1\nA2,A1,1\nA3,A4,2\nA6,A6,3\n";
    let tables = Tables::new(nodes, edges).load(&target("label")).unwrap();
    let card = tables.card();
    for (bars, ascii) in [(Bars::Unicode, false), (Bars::Ascii, true)] {
        let text = card.text(bars);
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| line.as_bytes()[11] == b' ' && line.chars().count() <= 160), "{text}");
        assert_eq!(text.contains('#') && text.is_ascii(), ascii, "{text}");
    }
    let text = card.to_string();
    for part in [
        "1 number (\"size\"), 1 category (\"colour\")",
        "edges have  1 number (\"length\")",
        "1 duplicate merged, 1 self-loop set apart",
        "(stratified, seed 0)",
        "\"label\": 2 classes: \"cat\" 50.0 %, \"dog\" 50.0 %",
        "components  4, the largest has 2 nodes (33.3 %); diameter at least 1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let bars: Vec<&str> = text.lines().filter(|line| line.contains('█') || line.contains('▏')).collect();
    assert!(bars.iter().all(|line| line.chars().count() <= 60), "{text}");
    let json = serde_json::to_string(&card).unwrap();
    assert_eq!(serde_json::from_str::<DataCard>(&json).unwrap(), card);
}

#[test]
fn hubs_share_the_last_bar_and_nothing_is_no_problem() {
    let star = generate::star(5_000).unwrap();
    let split = Split::default();
    let labels = vec![None; 5_001];
    let data = Dataset::from_arrays("star", star, Vec::new(), 0, labels, Vec::new(), split.clone()).unwrap();
    let text = DataCard::of(&data).text(Bars::Ascii);
    assert!(text.contains("512+ # 1\n") && text.contains(" 1 ######################## 5,000\n"), "{text}");
    assert!(text.contains("task        nothing to predict"), "{text}");
    let empty = build(0, &[], Direction::Directed).unwrap().graph;
    let data = Dataset::from_arrays("empty", empty, Vec::new(), 4, Vec::new(), strings(&["a"]), split).unwrap();
    let card = DataCard::of(&data);
    assert_eq!((card.nodes, card.reach.graphs, card.homophily), (0, 0, None));
    assert!(card.to_string().contains("0 nodes and 0 directed edges"), "{card}");
}

/// A folder of the real datasets, if it is there.
fn real(folder: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let places = std::env::var_os("FARHOP_DATA").map(PathBuf::from).into_iter().chain([beside]);
    let found = places.map(|place| place.join(folder)).find(|place| place.exists());
    if found.is_none() {
        println!("skipped: {folder} is not in $FARHOP_DATA");
    }
    found
}

#[test]
fn real_graphs_have_the_values_of_scripts_homophily() {
    let Some(folder) = real("heterophilous") else { return };
    // Printed by scripts/homophily.py: edges, homophily (edge, adjusted, class-insensitive), diameter, median degree, largest.
    for (name, edges, homophily, diameter, median, largest) in [
        ("chameleon_filtered", 8_854, [0.236052, 0.029531, 0.044377], 10, 9.0, 247),
        ("squirrel_filtered", 46_998, [0.207179, 0.008617, 0.039801], 9, 10.0, 693),
    ] {
        let mut npz = Npz::open(&folder.join(format!("{name}.npz"))).unwrap();
        let labels: Vec<Option<u32>> =
            npz.array("node_labels").unwrap().to_i64().unwrap().iter().map(|&label| Some(label as u32)).collect();
        let ends = npz.array("edges").unwrap().to_i64().unwrap();
        let rows: Vec<(u32, u32)> = ends.chunks_exact(2).map(|ends| (ends[0] as u32, ends[1] as u32)).collect();
        let graph = build(labels.len(), &rows, Direction::Undirected).unwrap().graph;
        let classes = (0..5).map(|class| class.to_string()).collect();
        let data = Dataset::from_arrays(name, graph, Vec::new(), 0, labels, classes, Split::default()).unwrap();
        let card = DataCard::of(&data);
        let found = card.homophily.unwrap();
        let found = [found.edge, found.adjusted.unwrap(), found.class_insensitive.unwrap()];
        assert!(found.iter().zip(homophily).all(|(found, wanted)| (found - wanted).abs() < 1e-6), "{name}: {found:?}");
        assert_eq!((card.edges, card.isolated, card.components), (edges, 0, 1), "{name}");
        assert_eq!((card.degrees.median, card.degrees.max), (median, largest), "{name}");
        assert!(card.reach.diameter <= diameter && card.reach.diameter + 2 >= diameter, "{name}: {:?}", card.reach);
    }
}
