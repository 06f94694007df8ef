//! A short search with every reader, and every input that ever failed, read again.
//!
//! The long search is `cargo run --release -p farhop-data --example fuzz`; what it finds comes into `tests/failures`.

#[path = "common/fuzz/mod.rs"]
mod fuzz;

use std::path::Path;
use std::sync::Mutex;

use fuzz::{Search, TARGETS, checked};

/// Memory is counted over all threads: one search at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_short_search_finds_nothing() {
    let _alone = ALONE.lock();
    for target in TARGETS {
        let mut search = Search::new(target, 1);
        for round in 0..400 {
            let input = search.next();
            if let Err(what) = search.run(&input) {
                panic!("{}, input {round}: {what}\n{:?}", target.name, String::from_utf8_lossy(&input));
            }
        }
        let [read, refused] = search.counts;
        assert!(refused > 20 && search.outcomes() > 5, "{}: {read} read, {refused} refused", target.name);
    }
}

#[test]
fn what_failed_once_is_read_or_refused() {
    let _alone = ALONE.lock();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/failures");
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let target = TARGETS.iter().find(|target| name.starts_with(&format!("{}-", target.name)));
        let target = target.unwrap_or_else(|| panic!("{name} does not begin with the name of a target"));
        if let Err(what) = checked(target, &std::fs::read(&path).unwrap()) {
            panic!("{name}: {what}");
        }
        replayed += 1;
    }
    assert!(replayed > 0);
}
