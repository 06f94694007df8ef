//! `farhop models`: what there is to train, and every setting of one.

use std::process::ExitCode;

use farhop_nn::{ModelConfig, REGISTRY, Reach, Registration};
use farhop_train::{describe, value_text};
use serde_json::{Value, json};

use crate::arguments::ModelsArguments;
use crate::console::Console;
use crate::failure::Failure;

/// Runs the command.
pub fn run(arguments: &ModelsArguments, console: &Console) -> Result<ExitCode, Failure> {
    match &arguments.name {
        Some(name) => one(&ModelConfig::from_name(name)?, console)?,
        None => all(console)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn all(console: &Console) -> Result<(), Failure> {
    let configs = REGISTRY.iter().map(|line| ModelConfig::from_name(line.name)).collect::<Result<Vec<_>, _>>()?;
    let objects: Vec<Value> = configs.iter().map(without_settings).collect();
    console.result(&json!({ "models": objects }), || {
        let mut lines = Vec::new();
        for config in &configs {
            let Registration { name, about, .. } = config.registration();
            let limits = if about.limits.is_empty() { String::new() } else { format!(" Limits: {}.", about.limits) };
            lines.push(console.paragraph("", &format!("{name}: {}.", about.idea)));
            lines.push(console.paragraph("    ", &format!("Reach {}, cost {}.{limits}", reach(config), about.cost)));
            lines.push(console.paragraph("    ", &format!("{}.", about.citation)));
        }
        lines.join("\n")
    })?;
    console.message("reach: hops that an answer sees with the default settings. Cost: N nodes, E entries (an edge is two), F channels, C outputs, K hops.");
    console.message("next: farhop models NAME, farhop train DATASET --model NAME");
    Ok(())
}

fn one(config: &ModelConfig, console: &Console) -> Result<(), Failure> {
    let about = config.registration().about;
    console.result(&describe(config), || {
        let text = |text: &str| console.paragraph("", text);
        let mut lines = vec![format!("{} ({})", about.title, config.name()), text(about.citation), String::new()];
        lines.push(text(&format!("{}.", about.idea)));
        lines.push(text(&format!("cost   {}", about.cost)));
        lines.push(format!("reach  {}", reach(config)));
        if !about.limits.is_empty() {
            lines.push(text(&format!("limits {}", about.limits)));
        }
        lines.push(String::new());
        for knob in config.knobs() {
            let default = config.get(knob.key).map(|value| value_text(&value)).unwrap_or_default();
            lines.push(text(&format!("model.{} = {default}   ({})", knob.key, knob.allowed)));
            lines.push(console.paragraph("    ", &knob.about));
        }
        lines.join("\n")
    })?;
    console.message(&format!("next: farhop train DATASET --model {0} --set model.KEY=VALUE", config.name()));
    Ok(())
}

fn reach(config: &ModelConfig) -> String {
    match config.reach() {
        Reach::Hops(hops) => hops.to_string(),
        Reach::WholeGraph => "whole graph".to_string(),
    }
}

fn without_settings(config: &ModelConfig) -> Value {
    let mut object = describe(config);
    object.as_object_mut().map(|object| object.remove("settings"));
    object
}
