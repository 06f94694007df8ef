//! The training loop: it learns, keeps the best, stops when asked, and goes on with the same bits.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use common::{CLASSES, Recorder, Ring, create, recipe, timeless_metrics, train, train_watched};
use farhop_data::metrics::Metric;
use farhop_data::{Dataset, Target};
use farhop_train::run::checkpoint::load;
use farhop_train::{
    CheckpointEvery, Encodings, LossKind, Outcome, Outputs, Recipe, RunFolder, Schedule, Silent, Status, Task,
    TrainConfig, TrainedRun, probabilities, softmax_rows,
};

#[test]
fn it_learns_what_can_be_learned() {
    for model in ["gen", "mlp", "gcn"] {
        let mut recipe = Recipe { model: Recipe::for_model(model).unwrap().model, ..recipe(150) };
        recipe.train.learning_rate = 0.02;
        let mut recorder = Recorder::new();
        let fitted = common::train_free(&Ring::new(), &recipe, &mut recorder).unwrap();
        let (first, last) = (&recorder.reports[0], recorder.reports.last().unwrap());
        assert!(last.loss < 0.7 * first.loss, "{model}: {first:?} {last:?}");
        assert!(fitted.summary.scores.train.unwrap() > 0.75, "{model}");
        assert_eq!(fitted.summary.epochs, 150);
        assert_eq!(fitted.summary.outcome, Outcome::Finished);
        assert_eq!(fitted.summary.parameters, fitted.model.parameters());
    }
}

#[test]
fn the_model_returned_is_the_best_on_validation() {
    let ring = Ring::new();
    let mut recorder = Recorder::new();
    let fitted = common::train_free(&ring, &recipe(60), &mut recorder).unwrap();
    let best = recorder
        .reports
        .iter()
        .reduce(|best, report| {
            let better =
                report.valid > best.valid || (report.valid == best.valid && report.valid_loss < best.valid_loss);
            if better { report } else { best }
        })
        .unwrap();
    assert_eq!(fitted.summary.best_epoch, Some(best.epoch));
    let outputs = Outputs::of_all(&ring.task(), &fitted.model).unwrap().values;
    let valid = &ring.dataset.split.valid;
    assert_eq!(Some(ring.accuracy(&outputs, valid)), best.valid);
    let Target::Class { labels, .. } = &ring.dataset.target else { unreachable!() };
    let loss = |node: &u32| {
        let row = &softmax_rows(&outputs, CLASSES)[*node as usize * CLASSES..];
        -f64::from(row[labels[*node as usize].unwrap() as usize]).ln()
    };
    let expected = valid.iter().map(loss).sum::<f64>() / valid.len() as f64;
    assert!((expected - best.valid_loss.unwrap()).abs() < 1e-5);
    assert_eq!(fitted.summary.scores.valid, best.valid);
}

#[test]
fn it_stops_early_after_patience_epochs_without_a_better_one() {
    let mut recipe = recipe(3000);
    recipe.train.patience = Some(15);
    recipe.train.schedule = Schedule::Constant;
    let fitted = common::train_free(&Ring::new(), &recipe, &mut Silent).unwrap();
    assert_eq!(fitted.summary.outcome, Outcome::StoppedEarly);
    assert_eq!(fitted.summary.epochs, fitted.summary.best_epoch.unwrap() + 15);
}

#[test]
fn without_validation_nodes_the_last_weights_are_kept() {
    let mut ring = Ring::new();
    ring.dataset.split.valid.clear();
    let mut recorder = Recorder::new();
    let fitted = common::train_free(&ring, &recipe(20), &mut recorder).unwrap();
    assert_eq!(fitted.summary.best_epoch, Some(20));
    assert_eq!(fitted.summary.scores.valid, None);
    assert_eq!(fitted.summary.scores.train, recorder.reports.last().unwrap().train);
}

#[test]
fn evaluations_come_every_so_many_epochs_and_at_the_end() {
    let mut recipe = recipe(11);
    recipe.train.evaluate_every = 4;
    let mut recorder = Recorder::new();
    common::train_free(&Ring::new(), &recipe, &mut recorder).unwrap();
    let evaluated: Vec<usize> =
        recorder.reports.iter().filter(|report| report.valid.is_some()).map(|report| report.epoch).collect();
    assert_eq!(evaluated, [4, 8, 11]);
}

fn weights(path: &Path) -> Vec<u8> {
    fs::read(path.join("model.safetensors")).unwrap()
}

/// Recipes whose every random or running state has to survive a stop.
fn stateful_recipes() -> Vec<Recipe> {
    let plain = recipe(25);
    let mut seldom_evaluated = recipe(25);
    seldom_evaluated.train.evaluate_every = 3;
    let mut running_statistics = recipe(25);
    running_statistics.model = running_statistics.model.with("norm", "batch").unwrap();
    let mut attention = recipe(25);
    let settings = serde_json::json!({
        "kind": "gen", "width": 8, "layers": 2, "heads": 2, "hops": 3, "dropout": 0.2, "attention_dropout": 0.3,
    });
    attention.model = serde_json::from_value(settings).unwrap();
    let mut restless = recipe(25);
    restless.train.learning_rate = 1.0;
    restless.train.schedule = Schedule::Constant;
    let mut two_phases = recipe(25);
    let settings = serde_json::json!({ "kind": "cpgnn", "width": 8, "first_epochs": 7 });
    two_phases.model = serde_json::from_value(settings).unwrap();
    vec![plain, seldom_evaluated, running_statistics, attention, restless, two_phases]
}

#[test]
fn a_second_phase_begins_after_the_first_epochs() {
    for model in ["cpgnn", "polynormer"] {
        let losses = |first: usize| {
            let settings = serde_json::json!({ "kind": model, "width": 8, "dropout": 0.0, "first_epochs": first });
            let recipe = Recipe { model: serde_json::from_value(settings).unwrap(), ..recipe(8) };
            let mut recorder = Recorder::new();
            common::train_free(&Ring::new(), &recipe, &mut recorder).unwrap();
            recorder.reports.iter().map(|report| report.loss).collect::<Vec<_>>()
        };
        let (first_only, both, second_only) = (losses(100), losses(5), losses(0));
        assert_eq!(first_only[..5], both[..5], "{model}");
        assert_ne!(first_only[5], both[5], "{model}");
        assert_ne!(second_only[0], both[0], "{model}");
    }
}

#[test]
fn stopped_at_any_epoch_and_resumed_it_ends_with_the_same_bits() {
    let temporary = tempfile::tempdir().unwrap();
    let ring = Ring::new();
    let mut best_before_a_stop = false;
    for (number, recipe) in stateful_recipes().iter().enumerate() {
        let whole = temporary.path().join(format!("whole {number}"));
        let expected = train(&ring, &mut create(&whole, recipe)).unwrap().summary;
        let best = expected.best_epoch.unwrap();
        best_before_a_stop |= best < 24;
        for stop_at in [1, 2, 7, 13, 24, (best + 1).min(24)] {
            let path = temporary.path().join(format!("part {number}"));
            let stop = AtomicBool::new(false);
            let mut recorder = Recorder::new();
            recorder.stop_after = Some((stop_at, &stop));
            let mut folder = RunFolder::create(&path, true, recipe, common::record()).unwrap();
            let first = train_watched(&ring, &mut folder, &mut recorder, &stop).unwrap();
            assert_eq!(first.summary.outcome, Outcome::Interrupted);
            assert_eq!(first.summary.epochs, stop_at);
            assert_eq!(folder.record().status, Status::Interrupted);
            assert_eq!(timeless_metrics(&path).len(), stop_at);
            drop(folder);

            let mut folder = RunFolder::resume(&path).unwrap();
            let second = train(&ring, &mut folder).unwrap().summary;
            assert_eq!(weights(&path), weights(&whole), "{number}, {stop_at}");
            assert_eq!(timeless_metrics(&path), timeless_metrics(&whole));
            assert_eq!(second.scores, expected.scores);
            assert_eq!(second.best_epoch, expected.best_epoch);
            assert_eq!(second.epochs, expected.epochs);
            let last = |path: &Path| load(&path.join("checkpoint")).unwrap().unwrap().checkpoint;
            assert_eq!(last(&path).weights, last(&whole).weights);
            assert_eq!(last(&path).optimizer, last(&whole).optimizer);
        }
    }
    assert!(best_before_a_stop, "no run shows that the best weights survive");
}

#[test]
fn epochs_after_the_checkpoint_are_not_in_the_metrics_twice() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    train(&ring, &mut create(&path, &recipe(9))).unwrap();
    let expected = timeless_metrics(&path);
    // As a kill would leave it: lines the checkpoint does not know, the last one cut short.
    let metrics = path.join("metrics.jsonl");
    let mut text = fs::read_to_string(&metrics).unwrap();
    let line = text.lines().last().unwrap().replace("\"epoch\":9", "\"epoch\":10");
    text.push_str(&line);
    text.push('\n');
    text.push_str(&line[..line.len() / 2]);
    fs::write(&metrics, text).unwrap();
    let mut folder = RunFolder::resume(&path).unwrap();
    folder.set_epochs(12).unwrap();
    train(&ring, &mut folder).unwrap();
    let lines = timeless_metrics(&path);
    assert_eq!(lines[..9], expected);
    for (line, epoch) in lines.iter().zip(1..) {
        assert!(line.contains(&format!("\"epoch\":{epoch},")), "{line}");
    }
    assert_eq!(lines.len(), 12);
}

#[test]
fn resuming_a_finished_run_changes_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    let first = train(&ring, &mut create(&path, &recipe(6))).unwrap().summary;
    let before = weights(&path);
    let again = train(&ring, &mut RunFolder::resume(&path).unwrap()).unwrap().summary;
    assert_eq!(weights(&path), before);
    assert_eq!(again.scores, first.scores);
    assert_eq!(timeless_metrics(&path).len(), 6);
}

#[test]
fn numbers_that_stop_being_finite_stop_the_run_and_keep_the_last_good_state() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let mut recipe = recipe(50);
    // Numbers near the largest there are, and steps that make them larger.
    recipe.train.learning_rate = 1000.0;
    recipe.train.optimizer.weight_decay = 0.0;
    recipe.model = recipe.model.with("norm", "none").unwrap();
    recipe.train.warmup_epochs = 0;
    recipe.train.checkpoint_every = CheckpointEvery::Epochs(1);
    let mut folder = create(&path, &recipe);
    let ring = Ring::with_scale(1e34);
    let message = train(&ring, &mut folder).err().unwrap().to_string();
    assert!(message.starts_with("training stopped at epoch "), "{message}");
    assert!(message.contains("was the first to turn NaN or infinite"), "{message}");
    assert!(message.contains("The checkpoint of epoch "), "{message}");
    assert!(!message.contains('\n'));
    assert!(message.contains("the output of layers."), "{message}");
    assert_eq!(folder.record().status, Status::Failed);
    assert_eq!(folder.record().error.as_ref(), Some(&message));
    drop(folder);
    let run = TrainedRun::open(&path).unwrap();
    let outputs = run.outputs(&ring.task()).unwrap().values;
    assert!(outputs.iter().all(|value| value.is_finite()));
}

#[test]
fn averages_that_have_not_settled_do_not_stop_a_run() {
    // After one step evaluation still reads averages near 0 and 1, and what a scan makes of numbers that are too large
    // grows from layer to layer.
    let mut recipe = Recipe { model: Recipe::for_model("graph-mamba").unwrap().model, ..recipe(40) };
    recipe.model = recipe.model.with("layers", 8).unwrap().with("width", 16).unwrap().with("norm", "batch").unwrap();
    let mut recorder = Recorder::new();
    let fitted = common::train_free(&Ring::with_scale(10.0), &recipe, &mut recorder).unwrap();
    assert_eq!(recorder.reports[0].valid, None, "the first evaluation was finite: the test needs a deeper network");
    assert!(recorder.reports.iter().all(|report| report.loss.is_finite()));
    let best = fitted.summary.best_epoch.unwrap();
    assert_eq!(recorder.reports[best - 1].valid, fitted.summary.scores.valid);
    assert!(fitted.summary.scores.valid.is_some());

    // A run that is over by then has nothing to show, and the learning rate is not to blame.
    recipe.train.epochs = 1;
    let ended = common::train_free(&Ring::with_scale(10.0), &recipe, &mut Recorder::new()).err().unwrap().to_string();
    assert!(ended.starts_with("the averages of batch norm have seen too few steps (1): "), "{ended}");
    assert!(ended.ends_with("Train for more epochs (now 1)."), "{ended}");
}

#[test]
fn tasks_that_do_not_hold_together_are_refused() {
    let refuse = |change: fn(&mut Dataset), expected: &str| {
        let mut dataset = Ring::new().dataset;
        change(&mut dataset);
        let error = dataset.check().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refuse(|dataset| dataset.split.test.push(0), "row 0 is in train and in test");
    refuse(|dataset| dataset.split.valid.push(5000), "row 5000");
    refuse(|dataset| dataset.nodes.width = 4, "450 numbers of width 4");
    refuse(
        |dataset| {
            let Target::Class { labels, .. } = &mut dataset.target else { unreachable!() };
            labels[3] = Some(17);
        },
        "label 17 of 3 classes",
    );
    let mut ring = Ring::new();
    ring.dataset.split.train.clear();
    let error = common::train_free(&ring, &recipe(2), &mut Silent).err().unwrap().to_string();
    assert!(error.contains("the training part is empty"), "{error}");
    let task = |metric, loss| {
        let mut dataset = Ring::new().dataset;
        dataset.metric = metric;
        let config = TrainConfig { loss, ..TrainConfig::default() };
        Task::new(dataset, Encodings::default(), &config, None).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        task(Metric::Mae, LossKind::Auto),
        "metric mae is not for classes. Allowed: accuracy, balanced-accuracy, macro-f1."
    );
    assert_eq!(
        task(Metric::Accuracy, LossKind::L1),
        "loss l1 is not for classes. Allowed: auto, cross-entropy or weighted-cross-entropy."
    );
}

#[test]
fn nodes_without_a_label_are_neither_learned_from_nor_scored() {
    let mut ring = Ring::new();
    let Target::Class { labels, .. } = &mut ring.dataset.target else { unreachable!() };
    for node in [3, 60] {
        labels[node] = None;
    }
    let task = ring.task();
    assert_eq!((task.split().train.len(), task.split().valid.len()), (49, 19));
    common::train_free(&ring, &recipe(2), &mut Silent).unwrap();
}

#[test]
fn a_run_predicts_what_was_scored() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    let fitted = train(&ring, &mut create(&path, &recipe(15))).unwrap();
    let run = TrainedRun::open(&path).unwrap();
    let outputs = run.outputs(&ring.task()).unwrap();
    assert_eq!(outputs.values, Outputs::of_all(&ring.task(), &fitted.model).unwrap().values);
    let scores = run.evaluate(&ring.task()).unwrap();
    assert_eq!(scores, fitted.summary.scores);
    assert_eq!(scores, run.record.scores);
    assert_eq!(run.record.status, Status::Finished);
    for row in probabilities(&ring.dataset.target, &outputs.values).chunks(CLASSES) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn probabilities_of_huge_logits_stay_finite() {
    let rows = softmax_rows(&[1e30, -1e30, 0.0, 88.0, 89.0, 90.0], 3);
    assert_eq!(rows[..3], [1.0, 0.0, 0.0]);
    assert!(rows[3..].iter().all(|value| value.is_finite() && *value > 0.0));
}
