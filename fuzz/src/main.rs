//! The readers under libFuzzer: the targets of `farhop-data/tests/common/fuzz`, with coverage to guide the search.
//!
//! ```text
//! FUZZ_TARGET=npz cargo run --release -- corpus/npz -max_total_time=60
//! python3 run.py --seconds 60
//! ```
//!
//! Half of the inputs are made by libFuzzer, half by the mutators that know the formats.

#![no_main]

#[allow(dead_code)]
#[path = "../../crates/farhop-data/tests/common/fuzz/mod.rs"]
mod fuzz;

use std::path::PathBuf;
use std::sync::OnceLock;

use farhop_graph::random::Stream;
use fuzz::mutate::mutated;
use fuzz::{LARGEST_INPUT, TARGETS, Target, checked};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

/// The target that the environment names, with its seeds.
fn chosen() -> &'static (&'static Target, Vec<Vec<u8>>) {
    static CHOSEN: OnceLock<(&'static Target, Vec<Vec<u8>>)> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let target = TARGETS.iter().find(|target| target.name == name);
        let target = target.unwrap_or_else(|| panic!("FUZZ_TARGET is one of {}", names.join(", ")));
        (target, (target.seeds)())
    })
}

/// Before the corpus is read: the seeds go into the folder that the environment names.
fn write_seeds() {
    let Some(folder) = std::env::var_os("FUZZ_SEEDS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).expect("a folder for the seeds");
    for (place, seed) in chosen().1.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{place}")), seed).expect("a seed");
    }
}

fuzz_target!(init: write_seeds(), |input: &[u8]| {
    if let Err(what) = checked(chosen().0, input) {
        panic!("{what}");
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Stream::new(u64::from(seed));
    if random.below(2) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let (target, seeds) = chosen();
    let second = &seeds[random.below(seeds.len() as u64) as usize];
    let made = mutated(&data[..size], second, target, &mut random);
    let length = made.len().min(max_size).min(LARGEST_INPUT);
    data[..length].copy_from_slice(&made[..length]);
    length
});
