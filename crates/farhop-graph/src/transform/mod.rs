//! From graphs to other graphs, and what can be read off their shape.

mod components;
mod distances;
mod halo;
mod induce;
mod relabel;
mod union;

pub use components::{Components, connected_components};
pub use distances::{BreadthFirst, Reached, UNREACHED, distances};
pub use halo::{HaloFinder, halo};
pub use induce::{InduceScratch, Subgraph, induce};
pub use relabel::relabel;
pub use union::{Union, disjoint_union};
