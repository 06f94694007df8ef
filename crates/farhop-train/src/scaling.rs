//! Numbers of nodes on a scale that a model learns well from.

use farhop_data::statistics::Moments;
use farhop_data::{Dataset, Numbers};
use serde::{Deserialize, Serialize};

use crate::TrainError;

/// Numbers of nodes are read as `(value - shift) / factor`, both over the nodes of training. Tables do so by their columns;
/// this is for data that comes as arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureScale {
    /// Mean of each number.
    pub shift: Vec<f32>,
    /// Deviation of each number; where it does not vary, its size, at least 1.
    pub factor: Vec<f32>,
}

impl FeatureScale {
    /// That of a dataset; none where its numbers are mostly zeros, which they would not be any more.
    ///
    /// # Errors
    /// When numbers that stay in a file can't be read.
    pub fn of(dataset: &Dataset) -> Result<Option<Self>, TrainError> {
        let width @ 1.. = dataset.nodes.width else { return Ok(None) };
        let trained = trained_nodes(dataset);
        let mut columns = vec![Moments::default(); width];
        let mut see = |first: usize, rows: &[f32]| {
            for (row, _) in rows.chunks_exact(width).zip(&trained[first..]).filter(|(_, trained)| **trained) {
                columns.iter_mut().zip(row).for_each(|(moments, value)| moments.add(f64::from(*value)));
            }
        };
        match &dataset.nodes.numbers {
            Numbers::Sparse(_) => return Ok(None),
            Numbers::Dense(numbers) => see(0, numbers),
            Numbers::OnDisk(numbers) => numbers.for_each(|first, rows| {
                see(first, rows);
                Ok::<(), TrainError>(())
            })?,
        }
        let scales = columns.iter().map(Moments::shift_and_scale);
        let (shift, factor) = scales.map(|(shift, factor)| (shift as f32, factor as f32)).unzip();
        Ok(Some(FeatureScale { shift, factor }))
    }

    /// Brings the numbers of a dataset to this scale.
    ///
    /// # Errors
    /// When it has other numbers.
    pub fn apply(&self, dataset: &mut Dataset) -> Result<(), TrainError> {
        let width = dataset.nodes.width;
        if width != self.shift.len() || width != self.factor.len() {
            return Err(TrainError::Task(format!(
                "{} numbers of a node where the run was trained with {}. Give data with the same features.",
                width,
                self.shift.len()
            )));
        }
        let numbers = std::mem::replace(&mut dataset.nodes.numbers, Numbers::Dense(Vec::new()));
        if let Numbers::OnDisk(numbers) = numbers {
            dataset.nodes.numbers = Numbers::OnDisk(numbers.scaled(self.shift.clone(), self.factor.clone()));
            return Ok(());
        }
        let mut numbers = numbers.into_dense()?;
        for row in numbers.chunks_exact_mut(width.max(1)) {
            for (value, (shift, factor)) in row.iter_mut().zip(self.shift.iter().zip(&self.factor)) {
                *value = (*value - shift) / factor;
            }
        }
        dataset.nodes.numbers = Numbers::Dense(numbers);
        Ok(())
    }
}

/// Whether each node is one of training; all are where there is no training part.
fn trained_nodes(dataset: &Dataset) -> Vec<bool> {
    let nodes = dataset.graphs.union().nodes();
    let train = &dataset.split.train;
    let mut trained = vec![train.is_empty(); nodes];
    if dataset.splits_nodes() {
        train.iter().for_each(|&node| trained[node as usize] = true);
    } else {
        let offsets = dataset.graphs.offsets();
        train.iter().for_each(|&graph| trained[offsets[graph as usize]..offsets[graph as usize + 1]].fill(true));
    }
    trained
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_data::Columns;
    use farhop_data::catalogue::{self, DataFolders, LoadOptions};

    fn made(name: &str) -> Dataset {
        let folders = DataFolders::usual(None);
        catalogue::load(catalogue::find(name).unwrap(), &folders, &LoadOptions::default()).unwrap()
    }

    /// Mean and deviation over the nodes of training, by the definition.
    fn moments(dataset: &Dataset, column: usize) -> (f64, f64) {
        let Numbers::Dense(numbers) = &dataset.nodes.numbers else { panic!("not dense") };
        let rows = numbers.chunks_exact(dataset.nodes.width).zip(trained_nodes(dataset));
        let values: Vec<f64> = rows.filter(|(_, trained)| *trained).map(|(row, _)| f64::from(row[column])).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn numbers_of_training_get_mean_0_and_deviation_1_and_the_rest_follows() {
        for name in ["hop-majority", "ring-transfer"] {
            let mut dataset = made(name);
            let nodes = dataset.graphs.union().nodes();
            // One column far from 0 with a small spread, one that never changes.
            let values = (0..nodes).flat_map(|node| [1000.0 + (node % 7) as f32 * 0.25, 3.0]).collect();
            dataset.nodes = Columns::dense(2, values);
            let scale = FeatureScale::of(&dataset).unwrap().unwrap();
            let before = dataset.clone();
            scale.apply(&mut dataset).unwrap();
            let (mean, deviation) = moments(&dataset, 0);
            assert!(mean.abs() < 1e-3 && (deviation - 1.0).abs() < 1e-3, "{name}: {mean} {deviation}");
            assert_eq!(moments(&dataset, 1), (0.0, 0.0), "{name}");
            // A run keeps it as JSON and reads new data the same.
            let kept: FeatureScale = serde_json::from_str(&serde_json::to_string(&scale).unwrap()).unwrap();
            let mut again = before;
            kept.apply(&mut again).unwrap();
            assert_eq!(again.nodes, dataset.nodes, "{name}");
        }
    }

    #[test]
    fn numbers_that_stay_on_disk_are_scaled_on_their_way() {
        let mut dataset = made("hop-majority");
        let nodes = dataset.graphs.union().nodes();
        let values = (0..nodes).flat_map(|node| [1000.0 + (node % 7) as f32 * 0.25, (node % 3) as f32]).collect();
        dataset.nodes = Columns::dense(2, values);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.farhop");
        dataset.save(&path).unwrap();
        let mut left = Dataset::open(&path, 0).unwrap();
        assert!(matches!(left.nodes.numbers, Numbers::OnDisk(_)));
        let scale = FeatureScale::of(&left).unwrap();
        assert_eq!(scale, FeatureScale::of(&dataset).unwrap());
        scale.as_ref().unwrap().apply(&mut left).unwrap();
        scale.unwrap().apply(&mut dataset).unwrap();
        let Numbers::OnDisk(numbers) = left.nodes.numbers else { panic!("they were taken into memory") };
        let Numbers::Dense(expected) = dataset.nodes.numbers else { panic!("not dense") };
        assert_eq!(numbers.to_dense().unwrap(), expected);
        assert_eq!(numbers.gather(&[5, 2]).unwrap(), [&expected[10..12], &expected[4..6]].concat());
    }

    #[test]
    fn other_numbers_are_refused() {
        let mut dataset = made("hop-majority");
        let scale = FeatureScale { shift: vec![0.0; 2], factor: vec![1.0; 2] };
        assert!(scale.apply(&mut dataset).unwrap_err().to_string().contains("trained with 2"));
    }
}
