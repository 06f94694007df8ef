//! Every reader as a target: bytes in, and whatever they are, data or a message of one line come out, within bounds of memory
//! and time. Nothing is started; files of folders lie in memory where the system has such a place.
//!
//! Inputs are seeds that were changed: [`mutate`] knows bytes, words of the formats, whole archives and bundles of files. An
//! input whose outcome is a new one (a message that was not seen, a larger graph) is kept and changed further, so that the
//! search goes where it has not been.

mod bundle;
mod layouts;
mod memory;
pub mod mutate;
mod targets;
mod words;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use farhop_graph::random::Stream;

pub use targets::{TARGETS, Target};

/// The most memory that an input may take: what a small file may become, and as much again for what is made of it.
pub const MOST_MEMORY: u64 = 3 << 30;
/// The longest that an input may take, on a machine that does other things as well.
pub const LONGEST: Duration = Duration::from_secs(30);
/// Inputs that are kept because their outcome was new.
const MOST_KEPT: usize = 400;
/// Inputs do not grow beyond this.
pub const LARGEST_INPUT: usize = 64 << 10;

/// What a target said of an input.
pub type Outcome = Result<String, String>;

/// A search with one target.
pub struct Search {
    target: &'static Target,
    random: Stream,
    kept: Vec<Vec<u8>>,
    seen: HashSet<String>,
    /// Inputs that were read, and that were refused.
    pub counts: [u64; 2],
}

impl Search {
    /// A search from the seeds of a target.
    pub fn new(target: &'static Target, seed: u64) -> Search {
        let random = Stream::new(seed);
        Search { target, random, kept: (target.seeds)(), seen: HashSet::new(), counts: [0, 0] }
    }

    /// The next input.
    pub fn next(&mut self) -> Vec<u8> {
        let pick = |random: &mut Stream, kept: &[Vec<u8>]| kept[random.below(kept.len() as u64) as usize].clone();
        let first = pick(&mut self.random, &self.kept);
        let second = pick(&mut self.random, &self.kept);
        let mut input = mutate::mutated(&first, &second, self.target, &mut self.random);
        input.truncate(LARGEST_INPUT);
        input
    }

    /// Runs an input; the error says what it broke.
    pub fn run(&mut self, input: &[u8]) -> Result<(), String> {
        let outcome = checked(self.target, input)?;
        self.counts[usize::from(outcome.is_err())] += 1;
        if self.kept.len() < MOST_KEPT && self.seen.insert(shape_of(&outcome)) {
            self.kept.push(input.to_vec());
        }
        Ok(())
    }

    /// How many different outcomes there were.
    pub fn outcomes(&self) -> usize {
        self.seen.len()
    }
}

/// Runs an input once; the error says what it broke.
pub fn checked(target: &Target, input: &[u8]) -> Result<Outcome, String> {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.read)(input)));
    let (taken, peak) = (start.elapsed(), memory::grown());
    let outcome = outcome.map_err(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
        format!("a panic: {}", text.unwrap_or("of another kind"))
    })?;
    if peak > MOST_MEMORY {
        return Err(format!("{peak} bytes of memory more than ever before"));
    }
    if taken > LONGEST {
        return Err(format!("{taken:?}"));
    }
    match &outcome {
        Err(text) => told_well(text).map(|()| outcome),
        Ok(_) => Ok(outcome),
    }
}

/// A message has one line; where several problems are told at once, one for each of the first ten.
fn told_well(text: &str) -> Result<(), String> {
    let several =
        text.split_once(" problems in the data:\n").filter(|(count, _)| count.replace(',', "").parse::<u64>().is_ok());
    let (lines, most): (Vec<&str>, _) = match several {
        Some((_, problems)) => (problems.split('\n').collect(), 11),
        None => (text.split('\n').collect(), 1),
    };
    if lines.len() > most
        || text.contains('\r')
        || (several.is_some() && lines.iter().any(|line| !line.starts_with("  ")))
    {
        return Err(format!("a message of {} lines: {text:?}", lines.len()));
    }
    match lines.iter().map(|line| line.len()).max() {
        Some(longest) if longest > 2_000 => Err(format!("a message of {longest} bytes")),
        _ => Ok(()),
    }
}

/// An outcome without what is particular to the input: numbers and quoted values.
fn shape_of(outcome: &Outcome) -> String {
    let text = match outcome {
        Ok(text) => return text.clone(),
        Err(text) => text,
    };
    let quoted = text.split('"').step_by(2).collect::<Vec<_>>().concat();
    quoted.chars().filter(|c| !c.is_ascii_digit() && *c != ',').take(160).collect()
}
