//! What a machine does to a program: kills, signals, full disks, too little memory, one thread and many.
//!
//! ```text
//! cargo run --release -p farhop-cli --example torture             # 200 kills, a few minutes
//! cargo run --release -p farhop-cli --example torture -- 2000     # more of them
//! ```
//!
//! Every command is started as a user would start it, and disturbed at a random moment. Whatever was there before must be there
//! afterwards, or what the command was to write, complete; a run goes on to the same bits as one that was left alone. Prints a table, and
//! ends with exit code 1 if anything was lost. Unix only.

#[cfg(unix)]
mod disk;
#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod signals;

#[cfg(not(unix))]
fn main() {
    eprintln!("error: this needs the signals and limits of Unix.");
}

/// What became of one way to disturb one command.
#[cfg(unix)]
struct Row {
    /// The command, and what was done to it.
    what: String,
    /// How often it was tried.
    tries: usize,
    /// How often it hit: the command had not ended by itself.
    hit: usize,
    /// What was not as it should be.
    lost: Vec<String>,
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;

    let kills = match std::env::args().nth(1).map(|word| word.parse::<usize>()) {
        None => 200,
        Some(Ok(kills)) => kills,
        Some(Err(_)) => {
            eprintln!("error: give the number of kills, or nothing.");
            return ExitCode::from(2);
        }
    };
    let place = match place::Place::new() {
        Ok(place) => place,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut rows = Vec::new();
    let mut add = |found: Vec<Row>| {
        for row in found {
            let lost = row.lost.len();
            println!("| {:<58} | {:>5} | {:>5} | {lost:>4} |", row.what, row.tries, row.hit);
            rows.push(row);
        }
    };
    println!("| {:<58} | tries |   hit | lost |\n|{:-<60}|------:|------:|-----:|", "what was done", "");
    add(kills::all(&place, kills));
    add(signals::all(&place));
    add(disk::all(&place));
    add(limits::all(&place));
    let lost: Vec<&String> = rows.iter().flat_map(|row| &row.lost).collect();
    for problem in &lost {
        println!("lost: {problem}");
    }
    if lost.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
