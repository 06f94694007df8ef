//! Models compared.

use serde_json::Value;

use crate::support::Place;

const LINE: &str =
    "compare --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 3 --set model.width=8 --runs 2";

#[test]
fn all_models_get_the_same_splits_and_nothing_is_done_twice() {
    let place = Place::with_tables();
    let first = place.farhop(&format!("{LINE} --models gcn,mlp --json")).object();
    let models = first["models"].as_array().unwrap();
    assert_eq!(models.iter().map(|one| one["model"].as_str().unwrap()).collect::<Vec<_>>(), ["gcn", "mlp"]);
    let runs = |one: &Value| -> Vec<String> {
        one["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_string()).collect()
    };
    let (gcn, mlp) = (runs(&models[0]), runs(&models[1]));
    for (one, other) in gcn.iter().zip(&mlp) {
        assert_eq!(place.read(&format!("{one}/split.json")), place.read(&format!("{other}/split.json")));
    }
    assert_ne!(place.read(&format!("{}/split.json", gcn[0])), place.read(&format!("{}/split.json", gcn[1])));
    let mut ranks: Vec<u64> = models.iter().map(|one| one["rank"].as_u64().unwrap()).collect();
    ranks.sort_unstable();
    assert!(ranks == [1, 2] || ranks == [1, 1], "{ranks:?}");
    // Another model costs its own runs only.
    let before = place.read(&format!("{}/run.json", gcn[0]));
    let more = place.farhop(&format!("{LINE} --models gcn,mlp,appnp"));
    assert!(more.stderr.contains("2 runs to train, 4 there already"), "{}", more.stderr);
    assert!(more.stderr.contains("timing appnp") && !more.stderr.contains("timing gcn"), "{}", more.stderr);
    assert_eq!(place.read(&format!("{}/run.json", gcn[0])), before);
    // Another budget is another run.
    let other = place.farhop(&format!("{LINE} --models gcn --json --epochs 2").replace("--epochs 3 ", "")).object();
    assert_ne!(runs(&other["models"][0]), gcn);
}

#[test]
fn tables_for_every_reader() {
    let place = Place::with_tables();
    let ask =
        |format: &str| place.farhop(&format!("{LINE} --models mlp,gcn --format {format} --quiet")).succeeded().stdout;
    let csv = ask("csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let mean: f64 = rows[1][1].parse().unwrap();
    assert!((0.0..=1.0).contains(&mean) && rows[1][0] != rows[2][0], "{csv}");
    let markdown = ask("markdown");
    assert!(markdown.starts_with("| model | test |") && markdown.contains("**"), "{markdown}");
    let latex = ask("latex");
    assert!(
        latex.starts_with("\\begin{tabular}{lrrrrrrrr}") && latex.contains("$\\pm$") && latex.contains("\\%"),
        "{latex}"
    );
    let text = ask("text");
    assert!(text.starts_with("model") && text.contains(" ± "), "{text}");
    place.farhop(&format!("{LINE} --models mlp,gcn --quiet --picture scores.svg")).succeeded();
    let svg = place.text("scores.svg");
    assert!(svg.contains(">mlp</text>") && svg.contains(">gcn</text>") && svg.ends_with("</svg>\n"));
}

#[test]
fn recipes_give_the_settings() {
    let place = Place::with_tables();
    std::fs::create_dir(place.path("recipes")).unwrap();
    place.write("recipes/mlp.toml", "[model]\nkind = \"mlp\"\nwidth = 12\nlayers = 3\n");
    let line = LINE.replace("--set model.width=8 ", "");
    let found = place.farhop(&format!("{line} --models mlp --recipes recipes --json")).object();
    let settings = &found["models"][0]["settings"];
    assert_eq!((&settings["width"], &settings["layers"]), (&Value::from(12), &Value::from(3)));
}

#[test]
fn what_can_not_be_compared_is_said() {
    let place = Place::with_tables();
    let untested = crate::support::nodes(40).lines().enumerate().fold(String::new(), |text, (number, line)| {
        let part = if number == 0 { "split" } else { ["train", "valid"][number % 2] };
        format!("{text}{line},{part}\n")
    });
    place.write("untested.csv", &untested);
    let line = LINE.replace("nodes.csv", "untested.csv");
    place.refuses(&format!("{line} --models mlp --quiet"), 1, &["no test part", "--split seeded"]);
}
