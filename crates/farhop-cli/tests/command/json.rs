//! `--json` is one object on standard output and nothing else there.

use crate::support::Place;

#[test]
fn every_command_answers_with_one_object() {
    let place = Place::with_run();
    let lines = [
        "train --nodes nodes.csv --edges edges.csv --target label --fill mean --model mlp --epochs 2",
        "predict run",
        "evaluate run",
        "explain run --node n-003",
        "hops --edges edges.csv --nodes nodes.csv --ignore size,label --rounds 2 --out hops.npz --overwrite",
        "plan --nodes nodes.csv --edges edges.csv --target label --fill mean",
        "plan --node-count 1000 --edge-count 5000 --infer",
        "bench --nodes 50 --edges 100 --width 8 --hops 2 --epochs 1",
        "bench --nodes 50 --edges 100 --model gcn --width 8 --epochs 1 --mode infer",
        "doctor",
        "data list",
        "data info --nodes nodes.csv --edges edges.csv --target label --fill mean",
        "data import --nodes nodes.csv --edges edges.csv --target label --fill mean --out mine.farhop --overwrite",
    ];
    for line in lines {
        for quiet in ["", " --quiet"] {
            let answer = place.farhop(&format!("{line} --json{quiet}"));
            assert!(answer.object().is_object(), "{line}");
            assert!(quiet.is_empty() || answer.stderr.is_empty(), "{line}: {}", answer.stderr);
        }
        let plain = place.farhop(&format!("{line} --quiet")).succeeded();
        assert!(!plain.stdout.trim().is_empty() && !plain.stdout.contains('\x1b'), "{line}: {}", plain.stdout);
    }
}

#[test]
fn bench_reports_what_the_peers_report() {
    let place = Place::new();
    let object = place.farhop("bench --nodes 60 --edges 150 --width 8 --hops 2 --epochs 3 --threads 1 --json").object();
    for key in
        ["model", "hops", "width", "layers", "mode", "threads", "parameters", "seconds_per_epoch", "peak_rss_bytes"]
    {
        assert!(!object[key].is_null(), "{key} is missing in {object}");
    }
    let all: Vec<f64> = object["all"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    assert_eq!(all.len(), 4, "one warm-up and three epochs");
    let best = all[1..].iter().copied().fold(f64::INFINITY, f64::min);
    let seconds = |key: &str| object[key].as_f64().unwrap();
    assert!((seconds("seconds_per_epoch") - best).abs() <= 1e-6);
    let [median, worst] = ["seconds_median", "seconds_max"].map(seconds);
    assert!(seconds("seconds_per_epoch") <= median && median <= worst, "{object}");
    assert_eq!(object["threads"], 1);
}

#[test]
fn plans_name_what_would_fit() {
    let place = Place::new();
    let line = "plan --node-count 100000 --edge-count 1000000 --width 128 --layers 3 --limit 500MiB --json";
    let object = place.farhop(line).object();
    assert_eq!(object["fits"], false);
    let advice = object["advice"]["setting"].as_str().unwrap();
    let again = place.farhop(&format!("{line} {advice}")).object();
    assert_eq!(again["fits"], true, "{advice} was said to fit");
    let parts: u64 = object["parts"].as_array().unwrap().iter().map(|part| part["bytes"].as_u64().unwrap()).sum();
    assert_eq!(object["peak_bytes"], parts);
}

#[test]
fn bench_reads_graphs_of_others() {
    use farhop_data::npz::write_npz;
    let place = Place::new();
    let ends = [0i64, 1, 1, 2, 2, 3, 1, 0, 2, 1, 3, 2];
    let write = |name: &str, graphs: bool| {
        write_npz(&place.path(name), |npz| {
            npz.i64("edge_index", &[2, 6], &ends)?;
            npz.f32("x", &[4, 2], &[0.5, -1.0, 2.0, 0.0, 1.0, 1.0, -0.5, 0.25])?;
            if graphs {
                npz.i64("batch", &[4], &[0, 0, 0, 1])?;
                npz.f32("y", &[2, 3], &[1.0, 0.0, 1.0, 0.0, f32::NAN, 1.0])
            } else {
                npz.i64("y", &[4], &[0, 1, 2, 1])
            }
        })
        .unwrap();
    };
    write("nodes.npz", false);
    write("graphs.npz", true);
    let nodes = place.farhop("bench --graph nodes.npz --width 4 --epochs 1 --json").object();
    assert_eq!((&nodes["nodes"], &nodes["edges"], &nodes["classes"]), (&4.into(), &3.into(), &3.into()));
    assert_eq!((&nodes["level"], &nodes["loss"]), (&"node".into(), &"cross-entropy".into()));
    for mode in ["train", "infer"] {
        let graphs =
            place.farhop(&format!("bench --graph graphs.npz --width 4 --epochs 1 --mode {mode} --json")).object();
        assert_eq!((&graphs["graphs"], &graphs["classes"]), (&2.into(), &3.into()));
        assert_eq!((&graphs["level"], &graphs["loss"]), (&"graph".into(), &"binary cross-entropy".into()));
        assert_eq!(graphs["parameters"], nodes["parameters"]);
    }
}
