//! `farhop doctor`: what was detected on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_kernels::simd::Isa;
use farhop_train::memory::{self, bytes_text};
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::version;

/// Runs the command.
pub fn run(threads: usize, console: &Console) -> Result<ExitCode, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let detected: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
    let active = Isa::active().name();
    let total = total_memory();
    let limit = memory::available();
    let runs = runs_folder();
    let version = env!("CARGO_PKG_VERSION");
    let built = version::LONG.as_str();
    let system = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let object = json!({
        "version": version,
        "built": built,
        "features": version::features(),
        "system": system,
        "cores": cores,
        "threads": threads,
        "instruction_sets": detected,
        "instruction_set": active,
        "memory_total_bytes": total,
        "memory_available_bytes": limit.as_ref().map(|limit| limit.bytes),
        "memory_limit_source": limit.as_ref().map(|limit| limit.source),
        "device": "cpu",
        "runs_writable": runs.is_ok(),
    });
    console.result(&object, || {
        let mut lines = Vec::new();
        let mut line = |name: &str, text: String| lines.push(format!("{name:<16} {text}"));
        line("farhop", format!("{built} on {system}"));
        line("cores", format!("{cores}, using {threads} {}", if threads == 1 { "thread" } else { "threads" }));
        line("instruction sets", format!("{}, using {active}", detected.join(", ")));
        let text = |bytes: Option<u64>| bytes.map_or("unknown".to_string(), bytes_text);
        let available = match &limit {
            Some(limit) => format!("{} available ({})", bytes_text(limit.bytes), limit.source),
            None => "available: unknown".to_string(),
        };
        line("memory", format!("{} in the machine, {available}", text(total)));
        line("device", "cpu".to_string());
        line(
            "runs folder",
            match &runs {
                Ok(path) => format!("{} can be written", path.display()),
                Err(problem) => format!("{problem}; pass --out to farhop train"),
            },
        );
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn total_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// The folder that runs go to, or would be made in; an error when nothing can be written there. Leaves nothing behind.
fn runs_folder() -> Result<PathBuf, String> {
    let runs = Path::new("runs");
    let place = if runs.is_dir() { runs } else { Path::new(".") };
    let probe = place.join(format!(".farhop-doctor-{}", std::process::id()));
    let written = fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => Ok(runs.to_path_buf()),
        Err(error) => Err(format!("{} can't be written: {error}", place.display())),
    }
}
