//! Limits from the system's files, the plan, and the measured peak.

use std::fs;
use std::path::Path;

use farhop_nn::{ModelConfig, Shape};
use farhop_train::memory::{
    Advice, DataBytes, Limit, Plan, available, available_under, bytes_text, peak_rss_bytes, plan, reset_peak_rss,
    rss_bytes,
};

const MIB: u64 = 1 << 20;

/// A root with the given files.
fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn limit(files: &[(&str, &str)]) -> Option<(u64, &'static str)> {
    available_under(root(files).path()).map(|limit| (limit.bytes / MIB, limit.source))
}

const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n");
const PROCESS: (&str, &str) = ("proc/self/status", "VmSize:\t 1048576 kB\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n");

#[test]
fn the_machine_alone() {
    assert_eq!(limit(&[]), None);
    assert_eq!(limit(&[MACHINE]), Some((8192, "the machine")));
    assert_eq!(limit(&[MACHINE, PROCESS]), Some((8192 + 100, "the machine")));
}

#[test]
fn containers_of_version_2() {
    let files = [
        MACHINE,
        PROCESS,
        ("proc/self/cgroup", "0::/user/job\n"),
        ("sys/fs/cgroup/user/memory.max", "1073741824\n"),
        ("sys/fs/cgroup/user/memory.current", "536870912\n"),
        ("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 104857600\nactive_file 104857600\n"),
        ("sys/fs/cgroup/user/job/memory.max", "max\n"),
        ("sys/fs/cgroup/user/job/memory.current", "1\n"),
    ];
    // 1024 of the group above, less 512 used, of which 200 are caches; plus 100 of our own.
    assert_eq!(limit(&files), Some((1024 - 512 + 200 + 100, "the container")));
}

#[test]
fn containers_of_version_1_seen_from_inside() {
    // The path is the host's and does not exist here; the mount is the container's own group.
    let files = [
        MACHINE,
        ("proc/self/cgroup", "5:cpu:/docker/x\n4:memory:/docker/x\n0::/\n"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "67108864\n"),
    ];
    assert_eq!(limit(&files), Some((192, "the container")));
    let unlimited = [
        MACHINE,
        ("proc/self/cgroup", "4:memory:/\n"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ("sys/fs/cgroup/memory/memory.usage_in_bytes", "67108864\n"),
    ];
    assert_eq!(limit(&unlimited), Some((8192, "the machine")));
}

#[test]
fn the_shells_limit() {
    let files = [
        MACHINE,
        PROCESS,
        (
            "proc/self/limits",
            "Limit   Soft Limit   Hard Limit   Units\nMax address space         2147483648           unlimited            bytes\n",
        ),
    ];
    // Less 1024 that are mapped and 16 that addresses take beside memory; plus 100 of our own.
    assert_eq!(limit(&files), Some((2048 - 1024 - 16 + 100, "ulimit -v")));
}

#[test]
fn nonsense_in_the_files_is_no_limit() {
    let files = [
        ("proc/meminfo", "MemAvailable: many kB\n"),
        ("proc/self/cgroup", "no colons\n1:\n:::\n0::/../../etc\n"),
        ("proc/self/limits", "Max address space unlimited unlimited bytes\n"),
    ];
    assert_eq!(limit(&files), None);
}

fn mlp(width: usize) -> ModelConfig {
    ModelConfig::from_name("mlp").unwrap().with("width", width).unwrap()
}

/// The settings of an advice, as a recipe has them.
fn told(advice: &Advice) -> String {
    advice.settings.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shape() -> Shape {
    Shape::nodes(200_000, 2_000_000, 100, 10)
}

fn held(directed: bool) -> DataBytes {
    DataBytes::one_graph(200_000, 2_000_000, directed)
}

fn planned(config: &ModelConfig, training: bool, limit: Option<u64>) -> Plan {
    let limit = limit.map(|bytes| Limit { bytes, source: "the machine" });
    plan(config, &shape(), held(false), training, limit.as_ref())
}

#[test]
fn the_parts_add_up_and_grow_with_the_work() {
    let free = planned(&mlp(128), true, None);
    assert_eq!(free.total, free.parts.iter().map(|part| part.bytes).sum::<u64>());
    assert!(free.fits && free.advice.is_none());
    assert!(free.check().is_ok());
    assert!(planned(&mlp(256), true, None).total > free.total);
    assert!(planned(&mlp(128), false, None).total < free.total);
    let directed = plan(&mlp(128), &shape(), held(true), true, None);
    assert!(directed.total > free.total);
    let kept = free.parts.iter().find(|part| part.name == "kept for the backward pass").unwrap();
    assert!(kept.bytes >= 200_000 * 100 * 4);
    let many = DataBytes { features: 1 << 30, waiting: 1 << 20, ..held(false) };
    assert_eq!(plan(&mlp(128), &shape(), many, true, None).total, free.total + (1 << 30) + (1 << 20));
}

#[test]
fn exactly_enough_fits_and_one_byte_less_does_not() {
    let total = planned(&mlp(128), true, None).total;
    assert!(planned(&mlp(128), true, Some(total)).fits);
    assert!(!planned(&mlp(128), true, Some(total - 1)).fits);
}

#[test]
fn the_advice_is_the_least_change_that_fits() {
    let total = |hidden| planned(&mlp(hidden), true, None).total;
    let limit = total(32);
    let refused = planned(&mlp(128), true, Some(limit));
    let advice = refused.advice.as_ref().unwrap();
    assert_eq!(told(advice), "model.width = 32");
    assert_eq!(advice.total, limit);
    assert_eq!(
        refused.check().unwrap_err().to_string(),
        format!(
            "this run needs {} and {} are available. Set model.width = 32 (needs {}).",
            bytes_text(total(128)),
            bytes_text(limit),
            bytes_text(limit)
        )
    );
    let hopeless = planned(&mlp(128), true, Some(10 * MIB));
    assert!(hopeless.advice.is_none());
    let message = hopeless.check().unwrap_err().to_string();
    assert!(message.contains("No smaller setting"), "{message}");
}

#[test]
fn a_gen_is_advised_to_recompute_first() {
    let config = ModelConfig::from_name("gen").unwrap();
    let whole = planned(&config, true, None).total;
    let recomputed = planned(&config.with("recompute", true).unwrap(), true, None).total;
    assert!(recomputed < whole);
    let advice = |limit| planned(&config, true, Some(limit)).advice.unwrap();
    assert_eq!(told(&advice(whole - 1)), "model.recompute = true");
    assert_eq!(advice(recomputed).total, recomputed);
    let further = told(&advice(recomputed - 1));
    assert!(further.starts_with("model.recompute = true, model."), "{further}");
    let infer = planned(&config, false, None).total;
    let advice = planned(&config, false, Some(infer - 1)).advice.unwrap();
    assert!(!told(&advice).contains("recompute"), "{advice:?}");
}

#[test]
fn bytes_are_written_for_people() {
    assert_eq!(bytes_text(22_978_086_502), "21.4 GiB");
    assert_eq!(bytes_text(340 * MIB), "340 MiB");
    assert_eq!(bytes_text(12 * 1024), "12 KiB");
    assert_eq!(bytes_text(1), "1 KiB");
}

#[test]
fn the_peak_follows_an_allocation() {
    if !Path::new("/proc/self/status").exists() {
        assert_eq!(peak_rss_bytes(), None);
        return;
    }
    assert!(available().unwrap().bytes > rss_bytes().unwrap());
    let before = peak_rss_bytes().unwrap();
    let block = vec![1u8; 200 << 20];
    let during = peak_rss_bytes().unwrap();
    assert!(during >= before.max(200 << 20), "{before} {during}");
    assert_eq!(block.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 200 << 20);
    drop(block);
    if reset_peak_rss() {
        assert!(peak_rss_bytes().unwrap() < during);
    }
}
