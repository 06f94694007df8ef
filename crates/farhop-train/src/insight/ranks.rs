//! How far up the true pairs stand among all.

use farhop_data::metrics::Metric;
use farhop_data::metrics::ranking::hits_at;

use crate::Outputs;

/// Ranks up to which hits are counted.
const RANKS: u32 = 30;

/// The share of true pairs that are ranked k or better, per graph and then over graphs.
#[derive(Clone, Debug, PartialEq)]
pub struct HitCurve {
    /// For k = 1, 2, ...
    pub shares: Vec<f64>,
}

impl HitCurve {
    /// Of outputs about pairs, ranked as `metric` ranks them.
    pub(super) fn of(metric: Metric, outputs: &Outputs) -> Option<HitCurve> {
        let candidates = metric.candidates().filter(|_| !outputs.ranks.is_empty())?;
        let shares = (1..=RANKS).map(|k| hits_at(&outputs.ranks, candidates, k)).collect::<Option<_>>()?;
        Some(HitCurve { shares })
    }
}
