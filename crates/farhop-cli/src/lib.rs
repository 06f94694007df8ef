//! The `farhop` command: arguments in, progress and messages on standard error, the result on standard output.

mod arguments;
mod commands;
mod confusion;
mod console;
mod data;
mod demonstration;
mod failure;
mod flags;
mod interrupt;
mod join;
mod machine;
mod origins;
mod output;
mod picture;
mod progress;
mod settings;
mod spread;
mod table;
mod threads;
mod thresholds;
mod together;
mod usage;
mod version;
mod watcher;
mod without_effect;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use farhop_kernels::{allocator, process};

use arguments::{Cli, Command};
use console::Console;
use failure::Failure;

/// Runs the command in a process of its own: it says how settings are spelled, takes over signals, and ends the process when memory is
/// exhausted. The first of the `words` is the name of the program.
pub fn command(words: Vec<OsString>) -> ExitCode {
    farhop_data::spell_settings(flags::spell);
    process::report_full_files();
    allocator::be_sparing();
    allocator::end_when_exhausted(&flags::NEED_LESS);
    let cli = match parsed(&words) {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error, &words),
    };
    if cli.command.as_ref().is_some_and(Command::joins_others)
        && let Err(failure) = together::connect()
    {
        Console::new(&cli.common).failure(&failure);
        return failure.exit_code();
    }
    let console = Console::new(&cli.common);
    match run(cli, &console) {
        Ok(code) => {
            together::leave();
            code
        }
        Err(failure) => {
            together::let_first_speak();
            console.failure(&failure);
            failure.exit_code()
        }
    }
}

/// The picture of an explanation, as an SVG that stands by itself.
pub fn explanation_picture(task: &farhop_train::Task, found: &farhop_train::insight::Explanation) -> String {
    commands::explain::picture_of(task, found)
}

/// What was asked. A number below zero is the value of its option, so that the range is what is told, and not an option that is unknown.
fn parsed(words: &[OsString]) -> Result<Cli, clap::Error> {
    fn with_negative_numbers(command: clap::Command) -> clap::Command {
        command
            .mut_args(|argument| match argument.get_long().is_some() && argument.get_action().takes_values() {
                true => argument.allow_negative_numbers(true),
                false => argument,
            })
            .mut_subcommands(with_negative_numbers)
    }
    Cli::from_arg_matches(&with_negative_numbers(Cli::command()).try_get_matches_from(words)?)
}

fn run(cli: Cli, console: &Console) -> Result<ExitCode, Failure> {
    let common = &cli.common;
    interrupt::listen()?;
    if let Some(bytes) = common.limit {
        farhop_train::memory::set_limit(bytes, "--limit");
    }
    threads::inside(common.threads, |threads| match cli.command {
        None => {
            // Asked nothing, it says what can be asked.
            let _ = Cli::command().print_help();
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Train(arguments)) => commands::train::run(&arguments, common, threads, console),
        Some(Command::Compare(arguments)) => commands::compare::run(&arguments, common, threads, console),
        Some(Command::Tune(arguments)) => commands::tune::run(&arguments, common, threads, console),
        Some(Command::Table(arguments)) => commands::table::run(&arguments, common, threads, console),
        Some(Command::Predict(arguments)) => commands::predict::run(&arguments, console),
        Some(Command::Evaluate(arguments)) => commands::evaluate::run(&arguments, console),
        Some(Command::Explain(arguments)) => commands::explain::run(&arguments, console),
        Some(Command::Report(arguments)) => commands::report::run(&arguments, console),
        Some(Command::Hops(arguments)) => commands::hops::run(&arguments, console),
        Some(Command::Plan(arguments)) => commands::plan::run(&arguments, common, console),
        Some(Command::Data(command)) => commands::data::run(&command, common, console),
        Some(Command::Models(arguments)) => commands::models::run(&arguments, console),
        Some(Command::Bench(arguments)) => commands::bench::run(&arguments, common, threads, console),
        Some(Command::Doctor) => commands::doctor::run(threads, console),
        Some(Command::Completions(arguments)) => commands::pages::completions(&arguments, console),
        Some(Command::Man(arguments)) => commands::pages::man(&arguments, console),
    })
}
