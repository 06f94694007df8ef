//! The published files of real datasets; counts are those of the collection's README.

use farhop_data::npz::Npz;
use farhop_data::{Csr, pickle, torch};

use crate::real::real_data;

#[test]
fn planetoid() {
    // Nodes, features, classes, rows of x and allx, entries and self-loops of the graph.
    for (name, nodes, features, classes, x, allx, loops) in [
        ("cora", 2_708, 1_433, 7, 140, 1_708, 0),
        ("citeseer", 3_327, 3_703, 6, 120, 2_312, 248),
        ("pubmed", 19_717, 500, 3, 60, 18_717, 6),
    ] {
        let Some(folder) = real_data(&format!("planetoid-{name}")) else { return };
        let load = |part: &str| pickle::load(&folder.join(format!("ind.{name}.{part}"))).unwrap();
        for (part, rows) in [("x", x), ("allx", allx), ("tx", 1_000)] {
            let csr = load(part).csr().unwrap();
            assert_eq!((csr.rows, csr.columns), (rows, features), "{name} {part}");
        }
        for (part, rows) in [("y", x), ("ally", allx), ("ty", 1_000)] {
            let labels = load(part).array().unwrap();
            assert_eq!(labels.shape, [rows, classes]);
            assert!(labels.to_bools().unwrap().iter().filter(|&&one| one).count() <= rows);
        }
        let graph = load("graph");
        let (mut keys, mut own) = (0, 0);
        for (node, neighbours) in graph.entries().unwrap() {
            let node = node.integer().unwrap();
            keys += 1;
            own += neighbours.ids(nodes).unwrap().iter().filter(|&&id| i64::from(id) == node).count();
        }
        assert_eq!((keys, own), (nodes, loops), "{name}");
    }
}

#[test]
fn zinc() {
    let Some(folder) = real_data("zinc") else { return };
    let folder = folder.join("zinc12k_val_test_pyg");
    for (name, atoms, bonds) in [("val.pt", 23_083, 49_692), ("test.pt", 23_117, 49_720)] {
        let value = torch::load(&folder.join(name)).unwrap();
        let (data, slices) = (value.at(0).unwrap(), value.at(1).unwrap());
        let array = |field: &str| data.get(field).unwrap().array().unwrap();
        assert_eq!(array("x").shape, [atoms, 1]);
        assert!(array("x").to_ids(28).is_ok());
        assert_eq!(array("edge_index").shape, [2, bonds]);
        assert!(array("edge_attr").to_i64().unwrap().iter().all(|bond| (1..=3).contains(bond)));
        assert_eq!(array("y").shape, [1_000, 1]);
        let ends = slices.get("x").unwrap().integers().unwrap();
        assert_eq!((ends.len(), ends[0], ends[1_000]), (1_001, 0, atoms as i64));
    }
    let words = pickle::load(&folder.join("atom_dict.pickle")).unwrap().get("idx2word").unwrap();
    let words: Vec<String> = words.items().unwrap().map(|word| word.text().unwrap().to_string()).collect();
    assert_eq!((words.len(), &words[0][..], &words[4][..], &words[27][..]), (28, "C", "C H1", "P H1 +"));
}

#[test]
fn peptides_split() {
    let Some(folder) = real_data("peptides-func") else { return };
    let split = pickle::load(&folder.join("splits_random_stratified_peptide.pickle")).unwrap();
    let mut all = Vec::new();
    for (part, size) in [("train", 10_873), ("val", 2_331), ("test", 2_331)] {
        let ids = split.get(part).unwrap().array().unwrap().to_ids(15_535).unwrap();
        assert_eq!(ids.len(), size);
        all.extend(ids);
    }
    all.sort_unstable();
    assert!(all.iter().enumerate().all(|(position, &id)| position == id as usize), "every row once");
}

#[test]
fn heterophilous() {
    let Some(folder) = real_data("heterophilous") else { return };
    for (name, nodes, edges, features, sizes) in [
        ("texas", 183, 279, 1_703, [87, 59, 37]),
        ("squirrel_filtered", 2_223, 46_998, 2_089, [1_053, 718, 452]),
        ("actor", 7_600, 26_659, 932, [3_648, 2_432, 1_520]),
    ] {
        let mut npz = Npz::open(&folder.join(format!("{name}.npz"))).unwrap();
        assert_eq!(npz.array("node_features").unwrap().shape, [nodes, features]);
        assert_eq!(npz.array("edges").unwrap().shape, [edges, 2]);
        assert!(npz.array("edges").unwrap().to_ids(nodes).is_ok());
        assert!(npz.array("node_labels").unwrap().to_ids(5).is_ok());
        // Fortran order: the first split is a row of the array, not a run of bytes.
        let mut covered = vec![0; nodes];
        for (part, size) in ["train_masks", "val_masks", "test_masks"].iter().zip(sizes) {
            let masks = npz.array(part).unwrap();
            assert_eq!(masks.shape, [10, nodes]);
            let masks = masks.to_bools().unwrap();
            assert_eq!(masks[..nodes].iter().filter(|&&inside| inside).count(), size, "{name} {part}");
            masks
                .chunks_exact(nodes)
                .for_each(|row| row.iter().zip(&mut covered).for_each(|(&m, c)| *c += i32::from(m)));
        }
        assert!(covered.iter().all(|&times| times == 10), "{name}: every node is in one part of each split");
    }
}

#[test]
fn amazon_and_coauthor() {
    for (dataset, file, split, nodes, features, entries, sizes) in [
        ("amazon-photo", "amazon_photo.npz", "amazon-photo_split.npz", 7_650, 745, 143_663, [4_590, 1_530, 1_530]),
        ("amazon-computers", "amazon_cs.npz", "amazon-computer_split.npz", 13_752, 767, 287_209, [8_251, 2_750, 2_751]),
        (
            "coauthor-physics",
            "coauthor_phy.npz",
            "coauthor-physics_split.npz",
            34_493,
            8_415,
            2 * 247_962,
            [20_695, 6_898, 6_900],
        ),
    ] {
        let Some(folder) = real_data(dataset) else { return };
        let mut npz = Npz::open(&folder.join(file)).unwrap();
        let adjacency = Csr::from_npz(&mut npz, "adj").unwrap();
        assert_eq!((adjacency.rows, adjacency.columns, adjacency.indices.len()), (nodes, nodes, entries));
        let features_found = Csr::from_npz(&mut npz, "attr").unwrap();
        assert_eq!((features_found.rows, features_found.columns), (nodes, features));
        assert_eq!(npz.array("labels").unwrap().shape, [nodes]);
        // Text for Amazon, Python objects for Coauthor.
        assert_eq!(npz.array("class_names").is_ok(), dataset.starts_with("amazon"));
        let mut npz = Npz::open(&folder.join(split)).unwrap();
        for (part, size) in ["train", "valid", "test"].iter().zip(sizes) {
            assert_eq!(npz.array(part).unwrap().to_ids(nodes).unwrap().len(), size);
        }
    }
}
