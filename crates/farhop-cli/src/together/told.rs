//! What a run over several processes took, process by process.

use farhop_data::text::counted;
use farhop_kernels::exchange::Group;
use farhop_train::Summary;
use farhop_train::memory::bytes_text;
use farhop_train::together::OwnPart;
use serde_json::{Value, json};

/// Figures of every process.
pub struct Together {
    /// One for each, in the order of their ranks.
    pub processes: Vec<Process>,
    epochs: f64,
    seconds: f64,
    /// None where processes share batches of graphs.
    imbalance: Option<f64>,
}

/// Figures of one process.
pub struct Process {
    own: f64,
    others: f64,
    sent_bytes: f64,
    messages: f64,
    talking_seconds: f64,
    peak_rss_bytes: f64,
}

impl Together {
    /// Of a run that has ended; all processes have to ask.
    pub fn of(group: &Group, part: Option<&OwnPart>, summary: &Summary) -> Self {
        let own = [
            part.map_or(0.0, |part| part.halo.own() as f64),
            part.map_or(0.0, |part| part.halo.others() as f64),
            group.sent_bytes() as f64,
            group.messages() as f64,
            group.talking().as_secs_f64(),
            summary.peak_rss_bytes.unwrap_or(0) as f64,
        ];
        let process = |numbers: Vec<f64>| Process {
            own: numbers[0],
            others: numbers[1],
            sent_bytes: numbers[2],
            messages: numbers[3],
            talking_seconds: numbers[4],
            peak_rss_bytes: numbers[5],
        };
        Together {
            processes: group.numbers(&own).into_iter().map(process).collect(),
            epochs: summary.epochs.max(1) as f64,
            seconds: summary.seconds,
            imbalance: part.map(|part| part.imbalance),
        }
    }

    /// For programs.
    pub fn object(&self) -> Value {
        let process = |process: &Process| {
            json!({
                "own_nodes": self.imbalance.map(|_| process.own),
                "halo_nodes": self.imbalance.map(|_| process.others),
                "sent_bytes": process.sent_bytes,
                "sent_bytes_per_epoch": process.sent_bytes / self.epochs,
                "messages": process.messages,
                "talking_seconds": process.talking_seconds,
                "peak_rss_bytes": process.peak_rss_bytes,
            })
        };
        json!({ "processes": self.processes.iter().map(process).collect::<Vec<_>>(), "imbalance": self.imbalance })
    }

    /// For readers.
    pub fn line(&self) -> String {
        let most = |of: fn(&Process) -> f64| self.processes.iter().map(of).fold(0.0, f64::max);
        let talking = 100.0 * most(|process| process.talking_seconds) / self.seconds.max(1e-9);
        let largest = self.imbalance.map(|most| format!("; the largest part has {most:.2} times the mean work"));
        format!(
            "{}: {} sent an epoch by the busiest, up to {:.0} % of the time in exchange and waiting, {} of memory at most{}",
            counted(self.processes.len() as u64, "process", "processes"),
            bytes_text((most(|process| process.sent_bytes) / self.epochs) as u64),
            talking.min(100.0),
            bytes_text(most(|process| process.peak_rss_bytes) as u64),
            largest.unwrap_or_default()
        )
    }
}
