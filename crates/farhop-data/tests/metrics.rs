//! The metrics against scikit-learn and OGB's evaluators: `scripts/metric_fixtures.py` made the numbers.

use farhop_data::metrics::ranking::{Candidates, PairRanks, hits_at, mrr};
use farhop_data::metrics::{
    Confusion, Metric, average_precision, label_accuracy, label_balanced_accuracy, mean_absolute_error,
    mean_squared_error, r2, roc_auc, root_mean_squared_error, subset_accuracy,
};
use serde_json::Value;
use std::str::FromStr;

/// The cases of a family, at least `least` of them.
fn cases(family: &str, least: usize) -> Vec<Value> {
    let fixtures: Value = serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap();
    let cases = fixtures[family].as_array().unwrap().clone();
    assert!(cases.len() >= least);
    cases
}

fn numbers<T: FromStr<Err: std::fmt::Debug>>(case: &Value, key: &str) -> Vec<T> {
    case[key].as_str().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn whole(case: &Value, key: &str) -> usize {
    case[key].as_u64().unwrap() as usize
}

/// Compares with the number of the case; `none` must be `None`.
fn check(case: &Value, key: &str, found: Option<f64>) {
    let expected = match case[key].as_str().unwrap() {
        "none" => None,
        text => Some(text.parse::<f64>().unwrap()),
    };
    let alike = match (expected, found) {
        (Some(expected), Some(found)) => (expected - found).abs() <= 1e-10 * expected.abs().max(1.0),
        (expected, found) => expected == found,
    };
    assert!(alike, "{}, {key}: expected {expected:?}, found {found:?}", case["name"]);
}

#[test]
fn classes_agree_with_scikit_learn() {
    for case in cases("classes", 10) {
        let (truth, predicted) = (numbers(&case, "truth"), numbers(&case, "predicted"));
        let confusion = Confusion::new(&truth, &predicted, whole(&case, "classes")).unwrap();
        check(&case, "accuracy", confusion.accuracy());
        check(&case, "balanced-accuracy", confusion.balanced_accuracy());
        check(&case, "macro-f1", confusion.macro_f1());
    }
}

#[test]
fn labels_agree_with_ogb() {
    let mut complete = 0;
    for case in cases("labels", 25) {
        let (truth, scores) = (numbers::<f32>(&case, "truth"), numbers::<f32>(&case, "scores"));
        let tasks = whole(&case, "tasks");
        check(&case, "roc-auc", roc_auc(&truth, &scores, tasks));
        check(&case, "average-precision", average_precision(&truth, &scores, tasks));
        check(&case, "label-accuracy", label_accuracy(&truth, &scores, tasks, 0.0));
        check(&case, "balanced-accuracy", label_balanced_accuracy(&truth, &scores, tasks, 0.0));
        if case.get("subset-accuracy").is_some() {
            check(&case, "subset-accuracy", subset_accuracy(&truth, &scores, tasks, 0.0));
            complete += 1;
        }
    }
    assert!(complete >= 15);
}

#[test]
fn numbers_agree_with_scikit_learn() {
    for case in cases("numbers", 15) {
        let (truth, predicted) = (numbers::<f32>(&case, "truth"), numbers::<f32>(&case, "predicted"));
        let tasks = whole(&case, "tasks");
        check(&case, "mae", mean_absolute_error(&truth, &predicted, tasks));
        check(&case, "mse", mean_squared_error(&truth, &predicted, tasks));
        check(&case, "rmse", root_mean_squared_error(&truth, &predicted, tasks));
        check(&case, "r2", r2(&truth, &predicted, tasks));
        let wide: Vec<f64> = predicted.iter().map(|&p| p.into()).collect();
        assert_eq!(r2(&truth, &wide, tasks), r2(&truth, &predicted, tasks));
    }
}

#[test]
fn pairs_agree_with_the_ranks_of_ogb() {
    for case in cases("rankings", 8) {
        let ranks = |graph: &Value| {
            let nodes: Vec<u32> = numbers(graph, "pairs");
            let pairs: Vec<(u32, u32)> = nodes.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            PairRanks::from_matrix(whole(graph, "nodes"), &numbers::<f32>(graph, "scores"), &pairs).unwrap()
        };
        let graphs: Vec<PairRanks> = case["graphs"].as_array().unwrap().iter().map(ranks).collect();
        for (candidates, name) in Candidates::ALL.into_iter().zip(["raw", "filtered", "extended"]) {
            check(&case, &format!("mrr-{name}"), mrr(&graphs, candidates));
            for k in [1, 3, 10] {
                check(&case, &format!("hits@{k}-{name}"), hits_at(&graphs, candidates, k));
            }
        }
    }
}

#[test]
fn metrics_are_text_in_recipes() {
    for metric in Metric::NAMED.into_iter().chain([Metric::HitsAt(1), Metric::HitsAt(10)]) {
        let json = serde_json::to_string(&metric).unwrap();
        assert_eq!(json, format!("\"{metric}\""));
        assert_eq!(serde_json::from_str::<Metric>(&json).unwrap(), metric);
    }
    let message = serde_json::from_str::<Metric>("\"ap\"").unwrap_err().to_string();
    assert!(message.contains("Did you mean \"average-precision\"?"), "{message}");
}
