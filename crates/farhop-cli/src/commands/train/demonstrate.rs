//! The built-in demonstration: what long range means, seen by three models.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use farhop_data::save::write_atomically;
use farhop_data::synthetic::hop_majority;
use farhop_data::text::{counted, thousands};
use farhop_data::{Dataset, Split, Target};
use farhop_nn::ModelConfig;
use farhop_train::{Job, Keep, Material, Outcome, Places, Summary, value_text};
use serde::Serialize;
use serde_json::json;

use super::report::shell_word;
use super::tables;
use crate::arguments::{Common, TrainArguments};
use crate::console::Console;
use crate::demonstration;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::machine::machine;
use crate::output::Output;
use crate::picture::{Line, accuracy_against_distance};
use crate::table::{TextTable, duration, percent};
use crate::watcher::Watcher;

/// What the demonstration shows at one distance.
#[derive(Serialize)]
struct Shown {
    distance: usize,
    task: &'static str,
    metric: &'static str,
    nodes: usize,
    edges: usize,
    classes: usize,
    /// Accuracy on the test nodes of always naming the most frequent class of the training nodes.
    chance: f64,
    seed: u64,
    models: Vec<Trained>,
}

/// What came out for one model.
#[derive(Serialize)]
struct Trained {
    model: &'static str,
    /// Every setting of the model, so that nobody has to guess what was compared.
    settings: ModelConfig,
    train: Option<f64>,
    valid: Option<f64>,
    test: Option<f64>,
    seconds: f64,
    parameters: usize,
    best_epoch: Option<usize>,
    epochs: usize,
}

pub fn run(
    arguments: &TrainArguments,
    common: &Common,
    threads: usize,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let asked = &arguments.demonstration;
    let mut distances = match (&asked.picture, asked.distances.as_slice()) {
        (None, _) => vec![asked.distance.unwrap_or(demonstration::DISTANCE)],
        (Some(_), []) => demonstration::DISTANCES.to_vec(),
        (Some(_), given) => given.to_vec(),
    };
    if !distances.iter().all(|distance| (1..=64).contains(distance)) {
        return Err(Failure::usage("a distance is a whole number from 1 to 64."));
    }
    distances.sort_unstable();
    distances.dedup();
    let picture =
        asked.picture.as_deref().map(|file| Output::new("--picture", file, arguments.overwrite)).transpose()?;
    let start = Instant::now();
    let mut shown = Vec::new();
    for distance in distances {
        let place = arguments.out.as_ref().map(|out| match asked.picture {
            None => out.clone(),
            Some(_) => out.join(format!("distance-{distance}")),
        });
        let stage = Stage { arguments, common, threads, console, distance, place: place.as_deref() };
        match stage.show()? {
            Some(one) => shown.push(one),
            None => {
                console.warning("interrupted; the demonstration is short, start it again with: farhop train");
                return Ok(ExitCode::from(INTERRUPTED));
            }
        }
    }
    match (&picture, shown.as_slice()) {
        (Some(picture), _) => {
            let file = picture.path();
            draw(file, &shown)?;
            let object = json!({ "task": "hop-majority", "picture": file, "results": shown });
            console.result(&object, || across(&shown, console))?;
            console.message(&format!("picture: {}", file.display()));
        }
        (None, [one]) => {
            console.result(one, || scores(one, console))?;
            console.message(&format!("{} in all", duration(start.elapsed().as_secs_f64())));
        }
        (None, _) => {}
    }
    next(arguments, console);
    Ok(ExitCode::SUCCESS)
}

/// One distance of the demonstration.
struct Stage<'a> {
    arguments: &'a TrainArguments,
    common: &'a Common,
    threads: usize,
    console: &'a Console,
    distance: usize,
    /// Where runs are kept, if they are.
    place: Option<&'a Path>,
}

impl Stage<'_> {
    /// Trains the three models; none when interrupted.
    fn show(&self) -> Result<Option<Shown>, Failure> {
        let (distance, console) = (self.distance, self.console);
        let seed = self.common.seed.unwrap_or(0);
        let options = demonstration::task(distance, self.arguments.demonstration.tree_nodes, seed);
        let made = hop_majority(&options)?;
        if made.split.train.is_empty() || made.split.test.is_empty() {
            return Err(Failure::usage(format!(
                "too few nodes have others at distance {distance}. Pass a smaller distance or a larger --tree-nodes."
            )));
        }
        console.message(&format!(
            "The task: {} tree nodes in random colours; the label is the majority colour at distance exactly {distance}.\n\
             Message passing fails, since its walks turn back and mix distances; elimination keeps hops apart.\n",
            thousands(made.graphs.union().nodes() as u64)
        ));
        let material = match self.place {
            Some(place) => tables::write_and_read(place, &made, self.arguments.overwrite)?,
            None => Material::of(made),
        };
        let dataset = &material.dataset;
        let graph = dataset.graphs.union();
        let mut shown = Shown {
            distance,
            task: "hop-majority",
            metric: "accuracy",
            nodes: graph.nodes(),
            edges: graph.edges(),
            classes: dataset.target.outputs(),
            chance: chance(dataset),
            seed,
            models: Vec::new(),
        };
        for model in demonstration::models(distance)? {
            let summary = self.train(&model, &material)?;
            if summary.outcome == Outcome::Interrupted {
                return Ok(None);
            }
            shown.models.push(Trained {
                model: model.name(),
                settings: model,
                train: summary.scores.train,
                valid: summary.scores.valid,
                test: summary.scores.test,
                seconds: summary.seconds,
                parameters: summary.parameters,
                best_epoch: summary.best_epoch,
                epochs: summary.epochs,
            });
        }
        Ok(Some(shown))
    }

    fn train(&self, model: &ModelConfig, material: &Material) -> Result<Summary, Failure> {
        let name = model.name();
        let mut config = demonstration::training(self.common.seed.unwrap_or(0));
        config.epochs = self.arguments.training.epochs.unwrap_or(config.epochs);
        let recipe = tables::recipe(self.place.unwrap_or(Path::new("")), model, &config);
        let keep = self
            .place
            .map_or(Keep::Nowhere, |place| Keep::In { path: place.join(name), overwrite: self.arguments.overwrite });
        let places = Places::usual(None);
        let job = Job { keep, machine: machine(self.threads), ..Job::new(recipe, material.clone(), &places) };
        let mut watcher = Watcher::brief(self.console);
        let trained = job.train(&mut watcher, interrupt::asked());
        drop(watcher);
        let summary = trained?.fitted.summary;
        if summary.outcome != Outcome::Interrupted {
            let (test, time) = (percent(summary.scores.test), duration(summary.seconds));
            self.console.message(&format!("{name}: {test} on test nodes after {time}"));
        }
        Ok(summary)
    }
}

/// Accuracy on the test nodes of always naming the most frequent class of the training nodes.
fn chance(dataset: &Dataset) -> f64 {
    let Target::Class { labels, classes } = &dataset.target else { return 0.0 };
    let count = |nodes: &[u32], class: usize| {
        let of_class = |node: &&u32| labels[**node as usize] == Some(class as u32);
        nodes.iter().filter(of_class).count()
    };
    let Split { train, test, .. } = &dataset.split;
    let most = (0..classes.len()).max_by_key(|class| count(train, *class)).unwrap_or(0);
    count(test, most) as f64 / test.len().max(1) as f64
}

fn scores(shown: &Shown, console: &Console) -> String {
    let mut table = TextTable::new(&["model", "train", "valid", "test", "seconds", "parameters", "settings"]);
    for one in &shown.models {
        table.row([
            one.model.to_string(),
            percent(one.train),
            percent(one.valid),
            percent(one.test),
            format!("{:.1}", one.seconds),
            thousands(one.parameters as u64),
            described(&one.settings),
        ]);
    }
    format!("{}\nGuessing the most frequent colour gives {}.", console.lines(&table), percent(Some(shown.chance)))
}

/// The settings that matter here, in a few words.
fn described(model: &ModelConfig) -> String {
    let common = model.common();
    let layers = counted(common.layers as u64, "layer", "layers");
    let told = |key: &str| model.get(key).map(|value| value_text(&value));
    let own: Vec<String> = ["hops", "coefficients", "hop_reading"]
        .into_iter()
        .filter_map(|key| Some(format!("{} {}", key.replace('_', " "), told(key)?)))
        .collect();
    let own = if own.is_empty() { String::new() } else { format!(", {}", own.join(", ")) };
    format!("width {}, {layers}{own}", common.width)
}

/// Test accuracy of every model at every distance.
fn across(shown: &[Shown], console: &Console) -> String {
    let mut table = TextTable::new(&["distance", "mlp", "gcn", "gen", "guessing"]);
    for one in shown {
        let of = |name: &str| one.models.iter().find(|model| model.model == name).and_then(|model| model.test);
        table.row([
            one.distance.to_string(),
            percent(of("mlp")),
            percent(of("gcn")),
            percent(of("gen")),
            percent(Some(one.chance)),
        ]);
    }
    console.lines(&table)
}

fn draw(file: &Path, shown: &[Shown]) -> Result<(), Failure> {
    let names = shown.first().map_or(Vec::new(), |one| one.models.iter().map(|model| model.model).collect());
    let line = |name: &&str| Line {
        name: (*name).to_string(),
        points: shown
            .iter()
            .filter_map(|one| {
                let model = one.models.iter().find(|model| model.model == *name)?;
                Some((one.distance, model.test?))
            })
            .collect(),
    };
    let chance: Vec<(usize, f64)> = shown.iter().map(|one| (one.distance, one.chance)).collect();
    let svg = accuracy_against_distance(&names.iter().map(line).collect::<Vec<_>>(), &chance);
    Ok(write_atomically(file, |writer| std::io::Write::write_all(writer, svg.as_bytes()))?)
}

fn next(arguments: &TrainArguments, console: &Console) {
    match &arguments.out {
        Some(out) if arguments.demonstration.picture.is_none() => {
            let word = shell_word(out);
            console.message(&format!("tables and runs are in {}", out.display()));
            console.message(&format!("next: farhop evaluate {word}/gen"));
        }
        _ => console.message("next: farhop train --nodes nodes.csv --edges edges.csv --target label --out runs/mine"),
    }
}
