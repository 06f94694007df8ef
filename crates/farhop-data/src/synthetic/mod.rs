//! Tasks made to order, with the distance that matters as a parameter.

mod hop_majority;

pub use hop_majority::{HopMajorityOptions, hop_majority};
