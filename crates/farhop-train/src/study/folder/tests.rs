//! Folders that several processes work on.

use super::*;
use crate::study::{Dimension, Values};
use serde_json::{Value, json};

fn space() -> Space {
    let dimension = |key: &str, values| Dimension { key: key.into(), values, when: Vec::new() };
    let hops = Values::Choices([1, 2, 4, 8].map(Value::from).to_vec());
    Space { dimensions: vec![dimension("model.hops", hops), dimension("model.dropout", Values::Uniform(0.0, 1.0))] }
}

fn description() -> Description {
    Description {
        data: "cora".into(),
        base: "base".into(),
        space: "space".into(),
        metric: "accuracy".into(),
        higher_is_better: true,
        seed: 1,
    }
}

fn finish(mut claim: Claim, score: f64) {
    claim.trial.score = Some(score);
    claim.trial.state = State::Finished;
    claim.save().unwrap();
}

#[test]
fn two_workers_never_have_the_same_trial_and_a_dropped_one_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Study::open(folder.path(), description(), space()).unwrap();
    let (one, two) = (open(), open());
    let first = one.claim(3, None).unwrap().unwrap();
    let second = two.claim(3, None).unwrap().unwrap();
    assert_eq!((first.trial.number, second.trial.number), (0, 1));
    // The process of trial 0 ends without a word.
    let settings = first.trial.settings.clone();
    drop(first);
    let again = two.claim(3, None).unwrap().unwrap();
    assert_eq!((again.trial.number, &again.trial.settings), (0, &settings));
    assert_eq!(again.others.iter().map(|other| other.number).collect::<Vec<_>>(), [1]);
    finish(again, 0.5);
    finish(second, 0.7);
    let third = one.claim(3, None).unwrap().unwrap();
    assert_eq!(third.trial.number, 2);
    assert!(two.claim(3, None).unwrap().is_none(), "all that was wanted is begun");
    finish(third, 0.7);
    assert_eq!(one.best(&one.trials().unwrap()).unwrap().number, 1, "the first of equals");
}

#[test]
fn the_first_trial_is_what_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::open(folder.path(), description(), space()).unwrap();
    let given = Point::from_iter([("model.hops".to_string(), json!(4))]);
    assert_eq!(study.claim(1, Some(&given)).unwrap().unwrap().trial.settings, given);
}

#[test]
fn a_study_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Study::open(folder.path(), description(), space()).unwrap();
    let other = Description { data: "pubmed".into(), ..description() };
    let error = Study::open(folder.path(), other, space()).unwrap_err().to_string();
    assert!(error.contains("other data") && error.contains("another folder"), "{error}");
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("thesis.tex"), "x").unwrap();
    assert!(Study::open(foreign.path(), description(), space()).is_err());
    assert_eq!(fs::read_dir(foreign.path()).unwrap().count(), 1, "nothing was written there");
}

#[test]
fn a_damaged_trial_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::open(folder.path(), description(), space()).unwrap();
    let claim = study.claim(2, None).unwrap().unwrap();
    fs::write(&claim.file, "{").unwrap();
    let error = study.trials().unwrap_err().to_string();
    assert!(error.contains("trial.json") && error.contains("Remove"), "{error}");
}

/// Where less is better, the best is the least.
#[test]
fn errors_are_searched_downwards() {
    let folder = tempfile::tempdir().unwrap();
    let description = Description { higher_is_better: false, ..description() };
    let study = Study::open(folder.path(), description, space()).unwrap();
    for _ in 0..30 {
        let claim = study.claim(30, None).unwrap().unwrap();
        let at = claim.trial.settings["model.dropout"].as_f64().unwrap();
        finish(claim, (at - 0.3).abs());
    }
    let trials = study.trials().unwrap();
    let best = study.best(&trials).unwrap();
    assert!(best.score.unwrap() < 0.02, "{best:?}");
}
