//! `farhop data list`: what there is, and what of it is here.

use std::process::ExitCode;

use farhop_data::Level;
use farhop_data::catalogue::{Entry, Presence, entries};
use farhop_data::text::thousands;
use farhop_train::Places;
use serde_json::{Value, json};

use crate::arguments::ListArguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::table::TextTable;

pub fn run(arguments: &ListArguments, console: &Console) -> Result<ExitCode, Failure> {
    let folders = Places::usual(arguments.data_dir.as_deref()).folders;
    let shown: Vec<(&Entry, Presence)> = entries()
        .iter()
        .map(|entry| (entry, entry.on_this_machine(&folders)))
        .filter(|(_, presence)| !arguments.here || is_here(presence))
        .collect();
    let object: Vec<Value> = shown.iter().map(|(entry, presence)| described(entry, presence)).collect();
    console.result(&json!({ "datasets": object, "folders": folders.paths() }), || {
        let mut table =
            TextTable::new(&["dataset", "predicts", "score", "graphs", "nodes", "edges", "here"]).sparing(2);
        for (entry, presence) in &shown {
            let count = |count: Option<usize>| count.map_or("-".to_string(), |count| thousands(count as u64));
            let expected = &entry.expected;
            let graphs =
                if entry.level == Level::Node && expected.graphs.is_none() { Some(1) } else { expected.graphs };
            table.row([
                entry.name.to_string(),
                level_name(entry.level).to_string(),
                entry.metric.name(),
                count(graphs),
                count(expected.nodes),
                count(expected.edges),
                presence_text(presence),
            ]);
        }
        console.lines(&table)
    })?;
    let looked: Vec<String> = folders.paths().iter().map(|path| path.display().to_string()).collect();
    let places =
        if looked.is_empty() { "no folder; set FARHOP_DATA or pass --data-dir".into() } else { looked.join(", ") };
    console.message(&format!("looked in {places}"));
    console.message("next: farhop data info NAME, farhop train NAME, farhop data fetch NAME");
    Ok(ExitCode::SUCCESS)
}

fn is_here(presence: &Presence) -> bool {
    matches!(presence, Presence::Made | Presence::Here { .. } | Presence::StandIn { .. })
}

pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Node => "nodes",
        Level::Graph => "graphs",
        Level::Pair => "pairs",
    }
}

fn presence_text(presence: &Presence) -> String {
    match presence {
        Presence::Made => "made".to_string(),
        Presence::Here { .. } => "yes".to_string(),
        Presence::StandIn { name, .. } => format!("stand-in: {name}"),
        Presence::Partly { missing, .. } => format!("partly ({} missing)", missing.len()),
        Presence::Absent => "no".to_string(),
    }
}

fn described(entry: &Entry, presence: &Presence) -> Value {
    let expected = &entry.expected;
    let folder = match presence {
        Presence::Here { folder } | Presence::StandIn { folder, .. } | Presence::Partly { folder, .. } => Some(folder),
        Presence::Made | Presence::Absent => None,
    };
    json!({
        "name": entry.name,
        "title": entry.title,
        "level": entry.level,
        "metric": entry.metric,
        "graphs": expected.graphs,
        "nodes": expected.nodes,
        "edges": expected.edges,
        "features": expected.features,
        "outputs": expected.outputs,
        "splits": entry.splits,
        "licence": entry.licence,
        "seen_whole": entry.seen_whole,
        "here": is_here(presence),
        "status": presence_text(presence),
        "folder": folder,
    })
}
