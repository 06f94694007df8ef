//! What an epoch over several processes takes, process by process.

use farhop_nn::exchange::{Group, Talking};
use serde::{Deserialize, Serialize};

use super::check;
use crate::TrainError;
use crate::memory::peak_rss_bytes;
use crate::task::Task;

/// Figures of all processes, of the epochs since the run was started or continued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// One for each, in the order of their ranks.
    pub processes: Vec<ProcessFigures>,
    /// Epochs that were counted.
    pub epochs: usize,
    /// How many times the mean the work (nodes and entries) of the largest part is; none where processes share batches of graphs.
    pub imbalance: Option<f64>,
    /// How many times the mean the slowest process computes.
    pub computing_imbalance: f64,
}

/// Figures of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessFigures {
    /// Nodes of its part; none where processes share batches of graphs.
    pub own_nodes: Option<u64>,
    /// Nodes of others around them.
    pub halo_nodes: Option<u64>,
    /// Seconds of an epoch in which it computed, evaluation included.
    pub computing_seconds: f64,
    /// Seconds of an epoch in which bytes were moving and it had nothing to compute.
    pub exchange_seconds: f64,
    /// Seconds of an epoch in which it waited for a slower process.
    pub waiting_seconds: f64,
    /// Bytes that it sent in an epoch.
    pub sent_bytes_per_epoch: f64,
    /// Messages that it sent in an epoch.
    pub messages_per_epoch: f64,
    /// Bytes that it sent in all.
    pub sent_bytes: u64,
    /// Largest resident memory, where the system tells.
    pub peak_rss_bytes: Option<u64>,
}

/// What this process has counted in epochs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    epochs: usize,
    seconds: f64,
    exchange: f64,
    waiting: f64,
    bytes: u64,
    messages: u64,
}

/// The counters of a group at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    talking: Talking,
    bytes: u64,
    messages: u64,
}

impl Reading {
    /// Now.
    pub fn of(group: &Group) -> Self {
        Reading { talking: group.talking(), bytes: group.sent_bytes(), messages: group.messages() }
    }
}

impl Counted {
    /// Counts an epoch that took so long, with the counters as they were before it.
    pub fn add(&mut self, group: &Group, before: Reading, seconds: f64) {
        let now = Reading::of(group);
        self.epochs += 1;
        self.seconds += seconds;
        self.exchange += (now.talking.exchange - before.talking.exchange).as_secs_f64();
        self.waiting += (now.talking.waiting - before.talking.waiting).as_secs_f64();
        self.bytes += now.bytes - before.bytes;
        self.messages += now.messages - before.messages;
    }
}

impl Figures {
    /// Those of all processes, which all have to ask; none for one that is alone.
    pub(crate) fn of(task: &Task, own: &Counted) -> Result<Option<Self>, TrainError> {
        let Some(group) = task.group() else { return Ok(None) };
        let part = task.own_part();
        let sent = group.sent_bytes();
        let numbers = [
            part.map_or(0.0, |part| part.halo.own() as f64),
            part.map_or(0.0, |part| part.halo.others() as f64),
            own.seconds,
            own.exchange,
            own.waiting,
            own.bytes as f64,
            own.messages as f64,
            sent as f64,
            peak_rss_bytes().unwrap_or(0) as f64,
        ];
        let epochs = own.epochs.max(1) as f64;
        let process = |numbers: Vec<f64>| ProcessFigures {
            own_nodes: part.map(|_| numbers[0] as u64),
            halo_nodes: part.map(|_| numbers[1] as u64),
            computing_seconds: (numbers[2] - numbers[3] - numbers[4]).max(0.0) / epochs,
            exchange_seconds: numbers[3] / epochs,
            waiting_seconds: numbers[4] / epochs,
            sent_bytes_per_epoch: numbers[5] / epochs,
            messages_per_epoch: numbers[6] / epochs,
            sent_bytes: numbers[7] as u64,
            peak_rss_bytes: (numbers[8] > 0.0).then_some(numbers[8] as u64),
        };
        let processes: Vec<ProcessFigures> = group.numbers(&numbers).into_iter().map(process).collect();
        check(group)?;
        let computing = processes.iter().map(|process| process.computing_seconds);
        let (most, sum) = (computing.clone().fold(0.0, f64::max), computing.sum::<f64>());
        let computing_imbalance = if sum > 0.0 { most * processes.len() as f64 / sum } else { 1.0 };
        let imbalance = part.map(|part| part.imbalance);
        Ok(Some(Figures { processes, epochs: own.epochs, imbalance, computing_imbalance }))
    }

    /// The process that computes longest.
    pub fn slowest(&self) -> Option<usize> {
        let seconds = |rank: &usize| self.processes[*rank].computing_seconds;
        (0..self.processes.len()).max_by(|a, b| seconds(a).total_cmp(&seconds(b)))
    }
}
