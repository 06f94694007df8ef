//! `farhop report`: one page that needs nothing else.

use std::fs;

use farhop_data::metrics::Metric;
use farhop_data::{Columns, Dataset, Level, Numbers, Split, Target};
use farhop_graph::GraphSet;

use crate::support::{Place, answer, edges, nodes};

/// What every page has to be, whatever it is about.
fn is_whole(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    // Nothing is fetched and nothing is run.
    for outside in ["<script", "http://", "https://", "src=", "@import", "<link", "javascript:", "NaN", "Infinity"] {
        assert!(!html.contains(outside), "{outside} is in the page");
    }
    for element in ["svg", "section", "table", "figure", "details", "dl", "div", "tr", "p"] {
        let (opened, closed) = (
            html.matches(&format!("<{element}>")).count() + html.matches(&format!("<{element} ")).count(),
            html.matches(&format!("</{element}>")).count(),
        );
        assert_eq!(opened, closed, "{element}");
    }
    let pictures: Vec<&str> = html.split("<svg ").skip(1).collect();
    assert!(pictures.iter().all(|picture| picture.split("</svg>").next().unwrap().contains("<title>")));
    assert_eq!(html.matches("<table>").count(), html.matches("<caption>").count());
    // Every link of the contents leads somewhere.
    for link in html.split("href=\"#").skip(1) {
        let id = link.split('"').next().unwrap();
        assert_eq!(html.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
}

fn has(html: &str, all: &[&str]) {
    for words in all {
        assert!(html.contains(words), "{words:?} is not in the page");
    }
}

#[test]
fn a_run_is_told_in_full_and_the_same_every_time() {
    let place = Place::with_run();
    let object = place.farhop("report run --json --quiet --threads 1").object();
    assert_eq!((&object["report"], &object["runs"]), (&"run/report.html".into(), &1.into()));
    let html = place.text("run/report.html");
    is_whole(&html);
    has(
        &html,
        &[
            "gen on nodes.csv",
            "Loss by epoch",
            "Score by epoch",
            "What was taken for what",
            "Every class",
            "Expected calibration error",
            "How much each hop is read",
            "hop 3",
            "layer 2, round 3",
            "one of 2 classes for every node",
            "Degrees",
            "peak memory",
            "SHA-256",
            "kind = &quot;gen&quot;",
        ],
    );
    // Nothing is lost without being asked, and nothing depends on threads or the moment.
    place.refuses("report run --quiet", 1, &["run/report.html", "--overwrite"]);
    place.farhop("report run --quiet --threads 2 --overwrite").succeeded();
    assert_eq!(place.text("run/report.html"), html);
    place.refuses("report run --out run/recipe.toml --overwrite --quiet", 1, &["belongs to the run"]);
    // The score is that of the evaluation.
    let evaluated = place.farhop("evaluate run --json --quiet").object();
    let shown = Metric::Accuracy.shown(evaluated["accuracy"].as_f64());
    assert!(html.contains(&format!(">{shown}</td>")), "{shown}");
    assert_eq!(html.matches("kind = ").count(), place.text("run/recipe.toml").matches("kind = ").count());
    // A run that a report lies in can be used and continued as before.
    place.farhop("predict run --quiet").succeeded();
}

#[test]
fn the_command_on_the_page_trains_the_same_again() {
    let place = Place::with_run();
    // From another folder, the page says where to start.
    fs::create_dir(place.path("elsewhere")).unwrap();
    let mut command = place.command(&["report", "../run", "--quiet"]);
    answer(command.current_dir(place.path("elsewhere"))).succeeded();
    let html = place.text("run/report.html");
    let line = html.split("<code>farhop ").nth(1).unwrap().split("</code>").next().unwrap();
    assert!(html.contains("where the paths of the recipe begin"), "{line}");
    place.farhop(&format!("{line} --quiet")).succeeded();
    let folder = line.split(" --out ").nth(1).unwrap();
    assert_eq!(place.read("run/model.safetensors"), place.read(&format!("{folder}/model.safetensors")));
}

#[test]
fn names_of_users_are_never_markup() {
    let place = Place::new();
    let evil = "<script>alert(1)</script>";
    let text = nodes(40)
        .replace("warm", evil)
        .replace("label", "\"<img src=x onerror=alert(2)>\"")
        .replace("id,kind", "id,<b>kind</b>");
    place.write("nodes.csv", &text);
    place.write("edges.csv", &edges(40));
    let words = [
        "train",
        "--nodes",
        "nodes.csv",
        "--edges",
        "edges.csv",
        "--target",
        "<img src=x onerror=alert(2)>",
        "--fill",
        "mean",
        "--quiet",
        "--width",
        "8",
        "--layers",
        "1",
        "--epochs",
        "3",
        "--out",
        "a<i>b",
    ];
    answer(&mut place.command(&words)).succeeded();
    answer(&mut place.command(&["report", "a<i>b", "--quiet", "--out", "page.html"])).succeeded();
    let html = place.text("page.html");
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && html.contains("&lt;img src=x onerror=alert(2)&gt;")
    );
    for markup in ["<script", "<img", "<b>", "<i>"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn several_runs_lie_over_each_other() {
    let place = Place::with_tables();
    place.train("series", &["--runs", "3"]).succeeded();
    let object = place.farhop("report series --json --quiet").object();
    assert_eq!((&object["report"], &object["runs"]), (&"series/report.html".into(), &3.into()));
    let html = place.text("series/report.html");
    is_whole(&html);
    has(
        &html,
        &[
            "mean ± deviation",
            "seed-2",
            "3 runs of one recipe",
            "Validation score by epoch",
            "Every run",
            "Each run",
            " ± ",
        ],
    );
    assert_eq!(html.matches("<details>").count(), 3);
    // The mean is that of the summary.
    let summary: serde_json::Value = serde_json::from_str(&place.text("series/summary.json")).unwrap();
    let mean = format!("{:.2} ± ", 100.0 * summary["test"]["mean"].as_f64().unwrap());
    assert!(html.contains(&mean), "{mean}");
    // Another model beside them; here, unless told where.
    place.train("mlp", &["--seed", "1", "--set", "model.dropout=0.3"]).succeeded();
    place.farhop("report series mlp --quiet").succeeded();
    let html = place.text("report.html");
    is_whole(&html);
    has(
        &html,
        &["Models side by side", "Settings that differ", "model.dropout", "gen (2)", "Test score and time of training"],
    );
    // Named twice, told once.
    let twice = place.farhop("report mlp ./mlp --out twice.html --json --quiet").object();
    assert_eq!(twice["runs"], 1);
}

#[test]
fn without_its_data_a_run_is_told_as_far_as_it_goes() {
    let place = Place::with_run();
    fs::rename(place.path("nodes.csv"), place.path("moved.csv")).unwrap();
    let answer = place.farhop("report run --json");
    assert!(answer.stderr.contains("nodes.csv, which is not there now"), "{}", answer.stderr);
    let object = answer.object();
    assert_eq!(object["without"].as_array().unwrap().len(), 1);
    let html = place.text("run/report.html");
    is_whole(&html);
    has(
        &html,
        &[
            "What needs the data is left out",
            "nodes.csv, which is not there now",
            "Loss by epoch",
            "40 nodes",
            "SHA-256",
        ],
    );
    assert!(!html.contains("What was taken for what") && !html.contains("How much each hop is read"));
    fs::rename(place.path("moved.csv"), place.path("nodes.csv")).unwrap();
    place.farhop("report run --without-data --quiet --out brief.html").succeeded();
    has(&place.text("brief.html"), &["--without-data", "Loss by epoch"]);
    // Other contents are looked at, and that is said.
    place.write("nodes.csv", &nodes(40).replace("n-004,green", "n-004,red"));
    place.farhop("report run --quiet --out changed.html").succeeded();
    has(&place.text("changed.html"), &["no longer what the run was trained on", "What was taken for what"]);
}

#[test]
fn folders_of_something_else_are_refused() {
    let place = Place::with_tables();
    place.refuses("report nowhere --quiet", 1, &["nowhere", "not a run folder", "farhop train"]);
    fs::create_dir(place.path("thesis")).unwrap();
    place.write("thesis/thesis.tex", "x");
    place.refuses("report thesis --quiet", 1, &["thesis", "not a run folder"]);
    place.refuses("report --study thesis --quiet", 1, &["thesis", "study.json", "farhop tune"]);
    place.refuses("report --compare thesis --quiet", 1, &["thesis", "has no runs", "farhop compare"]);
    place.refuses("report --quiet", 2, &["RUN"]);
    assert_eq!(fs::read_dir(place.path("thesis")).unwrap().count(), 1, "nothing was written there");
    place.train("runs", &[]).succeeded();
    fs::create_dir(place.path("store")).unwrap();
    fs::rename(place.path("runs"), place.path("store/one")).unwrap();
    place.refuses("report store --quiet", 2, &["store", "--compare store"]);
    // A run that was only begun has a page, too.
    place.write("store/one/run.json", &place.text("store/one/run.json").replace("\"finished\"", "\"running\""));
    place.farhop("report store/one --quiet --without-data").succeeded();
    has(&place.text("store/one/report.html"), &["not ended"]);
    // Neither do two of them keep each other from having one.
    place.train("store/two", &[]).succeeded();
    place.write("store/two/run.json", &place.text("store/two/run.json").replace("\"finished\"", "\"interrupted\""));
    place.farhop("report --compare store --quiet").succeeded();
    let html = place.text("store/report.html");
    is_whole(&html);
    has(&html, &["2 runs, none of which has ended", "interrupted"]);
    place.write("store/one/run.json", "{");
    place.refuses("report store/one --overwrite --quiet", 1, &["run.json", "not a run record"]);
}

#[test]
fn a_search_and_a_comparison_have_pages() {
    let place = Place::with_tables();
    place.write("space.toml", "[space]\nmodel.hops = [1, 2]\ntrain.learning_rate = { log = [1e-3, 1e-1] }\nmodel.activation = [\"relu\", \"gelu\"]\n");
    let tables = "--nodes nodes.csv --edges edges.csv --target label --fill mean --quiet";
    place
        .farhop(&format!(
            "tune {tables} --width 8 --layers 1 --epochs 6 --patience none --space space.toml --trials 4 --out study"
        ))
        .succeeded();
    place.farhop("report --study study --quiet").succeeded();
    let html = place.text("study/report.html");
    is_whole(&html);
    has(
        &html,
        &[
            "Best so far",
            "What mattered",
            "train.learning_rate",
            "gelu",
            "Every trial",
            "farhop train --recipe study/best.toml --runs 5",
            "in detail",
            "Answers on the valid part",
        ],
    );
    assert_eq!(html.matches("<tr class=\"strong\">").count(), 1, "the best trial stands out");
    place.refuses("report study --quiet", 2, &["study", "--study study"]);
    // The study goes on with the page in its folder.
    place
        .farhop(&format!(
            "tune {tables} --width 8 --layers 1 --epochs 6 --patience none --space space.toml --trials 5 --out study"
        ))
        .succeeded();

    place
        .farhop(&format!("compare {tables} --epochs 3 --set model.width=8 --runs 2 --models gcn,mlp --out store"))
        .succeeded();
    place.farhop("report --compare store --quiet").succeeded();
    let html = place.text("store/report.html");
    is_whole(&html);
    has(
        &html,
        &[
            "Models side by side",
            "Test score and time of training",
            "Test score of every run",
            "gcn",
            "mlp",
            "by accuracy",
        ],
    );
    // Another budget is another contender on the same data, another split another comparison.
    place
        .farhop(&format!("compare {tables} --epochs 2 --set model.width=8 --runs 2 --models gcn --out store"))
        .succeeded();
    place
        .farhop(&format!(
            "compare {tables} --epochs 2 --set model.width=8 --runs 2 --models gcn --out store --fractions 0.5,0.3"
        ))
        .succeeded();
    place.farhop("report --compare store --quiet --overwrite").succeeded();
    let html = place.text("store/report.html");
    is_whole(&html);
    has(&html, &["gcn (2)", "train.epochs", "comparison-2"]);
}

/// Graphs whose pairs of one colour belong together.
fn pairs() -> Dataset {
    let sizes = (0..20usize).map(|graph| 4 + graph % 4);
    let mut rows = Vec::new();
    let mut offsets = vec![0usize];
    for size in sizes {
        let start = offsets[offsets.len() - 1];
        rows.extend((start..start + size - 1).map(|node| (node as u32, node as u32 + 1)));
        offsets.push(start + size);
    }
    let count = offsets[offsets.len() - 1];
    let graph = farhop_graph::build(count, &rows, farhop_graph::Direction::Undirected).unwrap().graph;
    let graphs = GraphSet::new(graph, offsets.clone()).unwrap();
    let colour = |node: usize| node * 5 / 3 % 2;
    let (mut pairs, mut together, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for graph in offsets.windows(2) {
        for a in graph[0]..graph[1] {
            for b in (graph[0]..graph[1]).filter(|b| *b != a) {
                pairs.push([a as u32, b as u32]);
                together.push(colour(a) == colour(b));
            }
        }
        starts.push(pairs.len());
    }
    let numbers = (0..count).flat_map(|node| [colour(node) as f32, 1.0 - colour(node) as f32]).collect();
    Dataset {
        nodes: Columns { width: 2, numbers: Numbers::Dense(numbers), ..Columns::default() },
        split: Split::from_lists(20, (0..12).collect(), (12..16).collect(), (16..20).collect()).unwrap(),
        metric: Metric::MrrExtendedFiltered,
        ..Dataset::new("pairs", graphs, Level::Pair, Target::Pair { pairs, together, offsets: starts })
    }
}

#[test]
fn every_task_has_a_page() {
    let place = Place::new();
    let small = "--width 8 --layers 1 --epochs 3 --quiet";
    let mut table = String::from("id,x,y,z,big,even\n");
    for node in 0..40 {
        let x = (node * 7) % 11;
        table.push_str(&format!(
            "n{node},{x}.5,{},{},{},{}\n",
            2.0 * f64::from(x) + 0.25,
            0.5 - f64::from(x),
            u8::from(x > 5),
            u8::from(node % 2 == 0)
        ));
    }
    place.write("nodes.csv", &table);
    let ring: String = (0..40).map(|node| format!("n{node},n{}\n", (node + 1) % 40)).collect();
    place.write("edges.csv", &format!("source,target\n{ring}"));
    let mut molecules = String::from("smiles,carbons,kind\n");
    for carbons in 1..=20 {
        molecules.push_str(&format!("{0},{carbons}.5,alkane\n{0}O,{carbons}.5,alcohol\n", "C".repeat(carbons)));
    }
    place.write("molecules.csv", &molecules);
    pairs().check().unwrap().save(&place.path("pairs.farhop")).unwrap();
    let nodes = "train --nodes nodes.csv --edges edges.csv";
    let tasks = [
        (
            "number",
            format!("{nodes} --target y --ignore z,big,even --out number"),
            vec!["y: predicted against true", "y: errors", "R²"],
        ),
        (
            "numbers",
            format!("{nodes} --target y,z --ignore big,even --out numbers"),
            vec!["z: predicted against true", "Every number"],
        ),
        (
            "labels",
            format!("{nodes} --target big,even --ignore y,z --out labels"),
            vec!["Every label", "probability of yes"],
        ),
        (
            "answer",
            format!("{nodes} --target big --task labels --ignore y,z,even --out answer"),
            vec!["What was taken for what", "probability of yes"],
        ),
        (
            "graphs",
            "train molecules.csv --target kind --batch-size 8 --out graphs".to_string(),
            vec!["test graphs", "alcohol", "What was taken for what"],
        ),
        (
            "sizes",
            "train molecules.csv --target carbons --batch-size 8 --model gat --out sizes".to_string(),
            vec!["carbons: predicted against true", "attend to their neighbours"],
        ),
        (
            "links",
            "train pairs.farhop --batch-size 4 --out links".to_string(),
            vec!["True pairs among the first k", "mrr-extended-filtered"],
        ),
        ("plain", format!("{nodes} --target big --ignore y,z,even --model gcn --out plain"), vec!["Calibration"]),
        (
            "parts",
            format!("{nodes} --target big --ignore y,z,even --parts 4 --halo 2 --out parts"),
            vec!["How much each hop is read", "Calibration"],
        ),
    ];
    for (run, line, words) in tasks {
        place.farhop(&format!("{line} {small}")).succeeded();
        place.farhop(&format!("report {run} --quiet")).succeeded();
        let html = place.text(&format!("{run}/report.html"));
        is_whole(&html);
        has(&html, &words);
        assert!(!html.contains("is left out"), "{run}");
        assert_eq!(html.contains("What it looks at"), run != "plain", "{run}");
    }
}
