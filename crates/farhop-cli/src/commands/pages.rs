//! `farhop completions` and `farhop man`: the command line, told to shells and to `man`.

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use serde_json::json;

use crate::arguments::{Cli, CompletionsArguments, ManArguments};
use crate::console::Console;
use crate::failure::Failure;

/// Prints the completions of a shell.
pub fn completions(arguments: &CompletionsArguments, console: &Console) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "farhop", &mut script);
    let script = text(script)?;
    let object = json!({ "shell": arguments.shell.to_string(), "script": script });
    console.result(&object, || script.clone())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes one for every command.
pub fn man(arguments: &ManArguments, console: &Console) -> Result<ExitCode, Failure> {
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(|error| failed(Path::new("-"), &error))?;
        let page = text(page)?;
        console.result(&json!({ "page": page }), || page.clone())?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(|error| failed(folder, &error))?;
    console.result(&json!({ "folder": folder }), || format!("{}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: can't write manual pages: {error}. Choose another --out.", folder.display()))
}

fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| Failure::failed(format!("the text is not UTF-8: {error}.")))
}
