//! `farhop data fetch`: downloads, when asked for by name.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use farhop_data::catalogue::find;
use farhop_data::fetch::{Event, FetchOptions, fetch};
use farhop_train::Places;
use farhop_train::memory::bytes_text;
use serde_json::json;

use crate::arguments::FetchArguments;
use crate::console::Console;
use crate::failure::Failure;

/// Time between two lines of progress.
const EVERY: Duration = Duration::from_secs(3);

pub fn run(arguments: &FetchArguments, console: &Console) -> Result<ExitCode, Failure> {
    let entry = |name: &String| find(name).map_err(|error| Failure::usage(error.to_string()));
    let entries = arguments.names.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    let places = Places::usual(arguments.data_dir.as_deref());
    let Some(folder) = places.folders.for_downloads() else {
        return Err(Failure::usage("there is no folder to download into. Pass --data-dir, or set FARHOP_DATA."));
    };
    let mut results = Vec::new();
    for entry in entries {
        console.message(&format!("{} ({}; licence: {})", entry.name, entry.homepage, entry.licence));
        let mut last = Instant::now();
        let report = fetch(entry, folder, &FetchOptions::default(), &mut |event| say(&event, &mut last, console))?;
        for skipped in &report.skipped {
            console.warning(skipped);
        }
        results.push(json!({
            "name": entry.name,
            "fetched": report.fetched,
            "present": report.present,
            "skipped": report.skipped,
        }));
    }
    console.result(&json!({ "folder": folder, "datasets": results }), || format!("{}", folder.display()))?;
    if let Some(name) = arguments.names.first() {
        console.message(&format!("next: farhop data info {name}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn say(event: &Event<'_>, last: &mut Instant, console: &Console) {
    let of = |total: &Option<u64>| total.map_or(String::new(), |total| format!(" of {}", bytes_text(total)));
    match event {
        Event::Started { file, resumed, .. } if *resumed > 0 => {
            console.message(&format!("{file}: going on after {}", bytes_text(*resumed)));
        }
        Event::Started { .. } => {}
        Event::Received { file, bytes, total } => {
            if last.elapsed() >= EVERY {
                *last = Instant::now();
                console.message(&format!("{file}: {}{}", bytes_text(*bytes), of(total)));
            }
        }
        Event::Waiting { file, reason, pause } => {
            console.message(&format!("{file}: {reason}; trying again in {} s", pause.as_secs().max(1)));
        }
        Event::Finished { file, bytes, checked } => {
            let how = if *checked { "checked" } else { "no checksum is known" };
            console.message(&format!("{file}: {}, {how}", bytes_text(*bytes)));
        }
        Event::Present { file } => console.message(&format!("{file}: already here")),
    }
}
