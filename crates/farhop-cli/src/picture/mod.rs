//! Pictures as SVG, drawn the same for a file of their own and for a page: shapes have classes, and one style sheet clothes them for light and for
//! dark.

mod agreement;
mod axis;
mod bars;
mod calibration;
mod curves;
mod distance;
mod entropies;
mod explained;
mod frame;
mod layout;
mod search;
mod slices;
mod strips;
mod svg;
mod time;

pub use agreement::{errors, scatter};
pub use axis::Scale;
pub use bars::{Bar, bars};
pub use calibration::reliability;
pub use curves::{Chart, Curve};
pub use distance::{Line, accuracy_against_distance};
pub use entropies::ridges;
pub use explained::explained;
pub use search::{importance, search, search_alone};
pub use slices::{Slice, Tried, slice};
pub use strips::{Strip, strips};
pub use svg::{STYLE, Svg, escaped};
pub use time::{Mark, score_against_time};

/// The class of the n-th of several: colours that stay apart for colour-blind readers (Okabe and Ito, 2008).
pub fn colour(number: usize) -> &'static str {
    ["c1", "c2", "c3", "c4", "c5", "c6", "c7"][number % 7]
}
