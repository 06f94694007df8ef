//! The Python package `farhop`: the native half, `farhop._farhop`.
//!
//! The other half is in `python/farhop`, which says what users see: it recognises what they bring, and hands over arrays of exactly the
//! types that are asked for here. What is computed, checked and said is the same as that of the command, since it comes from the same
//! libraries.
//!
//! * [`arrays`]: NumPy's arrays in and out, without copies;
//! * [`errors`]: failures as exceptions, panics among them;
//! * [`threads`]: who computes, with the interpreter lock released;
//! * [`graph`], [`dataset`] and [`reading`]: checked graphs, graphs with answers, and those of files;
//! * [`training`] and [`run`]: one run from its settings to its folder, and what is read from the folder;
//! * [`registry`]: what models and settings there are;
//! * [`features`]: hops and encodings by themselves;
//! * [`layer`], [`feed`], [`eliminate`] and [`literal`]: the layer for PyTorch, its feed-forward network, the elimination by itself, and
//!   both with 64-bit numbers.

mod arrays;
mod columns;
mod command;
mod dataset;
mod eliminate;
mod errors;
mod features;
mod feed;
mod graph;
mod json;
mod layer;
mod literal;
mod reading;
mod registry;
mod run;
mod threads;
mod training;

use farhop_kernels::allocator::PageAligned;
use pyo3::prelude::*;

/// Feature rows on cache lines and large pages, as in the command. What Python itself allocates is its own.
#[global_allocator]
static ALLOCATOR: PageAligned = PageAligned;

/// The native half of farhop.
#[pymodule]
mod _farhop {
    #[pymodule_export]
    use crate::arrays::Buffer;
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::dataset::Dataset;
    #[pymodule_export]
    use crate::eliminate::{eliminate, eliminate_backward};
    #[pymodule_export]
    use crate::features::{hops, laplacian_encoding, random_walk_encoding};
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::layer::{Kept, Layer};
    #[pymodule_export]
    use crate::reading::{load_dataset, read_molecules, read_tables};
    #[pymodule_export]
    use crate::registry::{default_recipe, models, place_of, version};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::training::train;
}
