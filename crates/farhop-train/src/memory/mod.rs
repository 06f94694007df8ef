//! Memory: how much there is, how much a run will need, how much it took.

mod limit;
mod peak;
mod plan;
mod text;
mod variants;

pub use limit::{Limit, available, available_under};
pub use peak::{peak_rss_bytes, reset_peak_rss, rss_bytes};
pub use plan::{Advice, Held, Part, Plan, plan};
pub use text::bytes_text;
pub use variants::variants;
