//! What a run over several processes took, process by process, for readers.

use farhop_data::text::{counted, thousands};
use farhop_train::memory::bytes_text;
use farhop_train::together::{Figures, ProcessFigures};

use crate::console::Console;
use crate::table::TextTable;

/// Figures of all processes, and how unevenly they work.
pub fn text(figures: &Figures, console: &Console) -> String {
    let Figures { processes, imbalance, computing_imbalance, .. } = figures;
    let in_parts = imbalance.is_some();
    let mut heading = vec!["process"];
    if in_parts {
        heading.extend(["nodes", "around"]);
    }
    heading.extend(["computing", "exchange", "waiting", "sent", "memory"]);
    let mut table = TextTable::new(&heading);
    for (rank, process) in processes.iter().enumerate() {
        let mut row = vec![rank.to_string()];
        if in_parts {
            row.extend([process.own_nodes, process.halo_nodes].map(|count| thousands(count.unwrap_or(0))));
        }
        let ProcessFigures { computing_seconds, exchange_seconds, waiting_seconds, .. } = process;
        row.extend([computing_seconds, exchange_seconds, waiting_seconds].map(|seconds| format!("{seconds:.3} s")));
        row.push(bytes_text(process.sent_bytes_per_epoch as u64));
        row.push(process.peak_rss_bytes.map_or("-".to_string(), bytes_text));
        table.row(row);
    }
    let work = imbalance.map_or(String::new(), |most| format!("the largest part has {most:.2} times the mean work; "));
    let slowest = figures.slowest().unwrap_or(0);
    format!(
        "an epoch of each of {}:\n{}\n{work}process {slowest} computes longest, {computing_imbalance:.2} times the mean",
        counted(processes.len() as u64, "process", "processes"),
        table.lines(console.message_width()).join("\n")
    )
}
