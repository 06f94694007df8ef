//! `farhop table`: a published table made again, ours beside theirs.

mod write;

use std::process::ExitCode;

use farhop_data::text::counted;
use farhop_train::Places;
use farhop_train::series::{Row, Surroundings};
use farhop_train::table::{Cell, Definition, Filled, Filling, MeasuredRun, Verdict, definitions, find};
use serde_json::{Value, json};

use crate::arguments::{Common, ScoreTableArguments, TableFormat};
use crate::console::Console;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::machine::machine;
use crate::table::TextTable;
use crate::watcher::Watcher;

/// Runs the command.
pub fn run(
    arguments: &ScoreTableArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if common.seed.is_some() {
        return Err(Failure::usage(
            "--seed is not for tables: their cells have the seeds of their protocol. Take it out.",
        ));
    }
    if arguments.name == "list" {
        return list(console);
    }
    let definition = find(&arguments.name)?;
    let places = Places::usual(arguments.data_dir.as_deref());
    let data_dir = arguments.data_dir.as_ref().and_then(|folder| std::path::absolute(folder).ok());
    let filling = Filling {
        definition: &definition,
        rows: &arguments.only,
        columns: &arguments.datasets,
        most_runs: arguments.runs,
        run: !arguments.no_run,
        own: arguments.own,
        store: &arguments.out,
        around: Surroundings { places: &places, machine: machine(threads), data_dir },
    };
    let mut watcher = Watcher::of_several(console);
    let filled = filling.fill(&mut watcher, interrupt::asked());
    drop(watcher);
    tell(arguments, &definition, &filled?, console)
}

/// The tables that there are.
fn list(console: &Console) -> Result<ExitCode, Failure> {
    let tables = definitions()?;
    let object: Vec<Value> = tables
        .iter()
        .map(|one| json!({ "name": one.name, "title": one.title, "source": one.source, "protocol": one.protocol }))
        .collect();
    console.result(&object, || {
        let mut table = TextTable::new(&["table", "cells", "what it shows"]);
        for one in &tables {
            table.row([one.name.to_string(), (one.rows.len() * one.columns.len()).to_string(), one.title.clone()]);
        }
        console.lines(&table)
    })?;
    console.message("next: farhop table NAME --no-run, farhop table NAME --only gcn,gen");
    Ok(ExitCode::SUCCESS)
}

fn tell(
    arguments: &ScoreTableArguments,
    definition: &Definition,
    filled: &Filled,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let cells = &filled.cells;
    console.result(&object(definition, filled), || match arguments.format {
        TableFormat::Text => {
            let tables = write::text(cells, console.width());
            tables.iter().map(|table| console.lines(table)).collect::<Vec<_>>().join("\n\n")
        }
        TableFormat::Csv => write::csv(cells),
        TableFormat::Markdown => write::markdown(cells),
        TableFormat::Latex => write::latex(cells),
    })?;
    for cell in cells {
        if let Some(problem) = cell.runs.iter().find_map(|row| row.result.as_ref().err()) {
            console.warning(&format!("{} on {}: {problem}", cell.line.name, cell.column.name));
        }
    }
    console.message(&format!("{}\npublished: {}", write::LEGEND, sources(definition, cells)));
    if let Some(line) = hindrances(cells) {
        console.message(&line);
    }
    if filled.elsewhere > 0 {
        console.message(&format!(
            "{} in work by other processes on {}; ask again when they are done",
            counted(filled.elsewhere as u64, "run is", "runs are"),
            arguments.out.display()
        ));
    }
    if filled.interrupted {
        console.warning("interrupted; what is finished is kept. Ask again to go on.");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let runs = || cells.iter().flat_map(|cell| &cell.runs);
    let here = runs().filter(|row| row.path.is_some()).count() as u64;
    let came = runs().count() as u64 - here;
    if came > 0 {
        console.message(&format!(
            "{} measured before and came with farhop; --own runs them here",
            counted(came, "run was", "runs were")
        ));
    }
    if here > 0 {
        console.message(&format!("{} in {}", counted(here, "run is", "runs are"), arguments.out.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whose the published numbers are: those of the table, and of rows that have them from elsewhere.
fn sources(definition: &Definition, cells: &[Cell]) -> String {
    let mut others: Vec<(&str, Vec<&str>)> = Vec::new();
    for cell in cells {
        let Some(by) = cell.line.by.as_deref() else { continue };
        if others.iter().all(|(known, _)| *known != by) {
            others.push((by, Vec::new()));
        }
        for (_, rows) in others.iter_mut().filter(|(known, _)| *known == by) {
            if !rows.contains(&cell.line.name.as_str()) {
                rows.push(&cell.line.name);
            }
        }
    }
    let told = others.iter().map(|(by, rows)| format!("; {}: {by}", rows.join(", ")));
    format!("{}{}", definition.source, told.collect::<String>())
}

/// Why cells are open that nobody can fill here, once for each reason.
fn hindrances(cells: &[Cell]) -> Option<String> {
    let mut without: Vec<&str> = Vec::new();
    let mut absent: Vec<&str> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.hindrance.is_some()) {
        let (list, name) = match cell.recipe {
            None => (&mut without, cell.line.name.as_str()),
            Some(_) => (&mut absent, cell.column.dataset.as_str()),
        };
        if !list.contains(&name) {
            list.push(name);
        }
    }
    let told = |list: &[&str], what: &str| (!list.is_empty()).then(|| format!("{what}: {}", list.join(", ")));
    let lines: Vec<String> = [told(&without, "no recipe in some columns"), told(&absent, "data that is not here")]
        .into_iter()
        .flatten()
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn object(definition: &Definition, filled: &Filled) -> Value {
    let count = |verdict: Verdict| filled.cells.iter().filter(|cell| cell.verdict() == verdict).count();
    json!({
        "table": definition.name,
        "title": definition.title,
        "source": definition.source,
        "protocol": definition.protocol,
        "interrupted": filled.interrupted,
        "elsewhere": filled.elsewhere,
        "better": count(Verdict::Better),
        "equal": count(Verdict::Equal),
        "worse": count(Verdict::Worse),
        "open": count(Verdict::Open),
        "cells": filled.cells.iter().map(cell_object).collect::<Vec<_>>(),
    })
}

fn cell_object(cell: &Cell) -> Value {
    let last = cell.records().last();
    let mean = |of: fn(&farhop_train::RunRecord) -> f64| {
        farhop_train::series::Spread::of(cell.records().map(of)).map(|spread| spread.mean)
    };
    json!({
        "row": cell.line.name,
        "model": cell.line.model,
        "column": cell.column.name,
        "dataset": cell.column.dataset,
        "set": cell.line.set.iter().chain(&cell.column.set).collect::<std::collections::BTreeMap<_, _>>(),
        "measure": cell.column.measure,
        "percent": cell.column.percent,
        "published": cell.published(),
        "by": cell.line.by,
        "ours": cell.ours(),
        "verdict": cell.verdict(),
        "wanted": cell.wanted,
        "hindrance": cell.hindrance,
        "seconds": mean(|record| record.seconds),
        "started": cell.records().map(|record| record.started).max(),
        "parameters": last.map(|record| record.parameters),
        "machine": last.map(|record| &record.machine),
        "farhop": last.map(|record| &record.farhop),
        "recipe": cell.recipe,
        "runs": cell.runs.iter().filter_map(run_object).collect::<Vec<_>>(),
    })
}

/// A run: what is kept of it, and where it lies, if it does here.
fn run_object(row: &Row) -> Option<Value> {
    let mut object = json!(MeasuredRun::of(row).ok()?);
    object["run"] = json!(row.path);
    Some(object)
}
