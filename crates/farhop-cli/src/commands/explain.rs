//! `farhop explain`: which nodes, at which hop, one prediction read.

use std::path::PathBuf;
use std::process::ExitCode;

use farhop_data::save::write_atomically;
use farhop_data::text::{quoted, thousands};
use farhop_data::{Level, RowFile, Target};
use farhop_train::insight::{Explanation, ExplanationMethod, Question, Subject};
use farhop_train::{Task, TrainedRun, plan_explanation};
use serde_json::{Value, json};

use crate::arguments::ExplainArguments;
use crate::console::Console;
use crate::data::{self, Applied};
use crate::failure::Failure;
use crate::output::Output;
use crate::picture;
use crate::table::{TextTable, percent};
use crate::watcher::Watcher;

/// Runs the command.
pub fn run(arguments: &ExplainArguments, console: &Console) -> Result<ExitCode, Failure> {
    if arguments.node.is_none() && arguments.graph.is_none() && arguments.pair.is_none() {
        return Err(Failure::usage("--node is missing: give the id of a node (or --graph, --pair) to be explained."));
    }
    if let Some(out) = arguments.out.as_deref().filter(|out| out.extension().is_none_or(|end| end != "svg")) {
        let shown = out.display();
        return Err(Failure::usage(format!("--out {shown}: a picture is an SVG. Give a name that ends in .svg.")));
    }
    if let Some(table) = &arguments.table {
        RowFile::check_name(table).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let mut places = Vec::new();
    for (flag, file) in [("--out", &arguments.out), ("--table", &arguments.table)] {
        if let Some(file) = file {
            places.push(Output::new(flag, file, arguments.overwrite)?);
        }
    }
    if arguments.overwrite && places.is_empty() {
        return Err(Failure::usage("--overwrite is for --out and --table. Take it out."));
    }
    let run = TrainedRun::open(&arguments.run)?;
    let Applied { recipe, task, read, changed, .. } = data::apply(&run, &arguments.new, console)?;
    for place in &places {
        place.spares(read.iter().map(PathBuf::as_path))?;
    }
    let question = question(arguments, &task)?;
    plan_explanation(&recipe, &task, &question, &mut Watcher::new(console))?;
    let found = run.explain(&task, &question)?;
    if let Some(file) = &arguments.out {
        let picture = picture_of(&task, &found);
        write_atomically(file, |writer| std::io::Write::write_all(writer, picture.as_bytes()))?;
        console.message(&format!("picture  {}", file.display()));
    }
    if let Some(file) = &arguments.table {
        write_table(file, &task, &found)?;
        console.message(&format!("table    {}", file.display()));
    }
    let object = object(arguments, &run, &task, &found, changed);
    console.result(&object, || text(arguments.top, &task, &found, console))?;
    Ok(ExitCode::SUCCESS)
}

/// The picture, as a file of its own.
pub fn picture_of(task: &Task, found: &Explanation) -> String {
    picture::explained(task, found).alone(&heading(task, found))
}

fn question(arguments: &ExplainArguments, task: &Task) -> Result<Question, Failure> {
    let subject = match (task.level(), &arguments.node, &arguments.graph, &arguments.pair) {
        (Level::Node, Some(id), ..) => Subject::Row(row(task, "node", id)?),
        (Level::Graph, None, Some(id), None) => Subject::Row(row(task, "graph", id)?),
        (Level::Pair, None, graph, Some(nodes)) => {
            let graph = graph.as_ref().map_or(Ok(0), |id| row(task, "graph", id))?;
            Subject::Pair { graph, nodes: [nodes[0], nodes[1]] }
        }
        (level, ..) => {
            let (what, flag) = match level {
                Level::Node => ("nodes", "--node ID"),
                Level::Graph => ("graphs", "--graph ID"),
                Level::Pair => ("pairs of nodes", "--pair A B"),
            };
            return Err(Failure::usage(format!("the run predicts {what}. Pass {flag}.")));
        }
    };
    let output = arguments.output.as_ref().map(|name| output(task, name)).transpose()?;
    let method = arguments.method.map(ExplanationMethod::from);
    // Who asks for a layer asks for its weights.
    let method = method.or(arguments.layer.map(|_| ExplanationMethod::Weights));
    Ok(Question { subject, output, method, layer: arguments.layer })
}

fn row(task: &Task, what: &str, id: &str) -> Result<u32, Failure> {
    task.find_row(id).ok_or_else(|| {
        let count = thousands(task.rows() as u64);
        let some = match task.rows() {
            0 => "there is none".to_string(),
            rows => {
                format!("{count} there, from {} to {}", quoted(&task.row_id(0)), quoted(&task.row_id(rows as u32 - 1)))
            }
        };
        Failure::failed(format!("{} has no {what} {} ({some}). Give an id of the data.", task.name, quoted(id)))
    })
}

fn output(task: &Task, name: &str) -> Result<usize, Failure> {
    const SHOWN: usize = 12;
    let names = task.target().names();
    names.iter().position(|other| other == name).ok_or_else(|| {
        let mut some: Vec<String> = names.iter().take(SHOWN).cloned().collect();
        some.extend((names.len() > SHOWN).then(|| format!("{} more", names.len() - SHOWN)));
        let some = if some.is_empty() { "none, pairs have one score".to_string() } else { some.join(", ") };
        Failure::usage(format!("--output {}: the run has no such output. Allowed: {some}.", quoted(name)))
    })
}

/// `node 35`, `graph 4`, `pair 3 8 of graph 0`.
fn named(task: &Task, found: &Explanation) -> String {
    match found.subject {
        Subject::Row(row) if task.level() == Level::Node => format!("node {}", task.row_id(row)),
        Subject::Row(row) => format!("graph {}", task.row_id(row)),
        Subject::Pair { graph, nodes: [one, other] } => format!("pair {one} {other} of graph {}", task.row_id(graph)),
    }
}

/// `node 35: Theory, probability 0.934`.
fn heading(task: &Task, found: &Explanation) -> String {
    let output = task.target().names().get(found.output).map_or("together", String::as_str);
    match found.probability {
        Some(share) => format!("{}: {output}, probability {share:.3}", named(task, found)),
        None => format!("{}: {output} {}", named(task, found), found.value),
    }
}

fn text(top: usize, task: &Task, found: &Explanation, console: &Console) -> String {
    let mut lines = vec![heading(task, found)];
    let output = task.target().names().get(found.output).map_or("the score of the pair", String::as_str);
    let (hop, weight) = match found.method {
        ExplanationMethod::Weights => {
            let (layer, layers) = (found.layer.unwrap_or(0), found.layers);
            lines.push(format!("read in layer {layer} of {layers}: weights of the walks from each node"));
            ("hop", "weight")
        }
        ExplanationMethod::Contributions => {
            let score = if matches!(task.target(), Target::Number { .. }) { "" } else { "the score of " };
            lines.push(format!("contributions to {score}{output}: gradient times input of each node"));
            lines.push(format!("they add up to {:.4}; the output is {:.4}", found.sum(), found.value));
            ("distance", "contribution")
        }
    };
    let by_hop = found.by_hop();
    let counted = by_hop.iter().any(|hop| hop.hop.is_some());
    let number = |hop: Option<u32>| hop.map_or("-".to_string(), |hop| hop.to_string());
    if counted {
        let mut table = TextTable::new(&[hop, "nodes", "sum", "share"]);
        for one in &by_hop {
            let share = percent(Some(one.share));
            table.row([number(one.hop), thousands(one.nodes as u64), format!("{:.4}", one.sum), share]);
        }
        lines.extend([String::new(), console.lines(&table)]);
    }
    let mut keys = vec!["node"];
    keys.extend(counted.then_some(hop));
    keys.push(weight);
    let mut table = TextTable::new(&keys);
    for share in found.shares.iter().take(top) {
        let mut cells = vec![task.node_key(share.node).pop().unwrap_or_default()];
        cells.extend(counted.then(|| number(share.hop)));
        cells.push(format!("{:.4}", share.weight));
        table.row(cells);
    }
    if !found.shares.is_empty() {
        lines.extend([String::new(), console.lines(&table)]);
    }
    if found.shares.len() > top {
        let more = thousands((found.shares.len() - top) as u64);
        lines.push(format!("and {more} more, which --table FILE writes"));
    }
    lines.join("\n")
}

fn object(arguments: &ExplainArguments, run: &TrainedRun, task: &Task, found: &Explanation, changed: bool) -> Value {
    let (node, graph) = match found.subject {
        Subject::Row(row) if task.level() == Level::Node => (Some(task.row_id(row)), None),
        Subject::Row(row) => (None, Some(task.row_id(row))),
        Subject::Pair { graph, .. } => (None, Some(task.row_id(graph))),
    };
    let pair = match found.subject {
        Subject::Pair { nodes, .. } => Some(nodes),
        Subject::Row(_) => None,
    };
    let hops: Vec<Value> = found
        .by_hop()
        .iter()
        .map(|one| json!({ "hop": one.hop, "nodes": one.nodes, "sum": one.sum, "share": one.share }))
        .collect();
    let nodes: Vec<Value> = found
        .shares
        .iter()
        .map(|share| {
            let id = task.node_key(share.node).pop();
            json!({ "id": id, "hop": share.hop, "weight": share.weight, "heads": share.heads })
        })
        .collect();
    json!({
        "run": run.path,
        "node": node,
        "graph": graph,
        "pair": pair,
        "output": task.target().names().get(found.output),
        "value": found.value,
        "probability": found.probability,
        "method": found.method.name(),
        "layer": found.layer,
        "layers": found.layers,
        "sum": found.sum(),
        "hops": hops,
        "nodes": nodes,
        "picture": arguments.out,
        "table": arguments.table,
        "data_changed": changed,
    })
}

fn write_table(file: &std::path::Path, task: &Task, found: &Explanation) -> Result<(), Failure> {
    let heads = found.shares.first().map_or(0, |share| share.heads.len());
    let heads = if heads > 1 { heads } else { 0 };
    let mut columns = vec![match found.method {
        ExplanationMethod::Weights => "weight".to_string(),
        ExplanationMethod::Contributions => "contribution".to_string(),
    }];
    columns.extend((1..=heads).map(|head| format!("head_{head}")));
    let keys: Vec<&str> = task.node_keys().iter().copied().chain(["hop"]).collect();
    let row = |place: usize| {
        let share = &found.shares[place];
        let mut key = task.node_key(share.node);
        key.push(share.hop.map_or(String::new(), |hop| hop.to_string()));
        key
    };
    let values: Vec<f32> = found
        .shares
        .iter()
        .flat_map(|share| std::iter::once(share.weight).chain(share.heads.iter().copied().take(heads)))
        .collect();
    let file_of = RowFile {
        shape: &[found.shares.len(), columns.len()],
        keys: &keys,
        key_of: &row,
        columns: &columns,
        values: &values,
    };
    Ok(file_of.save(file)?)
}
