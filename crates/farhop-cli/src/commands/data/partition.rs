//! `farhop data partition`: one graph in parts, a file for each process.

use std::process::ExitCode;

use farhop_data::Scratch;
use farhop_data::parts::{Division, PartsFolder, stream_parts, write_parts};
use farhop_data::text::thousands;
use farhop_graph::{ClusterOptions, NodeWeight, Partitioner, cluster_with};
use farhop_train::{Material, Places, Recipe};
use serde_json::json;

use super::recipe;
use crate::arguments::{Common, PartitionArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::table::TextTable;

/// The word for parts that are chosen in one pass.
const STREAMING: &str = "streaming";

/// What is said of data that is divided so but not read so.
const THROUGH_MEMORY: &str = "the graph is read into memory: in pieces are read node and edge tables and OGB folders of one graph, and .farhop files \
    of one without features of edges";

pub fn run(arguments: &PartitionArguments, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let recipe = recipe(&arguments.data, common)?;
    let out = &arguments.out;
    if PartsFolder::is_at(out) && !arguments.overwrite {
        return Err(Failure::usage(format!(
            "--out {}: there are parts already. Choose another folder, or pass --overwrite.",
            out.display()
        )));
    }
    if out.is_file()
        || (out.is_dir() && !PartsFolder::is_at(out) && out.read_dir().is_ok_and(|mut all| all.next().is_some()))
    {
        return Err(Failure::usage(format!("--out {}: it is no empty folder. Choose another.", out.display())));
    }
    let parts = arguments.parts.get();
    let division = match in_pieces(arguments, &recipe, console)? {
        Some(division) => division,
        None => in_memory(arguments, &recipe)?,
    };
    let share = division.cut as f64 / division.entries.max(1) as f64;
    let object = json!({ "folder": out, "cut_share": share, "imbalance": division.imbalance(), "division": division });
    console.result(&object, || {
        let mut table = TextTable::new(&["part", "nodes", "around", "entries", "training"]);
        for (part, file) in division.files.iter().enumerate() {
            let [own, halo, entries, training] = [file.own, file.halo, file.entries, file.training].map(thousands);
            table.row([part.to_string(), own, halo, entries, training]);
        }
        format!(
            "{}\n\n{:.1} % of the entries lie between parts; the largest part has {:.2} times the mean work.",
            console.lines(&table),
            100.0 * share,
            division.imbalance()
        )
    })?;
    console.message(&format!("next: mpirun -n {parts} farhop train {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// A graph that is chosen for in one pass is never in memory as a whole. None: data that is not read in pieces, or another way to choose.
fn in_pieces(arguments: &PartitionArguments, recipe: &Recipe, console: &Console) -> Result<Option<Division>, Failure> {
    if arguments.partitioner != STREAMING {
        return Ok(None);
    }
    let scratch = Scratch::new(&arguments.out)?;
    let Some((Material { dataset, .. }, mut pieces)) = Material::read_in_pieces(recipe, &scratch)? else {
        console.message(THROUGH_MEMORY);
        return Ok(None);
    };
    let parts = arguments.parts.get();
    let owners = pieces.stream_parts(parts)?;
    Ok(Some(pieces.write_parts(&dataset, &owners, parts as u32, STREAMING, &arguments.out)?))
}

fn in_memory(arguments: &PartitionArguments, recipe: &Recipe) -> Result<Division, Failure> {
    let Material { dataset, .. } = Material::read(recipe, &Places::usual(arguments.data.data_dir.as_deref()))?;
    let graph = dataset.graphs.union();
    let parts = arguments.parts.get();
    let (how, owners) = match arguments.partitioner.as_str() {
        STREAMING => (STREAMING, stream_parts(graph, parts)?),
        kind => {
            let partitioner = if kind == "metis" { Partitioner::Metis } else { Partitioner::BuiltIn };
            let options = ClusterOptions {
                partitioner,
                weight: NodeWeight::NodesAndEntries,
                seed: recipe.train.seed,
                ..ClusterOptions::default()
            };
            (kind, cluster_with(graph, parts, &options)?.of_node().to_vec())
        }
    };
    Ok(write_parts(&dataset, &owners, parts as u32, how, &arguments.out)?)
}
