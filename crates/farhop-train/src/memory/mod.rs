//! Memory: how much there is, how much a run will need, how much it took.

mod division;
mod peak;
mod plan;

pub use division::Division;
pub use farhop_data::memory::{Limit, available, available_under, bytes_text, set_limit};
pub use peak::{peak_rss_bytes, reset_peak_rss, rss_bytes};
pub use plan::{Advice, Advised, DataBytes, Divided, Part, Plan, plan, plan_divisible};
