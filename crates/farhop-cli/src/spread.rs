//! Several runs, written: mean and deviation, and each of them.

use farhop_data::metrics::Metric;
use farhop_train::series::{Row, Spread};
use serde_json::{Value, json};

/// `85.10 ± 0.67 %`, `0.1412 ± 0.0031`, without a deviation of a single run.
pub fn spread_text(metric: Metric, spread: &Spread) -> String {
    let (factor, digits, unit) = if metric.in_percent() { (100.0, 2, " %") } else { (1.0, 4, "") };
    let number = |value: f64| format!("{:.digits$}", factor * value);
    match spread.deviation {
        Some(deviation) => format!("{} ± {}{unit}", number(spread.mean), number(deviation)),
        None => format!("{}{unit}", number(spread.mean)),
    }
}

/// A run of several, as the object of a command.
pub fn row_object(row: &Row) -> Value {
    let record = row.result.as_ref().ok();
    json!({
        "run": row.path,
        "seed": row.member.recipe.train.seed,
        "split": row.member.recipe.data.split,
        "train": record.and_then(|record| record.scores.train),
        "valid": record.and_then(|record| record.scores.valid),
        "test": record.and_then(|record| record.scores.test),
        "best_epoch": record.and_then(|record| record.best_epoch),
        "epochs": record.map(|record| record.epochs),
        "seconds": record.map(|record| record.seconds),
        "peak_rss_bytes": record.and_then(|record| record.peak_rss_bytes),
        "error": row.result.as_ref().err(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_in_percent() {
        let spread = Spread { count: 5, mean: 0.851, deviation: Some(0.0067) };
        assert_eq!(spread_text(Metric::Accuracy, &spread), "85.10 ± 0.67 %");
        assert_eq!(spread_text(Metric::Mae, &spread), "0.8510 ± 0.0067");
        let single = Spread { deviation: None, ..spread };
        assert_eq!(spread_text(Metric::Accuracy, &single), "85.10 %");
    }
}
