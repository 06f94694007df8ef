//! Which metrics say something about a target.

use farhop_data::Target;
use farhop_data::metrics::Metric;

use crate::TrainError;

/// What the target is, and the metrics for it.
pub(super) fn metrics_of(target: &Target) -> (&'static str, Vec<Metric>) {
    use Metric::{
        Accuracy, AveragePrecision, BalancedAccuracy, HitsAt, MacroF1, Mae, Mrr, MrrExtendedFiltered, MrrFiltered, R2,
        Rmse, RocAuc,
    };
    match target {
        Target::Class { classes, .. } if classes.len() == 2 => {
            ("two classes", vec![Accuracy, BalancedAccuracy, MacroF1, RocAuc, AveragePrecision])
        }
        Target::Class { .. } => ("classes", vec![Accuracy, BalancedAccuracy, MacroF1]),
        Target::Binary { .. } => ("yes-or-no labels", vec![AveragePrecision, RocAuc, Accuracy, BalancedAccuracy]),
        Target::Number { .. } => ("numbers", vec![Mae, Rmse, R2]),
        Target::Pair { .. } => ("pairs", vec![Mrr, MrrFiltered, MrrExtendedFiltered, HitsAt(1), HitsAt(3), HitsAt(10)]),
    }
}

pub(super) fn check_metric(metric: Metric, target: &Target) -> Result<(), TrainError> {
    let (what, allowed) = metrics_of(target);
    let hits = matches!((metric, target), (Metric::HitsAt(_), Target::Pair { .. }));
    if allowed.contains(&metric) || hits {
        return Ok(());
    }
    let names: Vec<String> = allowed.iter().map(|metric| metric.name()).collect();
    Err(TrainError::Task(format!("metric {} is not for {what}. Allowed: {}.", metric.name(), names.join(", "))))
}
