//! Broken files of every text format: data or a message of one line, never a panic.

use std::path::Path;

use farhop_data::edge_list::{EdgeList, EdgeListOptions, IdKind};
use farhop_data::import::{GraphFormat, ImportOptions, detect, import, import_graphs_bytes, import_tables};
use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::ogb::{self, OgbOptions};
use farhop_data::tu::{self, TuOptions};
use farhop_data::wikics::WikiCs;
use farhop_data::{DataError, Dataset, NodeTableOptions, Split, SplitChoice};
use farhop_graph::random::Stream;

use crate::mutations::{mutated, one_line};

/// Breaks one of the files at a time and reads the folder.
fn break_one<T>(seed: u64, rounds: u64, files: &[(&str, &str)], read: impl Fn(&Path, u64) -> Result<T, DataError>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    files.iter().for_each(|(name, text)| write(name, text.as_bytes()));
    one_line(read(folder.path(), 0), &mut [0, 0]);
    let mut random = Stream::new(seed);
    let mut seen = [0, 0];
    for round in 0..rounds {
        let (name, text) = files[round as usize % files.len()];
        write(name, &mutated(text.as_bytes(), 2, &mut random));
        one_line(read(folder.path(), round), &mut seen);
        write(name, text.as_bytes());
    }
    assert!(seen.iter().all(|&count| count > 20), "both outcomes occur: {seen:?}");
}

fn given() -> SplitChoice {
    SplitChoice::Given(Split { train: vec![0], valid: vec![1], test: vec![] })
}

#[test]
fn collections() {
    let files = [
        ("X_A.txt", "1, 2\n2, 1\n4, 3\n3, 4\n4, 5\n5, 4\n"),
        ("X_graph_indicator.txt", "1\n1\n2\n2\n2\n"),
        ("X_graph_labels.txt", "1\n-1\n"),
        ("X_node_labels.txt", "5\n7\n5\n5\n9\n"),
        ("X_node_attributes.txt", "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5\n"),
        ("X_edge_labels.txt", "0\n0\n3\n3\n1\n2\n"),
    ];
    break_one(31, 1_200, &files, |folder, round| {
        let options = TuOptions { regression: round % 3 == 0, one_hot: round % 2 == 0, split: given() };
        tu::read(folder, "X", &options)
    });
}

#[test]
fn ogb_folders() {
    let files = [
        ("raw/num-node-list.csv", "2\n3\n1\n"),
        ("raw/num-edge-list.csv", "1\n2\n0\n"),
        ("raw/edge.csv", "0,1\n0,1\n1,2\n"),
        ("raw/node-feat.csv", "5,0\n0,1\n1,1\n2,0\n3,1\n4,0\n"),
        ("raw/edge-feat.csv", "0\n1\n2\n"),
        ("raw/graph-label.csv", "0,1\n,0\n1,\"\"\n"),
        ("split/s/train.csv", "0\n"),
        ("split/s/valid.csv", "1\n"),
        ("split/s/test.csv", "2\n"),
        ("mapping/labelidx2x.csv", "idx,name\n0,a\n1,b\n"),
    ];
    break_one(32, 1_200, &files, |folder, round| {
        let node_sizes = (round % 2 == 0).then(|| vec![6, 2]);
        ogb::read(folder, &OgbOptions { node_sizes, directed: round % 3 == 0, ..OgbOptions::default() })
    });
}

#[test]
fn molecules() {
    let text =
        "id,smiles,y,l,split\na,CCO,0.5,\"[0, 1]\",train\nb,c1ccccc1,1.5,\"[1, 1]\",valid\nc,C[C@H](N)C(=O)O,2,,test\n";
    break_one(33, 2_000, &[("m.csv", text)], |folder, round| {
        let targets = vec![["y", "l"][round as usize % 2].to_string()];
        let options = MoleculeOptions { targets, skip_bad: round % 3 == 0, ..MoleculeOptions::default() };
        MoleculeTable::load(&folder.join("m.csv"), &options)
    });
    break_one(34, 500, &[("m.smi", "CCO a\nc1ccccc1 b\n[Na+].[Cl-] c d\n")], |folder, round| {
        let options = MoleculeOptions { skip_bad: round % 2 == 0, ..MoleculeOptions::default() };
        MoleculeTable::load(&folder.join("m.smi"), &options)
    });
}

#[test]
fn tables_of_many_graphs() {
    let files = [
        ("nodes.csv", "node,graph,x\n1,B,10\n1,A,20\n2,A,30\n2,B,40\n1,C,50\n"),
        ("edges.csv", "graph,source,target,w\nA,1,2,0.5\nB,2,1,1\n"),
        ("graphs.csv", "graph,y,split\nA,0.5,train\nB,1.5,train\nC,,test\n"),
    ];
    break_one(35, 1_200, &files, |folder, _| {
        let options = ImportOptions { targets: vec!["y".to_string()], ..ImportOptions::default() };
        let path = |name: &str| folder.join(name);
        import_tables(&path("nodes.csv"), &path("edges.csv"), Some(&path("graphs.csv")), &options)
    });
}

#[test]
fn whole_texts() {
    const GRAPHML: &str = "<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n<key id=\"d0\" for=\"node\" attr.name=\"s\" attr.type=\"double\"><default>7</default></key>\n<key id=\"d1\" for=\"edge\" attr.name=\"w\" attr.type=\"string\"/>\n<graph id=\"G\" edgedefault=\"undirected\">\n<node id=\"a\"><data key=\"d0\">1</data></node><node id=\"b\"/>\n<!-- no --><edge source=\"a\" target=\"b\"><data key=\"d1\">&lt;x&#65;</data></edge></graph></graphml>\n";
    const WIKICS: &str = "{\"features\": [[1, 2.5], [0, -1]], \"labels\": [0, 1], \"links\": [[1], [0]], \"train_masks\": [[true, false]], \"val_masks\": [[false, true]], \"stopping_masks\": [[false, false]], \"test_mask\": [false, false]}";
    const LIST: &str = "# comment\n0 1 0.5\n1 2 1\n3,4 2e3\n";
    const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n3 1 1\n";
    let mut random = Stream::new(36);
    let mut seen = [[0, 0]; 3];
    for round in 0..6_000usize {
        let table = NodeTableOptions { split: given(), ..NodeTableOptions::default() };
        let options = ImportOptions { table, ..ImportOptions::default() };
        let bytes = mutated(GRAPHML.as_bytes(), 3, &mut random);
        one_line(import_graphs_bytes("g.graphml", bytes, GraphFormat::GraphMl, &options), &mut seen[0]);
        let read = WikiCs::from_bytes("w.json", mutated(WIKICS.as_bytes(), 2, &mut random));
        one_line(read.and_then(|read| read.dataset(0)), &mut seen[1]);
        let ids = [IdKind::Automatic, IdKind::FromZero, IdKind::FromOne, IdKind::Names][round % 4];
        let options = EdgeListOptions { ids, weights: round % 3 == 0, directed: round % 5 == 0, nodes: None };
        let bytes = mutated([LIST, MATRIX][round % 2].as_bytes(), 2, &mut random);
        one_line(EdgeList::from_bytes("e.txt", bytes, options), &mut seen[2]);
    }
    assert!(seen.iter().flatten().all(|&count| count > 100), "both outcomes occur: {seen:?}");
}

#[test]
fn dataset_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.farhop");
    let mut random = Stream::new(37);
    let mut seen = [0, 0];
    for seed in 0..8 {
        crate::dataset_files::made(seed).save(&path).unwrap();
        let original = std::fs::read(&path).unwrap();
        for _ in 0..300 {
            one_line(Dataset::from_file_bytes("d.farhop", mutated(&original, 3, &mut random)), &mut seen);
        }
    }
    assert!(seen[1] > 1_000, "{seen:?}");
}

/// Arrays that are well-formed but do not belong together: what a checksum does not find.
#[test]
fn dataset_files_that_lie() {
    use farhop_data::npz::{Npz, write_npz};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.farhop");
    let mut random = Stream::new(38);
    let mut seen = [0, 0];
    for round in 0..400 {
        crate::dataset_files::made(round % 8).save(&path).unwrap();
        let mut npz = Npz::open(&path).unwrap();
        let names: Vec<String> = npz.names().into_iter().filter(|name| name != "metadata").collect();
        let changed = names[random.below(names.len() as u64) as usize].clone();
        let metadata: Vec<u8> =
            npz.array("metadata").unwrap().to_i64().unwrap().iter().map(|&byte| byte as u8).collect();
        let arrays: Vec<_> = names.iter().map(|name| npz.array(name).unwrap()).collect();
        write_npz(&path, |writer| {
            writer.u8("metadata", &[metadata.len()], &metadata)?;
            for (name, array) in names.iter().zip(&arrays) {
                let mut numbers = array.to_f64().unwrap();
                if *name == changed {
                    match random.below(3) {
                        0 => drop(numbers.pop()),
                        1 => numbers.push(3.0),
                        _ => numbers.iter_mut().for_each(|number| *number += random.below(3) as f64),
                    }
                }
                let shape = &[numbers.len()][..];
                match array.dtype.name().as_str() {
                    "u1" => writer.u8(name, shape, &numbers.iter().map(|&n| n as u8).collect::<Vec<_>>())?,
                    "u2" => writer.u16(name, shape, &numbers.iter().map(|&n| n as u16).collect::<Vec<_>>())?,
                    "u4" => writer.u32(name, shape, &numbers.iter().map(|&n| n as u32).collect::<Vec<_>>())?,
                    "i8" => writer.i64(name, shape, &numbers.iter().map(|&n| n as i64).collect::<Vec<_>>())?,
                    _ => writer.f32(name, shape, &numbers.iter().map(|&n| n as f32).collect::<Vec<_>>())?,
                }
            }
            Ok(())
        })
        .unwrap();
        one_line(Dataset::load(&path), &mut seen);
    }
    assert!(seen.iter().all(|&count| count > 20), "both outcomes occur: {seen:?}");
}

#[test]
fn kinds() {
    let text = "id,smiles,y\n1,CCO,0\n2,C,1\n3,CC,1\n4,CN,0\n5,CCC,1\n6,CO,0\n";
    break_one(39, 300, &[("path", text)], |folder, _| {
        detect(&folder.join("path"))?;
        import(&folder.join("path"), &ImportOptions { targets: vec!["y".to_string()], ..ImportOptions::default() })
    });
}
