//! This machine, for the records of runs.

use farhop_kernels::simd::Isa;
use farhop_train::Machine;

/// This machine with that many threads.
pub fn machine(threads: usize) -> Machine {
    Machine::detect(threads, Isa::active().name())
}
