//! What a command writes never takes the place of what it reads, or of anything else without being asked to.

use std::fs;

use crate::support::{Place, edges, nodes};

const HOPS: &str = "hops --edges edges.csv --nodes nodes.csv --ignore label --fill mean --rounds 1 --quiet";
const IMPORT: &str = "data import --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet";

/// Nothing was written, whatever the names.
fn is_untouched(place: &Place, line: &str) {
    assert!(place.text("nodes.csv") == nodes(40) && place.text("edges.csv") == edges(40), "{line} changed a table");
}

#[test]
fn what_is_read_is_never_written() {
    let place = Place::with_run();
    fs::create_dir(place.path("inside")).unwrap();
    fs::hard_link(place.path("nodes.csv"), place.path("hard.csv")).unwrap();
    let mut names = vec!["nodes.csv", "./nodes.csv", "inside/../nodes.csv", "hard.csv", "edges.csv"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("nodes.csv"), place.path("soft.csv")).unwrap();
        names.push("soft.csv");
    }
    let new = "predict run --nodes nodes.csv --edges edges.csv --quiet";
    for line in ["predict run --quiet", new, HOPS, IMPORT] {
        for name in &names {
            let overwrite = format!("{line} --out {name} --overwrite");
            place.refuses(
                &overwrite,
                1,
                &["--out", "which is read", "Choose another"].map(|word| match word {
                    "which is read" if !name.contains('/') && !["hard.csv", "soft.csv"].contains(name) => "is read",
                    word => word,
                }),
            );
            place.refuses(&format!("{line} --out {name}"), 1, &["--out", "there already", "--overwrite"]);
            is_untouched(&place, &overwrite);
        }
    }
    // A file that was imported names the tables it came from, and is spared itself.
    place.farhop(&format!("{IMPORT} --out mine.farhop")).succeeded();
    place.refuses("data import mine.farhop --out mine.farhop --overwrite", 1, &["mine.farhop", "is read"]);
    place.farhop("train mine.farhop --model mlp --width 4 --epochs 1 --out other --quiet").succeeded();
    place.refuses("predict other --out mine.farhop --overwrite --quiet", 1, &["mine.farhop", "is read"]);
}

#[test]
fn the_files_of_a_run_are_its_own() {
    let place = Place::with_run();
    let record = place.read("run/run.json");
    for name in
        ["model.safetensors", "run.json", "recipe.toml", "checkpoint/new.csv", "../run/split.json", "farhop.lock"]
    {
        for line in ["predict run --quiet", HOPS, IMPORT] {
            place.refuses(&format!("{line} --out run/{name} --overwrite"), 1, &["--out", "belongs to the run in"]);
        }
    }
    place.refuses("train --picture run/run.json --overwrite", 1, &["--picture", "belongs to the run"]);
    place.farhop("evaluate run --quiet").succeeded();
    assert_eq!(place.read("run/run.json"), record);
    // Data may lie in a run folder, but not under the name of a file that training would replace.
    let read = place.path("run/metrics.jsonl");
    fs::copy(place.path("nodes.csv"), &read).unwrap();
    let line =
        "train --nodes run/metrics.jsonl --edges edges.csv --target label --fill mean --model mlp --epochs 1 --quiet";
    place.refuses(&format!("{line} --out run --overwrite"), 1, &["run/metrics.jsonl", "is read", "--out"]);
    assert_eq!(fs::read_to_string(read).unwrap(), nodes(40));
}

#[test]
fn what_is_there_is_replaced_only_when_asked() {
    let place = Place::with_run();
    for (line, file) in [("predict run --quiet", "out.csv"), (HOPS, "out.npz"), (IMPORT, "out.farhop")] {
        place.write(file, "mine");
        let line = format!("{line} --out {file}");
        place.refuses(&line, 1, &[file, "there already", "--overwrite"]);
        assert_eq!(place.text(file), "mine");
        place.farhop(&format!("{line} --overwrite")).succeeded();
        assert_ne!(place.read(file), b"mine");
        place.refuses(&line.replace(file, "nowhere/out"), 1, &["there is no folder nowhere"]);
        place.refuses(&line.replace(file, "run"), 1, &["this is a folder"]);
    }
    place.refuses(&format!("{HOPS} --out -"), 1, &["standard output"]);
    // The predictions of a run are made again without a question; that is what they are for.
    let made = place.farhop("predict run --quiet").succeeded().stdout;
    assert!(made.contains("predictions.csv"));
    place.farhop("predict run --quiet").succeeded();
    place.farhop("predict run --out run/predictions.csv --quiet").succeeded();
    place.refuses("predict run --overwrite", 2, &["--out"]);
}

#[test]
fn the_demonstration_spares_tables_that_are_there() {
    let place = Place::with_tables();
    place.write("accuracy.svg", "mine");
    let line = "train --distance 1 --tree-nodes 200 --epochs 1 --out .";
    place.refuses(&format!("{line} --quiet"), 1, &["nodes.csv", "there already"]);
    place.refuses("train --picture accuracy.svg", 1, &["accuracy.svg", "there already"]);
    is_untouched(&place, line);
    assert_eq!(place.text("accuracy.svg"), "mine");
}
