//! How much memory this process may have in all: the machine's, the container's, the shell's limit, whichever is least.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What [`set_limit`] set.
static SET: OnceLock<Limit> = OnceLock::new();

/// Sets how much memory this process may use in all, instead of what [`available`] finds. It is believed: more than the
/// machine has is possible, too. `source` says in messages who sets it. Returns whether it was the first call: later ones
/// change nothing.
pub fn set_limit(bytes: u64, source: &'static str) -> bool {
    SET.set(Limit { bytes: bytes.max(1), source }).is_ok()
}

/// The limit that was set, if one was.
pub(super) fn limit_set() -> Option<Limit> {
    SET.get().cloned()
}

/// Addresses that are used without being memory: a large page on which a mapping is aligned, in every thread, the stack of the
/// thread that makes batches, and ends of heaps.
const ONLY_ADDRESSES: u64 = 16 << 20;

/// Memory that this process may use in all, what it already uses included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// In bytes.
    pub bytes: u64,
    /// Who sets it: "the machine", "the container", "ulimit -v", or who [set](set_limit) it.
    pub source: &'static str,
}

/// The limit that was [set](set_limit), or else the least of all limits that can be found; none where the system does not
/// tell.
///
/// * the machine: `MemAvailable` of `/proc/meminfo`;
/// * the container: for the control group of this process and all above it, the limit less what is used, counting file
///   caches as free, since they give way; both versions of control groups;
/// * `ulimit -v`: address space that is left, less what takes addresses only.
///
/// Each plus what this process holds already.
pub fn available() -> Option<Limit> {
    limit_set().or_else(|| available_under(Path::new("/")))
}

/// What a reader may use: what was found or what was [set](set_limit), whichever is more. A plan for a small machine can be
/// made on a large one.
pub(super) fn for_reading() -> Option<Limit> {
    let found = available_under(Path::new("/"))?;
    Some(limit_set().filter(|set| set.bytes > found.bytes).unwrap_or(found))
}

/// Bytes that a reader may use and this process does not hold yet.
pub(super) fn left_for_reading() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let held = field_bytes(&status, "VmRSS:").unwrap_or(0);
    for_reading().map(|limit| limit.bytes.saturating_sub(held))
}

/// [`available`], with the system's files looked up below `root`. For tests and for looking into another root.
pub fn available_under(root: &Path) -> Option<Limit> {
    let status = fs::read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let held = field_bytes(&status, "VmRSS:").unwrap_or(0);
    let mut limits = Vec::new();
    if let Ok(text) = fs::read_to_string(root.join("proc/meminfo"))
        && let Some(free) = field_bytes(&text, "MemAvailable:")
    {
        limits.push((free, "the machine"));
    }
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    if let Some(free) = container(root, &groups) {
        limits.push((free, "the container"));
    }
    if let Ok(text) = fs::read_to_string(root.join("proc/self/limits"))
        && let Some(most) = address_space(&text)
    {
        let mapped = field_bytes(&status, "VmSize:").unwrap_or(0);
        limits.push((most.saturating_sub(mapped + ONLY_ADDRESSES), "ulimit -v"));
    }
    limits.into_iter().min().map(|(free, source)| Limit { bytes: free.saturating_add(held), source })
}

/// Names of the files of one version of control groups.
struct Files {
    limit: &'static str,
    used: &'static str,
    caches: [&'static str; 2],
}

const VERSION_2: Files =
    Files { limit: "memory.max", used: "memory.current", caches: ["inactive_file", "active_file"] };

const VERSION_1: Files = Files {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    caches: ["total_inactive_file", "total_active_file"],
};

/// Least free memory of any control group this process is in.
fn container(root: &Path, groups: &str) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (mounts, files): (&[&str], &Files) = if controllers.is_empty() {
            (&["sys/fs/cgroup", "sys/fs/cgroup/unified"], &VERSION_2)
        } else if controllers.split(',').any(|name| name == "memory") {
            (&["sys/fs/cgroup/memory"], &VERSION_1)
        } else {
            continue;
        };
        for mount in mounts {
            for folder in with_parents(&root.join(mount), path) {
                if let Some(free) = free_in(&folder, files) {
                    least = Some(least.map_or(free, |other: u64| other.min(free)));
                }
            }
        }
    }
    least
}

/// The group's folder and all above it up to the mount. Inside a container the path may be the host's, and only the
/// mount itself exists: folders that don't are simply without a limit.
fn with_parents(mount: &Path, path: &str) -> Vec<PathBuf> {
    let mut folder = mount.to_path_buf();
    let mut folders = vec![folder.clone()];
    for part in path.split('/') {
        if !part.is_empty() && part != ".." {
            folder.push(part);
            folders.push(folder.clone());
        }
    }
    folders
}

fn free_in(folder: &Path, files: &Files) -> Option<u64> {
    // "max" of version 2 does not parse: no limit. Version 1 writes a number near 2⁶³ instead, which loses every minimum.
    let limit: u64 = number_in(&folder.join(files.limit))?;
    let used = number_in(&folder.join(files.used)).unwrap_or(0);
    let counters = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let caches: u64 = counters
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| files.caches.contains(name))
        .filter_map(|(_, value)| value.trim().parse::<u64>().ok())
        .sum();
    Some(limit.saturating_sub(used.saturating_sub(caches)))
}

fn number_in(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Soft limit of the line `Max address space   unlimited   unlimited   bytes`.
fn address_space(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Value of a line such as `VmHWM:   1234 kB` of a file that the system keeps.
pub fn field_bytes(text: &str, field: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}
