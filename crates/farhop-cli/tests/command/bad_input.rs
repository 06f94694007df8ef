//! Every way a user's input can be wrong: one line, the right exit code, and nothing lost that was saved.

use std::fs;
use std::process::{Command, Stdio};

use farhop_train::run::FolderLock;

use crate::support::{Answer, Place, answer, edges, nodes};

const TRAIN: &str = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --model mlp --width 4 --epochs 2 --out run --quiet";

/// One case: what is wrong with the tables, the command, the exit code, and what the error says.
struct Case {
    name: &'static str,
    files: Vec<(&'static str, String)>,
    line: String,
    code: i32,
    says: &'static [&'static str],
}

fn case(name: &'static str, files: Vec<(&'static str, String)>, code: i32, says: &'static [&'static str]) -> Case {
    Case { name, files, line: TRAIN.to_string(), code, says }
}

fn asked(name: &'static str, line: &str, code: i32, says: &'static [&'static str]) -> Case {
    Case { name, files: Vec::new(), line: line.to_string(), code, says }
}

/// Exactly one line on standard error, nothing on standard output.
fn check(name: &str, answer: &Answer, code: i32, says: &[&str]) {
    assert_eq!(answer.code, Some(code), "{name}: {}", answer.stderr);
    assert_eq!(answer.stdout, "", "{name}");
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{name} says more than one line:\n{}", answer.stderr);
    assert!(lines[0].starts_with("error: "), "{name}: {}", lines[0]);
    for words in says {
        assert!(lines[0].contains(words), "{name}: {words:?} is not in\n{}", lines[0]);
    }
}

fn with_nodes(change: impl FnOnce(String) -> String) -> Vec<(&'static str, String)> {
    vec![("nodes.csv", change(nodes(40)))]
}

fn with_edges(change: impl FnOnce(String) -> String) -> Vec<(&'static str, String)> {
    vec![("edges.csv", change(edges(40)))]
}

/// The table with a split column; node 1 is repeated in another part.
fn overlapping(text: String) -> String {
    let mut table = String::new();
    for (row, line) in text.lines().enumerate() {
        let part = ["split", "test", "train", "train", "valid"][if row == 0 { 0 } else { 1 + row % 4 }];
        table.push_str(&format!("{line},{part}\n"));
    }
    table + "n-001,green,7.5,cold,test\n"
}

fn cases() -> Vec<Case> {
    vec![
        case(
            "id not in the nodes table",
            with_edges(|text| text.replacen("n-001,n-002", "n-001,zz9", 1)),
            1,
            &["edges.csv, line 4", "\"zz9\"", "nodes.csv", "--add-missing-nodes"],
        ),
        case(
            "label that occurs once",
            with_nodes(|text| text.replacen(",warm", ",odd", 1)),
            1,
            &["nodes.csv, line 2", "\"odd\"", "only on this line"],
        ),
        case(
            "text in a column of numbers",
            with_nodes(|text| text.replacen(",7.5,", ",wide,", 1)),
            1,
            &["nodes.csv, line 3", "\"wide\"", "\"size\"", "--category size"],
        ),
        case(
            "NaN",
            with_nodes(|text| text.replacen(",7.5,", ",NaN,", 1)),
            1,
            &["nodes.csv, line 3", "\"NaN\"", "--fill mean"],
        ),
        case(
            "infinite number",
            with_nodes(|text| text.replacen(",7.5,", ",1e99,", 1)),
            1,
            &["nodes.csv, line 3", "\"1e99\"", "--fill mean"],
        ),
        case(
            "ragged row",
            with_nodes(|text| text.replacen("n-002,blue,", "n-002,blue,extra,", 1)),
            1,
            &["nodes.csv, line 4", "5 cells", "4", "double quotes"],
        ),
        case("empty nodes table", with_nodes(|_| String::new()), 1, &["nodes.csv is empty", "header"]),
        case("empty edges table", with_edges(|_| String::new()), 1, &["edges.csv is empty", "header"]),
        case(
            "no rows",
            with_nodes(|text| text.lines().next().unwrap().to_string()),
            1,
            &["nodes.csv", "Add at least one"],
        ),
        case(
            "duplicate id",
            with_nodes(|text| text + "n-001,red,1.5,warm\n"),
            1,
            &["nodes.csv, line 42", "\"n-001\"", "line 3", "Remove"],
        ),
        case(
            "train and test overlap",
            with_nodes(overlapping),
            1,
            &["nodes.csv, line 42", "\"n-001\"", "test", "train", "one part only"],
        ),
        case(
            "wrong split value",
            with_nodes(|text| {
                overlapping(text).replacen(",valid", ",vlaid", 1).replace("n-001,green,7.5,cold,test\n", "")
            }),
            1,
            &["nodes.csv, line", "\"vlaid\"", "train, valid, test"],
        ),
        case("a table of another kind", vec![("nodes.csv", "PAR1 and so on".to_string())], 1, &["nodes.csv"]),
        asked(
            "missing cell",
            "train --nodes nodes.csv --edges edges.csv --target label --quiet",
            1,
            &["nodes.csv, line 7", "\"size\"", "empty", "--fill mean"],
        ),
        asked(
            "no such target",
            &TRAIN.replace("target label", "target lable"),
            2,
            &["nodes.csv", "\"lable\"", "Did you mean \"label\"?"],
        ),
        asked(
            "no such column to ignore",
            &format!("{TRAIN} --ignore sise"),
            2,
            &["\"sise\"", "Did you mean \"size\"?"],
        ),
        asked("no target", "train --nodes nodes.csv --edges edges.csv --quiet", 2, &["--target is missing"]),
        asked("no edges", "train --nodes nodes.csv --target label", 2, &["--edges is missing"]),
        asked("no such file", &TRAIN.replace("nodes.csv", "nodse.csv"), 1, &["nodse.csv"]),
        asked("unknown option", &format!("{TRAIN} --hoops 3"), 2, &["--hoops", "--hops", "farhop train --help"]),
        asked("unknown command", "trian", 2, &["trian", "train"]),
        asked("unknown model", &TRAIN.replace("mlp", "gnn"), 2, &["\"gnn\"", "gen", "gcn", "mlp"]),
        asked("setting of another model", &format!("{TRAIN} --hops 3"), 2, &["--hops", "mlp"]),
        asked("value out of range", &format!("{TRAIN} --dropout 1.5"), 2, &["dropout", "1.5", "below 1"]),
        asked("no epochs", &TRAIN.replace("epochs 2", "epochs 0"), 2, &["epochs is 0", "give 1 to 1,000,000,000"]),
        asked("not a number", &TRAIN.replace("epochs 2", "epochs two"), 2, &["\"two\"", "--epochs", "whole number"]),
        asked("unknown choice", &format!("{TRAIN} --norm bacth"), 2, &["\"bacth\"", "batch", "layer"]),
        asked("fractions", &format!("{TRAIN} --fractions 0.9,0.5"), 2, &["0.9,0.5", "0.6,0.2"]),
        asked("demonstration and data", &format!("{TRAIN} --distance 3"), 2, &["--distance", "demonstration"]),
        asked("settings without data", "train --hops 3", 2, &["--hops", "--nodes"]),
        asked("picture into nowhere", "train --picture nowhere/a.svg", 1, &["nowhere/a.svg", "no folder"]),
        asked("resume nothing", "train --resume nowhere", 1, &["nowhere", "not a run folder"]),
        asked("predict nothing", "predict nowhere", 1, &["nowhere", "not a run folder"]),
        asked(
            "hops without features",
            "hops --edges edges.csv --rounds 2 --out hops.npz",
            2,
            &["--nodes", "--features"],
        ),
        asked(
            "hops without weights",
            "hops --edges edges.csv --nodes nodes.csv --ignore size --rounds 2 --coefficients given --out hops.npz --quiet",
            2,
            &["edges.csv", "weight"],
        ),
        asked(
            "hops beyond numbers",
            "hops --edges edges.csv --nodes nodes.csv --ignore size --rounds 400 --elimination none --out hops.npz --quiet",
            1,
            &["round", "32-bit", "--coefficients gcn"],
        ),
        asked("bench without a graph", "bench", 2, &["--graph", "--nodes"]),
        asked("plan without sizes", "plan", 2, &["--nodes", "--node-count"]),
        asked(
            "no memory to train",
            &format!("{TRAIN} --width 65536 --layers 1000").replace("--width 4 ", ""),
            1,
            &["needs", "GiB", "available", "Pass --width"],
        ),
        asked(
            "no memory to measure",
            "bench --nodes 4000000 --edges 8000000 --features 1 --width 65536",
            1,
            &["needs", "GiB"],
        ),
    ]
}

#[test]
fn one_line_says_what_where_and_what_to_do() {
    for case in cases() {
        let place = Place::with_tables();
        for (file, text) in &case.files {
            place.write(file, text);
        }
        let answer = place.farhop(&case.line);
        check(case.name, &answer, case.code, case.says);
        assert!(!place.path("run").exists(), "{}: a run that can't begin leaves nothing", case.name);
        check(case.name, &place.farhop(&format!("{} --json", case.line)), case.code, case.says);
    }
}

#[test]
fn recipes_name_the_nearest_setting() {
    let place = Place::with_tables();
    place.write("recipe.toml", "[model]\nkind = \"gen\"\nhopps = 3\n");
    let answer = place.farhop("train --recipe recipe.toml --nodes nodes.csv --edges edges.csv --target label");
    check("unknown setting", &answer, 2, &["recipe.toml, line 3", "\"hopps\"", "Did you mean \"hops\"?"]);
    place.write("recipe.toml", "[model]\nkind = \"gcn\"\n");
    let answer =
        place.farhop("train --recipe recipe.toml --model gen --nodes nodes.csv --edges edges.csv --target label");
    check("two models", &answer, 2, &["recipe.toml", "gcn", "gen"]);
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let place = Place::with_tables();
    place.write("nodes.csv", &format!("\u{feff}{}", nodes(40)));
    place.write("edges.csv", &format!("\u{feff}{}", edges(40)));
    place.farhop(TRAIN).succeeded();
}

#[test]
fn flipped_bytes_are_noticed() {
    let flip = |place: &Place, name: &str| {
        let mut bytes = place.read(name);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(place.path(name), bytes).unwrap();
    };
    let place = Place::with_run();
    flip(&place, "run/model.safetensors");
    for line in ["predict run --quiet", "evaluate run --quiet"] {
        check(line, &place.farhop(line), 1, &["run/model.safetensors", "checksum", "--resume"]);
    }
    // The remedy works.
    place.farhop("train --resume run --quiet").succeeded();
    place.farhop("predict run --quiet").succeeded();

    let newest = fs::read_dir(place.path("run/checkpoint")).unwrap().next().unwrap().unwrap().path();
    let newest = newest.strip_prefix(place.path("")).unwrap().display().to_string();
    flip(&place, &format!("{newest}/weights.safetensors"));
    let answer = place.farhop("train --resume run --quiet");
    check("flipped byte in a checkpoint", &answer, 1, &["weights.safetensors", "checksum", "--overwrite"]);
    place.farhop("predict run --quiet").succeeded();

    flip(&place, "run/run.json");
    let answer = place.farhop("predict run --quiet");
    assert!(answer.code != Some(101), "{}", answer.stderr);
}

#[test]
fn a_saved_split_that_overlaps_is_refused() {
    let place = Place::with_run();
    let mut split: serde_json::Value = serde_json::from_slice(&place.read("run/split.json")).unwrap();
    let stolen = split["train"][0].clone();
    split["test"].as_array_mut().unwrap().push(stolen);
    place.write("run/split.json", &split.to_string());
    check("overlap", &place.farhop("evaluate run --quiet"), 1, &["run/split.json", "train", "test"]);
}

#[test]
fn a_folder_is_never_taken_from_its_owner() {
    let place = Place::with_run();
    let model = place.read("run/model.safetensors");
    check("a run is there", &place.farhop(TRAIN), 1, &["run", "finished run", "--overwrite", "--resume"]);
    fs::create_dir(place.path("keep")).unwrap();
    place.write("keep/mine.txt", "mine");
    check("not a run", &place.farhop(&TRAIN.replace("out run", "out keep")), 1, &["keep", "not empty", "--out"]);
    assert_eq!(place.text("keep/mine.txt"), "mine");
    {
        let _held = FolderLock::take(&place.path("run")).unwrap();
        let says = ["run", "in use", "pid", "--out"];
        check("in use", &place.farhop(&format!("{TRAIN} --overwrite")), 1, &says);
        check("in use", &place.farhop("train --resume run --quiet"), 1, &says);
        place.farhop("predict run --quiet").succeeded();
    }
    assert_eq!(place.read("run/model.safetensors"), model, "nothing was lost");
    place.farhop(&format!("{TRAIN} --overwrite")).succeeded();
}

#[test]
fn changed_data_is_not_trained_on_by_mistake() {
    let place = Place::with_run();
    let before = place.read("run/run.json");
    place.write("nodes.csv", &nodes(40).replacen(",7.5,", ",7.25,", 1));
    check(
        "changed",
        &place.farhop("train --resume run --quiet"),
        1,
        &["nodes.csv", "not those the run was started with"],
    );
    assert_eq!(place.read("run/run.json"), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let place = Place::with_run();
    let line = "predict run --out /dev/full --quiet";
    check("predict", &place.farhop(line), 1, &["/dev/full", "No space left", "before"]);
    let line = "hops --edges edges.csv --nodes nodes.csv --ignore size --rounds 2 --out /dev/full --quiet";
    check("hops", &place.farhop(line), 1, &["/dev/full", "No space left"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["doctor"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    check(
        "stdout",
        &Answer { code: output.status.code(), stdout: String::new(), stderr },
        1,
        &["standard output", "No space left"],
    );

    // Files may have 1 KiB from now on, which is as good as a full disk for weights, and the signal is ignored.
    let model = place.read("run/model.safetensors");
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_farhop")]);
    command
        .args(["train", "--resume", "run", "--epochs", "9", "--quiet"])
        .current_dir(place.path(""))
        .stdin(Stdio::null());
    check("training", &answer(&mut command), 1, &["run/", "can't write", "--resume", "intact"]);
    assert_eq!(place.read("run/model.safetensors"), model);
    place.farhop("predict run --quiet").succeeded();
    place.farhop("train --resume run --epochs 9 --quiet").succeeded();
}
