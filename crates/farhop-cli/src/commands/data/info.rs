//! `farhop data info`: a data card for anything that can be learned from.

use std::process::ExitCode;

use farhop_data::catalogue::{Entry, find};
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
        let card = card.to_string();
        match entry {
            Some(entry) => format!("{}\n{}", card.trim_end(), about_lines(entry)),
            None => card.trim_end().to_string(),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Where it comes from, in line with the card.
fn about_lines(entry: &Entry) -> String {
    let mut lines = vec![
        format!("about       {}", entry.title),
        format!("splits      {}", entry.splits),
        format!("cite        {}", entry.citation),
        format!("licence     {}", entry.licence),
    ];
    if !entry.homepage.is_empty() {
        lines.push(format!("from        {}", entry.homepage));
    }
    lines.join("\n")
}
