//! A search for settings: trials in a folder, proposed one after the other, judged by validation alone.

mod folder;
mod importance;
mod median;
mod parzen;
mod sampler;
mod search;
mod space;
mod spaces;
mod trial;

pub use folder::{Claim, Description, Study};
pub use median::{Curve, MedianRule};
pub use search::{Listener, Search};
pub use space::{Dimension, Point, Space, Values};
pub use spaces::default_space;
pub use trial::{State, Trial};
