//! Processes that `mpirun` starts: training, resuming, evaluating, predicting, and what happens when one dies. Skipped with a line where there is
//! no `mpirun`, or the command was built without the feature `mpi`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const FARHOP: &str = env!("CARGO_BIN_EXE_farhop");

fn is_there() -> bool {
    let found = Command::new("mpirun").arg("--version").output().is_ok_and(|output| output.status.success());
    if !cfg!(feature = "mpi") || !found {
        println!("skipped: no mpirun, or farhop was built without the feature mpi");
    }
    cfg!(feature = "mpi") && found
}

fn mpirun(processes: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", &processes.to_string(), FARHOP]);
    command.env("FARHOP_CACHE", "").env("FARHOP_PATIENCE", "60");
    command
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    output
}

fn losses(run: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let loss = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["loss"].as_f64().unwrap();
    text.lines().map(loss).collect()
}

/// A ring with chords, as tables.
fn tables(place: &Path) -> [PathBuf; 2] {
    let (nodes, edges) = (place.join("nodes.csv"), place.join("edges.csv"));
    let mut text = "id,x,y,label\n".to_string();
    for node in 0..120 {
        text.push_str(&format!(
            "n{node},{},{},{}\n",
            (node * 37 % 11) as f64 / 7.0,
            node % 5,
            ["a", "b", "c"][node * 7 % 3]
        ));
    }
    std::fs::write(&nodes, text).unwrap();
    let mut text = "source,target\n".to_string();
    for node in 0..120 {
        text.push_str(&format!("n{node},n{}\nn{node},n{}\n", (node + 1) % 120, (node * node + 7) % 120));
    }
    std::fs::write(&edges, text).unwrap();
    [nodes, edges]
}

const SETTINGS: [&str; 9] =
    ["--threads", "1", "--width", "8", "--hops", "3", "--quiet", "--checkpoint-every", "1 epochs"];
const SHORT: [&str; 2] = ["--epochs", "6"];
const ENDLESS: [&str; 4] = ["--epochs", "100000", "--patience", "none"];

#[test]
fn several_processes_train_what_one_does() {
    if !is_there() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let [nodes, edges] = tables(place.path());
    let path = |name: &str| place.path().join(name);
    let data = |command: &mut Command| {
        command.arg("--nodes").arg(&nodes).arg("--edges").arg(&edges).args(["--target", "label"]);
    };
    let mut one = Command::new(FARHOP);
    one.arg("train").args(SETTINGS).args(SHORT).arg("--out").arg(path("one"));
    data(&mut one);
    succeed(&mut one);
    let expected = losses(&path("one"));
    for parts in [2, 3] {
        let folder = path(&format!("{parts}.parts"));
        let mut divide = Command::new(FARHOP);
        divide.args(["data", "partition", "--parts", &parts.to_string(), "--out"]).arg(&folder);
        data(&mut divide);
        succeed(&mut divide);
    }
    let run = path("several");
    succeed(mpirun(2).arg("train").arg(path("2.parts")).args(SETTINGS).args(SHORT).arg("--out").arg(&run));
    let found = losses(&run);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5 * expected, "{found} for {expected}");
    }
    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(run.join("run.json")).unwrap()).unwrap();
    let figures = &record["together"];
    let processes = figures["processes"].as_array().unwrap();
    assert_eq!(processes.len(), 2);
    assert_eq!(processes.iter().map(|process| process["own_nodes"].as_u64().unwrap()).sum::<u64>(), 120);
    assert!(figures["imbalance"].as_f64().unwrap() >= 1.0 && figures["computing_imbalance"].as_f64().unwrap() >= 1.0);
    // Nothing of an epoch is missing, nothing counted twice.
    let times =
        ["computing_seconds", "exchange_seconds", "waiting_seconds"].map(|key| processes[0][key].as_f64().unwrap());
    let epoch = record["seconds_per_epoch"].as_f64().unwrap();
    assert!((times.iter().sum::<f64>() - epoch).abs() < 1e-6 * epoch, "{times:?} of {epoch}");
    let told = succeed(mpirun(2).args(["evaluate", "--json", "--quiet"]).arg(&run)).stdout;
    let told: serde_json::Value = serde_json::from_slice(&told).expect("one object, of the first process");
    assert_eq!(told["split"], "test");
    succeed(mpirun(2).args(["predict", "--quiet"]).arg(&run).arg("--out").arg(path("several.csv")));
    succeed(Command::new(FARHOP).args(["predict", "--quiet"]).arg(path("one")).arg("--out").arg(path("one.csv")));
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path(name)).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
    };
    let (one, several) = (rows("one.csv"), rows("several.csv"));
    assert_eq!(one.len(), several.len());
    for (one, several) in one.iter().zip(&several) {
        assert_eq!(one[0], several[0], "the same ids in the same order");
        for (one, several) in one.iter().zip(several) {
            if let (Ok(one), Ok(several)) = (one.parse::<f64>(), several.parse::<f64>()) {
                assert!((one - several).abs() < 1e-4, "{one} and {several}");
            }
        }
    }
    // With another number of processes it goes on.
    let mut resume = mpirun(3);
    resume.args(["train", "--quiet", "--threads", "1", "--epochs", "8", "--resume"]).arg(&run).arg(path("3.parts"));
    succeed(&mut resume);
    assert_eq!(losses(&run).len(), 8);
    // As many processes as parts, or none.
    let output = mpirun(3).arg("train").arg(path("2.parts")).args(SETTINGS).args(SHORT).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("has 2 parts, and there are 3 processes"), "{text}");
}

/// Many graphs need no parts: every process takes a share of every batch.
#[test]
fn several_processes_share_batches_of_graphs() {
    if !is_there() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let asked = ["train", "ring-transfer", "--threads", "1", "--width", "8", "--quiet", "--epochs", "2", "--out"];
    succeed(Command::new(FARHOP).args(asked).arg(path("one")).env("FARHOP_CACHE", ""));
    succeed(mpirun(3).args(asked).arg(path("three")));
    let (one, three) = (losses(&path("one")), losses(&path("three")));
    assert_eq!(one.len(), 2);
    for (one, three) in one.iter().zip(&three) {
        assert!((one - three).abs() <= 1e-5 * one, "{three} for {one}");
    }
    let told = succeed(mpirun(3).args(["evaluate", "--json", "--quiet"]).arg(path("three"))).stdout;
    let told: serde_json::Value = serde_json::from_slice(&told).expect("one object, of the first process");
    let alone = succeed(Command::new(FARHOP).args(["evaluate", "--json", "--quiet"]).arg(path("three"))).stdout;
    let alone: serde_json::Value = serde_json::from_slice(&alone).unwrap();
    assert_eq!((told["score"].as_f64(), &told["graphs"]), (alone["score"].as_f64(), &alone["graphs"]));
    for (processes, name) in [(1, "one.csv"), (3, "three.csv")] {
        succeed(mpirun(processes).args(["predict", "--quiet"]).arg(path("three")).arg("--out").arg(path(name)));
    }
    let rows = |name: &str| std::fs::read_to_string(path(name)).unwrap().lines().count();
    assert_eq!(rows("one.csv"), rows("three.csv"));
    // One graph is not shared out.
    let [nodes, edges] = tables(place.path());
    let mut whole = mpirun(2);
    whole.args(["train", "--target", "label", "--quiet", "--nodes"]).arg(&nodes).arg("--edges").arg(&edges);
    let output = whole.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("Divide it first"), "{text}");
}

/// Two processes of one run that were started with different words behind `train`.
#[test]
fn processes_with_different_recipes_are_refused() {
    if !is_there() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (parts, run) = (divided(place.path(), 2), place.path().join("run"));
    let mut command = mpirun(1);
    command.arg("train").arg(&parts).args(SETTINGS).args(SHORT).arg("--out").arg(&run);
    command
        .args([":", "-n", "1", FARHOP, "train"])
        .arg(&parts)
        .args(SETTINGS)
        .args(["--epochs", "7", "--out"])
        .arg(&run);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let line =
        "error: the recipe of process 1 is not that of process 0 (train.epochs is 7 and 6). Start all with the same.";
    assert!(!output.status.success() && text.lines().any(|found| found == line), "{text}");
    assert!(!run.exists(), "nothing was trained");
}

/// The folder of a graph in so many parts.
fn divided(place: &Path, parts: usize) -> PathBuf {
    let [nodes, edges] = tables(place);
    let folder = place.join(format!("{parts}.parts"));
    let mut divide = Command::new(FARHOP);
    divide.args(["data", "partition", "--parts", &parts.to_string(), "--target", "label", "--out"]).arg(&folder);
    succeed(divide.arg("--nodes").arg(&nodes).arg("--edges").arg(&edges));
    folder
}

#[test]
fn a_process_that_dies_ends_the_others() {
    if !is_there() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (parts, run) = (divided(place.path(), 3), place.path().join("run"));
    let mut train = mpirun(3);
    train.arg("train").arg(&parts).args(SETTINGS).args(ENDLESS).arg("--out").arg(&run);
    let mut child = train.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !run.join("metrics.jsonl").is_file() || losses_so_far(&run) < 3 {
        assert!(begun.elapsed() < Duration::from_secs(120), "it never begins");
        std::thread::sleep(Duration::from_millis(100));
    }
    // One of the processes whose parent is mpirun.
    let children = Command::new("pgrep").args(["-P", &child.id().to_string()]).output().unwrap().stdout;
    let children = String::from_utf8_lossy(&children).into_owned();
    let victim = children.lines().last().expect("a process of mpirun").to_string();
    assert!(Command::new("kill").args(["-9", &victim]).status().unwrap().success());
    let killed = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(!status.success());
            break;
        }
        assert!(killed.elapsed() < Duration::from_secs(90), "the others hang");
        std::thread::sleep(Duration::from_millis(100));
    }
    // Both others have left a line about it.
    let log = std::fs::read_to_string(run.join("processes.log")).unwrap();
    let told = |line: &&str| line.contains(&format!("(number {victim})")) && line.contains("ended");
    let mut tellers: Vec<&str> =
        log.lines().filter(told).filter_map(|line| line.split_once(" process ")?.1.split(' ').next()).collect();
    tellers.sort_unstable();
    tellers.dedup();
    assert_eq!(tellers.len(), 2, "{log}");
    // What was saved is whole, and goes on.
    let done = losses_so_far(&run);
    let more = (done + 2).to_string();
    succeed(mpirun(3).args(["train", "--quiet", "--threads", "1", "--epochs", &more, "--resume"]).arg(&run));
}

fn losses_so_far(run: &Path) -> usize {
    std::fs::read_to_string(run.join("metrics.jsonl")).map_or(0, |text| text.lines().count())
}
