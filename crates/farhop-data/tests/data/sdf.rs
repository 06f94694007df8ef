//! Molecules in SDF files; `scripts/sdf_fixtures.py` wrote them with RDKit and says what OGB makes of each.

use std::path::{Path, PathBuf};

use farhop_data::import::{ImportOptions, Kind, detect, import};
use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::smiles::parse_molfile;
use farhop_data::{DataError, Target};
use farhop_graph::random::Stream;
use serde::Deserialize;

use crate::mutations::{mutated, one_line};

#[derive(Deserialize)]
struct Expected {
    smiles: String,
    graph: Graph,
}

#[derive(Deserialize)]
struct Graph {
    atoms: Vec<[u8; 9]>,
    ends: Vec<[u32; 2]>,
    bonds: Vec<[u8; 3]>,
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/molecules").join(name)
}

#[test]
fn features_are_those_that_rdkit_and_ogb_give() {
    let mut wrong = Vec::new();
    for name in ["plane_2000", "plane_3000", "space_2000"] {
        let text = std::fs::read_to_string(file(&format!("{name}.sdf"))).unwrap();
        let expected = std::fs::read_to_string(file(&format!("{name}.json"))).unwrap();
        let expected: Vec<Expected> = serde_json::from_str(&expected).unwrap();
        let records: Vec<&str> = text.split("$$$$\n").filter(|record| !record.trim().is_empty()).collect();
        assert_eq!(records.len(), expected.len());
        for (record, Expected { smiles, graph }) in records.iter().zip(&expected) {
            match parse_molfile(record) {
                Err(error) => wrong.push(format!("{name} {smiles}: {error}")),
                Ok(molecule) => {
                    let bonds: Vec<([u32; 2], [u8; 3])> =
                        graph.ends.iter().copied().zip(graph.bonds.iter().copied()).collect();
                    if molecule.atoms != graph.atoms || molecule.bonds != bonds {
                        let differ = |(a, b): (&[u8; 9], &[u8; 9])| (a != b).then(|| format!("{a:?} for {b:?}"));
                        let atoms: Vec<String> = molecule.atoms.iter().zip(&graph.atoms).filter_map(differ).collect();
                        let other = molecule.bonds.iter().zip(&bonds).filter(|(a, b)| a != b).collect::<Vec<_>>();
                        wrong.push(format!("{name} {smiles}: {atoms:?} {other:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn data_items_are_columns() {
    let path = file("plane_2000.sdf");
    assert_eq!(detect(&path).unwrap(), Kind::Sdf);
    let options = ImportOptions { targets: vec!["y".to_string()], ..ImportOptions::default() };
    let dataset = import(&path, &options).unwrap();
    let Target::Number { values, .. } = &dataset.target else { panic!("{:?}", dataset.target) };
    assert!(values.iter().enumerate().all(|(number, value)| *value == number as f32 / 4.0));
    assert_eq!((dataset.id(0).as_ref(), dataset.id(7).as_ref()), ("m0", "m7"));
    let options = MoleculeOptions { targets: vec!["z".to_string()], ..MoleculeOptions::default() };
    let error = MoleculeTable::load(&path, &options).unwrap_err().to_string();
    assert!(error.ends_with("has no column \"z\" (a target). Its columns are \"smiles\", \"y\"."), "{error}");
}

#[test]
fn broken_molecules_are_named_by_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sdf");
    let text = std::fs::read_to_string(file("plane_2000.sdf")).unwrap();
    let read = |text: &str, skip_bad: bool| -> Result<MoleculeTable, DataError> {
        std::fs::write(&path, text).unwrap();
        MoleculeTable::load(&path, &MoleculeOptions { skip_bad, ..MoleculeOptions::default() })
    };
    // The first molecule is methane: three lines, the counts, its atom on line 5.
    let wrong = text.replacen(" C  ", " Qq ", 1);
    let error = read(&wrong, false).unwrap_err().to_string();
    assert!(error.contains("m.sdf, line 5: Qq is no element."), "{error}");
    let left = read(&wrong, true).unwrap();
    assert_eq!(left.rows[0], 1);
    let mut random = Stream::new(51);
    let mut seen = [0, 0];
    let small: String = text.split_inclusive("$$$$\n").take(6).collect();
    for round in 0..1_500u64 {
        let bytes = mutated(small.as_bytes(), 1 + round % 3, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        let options = MoleculeOptions { skip_bad: round % 2 == 0, ..MoleculeOptions::default() };
        one_line(MoleculeTable::load(&path, &options), &mut seen);
    }
    assert!(seen.iter().all(|&count| count > 100), "both outcomes occur: {seen:?}");
}
