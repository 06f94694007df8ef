//! What is to be learned.

use farhop_data::Split;
use farhop_nn::{Batch, Targets};

use crate::TrainError;

/// Node classification on one graph.
#[derive(Clone, Copy)]
pub struct NodeTask<'a> {
    /// Graph and features.
    pub batch: &'a Batch,
    /// The class of every node, `[N]`; none where it is unknown.
    pub labels: &'a [Option<u32>],
    /// Number of classes.
    pub classes: usize,
    /// Which nodes to learn from, to choose by, to judge by.
    pub split: &'a Split,
}

impl NodeTask<'_> {
    /// Checks that everything belongs together, so that nothing later has to.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let wrong = |text: String| Err(TrainError::Task(text));
        let nodes = self.batch.nodes();
        if self.labels.len() != nodes {
            return wrong(format!(
                "there are {} labels for {nodes} nodes. Give one for each node, or none where it is unknown.",
                self.labels.len()
            ));
        }
        if self.split.train.is_empty() {
            return wrong("there are no training nodes. Mark some as train.".to_string());
        }
        if let Some(label) = self.labels.iter().flatten().find(|label| **label as usize >= self.classes) {
            return wrong(format!("a node has class {label}, and there are {} classes, counted from 0.", self.classes));
        }
        let mut part_of: Vec<Option<&str>> = vec![None; nodes];
        let parts = [("train", &self.split.train), ("valid", &self.split.valid), ("test", &self.split.test)];
        for (part, members) in parts {
            for node in members {
                let Some(place) = part_of.get_mut(*node as usize) else {
                    return wrong(format!("the {part} part names node {node}, and there are {nodes} nodes."));
                };
                if let Some(other) = place {
                    return wrong(format!("node {node} is in {other} and in {part}. Put every node into one part."));
                }
                if self.labels[*node as usize].is_none() {
                    return wrong(format!("node {node} is in {part} and has no label. Label it, or leave it out."));
                }
                *place = Some(part);
            }
        }
        Ok(())
    }

    /// The training nodes and their classes. Call after `check`.
    pub(super) fn targets(&self) -> Targets {
        let (rows, classes) =
            self.split.train.iter().filter_map(|node| Some((*node, self.labels[*node as usize]?))).unzip();
        Targets::classes(rows, classes)
    }
}
