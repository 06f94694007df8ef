//! The batches of a task, one after the other.

use farhop_nn::{Batch, Model, Targets};

use super::feed::{self, LoadTime, Loaded, READY_PARTS};
use super::parted::{Cut, Parted};
use super::{Source, Task};
use crate::TrainError;

impl Task {
    /// Gives every training batch of an epoch to `work`, with its number. A wait for one ends when `wanted` is an error.
    pub(crate) fn train_batches<E: From<TrainError>>(
        &self,
        seed: u64,
        epoch: usize,
        wanted: impl Fn() -> Result<(), E>,
        mut work: impl FnMut(usize, Loaded) -> Result<(), E>,
    ) -> Result<LoadTime, E> {
        match &self.source {
            Source::Whole(batch) => {
                let rows: Vec<(u32, u32)> = self.split.train.iter().map(|node| (*node, *node)).collect();
                let targets = self.truth.targets(&rows);
                work(0, Loaded { units: vec![0], batch: batch.clone(), own: Vec::new(), nodes: Vec::new(), targets })?;
                Ok(LoadTime::default())
            }
            Source::Divided(parted, _) => {
                let batches = parted.batching.shuffled(&self.training_parts(parted), |_| 0, seed, epoch);
                let mut learned = vec![false; parted.graph.nodes()];
                self.split.train.iter().for_each(|node| learned[*node as usize] = true);
                let mut cutter = parted.cutter();
                let load = move |parts: Vec<u32>| {
                    let Cut { batch, own, nodes } = cutter.batch(&parts, &self.input)?;
                    let rows: Vec<(u32, u32)> =
                        own.iter().copied().filter(|(node, _)| learned[*node as usize]).collect();
                    Ok(Loaded { units: parts, batch, own, nodes, targets: self.truth.targets(&rows) })
                };
                feed::prefetch(batches, READY_PARTS, load, wanted, work)
            }
            Source::Graphs(collection) => {
                let size_of = |graph| collection.size(graph);
                let batches = self.batching.shuffled(&self.split.train, size_of, seed, epoch);
                let load = |graphs| Ok(self.load(collection, graphs));
                feed::prefetch(batches, feed::READY_GRAPHS, load, wanted, work)
            }
        }
    }

    /// What the model gives for these units (for its own ones, where several processes share them), batch after batch. A wait for one ends when `wanted` is an error.
    pub(crate) fn outputs<E: From<TrainError>>(
        &self,
        model: &Model,
        units: &[u32],
        wanted: impl Fn() -> Result<(), E>,
        mut each: impl FnMut(&Loaded, Vec<f32>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.batches(units, wanted, |loaded| each(loaded, model.outputs(&loaded.batch)))
    }

    /// The batches that hold these units, one after the other. A wait for one ends when `wanted` is an error.
    pub(crate) fn batches<E: From<TrainError>>(
        &self,
        units: &[u32],
        wanted: impl Fn() -> Result<(), E>,
        mut each: impl FnMut(&Loaded) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut answer = |_, loaded: Loaded| each(&loaded);
        match &self.source {
            Source::Whole(batch) => {
                let targets = Targets::classes(Vec::new(), Vec::new());
                let loaded =
                    Loaded { units: vec![0], batch: batch.clone(), own: Vec::new(), nodes: Vec::new(), targets };
                answer(0, loaded)
            }
            Source::Divided(parted, _) => {
                let asked = parted.parting.holding(units);
                let mut batches = parted.in_order();
                batches.retain(|parts| parts.iter().any(|part| asked[*part as usize]));
                let mut cutter = parted.cutter();
                let load = move |parts: Vec<u32>| {
                    let Cut { batch, own, nodes } = cutter.batch(&parts, &self.input)?;
                    Ok(Loaded { units: parts, batch, own, nodes, targets: Targets::classes(Vec::new(), Vec::new()) })
                };
                feed::prefetch(batches, READY_PARTS, load, wanted, answer).map(|_| ())
            }
            Source::Graphs(collection) => {
                let batches = self.batching.in_order(self.own_units(collection, units));
                let load = |graphs| Ok(self.load_all(collection, graphs));
                feed::prefetch(batches, feed::READY_GRAPHS, load, wanted, answer).map(|_| ())
            }
        }
    }

    /// Any batch, to look where a model fails.
    pub(crate) fn some_batch(&self) -> Result<Batch, TrainError> {
        Ok(match &self.source {
            Source::Whole(batch) => batch.clone(),
            Source::Divided(parted, _) => {
                let first = self.training_parts(parted).first().copied().unwrap_or(0);
                parted.cutter().batch(&[first], &self.input)?.batch
            }
            Source::Graphs(collection) => {
                let first = &self.split.train[..self.batching.size.min(self.split.train.len())];
                collection.batch(first, &self.input)
            }
        })
    }

    /// The parts with something to learn from.
    pub(super) fn training_parts(&self, parted: &Parted) -> Vec<u32> {
        let holding = parted.parting.holding(&self.split.train);
        (0..holding.len() as u32).filter(|part| holding[*part as usize]).collect()
    }
}
