//! Who is told what: the result on standard output, everything else on standard error.

use std::io::{self, IsTerminal, Write};

use farhop_data::DataError;
use farhop_data::text::{CARD_INDENT, card_line};
use serde::Serialize;

use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::TextTable;
use crate::together;

/// The two streams of a command.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    json: bool,
    quiet: bool,
    /// Whether this process tells results: of several, the first one does.
    speaks: bool,
}

impl Console {
    /// As the common arguments ask for.
    pub fn new(common: &Common) -> Self {
        let speaks = together::speaks();
        Console { json: common.json, quiet: common.quiet || !speaks, speaks }
    }

    /// Whether the result is one JSON object.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether only the result and errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a display that moves makes sense.
    pub fn is_lively(&self) -> bool {
        !self.quiet && io::stderr().is_terminal() && !is_dumb()
    }

    /// Something worth knowing on the way; not with `--quiet`.
    pub fn message(&self, text: &str) {
        if !self.quiet {
            match self.message_width() {
                None => say(text),
                Some(width) => text.split('\n').for_each(|line| say(&wrapped(line, width))),
            }
        }
    }

    /// Something that must be seen, also with `--quiet`.
    pub fn warning(&self, text: &str) {
        if !self.speaks {
            return;
        }
        let mark = paint(io::stderr().is_terminal(), "33", "warning:");
        say(&format!("{mark} {text}"));
    }

    /// The one line of a command that failed, or one for each problem of its data.
    pub fn failure(&self, failure: &Failure) {
        if !failure.is_silent() {
            error_line(&failure.to_string());
        }
    }

    /// The result: `object` as JSON with `--json`, else the text.
    pub fn result(&self, object: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if !self.speaks {
            return Ok(());
        }
        let text = if self.json {
            serde_json::to_string_pretty(object)
                .map_err(|error| Failure::failed(format!("the result is not JSON: {error}.")))?
        } else {
            text()
        };
        write_out(&text)
    }

    /// The lines of a table, with its heading set off, in the width of the terminal.
    pub fn lines(&self, table: &TextTable) -> String {
        let mut lines = table.lines(self.width());
        if let Some(heading) = lines.first_mut() {
            *heading = self.heading(heading);
        }
        lines.join("\n")
    }

    /// How wide the terminal is that the result goes to; none if it goes elsewhere.
    pub fn width(&self) -> Option<usize> {
        columns(terminal_size::terminal_size_of(io::stdout()))
    }

    /// How wide the terminal is that messages go to; none if they go elsewhere.
    pub fn message_width(&self) -> Option<usize> {
        columns(terminal_size::terminal_size_of(io::stderr()))
    }

    /// A paragraph of a result, broken between words where the terminal ends, every line behind `indent`.
    pub fn paragraph(&self, indent: &str, text: &str) -> String {
        let width = self.width().map_or(usize::MAX, |width| width.saturating_sub(indent.len()).max(20));
        let lines = wrapped_text(text, width);
        lines.lines().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
    }

    /// A heading of a result, set off where that is possible.
    pub fn heading(&self, text: &str) -> String {
        paint(!self.json && io::stdout().is_terminal(), "1", text)
    }
}

/// The line, broken between words where it would be longer than `width`; what belongs to a card goes on below its own start.
fn wrapped(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_string();
    }
    let (name, text) = line.split_at_checked(CARD_INDENT).unwrap_or(("", line));
    let of_card = name.ends_with(' ') && !text.starts_with(' ') && !name.trim().contains(' ');
    if of_card { card_line(name.trim_end(), text, width) } else { wrapped_text(line, width) }
}

fn wrapped_text(line: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if !text.is_empty() {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

fn columns(size: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0)
}

/// Writes a text and a line end to standard output.
fn write_out(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written =
        out.write_all(text.trim_end().as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::unheard(),
        _ => Failure::failed(format!("can't write to standard output: {error}. What was saved in files is intact.")),
    })
}

/// Writes a line to standard error. Nobody may be listening, and that is no reason to stop.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The one line of a failure.
pub fn error_line(message: &str) {
    let mark = paint(io::stderr().is_terminal(), "1;31", "error:");
    say(&format!("{mark} {message}"));
}

/// Wraps a text in a terminal style, where colours are wanted.
fn paint(terminal: bool, style: &str, text: &str) -> String {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if terminal && !refused && !is_dumb() { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_string() }
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Lets `write` fill standard output. A reader that has gone is no error.
pub fn write_table(write: impl FnOnce(&mut dyn Write) -> Result<(), DataError>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| {
        let file = "standard output".to_string();
        out.flush().map_err(|source| DataError::Write { file, source })
    });
    written.map_err(|error| if has_gone(&error) { Failure::unheard() } else { error.into() })
}

/// Whether some error below this one is that of a closed pipe.
fn has_gone(error: &(dyn std::error::Error + 'static)) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.downcast_ref::<io::Error>().is_some_and(broken) || error.source().is_some_and(has_gone)
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrapped("note: rows are divided by their sum", 20), "note: rows are\ndivided by their sum");
        assert_eq!(wrapped("settings    width 64, layers 1", 22), "settings    width 64,\n            layers 1");
        assert_eq!(wrapped("a_word_that_is_longer_than_the_line", 8), "a_word_that_is_longer_than_the_line");
        assert_eq!(wrapped("short", 8), "short");
    }
}
