//! The long search for inputs that break a reader; see `tests/common/fuzz`.
//!
//! ```text
//! cargo run --release -p farhop-data --example fuzz -- --seconds 60 --target npz
//! cargo run --release -p farhop-data --example fuzz -- --inputs 1000000 --seed 7 --out failures
//! ```
//!
//! Without `--target`, all readers in turn, each with its share. Inputs that break one are written to the folder `--out`,
//! under a name that `tests/failures` can take.

#[path = "../tests/common/fuzz/mod.rs"]
mod fuzz;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use farhop_data::hash::sha256_hex;
use fuzz::{Search, TARGETS};

/// What is being read, for when it never ends.
static CURRENT: Mutex<(&str, Vec<u8>)> = Mutex::new(("", Vec::new()));
static INPUTS: AtomicU64 = AtomicU64::new(0);

fn main() {
    let option = |name: &str| {
        let mut rest = std::env::args().skip_while(|argument| argument != name).skip(1);
        rest.next()
    };
    let number = |name: &str| option(name).map(|text| text.parse::<u64>().unwrap_or_else(|_| panic!("{name} {text}")));
    let (seconds, inputs) = (number("--seconds"), number("--inputs"));
    let seed = number("--seed").unwrap_or(0);
    let out = PathBuf::from(option("--out").unwrap_or("failures".to_string()));
    let wanted = option("--target");
    let targets: Vec<_> =
        TARGETS.iter().filter(|target| wanted.as_deref().is_none_or(|name| name == target.name)).collect();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert!(!targets.is_empty(), "--target is one of {}", names.join(", "));
    std::panic::set_hook(Box::new(|_| {}));
    watch(out.clone());
    let share = targets.len() as u64;
    let (mut all, mut failures, start) = (0, 0, Instant::now());
    for (place, target) in targets.into_iter().enumerate() {
        let mut search = Search::new(target, seed.wrapping_mul(1_000).wrapping_add(place as u64));
        let begin = Instant::now();
        let mut count = 0;
        let more = |count: u64| match (seconds, inputs) {
            (Some(seconds), _) => begin.elapsed() < Duration::from_secs(seconds) / share as u32,
            (None, inputs) => count < inputs.unwrap_or(100_000) / share,
        };
        while more(count) {
            let input = search.next();
            if let Ok(mut current) = CURRENT.lock() {
                current.0 = target.name;
                current.1.clear();
                current.1.extend_from_slice(&input);
            }
            INPUTS.fetch_add(1, Ordering::Relaxed);
            if let Err(what) = search.run(&input) {
                failures += 1;
                println!("{}: {what}: {}", target.name, keep(&out, target.name, &input).display());
            }
            count += 1;
        }
        let [read, refused] = search.counts;
        let (outcomes, taken) = (search.outcomes(), begin.elapsed().as_secs_f64());
        println!(
            "{:<10} {count:>9} inputs, {read} read, {refused} refused, {outcomes} outcomes, {taken:.0} s",
            target.name
        );
        all += count;
    }
    println!("{all} inputs in {:.0} s, {failures} failures", start.elapsed().as_secs_f64());
}

/// Writes an input down; the path.
fn keep(folder: &Path, target: &str, input: &[u8]) -> PathBuf {
    let path = folder.join(format!("{target}-{}", &sha256_hex(input)[..12]));
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, input)).expect("a folder to write to");
    path
}

/// An input that is not done after two minutes is written down, and the search ends.
fn watch(out: PathBuf) {
    std::thread::spawn(move || {
        let mut before = u64::MAX;
        loop {
            std::thread::sleep(Duration::from_secs(120));
            let now = INPUTS.load(Ordering::Relaxed);
            if now == before
                && let Ok(current) = CURRENT.lock()
            {
                println!("{}: not done after two minutes: {}", current.0, keep(&out, current.0, &current.1).display());
                std::process::exit(1);
            }
            before = now;
        }
    });
}
