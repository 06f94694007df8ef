//! Options that would change nothing are refused, or said to.

use crate::support::Place;

const MOLECULES: &str = "smiles,y\nCCO,1.5\nCCC,2.5\nCCN,3.5\nCCCC,4.5\nCCCO,5.5\nCC,6.5\nCO,7.5\nCN,8.5\nCCCN,9.5\n";

#[test]
fn options_without_effect_are_refused() {
    let place = Place::with_run();
    place.write("molecules.csv", MOLECULES);
    let train = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 1 --quiet";
    let molecules = "train molecules.csv --target y --epochs 1 --quiet";
    for (line, flags) in [
        (
            train,
            &["--halo 1", "--parts-per-batch 1", "--partitioner built-in", "--smiles x", "--skip-bad-molecules"][..],
        ),
        (train, &["--split seeded", "--overwrite", "--tree-nodes 100"]),
        (
            molecules,
            &["--directed", "--fill zero", "--category y", "--split 3", "--ignore-edges a", "--add-missing-nodes"],
        ),
        ("predict run --quiet", &["--halo 1", "--skip-bad-molecules", "--overwrite"]),
        ("evaluate run --quiet", &["--halo none", "--parts-per-batch 2"]),
        (
            "bench --nodes 50 --edges 100 --model gcn --quiet",
            &["--hops 2", "--heads 1", "--recompute", "--gather-bits 32"],
        ),
        ("train --epochs 1 --quiet", &["--data-dir .", "--overwrite", "--parts 2"]),
        ("train hop-majority --epochs 1 --quiet", &["--fractions 0.5,0.2", "--split-seed 1", "--target x"]),
        ("data import molecules.csv --target y --out mine.farhop", &["--graph g"]),
    ] {
        for flag in flags {
            let name = flag.split(' ').next().unwrap();
            let says = match name {
                "--graph" => "--nodes",
                "--overwrite" => "--out",
                name => name,
            };
            place.refuses(&format!("{line} {flag}"), 2, &[says]);
        }
    }
}

#[test]
fn what_only_the_data_tells_is_said() {
    let place = Place::with_tables();
    let answer = place.train("one", &["--batch-size", "8"]).succeeded();
    assert!(answer.stderr.contains("--batch-size has no effect: this is one graph"), "{}", answer.stderr);
    let answer = place.train("of-graphs", &["--readout", "max", "--laplacian-encoder", "deepset"]).succeeded();
    for says in ["--readout has no effect: answers are not about", "--laplacian-encoder has no effect: there are no"] {
        assert!(answer.stderr.contains(says), "{}", answer.stderr);
    }
    // By whatever name: settings of all models are tried, not listed.
    let answer = place.train("three", &["--set", "model.readout=sum"]).succeeded();
    assert!(answer.stderr.contains("has no effect: answers are not about whole graphs"), "{}", answer.stderr);
    let answer = place.train("two", &[]).succeeded();
    assert_eq!(answer.stderr, "");
}
