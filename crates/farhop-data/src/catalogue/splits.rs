//! From what a user asks to a split.

use farhop_graph::random::mix;

use super::entry::Entry;
use super::options::{LoadOptions, SplitRequest};
use super::unsplit_dataset::Splits;
use crate::dataset::split::{Split, SplitFractions};
use crate::dataset::split_choice::Strata;
use crate::dataset::{Level, Target};
use crate::error::DataError;

/// Shares of seeded splits of graphs, where few rows are for training otherwise.
const OF_GRAPHS: SplitFractions = SplitFractions { train: 0.8, valid: 0.1 };

/// The split that was asked for, and a note if it was drawn.
pub(super) fn choose(
    entry: &Entry,
    rows: usize,
    target: &Target,
    given: Splits,
    options: &LoadOptions,
) -> Result<(Split, Option<String>), DataError> {
    let Splits { standard, numbered, pool } = given;
    let seed = options.seed;
    let seeded = |fractions: SplitFractions| -> Result<(Split, Option<String>), DataError> {
        let split =
            draw(rows, target, pool.as_deref(), fractions, mix(seed, 0x5eed)).map_err(|error| named(entry, error))?;
        let (train, valid) = (100.0 * fractions.train, 100.0 * fractions.valid);
        Ok((split, Some(format!("The split is drawn with seed {seed}: {train:.0} % train, {valid:.0} % valid."))))
    };
    match options.split {
        SplitRequest::Standard => match standard.or_else(|| numbered.into_iter().next()) {
            Some(split) => Ok((split, None)),
            None if entry.level == Level::Node => seeded(SplitFractions::default()),
            None => seeded(OF_GRAPHS),
        },
        SplitRequest::Number(number) => {
            let there = numbered.len();
            numbered.into_iter().nth(number).map(|split| (split, None)).ok_or_else(|| {
                let allowed = match there {
                    0 => "it has no numbered splits".to_string(),
                    there => format!("its splits are 0 to {}", there - 1),
                };
                DataError::Mismatch { what: format!("{}: there is no split {number}; {allowed}.", entry.name) }
            })
        }
        SplitRequest::PerClass { train, valid, test } => {
            let split = per_class(entry, target, [train, valid, test], mix(seed, 0x5eed))?;
            let note = format!("The split is drawn with seed {seed}: {train} per class, {valid}, {test}.");
            Ok((split, Some(note)))
        }
        SplitRequest::Seeded { fractions } => seeded(fractions),
    }
}

fn named(entry: &Entry, error: DataError) -> DataError {
    DataError::Mismatch { what: format!("{}: {error}", entry.name) }
}

/// A seeded split over the rows of the pool, with the same shares of every class (and of both answers to a single
/// question).
fn draw(
    rows: usize,
    target: &Target,
    pool: Option<&[u32]>,
    fractions: SplitFractions,
    seed: u64,
) -> Result<Split, DataError> {
    let mut strata = Strata::of(target, rows);
    if let Some(pool) = pool {
        let mut kept = vec![None; rows];
        for &row in pool {
            if let (Some(place), Some(stratum)) = (kept.get_mut(row as usize), strata.of_row.get(row as usize)) {
                *place = *stratum;
            }
        }
        strata.of_row = kept;
    }
    Ok(strata.joined_if_lonely().draw(fractions, seed)?)
}

/// So many rows of every class for training, and so many of the rest for validation and test.
fn per_class(entry: &Entry, target: &Target, [train, valid, test]: [usize; 3], seed: u64) -> Result<Split, DataError> {
    let wrong = |what: String| DataError::Mismatch { what: format!("{}: {what}", entry.name) };
    let (Target::Class { labels, classes }, Level::Node) = (target, entry.level) else {
        return Err(wrong("a split per class needs one class for every node.".to_string()));
    };
    Split::per_class(labels, classes.len(), train, valid, test, seed).map_err(|error| named(entry, error.into()))
}
