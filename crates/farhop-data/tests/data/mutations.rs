//! Whatever bytes are read, the answer is data or a message of one line (for each problem): never a panic, never a
//! huge allocation.

use farhop_data::bench_graph::BenchGraph;
use farhop_data::npy;
use farhop_data::npz::{Npz, NpzWriter};
use farhop_data::{DataError, EdgeOptions, EdgeTable, Fill, NodeIds, NodeTableOptions, NodeTables};
use farhop_graph::random::Stream;

/// Changes one to `most` places: bytes flipped, replaced by telling ones, removed, doubled, cut off.
pub fn mutated(original: &[u8], most: u64, random: &mut Stream) -> Vec<u8> {
    const TELLING: &[u8] = b",\"\n\r\t;0-.eN\xff\x00\xef[](){}'<>";
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(most) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = TELLING[random.below(TELLING.len() as u64) as usize],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, TELLING[random.below(TELLING.len() as u64) as usize]),
            4 => {
                let end = (at + 1 + random.below(20) as usize).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                if random.below(4) == 0 {
                    bytes.truncate(at);
                } else {
                    bytes[at] = random.next_u64() as u8;
                }
            }
        }
    }
    bytes
}

pub fn one_line<T>(result: Result<T, DataError>, seen: &mut [u64; 2]) {
    match result {
        Ok(_) => seen[0] += 1,
        Err(error) => {
            let problems = match &error {
                // A line for each.
                DataError::Several { problems, .. } => &problems[..],
                one => std::slice::from_ref(one),
            };
            assert!((1..=10).contains(&problems.len()), "{error}");
            for text in problems.iter().map(DataError::to_string) {
                assert!(!text.contains('\n') && !text.contains('\r'), "{text:?}");
                assert!(text.len() < 2_000, "{} bytes of message", text.len());
            }
            seen[1] += 1;
        }
    }
}

const NODES: &[u8] = b"id,label,colour,size,split\nA1,cat,red,1.5,train\n\"A2\",dog,\"gr,een\",2,train\nA3,cat,red,-3e-1,valid\nA4,dog,blue,4,test\nA5,,red,4,\n";
const EDGES: &[u8] = b"source,target,weight\nA1,A2,0.5\nA2,A3,1\n\"A3\",A4,1\nA4,A5,2\nA1,A1,2\n";

#[test]
fn tables() {
    let folder = tempfile::tempdir().unwrap();
    let (nodes, edges) = (folder.path().join("nodes.csv"), folder.path().join("edges.csv"));
    let mut random = Stream::new(11);
    let mut seen = [0, 0];
    for round in 0..1_000 {
        // One of the two at a time: behind a broken nodes table the edges are never read.
        let (new_nodes, new_edges) = if round % 4 < 2 {
            (mutated(NODES, 2, &mut random), EDGES.to_vec())
        } else {
            (NODES.to_vec(), mutated(EDGES, 2, &mut random))
        };
        std::fs::write(&nodes, new_nodes).unwrap();
        std::fs::write(&edges, new_edges).unwrap();
        let options = NodeTableOptions {
            targets: vec![["label", "size"][usize::from(round % 7 == 0)].to_string()],
            fill: [Fill::Error, Fill::Mean][round % 2],
            add_missing_nodes: round % 3 == 0,
            directed: round % 5 == 0,
            ..NodeTableOptions::default()
        };
        if round % 2 == 0 {
            one_line(NodeTables::load_weighted(&nodes, &edges, &options), &mut seen);
        } else {
            one_line(NodeTables::load(&nodes, &edges, &options), &mut seen);
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "both outcomes occur: {seen:?}");
}

#[test]
fn compressed_tables() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(EDGES).unwrap();
    let packed = encoder.finish().unwrap();
    let ids: Vec<String> = (1..=5).map(|number| format!("A{number}")).collect();
    let mut random = Stream::new(12);
    let mut seen = [0, 0];
    for _ in 0..3_000 {
        let known = NodeIds::Table { ids: &ids, file: "nodes.csv", add_missing: false };
        let bytes = mutated(&packed, 4, &mut random);
        let options = EdgeOptions::default();
        one_line(EdgeTable::from_bytes("edges.csv.gz", bytes, known, options), &mut seen);
    }
    assert!(seen[1] > 100);
}

#[test]
fn archives() {
    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    writer.u32("edge_index", &[2, 4], &[0, 1, 1, 2, 1, 0, 2, 1]).unwrap();
    writer.f32("x", &[3, 2], &[0.5; 6]).unwrap();
    writer.i64("y", &[3], &[0, 1, 1]).unwrap();
    let original = writer.finish().unwrap().into_inner();
    let mut random = Stream::new(13);
    let mut seen = [0, 0];
    for _ in 0..20_000 {
        let bytes = mutated(&original, 4, &mut random);
        let read = Npz::from_bytes("g.npz", bytes).and_then(|mut npz| BenchGraph::read(&mut npz));
        one_line(read, &mut seen);
    }
    assert!(seen.iter().all(|&count| count > 100), "both outcomes occur: {seen:?}");
}

#[test]
fn array_headers() {
    let mut original = b"\x93NUMPY\x01\x00\x36\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}".to_vec();
    original[8] = (original.len() - 10) as u8;
    original.extend([0; 24]);
    let mut random = Stream::new(14);
    let mut seen = [0, 0];
    for _ in 0..50_000 {
        let bytes = mutated(&original, 4, &mut random);
        let length = bytes.len() as u64;
        let array = npy::parse("x.npy", &mut bytes.as_slice(), length);
        if let Ok(array) = &array {
            one_line(array.to_f32(), &mut seen);
            one_line(array.to_i64(), &mut seen);
            one_line(array.to_text(), &mut seen);
        }
        one_line(array, &mut seen);
    }
    assert!(seen.iter().all(|&count| count > 100), "both outcomes occur: {seen:?}");
}
