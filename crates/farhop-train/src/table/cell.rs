//! A cell of a table: what was published, what our runs gave, and how the two compare.

use serde::Serialize;

use super::definition::{Column, Line, Measure, Published};
use crate::series::{Row, Spread};
use crate::{Recipe, RunRecord};

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its row.
    pub line: Line,
    /// Its column.
    pub column: Column,
    /// Its settings, seed and split those of the first run; none where there is no recipe.
    pub recipe: Option<Recipe>,
    /// Runs that ended, well or not.
    pub runs: Vec<Row>,
    /// Runs that belong to it.
    pub wanted: usize,
    /// Why it can't be run here.
    pub hindrance: Option<String>,
}

/// How ours compares with what was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Better by more than one deviation.
    Better,
    /// Within one deviation.
    Equal,
    /// Worse by more than one deviation.
    Worse,
    /// All runs are there, and nothing was published.
    Alone,
    /// Runs are missing.
    Open,
}

impl Cell {
    /// What was published.
    pub fn published(&self) -> Option<Published> {
        self.line.published.get(&self.column.name).copied()
    }

    /// The records of runs that ended well.
    pub fn records(&self) -> impl Iterator<Item = &RunRecord> {
        self.runs.iter().filter_map(|row| row.result.as_ref().ok())
    }

    /// What our runs gave, in the unit of the column.
    pub fn ours(&self) -> Option<Spread> {
        Spread::of(self.records().filter_map(|record| self.column.value(record)))
    }

    /// How the two compare. Equal is what differs by no more than the larger of the two deviations.
    pub fn verdict(&self) -> Verdict {
        let Some(ours) = self.ours().filter(|_| self.runs.len() >= self.wanted) else { return Verdict::Open };
        let Some(published) = self.published() else { return Verdict::Alone };
        let more_is_better = self.column.measure == Measure::Score
            && self.records().next().is_some_and(|record| record.metric.higher_is_better());
        let ahead = if more_is_better { ours.mean - published.mean } else { published.mean - ours.mean };
        let deviation = ours.deviation.unwrap_or(0.0).max(published.deviation.unwrap_or(0.0));
        match ahead {
            _ if ahead.abs() <= deviation => Verdict::Equal,
            _ if ahead > 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        }
    }
}

impl Column {
    /// What is measured of a run, in the unit of the column.
    pub fn value(&self, record: &RunRecord) -> Option<f64> {
        let value = match self.measure {
            Measure::Score => record.scores.test,
            Measure::EpochSeconds => record.seconds_per_epoch,
            Measure::Gigabytes => record.peak_rss_bytes.map(|bytes| bytes as f64 / 1e9),
        };
        value.map(|value| if self.percent { 100.0 * value } else { value })
    }

    /// Decimals of its numbers.
    pub fn digits(&self) -> usize {
        if self.percent || self.measure != Measure::Score { 2 } else { 4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::members;
    use crate::{Machine, Scores};

    fn cell(published: Option<[f64; 2]>, ours: &[f64], wanted: usize, percent: bool) -> Cell {
        let recipe = Recipe::for_model("mlp").unwrap();
        let column = Column {
            name: "Cora".into(),
            dataset: "cora".into(),
            seeds: wanted,
            measure: Measure::Score,
            percent,
            set: Default::default(),
        };
        let published = published.map(|numbers| ("Cora".to_string(), Published::from(numbers.to_vec())));
        let line = Line {
            name: "MLP".into(),
            model: "mlp".into(),
            set: Default::default(),
            published: published.into_iter().collect(),
            by: None,
        };
        let seeds: Vec<u64> = (0..ours.len() as u64).collect();
        let row = |(member, test): (crate::series::Member, &f64)| {
            let mut record = RunRecord::new(&[], Machine::default());
            record.scores = Scores { test: Some(*test), ..Scores::default() };
            Row { member, path: Some("run".into()), result: Ok(record) }
        };
        let runs = members(&recipe, &seeds).into_iter().zip(ours).map(row).collect();
        Cell { line, column, recipe: Some(recipe), runs, wanted, hindrance: None }
    }

    #[test]
    fn ours_is_compared_by_the_larger_deviation() {
        let verdict = |published, ours: &[f64]| cell(published, ours, 2, true).verdict();
        // Mean 85.0, deviation 0.71.
        assert_eq!(verdict(Some([85.5, 0.1]), &[0.845, 0.855]), Verdict::Equal);
        assert_eq!(verdict(Some([85.9, 0.1]), &[0.845, 0.855]), Verdict::Worse);
        assert_eq!(verdict(Some([85.9, 1.0]), &[0.845, 0.855]), Verdict::Equal);
        assert_eq!(verdict(Some([84.0, 0.5]), &[0.845, 0.855]), Verdict::Better);
        assert_eq!(verdict(None, &[0.845, 0.855]), Verdict::Alone);
        assert_eq!(verdict(Some([84.0, 0.5]), &[0.845]), Verdict::Open);
        assert_eq!(verdict(Some([84.0, 0.5]), &[]), Verdict::Open);
    }

    #[test]
    fn numbers_are_in_the_unit_of_the_column() {
        let mean = |percent| cell(None, &[0.25, 0.75], 2, percent).ours().unwrap().mean;
        assert_eq!((mean(true), mean(false)), (50.0, 0.5));
    }
}
