//! The run folder: whose it is, what is in it, and what damage looks like.

mod common;

use std::fs;

use common::{Ring, create, recipe, record, train};
use farhop_data::{Columns, FeatureColumn, FeatureKind, Schema, SourceFile, TargetColumn};
use farhop_train::{Outputs, Recipe, RunFolder, SavedSchema, Status, Task, TrainedRun};

#[test]
fn a_second_process_is_told_who_is_working() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("mine");
    let folder = create(&path, &recipe(3));
    let expected = format!(
        "{} is in use by another farhop process (pid {}). Wait for it, or choose another `out`.",
        path.display(),
        std::process::id()
    );
    for overwrite in [false, true] {
        let error = RunFolder::create(&path, overwrite, &recipe(3), record()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(RunFolder::resume(&path).unwrap_err().to_string(), expected);
    drop(folder);
    RunFolder::resume(&path).unwrap();
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("photos");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("cat.jpg"), "cat").unwrap();
    for overwrite in [false, true] {
        let error = RunFolder::create(&path, overwrite, &recipe(3), record()).unwrap_err();
        assert!(error.to_string().contains("is not a run folder"), "{error}");
    }
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    let error = RunFolder::resume(&path).unwrap_err().to_string();
    assert!(error.contains("has no run.json"), "{error}");
    let error = TrainedRun::open(&path).err().unwrap().to_string();
    assert!(error.contains("has no run.json"), "{error}");
}

#[test]
fn an_existing_run_is_replaced_only_when_asked() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    drop(create(&path, &recipe(3)));
    let refused = || RunFolder::create(&path, false, &recipe(3), record()).unwrap_err().to_string();
    assert!(refused().contains("already holds an unfinished run"));
    train(&ring, &mut RunFolder::resume(&path).unwrap()).unwrap();
    assert!(refused().contains("already holds a finished run"));
    fs::write(path.join("notes.txt"), "keep me").unwrap();
    let folder = RunFolder::create(&path, true, &recipe(4), record()).unwrap();
    assert_eq!(folder.record().status, Status::Running);
    assert!(!path.join("model.safetensors").exists());
    assert!(!path.join("checkpoint").exists());
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "keep me");
    assert_eq!(Recipe::read(&path.join("recipe.toml")).unwrap().train.epochs, 4);
}

#[test]
fn a_run_killed_before_its_first_file_can_be_started_again() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("farhop.lock"), "1\n").unwrap();
    fs::write(path.join(".run.json.new"), "{").unwrap();
    create(&path, &recipe(3));
}

#[test]
fn a_flipped_byte_in_the_weights_is_noticed() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    train(&ring, &mut create(&path, &recipe(3))).unwrap();
    let file = path.join("model.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, bytes).unwrap();
    let error = TrainedRun::open(&path).err().unwrap().to_string();
    assert!(error.contains("model.safetensors"), "{error}");
    assert!(error.contains("checksum"), "{error}");
    // As the message says, resuming writes it again.
    train(&ring, &mut RunFolder::resume(&path).unwrap()).unwrap();
    TrainedRun::open(&path).unwrap();
}

#[test]
fn a_run_that_has_not_ended_predicts_from_its_checkpoint() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let ring = Ring::new();
    drop(create(&path, &recipe(3)));
    let error = TrainedRun::open(&path).err().unwrap().to_string();
    assert!(error.contains("has no saved weights yet"), "{error}");
    let fitted = train(&ring, &mut RunFolder::resume(&path).unwrap()).unwrap();
    // Killed after the weights, before the record: the record still says running, without a checksum.
    drop(RunFolder::resume(&path).unwrap());
    fs::remove_file(path.join("model.safetensors")).unwrap();
    let run = TrainedRun::open(&path).unwrap();
    assert_eq!(run.record.status, Status::Running);
    let expected = Outputs::of_all(&ring.task(), &fitted.model).unwrap().values;
    assert_eq!(run.outputs(&ring.task()).unwrap().values, expected);
}

#[test]
fn the_split_is_kept_by_id() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let with_ids = |order: &dyn Fn(usize) -> usize| {
        let mut ring = Ring::new();
        ring.dataset.ids = (0..common::NODES).map(|node| format!("n{}", order(node))).collect();
        ring.task()
    };
    let (straight, reversed) = (with_ids(&|node| node), with_ids(&|node| common::NODES - 1 - node));
    let folder = create(&path, &recipe(3));
    folder.write_split(&straight).unwrap();
    assert_eq!(folder.read_split(&straight).unwrap(), *straight.split());
    let split = folder.read_split(&reversed).unwrap();
    let named = |task: &Task, nodes: &[u32]| {
        let mut names: Vec<String> = nodes.iter().map(|node| task.unit_id(*node).into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(named(&straight, &straight.split().test), named(&reversed, &split.test));
    assert_ne!(straight.split().test, split.test);
    let error = folder.read_split(&with_ids(&|node| node + 1)).unwrap_err().to_string();
    assert!(error.contains("\"n0\" of the split is not in the data"), "{error}");
}

#[test]
fn the_schema_comes_back_exactly() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let mut folder = create(&path, &recipe(3));
    let column = |name: &str, kind| FeatureColumn { name: name.to_string(), kind };
    let schema = Schema {
        id: "id".to_string(),
        target: Some(TargetColumn::classes("a \"label\"\n", vec!["true".into(), "1".into(), String::new()])),
        split: None,
        features: vec![
            column(
                "height",
                FeatureKind::Number {
                    dates: true,
                    mean: 1.0 / 3.0,
                    shift: 0.1 + 0.2,
                    scale: 2.2250738585072014e-308,
                    fill: None,
                },
            ),
            column("colour", FeatureKind::Category { values: vec!["é".into(), "none".into()], allow_missing: true }),
        ],
        directed: true,
        edge_features: vec![column(
            "length",
            FeatureKind::Number { dates: false, mean: 0.1, shift: 0.7, scale: 3.0, fill: None },
        )],
    };
    let schema = SavedSchema::Nodes(schema);
    folder.write_schema(&schema).unwrap();
    train(&Ring::new(), &mut folder).unwrap();
    assert_eq!(TrainedRun::open(&path).unwrap().schema().unwrap(), Some(schema));
}

#[test]
fn other_data_is_refused() {
    let record = record();
    let same = SourceFile::of("elsewhere/nodes.csv", b"id\n");
    record.check_data(std::slice::from_ref(&same)).unwrap();
    let error = record.check_data(&[]).unwrap_err().to_string();
    assert!(error.contains("1 data files, now there are 0"), "{error}");
    let other = SourceFile::of("nodes.csv", b"id\n1\n");
    let error = record.check_data(&[other]).unwrap_err().to_string();
    assert!(error.starts_with("nodes.csv: "), "{error}");

    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    let mut ring = Ring::new();
    train(&ring, &mut create(&path, &recipe(3))).unwrap();
    ring.dataset.nodes = Columns::dense(2, vec![0.0; common::NODES * 2]);
    let error = train(&ring, &mut RunFolder::resume(&path).unwrap()).err().unwrap();
    assert!(error.to_string().contains("started with other features"), "{error}");
    let run = TrainedRun::open(&path).unwrap();
    let error = run.outputs(&ring.task()).unwrap_err().to_string();
    assert!(error.contains("does not have the features"), "{error}");
}

#[test]
fn the_record_is_complete_at_the_end() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("run");
    train(&Ring::new(), &mut create(&path, &recipe(3))).unwrap();
    let text = fs::read_to_string(path.join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["status"], "finished");
    assert_eq!(record["epochs"], 3);
    assert_eq!(record["seed"], 11);
    assert_eq!(record["model"], "mlp");
    assert_eq!(record["nodes"], common::NODES);
    assert_eq!(record["data"][0]["path"], "nodes.csv");
    for field in ["best_epoch", "seconds", "seconds_per_epoch", "parameters", "model_sha256", "started"] {
        assert!(!record[field].is_null(), "{field} is missing");
    }
    for part in ["train", "valid", "test"] {
        assert!(record["scores"][part].is_number());
    }
    assert!(record["machine"]["cores"].as_u64().unwrap() >= 1);
    if cfg!(target_os = "linux") {
        assert!(record["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
    }
}
