//! What a run was trained on, where, and how to do it again.

use std::path::{Component, Path, PathBuf};

use farhop_data::card::{DataCard, TargetSummary};
use farhop_data::text::{counted, thousands};
use farhop_nn::ArrayShape;
use farhop_train::memory::bytes_text;
use farhop_train::{ENCODINGS, Recipe, RunHistory, RunRecord};

use super::course::{curve, points};
use super::date::day_and_time;
use super::html::{Cell, Look, Markup, Table, code, facts, figure, tag};
use super::view::{RunView, status_text};
use crate::commands::train::report::shell_word;
use crate::failure::Failure;
use crate::picture::{Bar, Chart, Scale, bars};
use crate::table::duration;

/// What the data is like: its card, or what the record knows of it.
pub fn data(view: &RunView) -> Markup {
    let record = &view.history.record;
    let told = match &view.card {
        Some(card) => facts(card.entries().into_iter().map(|(name, text)| (name.to_string(), text.into()))),
        None => facts(known(record)),
    };
    let mut pictures = Markup::default();
    if let Some(card) = &view.card {
        if let Some(svg) = degrees(card) {
            pictures = pictures.and(figure("Degrees", &svg, "How many nodes receive from how many."));
        }
        if let Some((svg, note)) = answers(card) {
            pictures = pictures.and(figure("Answers", &svg, note));
        }
    }
    let stack = if pictures.is_empty() { pictures } else { tag("div", "stack", pictures) };
    tag("div", "figures", tag("div", "card", told).and(stack)).and(files(record))
}

/// How often each class or each yes is there.
fn answers(card: &DataCard) -> Option<(crate::picture::Svg, &'static str)> {
    const MOST: usize = 16;
    let (mut rows, note): (Vec<(String, usize)>, _) = match &card.target {
        TargetSummary::Classes { classes } => {
            (classes.iter().map(|class| (class.name.clone(), class.rows)).collect(), "Rows of every class.")
        }
        TargetSummary::Labels { labels } => {
            (labels.iter().map(|label| (label.name.clone(), label.yes)).collect(), "Rows with a yes to every label.")
        }
        TargetSummary::Numbers { .. } | TargetSummary::Pairs { .. } => return None,
    };
    if rows.len() > MOST {
        let rest: usize = rows[MOST - 1..].iter().map(|(_, count)| count).sum();
        let left = rows.len() - (MOST - 1);
        rows.truncate(MOST - 1);
        rows.push((format!("{left} others"), rest));
    }
    let most = rows.iter().map(|(_, count)| *count).max().filter(|most| *most > 0)? as f64;
    let bar = |(name, count): &(String, usize)| Bar {
        name: name.clone(),
        share: *count as f64 / most,
        shown: thousands(*count as u64),
    };
    Some((bars("Answers in the data", "c1", &rows.iter().map(bar).collect::<Vec<_>>()), note))
}

/// What the record of a run says about its data.
fn known(record: &RunRecord) -> Vec<(String, Markup)> {
    let graph = format!(
        "{}, {}, {}",
        counted(record.graphs as u64, "graph", "graphs"),
        counted(record.nodes as u64, "node", "nodes"),
        counted(record.edges as u64, "edge", "edges")
    );
    let input = &record.input;
    let columns = [
        (input.numbers, "numbers"),
        (input.categories.len(), "categories"),
        (input.edge_numbers, "numbers of edges"),
        (input.edge_categories.len(), "categories of edges"),
    ];
    let named = |array: &ArrayShape| {
        let known = ENCODINGS.iter().find(|encoding| encoding.name == array.name);
        (array.width, known.map_or(array.name.clone(), |encoding| encoding.columns.to_string()))
    };
    let columns: Vec<String> = columns
        .into_iter()
        .map(|(count, what)| (count, what.to_string()))
        .chain(input.arrays.iter().map(named))
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(count as u64)))
        .collect();
    [
        ("graph", graph),
        ("task", format!("{}, scored by {}", record.task, record.metric)),
        ("features", columns.join(", ")),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_string(), text.into()))
    .collect()
}

fn degrees(card: &DataCard) -> Option<crate::picture::Svg> {
    let rows = card.degree_bars();
    let most = rows.iter().map(|(_, nodes)| *nodes).max().filter(|most| *most > 0)? as f64;
    let bar = |(range, nodes): &(String, usize)| Bar {
        name: range.clone(),
        share: *nodes as f64 / most,
        shown: thousands(*nodes as u64),
    };
    Some(bars("Degrees of nodes", "c3", &rows.iter().map(bar).collect::<Vec<_>>()))
}

fn files(record: &RunRecord) -> Markup {
    let mut table = Table::new("Files that were read", &["file", "SHA-256"]);
    let all: Vec<_> = record.data.iter().chain(&record.split_file).collect();
    for file in &all {
        table.row(vec![Cell::word(file.path.display().to_string()), Cell::of(Look::Code, &file.sha256)]);
    }
    if all.is_empty() { Markup::default() } else { table.markup() }
}

/// Time, memory and the machine.
pub fn cost(run: &RunHistory) -> Markup {
    let record = &run.record;
    let machine = &record.machine;
    let seconds: f64 = run.epochs.iter().map(|epoch| epoch.seconds).sum();
    let waiting: f64 = run.epochs.iter().map(|epoch| epoch.loading_seconds).sum();
    let none = || "-".to_string();
    let mut rows = vec![
        ("training", format!("{} for {}", duration(record.seconds), counted(record.epochs as u64, "epoch", "epochs"))),
        ("an epoch", record.seconds_per_epoch.map_or_else(none, duration)),
        ("peak memory", record.peak_rss_bytes.map_or_else(none, bytes_text)),
        ("weights", thousands(record.parameters as u64)),
        (
            "machine",
            format!(
                "{}, {} of {} cores, {}{}",
                machine.system,
                machine.threads,
                machine.cores,
                machine.instruction_sets,
                machine.memory_bytes.map_or(String::new(), |bytes| format!(", {} of memory", bytes_text(bytes)))
            ),
        ),
        ("started", day_and_time(record.started)),
        (
            "status",
            match &record.error {
                Some(error) => format!("{}: {error}", status_text(record.status)),
                None => status_text(record.status).to_string(),
            },
        ),
    ];
    if waiting > 0.0 && seconds > 0.0 {
        rows.insert(2, ("waiting for batches", format!("{:.1} % of the time", 100.0 * waiting / seconds)));
    }
    let card = tag("div", "card", facts(rows.into_iter().map(|(name, text)| (name.to_string(), text.into()))));
    let curves = [curve("seconds", "c5", false, points(&run.epochs, |epoch| Some(epoch.seconds)))];
    let chart = Chart {
        title: "Seconds by epoch",
        below: "epoch",
        beside: "seconds",
        percent: false,
        scale: Scale::Even,
        curves: &curves,
        marks: &[],
    };
    let picture = chart.draw().map(|svg| figure("Time of an epoch", &svg, "With its evaluation."));
    tag("div", "figures", card.and(picture.unwrap_or_default()))
}

/// The settings, and the command that trains the same again.
pub fn recipe(run: &RunHistory) -> Result<Markup, Failure> {
    let (command, place) = again(run);
    let note = match place {
        Some(place) => format!(
            "Started in {}, where the paths of the recipe begin, this trains the same again, bit for bit on the same kind of processor:",
            place.display()
        ),
        None => "This trains the same again, bit for bit on the same kind of processor:".to_string(),
    };
    let text = run.recipe.to_toml()?;
    Ok(tag("p", "", note).and(code(&command, "command")).and(tag("h3", "", "recipe.toml")).and(code(&text, "recipe")))
}

/// The command, and the folder it is to be started in if that matters.
fn again(run: &RunHistory) -> (String, Option<PathBuf>) {
    let Recipe { data, .. } = &run.recipe;
    let named = [&data.nodes, &data.edges, &data.molecules].into_iter().flatten().map(PathBuf::as_path);
    let dataset = data
        .dataset
        .as_deref()
        .map(Path::new)
        .filter(|path| path.components().count() > 1 || path.extension().is_some());
    let relative = named.chain(dataset).chain(data.split.file()).any(Path::is_relative);
    let place = run.record.started_in.clone().filter(|_| relative);
    let path = match &place {
        // Seen from there.
        Some(place) => {
            let whole = std::path::absolute(&run.path).unwrap_or_else(|_| run.path.clone());
            whole.strip_prefix(place).map(Path::to_path_buf).unwrap_or(whole)
        }
        None => run.path.clone(),
    };
    let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let mut out = path.clone().into_os_string();
    out.push("-again");
    let folder =
        run.record.data_dir.as_ref().map_or(String::new(), |folder| format!(" --data-dir {}", shell_word(folder)));
    let recipe = shell_word(&path.join(farhop_train::run::names::RECIPE));
    (format!("farhop train --recipe {recipe}{folder} --out {}", shell_word(Path::new(&out))), place)
}
