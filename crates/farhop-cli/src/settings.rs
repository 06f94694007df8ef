//! From options to a recipe.

use std::path::{Path, PathBuf};

use farhop_train::recipe::DEFAULT_MODEL;
use farhop_train::tuned::{self, TUNED};
use farhop_train::{DataConfig, GivenSetting, Recipe, Settings};

use crate::arguments::{Common, DataArguments, ModelArguments, TrainArguments};
use crate::data::Named;
use crate::failure::Failure;
use crate::without_effect;

/// What the arguments of `farhop train` ask for.
pub fn of_training(arguments: &TrainArguments, common: &Common) -> Result<Settings, Failure> {
    let file = arguments.recipe.as_deref();
    let mut asked = asked(file, &arguments.data, &arguments.model, arguments.training.settings(), common)?;
    asked.data.distance = arguments.demonstration.distance.or(asked.data.distance);
    Ok(asked)
}

/// What a file (if any) and the options ask for.
pub fn asked(
    file: Option<&Path>,
    data: &DataArguments,
    model: &ModelArguments,
    training: Vec<GivenSetting>,
    common: &Common,
) -> Result<Settings, Failure> {
    let named = data.what.as_deref().map(|word| Named::of(word, data.smiles.is_some())).transpose()?;
    let file = match (&named, file) {
        (Some(Named::Recipe(positional)), None) => Some(positional.as_path()),
        (Some(Named::Recipe(_)), Some(_)) => {
            return Err(Failure::usage("two recipes were given. Take one of them out."));
        }
        (_, file) => file,
    };
    refuse_two_sources(named.as_ref(), data)?;
    let base = match (file, &named) {
        (None, _) => None,
        (Some(file), Some(Named::Dataset(name))) if file == Path::new(TUNED) => Some(tuned_base(Some(name), model)?),
        (Some(file), _) if file == Path::new(TUNED) => Some(tuned_base(None, model)?),
        (Some(file), _) => Some(base(file, model.model.as_deref())?),
    };
    let mut config = base.as_ref().map_or_else(DataConfig::default, |(_, recipe)| recipe.data.clone());
    lay_over(&mut config, data);
    without_effect::refuse_reading(named.as_ref(), data, &config)?;
    name_source(&mut config, named, data);
    let mut given = model.settings();
    given.extend(training);
    given.extend(common.seed_setting());
    let model = model.model.clone().unwrap_or_else(|| DEFAULT_MODEL.to_string());
    Ok(Settings { base, model, data: config, given })
}

/// A dataset and tables of one's own can't both be learned from.
fn refuse_two_sources(named: Option<&Named>, data: &DataArguments) -> Result<(), Failure> {
    let flag = if data.nodes.is_some() { "--nodes" } else { "--edges" };
    match (named, &data.what) {
        (Some(Named::Dataset(_) | Named::Molecules(_)), Some(word)) if data.nodes.is_some() || data.edges.is_some() => {
            Err(Failure::usage(format!(
                "{word} and {flag} were both given: each is the data to learn from. Take one of them out."
            )))
        }
        _ => Ok(()),
    }
}

/// What is given as data takes the place of the data that a recipe names.
fn name_source(data: &mut DataConfig, named: Option<Named>, given: &DataArguments) {
    let tables = given.nodes.is_some() || given.edges.is_some();
    if !tables && matches!(named, Some(Named::Recipe(_)) | None) {
        return;
    }
    (data.dataset, data.molecules, data.distance) = (None, None, None);
    if !tables {
        (data.nodes, data.edges) = (None, None);
    }
    match named {
        Some(Named::Dataset(name)) => data.dataset = Some(name),
        Some(Named::Molecules(path)) => data.molecules = Some(path),
        Some(Named::Recipe(_)) | None => {}
    }
}

/// The recipe that comes with farhop for a dataset and the model that is asked for.
fn tuned_base(dataset: Option<&str>, model: &ModelArguments) -> Result<(PathBuf, Recipe), Failure> {
    let found = tuned::find(dataset, model.model.as_deref().unwrap_or(DEFAULT_MODEL))?;
    Ok((found.path(), found.recipe()?))
}

/// The recipe of a file, which must be one for the model that is asked for.
pub fn base(file: &Path, model: Option<&str>) -> Result<(PathBuf, Recipe), Failure> {
    let recipe = Recipe::read(file)?;
    match model {
        Some(name) if name != recipe.model.name() => {
            // The name is checked first: a slip is more likely than a change of mind.
            Recipe::for_model(name)?;
            Err(Failure::usage(format!(
                "{} describes a {} and --model asks for {name}. Take one of them out.",
                file.display(),
                recipe.model.name()
            )))
        }
        _ => Ok((file.to_path_buf(), recipe)),
    }
}

fn lay_over(data: &mut DataConfig, given: &DataArguments) {
    fn put<T: Clone>(place: &mut T, given: &Option<T>) {
        if let Some(value) = given {
            *place = value.clone();
        }
    }
    let table = &given.table;
    for (place, given) in [(&mut data.nodes, &given.nodes), (&mut data.edges, &given.edges)] {
        if given.is_some() {
            place.clone_from(given);
        }
    }
    for (place, given) in [(&mut data.id, &table.id), (&mut data.smiles, &given.smiles)] {
        if given.is_some() {
            place.clone_from(given);
        }
    }
    data.task = given.task.or(data.task);
    data.metric = given.metric.or(data.metric);
    put(&mut data.split, &given.split);
    data.skip_bad_molecules |= given.skip_bad_molecules;
    let lists = [
        (&mut data.ignore, &table.ignore),
        (&mut data.ignore_edges, &table.ignore_edges),
        (&mut data.categories, &table.category),
        (&mut data.targets, &given.target),
    ];
    for (place, given) in lists {
        if !given.is_empty() {
            place.clone_from(given);
        }
    }
    put(&mut data.fill, &table.fill);
    put(&mut data.fractions, &given.fractions);
    if given.split_seed.is_some() {
        data.split_seed = given.split_seed;
    }
    put(&mut data.scaling, &given.scaling);
    // The parser of the options knows these two words only.
    match given.no_features.as_deref() {
        Some("one") => data.no_features = farhop_data::NoFeatures::One,
        Some(_) => data.no_features = farhop_data::NoFeatures::Degree,
        None => {}
    }
    data.directed |= table.directed;
    data.add_missing_nodes |= table.add_missing_nodes;
}

/// A number of bytes such as `3GiB`, `500 MiB`, `2GB` or `1048576`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "write a number of bytes, such as 3GiB or 500MiB".to_string();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == ' ');
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        _ => return Err(wrong()),
    };
    match digits.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * unit) as u64),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Cli, Command};
    use clap::{CommandFactory, Parser};
    use farhop_train::presets::Preset;
    use farhop_train::value_text;
    use serde_json::Value;

    /// Every choice that an option offers is one that the settings know, and every option of a model or of training
    /// reaches the recipe.
    #[test]
    fn options_and_settings_agree() {
        let train = Cli::command();
        let train = train.find_subcommand("train").unwrap();
        let groups = ["Model", "Training"];
        for argument in train.get_arguments() {
            let heading = argument.get_help_heading().unwrap_or_default();
            let name = argument.get_long().unwrap_or_default();
            if !groups.contains(&heading) || name == "model" || name == "set" {
                continue;
            }
            let choices = argument.get_possible_values();
            let tried: Vec<String> = match choices.is_empty() {
                false => choices.iter().map(|value| value.get_name().to_string()).collect(),
                true if name == "checkpoint-every" => vec!["3 epochs".into()],
                true if argument.get_num_args().is_some_and(|count| count.min_values() == 0) => {
                    vec!["on".into(), "off".into()]
                }
                true if name.ends_with("dropout") || ["gamma", "learning-rate"].contains(&name) => vec!["0.375".into()],
                true => vec!["7".into()],
            };
            let is_switch = !argument.get_action().takes_values();
            for value in if is_switch { vec!["on".to_string()] } else { tried } {
                let option = if is_switch { format!("--{name}") } else { format!("--{name}={value}") };
                let cli = Cli::try_parse_from(["farhop", "train", &option]).unwrap();
                let Some(Command::Train(arguments)) = cli.command else { panic!("not train") };
                let asked = of_training(&arguments, &cli.common);
                let asked = asked.unwrap_or_else(|failure| panic!("{option}: {failure}"));
                let recipe = asked.settle(None).unwrap_or_else(|failure| panic!("{option}: {failure}")).recipe;
                let written = recipe.to_toml().unwrap();
                assert!(
                    written.contains(&value.replace("on", "true").replace("off", "false")) || written.contains(&value),
                    "{option} is not in\n{written}"
                );
            }
        }
    }

    /// The defaults that help prints are those of the general settings.
    #[test]
    fn help_tells_the_defaults_that_are_used() {
        let command = Cli::command();
        let train = command.find_subcommand("train").unwrap();
        let of_model = |model: &str, preset: Preset, key: &str| {
            let tree = serde_json::to_value(preset.recipe(model).unwrap()).unwrap();
            match key.split('.').fold(&tree, |place, key| &place[key]) {
                Value::Bool(true) => "on".to_string(),
                Value::Bool(false) => "off".to_string(),
                value => value_text(value),
            }
        };
        let of = |preset: Preset, key: &str| of_model("gen", preset, key);
        let mut seen = 0;
        for argument in train.get_arguments() {
            let (name, help) =
                (argument.get_long().unwrap_or_default(), argument.get_help().unwrap_or_default().to_string());
            let Some((_, told)) = help.rsplit_once("[default: ") else { continue };
            let value = match (argument.get_possible_values().first(), name) {
                (Some(value), _) => value.get_name().to_string(),
                (None, "checkpoint-every") => "3 epochs".to_string(),
                _ if argument.get_num_args().is_some_and(|count| count.min_values() == 0) => "on".to_string(),
                _ => "0.5".to_string(),
            };
            let parse = |value: &str| Cli::try_parse_from(["farhop", "train", &format!("--{name}={value}")]);
            let Some(Command::Train(arguments)) =
                parse(&value).or_else(|_| parse("7")).ok().and_then(|cli| cli.command)
            else {
                continue;
            };
            let mut settings = arguments.model.settings();
            settings.extend(arguments.training.settings());
            let Some(setting) = settings.first() else { continue };
            let mut pieces = told.trim_end_matches(']').split("; ");
            let plain = |text: &str| text.split(", ").next().unwrap_or_default().trim_matches('"').to_string();
            let one = plain(pieces.next().unwrap_or_default());
            let many = pieces.find_map(|piece| piece.strip_prefix("many graphs: ")).map_or(one.clone(), plain);
            let key = setting.key();
            if let Some(own) = told.split("; ").find_map(|piece| piece.trim_end_matches(']').strip_prefix("gcn: ")) {
                assert_eq!(of_model("gcn", Preset::OneGraph, &key), own, "--{name}");
            }
            if key == "train.batch_size" {
                assert_eq!(of(Preset::ManyGraphs, &key), many, "--{name}");
            } else {
                assert_eq!((of(Preset::OneGraph, &key), of(Preset::ManyGraphs, &key)), (one, many), "--{name}");
            }
            seen += 1;
        }
        assert!(seen > 25, "only {seen} options tell a default");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("3GiB"), Ok(3 << 30));
        assert_eq!(bytes("0.5 MiB"), Ok(1 << 19));
        assert_eq!(bytes("17"), Ok(17));
        assert!(bytes("lots").is_err() && bytes("-1").is_err() && bytes("3 apples").is_err());
    }
}
