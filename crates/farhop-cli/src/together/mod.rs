//! One run over several processes that `mpirun` starts: who this process is among them.

#[cfg(feature = "mpi")]
mod log;
#[cfg(feature = "mpi")]
mod mpi;
pub mod told;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use farhop_data::Dataset;
use farhop_kernels::exchange::Group;
use farhop_train::Places;

use crate::failure::Failure;

/// What launchers tell the processes that they start: how many there are.
const SIZES: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FARHOP_PROCESSES"];

/// So long another process than the first waits before it tells what went wrong: what went wrong everywhere is told by the first, and the
/// launcher then ends the others.
const FIRST_SPEAKS: Duration = Duration::from_secs(2);

static GROUP: OnceLock<Arc<Group>> = OnceLock::new();

/// Joins the other processes, if a launcher started several.
pub fn connect() -> Result<(), Failure> {
    let told = SIZES.iter().find_map(|name| std::env::var(name).ok()?.trim().parse::<usize>().ok());
    match told {
        Some(processes) if processes > 1 => join(processes),
        _ => Ok(()),
    }
}

#[cfg(feature = "mpi")]
fn join(_processes: usize) -> Result<(), Failure> {
    let transport = mpi::connect().map_err(Failure::failed)?;
    let _ = GROUP.set(Group::new(transport));
    Ok(())
}

#[cfg(not(feature = "mpi"))]
fn join(processes: usize) -> Result<(), Failure> {
    Err(Failure::usage(format!(
        "started as one of {processes} processes, but this farhop was built without MPI. Build it with: cargo build --release --features mpi"
    )))
}

/// The processes of this run; none if this is the only one.
pub fn group() -> Option<&'static Arc<Group>> {
    GROUP.get()
}

/// Whether this process speaks: the only one, or the first of several.
pub fn speaks() -> bool {
    group().is_none_or(|group| group.is_first())
}

/// The usual places, read by all processes.
pub fn places(data_dir: Option<&Path>) -> Places {
    Places { group: group().cloned(), ..Places::usual(data_dir) }
}

/// Refuses one graph that every process would work on as a whole. Many graphs are shared out batch by batch.
pub fn refuse_whole(in_parts: bool, dataset: &Dataset) -> Result<(), Failure> {
    let name = &dataset.name;
    match group() {
        Some(group) if !in_parts && dataset.splits_nodes() => Err(Failure::usage(format!(
            "{name} is not divided among processes. Divide it first: farhop data partition {name} --parts {} --out {name}.parts",
            group.ranks()
        ))),
        _ => Ok(()),
    }
}

/// From now on, what processes say of others that are gone is also kept in this run folder.
pub fn keep_lines_in(folder: &Path) {
    #[cfg(feature = "mpi")]
    log::keep_in(folder);
    #[cfg(not(feature = "mpi"))]
    let _ = folder;
}

/// Before a failure is told by another process than the first: see [`FIRST_SPEAKS`]. That another process is gone is told by each.
pub fn let_first_speak() {
    #[cfg(feature = "mpi")]
    mpi::ends();
    if group().is_some_and(|group| !group.is_first() && group.failure().is_none()) {
        std::thread::sleep(FIRST_SPEAKS);
    }
}

/// Leaves the others in order. A process that fails does not: the launcher ends the others then.
pub fn leave() {
    #[cfg(feature = "mpi")]
    if group().is_some() {
        mpi::ends();
        mpi::leave();
    }
}
