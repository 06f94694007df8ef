//! The rooms of the house may only use what is below them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which crates of the workspace each one may use, and which outside crates only it may name.
const MAY_USE: &[(&str, &[&str])] = &[
    ("farhop-graph", &[]),
    ("farhop-kernels", &["farhop-graph"]),
    ("farhop-nn", &["farhop-graph", "farhop-kernels"]),
    ("farhop-data", &["farhop-graph"]),
    ("farhop-train", &["farhop-graph", "farhop-nn", "farhop-data"]),
    ("farhop", &["farhop-graph", "farhop-kernels", "farhop-nn", "farhop-data", "farhop-train"]),
    ("farhop-cli", &["farhop-graph", "farhop-kernels", "farhop-nn", "farhop-data", "farhop-train", "farhop"]),
    // The wheel brings the command.
    ("farhop-python", &["farhop-graph", "farhop-kernels", "farhop-nn", "farhop-data", "farhop-train", "farhop-cli"]),
];

/// The tensor engine belongs to one crate, the terminal to another.
const ONLY_IN: &[(&str, &str)] = &[
    ("burn", "farhop-nn"),
    ("burn-flex", "farhop-nn"),
    ("gemm", "farhop-kernels"),
    ("clap", "farhop-cli"),
    ("indicatif", "farhop-cli"),
    ("mpi", "farhop-cli"),
    ("pyo3", "farhop-python"),
];

#[test]
fn dependencies_point_one_way() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let packages = metadata["packages"].as_array().unwrap();
    assert_eq!(packages.len(), rules.len(), "a new crate needs its line here");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let allowed = rules.get(name).unwrap_or_else(|| panic!("{name} has no rule"));
        for dependency in package["dependencies"].as_array().unwrap() {
            if !dependency["kind"].is_null() {
                continue; // tests may look anywhere
            }
            let used = dependency["name"].as_str().unwrap();
            if used.starts_with("farhop") {
                assert!(allowed.contains(&used), "{name} must not use {used}");
            }
            if let Some((_, owner)) = ONLY_IN.iter().find(|(outside, _)| *outside == used) {
                assert_eq!(name, *owner, "{used} belongs to {owner}");
            }
        }
    }
}

/// Every Rust file of the crates that `wanted` accepts, with its text; there are at least `least`.
fn sources(wanted: impl Fn(&Path) -> bool, least: usize) -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut folders) = (Vec::new(), vec![crates.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && wanted(path.strip_prefix(&crates).unwrap()) {
                found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() >= least, "only {} files were looked at", found.len());
    found
}

/// The compiler forbids it: in the workspace's lints, which every crate but two takes over. One of them, which looks into the arrays of
/// NumPy, has a single block.
#[test]
fn unsafe_code_is_in_the_kernels_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert!(manifest(&root.join("Cargo.toml")).contains("unsafe_code = \"forbid\""));
    for (name, _) in MAY_USE {
        let follows =
            manifest(&root.join("crates").join(name).join("Cargo.toml")).contains("[lints]\nworkspace = true");
        assert_eq!(follows, !["farhop-kernels", "farhop-python"].contains(name), "{name}");
    }
    let python = manifest(&root.join("crates/farhop-python/Cargo.toml"));
    assert!(python.contains("unsafe_code = \"deny\""));
    let blocks = sources(|path| path.starts_with("farhop-python/src"), 5).into_iter();
    let blocks: Vec<PathBuf> = blocks.filter(|(_, code)| code.contains("unsafe {")).map(|(path, _)| path).collect();
    assert!(matches!(&blocks[..], [only] if only.ends_with("arrays.rs")), "{blocks:?}");
}

/// How a flag is spelled is known to the command alone: messages of libraries hold a `Setting`.
#[test]
fn libraries_name_no_flags() {
    let library = |path: &Path| !path.starts_with("farhop-cli") && path.iter().nth(1).is_some_and(|part| part == "src");
    for (path, code) in sources(library, 50) {
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let flag = line.split("--").skip(1).any(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()));
            assert!(!flag, "{}:{}: a flag in a library: {line}", path.display(), number + 1);
        }
    }
}
