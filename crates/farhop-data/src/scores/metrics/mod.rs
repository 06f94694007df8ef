//! Scores of predictions, one file per family.
//!
//! | what is predicted | scores |
//! |---|---|
//! | one class per row | [`Confusion::accuracy`], [`Confusion::balanced_accuracy`], [`Confusion::macro_f1`], [`largest`] |
//! | several yes/no labels per row | [`label_accuracy`], [`label_balanced_accuracy`], [`subset_accuracy`], [`roc_auc`], [`average_precision`] |
//! | numbers | [`mean_absolute_error`], [`mean_squared_error`], [`root_mean_squared_error`], [`r2`] |
//! | pairs of nodes | [`ranking::mrr`], [`ranking::hits_at`] |
//!
//! [`Metric`] names them in recipes and reports.
//!
//! # Shapes and missing values
//!
//! The scores of labels and numbers take `truth` and `scores` as `[rows, tasks]`, row by row. A
//! truth that is NaN is missing: that entry counts nowhere, whatever its score is. Each task is
//! scored by itself over its entries, and the result is the plain mean over the tasks that can be
//! scored, as in OGB's evaluator.
//!
//! # When there is no score
//!
//! * `None`: the score is not defined. No task can be scored; or a score that counts is NaN or
//!   infinite, as after a training run that diverged; or a truth that counts is not one of the
//!   allowed values; or the slices do not have one length that is a multiple of `tasks`.
//! * [`DataError::Mismatch`](crate::DataError::Mismatch), where a function returns a `Result`: the
//!   arguments do not fit together, which is a mistake of the caller.
//!
//! A result is always finite. Counts are whole numbers and sums are taken in f64 in the order of
//! the rows, so that the same input gives the same bits.

mod classes;
mod curves;
mod labels;
mod metric;
pub mod ranking;
mod regression;
mod tasks;

pub use classes::{Confusion, largest};
pub use curves::{average_precision, roc_auc};
pub use labels::{label_accuracy, label_balanced_accuracy, subset_accuracy};
pub use metric::{Metric, UnknownMetric};
pub use regression::{mean_absolute_error, mean_squared_error, r2, root_mean_squared_error};
