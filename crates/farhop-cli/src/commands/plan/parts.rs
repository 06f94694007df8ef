//! The plan of a run over several processes: memory of the largest one, and what goes over the wire.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::parts::PartsFolder;
use farhop_nn::Shape;
use farhop_train::Settings;
use farhop_train::memory::{self, DataBytes, Division, Limit, bytes_text};
use farhop_train::presets::Preset;
use serde_json::json;

use super::seconds::{Link, Prediction, Traffic};
use super::text;
use crate::console::Console;
use crate::failure::Failure;
use crate::table::TextTable;

/// Bytes of a node and an entry of a part beside those of its graph: numbers in the whole graph, owners and degrees.
const NAMES: u64 = 4;

pub fn run(
    path: &Path,
    asked: &Settings,
    training: bool,
    limit: Option<&Limit>,
    link: Link,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let folder = PartsFolder::open(path)?;
    let division = &folder.division;
    let work = |part: &usize| division.files[*part].own + division.files[*part].local_entries;
    let largest = (0..division.parts()).max_by_key(work).unwrap_or(0);
    let part = folder.load(largest)?;
    let preset = Preset::of_sizes(division.training() as usize, part.dataset.nodes.width);
    let recipe = &asked.settle(Some(preset))?.recipe;
    let local = &part.local.graph;
    let (nodes, entries) = (local.nodes(), local.entries());
    let own = Division::of(&part.dataset, &recipe.encodings).shape;
    let shape = Shape {
        entries,
        edge_numbers: part.edges.width,
        edge_categories: part.edges.sizes.len(),
        edge_category_rows: part.edges.sizes.iter().map(|size| *size as usize).sum(),
        nodes,
        ..own
    };
    let mut held = DataBytes::one_graph(nodes, entries, local.is_directed());
    held.graph += NAMES * (3 * nodes + entries) as u64;
    let plan = memory::plan(&recipe.model, &shape, held, training, limit);
    // What all halos receive is what all processes send.
    let halo: u64 = division.files.iter().map(|file| file.halo).sum();
    let [forward, backward] = recipe.model.halo_numbers(&shape).map(|numbers| 4 * numbers as u64);
    let passes = if training { 2 * forward + backward } else { forward };
    let parts = division.parts() as u64;
    let parameters = recipe.model.init(part_inputs(&part), part_outputs(&part), 0)?.parameters() as u64;
    let gradients = if training { 2 * 4 * parameters * (parts - 1) } else { 0 };
    let busiest = division.files.iter().map(|file| file.halo).max().unwrap_or(0);
    let rounds = recipe.model.halo_rounds();
    let traffic = Traffic {
        bytes: passes * busiest + gradients / parts.max(1),
        rounds: (if training { 2 * rounds[0] + rounds[1] } else { rounds[0] }) as u64,
    };
    let predicted = Prediction::of(recipe, &part, [nodes, entries], training, traffic, link)?;
    let object = json!({
        "model": recipe.model.name(),
        "mode": if training { "train" } else { "infer" },
        "processes": parts,
        "largest_part": largest,
        "nodes": nodes,
        "entries": entries,
        "parts": plan.parts,
        "peak_bytes": plan.total,
        "limit_bytes": plan.limit,
        "fits": plan.fits,
        "halo_nodes": halo,
        "bytes_forward": forward * halo,
        "bytes_backward": backward * halo,
        "bytes_gradients": gradients,
        "bytes_per_epoch": passes * halo + gradients,
        "imbalance": division.imbalance(),
        "predicted": predicted.object(),
    });
    console.result(&object, || {
        let mut wire = TextTable::new(&["over the wire, an epoch", "all processes", "each, on average"]);
        let mut row = |name: &str, bytes: u64| {
            wire.row([name.to_string(), bytes_text(bytes), bytes_text(bytes / parts.max(1))]);
        };
        if training {
            row("halos, forward", forward * halo);
            row("halos, backward", backward * halo);
            row("halos, evaluation", forward * halo);
            row("gradients", gradients);
        } else {
            row("halos", forward * halo);
        }
        format!(
            "memory of the largest of {parts} processes (part {largest})\n\n{}\n\n{}\n\nthe largest part has {:.2} times the mean work.\n{}",
            text(&plan, console),
            console.lines(&wire),
            division.imbalance(),
            predicted.text()
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a model reads of a part.
fn part_inputs(part: &farhop_data::parts::DatasetPart) -> farhop_nn::InputShape {
    farhop_nn::InputShape {
        numbers: part.dataset.nodes.width,
        categories: part.dataset.nodes.sizes.clone(),
        edge_numbers: part.edges.width,
        edge_categories: part.edges.sizes.clone(),
        arrays: Vec::new(),
    }
}

/// What it gives.
fn part_outputs(part: &farhop_data::parts::DatasetPart) -> farhop_nn::OutputShape {
    farhop_nn::OutputShape { level: part.dataset.level, outputs: part.dataset.target.outputs() }
}
