//! Killed at any moment: there is always a whole checkpoint, and going on from it leads to the same bits.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use farhop_graph::random::mix;
use farhop_train::run::checkpoint::{load, save};
use farhop_train::run::{Checkpoint, Progress};
use farhop_train::{CheckpointEvery, RunFolder, TrainedRun};

const SAVING: &str = "FARHOP_TEST_SAVING";
const TRAINING: &str = "FARHOP_TEST_TRAINING";

/// Runs one function of this file in a process of its own.
fn start(function: &str, variable: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", function])
        .env(variable, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// All parts are made of the epoch, so that a mixture of two saves would show.
fn checkpoint(epoch: usize) -> Checkpoint {
    let part = |length: usize| vec![(epoch % 251) as u8; length];
    Checkpoint {
        progress: Progress { epoch, ..Progress::default() },
        weights: part(200_000),
        best: part(100_000),
        optimizer: part(400_000),
    }
}

/// Not a test by itself: saves as fast as it can until it is killed.
#[test]
fn child_saves_without_end() {
    let Some(place) = std::env::var_os(SAVING) else {
        return;
    };
    let place = Path::new(&place);
    let first = load(place).unwrap().map_or(1, |found| found.checkpoint.progress.epoch + 1);
    for epoch in first.. {
        save(place, &checkpoint(epoch)).unwrap();
    }
}

#[test]
fn every_kill_leaves_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    save(&place, &checkpoint(1)).unwrap();
    let mut last = 1;
    for round in 0..40 {
        let mut child = start("child_saves_without_end", SAVING, &place);
        let deadline = Instant::now() + Duration::from_secs(20);
        // Not before the child has saved once: a kill that hits no save proves nothing.
        while load(&place).unwrap().unwrap().checkpoint.progress.epoch == last {
            assert!(Instant::now() < deadline, "the child saves nothing");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(mix(5, round) % 30_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = load(&place).unwrap().unwrap();
        let epoch = found.checkpoint.progress.epoch;
        assert!(epoch > last, "a newer checkpoint was lost");
        assert_eq!(found.checkpoint, checkpoint(epoch));
        last = epoch;
    }
}

fn recipe() -> farhop_train::Recipe {
    let mut recipe = common::recipe(200);
    recipe.train.checkpoint_every = CheckpointEvery::Epochs(1);
    recipe
}

/// Not a test by itself: begins or continues a run, until it ends or is killed.
#[test]
fn child_trains() {
    let Some(path) = std::env::var_os(TRAINING) else {
        return;
    };
    let path = Path::new(&path);
    let mut folder =
        if path.join("run.json").exists() { RunFolder::resume(path).unwrap() } else { common::create(path, &recipe()) };
    common::train(&common::Ring::new(), &mut folder).unwrap();
}

#[test]
fn a_run_killed_many_times_ends_like_one_that_was_left_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let alone = temporary.path().join("alone");
    common::train(&common::Ring::new(), &mut common::create(&alone, &recipe())).unwrap();

    let killed = temporary.path().join("killed");
    let mut kills = 0;
    for round in 0..30 {
        let mut child = start("child_trains", TRAINING, &killed);
        std::thread::sleep(Duration::from_micros(mix(6, round) % 120_000));
        if child.try_wait().unwrap().is_none() {
            kills += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if killed.join("checkpoint").exists() {
            load(&killed.join("checkpoint")).unwrap();
        }
    }
    assert!(kills >= 5, "only {kills} kills hit a running process");
    assert!(start("child_trains", TRAINING, &killed).wait().unwrap().success());

    let weights = |path: &Path| fs::read(path.join("model.safetensors")).unwrap();
    assert_eq!(weights(&alone), weights(&killed));
    assert_eq!(common::timeless_metrics(&alone), common::timeless_metrics(&killed));
    let (alone, killed) = (TrainedRun::open(&alone).unwrap().record, TrainedRun::open(&killed).unwrap().record);
    assert_eq!(alone.scores, killed.scores);
    assert_eq!(alone.best_epoch, killed.best_epoch);
}
