//! Settings of the libraries as the flags of this command. Only here is it known how a flag is spelled.

use std::fmt;

use farhop_data::Setting;
use farhop_data::text::argument;
use farhop_train::memory::Advice;

/// Settings of a recipe that have a flag of their own. Others are given with `--set`.
const WITH_FLAG: [&str; 5] = ["model.recompute", "model.width", "model.hops", "train.parts", "train.halo"];

/// What to do when the system gives no more memory.
pub static NEED_LESS: &str =
    "Allow more memory, or need less: --parts, --recompute, a smaller --batch-size or --width, fewer --threads.";

/// `--fill mean`, `--directed`, `--target`; `--set model.alpha=0.1` for what has no flag.
pub fn spell(setting: &Setting, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let key = setting.key.as_ref();
    let value = setting.value.as_deref();
    let own = match key.split_once('.') {
        None => key,
        Some((_, name)) if WITH_FLAG.contains(&key) => name,
        Some(_) => return write!(formatter, "--set {key}={}", value.unwrap_or("VALUE")),
    };
    // A run is continued by another command than the one that found it unfinished.
    let command = if own == "resume" && value.is_some() { "farhop train " } else { "" };
    write!(formatter, "{command}--{}", own.replace('_', "-"))?;
    match value {
        None | Some(Setting::ON) => Ok(()),
        Some(value) => write!(formatter, " {}", argument(value)),
    }
}

/// Advice as the flags that follow it: `--recompute --width 32`.
pub fn advised(advice: &Advice) -> String {
    advice.settings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Every key that a library names, found in its source, is a flag of some command.
    #[test]
    fn every_setting_that_a_message_names_has_a_flag() {
        let command = crate::arguments::Cli::command();
        let flags: Vec<&str> = command
            .get_subcommands()
            .flat_map(|one| std::iter::once(one).chain(one.get_subcommands()))
            .chain([&command])
            .flat_map(clap::Command::get_arguments)
            .filter_map(clap::Arg::get_long)
            .collect();
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (mut folders, mut seen) = (vec![crates.join("farhop-data/src"), crates.join("farhop-train/src")], 0);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let code = std::fs::read_to_string(&path).unwrap();
                for begin in ["Setting::named(\"", "Setting::to(\"", "Setting::on(\""] {
                    for key in code.split(begin).skip(1).filter_map(|rest| rest.split('"').next()) {
                        let flag = key.replace('_', "-");
                        assert!(flags.contains(&flag.as_str()), "{}: {key} is no flag", path.display());
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 50, "only {seen} settings were found");
    }

    struct Spelled(Setting);

    impl fmt::Display for Spelled {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            spell(&self.0, formatter)
        }
    }

    #[test]
    fn settings_are_spelled_as_they_are_typed() {
        let spelled = |setting| Spelled(setting).to_string();
        assert_eq!(spelled(Setting::named("ignore_edges")), "--ignore-edges");
        assert_eq!(spelled(Setting::on("add_missing_nodes")), "--add-missing-nodes");
        assert_eq!(spelled(Setting::to("ignore", "two words")), "--ignore \"two words\"");
        assert_eq!(spelled(Setting::to("model.width", "32")), "--width 32");
        assert_eq!(spelled(Setting::to("model.recompute", "true")), "--recompute");
        assert_eq!(spelled(Setting::to("model.alpha", "0.1")), "--set model.alpha=0.1");
        assert_eq!(spelled(Setting::named("resume")), "--resume");
        assert_eq!(spelled(Setting::to("resume", "run")), "farhop train --resume run");
    }
}
