//! Puts the recipes of the repository into the library: `recipes/DATASET/MODEL.toml`, each as text under its two names; and what was measured of
//! tables, `recipes/measured/TABLE.json`, each under its name.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let recipes = root.join("../../recipes");
    println!("cargo:rerun-if-changed={}", recipes.display());
    let (mut table, mut measured) = (String::from("&[\n"), String::from("&[\n"));
    // Sources without the repository around them have no recipes.
    for folder in entries(&recipes) {
        for file in entries(&folder) {
            println!("cargo:rerun-if-changed={}", file.display());
            let (dataset, model) = (name(&folder), name(&file));
            let _ = match file.extension().and_then(|end| end.to_str()) {
                Some("toml") => writeln!(table, "    ({dataset:?}, {model:?}, include_str!({:?})),", file.display()),
                Some("json") => writeln!(measured, "    ({model:?}, include_str!({:?})),", file.display()),
                _ => Ok(()),
            };
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("recipes.rs"), table + "]")?;
    fs::write(out.join("measured.rs"), measured + "]")
}

/// What is in a folder, in order; nothing if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
