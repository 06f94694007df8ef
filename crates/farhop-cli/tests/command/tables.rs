//! Tables as users bring them: delimiters, dates, answers in words, rare classes; and what is said about them.

use crate::support::{Place, rows};

const SMALL: &str = "--width 8 --layers 1 --hops 2 --epochs 8 --quiet";

/// A ring of customers in semicolons with decimal commas: when they came, what they pay, and whether they left, which few
/// did and what they pay tells.
fn place() -> Place {
    let place = Place::new();
    let mut nodes = String::from("customer;since;pays;left\n");
    let mut edges = String::from("source;target\n");
    for node in 0..120 {
        let left = if node % 8 == 0 { "yes" } else { "no" };
        let pays = if node % 8 == 0 { 2 } else { 5 + node % 7 };
        nodes.push_str(&format!("c{node};2024-{:02}-{:02};{pays},5;{left}\n", 1 + node % 12, 1 + node % 28));
        edges.push_str(&format!("c{node};c{}\n", (node + 1) % 120));
    }
    place.write("nodes.csv", &nodes);
    place.write("edges.csv", &edges);
    place
}

fn train(more: &str) -> String {
    format!("train --nodes nodes.csv --edges edges.csv --target left --out run {SMALL} {more}")
}

#[test]
fn few_that_say_yes_are_ranked_and_found_by_a_threshold() {
    let place = place();
    let trained = place.farhop(&train("--json")).object();
    assert_eq!(trained["metric"], "roc-auc");
    let threshold = trained["threshold"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&threshold), "{trained}");
    let record: serde_json::Value = serde_json::from_slice(&place.read("run/run.json")).unwrap();
    assert_eq!(record["thresholds"][0].as_f64().unwrap() as f32, threshold as f32);
    // What was taken for what adds up to the test part: a fifth of 15 that left and of 105 that stayed.
    let sum = |truth: usize| -> u64 {
        trained["confusion"]["matrix"][truth].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(trained["confusion"]["classes"], serde_json::json!(["no", "yes"]));
    assert_eq!((sum(0), sum(1)), (21, 3));
    assert_eq!(trained["classes"][1]["nodes"], 3);

    // Predictions keep the name of the id column and follow the threshold.
    place.farhop("predict run --quiet").succeeded();
    let predicted = rows(&place.path("run/predictions.csv"));
    assert_eq!(predicted[0], ["customer", "prediction", "probability_no", "probability_yes"]);
    let follows = |rows: &[Vec<String>], threshold: f64| {
        rows[1..].iter().all(|row| (row[1] == "yes") == (row[3].parse::<f32>().unwrap() > threshold as f32))
    };
    assert!(follows(&predicted, threshold));
    let said = place.farhop("predict run").succeeded().stderr;
    assert!(said.contains("(chosen on validation by balanced accuracy)"), "{said}");
    let given = place.farhop("predict run --threshold 0.99 --out given.csv").succeeded();
    assert!(given.stderr.contains("\"yes\" above a probability of 0.99 (given)"), "{}", given.stderr);
    assert!(follows(&rows(&place.path("given.csv")), 0.99));

    // Scores of the ranking do not move with the threshold; decisions do.
    let scores = place.farhop("evaluate run --split all --json --quiet").object();
    let all_yes = place.farhop("evaluate run --split all --threshold 0 --json --quiet").object();
    assert_eq!(place.farhop("evaluate run --json --quiet").object()["score"], trained["test"]);
    assert_eq!(scores["roc_auc"], all_yes["roc_auc"]);
    assert_eq!(all_yes["accuracy"], 0.125);
    assert_eq!(all_yes["balanced_accuracy"], 0.5);
    assert_eq!(all_yes["threshold"], 0.0);
    assert_eq!(all_yes["confusion"]["matrix"], serde_json::json!([[0, 105], [0, 15]]));
    let right = |row: &Vec<String>| {
        let node: usize = row[0].trim_start_matches('c').parse().unwrap();
        (row[1] == "yes") == node.is_multiple_of(8)
    };
    let right = predicted[1..].iter().filter(|row| right(row)).count();
    assert!((scores["accuracy"].as_f64().unwrap() - right as f64 / 120.0).abs() < 1e-9, "{scores}");

    place.refuses("predict run --threshold 1.5", 2, &["--threshold", "from 0 to 1"]);
    let text = place.farhop("evaluate run --quiet").succeeded().stdout;
    assert!(text.contains("true class down, predicted across: 24 test nodes"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_card_says_how_tables_were_read_and_scored() {
    let place = place();
    let card = place.farhop(&train("").replace("--quiet", "")).succeeded().stderr;
    let card = card.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "scored by roc-auc (always naming \"no\" would be right in 87.5 % of the rows)",
        "nodes.csv: numbers are read with decimal commas, 1,5 as 1.5",
        "column \"since\": dates are read as days since 1970-01-01",
        "1 date (\"since\")",
        "threshold \"yes\" above a probability of",
    ] {
        assert!(card.contains(says), "{says:?} is not in\n{card}");
    }
    // Asked for another score, it is taken and nothing is said.
    let card = place.farhop(&train("--metric accuracy --overwrite").replace("--quiet", "")).succeeded().stderr;
    assert!(card.contains("scored by accuracy") && !card.contains("always naming"), "{card}");
    place.refuses(&train("--metric f1"), 2, &["balanced-accuracy", "macro-f1", "hits@k"]);
    place.refuses(&train("--metric mae --overwrite"), 1, &["mae is not for two classes", "balanced-accuracy"]);
}

#[test]
fn a_run_goes_on_with_the_score_it_was_started_with() {
    let place = place();
    place.farhop(&train("--metric accuracy")).succeeded();
    // As a run looks that was made when accuracy was usual for every table.
    let recipe = place.text("run/recipe.toml").replace("metric = \"accuracy\"\n", "");
    place.write("run/recipe.toml", &recipe);
    let resumed = place.farhop("train --resume run --epochs 10 --json --quiet").object();
    assert_eq!((&resumed["metric"], &resumed["epochs"]), (&"accuracy".into(), &10.into()));
    assert_eq!(place.farhop("evaluate run --json --quiet").object()["metric"], "accuracy");
}

#[test]
fn all_problems_of_tables_are_one_error() {
    let place = place();
    let nodes = place.text("nodes.csv").replace("c5;2024-06-06;10,5", "c5;soon;much").replace("c9;", "c8;");
    place.write("nodes.csv", &nodes);
    let answer = place.farhop(&train(""));
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(1), ""));
    let lines: Vec<&str> = answer.stderr.lines().collect();
    assert_eq!(lines[0], "error: 5 problems in the data:", "{}", answer.stderr);
    for (line, says) in lines[1..].iter().zip([
        "nodes.csv, line 11: id \"c8\" is already on line 10",
        "nodes.csv, line 7, column \"since\": \"soon\" is not a date",
        "nodes.csv, line 7, column \"pays\": \"much\" is not a number",
        "edges.csv, line 10: target id \"c9\"",
        "edges.csv, line 11: source id \"c9\"",
    ]) {
        assert!(line.starts_with("  ") && line.contains(says), "{says:?} is not in {line:?}");
    }
    assert_eq!(lines.len(), 6);
}

#[test]
fn tiny_numbers_are_learned_and_constant_ones_are_said() {
    let place = Place::new();
    let mut nodes = String::from("id,a,y,same\n");
    let mut edges = String::from("source,target\n");
    for node in 0..60 {
        nodes.push_str(&format!("n{node},{}.5,{}e-15,7\n", node / 6, node + 3));
        edges.push_str(&format!("n{node},n{}\n", (node * 7 + 1) % 60));
    }
    place.write("nodes.csv", &nodes);
    place.write("edges.csv", &edges);
    let line =
        "train --nodes nodes.csv --edges edges.csv --task numbers --model mlp --epochs 60 --width 16 --overwrite";
    let learned = place.farhop(&format!("{line} --target y --ignore same --out run --json --quiet")).object();
    // The numbers are spread over 60e-15; without their scale errors would be 1e-2.
    assert!(learned["test"].as_f64().unwrap() < 20e-15, "{learned}");
    let shown = place.farhop(&format!("{line} --target y --ignore same --out run --quiet")).succeeded().stdout;
    assert!(shown.contains("e-1"), "{shown}");
    let constant = place.farhop(&format!("{line} --target same --ignore y --out run")).succeeded();
    let said = constant.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("the same in all rows, so that there is nothing to learn: \"same\""), "{said}");
}

#[test]
fn names_of_molecules_come_back_with_predictions() {
    let place = Place::new();
    let mut table = String::from("smiles;name;soluble\n");
    for row in 0..24 {
        let chain = "C".repeat(1 + row % 6);
        let (tail, soluble) = if row % 2 == 0 { ("O", "yes") } else { ("F", "no") };
        // Two molecules share a name.
        table.push_str(&format!("{chain}{tail};m{};{soluble}\n", row.max(1)));
    }
    place.write("molecules.csv", &table);
    place.write("new.smi", "CCO ethanol\nCCCF\tpropyl fluoride\n");
    place.farhop(&format!("train molecules.csv --target soluble --out run {SMALL}")).succeeded();
    place.farhop("predict run --quiet --out old.csv").succeeded();
    let old = rows(&place.path("old.csv"));
    assert_eq!(old[0], ["name", "prediction_soluble", "probability_soluble"]);
    assert_eq!((old[1][0].as_str(), old[24][0].as_str()), ("m1", "m23"));
    place.farhop("predict run --molecules new.smi --quiet --out new.csv").succeeded();
    let new = rows(&place.path("new.csv"));
    assert_eq!((new[1][0].as_str(), new[2][0].as_str()), ("ethanol", "propyl fluoride"));
    let scores = place.farhop("evaluate run --json --quiet").object();
    assert_eq!(scores["confusion"]["classes"], serde_json::json!(["no", "yes"]));
    place.write("empty.csv", "smiles;name;soluble\nCC;a;yes\n;b;no\n");
    place.refuses("predict run --molecules empty.csv", 1, &["empty.csv, line 3: the SMILES is empty", "--skip-bad"]);
}
