//! What a trained model does with its data: where it is right, how sure it is, and what it looks at.

mod attention;
mod calibration;
mod explanation;
mod labels;
mod numbers;
mod ranks;

use farhop_data::metrics::Metric;
use farhop_data::{Level, Part};
use farhop_nn::Sights;

pub use attention::{EntropyCounts, HopShares};
pub use calibration::{Calibration, CalibrationBin, Sureness};
pub use explanation::{Explanation, ExplanationMethod, HopShare, NodeShare, Question, Subject};
pub use labels::LabelScores;
pub use numbers::Agreement;
pub use ranks::HitCurve;

use crate::{Confusions, Task, TrainError, TrainedRun, score};

/// What there is to say of a model and a part of its data.
#[derive(Clone, Debug)]
pub struct Insight {
    /// The part that was looked at.
    pub part: Part,
    /// Rows of it whose answer is known; of pairs, graphs.
    pub rows: usize,
    /// Every score that the task has, its own first.
    pub metrics: Vec<(Metric, Option<f64>)>,
    /// What was taken for what, where classes are chosen.
    pub confusion: Option<Confusions>,
    /// How often sure answers are right.
    pub calibration: Option<Calibration>,
    /// Every question, where there are several.
    pub labels: Vec<LabelScores>,
    /// Every number, predicted and true.
    pub numbers: Vec<Agreement>,
    /// How far up true pairs stand.
    pub hits: Option<HitCurve>,
    /// How hops are read, if the model weighs them.
    pub hops: Vec<HopShares>,
    /// How evenly nodes attend to their neighbours, if they do.
    pub entropies: Vec<EntropyCounts>,
}

impl Insight {
    /// Looks at the test part; where nothing in it is known, at the validation part, then at the training part. None if nothing is known at
    /// all.
    ///
    /// # Errors
    /// When the data doesn't have the features the model was trained with, or an output is not finite.
    pub fn of(run: &TrainedRun, task: &Task) -> Result<Option<Insight>, TrainError> {
        let mut parts = [Part::Test, Part::Valid, Part::Train].into_iter();
        let Some(part) = parts.find(|part| !task.split().part(*part).is_empty()) else { return Ok(None) };
        let units = task.split().part(part);
        let outputs = run.outputs_of(task, units)?;
        let target = task.target();
        let known = outputs.rows.iter().filter(|row| target.is_known(**row as usize)).count();
        let thresholds = run.record.thresholds.as_deref();
        let of = |metric: Metric| (metric, score(metric, target, &outputs, thresholds));
        let attention = run.attention(task, units, Sights { hops: true, edges: true, reads_of: None })?;
        Ok(Some(Insight {
            part,
            rows: if task.level() == Level::Pair { outputs.ranks.len() } else { known },
            metrics: task.metrics().into_iter().map(of).collect(),
            confusion: Confusions::of(target, &outputs, thresholds),
            calibration: Calibration::of(target, &outputs),
            labels: LabelScores::of(target, &outputs, thresholds),
            numbers: Agreement::of(target, &outputs),
            hits: HitCurve::of(task.metric, &outputs),
            hops: attention.hops.as_ref().map(HopShares::of).unwrap_or_default(),
            entropies: EntropyCounts::of(&attention.edges),
        }))
    }
}
