//! Memory: how much there is, how much a run will need, how much it took.

mod division;
mod limit;
mod peak;
mod plan;
mod text;
mod variants;

pub use division::Division;
pub use limit::{Limit, available, available_under};
pub use peak::{peak_rss_bytes, reset_peak_rss, rss_bytes};
pub use plan::{Advice, Divided, Held, Part, Plan, plan, plan_divisible};
pub use text::bytes_text;
pub use variants::variants;
