//! Mean and deviation, written.

use farhop_data::metrics::Metric;
use farhop_train::series::Spread;

/// `85.10 ± 0.67 %`, `0.1412 ± 0.0031`, without a deviation of a single run.
pub fn spread_text(metric: Metric, spread: &Spread) -> String {
    let (factor, digits, unit) = if metric.in_percent() { (100.0, 2, " %") } else { (1.0, 4, "") };
    let number = |value: f64| format!("{:.digits$}", factor * value);
    match spread.deviation {
        Some(deviation) => format!("{} ± {}{unit}", number(spread.mean), number(deviation)),
        None => format!("{}{unit}", number(spread.mean)),
    }
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
