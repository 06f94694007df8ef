//! Graphs with outside numbers, from `scripts/encoding_fixtures.py`.

use farhop_graph::{Direction, Graph, GraphSet, build, disjoint_union};

pub struct Fixture {
    pub name: String,
    pub graph: Graph,
    pub length: usize,
    pub returns: Vec<f64>,
    pub normalised: Vec<f64>,
    pub unnormalised: Vec<f64>,
}

pub fn fixtures() -> Vec<Fixture> {
    let text = include_str!("../fixtures/encodings.json");
    let all: serde_json::Value = serde_json::from_str(text).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    all.as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let rows: Vec<(u32, u32)> = one["edges"]
                .as_array()
                .unwrap()
                .iter()
                .map(|edge| (edge[0].as_u64().unwrap() as u32, edge[1].as_u64().unwrap() as u32))
                .collect();
            let directed = one["directed"].as_bool().unwrap();
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            Fixture {
                name: one["name"].as_str().unwrap().to_string(),
                graph: build(one["nodes"].as_u64().unwrap() as usize, &rows, direction).unwrap().graph,
                length: one["length"].as_u64().unwrap() as usize,
                returns: numbers(&one["returns"]),
                normalised: numbers(&one["normalised"]),
                unnormalised: numbers(&one["unnormalised"]),
            }
        })
        .collect()
}

pub fn set_of(graphs: &[Graph]) -> GraphSet {
    let union = disjoint_union(&graphs.iter().collect::<Vec<_>>()).unwrap();
    GraphSet::new(union.graph, union.node_offsets).unwrap()
}

pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
