//! What the model looks at.

use farhop_train::insight::{HopShares, Insight};

use super::html::{Cell, Look, Markup, Table, figure, tag};
use crate::picture::ridges;

/// Hop attention and edge attention; none if the model has neither.
pub fn section(insight: &Insight) -> Option<Markup> {
    if insight.hops.is_empty() && insight.entropies.is_empty() {
        return None;
    }
    let mut parts = Markup::default();
    if !insight.hops.is_empty() {
        let about = "Hops: how much of what a node reads comes from each distance, as the mean weight over the nodes looked at. The mean hop is how far it reads on average.";
        parts = parts.and(tag("div", "stack", hops(&insight.hops).and(tag("p", "", about))));
    }
    if !insight.entropies.is_empty() {
        let note = "The entropy of a node's weights over its neighbours and itself, as a share of the largest possible; how many nodes and heads have it. Orange: the mean. Nodes with nothing to choose between are left out.";
        parts = parts.and(figure("How evenly nodes attend to their neighbours", &ridges(&insight.entropies), note));
    }
    Some(tag("div", "figures", parts))
}

fn hops(rows: &[HopShares]) -> Markup {
    let mut table = Table::new("How much each hop is read", &["layer and head"]);
    let Some(first) = rows.first() else { return Markup::default() };
    for hop in first.first..first.first + first.shares.len() {
        table.heat_column(&if hop == 0 { "itself".to_string() } else { format!("hop {hop}") });
    }
    table.column("mean hop");
    let most = rows.iter().flat_map(|row| &row.shares).copied().fold(0.0, f64::max).max(1e-9);
    let several = rows.iter().any(|row| row.head > 1);
    for row in rows {
        let name = match several {
            true => format!("layer {}, head {}", row.layer, row.head),
            false => format!("layer {}", row.layer),
        };
        let share = |share: &f64| Cell::of(Look::Heat(0.85 * share / most), format!("{:.0} %", 100.0 * share));
        let mut cells = vec![Cell::word(name)];
        cells.extend(row.shares.iter().map(share));
        cells.push(Cell::number(format!("{:.2}", row.mean_hop())));
        table.row(cells);
    }
    table.markup()
}
