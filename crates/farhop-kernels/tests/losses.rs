//! Losses and their gradients against PyTorch in float64 (`scripts/loss_fixtures.py` made the numbers): the literal versions
//! to rounding, the kernels to that of f32.

mod dense_support;

use std::path::Path;

use dense_support::{assert_close, assert_same_on_any_threads, differences, normal};
use farhop_graph::random::Stream;
use farhop_kernels::dense::cross_entropy::{self, Labels};
use farhop_kernels::dense::element_loss::{self, Values};
use farhop_kernels::dense::pair_loss::{self, Pairs};
use farhop_kernels::dense::{ElementLoss, reference};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap_or(f64::NAN)).collect()
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as u32).collect()
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

fn element(name: &str) -> (ElementLoss, fn(f64, f64) -> f64) {
    match name {
        "binary" => (ElementLoss::Binary, reference::binary_cross_entropy),
        "l1" => (ElementLoss::Absolute, |z, t| (z - t).abs()),
        "l2" => (ElementLoss::Square, |z, t| (z - t) * (z - t)),
        _ => (ElementLoss::Huber { delta: 1.0 }, |z, t| {
            let d = (z - t).abs();
            if d <= 1.0 { 0.5 * d * d } else { d - 0.5 }
        }),
    }
}

/// Loss and gradient (times 2.5) of the kernel, and the literal loss as a function of the outputs.
type Outcome = (f32, Vec<f32>, Box<dyn Fn(&[f64]) -> f64>);

fn run(case: &Value) -> Outcome {
    let width = case["width"].as_u64().unwrap() as usize;
    let outputs = narrow(&numbers(&case["outputs"]));
    let mut gradient = vec![f32::NAN; outputs.len()];
    match case["name"].as_str().unwrap() {
        "classes" => {
            let (rows, classes) = (ids(&case["rows"]), ids(&case["classes"]));
            let weights = (!case["weights"].is_null()).then(|| numbers(&case["weights"]));
            let narrow = weights.as_deref().map(narrow);
            let labels = Labels { rows: &rows, classes: &classes, weights: narrow.as_deref(), of_rows: None };
            let loss = cross_entropy::forward(&outputs, width, labels);
            cross_entropy::backward(&outputs, width, labels, 2.5, &mut gradient);
            let literal = move |z: &[f64]| reference::cross_entropy(z, width, &rows, &classes, weights.as_deref());
            (loss, gradient, Box::new(literal))
        }
        "pairs" => {
            let pairs: Vec<[u32; 2]> =
                case["pairs"].as_array().unwrap().iter().map(|pair| ids(pair).try_into().unwrap()).collect();
            let together: Vec<bool> = case["together"].as_array().unwrap().iter().map(|t| t == true).collect();
            let given = Pairs { pairs: &pairs, together: &together };
            let loss = pair_loss::forward(&outputs, width, given);
            pair_loss::backward(&outputs, width, given, 2.5, &mut gradient);
            (loss, gradient, Box::new(move |z: &[f64]| reference::pair_loss(z, width, &pairs, &together)))
        }
        name => {
            let (kind, literal) = element(name);
            let (rows, targets) = (ids(&case["rows"]), numbers(&case["values"]));
            let values = narrow(&targets);
            let given = Values { rows: &rows, values: &values, weights: None };
            let loss = element_loss::forward(kind, &outputs, width, given);
            element_loss::backward(kind, &outputs, width, given, 2.5, &mut gradient);
            let literal = move |z: &[f64]| reference::element_loss(literal, z, width, &rows, &targets);
            (loss, gradient, Box::new(literal))
        }
    }
}

#[test]
fn losses_are_those_of_an_outside_library() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/losses.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(cases.len(), 7, "all seven cases are there");
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let expected = case["loss"].as_f64().unwrap();
        let scaled: Vec<f64> = numbers(&case["gradient"]).iter().map(|g| 2.5 * g).collect();
        let (loss, gradient, literal) = run(case);
        let outputs = numbers(&case["outputs"]);
        assert!((literal(&outputs) - expected).abs() < 1e-12, "{name}: the literal version");
        let slopes: Vec<f32> = narrow(&differences(&outputs, |z| 2.5 * literal(z)));
        assert_close(&format!("{name}, differences"), &slopes, &scaled, 1e-5);
        assert_close(&format!("{name}, loss"), &[loss], &[expected], 1e-6);
        assert_close(&format!("{name}, gradient"), &gradient, &scaled, 1e-6);
    }
}

#[test]
fn nothing_known_is_no_loss_and_no_gradient() {
    let mut gradient = [f32::NAN; 4];
    let given = Values { rows: &[0, 1], values: &[f32::NAN; 4], weights: None };
    assert_eq!(element_loss::forward(ElementLoss::Square, &[3.0; 4], 2, given), 0.0);
    element_loss::backward(ElementLoss::Square, &[3.0; 4], 2, given, 1.0, &mut gradient);
    assert_eq!(gradient, [0.0; 4]);
    let none = Pairs { pairs: &[], together: &[] };
    gradient = [f32::NAN; 4];
    assert_eq!(pair_loss::forward(&[3.0; 4], 2, none), 0.0);
    pair_loss::backward(&[3.0; 4], 2, none, 1.0, &mut gradient);
    assert_eq!(gradient, [0.0; 4]);
    let weightless = Labels { rows: &[0], classes: &[1], weights: Some(&[1.0, 0.0]), of_rows: None };
    gradient = [f32::NAN; 4];
    assert_eq!(cross_entropy::forward(&[3.0; 4], 2, weightless), 0.0);
    cross_entropy::backward(&[3.0; 4], 2, weightless, 1.0, &mut gradient);
    assert_eq!(gradient, [0.0; 4]);
}

#[test]
fn huge_scores_stay_finite_and_not_a_number_is_not_hidden() {
    let outputs = [1e30, -1e30, 1e4, -1e4];
    let right = Values { rows: &[0], values: &[1.0, 0.0, 1.0, 0.0], weights: None };
    assert_eq!(element_loss::forward(ElementLoss::Binary, &outputs, 4, right), 0.0);
    let wrong = Values { rows: &[0], values: &[f32::NAN, f32::NAN, 0.0, 1.0], weights: None };
    let loss = element_loss::forward(ElementLoss::Binary, &outputs, 4, wrong);
    assert!((loss - 1e4).abs() < 1.0, "{loss}");
    let mut gradient = [f32::NAN; 4];
    element_loss::backward(ElementLoss::Binary, &outputs, 4, wrong, 1.0, &mut gradient);
    assert_eq!(gradient, [0.0, 0.0, 0.5, -0.5]);
    for kind in [ElementLoss::Binary, ElementLoss::Absolute, ElementLoss::Square, ElementLoss::Huber { delta: 1.0 }] {
        let given = Values { rows: &[0], values: &[1.0], weights: None };
        assert!(element_loss::forward(kind, &[f32::NAN], 1, given).is_nan(), "{kind:?}");
    }
    let pair = Pairs { pairs: &[[0, 0]], together: &[true] };
    assert!(pair_loss::forward(&[f32::NAN], 1, pair).is_nan());
}

#[test]
fn the_same_bits_with_any_number_of_threads() {
    let (nodes, width) = (5000, 64);
    let outputs = normal(nodes * width, 1);
    let mut stream = Stream::new(2);
    let rows: Vec<u32> = (0..nodes).map(|_| stream.below(nodes as u64) as u32).collect();
    let pairs: Vec<[u32; 2]> = (0..20_000).map(|_| [0; 2].map(|_| stream.below(nodes as u64) as u32)).collect();
    let together: Vec<bool> = (0..pairs.len()).map(|_| stream.below(2) == 1).collect();
    let values = normal(nodes * width, 3);
    assert_same_on_any_threads("losses", || {
        let mut all = Vec::new();
        let mut gradient = vec![f32::NAN; outputs.len()];
        let given = Values { rows: &rows, values: &values, weights: None };
        all.push(element_loss::forward(ElementLoss::Square, &outputs, width, given));
        element_loss::backward(ElementLoss::Square, &outputs, width, given, 1.0, &mut gradient);
        all.extend_from_slice(&gradient);
        let given = Pairs { pairs: &pairs, together: &together };
        all.push(pair_loss::forward(&outputs, width, given));
        pair_loss::backward(&outputs, width, given, 1.0, &mut gradient);
        all.extend_from_slice(&gradient);
        all
    });
}

/// A row of weight 3 counts like one that is listed three times, one of weight 0 not at all.
#[test]
fn weights_of_rows_are_repetitions() {
    let (nodes, width) = (9, 4);
    let outputs = normal(nodes * width, 5);
    let (rows, weights) = ([7u32, 0, 3, 3, 8], [1.0f32, 3.0, 2.0, 0.0, 2.0]);
    let again: Vec<usize> = (0..5).flat_map(|r| std::iter::repeat_n(r, weights[r] as usize)).collect();
    let listed: Vec<u32> = again.iter().map(|r| rows[*r]).collect();
    let mut gradients = [vec![0.0; outputs.len()], vec![0.0; outputs.len()]];

    let classes = [1u32, 0, 3, 2, 1];
    let repeated: Vec<u32> = again.iter().map(|r| classes[*r]).collect();
    for of_classes in [None, Some(&[0.5f32, 2.0, 1.0, 4.0][..])] {
        let weighed = Labels { rows: &rows, classes: &classes, weights: of_classes, of_rows: Some(&weights) };
        let literal = Labels { rows: &listed, classes: &repeated, weights: of_classes, of_rows: None };
        let losses = [weighed, literal].map(|labels| cross_entropy::forward(&outputs, width, labels));
        assert_close("classes", &losses[..1], &[f64::from(losses[1])], 1e-6);
        for (labels, gradient) in [weighed, literal].into_iter().zip(&mut gradients) {
            cross_entropy::backward(&outputs, width, labels, 2.5, gradient);
        }
        let expected: Vec<f64> = gradients[1].iter().map(|v| f64::from(*v)).collect();
        assert_close("gradient of classes", &gradients[0], &expected, 1e-6);
    }

    let mut values: Vec<f32> = (0..rows.len() * width).map(|at| (at % 2) as f32).collect();
    values[2] = f32::NAN;
    let repeated: Vec<f32> = again.iter().flat_map(|r| values[r * width..(r + 1) * width].to_vec()).collect();
    for loss in [ElementLoss::Binary, ElementLoss::Absolute, ElementLoss::Square, ElementLoss::Huber { delta: 1.0 }] {
        let weighed = Values { rows: &rows, values: &values, weights: Some(&weights) };
        let literal = Values { rows: &listed, values: &repeated, weights: None };
        let losses = [weighed, literal].map(|given| element_loss::forward(loss, &outputs, width, given));
        assert_close("values", &losses[..1], &[f64::from(losses[1])], 1e-6);
        for (given, gradient) in [weighed, literal].into_iter().zip(&mut gradients) {
            element_loss::backward(loss, &outputs, width, given, 2.5, gradient);
        }
        let expected: Vec<f64> = gradients[1].iter().map(|v| f64::from(*v)).collect();
        assert_close("gradient of values", &gradients[0], &expected, 1e-6);
    }
    let nothing = Values { rows: &rows, values: &values, weights: Some(&[0.0; 5]) };
    assert_eq!(element_loss::forward(ElementLoss::Square, &outputs, width, nothing), 0.0);
}
