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

/// Rows of the published draw: of each class for training, for validation, for test.
const TUNED_SIZES: [usize; 3] = [20, 500, 1000];
/// Seed of the published draw.
const TUNED_SEED: u32 = 123;

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
    // The tuned split of other datasets is the one that everybody uses.
    let is_drawn = entry.draws_tuned_split() && options.split == SplitRequest::Tuned;
    match options.split {
        SplitRequest::Standard | SplitRequest::Tuned if !is_drawn => {
            match standard.or_else(|| numbered.into_iter().next()) {
                Some(split) => Ok((split, None)),
                None if entry.level == Level::Node => seeded(SplitFractions::default()),
                None => seeded(OF_GRAPHS),
            }
        }
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
        SplitRequest::Standard | SplitRequest::Tuned => {
            let (labels, classes) = classes_of(entry, target)?;
            let [train, valid, test] = TUNED_SIZES;
            let split = Split::per_class_by_torch(labels, classes, train, valid, test, TUNED_SEED)
                .map_err(|error| named(entry, error.into()))?;
            Ok((split, Some(format!("The split is the published draw: {train} per class, {valid}, {test}."))))
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
    let (labels, classes) = classes_of(entry, target)?;
    Split::per_class(labels, classes, train, valid, test, seed).map_err(|error| named(entry, error.into()))
}

/// The classes of nodes, and how many there are.
fn classes_of<'a>(entry: &Entry, target: &'a Target) -> Result<(&'a [Option<u32>], usize), DataError> {
    match (target, entry.level) {
        (Target::Class { labels, classes }, Level::Node) => Ok((labels, classes.len())),
        _ => Err(DataError::Mismatch {
            what: format!("{}: a split per class needs one class for every node.", entry.name),
        }),
    }
}
