//! Numbers that would make a run useless are refused before it begins.

use crate::support::Place;

const TRAIN: &str =
    "train --nodes nodes.csv --edges edges.csv --target label --fill mean --width 4 --layers 1 --epochs 2 --quiet";

#[test]
fn every_number_is_in_its_range() {
    let place = Place::with_tables();
    let huge = u64::MAX.to_string();
    let sound = |more: &str| {
        let line = format!("{TRAIN} {more} --out run").replace("--epochs 2 --quiet --epochs", "--quiet --epochs");
        place.refuses(&line, 2, &[]);
        assert!(!place.path("run").exists(), "{more}: a run was begun");
    };
    for flag in
        ["--patience", "--epochs", "--batch-size", "--warmup-epochs", "--evaluate-every", "--parts", "--split-seed"]
    {
        sound(&format!("{flag} {huge}"));
    }
    for more in [
        "--clip-norm=-1",
        "--clip-norm 0",
        "--clip-norm nan",
        "--clip-norm inf",
        "--weight-decay=-10",
        "--weight-decay nan",
        "--learning-rate 0",
        "--learning-rate=-1",
        "--learning-rate nan",
        "--learning-rate 1e9",
        "--dropout 1",
        "--dropout=-0.1",
        "--input-dropout nan",
        "--gamma 2",
        "--hops 0",
        "--hops 100",
        "--heads 0",
        "--walk 257",
        "--laplacian 257",
        "--most-layers 1",
        "--seed 9223372036854775808",
    ] {
        sound(more);
    }
    sound(&format!("--checkpoint-every={huge}_epochs"));
}

#[test]
fn more_threads_than_any_machine_has_are_a_slip() {
    let place = Place::new();
    place.refuses("doctor --threads 10000", 2, &["--threads 10000", "1 to 1,024"]);
    place.farhop("doctor --threads 3 --quiet").succeeded();
}
