//! Tasks made to order, with the distance that matters as a parameter.

mod hop_majority;
mod ring_transfer;
mod tree_neighbours;

pub use hop_majority::{HopMajorityOptions, hop_majority};
pub use ring_transfer::{RingTransferOptions, ring_transfer};
pub use tree_neighbours::{TreeNeighboursOptions, tree_neighbours};
