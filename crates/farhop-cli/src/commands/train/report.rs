//! What is said at the end of a training run.

use std::path::Path;
use std::process::ExitCode;

use farhop_data::catalogue;
use farhop_data::text::{counted, thousands};
use farhop_train::memory::bytes_text;
use farhop_train::{Outcome, Summary, Trained};
use serde_json::{Value, json};

use crate::commands::evaluate::rows_name;
use crate::confusion::ConfusionReport;
use crate::console::Console;
use crate::failure::{Failure, INTERRUPTED};
use crate::table::{TextTable, duration};
use crate::thresholds::Thresholds;
use crate::together::{self, told};

/// Reports a run that was trained until it ended or was interrupted.
pub fn tell(trained: &Trained, threads: usize, console: &Console) -> Result<ExitCode, Failure> {
    let Trained { folder, recipe, task, plan, fitted } = trained;
    let path = folder.as_deref().unwrap_or(Path::new(""));
    let model = recipe.model.name();
    let summary = &fitted.summary;
    let confusion = summary.confusion.as_ref();
    let report = confusion.map(|(part, of)| ConfusionReport { of, part: part.name(), rows: rows_name(task) });
    let thresholds = Thresholds::new(None, summary.thresholds.as_deref(), task.target())?;
    let object = json!({
        "run": path,
        "together": summary.together,
        "task": task.kind(),
        "metric": task.metric,
        "model": model,
        "outcome": summary.outcome,
        "train": summary.scores.train,
        "valid": summary.scores.valid,
        "test": summary.scores.test,
        "threshold": thresholds.object(),
        "classes": report.as_ref().map(ConfusionReport::classes).unwrap_or_default(),
        "confusion": report.as_ref().map(ConfusionReport::object),
        "best_epoch": summary.best_epoch,
        "epochs": summary.epochs,
        "seconds": summary.seconds,
        "seconds_per_epoch": summary.seconds_per_epoch,
        "loading_share": summary.loading_share,
        "peak_rss_bytes": summary.peak_rss_bytes,
        "planned_peak_bytes": plan.total,
        "parameters": summary.parameters,
        "threads": threads,
        "seed": recipe.train.seed,
    });
    if summary.outcome == Outcome::Interrupted {
        return interrupted(path, summary, object, console);
    }
    console.message(&format!("{} (score: {})", ending(summary), task.metric.name()));
    if let Some(line) = thresholds.line(task.target()) {
        console.message(&line);
    }
    console.result(&object, || {
        let mut table =
            TextTable::new(&["model", "train", "valid", "test", "best epoch", "parameters", "time", "memory"]);
        table.row([
            model.to_string(),
            task.metric.shown(summary.scores.train),
            task.metric.shown(summary.scores.valid),
            task.metric.shown(summary.scores.test),
            summary.best_epoch.map_or("-".to_string(), |epoch| epoch.to_string()),
            thousands(summary.parameters as u64),
            duration(summary.seconds),
            summary.peak_rss_bytes.map_or("-".to_string(), bytes_text),
        ]);
        match &report {
            None => console.lines(&table),
            Some(report) => format!("{}\n\n{}", console.lines(&table), report.text(console)),
        }
    })?;
    if let Some(figures) = &summary.together {
        console.message(&told::text(figures, console));
    }
    let folder = shell_word(path);
    console.message(&format!("saved in {}", path.display()));
    let data = &recipe.data;
    console.message(&match (&data.nodes, &data.molecules) {
        (Some(_), _) => {
            format!("next: farhop predict {folder} --nodes new_nodes.csv --edges new_edges.csv --out predictions.csv")
        }
        (_, Some(_)) => format!("next: farhop predict {folder} --molecules new_molecules.csv --out predictions.csv"),
        _ if data.dataset.as_deref().is_some_and(|name| catalogue::find(name).is_err()) => match &summary.together {
            Some(figures) => format!("next: mpirun -n {} farhop predict {folder}", figures.processes.len()),
            None => format!("next: farhop predict {folder} NEW_FILE --out predictions.csv"),
        },
        _ => format!("next: farhop evaluate {folder}"),
    });
    Ok(ExitCode::SUCCESS)
}

fn ending(summary: &Summary) -> String {
    let epochs = counted(summary.epochs as u64, "epoch", "epochs");
    match summary.outcome {
        Outcome::StoppedEarly => format!("stopped after {epochs}: the validation score no longer improved"),
        _ => format!("done after {epochs}"),
    }
}

fn interrupted(path: &Path, summary: &Summary, object: Value, console: &Console) -> Result<ExitCode, Failure> {
    if console.is_json() {
        console.result(&object, String::new)?;
    }
    let launcher = together::group().map_or_else(String::new, |group| format!("mpirun -n {} ", group.ranks()));
    console.warning(&format!(
        "interrupted after epoch {}; everything is saved. Continue with: {launcher}farhop train --resume {}",
        summary.epochs,
        shell_word(path)
    ));
    Ok(ExitCode::from(INTERRUPTED))
}

/// A path that can be pasted into a shell.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%,=".contains(letter);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_can_be_pasted() {
        assert_eq!(shell_word(Path::new("runs/mine")), "runs/mine");
        assert_eq!(shell_word(Path::new("my runs/it's")), "'my runs/it'\\''s'");
    }
}
