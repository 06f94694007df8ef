//! Several runs of one recipe: other seeds, and other splits where the data has several.

mod estimate;
mod folder;
mod obtain;
mod spread;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use farhop_data::catalogue;
use farhop_data::metrics::Metric;

pub use estimate::{Estimate, TimeLeft};
pub use folder::SeriesFolder;
pub use obtain::{Obtained, Surroundings, obtain};
pub use spread::{Spread, paired_significance};

use crate::run::names;
use crate::{Observer, Recipe, RunRecord, Scores, SplitSetting, Status, TrainError};

/// One run of several.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its settings.
    pub recipe: Recipe,
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Member {
    /// `run 2 of 5: seed 1, split 1`.
    pub fn title(&self) -> String {
        let split = match self.recipe.data.split {
            SplitSetting::Number(number) => format!(", split {number}"),
            _ => String::new(),
        };
        format!("run {} of {}: seed {}{split}", self.number + 1, self.of, self.recipe.train.seed)
    }
}

/// The runs of a recipe with these seeds. Where the dataset has several splits and none is asked for, run i is on split i; a split that is
/// drawn is drawn anew for every seed, unless it has a seed of its own.
pub fn members(recipe: &Recipe, seeds: &[u64]) -> Vec<Member> {
    let entry = recipe.data.dataset.as_deref().and_then(|name| catalogue::find(name).ok());
    let splits = entry.map_or(0, |entry| entry.numbered_splits);
    let member = |(number, seed): (usize, &u64)| {
        let mut recipe = recipe.clone();
        recipe.train.seed = *seed;
        if recipe.data.split == SplitSetting::Standard && splits > 1 {
            recipe.data.split = SplitSetting::Number(number % splits);
        }
        Member { recipe, number, of: seeds.len() }
    };
    seeds.iter().enumerate().map(member).collect()
}

/// What came out of one run.
#[derive(Clone, Debug)]
pub struct Row {
    /// The run.
    pub member: Member,
    /// Where it lies; none if it came measured with farhop.
    pub path: Option<PathBuf>,
    /// Its record, or why there is none.
    pub result: Result<RunRecord, String>,
}

/// What came out of several runs.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Every run that was asked for, in order; fewer when interrupted.
    pub rows: Vec<Row>,
    /// Whether it was asked to stop before the last.
    pub interrupted: bool,
}

impl Rows {
    /// The records of the runs that ended well.
    pub fn records(&self) -> impl Iterator<Item = &RunRecord> {
        self.rows.iter().filter_map(|row| row.result.as_ref().ok())
    }

    /// How they are scored.
    pub fn metric(&self) -> Option<Metric> {
        self.records().next().map(|record| record.metric)
    }

    /// Mean and deviation of a score.
    pub fn spread(&self, of: impl Fn(&Scores) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.records().filter_map(|record| of(&record.scores)))
    }
}

/// Trains several runs, one after the other, each in its own folder. What is finished there is not done again, what was interrupted goes
/// on. A run whose numbers stop being finite counts as failed, and the others go on.
///
/// # Errors
/// When the data can't be read, a run does not fit, or a folder can't be written. What is finished stays.
pub fn train_all(
    members: &[Member],
    place_of: &dyn Fn(&Member) -> PathBuf,
    around: &Surroundings<'_>,
    left: &mut TimeLeft,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Rows, TrainError> {
    let mut rows = Rows::default();
    for member in members {
        let Some((row, seconds)) = train_one(member, &place_of(member), around, left.seconds(), observer, stop)? else {
            rows.interrupted = true;
            return Ok(rows);
        };
        if row.result.is_ok() {
            left.done(member.recipe.model.name(), seconds);
        }
        rows.rows.push(row);
        if stop.load(Ordering::SeqCst) {
            rows.interrupted = rows.rows.len() < members.len();
            return Ok(rows);
        }
    }
    Ok(rows)
}

/// One run of several, trained as far as it is not yet, and the seconds that it took just now. None when it was asked to stop.
pub(crate) fn train_one(
    member: &Member,
    path: &Path,
    around: &Surroundings<'_>,
    left: Option<f64>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Option<(Row, Option<f64>)>, TrainError> {
    observer.run(member, left);
    let (result, seconds) = match obtain(member.recipe.clone(), path, around, observer, stop)? {
        Obtained::Interrupted => return Ok(None),
        Obtained::Failed(problem) => (Err(problem), None),
        Obtained::Finished { record, seconds } => (Ok(*record), seconds),
    };
    let row = Row { member: member.clone(), path: Some(path.to_path_buf()), result };
    observer.ran(&row);
    Ok(Some((row, seconds)))
}

/// What came out of the run in a folder, if it has ended: its record, or why it failed.
pub(crate) fn ended(path: &Path) -> Result<Option<Result<RunRecord, String>>, TrainError> {
    let file = path.join(names::RECORD);
    if !file.is_file() {
        return Ok(None);
    }
    let record = RunRecord::read(&file)?;
    Ok(match record.status {
        Status::Finished => Some(Ok(record)),
        Status::Failed => Some(Err(record.error.unwrap_or_else(|| "it failed".to_string()))),
        Status::Running | Status::Interrupted => None,
    })
}

/// Whether there is nothing to do for the run in a folder: it has ended, well or not.
pub fn is_done(path: &Path) -> bool {
    ended(path).is_ok_and(|found| found.is_some())
}

/// The folder of a run of a series.
pub fn folder_of(series: &Path, member: &Member) -> PathBuf {
    folder::place_of(series, member.recipe.train.seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(dataset: &str) -> Recipe {
        let mut recipe = Recipe::for_model("mlp").unwrap();
        recipe.data.dataset = Some(dataset.to_string());
        recipe
    }

    #[test]
    fn run_i_is_on_split_i_where_there_are_several() {
        let found = members(&recipe("chameleon-filtered"), &[7, 8, 9]);
        let of = |member: &Member| (member.recipe.train.seed, member.recipe.data.split.clone());
        let expected = [7, 8, 9].into_iter().zip([0, 1, 2].map(SplitSetting::Number)).collect::<Vec<_>>();
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(found[1].title(), "run 2 of 3: seed 8, split 1");
        // One split for all where there is one, or where one is asked for.
        assert!(
            members(&recipe("cora"), &[0, 1]).iter().all(|member| member.recipe.data.split == SplitSetting::Standard)
        );
        let mut asked = recipe("chameleon-filtered");
        asked.data.split = SplitSetting::Number(4);
        assert!(members(&asked, &[0, 1]).iter().all(|member| member.recipe.data.split == SplitSetting::Number(4)));
    }
}
