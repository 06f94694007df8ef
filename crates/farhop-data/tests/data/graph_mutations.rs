//! Broken files of graphs of every format: data or a message of one line, never a panic, never a huge allocation.

use std::path::Path;

use farhop_data::import::{ImportOptions, import};
use farhop_graph::random::Stream;

use crate::mutations::{mutated, one_line};
use crate::python_mutations::{bounded, stored_again};

/// Every file of `tests/good_data/graphs`; members of archives are changed behind the back of their checksums.
#[test]
fn files_of_graphs() {
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/graphs");
    let folder = tempfile::tempdir().unwrap();
    let mut names: Vec<String> =
        std::fs::read_dir(&good).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut random = Stream::new(41);
    bounded(|| {
        for name in names.iter().filter(|name| *name != "expected.json") {
            let (original, path) = (std::fs::read(good.join(name)).unwrap(), folder.path().join(name));
            let targets = if name.starts_with("ring") { vec!["group".to_string()] } else { Vec::new() };
            let options = ImportOptions { targets, ..ImportOptions::default() };
            let mut seen = [0, 0];
            for round in 0..120u64 {
                let changes = 1 + round % 3;
                let bytes = match original.starts_with(b"PK") {
                    true => {
                        let member = random.below(32) as usize;
                        stored_again(&original, member, |bytes| mutated(&bytes, changes, &mut random))
                    }
                    false => mutated(&original, changes, &mut random),
                };
                std::fs::write(&path, bytes).unwrap();
                one_line(import(&path, &options), &mut seen);
            }
            assert!(seen[1] > 10, "{name}: changes are noticed: {seen:?}");
        }
    });
}
