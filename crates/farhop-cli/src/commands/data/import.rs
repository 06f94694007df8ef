//! `farhop data import`: what a user brings, as one checked file that loads fast.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::import::import_tables;
use farhop_data::{DataCard, Dataset};
use farhop_train::Places;
use farhop_train::memory::bytes_text;
use serde_json::json;

use super::recipe;
use crate::arguments::{Common, ImportArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::output::{self, Output};

pub fn run(arguments: &ImportArguments, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let recipe = recipe(&arguments.data, common)?;
    let out = Output::new("--out", &arguments.out, arguments.overwrite)?;
    // A file that was imported before names the files it came from, not itself.
    out.spares(recipe.data.dataset.as_deref().map(Path::new))?;
    let places = Places::usual(arguments.data.data_dir.as_deref());
    let dataset = match (&arguments.graphs, &recipe.data.nodes, &recipe.data.edges) {
        (graphs, Some(nodes), Some(edges)) if graphs.is_some() || arguments.graph.is_some() => {
            let mut options = recipe.data.import_options(recipe.train.seed);
            options.graph.clone_from(&arguments.graph);
            import_tables(nodes, edges, graphs.as_deref(), &options)?
        }
        _ => data::read_any(&recipe, &places)?.dataset,
    };
    out.spares(output::paths(&dataset.sources))?;
    if !console.is_quiet() {
        console.message(DataCard::of(&dataset).to_string().trim_end());
    }
    dataset.save(&arguments.out)?;
    // What can be read back is what was written; its numbers stay where they are.
    Dataset::open(&arguments.out, 0)?;
    let bytes = std::fs::metadata(&arguments.out).map_or(0, |file| file.len());
    let object = json!({
        "file": arguments.out,
        "bytes": bytes,
        "graphs": dataset.graphs.len(),
        "nodes": dataset.graphs.union().nodes(),
        "edges": dataset.graphs.union().edges(),
    });
    console.result(&object, || format!("{} ({})", arguments.out.display(), bytes_text(bytes)))?;
    console.message(&format!("next: farhop train {}", arguments.out.display()));
    Ok(ExitCode::SUCCESS)
}
