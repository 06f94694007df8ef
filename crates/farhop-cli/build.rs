//! Tells the command which commit it was built from, where that is known.
//!
//! Only of optimised builds: others would be built again after every commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if release { packaged().or_else(from_git) } else { None };
    println!("cargo:rustc-env=FARHOP_COMMIT={}", commit.unwrap_or_default());
}

/// The commit that a published package says it was made of.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    commit.chars().all(|letter| letter.is_ascii_hexdigit()).then(|| commit.chars().take(9).collect())
}

/// The commit of the checkout that these sources belong to.
fn from_git() -> Option<String> {
    // Sources that were unpacked inside of another repository do not belong to it.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let head = git(&["rev-parse", "--git-path", "HEAD"])?;
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for file in [head, log].iter().filter(|file| Path::new(file).exists()) {
        println!("cargo:rerun-if-changed={file}");
    }
    git(&["rev-parse", "--short=9", "HEAD"])
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
