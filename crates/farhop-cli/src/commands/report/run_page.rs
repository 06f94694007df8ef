//! The page of one run.

use farhop_data::text::{counted, thousands};
use farhop_nn::REGISTRY;
use farhop_train::Status;
use farhop_train::memory::bytes_text;

use super::html::{Markup, section, tag, tile, tiles};
use super::page::Page;
use super::view::{RunView, data_name, status_text};
use super::{answers, attention, course, facts};
use crate::failure::Failure;
use crate::table::duration;

/// The page.
pub fn page(view: &RunView) -> Result<Page, Failure> {
    let record = &view.history.record;
    let sections = sections(view, "")?;
    let status = (record.status != Status::Finished).then(|| {
        let error = record.error.as_ref().map_or(String::new(), |error| format!(": {error}"));
        tag("p", "notice", format!("This run is {}{error}", status_text(record.status)))
    });
    let contents = sections.iter().map(|(id, title, _)| (id.clone(), title.clone())).collect();
    Ok(Page {
        kind: "run report",
        title: format!("{} on {}", record.model, data_name(&view.history.recipe)),
        lead: tag("p", "lead", lead(view)),
        top: status.unwrap_or_default().and(notices(view)).and(numbers(view)),
        contents,
        body: sections.into_iter().map(|(id, title, inside)| section(&id, &title, inside)).collect(),
        version: record.farhop.clone(),
    })
}

/// Id, title and contents of everything there is to say. `prefix` keeps ids of several runs apart.
pub fn sections(view: &RunView, prefix: &str) -> Result<Vec<(String, String, Markup)>, Failure> {
    let mut found = vec![("learning", "Learning".to_string(), course::of_run(&view.history))];
    if let Some(insight) = &view.insight {
        let title = format!("Answers on the {} part", insight.part.name());
        found.push(("answers", title, answers::section(view, insight)));
        found.extend(attention::section(insight).map(|part| ("attention", "What it looks at".to_string(), part)));
    }
    found.push(("data", "Data".to_string(), facts::data(view)));
    found.push(("cost", "Time and memory".to_string(), facts::cost(&view.history)));
    found.push(("recipe", "Recipe".to_string(), facts::recipe(&view.history)?));
    Ok(found.into_iter().map(|(id, title, part)| (format!("{prefix}{id}"), title, part)).collect())
}

/// What has to be known before anything is read.
pub fn notices(view: &RunView) -> Markup {
    let missing = view.missing.as_ref().map(|reason| {
        tag("p", "notice", format!("What needs the data is left out (answers, calibration, attention). {reason}"))
    });
    let changed = view.changed.then(|| {
        tag("p", "notice", "The data is no longer what the run was trained on: its files have other contents. Answers and attention are those of what they hold now.")
    });
    missing.unwrap_or_default().and(changed.unwrap_or_default())
}

/// In a sentence or two: what learned what, and how well.
fn lead(view: &RunView) -> String {
    let record = &view.history.record;
    let about = REGISTRY.iter().find(|model| model.name == record.model).map(|model| model.about.title);
    let model = match about {
        Some(about) => format!("{about} ({})", record.model),
        None => record.model.clone(),
    };
    let task = view.card.as_ref().map_or(record.task.as_str(), |card| card.task.as_str());
    let from = view.card.as_ref().map_or(String::new(), |card| {
        let one = view.rows().trim_end_matches('s');
        format!(
            " from {}",
            counted(card.split[0] as u64, &format!("training {one}"), &format!("training {}", view.rows()))
        )
    });
    let metric = record.metric;
    let score =
        [("test", record.scores.test), ("validation", record.scores.valid)].into_iter().find_map(|(part, score)| {
            Some(format!(" On the {part} part it has {} {}.", metric.name(), metric.shown(Some(score?))))
        });
    format!("{model} learned {task}{from}.{}", score.unwrap_or_default())
}

fn numbers(view: &RunView) -> Markup {
    let record = &view.history.record;
    let metric = record.metric;
    let name = metric.name();
    let score = |part: &str, value: Option<f64>| value.map(|value| tile(part, &metric.shown(Some(value)), &name));
    let mut found: Vec<Markup> =
        [("test", record.scores.test), ("validation", record.scores.valid), ("training", record.scores.train)]
            .into_iter()
            .filter_map(|(part, value)| score(part, value))
            .collect();
    if let Some(calibration) = view.insight.as_ref().and_then(|insight| insight.calibration.as_ref()) {
        found.push(tile("calibration error", &format!("{:.1} %", 100.0 * calibration.expected_error), "expected"));
    }
    if let Some(best) = record.best_epoch {
        found.push(tile("best epoch", &best.to_string(), &format!("of {}", record.epochs)));
    }
    found.push(tile("weights", &thousands(record.parameters as u64), ""));
    found.push(tile("time", &duration(record.seconds), &counted(record.epochs as u64, "epoch", "epochs")));
    found.extend(record.peak_rss_bytes.map(|bytes| tile("peak memory", &bytes_text(bytes), "")));
    tiles(found)
}
