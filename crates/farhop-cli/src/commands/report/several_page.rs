//! The page of several runs, or of what a folder of comparisons holds.

use std::collections::{BTreeMap, BTreeSet};

use farhop_data::metrics::Metric;
use farhop_data::text::counted;
use farhop_train::compare::{KeptComparison, Standing};
use farhop_train::memory::bytes_text;
use farhop_train::series::{Row, Spread};
use farhop_train::{Recipe, RunHistory, Scores, Status, value_text};
use serde_json::Value;

use super::course::{mean_course, points, score_note};
use super::html::{Cell, Look, Markup, Table, figure, folded, section, tag, tile, tiles};
use super::page::Page;
use super::run_page;
use super::view::{RunView, data_name, run_names, status_text};
use crate::commands::compare::table;
use crate::failure::Failure;
use crate::picture::{Chart, Curve, Mark, Scale, Strip, colour, score_against_time, strips};
use crate::spread::spread_text;
use crate::table::duration;

/// The page. `views` are those runs that are told in full.
pub fn page(kind: &'static str, found: &[KeptComparison], views: &[RunView]) -> Result<Page, Failure> {
    let mut contents = Vec::new();
    let mut body = Markup::default();
    for (number, comparison) in found.iter().enumerate() {
        let id = format!("comparison-{}", number + 1);
        let title = title_of(comparison);
        contents.push((id.clone(), title.clone()));
        body = body.and(section(&id, &title, compared(comparison)?));
    }
    if !views.is_empty() {
        let names = run_names(&views.iter().map(|view| view.history.clone()).collect::<Vec<_>>());
        let mut details = Markup::default();
        for (number, (view, name)) in views.iter().zip(&names).enumerate() {
            let record = &view.history.record;
            let title = format!("{name}: {}, test {}", record.model, record.metric.shown(record.scores.test));
            let parts = run_page::sections(view, &format!("run-{}-", number + 1))?;
            let inside: Markup = parts.into_iter().map(|(id, title, part)| section(&id, &title, part)).collect();
            details = details.and(folded(&title, run_page::notices(view).and(inside)));
        }
        contents.push(("runs".to_string(), "Each run".to_string()));
        body = body.and(section("runs", "Each run", details));
    }
    let all: usize = found.iter().map(|one| one.runs.len()).sum();
    let models: BTreeSet<&str> = found.iter().flat_map(|one| &one.runs).map(|run| run.record.model.as_str()).collect();
    let data: BTreeSet<String> = found.iter().flat_map(|one| &one.runs).map(|run| data_name(&run.recipe)).collect();
    let listed = |names: &[String]| names.join(", ");
    let models: Vec<String> = models.into_iter().map(str::to_string).collect();
    let data: Vec<String> = data.into_iter().collect();
    let versions: BTreeSet<&str> =
        found.iter().flat_map(|one| &one.runs).map(|run| run.record.farhop.as_str()).collect();
    Ok(Page {
        kind,
        title: format!("{} on {}", listed(&models), listed(&data)),
        lead: tag("p", "lead", lead(found, all)),
        top: top(found),
        contents,
        body,
        version: versions.into_iter().collect::<Vec<_>>().join(", "),
    })
}

fn lead(found: &[KeptComparison], all: usize) -> String {
    let runs = counted(all as u64, "run", "runs");
    match found {
        [one] => match (table::conclusion(&one.standings), one.standings.len()) {
            (Some(conclusion), _) => format!("{runs} on the same data: {conclusion}."),
            (None, 0) => format!("{runs}, none of which has ended."),
            (None, 1) => format!("{runs} of one recipe."),
            (None, _) => format!("{runs} on the same data."),
        },
        several => {
            format!("{runs} on {} kinds of data or splits, which are not compared with each other.", several.len())
        }
    }
}

/// The numbers of a single recipe that was run several times.
fn top(found: &[KeptComparison]) -> Markup {
    let [KeptComparison { standings, .. }] = found else { return Markup::default() };
    let [one] = standings.as_slice() else { return Markup::default() };
    let metric = one.metric().unwrap_or(Metric::Accuracy);
    let score = |name: &str, spread: Option<Spread>| {
        spread.map(|spread| {
            tile(name, &spread_text(metric, &spread), &format!("{}, mean of {}", metric.name(), spread.count))
        })
    };
    let train = one.runs.spread(|scores| scores.train);
    let mut all: Vec<Markup> = [("test", one.test), ("validation", one.valid), ("training", train)]
        .into_iter()
        .filter_map(|(name, spread)| score(name, spread))
        .collect();
    all.extend(one.seconds.map(|seconds| tile("time of a run", &duration(seconds.mean), "mean")));
    all.extend(one.peak_rss_bytes.map(|bytes| tile("peak memory", &bytes_text(bytes), "largest")));
    tiles(all)
}

fn title_of(comparison: &KeptComparison) -> String {
    let Some(run) = comparison.runs.first() else { return "Runs".to_string() };
    format!("{}, split {}, by {}", data_name(&run.recipe), split_text(&run.recipe), run.record.metric)
}

fn split_text(recipe: &Recipe) -> String {
    match &recipe.data.split {
        farhop_train::SplitSetting::Number(_) => "by number".to_string(),
        other => other.to_string(),
    }
}

/// What each model with its settings is called: numbered where a model has several.
fn names_of(standings: &[Standing]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let name = |one: &Standing| {
        let count = seen.entry(one.model()).or_default();
        *count += 1;
        if *count == 1 { one.model().to_string() } else { format!("{} ({count})", one.model()) }
    };
    standings.iter().map(name).collect()
}

fn compared(comparison: &KeptComparison) -> Result<Markup, Failure> {
    let KeptComparison { standings, runs } = comparison;
    let names = names_of(standings);
    let metric = runs.first().map_or(Metric::Accuracy, |run| run.record.metric);
    let mut body = Markup::default();
    if standings.len() > 1 {
        body = body.and(ranking(standings, &names));
    }
    for (one, name) in standings.iter().zip(&names) {
        if let Some(problem) = one.problem() {
            body = body.and(tag("p", "notice", format!("{name}: a run failed. {problem}")));
        }
    }
    body = body.and(pictures(comparison, &names, metric)).and(runs_table(comparison, metric));
    let recipes: Vec<&Recipe> = standings.iter().map(|one| &one.recipe).collect();
    Ok(body.and(differences(&recipes, &names)?))
}

fn ranking(standings: &[Standing], names: &[String]) -> Markup {
    let head: Vec<String> = table::HEADING
        .iter()
        .enumerate()
        .map(|(at, name)| if at == 0 { name.to_string() } else { format!("#{name}") })
        .collect();
    let mut found = Table::new(
        "Models side by side; p: how likely a difference to the best as large as this would be by chance",
        &head.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    for (one, name) in standings.iter().zip(names) {
        let [_, rest @ ..] = table::cells(one);
        let cells = [Cell::word(name)].into_iter().chain(rest.into_iter().map(Cell::number)).collect();
        if one.rank == Some(1) { found.strong(cells) } else { found.row(cells) }
    }
    found.markup()
}

fn pictures(comparison: &KeptComparison, names: &[String], metric: Metric) -> Markup {
    let KeptComparison { standings, runs } = comparison;
    let of = |one: &Standing| -> Vec<&RunHistory> {
        runs.iter().filter(|run| one.runs.rows.iter().any(|row| row.path.as_ref() == Some(&run.path))).collect()
    };
    let mut figures = Markup::default();
    let marks: Vec<Mark> = standings
        .iter()
        .zip(names)
        .filter_map(|(one, name)| {
            let (test, seconds) = (one.test?, one.seconds?);
            Some(Mark { name: name.clone(), seconds: seconds.mean, score: test.mean, deviation: test.deviation })
        })
        .collect();
    if standings.len() > 1 && !marks.is_empty() {
        let note = "Further up and to the left is better; bars are a deviation to both sides.";
        let note = if metric.higher_is_better() {
            note
        } else {
            "Further down and to the left is better; bars are a deviation to both sides."
        };
        figures =
            figures.and(figure("Test score and time of training", &score_against_time(&marks, Some(metric)), note));
    }
    let (rows, caption) = match standings.as_slice() {
        [one] => (
            vec![strip("test", one, |scores| scores.test), strip("validation", one, |scores| scores.valid)],
            "Score of every run",
        ),
        several => (
            several.iter().zip(names).map(|(one, name)| strip(name, one, |scores| scores.test)).collect(),
            "Test score of every run",
        ),
    };
    if let Some(svg) = strips(caption, &rows, metric) {
        figures = figures.and(figure(caption, &svg, "A point is a run; line and band are mean and deviation."));
    }
    let single = standings.len() == 1 && runs.len() > 1;
    type Value = fn(&farhop_train::EpochReport) -> Option<f64>;
    let charts: [(&str, &str, bool, Value); 3] = [
        ("Validation score", "validation", metric.in_percent(), |epoch| epoch.valid),
        ("Training loss", "loss", false, |epoch| Some(f64::from(epoch.loss))),
        ("Validation loss", "loss", false, |epoch| epoch.valid_loss),
    ];
    for (caption, beside, percent, value) in charts {
        let mut curves: Vec<Curve> = Vec::new();
        for (number, (one, name)) in standings.iter().zip(names).enumerate() {
            let of_model = of(one);
            for (place, run) in of_model.iter().enumerate() {
                let colour = colour(if single { place } else { number });
                let name = format!("seed {}", run.record.seed);
                let faint = !single && of_model.len() > 1;
                curves.push(Curve { name, colour, dashed: false, faint, points: points(&run.epochs, value) });
                if let (false, Some(last)) = (single || faint, curves.last_mut()) {
                    last.name = names[number].clone();
                }
            }
            if !single && of_model.len() > 1 {
                let points = mean_course(&of_model, value);
                curves.push(Curve { name: name.clone(), colour: colour(number), dashed: false, faint: false, points });
            }
        }
        let title = format!("{caption} by epoch");
        let chart =
            Chart { title: &title, below: "epoch", beside, percent, scale: Scale::Even, curves: &curves, marks: &[] };
        if let Some(svg) = chart.draw() {
            let way = if caption == "Validation score" { score_note(metric) } else { "" };
            let note =
                if single { way.to_string() } else { format!("{way} Faint lines are runs, strong ones their mean.") };
            figures = figures.and(figure(caption, &svg, note.trim()));
        }
    }
    if figures.is_empty() { figures } else { tag("div", "figures", figures) }
}

/// A score of every run of a model.
fn strip(name: &str, one: &Standing, of: fn(&Scores) -> Option<f64>) -> Strip {
    let score =
        |row: &Row| Some((format!("seed {}", row.member.recipe.train.seed), of(&row.result.as_ref().ok()?.scores)?));
    Strip { name: name.to_string(), runs: one.runs.rows.iter().filter_map(score).collect() }
}

fn runs_table(comparison: &KeptComparison, metric: Metric) -> Markup {
    let head = [
        "run",
        "model",
        "#seed",
        "split",
        "#train",
        "#valid",
        "#test",
        "#best epoch",
        "#epochs",
        "#time",
        "#memory",
        "status",
    ];
    let mut found = Table::new("Every run", &head);
    let names = run_names(&comparison.runs);
    let tests: Vec<f64> = comparison.runs.iter().filter_map(|run| run.record.scores.test).collect();
    let (low, high) =
        (tests.iter().copied().fold(f64::INFINITY, f64::min), tests.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    for (run, name) in comparison.runs.iter().zip(names) {
        let RunHistory { record, recipe, .. } = run;
        let shown = |value: Option<f64>| Cell::number(metric.shown(value));
        let place = record.scores.test.filter(|_| high > low).map(|test| (test - low) / (high - low));
        let place = place.map(|place| if metric.higher_is_better() { place } else { 1.0 - place });
        let look = place.map_or(Look::Number, |place| Look::Bar(0.15 + 0.85 * place));
        found.row(vec![
            Cell::word(name),
            Cell::word(&record.model),
            Cell::number(record.seed.to_string()),
            Cell::word(recipe.data.split.to_string()),
            shown(record.scores.train),
            shown(record.scores.valid),
            Cell::of(look, metric.shown(record.scores.test)),
            Cell::number(record.best_epoch.map_or("-".to_string(), |epoch| epoch.to_string())),
            Cell::number(record.epochs.to_string()),
            Cell::number(duration(record.seconds)),
            Cell::number(record.peak_rss_bytes.map_or("-".to_string(), bytes_text)),
            Cell::word(if record.status == Status::Finished { "finished" } else { status_text(record.status) }),
        ]);
    }
    for (one, name) in comparison.standings.iter().zip(names_of(&comparison.standings)) {
        if one.runs.records().count() < 2 {
            continue;
        }
        let score = |spread: Option<Spread>| {
            Cell::number(spread.map_or("-".to_string(), |spread| spread_text(metric, &spread)))
        };
        let empty = || Cell::word("");
        found.strong(vec![
            Cell::word("mean ± deviation"),
            Cell::word(name),
            empty(),
            empty(),
            score(one.runs.spread(|scores| scores.train)),
            score(one.valid),
            score(one.test),
            empty(),
            empty(),
            Cell::number(one.seconds.map_or("-".to_string(), |seconds| duration(seconds.mean))),
            Cell::number(one.peak_rss_bytes.map_or("-".to_string(), bytes_text)),
            empty(),
        ]);
    }
    found.markup()
}

/// Settings that two recipes have and do not agree on.
fn differences(recipes: &[&Recipe], names: &[String]) -> Result<Markup, Failure> {
    let mut settings: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for (number, recipe) in recipes.iter().enumerate() {
        let tree = serde_json::to_value(recipe)
            .map_err(|error| Failure::failed(format!("the recipe can't be read: {error}.")))?;
        leaves(&tree, String::new(), &mut |key, value| {
            let of_all = settings.entry(key).or_insert_with(|| vec![None; recipes.len()]);
            of_all[number] = Some(if value.is_null() { "none".to_string() } else { value_text(value) });
        });
    }
    let ignored = ["train.seed", "data.split", "model.kind"];
    settings.retain(|key, values| {
        let known: Vec<&String> = values.iter().flatten().collect();
        !ignored.contains(&key.as_str()) && known.windows(2).any(|pair| pair[0] != pair[1])
    });
    if settings.is_empty() {
        return Ok(Markup::default());
    }
    let mut found = Table::new("Settings that differ", &["setting"]);
    names.iter().for_each(|name| found.column(name));
    for (key, values) in settings {
        let cells = values.into_iter().map(|value| Cell::number(value.unwrap_or_else(|| "-".to_string())));
        found.row([Cell::word(key)].into_iter().chain(cells).collect());
    }
    Ok(found.markup())
}

fn leaves(tree: &Value, key: String, each: &mut dyn FnMut(String, &Value)) {
    match tree {
        Value::Object(inside) => {
            for (name, value) in inside {
                leaves(value, if key.is_empty() { name.clone() } else { format!("{key}.{name}") }, each);
            }
        }
        value => each(key, value),
    }
}
