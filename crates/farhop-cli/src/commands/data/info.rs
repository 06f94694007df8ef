//! `farhop data info`: a data card for anything that can be learned from.

use std::process::ExitCode;

use farhop_data::catalogue::{Entry, find};
use farhop_data::text::card_line;
use farhop_train::Places;
use serde_json::json;

use super::recipe;
use crate::arguments::{Common, InfoArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;

pub fn run(arguments: &InfoArguments, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let mut recipe = recipe(&arguments.data, common)?;
    recipe.data.distance = arguments.distance;
    let places = Places::usual(arguments.data.data_dir.as_deref());
    let material = data::read_any(&recipe, &places)?;
    let card = material.card();
    let entry = recipe.data.dataset.as_deref().and_then(|name| find(name).ok());
    let about = entry.map(|entry| {
        json!({
            "title": entry.title,
            "citation": entry.citation,
            "licence": entry.licence,
            "homepage": entry.homepage,
            "splits": entry.splits,
            "seen_whole": entry.seen_whole,
        })
    });
    console.result(&json!({ "card": card, "about": about }), || {
        let width = console.width();
        let card = data::card_text(&material, width);
        match entry {
            Some(entry) => format!("{}\n{}", card.trim_end(), about_lines(entry, width.unwrap_or(usize::MAX))),
            None => card.trim_end().to_string(),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Where it comes from, in line with the card.
fn about_lines(entry: &Entry, width: usize) -> String {
    let lines = [
        ("about", entry.title),
        ("splits", entry.splits),
        ("cite", entry.citation),
        ("licence", entry.licence),
        ("from", entry.homepage),
    ];
    let told = lines.iter().filter(|(_, text)| !text.is_empty());
    told.map(|(name, text)| card_line(name, text, width)).collect::<Vec<_>>().join("\n")
}
