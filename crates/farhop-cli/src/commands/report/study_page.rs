//! The page of a search.

use std::path::Path;

use farhop_data::metrics::Metric;
use farhop_data::text::counted;
use farhop_train::study::{State, Study, Trial, Values};
use farhop_train::value_text;

use super::html::{Cell, Look, Markup, Table, code, figure, section, tag, tile, tiles};
use super::page::Page;
use super::run_page;
use super::view::{RunView, data_name};
use crate::commands::train::report::shell_word;
use crate::failure::Failure;
use crate::picture::{Chart, Curve, Scale, Slice, Tried, importance, search, slice};
use crate::table::duration;

/// Settings that are drawn.
const MOST_SLICES: usize = 9;

/// The page. `view` is the best trial's run.
pub fn page(study: &Study, trials: &[Trial], view: Option<&RunView>) -> Result<Page, Failure> {
    let metric: Metric = study
        .description()
        .metric
        .parse()
        .map_err(|error| Failure::failed(format!("{}: {error}", study.path().display())))?;
    let base = study.base()?;
    let best = study.best(trials);
    let mut sections = vec![
        ("search", "The search".to_string(), pictures(study, trials, metric)),
        ("settings", "Settings, one by one".to_string(), slices(study, trials, metric)),
        ("trials", "Trials".to_string(), table(study, trials, metric)),
    ];
    if let Some(best) = &best {
        let recipe = study.space().recipe(&base, &best.settings)?;
        let file = study.path().join("best.toml");
        let next = match file.is_file() {
            true => tag("p", "", "This trains it with other seeds, and scores it on the test part:")
                .and(code(&format!("farhop train --recipe {} --runs 5", shell_word(&file)), "command")),
            false => tag("p", "", "The search has not ended; the recipe so far:"),
        };
        sections.push((
            "best",
            format!("Trial {}, the best", best.number),
            next.and(code(&recipe.to_toml()?, "recipe")),
        ));
    }
    let mut contents: Vec<(String, String)> =
        sections.iter().map(|(id, title, _)| (id.to_string(), title.clone())).collect();
    let mut body: Markup = sections.into_iter().map(|(id, title, inside)| section(id, &title, inside)).collect();
    if let (Some(view), Some(best)) = (view, &best) {
        let inside: Markup =
            run_page::sections(view, "run-")?.into_iter().map(|(id, title, part)| section(&id, &title, part)).collect();
        let title = format!("Trial {} in detail", best.number);
        contents.push(("detail".to_string(), title.clone()));
        body = body.and(section("detail", &title, run_page::notices(view).and(inside)));
    }
    Ok(Page {
        kind: "study report",
        title: format!("Search for {} on {}", base.model.name(), data_name(&base)),
        lead: tag("p", "lead", lead(study, trials, best, metric)),
        top: numbers(trials, best, metric),
        contents,
        body,
        version: view.map_or_else(|| env!("CARGO_PKG_VERSION").to_string(), |view| view.history.record.farhop.clone()),
    })
}

/// The run of the best trial, if there is one.
pub fn best_run(study: &Study, trials: &[Trial]) -> Option<std::path::PathBuf> {
    let run = study.run_of(study.best(trials)?.number);
    run.is_dir().then_some(run)
}

fn lead(study: &Study, trials: &[Trial], best: Option<&Trial>, metric: Metric) -> String {
    let searched = counted(study.space().dimensions.len() as u64, "setting", "settings");
    let all = counted(trials.len() as u64, "trial", "trials");
    match best {
        Some(best) => format!(
            "{all} over {searched}. The best has {} {} on validation; the test part was not looked at.",
            metric.name(),
            metric.shown(best.score)
        ),
        None => format!("{all} over {searched}. None of them was trained to its end yet."),
    }
}

fn numbers(trials: &[Trial], best: Option<&Trial>, metric: Metric) -> Markup {
    let count = |state: State| trials.iter().filter(|trial| trial.state == state).count();
    let seconds: f64 = trials.iter().map(|trial| trial.seconds).sum();
    let mut found = Vec::new();
    found
        .extend(best.map(|best| tile("best validation", &metric.shown(best.score), &format!("trial {}", best.number))));
    found.push(tile("trials", &trials.len().to_string(), ""));
    for (name, state) in [
        ("trained to their end", State::Finished),
        ("ended early", State::Pruned),
        ("failed", State::Failed),
        ("running", State::Running),
    ] {
        if count(state) > 0 || state == State::Finished {
            found.push(tile(name, &count(state).to_string(), ""));
        }
    }
    found.push(tile("time", &duration(seconds), "of all trials"));
    tiles(found)
}

fn pictures(study: &Study, trials: &[Trial], metric: Metric) -> Markup {
    let mut figures = Markup::default();
    if let Some(svg) = search(trials, metric) {
        figures = figures.and(figure(
            "Best so far",
            &svg,
            "Every trial by its validation score. Trials that are far worse stand at the end of the axis.",
        ));
    }
    let note = "The share of the differences between scores that the value of one setting explains by itself (ω²).";
    figures = figures.and(figure("What mattered", &importance(study, trials), note));
    let best = study.best(trials);
    let curve = |trial: &Trial| {
        let is_best = best.as_ref().is_some_and(|best| best.number == trial.number);
        let points = trial.curve.iter().map(|(epoch, worth)| (*epoch, study.score(*worth))).collect();
        Curve {
            name: format!("trial {}, the best", trial.number),
            colour: if is_best {
                "c2"
            } else if trial.state == State::Finished {
                "c1"
            } else {
                "quiet"
            },
            dashed: false,
            faint: !is_best,
            points,
        }
    };
    let mut curves: Vec<Curve> = trials.iter().map(curve).collect();
    // The best on top of all others.
    curves.sort_by_key(|curve| !curve.faint);
    let chart = Chart {
        title: "Best validation score so far by epoch",
        below: "epoch",
        beside: &metric.name(),
        percent: metric.in_percent(),
        scale: Scale::Even,
        curves: &curves,
        marks: &[],
    };
    if let Some(svg) = chart.draw() {
        let note = "The best validation score so far of every trial. Blue: trained to their end; grey: ended early.";
        figures = figures.and(figure("Trials by epoch", &svg, note));
    }
    tag("div", "figures", figures)
}

/// The last part of a key, in words.
fn short(key: &str) -> String {
    key.rsplit('.').next().unwrap_or(key).replace('_', " ")
}

fn slices(study: &Study, trials: &[Trial], metric: Metric) -> Markup {
    let mut order: Vec<(usize, f64)> =
        study.importance(trials).into_iter().map(|(_, share)| share).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut figures = Markup::default();
    for (number, _) in order.into_iter().take(MOST_SLICES) {
        let dimension = &study.space().dimensions[number];
        let (kinds, scale): (&[serde_json::Value], Scale) = match &dimension.values {
            Values::Choices(choices) => (choices, Scale::Even),
            Values::Uniform(..) => (&[], Scale::Even),
            Values::Log(..) => (&[], Scale::Powers),
        };
        let place = |value: &serde_json::Value| match kinds {
            [] => value.as_f64(),
            kinds => kinds.iter().position(|kind| kind == value).map(|at| at as f64),
        };
        let tried = |trial: &Trial| {
            let value = place(trial.settings.get(&dimension.key)?)?;
            Some(Tried { value, score: trial.score?, ended: trial.state == State::Finished })
        };
        let of = Slice {
            name: short(&dimension.key),
            kinds: kinds.iter().map(value_text).collect(),
            scale,
            trials: trials.iter().filter_map(tried).collect(),
            metric,
        };
        if let Some(svg) = slice(&of) {
            figures = figures.and(figure(&dimension.key, &svg, ""));
        }
    }
    if figures.is_empty() { tag("p", "", "No trial has a score yet.") } else { tag("div", "figures small", figures) }
}

fn table(study: &Study, trials: &[Trial], metric: Metric) -> Markup {
    let mut found = Table::new("Every trial", &["trial", "#valid", "state", "#epochs", "#time"]);
    let keys: Vec<&str> = study.space().dimensions.iter().map(|dimension| dimension.key.as_str()).collect();
    keys.iter().for_each(|key| found.column(&short(key)));
    let scores = || trials.iter().filter_map(|trial| trial.score).filter(|score| score.is_finite());
    let (low, high) = (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max));
    let best = study.best(trials).map(|best| best.number);
    for trial in trials {
        let state = match trial.state {
            State::Running => "running".to_string(),
            State::Finished => "trained to its end".to_string(),
            State::Pruned => "ended early".to_string(),
            State::Failed => format!("failed: {}", trial.error.as_deref().unwrap_or("it failed")),
        };
        let place = trial.score.filter(|_| high > low).map(|score| (score - low) / (high - low));
        let place = place.map(|place| if metric.higher_is_better() { place } else { 1.0 - place });
        let mut cells = vec![
            Cell::word(trial.number.to_string()),
            Cell::of(place.map_or(Look::Number, Look::Bar), metric.shown(trial.score)),
            Cell::word(state),
            Cell::number(trial.epochs.to_string()),
            Cell::number(duration(trial.seconds)),
        ];
        let value = |key: &&str| Cell::number(trial.settings.get(*key).map_or("-".to_string(), value_text));
        cells.extend(keys.iter().map(value));
        if Some(trial.number) == best { found.strong(cells) } else { found.row(cells) }
    }
    found.markup()
}

/// Whether a folder is that of a study.
pub fn is_study(path: &Path) -> bool {
    path.join("study.json").is_file()
}
