//! `farhop plan`: the peak memory of a run, before anything is allocated.

use std::process::ExitCode;

use farhop_nn::Shape;
use farhop_train::Places;
use farhop_train::memory::{self, Held, Limit, Plan, bytes_text};
use serde_json::json;

use crate::arguments::{Common, PlanArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::settings;
use crate::table::TextTable;

/// Runs the command.
pub fn run(arguments: &PlanArguments, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let file = arguments.recipe.as_deref();
    let recipe = settings::recipe(file, &arguments.data, &arguments.model, Vec::new(), common)?;
    let sizes = &arguments.sizes;
    let data = &recipe.data;
    let (shape, held) = match (sizes.node_count, sizes.edge_count) {
        (Some(nodes), Some(edges)) => {
            let entries = if data.directed { edges } else { edges.saturating_mul(2) };
            let shape = checked(Shape::nodes(nodes, entries, sizes.feature_count, sizes.class_count))?;
            (shape, Held::one_graph(nodes, entries, data.directed))
        }
        _ if data.nodes.is_none() && data.edges.is_none() && data.dataset.is_none() && data.molecules.is_none() => {
            return Err(Failure::usage(
                "nothing to plan for: give a dataset, --nodes, --edges and --target, or --node-count and --edge-count.",
            ));
        }
        _ => {
            let places = Places::usual(arguments.data.data_dir.as_deref());
            let material = data::read(&recipe, &places)?;
            data::show_card(&material, console);
            let task = data::task(&recipe, material.dataset, None, &places, console)?;
            (task.shape(), task.held())
        }
    };
    let limit = match arguments.limit {
        Some(bytes) => Some(Limit { bytes, source: "--limit" }),
        None => memory::available(),
    };
    let training = !arguments.infer;
    let plan = memory::plan(&recipe.model, &shape, held, training, limit.as_ref());
    let object = json!({
        "model": recipe.model.name(),
        "mode": if training { "train" } else { "infer" },
        "nodes": shape.nodes,
        "entries": shape.entries,
        "features": shape.inputs,
        "classes": shape.outputs,
        "parts": plan.parts,
        "peak_bytes": plan.total,
        "limit_bytes": plan.limit,
        "limit_source": plan.limit_source,
        "fits": plan.fits,
        "advice": plan.advice,
    });
    console.result(&object, || text(&plan, console))?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses sizes whose bytes can't be counted.
fn checked(shape: Shape) -> Result<Shape, Failure> {
    const MOST: usize = u32::MAX as usize;
    let too_large = shape.nodes > MOST || shape.entries > MOST || shape.inputs > 1 << 24 || shape.outputs > 1 << 24;
    if too_large || shape.nodes == 0 || shape.inputs == 0 || shape.outputs == 0 {
        return Err(Failure::usage(format!(
            "these sizes are not possible: nodes and entries (twice the edges) go up to {MOST}, features and classes to {}, and only edges may be 0.",
            1 << 24
        )));
    }
    Ok(shape)
}

fn text(plan: &Plan, console: &Console) -> String {
    let mut table = TextTable::new(&["part", "memory"]);
    for part in &plan.parts {
        table.row([part.name.clone(), bytes_text(part.bytes)]);
    }
    table.row(["peak".to_string(), bytes_text(plan.total)]);
    let mut lines = table.lines();
    lines[0] = console.heading(&lines[0]);
    lines.push(String::new());
    lines.push(match (plan.limit, plan.limit_source, &plan.advice) {
        (Some(limit), Some(source), _) if plan.fits => format!("fits: {} are available ({source}).", bytes_text(limit)),
        (Some(limit), Some(source), Some(advice)) => format!(
            "does not fit: {} are available ({source}). With {} it needs {}.",
            bytes_text(limit),
            advice.setting,
            bytes_text(advice.total)
        ),
        (Some(limit), Some(source), None) => format!(
            "does not fit: {} are available ({source}), and no smaller setting of this model fits.",
            bytes_text(limit)
        ),
        _ => "the limit of this machine is unknown.".to_string(),
    });
    lines.join("\n")
}
