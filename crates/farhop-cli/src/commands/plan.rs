//! `farhop plan`: the peak memory of a run, before anything is allocated.

mod parts;
mod seconds;

use std::path::Path;
use std::process::ExitCode;

use farhop_data::parts::PartsFolder;
use farhop_nn::Shape;
use farhop_train::memory::{self, DataBytes, Division, Limit, Plan, bytes_text};
use farhop_train::{Observer, Places, Recipe, plan_whole, prepare_task};
use serde_json::json;

use crate::arguments::{Common, PlanArguments};
use crate::console::Console;
use crate::data;
use crate::failure::Failure;
use crate::flags::advised;
use crate::origins;
use crate::settings;
use crate::table::TextTable;
use crate::watcher::Watcher;

/// Runs the command.
pub fn run(arguments: &PlanArguments, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let file = arguments.recipe.as_deref();
    let asked = settings::asked(file, &arguments.data, &arguments.model, arguments.parts.settings(), common)?;
    let mut settled = asked.settle(None)?;
    let sizes = &arguments.sizes;
    let data = settled.recipe.data.clone();
    let limit = memory::available();
    let (limit, training) = (limit.as_ref(), !arguments.infer);
    if let Some(folder) = data.dataset.as_deref().filter(|name| PartsFolder::is_at(Path::new(name))) {
        let link = seconds::Link::of(arguments)?;
        return parts::run(Path::new(folder), &asked, training, limit, link, console);
    }
    if arguments.bandwidth.is_some() || arguments.latency.is_some() {
        return Err(Failure::usage("--bandwidth and --latency are for data in parts. Take them out."));
    }
    let (shape, plan) = match (sizes.node_count, sizes.edge_count) {
        (Some(nodes), Some(edges)) => {
            let entries = if data.directed { edges } else { edges.saturating_mul(2) };
            let shape = checked(Shape::nodes(nodes, entries, sizes.feature_count, sizes.class_count))?;
            of_sizes(&settled.recipe, &shape, training, limit)
        }
        _ if data.nodes.is_none() && data.edges.is_none() && data.dataset.is_none() && data.molecules.is_none() => {
            return Err(Failure::usage(
                "nothing to plan for: give a dataset, --nodes, --edges and --target, or --node-count and --edge-count.",
            ));
        }
        _ => {
            let places = Places::usual(arguments.data.data_dir.as_deref());
            let material;
            (settled, material) = data::read(&asked, &places)?;
            data::show_card(&material, console);
            let (dataset, recipe) = (material.dataset, &settled.recipe);
            if dataset.splits_nodes() && recipe.train.parts.is_none() {
                // Known without making anything of it: features that lie on disk stay there.
                let division = Division::of(&dataset, &recipe.encodings);
                let graph = dataset.graphs.union();
                let plan = plan_whole(&recipe.model, &division, graph, &recipe.train, training, limit);
                (division.shape, plan)
            } else {
                let mut watcher = Watcher::new(console);
                let task = prepare_task(recipe, dataset, None, None, training, &places, &mut watcher)?;
                watcher.prepared(recipe, &task);
                (task.shape(), task.plan(&recipe.model, &recipe.train, training, limit))
            }
        }
    };
    origins::say(&settled.origins, console);
    let recipe = &settled.recipe;
    let object = json!({
        "model": recipe.model.name(),
        "mode": if training { "train" } else { "infer" },
        "graph_parts": recipe.train.parts,
        "nodes": shape.nodes,
        "entries": shape.entries,
        "features": shape.inputs,
        "classes": shape.outputs,
        "parts": plan.parts,
        "peak_bytes": plan.total,
        "limit_bytes": plan.limit,
        "limit_source": plan.limit_source,
        "fits": plan.fits,
        "advice": plan.advice.as_ref().map(|advice| json!({ "setting": advised(advice), "total": advice.total })),
    });
    console.result(&object, || text(&plan, console))?;
    Ok(ExitCode::SUCCESS)
}

/// A plan from sizes; that of a graph in parts is an estimate.
fn of_sizes(recipe: &Recipe, shape: &Shape, training: bool, limit: Option<&Limit>) -> (Shape, Plan) {
    let division = Division::of_shape(shape, recipe.data.directed);
    let halo = recipe.train.halo;
    let divided = |parts: usize, halo: Option<usize>| {
        (parts <= shape.nodes).then(|| division.estimate(parts, halo.unwrap_or(0), None))
    };
    let (shape, held) = match recipe.train.parts.and_then(|parts| divided(parts, halo)) {
        Some(found) => found,
        None => (shape.clone(), DataBytes::one_graph(shape.nodes, shape.entries, recipe.data.directed)),
    };
    let plan = memory::plan_divisible(&recipe.model, &shape, held, training, limit, Some((&divided, halo)));
    (shape, plan)
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

/// The parts of a plan, and whether it fits.
pub(super) fn text(plan: &Plan, console: &Console) -> String {
    let mut table = TextTable::new(&["part", "memory"]);
    for part in &plan.parts {
        table.row([part.name.clone(), bytes_text(part.bytes)]);
    }
    table.row(["peak".to_string(), bytes_text(plan.total)]);
    let mut lines = vec![console.lines(&table), String::new()];
    lines.push(match (plan.limit, plan.limit_source, &plan.advice) {
        (Some(limit), Some(source), _) if plan.fits => format!("fits: {} are available ({source}).", bytes_text(limit)),
        (Some(limit), Some(source), Some(advice)) => format!(
            "does not fit: {} are available ({source}). With {} it needs {}.",
            bytes_text(limit),
            advised(advice),
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
