//! What a search says.

use std::fmt::Write;
use std::path::Path;

use farhop_data::metrics::Metric;
use farhop_data::text::counted;
use farhop_train::study::{Point, State, Study, Trial};
use farhop_train::value_text;
use serde_json::json;

use crate::commands::train::report::shell_word;
use crate::console::Console;
use crate::failure::Failure;
use crate::table::{TextTable, duration};

/// Trials in the table at the end.
const SHOWN: usize = 5;

/// What is about to be done.
pub fn beginning(study: &Study, known: usize, wanted: usize) -> String {
    let keys: Vec<&str> = study.space().dimensions.iter().map(|dimension| dimension.key.as_str()).collect();
    let done = match known {
        0 => String::new(),
        known => format!(", {known} of them begun already"),
    };
    format!(
        "study       {} in {}{done}\nsearched    {}",
        counted(wanted as u64, "trial", "trials"),
        study.path().display(),
        keys.join(", ")
    )
}

/// `trial 7 of 40: 81.2 % after 200 epochs, 6.1 s (best 82.0 %)`.
pub fn trial_line(trial: &Trial, best: Option<&Trial>, wanted: usize, metric: Metric) -> String {
    let how = match trial.state {
        State::Failed => "failed".to_string(),
        State::Pruned => format!("{}, ended early after", metric.shown(trial.score)),
        _ => format!("{} after", metric.shown(trial.score)),
    };
    let spent = match trial.state {
        State::Failed => String::new(),
        _ => format!(" {}, {}", counted(trial.epochs as u64, "epoch", "epochs"), duration(trial.seconds)),
    };
    let best = best.map_or(String::new(), |best| format!(" (best {})", metric.shown(best.score)));
    format!("trial {} of {wanted}: {how}{spent}{best}", trial.number)
}

/// What stands above the best recipe.
pub fn heading(study: &Study, best: &Trial, trials: &[Trial], metric: Metric) -> String {
    format!(
        "# Trial {} of {} in a search over {}: {} {} on validation. The test part was not looked at.\n",
        best.number,
        trials.len(),
        counted(study.space().dimensions.len() as u64, "setting", "settings"),
        metric.name(),
        metric.shown(best.score)
    )
}

/// The result.
pub fn ending(
    study: &Study,
    trials: &[Trial],
    best: &Trial,
    metric: Metric,
    file: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let count = |state: State| trials.iter().filter(|trial| trial.state == state).count();
    let importance = study.importance(trials);
    let object = json!({
        "study": study.path(),
        "metric": metric.name(),
        "trials": trials.len(),
        "finished": count(State::Finished),
        "pruned": count(State::Pruned),
        "failed": count(State::Failed),
        "best": { "trial": best.number, "valid": best.score, "settings": best.settings },
        "importance": importance.iter().map(|(key, share)| (key.clone(), json!(share))).collect::<Point>(),
        "recipe": file,
        "picture": study.path().join("study.svg"),
        "seconds": trials.iter().map(|trial| trial.seconds).sum::<f64>(),
    });
    console.result(&object, || {
        let mut table = TextTable::new(&["trial", "valid", "epochs", "time", "settings"]);
        let mut order: Vec<&Trial> = trials.iter().filter(|trial| trial.state == State::Finished).collect();
        order.sort_by(|a, b| study.worth(b.score).total_cmp(&study.worth(a.score)).then(a.number.cmp(&b.number)));
        for trial in order.into_iter().take(SHOWN) {
            table.row([
                trial.number.to_string(),
                metric.shown(trial.score),
                trial.epochs.to_string(),
                duration(trial.seconds),
                settings_text(&trial.settings),
            ]);
        }
        let mut text = format!(
            "{}\n\nWhat mattered (share of the differences that one setting explains):\n",
            console.lines(&table)
        );
        let mut importance = importance.clone();
        importance.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (key, share) in importance {
            // Writing to a text can't fail.
            let _ = writeln!(
                text,
                "  {:>4.0} %  {key} = {}",
                100.0 * share,
                best.settings.get(&key).map_or("-".into(), value_text)
            );
        }
        text.trim_end().to_string()
    })?;
    console.message(&format!(
        "{} trained to their end, {} ended early, {} failed",
        count(State::Finished),
        count(State::Pruned),
        count(State::Failed)
    ));
    console.message(&format!("picture: {}", study.path().join("study.svg").display()));
    console.message(&format!("next: farhop train --recipe {}", shell_word(file)));
    Ok(())
}

/// `hops 4, width 64`: keys without their section.
fn settings_text(settings: &Point) -> String {
    let short = |key: &str| key.rsplit('.').next().unwrap_or(key).replace('_', " ");
    settings.iter().map(|(key, value)| format!("{} {}", short(key), value_text(value))).collect::<Vec<_>>().join(", ")
}
