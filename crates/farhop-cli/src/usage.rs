//! Arguments that can't be understood, on one line.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::arguments::Cli;
use crate::console::error_line;

/// Prints help, version or what is wrong with the arguments (`words`, the name of the program first), and says how to exit.
pub fn report(error: &clap::Error, words: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Whoever reads only the first lines closes the pipe early.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // `farhop data` asks what there is, as `farhop` does; the parser would call it an error.
            let _ = write!(std::io::stdout(), "{}", error.render());
            ExitCode::SUCCESS
        }
        _ => {
            error_line(&one_line(error, words));
            ExitCode::from(2)
        }
    }
}

fn one_line(error: &clap::Error, words: &[OsString]) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) if !texts.is_empty() => Some(texts.join(", ")),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg).unwrap_or_default();
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    let meant = |kind| text(kind).map_or(String::new(), |near| format!(" Did you mean {near}?"));
    let said = match error.kind() {
        ErrorKind::UnknownArgument => {
            let near = meant(ContextKind::SuggestedArg);
            format!("{argument} is not an option here.{near}")
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            let near = meant(ContextKind::SuggestedSubcommand);
            format!("there is no command {name}.{near}")
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} needs a value."),
        ErrorKind::InvalidValue => {
            let near = meant(ContextKind::SuggestedValue);
            let known = text(ContextKind::ValidValue).map_or(String::new(), |known| format!(" Known: {known}."));
            format!("\"{value}\" is not possible for {argument}.{near}{known}")
        }
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(|reason| plainly(&reason.to_string()));
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            format!("\"{value}\" is not possible for {argument}{reason}.")
        }
        ErrorKind::MissingRequiredArgument => {
            let verb = if argument.contains(", ") { "are" } else { "is" };
            format!("{argument} {verb} missing.")
        }
        ErrorKind::ArgumentConflict => {
            let other = text(ContextKind::PriorArg).unwrap_or_default();
            if other == argument {
                format!("{argument} is given twice.")
            } else {
                format!("{argument} can't be used together with {other}.")
            }
        }
        _ => first_line(error),
    };
    format!("{said} See {} --help.", command(words))
}

/// What clap would have said, without the lines around it.
fn first_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or_default();
    let mut line = line.strip_prefix("error: ").unwrap_or(line).to_string();
    if !line.ends_with('.') {
        line.push('.');
    }
    line
}

/// `farhop train` or `farhop data info`, when that was the command.
fn command(words: &[OsString]) -> String {
    let known = Cli::command();
    let mut at = &known;
    let mut path = "farhop".to_string();
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(inside) = at.find_subcommand(word) {
            at = inside;
            path = format!("{path} {word}");
        }
    }
    path
}

/// What a parser of numbers says, in plain words.
fn plainly(reason: &str) -> String {
    match reason {
        "invalid digit found in string" | "cannot parse integer from empty string" => "it is not a whole number".into(),
        "invalid float literal" | "cannot parse float from empty string" => "it is not a number".into(),
        "number would be zero for non-zero type" => "it must be at least 1".into(),
        "number too large to fit in target type" => "it is too large".into(),
        other => other.trim_end_matches('.').to_string(),
    }
}
