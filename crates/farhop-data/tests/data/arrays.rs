//! Arrays come back as they were written, whatever their type, order and packing.

use std::io::{Cursor, Write};
use std::path::Path;

use farhop_data::bench_graph::{BenchGraph, BenchTargets};
use farhop_data::npy::{self, Array};
use farhop_data::npz::{Npz, NpzWriter, write_npz};
use farhop_graph::random::Stream;

/// An `npy` file written by hand, as the format describes it.
fn by_hand(version: u8, descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn parse(bytes: &[u8]) -> Array {
    npy::parse("test", &mut &bytes[..], bytes.len() as u64).unwrap()
}

#[test]
fn every_plain_type_in_both_byte_orders() {
    // The values survive every type, signed ones where there is a sign.
    macro_rules! check {
        ($type:ty, $name:literal, $values:expr) => {
            let values: Vec<$type> = $values;
            let wanted: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
            let shape = format!("({},)", values.len());
            for (order, bytes) in [("<", &little), (">", &big)] {
                for version in [1, 2, 3] {
                    let descr = format!("{order}{}", $name);
                    let array = parse(&by_hand(version, &descr, "False", &shape, bytes));
                    assert_eq!(array.to_f64().unwrap(), wanted, "{descr}");
                    let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                    assert_eq!(array.to_f32().unwrap(), narrow, "{descr}");
                }
            }
        };
    }
    check!(i8, "i1", vec![-128, 0, 127]);
    check!(i16, "i2", vec![-32768, 2, 258]);
    check!(i32, "i4", vec![i32::MIN, 2, 66051]);
    check!(i64, "i8", vec![-(1 << 53), 2, 1 << 40]);
    check!(u8, "u1", vec![0, 7, 255]);
    check!(u16, "u2", vec![0, 258, 65535]);
    check!(u32, "u4", vec![0, 66051, u32::MAX]);
    check!(u64, "u8", vec![0, 1 << 50, 3]);
    check!(f32, "f4", vec![-1.5, 0.1, 3e38]);
    check!(f64, "f8", vec![-1.5, 0.25, 3e38]);
    let truth = parse(&by_hand(1, "|b1", "False", "(3,)", &[0, 1, 2]));
    assert_eq!(truth.to_i64().unwrap(), [0, 1, 1]);
    let halves = parse(&by_hand(1, ">f2", "False", "(2,)", &[0x3c, 0x00, 0xc0, 0x00]));
    assert_eq!(halves.to_f32().unwrap(), [1.0, -2.0]);
}

#[test]
fn whole_numbers_are_exact_and_floats_are_refused() {
    let values = [i64::MIN, -1, i64::MAX];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(parse(&by_hand(1, "<i8", "False", "(3,)", &bytes)).to_i64().unwrap(), values);
    let large = parse(&by_hand(1, "<u8", "False", "(1,)", &[255; 8]));
    assert!(large.to_i64().is_err());
    assert!(parse(&by_hand(1, "<f4", "False", "(1,)", &[0; 4])).to_i64().is_err());
    assert!(parse(&by_hand(1, "<f4", "False", "(1,)", &[0; 4])).to_text().is_err());
}

#[test]
fn fortran_order_is_turned() {
    // Element (i, j, k) is 100 i + 10 j + k; the first index runs fastest in the file.
    let mut bytes = Vec::new();
    for k in 0..4u8 {
        for j in 0..3u8 {
            for i in 0..2u8 {
                bytes.push(100 * i + 10 * j + k);
            }
        }
    }
    let array = parse(&by_hand(1, "|u1", "True", "(2, 3, 4)", &bytes));
    let elements = array.to_i64().unwrap();
    for i in 0..2 {
        for j in 0..3 {
            for k in 0..4 {
                assert_eq!(elements[(i * 3 + j) * 4 + k], (100 * i + 10 * j + k) as i64);
            }
        }
    }
}

fn written(fill: impl FnOnce(&mut NpzWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut writer = NpzWriter::new(Cursor::new(Vec::new()));
    fill(&mut writer);
    writer.finish().unwrap().into_inner()
}

#[test]
fn archives_come_back_as_they_were_written() {
    let mut random = Stream::new(2);
    let floats: Vec<f32> = (0..60_000).map(|_| random.normal() as f32).collect();
    let wide: Vec<i64> = (0..100).map(|_| random.next_u64() as i64).collect();
    let small: Vec<u32> = (0..7).map(|_| random.next_u64() as u32).collect();
    let ids: Vec<String> = ["A17", "", "Δ-node", "𝄞", "a b,c"].map(String::from).to_vec();
    let make = || {
        written(|writer| {
            writer.f32("increments", &[3, 100, 200], &floats).unwrap();
            writer.i64("wide", &[100], &wide).unwrap();
            writer.u32("small", &[7, 1], &small).unwrap();
            writer.text("ids", &ids).unwrap();
            writer.text("nothing", &[]).unwrap();
            writer.f32("one", &[], &[1.5]).unwrap();
        })
    };
    let bytes = make();
    assert_eq!(bytes, make(), "the same arrays give the same bytes");
    let mut npz = Npz::from_bytes("test.npz", bytes).unwrap();
    assert_eq!(npz.names(), ["increments", "wide", "small", "ids", "nothing", "one"]);
    let array = npz.array("increments").unwrap();
    assert_eq!(array.shape, [3, 100, 200]);
    assert_eq!(array.to_f32().unwrap(), floats);
    assert_eq!(npz.array("wide").unwrap().to_i64().unwrap(), wide);
    let array = npz.array("small").unwrap();
    assert_eq!(array.shape, [7, 1]);
    let back: Vec<u32> = array.to_i64().unwrap().iter().map(|&v| v as u32).collect();
    assert_eq!(back, small);
    assert_eq!(npz.array("ids").unwrap().to_text().unwrap(), ids);
    assert!(npz.array("nothing").unwrap().is_empty());
    assert_eq!(npz.array("one").unwrap().shape, [0usize; 0]);
    assert!(npz.contains("one") && !npz.contains("two"));
}

#[test]
fn a_shape_that_does_not_fit_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.npz");
    let result = write_npz(&path, |writer| writer.f32("x", &[2, 2], &[0.0; 3]));
    assert!(result.unwrap_err().to_string().contains("3 elements do not have shape [2, 2]"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    write_npz(&path, |writer| writer.f32("x", &[2, 2], &[1.0; 4])).unwrap();
    assert_eq!(Npz::open(&path).unwrap().array("x").unwrap().to_f32().unwrap(), [1.0; 4]);
}

#[test]
fn deflated_archives_are_read() {
    let zeros = by_hand(1, "<f4", "False", "(100, 100)", &[0; 40_000]);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("x.npy", options).unwrap();
    zip.write_all(&zeros).unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 2_000);
    let mut npz = Npz::from_bytes("test.npz", bytes).unwrap();
    assert_eq!(npz.array("x").unwrap().to_f32().unwrap(), [0.0; 10_000]);
}

#[test]
fn benchmark_graphs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graph.npz");
    let bench = BenchGraph::open(&path).unwrap();
    assert_eq!((bench.graph.nodes(), bench.graph.edges(), bench.width), (3, 2, 2));
    assert_eq!(bench.graph.neighbours(1), [0, 2]);
    assert_eq!(bench.report.duplicates, 2, "both directions are in the file");
    let of_node = vec![0, 1, 1];
    assert_eq!(bench.targets, BenchTargets::Classes { of_node, count: 2 });
    assert_eq!(bench.features, [1.0; 6]);
    let many = written(|writer| {
        writer.u32("edge_index", &[2, 2], &[0, 1, 1, 0]).unwrap();
        writer.f32("x", &[3, 1], &[1.0, 2.0, 3.0]).unwrap();
        writer.f32("y", &[2, 2], &[0.0, 1.0, 1.0, 0.5]).unwrap();
        writer.i64("batch", &[3], &[0, 0, 1]).unwrap();
    });
    let bench = BenchGraph::read(&mut Npz::from_bytes("many.npz", many).unwrap()).unwrap();
    assert_eq!(bench.batch, Some(vec![0, 0, 1]));
    assert!(matches!(bench.targets, BenchTargets::Numbers { columns: 2, .. }));
}
