//! The names of the scores, for recipes and reports.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ranking::Candidates;
use crate::text::{nearest, quoted};

/// A score by its name. In recipes it is written as the text of [`Metric::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// `accuracy`: share of right classes or labels.
    Accuracy,
    /// `balanced-accuracy`: plain mean of recall over classes.
    BalancedAccuracy,
    /// `macro-f1`: plain mean of F1 over classes.
    MacroF1,
    /// `roc-auc`: area under the ROC curve.
    RocAuc,
    /// `average-precision`.
    AveragePrecision,
    /// `mae`: mean absolute error.
    Mae,
    /// `rmse`: root mean squared error.
    Rmse,
    /// `r2`: coefficient of determination.
    R2,
    /// `mrr`: mean reciprocal rank among all nodes.
    Mrr,
    /// `mrr-filtered`: without the other true tails.
    MrrFiltered,
    /// `mrr-extended-filtered`: without the other true tails and the head itself.
    MrrExtendedFiltered,
    /// `hits@k`: share of true pairs ranked `k` or better among all nodes; `k` is at least 1.
    HitsAt(u32),
}

/// There is no score of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMetric {
    name: String,
    suggestion: Option<String>,
}

impl fmt::Display for UnknownMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "metric {} does not exist.", quoted(&self.name))?;
        if let Some(suggestion) = &self.suggestion {
            write!(f, " Did you mean {}?", quoted(suggestion))?;
        }
        let names: Vec<String> = Metric::NAMED.iter().map(|metric| metric.name()).collect();
        write!(f, " The metrics are {} and hits@k with a whole number k from 1, such as hits@10.", names.join(", "))
    }
}

impl std::error::Error for UnknownMetric {}

/// What others call our scores. Only suggested, so that one score has one name.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("acc", "accuracy"),
    ("balanced-acc", "balanced-accuracy"),
    ("macro-recall", "balanced-accuracy"),
    ("f1", "macro-f1"),
    ("f1-macro", "macro-f1"),
    ("auc", "roc-auc"),
    ("auroc", "roc-auc"),
    ("ap", "average-precision"),
    ("map", "average-precision"),
    ("l1", "mae"),
    ("mean-absolute-error", "mae"),
    ("root-mean-squared-error", "rmse"),
    ("mse", "rmse"),
    ("mean-reciprocal-rank", "mrr"),
];

impl Metric {
    /// All scores but `hits@k`, which has a number.
    pub const NAMED: [Metric; 11] = [
        Metric::Accuracy,
        Metric::BalancedAccuracy,
        Metric::MacroF1,
        Metric::RocAuc,
        Metric::AveragePrecision,
        Metric::Mae,
        Metric::Rmse,
        Metric::R2,
        Metric::Mrr,
        Metric::MrrFiltered,
        Metric::MrrExtendedFiltered,
    ];

    /// The name in recipes and reports, such as `average-precision` or `hits@10`.
    pub fn name(self) -> String {
        let name = match self {
            Metric::Accuracy => "accuracy",
            Metric::BalancedAccuracy => "balanced-accuracy",
            Metric::MacroF1 => "macro-f1",
            Metric::RocAuc => "roc-auc",
            Metric::AveragePrecision => "average-precision",
            Metric::Mae => "mae",
            Metric::Rmse => "rmse",
            Metric::R2 => "r2",
            Metric::Mrr => "mrr",
            Metric::MrrFiltered => "mrr-filtered",
            Metric::MrrExtendedFiltered => "mrr-extended-filtered",
            Metric::HitsAt(k) => return format!("hits@{k}"),
        };
        name.to_string()
    }

    /// Whether a larger value is better; false for errors.
    pub fn higher_is_better(self) -> bool {
        !matches!(self, Metric::Mae | Metric::Rmse)
    }

    /// Whether `value` is better than `other`. NaN is never better, and anything else is better
    /// than NaN.
    pub fn is_better(self, value: f64, other: f64) -> bool {
        match (value.is_nan(), other.is_nan()) {
            (true, _) => false,
            (false, true) => true,
            _ if self.higher_is_better() => value > other,
            _ => value < other,
        }
    }

    /// Whether reports show it in percent: the shares of right answers.
    pub fn in_percent(self) -> bool {
        matches!(self, Metric::Accuracy | Metric::BalancedAccuracy | Metric::MacroF1 | Metric::HitsAt(_))
    }

    /// Whether it scores the ranking of rows and not decisions, so that no threshold changes it.
    pub fn is_of_ranking(self) -> bool {
        matches!(self, Metric::RocAuc | Metric::AveragePrecision)
    }

    /// The value for a report: `83.1 %` for shares, four decimals otherwise (as a power of ten where they would say nothing),
    /// `-` for none.
    pub fn shown(self, value: Option<f64>) -> String {
        match value {
            None => "-".to_string(),
            Some(value) if self.in_percent() => format!("{:.1} %", 100.0 * value),
            Some(value) if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e7) => format!("{value:.3e}"),
            Some(value) => format!("{value:.4}"),
        }
    }

    /// The candidates a score of pairs ranks against; `None` for the other scores.
    pub fn candidates(self) -> Option<Candidates> {
        match self {
            Metric::Mrr | Metric::HitsAt(_) => Some(Candidates::Raw),
            Metric::MrrFiltered => Some(Candidates::Filtered),
            Metric::MrrExtendedFiltered => Some(Candidates::ExtendedFiltered),
            _ => None,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    /// Reads exactly what [`Metric::name`] writes.
    fn from_str(text: &str) -> Result<Metric, UnknownMetric> {
        if let Some(metric) = Metric::NAMED.into_iter().find(|metric| metric.name() == text) {
            return Ok(metric);
        }
        // Digits alone and no leading zero, so that each score has one spelling.
        let number =
            text.strip_prefix("hits@").filter(|k| k.bytes().all(|b| b.is_ascii_digit()) && !k.starts_with('0'));
        match number.and_then(|k| k.parse().ok()) {
            Some(k) => Ok(Metric::HitsAt(k)),
            None => Err(UnknownMetric { name: text.to_string(), suggestion: suggestion(text) }),
        }
    }
}

/// The name that was probably meant: known under another name, or a slip.
fn suggestion(text: &str) -> Option<String> {
    let plain = text.trim().to_lowercase().replace(['_', ' '], "-");
    let same = |(other, _): &&(&str, &str)| other.replace('-', "") == plain.replace('-', "");
    if let Some((_, name)) = OTHER_NAMES.iter().find(same) {
        return Some(name.to_string());
    }
    if plain.starts_with("hits") {
        return Some("hits@10".to_string());
    }
    let names = Metric::NAMED.map(Metric::name);
    nearest(&plain, names.iter().map(String::as_str)).map(str::to_string)
}

impl TryFrom<String> for Metric {
    type Error = UnknownMetric;

    fn try_from(text: String) -> Result<Metric, UnknownMetric> {
        text.parse()
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> String {
        metric.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written_and_different() {
        let numbered = [Metric::HitsAt(1), Metric::HitsAt(10), Metric::HitsAt(u32::MAX)];
        let all: Vec<Metric> = Metric::NAMED.into_iter().chain(numbered).collect();
        for &metric in &all {
            assert_eq!(metric.name().parse(), Ok(metric));
            assert_eq!(all.iter().filter(|other| other.name() == metric.name()).count(), 1);
        }
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest() {
        let meant = |text: &str| text.parse::<Metric>().unwrap_err().suggestion;
        for (text, name) in [
            ("acuracy", "accuracy"),
            ("AP", "average-precision"),
            ("average_precision", "average-precision"),
            ("ROC_AUC", "roc-auc"),
            ("rocauc", "roc-auc"),
            ("F1 macro", "macro-f1"),
            ("MAE", "mae"),
            ("hits@", "hits@10"),
            ("hits@0", "hits@10"),
            ("hits@4294967296", "hits@10"),
            ("hits10", "hits@10"),
            ("mrr-filterd", "mrr-filtered"),
        ] {
            assert_eq!(meant(text).as_deref(), Some(name), "{text}");
        }
        assert_eq!(meant("zzz"), None);
        for text in ["", "hits@+1", "hits@-1", "hits@01", "accuracy "] {
            assert!(text.parse::<Metric>().is_err(), "{text}");
        }
        let message = "Mrrr".parse::<Metric>().unwrap_err().to_string();
        assert_eq!(
            message,
            "metric \"Mrrr\" does not exist. Did you mean \"mrr\"? The metrics are accuracy, balanced-accuracy, macro-f1, roc-auc, \
             average-precision, mae, rmse, r2, mrr, mrr-filtered, mrr-extended-filtered and hits@k with a whole \
             number k from 1, such as hits@10."
        );
    }

    #[test]
    fn other_names_lead_to_scores() {
        for (_, name) in OTHER_NAMES {
            assert!(name.parse::<Metric>().is_ok(), "{name}");
        }
    }

    #[test]
    fn better_follows_the_direction_and_nan_never_wins() {
        assert!(Metric::Mae.is_better(1.0, 2.0) && !Metric::Mae.is_better(2.0, 1.0));
        assert!(Metric::Mrr.is_better(0.2, 0.1) && !Metric::Mrr.is_better(0.1, 0.1));
        for metric in Metric::NAMED {
            assert!(!metric.is_better(f64::NAN, 0.0) && metric.is_better(0.0, f64::NAN));
        }
    }

    #[test]
    fn shares_are_shown_in_percent() {
        assert_eq!(Metric::Accuracy.shown(Some(0.8314)), "83.1 %");
        assert_eq!(Metric::AveragePrecision.shown(Some(0.668_16)), "0.6682");
        assert_eq!(Metric::Mae.shown(None), "-");
        assert_eq!(Metric::Mae.shown(Some(0.0)), "0.0000");
        assert_eq!(Metric::Mae.shown(Some(1.25e-15)), "1.250e-15");
    }
}
