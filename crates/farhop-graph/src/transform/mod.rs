//! From graphs to other graphs, and what can be read off their shape.

mod components;
mod degree_classes;
mod distances;
mod halo;
mod induce;
mod local_part;
mod relabel;
mod two_steps;
mod union;

pub use components::{Components, connected_components};
pub use degree_classes::degree_classes;
pub use distances::{BreadthFirst, Reached, UNREACHED, distances};
pub use halo::{HaloFinder, halo};
pub use induce::{InduceScratch, Subgraph, induce};
pub use local_part::{LocalPart, PartCutter};
pub use relabel::relabel;
pub use two_steps::{count_within_two_steps, second_ring, within_two_steps};
pub use union::{Union, disjoint_union};
