//! `farhop predict`: what the model says, under the user's ids.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use farhop_data::predictions::Predictions;
use farhop_data::save::same_file;
use farhop_data::text::counted;
use farhop_data::{Level, RowFile, Target};
use farhop_train::run::names;
use farhop_train::{SavedSchema, TrainedRun, probabilities};
use serde_json::json;

use super::looks;
use crate::arguments::PredictArguments;
use crate::console::{Console, write_table};
use crate::data::{self, Applied};
use crate::failure::Failure;
use crate::join::Join;
use crate::output::Output;
use crate::thresholds::Thresholds;

/// Runs the command.
pub fn run(arguments: &PredictArguments, console: &Console) -> Result<ExitCode, Failure> {
    let to_stdout = arguments.out.as_deref() == Some(Path::new("-"));
    if to_stdout && console.is_json() {
        return Err(Failure::usage("--out - and --json both want standard output. Give --out a file."));
    }
    for file in [&arguments.embeddings, &arguments.hop_attention].into_iter().flatten() {
        RowFile::check_name(file).map_err(|error| Failure::usage(error.to_string()))?;
    }
    let default = arguments.run.join(names::PREDICTIONS);
    let out = match &arguments.out {
        Some(out) if !to_stdout && !same_file(out, &default) => Output::new("--out", out, arguments.overwrite)?,
        Some(out) => Output::of_ours("--out", out),
        None => Output::of_ours("--out", &default),
    };
    let mut places = vec![out.clone()];
    for (flag, file) in [("--embeddings", &arguments.embeddings), ("--hop-attention", &arguments.hop_attention)] {
        if let Some(file) = file {
            let place = Output::new(flag, file, arguments.overwrite)?;
            if places.iter().any(|other| other.path() == place.path()) {
                return Err(Failure::usage(format!("{flag} {}: another option names this file, too.", file.display())));
            }
            places.push(place);
        }
    }
    if arguments.overwrite && arguments.out.is_none() && places.len() == 1 {
        return Err(Failure::usage("--overwrite is for --out, --embeddings and --hop-attention. Take it out."));
    }
    let run = TrainedRun::open(&arguments.run)?;
    let Applied { recipe, task, read, join, changed, .. } = data::apply(&run, &arguments.new, console)?;
    for place in &places {
        place.spares(read.iter().map(PathBuf::as_path))?;
    }
    data::plan_answers(&recipe, &task, console)?;
    let units = join.as_ref().map_or_else(|| (0..task.units() as u32).collect(), |join| join.new_nodes.clone());
    let outputs = run.outputs_of(&task, &units)?;
    let looks = arguments.embeddings.is_some() || arguments.hop_attention.is_some();
    if looks && task.group().is_some() {
        return Err(Failure::usage(
            "--embeddings and --hop-attention are for one process. Take them out, or predict in one.",
        ));
    }
    let Some((all_ids, outputs)) = task.answers_of_all(outputs)? else {
        // The first of several processes writes.
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(file) = &arguments.embeddings {
        looks::write_embeddings(file, &run, &task, &units)?;
        console.message(&format!("embeddings  {}", file.display()));
    }
    if let Some(file) = &arguments.hop_attention {
        looks::write_hop_attention(file, &run, &task, &units)?;
        console.message(&format!("hops        {}", file.display()));
    }
    let told = probabilities(task.target(), &outputs.values);
    let thresholds = Thresholds::new(arguments.threshold, run.record.thresholds.as_deref(), task.target())?;
    if let Some(line) = thresholds.line(task.target()) {
        console.message(&line);
    }
    let schema = run.schema()?;
    // Of a joined graph, the new nodes.
    let ids: Option<Vec<String>> =
        join.as_ref().map(|join| join.new_nodes.iter().map(|node| task.ids[*node as usize].clone()).collect());
    let predictions = task.predictions(&told);
    let predictions = Predictions {
        ids: ids.as_deref().unwrap_or(&all_ids),
        id_column: schema.as_ref().and_then(SavedSchema::id_column).unwrap_or("id"),
        thresholds: thresholds.values.as_deref().unwrap_or_default(),
        answers: predictions.answers,
    };
    let rows = ids.as_ref().map_or(task.whole_rows(), Vec::len);
    if to_stdout {
        write_table(|writer| predictions.write("standard output", writer))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = out.path();
    predictions.save(out)?;
    let (one, many) = match task.level() {
        Level::Node => ("node", "nodes"),
        Level::Graph | Level::Pair => ("graph", "graphs"),
    };
    let object = json!({
        "run": run.path,
        "predictions": out,
        many: rows,
        "outputs": task.target().names(),
        "classes": matches!(task.target(), Target::Class { .. }).then(|| task.target().names()),
        "embeddings": arguments.embeddings,
        "hop_attention": arguments.hop_attention,
        "joined": join.as_ref().map(Join::object),
        "threshold": thresholds.object(),
        "data_changed": changed,
    });
    console.result(&object, || format!("{} ({})", out.display(), counted(rows as u64, one, many)))?;
    Ok(ExitCode::SUCCESS)
}
