//! How well the search finds the lowest point of functions that everybody uses: the best value after 25, 50 and 100 trials, for several
//! seeds, as JSON lines. `benches/search/run.py` runs the same with Optuna.
//!
//! ```text
//! cargo run --release -p farhop-train --example search -- SEEDS
//! ```

use std::error::Error;
use std::f64::consts::{PI, TAU};

use farhop_train::study::{Description, Dimension, Point, Space, State, Study, Values};
use serde_json::{Value, json};

/// A function to be made small.
struct Function {
    name: &'static str,
    space: Vec<(&'static str, Values)>,
    at: fn(&Point) -> f64,
}

const TRIALS: [usize; 3] = [25, 50, 100];

fn main() -> Result<(), Box<dyn Error>> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    for function in functions() {
        for seed in 0..seeds {
            let best = search(&function, seed)?;
            println!("{}", json!({ "function": function.name, "seed": seed, "trials": TRIALS, "best": best }));
        }
    }
    Ok(())
}

/// The lowest value after so many trials.
fn search(function: &Function, seed: u64) -> Result<Vec<f64>, Box<dyn Error>> {
    let dimension = |(key, values): &(&'static str, Values)| Dimension {
        key: (*key).to_string(),
        values: values.clone(),
        when: Vec::new(),
    };
    let space = Space { dimensions: function.space.iter().map(dimension).collect() };
    let description = Description {
        data: function.name.into(),
        base: String::new(),
        space: String::new(),
        metric: "value".into(),
        higher_is_better: false,
        seed,
    };
    let folder = tempfile::tempdir()?;
    let study = Study::open(folder.path(), description, space)?;
    let mut lowest = f64::INFINITY;
    let mut best = Vec::new();
    let most = TRIALS.iter().copied().max().unwrap_or(0);
    while let Some(mut claim) = study.claim(most, None)? {
        let value = (function.at)(&claim.trial.settings);
        claim.trial.score = Some(value);
        claim.trial.state = State::Finished;
        claim.save()?;
        lowest = lowest.min(value);
        if TRIALS.contains(&(claim.trial.number + 1)) {
            best.push(lowest);
        }
    }
    Ok(best)
}

fn number(settings: &Point, key: &str) -> f64 {
    settings.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn functions() -> Vec<Function> {
    let words = |words: &[&str]| Values::Choices(words.iter().map(|word| Value::from(*word)).collect());
    vec![
        Function {
            name: "sphere",
            space: ["a", "b", "c", "d", "e"].map(|key| (key, Values::Uniform(-5.0, 10.0))).to_vec(),
            at: |s| ["a", "b", "c", "d", "e"].iter().map(|key| (number(s, key) - 1.0).powi(2)).sum(),
        },
        Function {
            name: "branin",
            space: vec![("a", Values::Uniform(-5.0, 10.0)), ("b", Values::Uniform(0.0, 15.0))],
            at: |s| {
                let (x, y) = (number(s, "a"), number(s, "b"));
                let bowl = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
                bowl * bowl + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
            },
        },
        Function {
            name: "rosenbrock",
            space: ["a", "b", "c"].map(|key| (key, Values::Uniform(-2.0, 2.0))).to_vec(),
            at: |s| {
                let x = ["a", "b", "c"].map(|key| number(s, key));
                x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum()
            },
        },
        Function {
            name: "ackley",
            space: ["a", "b", "c", "d"].map(|key| (key, Values::Uniform(-30.0, 20.0))).to_vec(),
            at: |s| {
                let x = ["a", "b", "c", "d"].map(|key| number(s, key));
                let mean = |f: fn(f64) -> f64| x.iter().map(|x| f(*x)).sum::<f64>() / 4.0;
                -20.0 * (-0.2 * mean(|x| x * x).sqrt()).exp() - mean(|x| (TAU * x).cos()).exp() + 20.0 + 1.0f64.exp()
            },
        },
        Function {
            name: "hartmann3",
            space: ["a", "b", "c"].map(|key| (key, Values::Uniform(0.0, 1.0))).to_vec(),
            at: |s| {
                let x = ["a", "b", "c"].map(|key| number(s, key));
                let scale = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
                let place = [
                    [0.3689, 0.1170, 0.2673],
                    [0.4699, 0.4387, 0.7470],
                    [0.1091, 0.8732, 0.5547],
                    [0.03815, 0.5743, 0.8828],
                ];
                let height = [1.0, 1.2, 3.0, 3.2];
                -(0..4)
                    .map(|i| {
                        height[i] * (-(0..3).map(|j| scale[i][j] * (x[j] - place[i][j]).powi(2)).sum::<f64>()).exp()
                    })
                    .sum::<f64>()
            },
        },
        Function {
            // What a search for settings looks like: a rate, a width, a depth, a dropout, and a kind that changes the best rate.
            name: "settings",
            space: vec![
                ("rate", Values::Log(1e-5, 1.0)),
                ("width", Values::Choices([16, 32, 64, 128, 256, 512].map(Value::from).to_vec())),
                ("depth", Values::Choices((1..=8).map(Value::from).collect())),
                ("dropout", Values::Uniform(0.0, 0.9)),
                ("kind", words(&["adam", "adamw", "sgd"])),
            ],
            at: |s| {
                let kind = s.get("kind").and_then(Value::as_str).unwrap_or_default();
                let (best_rate, cost) = match kind {
                    "adam" => (-2.5, 0.0),
                    "adamw" => (-3.0, 0.05),
                    _ => (-1.0, 0.1),
                };
                let rate = (number(s, "rate").log10() - best_rate).powi(2) / 4.0;
                let width = (number(s, "width").log2() - 8.0).powi(2) / 20.0;
                let depth = (number(s, "depth") - 3.0).powi(2) / 20.0;
                rate + width + depth + (number(s, "dropout") - 0.6).powi(2) + cost
            },
        },
    ]
}
