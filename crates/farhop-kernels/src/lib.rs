//! The compute of farhop, over plain slices.
//!
//! Every kernel is a pure function with the same verbs everywhere: `forward`, `backward`, `bytes` (what it allocates),
//! and a literal counterpart in [`reference`] that follows the paper line by line and is what the kernel is tested against.
//!
//! Nothing here allocates a number per edge *and* feature; where such an array is a model's own state ([`edges::gates`]), the caller
//! holds it. Work is split into fixed blocks of rows, so the result has the
//! same bits for any number of threads; the instruction set is chosen at run time ([`simd::Isa`]).
//!
//! Shapes are written `[rows, columns]`, row-major. `N` nodes, `E` directed entries of the graph, `F` channels, `H` heads,
//! `K` rounds (hops).

pub mod allocator;
pub mod buffers;
pub mod causal_convolution;
pub mod dense;
pub mod edge_attention;
pub mod edges;
pub mod elements;
pub mod elimination;
pub mod embedding;
pub mod exchange;
pub mod gen_layer;
pub mod graph_attention;
pub mod heads;
pub mod hop_attention;
pub mod linear_attention;
pub mod lists;
pub mod lstm;
pub mod packed;
pub mod pairs;
pub mod parallel;
pub(crate) mod pieces;
pub mod process;
pub mod reference;
pub mod segments;
pub mod selective_scan;
pub mod sign_invariant;
pub mod simd;
pub mod sparse_features;
pub mod spmm;

pub(crate) use heads::by_width;
pub(crate) use simd::simd_fn;
