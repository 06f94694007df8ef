//! A graph that is divided without being in memory gives the files of one that is.

use std::path::Path;

use farhop_data::metrics::Metric;
use farhop_data::parts::{PartsFolder, Pieces, stream_parts, write_parts};
use farhop_data::{Columns, Dataset, Level, Split, Target};
use farhop_graph::random::{mix, unit};
use farhop_graph::{Direction, GraphSet, build};

/// A graph with hubs, nodes alone, ids and weights.
fn dataset(nodes: usize, direction: Direction) -> Dataset {
    let pick = |seed: u64, at: usize| (unit(mix(seed, at as u64)).powi(2) * (nodes - 9) as f64) as u32;
    let edges: Vec<(u32, u32)> = (0..3 * nodes).map(|at| (pick(1, at), pick(2, at))).filter(|(a, b)| a != b).collect();
    let graph = build(nodes, &edges, direction).unwrap().graph;
    let rows: Vec<u32> = (0..nodes as u32).collect();
    let part = |from: u32| rows.iter().copied().filter(|row| row % 3 == from).collect();
    Dataset {
        name: "hubs".into(),
        graphs: GraphSet::single(graph),
        nodes: Columns::dense(3, (0..3 * nodes).map(|at| unit(mix(5, at as u64)) as f32).collect()),
        edges: Columns::none(),
        level: Level::Node,
        target: Target::Number { values: rows.iter().map(|row| *row as f32).collect(), names: vec!["x".into()] },
        metric: Metric::Mae,
        split: Split { train: part(0), valid: part(1), test: part(2) },
        ids: rows.iter().map(|row| format!("n{row}")).collect(),
        notes: Vec::new(),
        sources: Vec::new(),
        weights: rows.iter().map(|row| (row % 4) as f32).collect(),
    }
    .check()
    .unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn the_files_are_the_same_byte_by_byte() {
    for (direction, nodes) in [(Direction::Undirected, 300), (Direction::Directed, 300), (Direction::Undirected, 40)] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("whole.farhop");
        dataset(nodes, direction).save(&file).unwrap();
        // As it is read: a saved dataset knows its file.
        let whole = Dataset::load(&file).unwrap();
        for parts in [1, 2, 3, 7] {
            let (around, mut pieces) = Pieces::open(&file).unwrap().unwrap();
            let owners = pieces.stream_parts(parts).unwrap();
            assert_eq!(owners, stream_parts(whole.graphs.union(), parts).unwrap());
            let folders = ["memory", "pieces"].map(|name| place.path().join(format!("{name}-{parts}")));
            write_parts(&whole, &owners, parts as u32, "streaming", &folders[0]).unwrap();
            pieces.write_parts(&around, &owners, parts as u32, "streaming", &folders[1]).unwrap();
            let files = names(&folders[0]);
            assert_eq!(files, names(&folders[1]), "and no file of entries is left");
            assert_eq!(files.len(), parts + 1);
            for name in &files {
                let [memory, pieces] = [0, 1].map(|at| std::fs::read(folders[at].join(name)).unwrap());
                assert!(memory == pieces, "{name} of {parts} parts, {direction:?}");
            }
            assert!(PartsFolder::open(&folders[1]).unwrap().load(0).is_ok());
        }
    }
}

#[test]
fn other_data_is_for_another_way_and_a_damaged_file_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("whole.farhop");
    let mut with_edges = dataset(60, Direction::Undirected);
    let entries = with_edges.graphs.union().entries();
    with_edges.edges = Columns::categories(vec![2], vec![0; entries]);
    with_edges.save(&file).unwrap();
    assert!(Pieces::open(&file).unwrap().is_none(), "features of edges");
    dataset(60, Direction::Undirected).save(&file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let (mut refused, step) = (0, whole.len() / 300 + 1);
    for at in (0..whole.len()).step_by(step) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(&file, &bytes).unwrap();
        let read = || -> Result<bool, farhop_data::DataError> {
            let Some((around, mut pieces)) = Pieces::open(&file)? else { return Ok(false) };
            let owners = pieces.stream_parts(3)?;
            pieces.write_parts(&around, &owners, 3, "streaming", &place.path().join("out"))?;
            Ok(true)
        };
        if let Err(error) = read() {
            refused += 1;
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    assert!(refused > 150, "{refused} damaged files were refused");
}
