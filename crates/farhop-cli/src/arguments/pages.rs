//! Arguments of `farhop completions` and `farhop man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  farhop completions bash > ~/.local/share/bash-completion/completions/farhop
  farhop completions zsh > ~/.zfunc/_farhop
  farhop completions fish > ~/.config/fish/completions/farhop.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  farhop man | man -l -
  farhop man --out ~/.local/share/man/man1";

/// Arguments of `farhop completions`.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `farhop man`.
#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArguments {
    /// Folder for a page of every command [default: the page of farhop is printed]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
