//! The planned peak is the measured one.

#[cfg(target_os = "linux")]
use crate::support::Place;

/// In hundredths, in either direction.
#[cfg(target_os = "linux")]
const ALLOWED: f64 = 15.0;

#[test]
#[cfg(target_os = "linux")]
fn the_plan_of_a_bench_is_what_it_takes() {
    let place = Place::new();
    let shapes = [
        "--nodes 20000 --edges 100000 --features 64 --width 64 --layers 2",
        "--nodes 20000 --edges 40000 --features 64 --width 64 --layers 2 --hops 6 --recompute",
        "--nodes 5000 --edges 200000 --features 32 --width 32 --layers 2 --heads 4",
        "--nodes 20000 --edges 100000 --features 200 --width 32 --layers 3 --raw-features",
        "--nodes 40000 --edges 100000 --features 64 --width 64 --layers 2 --mode infer",
        "--nodes 40000 --edges 200000 --features 64 --width 128 --layers 4 --model gcn",
        "--nodes 60000 --edges 100000 --features 64 --width 128 --layers 4 --model mlp",
        "--nodes 40000 --edges 200000 --features 64 --width 96 --layers 3 --model graphsage",
        "--nodes 40000 --edges 200000 --features 64 --width 96 --layers 3 --model mixhop",
        "--nodes 40000 --edges 200000 --features 64 --width 96 --layers 3 --model gat",
        "--nodes 24000 --edges 30000 --graphs 160 --classes 10 --edge-features 16 --features 64 --width 96 --model gps",
    ];
    for shape in shapes {
        let found = place.farhop(&format!("bench {shape} --epochs 1 --threads 2 --json --quiet")).object();
        let bytes = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("{shape}: no {key} in {found}"));
        let percent = 100.0 * bytes("planned_peak_bytes") / bytes("peak_rss_bytes");
        assert!((percent - 100.0).abs() <= ALLOWED, "{shape}: planned {percent:.0} % of what was measured");
    }
}
