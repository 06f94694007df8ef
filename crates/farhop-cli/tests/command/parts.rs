//! One graph, part by part.

use crate::support::{Place, has_training_keys, rows};

/// The settings of [`Place::train`]: two layers of three hops see six hops.
const EXACT: &str = "6";

const MOLECULES: &str =
    "smiles,y\nCCO,1.5\nCCC,2.5\nCCN,3.5\nCCCC,4.5\nCCCO,5.5\nCC,6.5\nCO,7.5\nCN,8.5\nCCCN,9.5\nCCCCC,10.5\n";

#[test]
fn a_run_by_parts_is_used_like_any_other() {
    let place = Place::with_tables();
    let trained = place.train("run", &["--parts", "4", "--halo", "1", "--parts-per-batch", "2", "--json"]).object();
    has_training_keys(&trained);
    let recipe = place.text("run/recipe.toml");
    for line in ["parts = 4", "halo = 1", "parts_per_batch = 2", "partitioner = \"built-in\""] {
        assert!(recipe.contains(line), "{line} is not in\n{recipe}");
    }
    let scores = place.farhop("evaluate run --json --quiet").object();
    assert_eq!(scores["accuracy"], trained["test"]);
    // With all that the model sees around them, parts say what the whole graph says.
    place.farhop(&format!("predict run --parts 3 --halo {EXACT} --out parts.csv --quiet")).succeeded();
    place.farhop("predict run --parts none --out whole.csv --quiet").succeeded();
    let (parts, whole) = (rows(&place.path("parts.csv")), rows(&place.path("whole.csv")));
    assert_eq!((parts.len(), &parts[0]), (41, &whole[0]));
    for (one, two) in parts.iter().zip(&whole).skip(1) {
        assert_eq!(one[..2], two[..2], "id and class");
        for (one, two) in one[2..].iter().zip(&two[2..]) {
            let difference = one.parse::<f32>().unwrap() - two.parse::<f32>().unwrap();
            assert!(difference.abs() < 1e-4, "{one} {two}");
        }
    }
    // A run that is continued keeps its parts.
    place.farhop("train --resume run --epochs 8 --quiet").succeeded();
    let again = place.train("again", &["--parts", "4", "--parts-per-batch", "2", "--epochs", "8"]);
    assert_eq!(again.code, Some(2), "given twice");
}

#[test]
fn one_thread_is_enough_for_parts_and_batches() {
    let place = Place::with_tables();
    place.write("molecules.csv", MOLECULES);
    for threads in ["1", "2"] {
        let more = ["--parts", "4", "--parts-per-batch", "2", "--threads", threads];
        place.train(&format!("parts-{threads}"), &more).succeeded();
        let line = format!(
            "train molecules.csv --target y --width 8 --batch-size 2 --epochs 3 --out graphs-{threads} --threads {threads}"
        );
        place.farhop(&line).succeeded();
        for run in ["parts", "graphs"] {
            place.farhop(&format!("evaluate {run}-{threads} --threads {threads} --split train")).succeeded();
            place.farhop(&format!("predict {run}-{threads} --threads {threads}")).succeeded();
        }
    }
    for run in ["parts", "graphs"] {
        for file in ["model.safetensors", "predictions.csv"] {
            assert_eq!(place.read(&format!("{run}-1/{file}")), place.read(&format!("{run}-2/{file}")), "{run}/{file}");
        }
    }
}

#[test]
fn the_plan_counts_parts_and_names_how_many_fit() {
    let place = Place::with_tables();
    let plan = |more: &str| {
        let line = format!("plan --node-count 1000000 --edge-count 7000000 {more} --json --quiet");
        place.farhop(&line).object()
    };
    let whole = plan("--limit 1GiB");
    let advice = whole["advice"]["setting"].as_str().unwrap();
    let parts: usize = advice.strip_prefix("--parts ").unwrap().parse().unwrap();
    assert!(parts > 1 && whole["fits"] == false);
    // What is advised fits, one part less does not.
    let with = |parts: usize| plan(&format!("--limit 1GiB --parts {parts}"));
    assert_eq!((&with(parts)["fits"], &with(parts - 1)["fits"]), (&true.into(), &false.into()));
    assert_eq!(with(parts)["peak_bytes"], whole["advice"]["total"]);
    assert!(with(parts)["nodes"].as_u64() < whole["nodes"].as_u64());
    let cut_off = plan(&format!("--parts {parts} --halo none"));
    assert!(cut_off["peak_bytes"].as_u64() < with(parts)["peak_bytes"].as_u64());

    let tables = "plan --nodes nodes.csv --edges edges.csv --target label --fill mean --json --quiet";
    let of_tables = place.farhop(&format!("{tables} --parts 4 --halo none")).object();
    assert_eq!((&of_tables["graph_parts"], &of_tables["nodes"]), (&4.into(), &10.into()));
    assert_eq!(place.farhop(tables).object()["nodes"], 40);
    let text = place.farhop(&tables.replace("--json --quiet", "--parts 4")).succeeded();
    assert!(
        text.stdout.contains("batches that wait") && text.stderr.contains("parts       4, 1 hop around each: at most")
    );
}

#[test]
fn what_can_not_be_divided_is_refused_in_one_line() {
    let place = Place::with_tables();
    let train = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 2 --quiet";
    for (more, code, says) in [
        ("--parts 41", 1, &["parts is 41", "40 nodes", "at most"][..]),
        ("--parts 0", 2, &["parts is 0"]),
        ("--parts some", 2, &["--parts", "write a number, or none"]),
        ("--parts 4 --halo 13", 2, &["halo is 13", "sees 8 hops", "at most 8"]),
        ("--parts 4 --parts-per-batch 5", 2, &["parts_per_batch is 5", "give 1 to 4"]),
    ] {
        let answer = place.farhop(&format!("{train} {more}"));
        assert_eq!(answer.code, Some(code), "{more}: {}", answer.stderr);
        for words in says {
            assert!(answer.stderr.contains(words), "{more}: {words:?} is not in\n{}", answer.stderr);
        }
        assert_eq!(answer.stdout, "");
    }
    if cfg!(not(feature = "metis")) {
        place.refuses(&format!("{train} --parts 4 --partitioner metis"), 1, &["METIS is not part of this build"]);
    }
    place.write("molecules.csv", MOLECULES);
    let molecules = "train molecules.csv --target y --parts 2 --quiet";
    place.refuses(molecules, 1, &["parts is 2", "10 graphs", "Take --parts out"]);
}

#[test]
fn tables_are_divided_in_pieces_as_their_import_is() {
    let place = Place::with_tables();
    let tables = "--nodes nodes.csv --edges edges.csv --target label --fill mean";
    let streaming = "--partitioner streaming --parts 3";
    let told = place.farhop(&format!("data partition {tables} {streaming} --out pieces.parts")).succeeded();
    assert!(!told.stderr.contains("into memory"), "{}", told.stderr);
    place.farhop(&format!("data import {tables} --out whole.farhop --quiet")).succeeded();
    // Its numbers are standardised already.
    place
        .farhop(&format!("data partition whole.farhop --scaling none {streaming} --out whole.parts --quiet"))
        .succeeded();
    for name in ["manifest.json", "part-00000.farhop", "part-00001.farhop", "part-00002.farhop"] {
        let [pieces, whole] = ["pieces", "whole"].map(|folder| place.read(&format!("{folder}.parts/{name}")));
        assert!(pieces == whole, "{name}");
    }
    assert_eq!(std::fs::read_dir(place.path("pieces.parts")).unwrap().count(), 4, "nothing else is left");
    // What goes wrong leaves nothing behind.
    place.refuses(
        &format!("data partition --nodes nodes.csv --edges edges.csv --target lable {streaming} --out no.parts"),
        2,
        &["lable"],
    );
    assert!(!place.path("no.parts").exists());
    // So are features of edges; those of a .farhop file are read through memory, and that is said.
    place.write("weights.csv", "source,target,weight\nn-000,n-001,2\nn-001,n-002,3\nn-001,n-000,4\n");
    let tables = "--nodes nodes.csv --edges weights.csv --target label --fill mean";
    let told = place.farhop(&format!("data partition {tables} {streaming} --out weighed.parts")).succeeded();
    assert!(!told.stderr.contains("into memory"), "{}", told.stderr);
    place.farhop(&format!("data import {tables} --out weighed.farhop --quiet")).succeeded();
    let told = place
        .farhop(&format!("data partition weighed.farhop --scaling none {streaming} --out through.parts"))
        .succeeded();
    assert!(told.stderr.contains("into memory"), "{}", told.stderr);
    for part in 0..3 {
        let [pieces, whole] =
            ["weighed", "through"].map(|folder| place.read(&format!("{folder}.parts/part-0000{part}.farhop")));
        assert!(pieces == whole, "part {part}");
    }
    // Edges alone have nothing to predict: they are not read for that.
    place.write("alone.csv", "0 1\n1 2\n2 0\n");
    place.refuses(&format!("data partition alone.csv {streaming} --out no.parts"), 2, &["nothing to predict"]);
    assert!(!place.path("no.parts").exists());
}
