//! Random graphs with a power law of degrees.

use rayon::prelude::*;

use super::not_possible;
use super::weighted::WeightedTable;
use crate::build::graph_from_rows;
use crate::error::GraphError;
use crate::graph::{Direction, Graph, check_entries, check_nodes};
use crate::random::{Stream, mix, unit};

/// A power-law graph after Chung and Lu (2002) with an exact number of edges.
///
/// Nodes have weights `w_r = r^(-1 / (exponent - 1))` for ranks `r = 1, 2, ...`, dealt out in random order.
/// Pairs of different nodes are drawn with probability proportional to `w_a w_b`, without replacement, until
/// there are `edges` of them. Degrees then follow a power law: the share of nodes of degree `d` falls like
/// `d^(-exponent)`. An infinite exponent makes all pairs equally likely. Nodes may stay isolated.
///
/// # Errors
/// `exponent` not above 2, more edges than there are pairs, or more nodes or entries than `u32` counts.
pub fn chung_lu(nodes: usize, edges: usize, exponent: f64, seed: u64) -> Result<Graph, GraphError> {
    check_nodes(nodes)?;
    check_entries(edges.saturating_mul(2))?;
    if exponent.is_nan() || exponent <= 2.0 {
        let allowed = "a number above 2";
        return Err(not_possible("chung_lu", "exponent", exponent, allowed));
    }
    let pairs = nodes as u64 * (nodes as u64).saturating_sub(1) / 2;
    if edges as u64 > pairs {
        let allowed = format!("0 to {pairs} for {nodes} nodes");
        return Err(not_possible("chung_lu", "edges", edges, allowed));
    }
    let power = -1.0 / (exponent - 1.0);
    let weights: Vec<f64> = (1..=nodes).into_par_iter().map(|rank| (rank as f64).powf(power)).collect();
    let keys = draw_pairs(&weights, edges, pairs, mix(seed, 0));

    let mut node_of_rank: Vec<u32> = (0..nodes as u32).collect();
    Stream::new(mix(seed, 1)).shuffle(&mut node_of_rank);
    let rows: Vec<_> = keys
        .par_iter()
        .map(|&key| {
            let (high, low) = pair_of(key, nodes as u64);
            (node_of_rank[high], node_of_rank[low])
        })
        .collect();
    graph_from_rows(nodes, &rows, Direction::Undirected)
}

/// A pair of ranks as one number, the same for both orders.
fn key_of(first: u32, second: u32, nodes: u64) -> u64 {
    u64::from(first.max(second)) * nodes + u64::from(first.min(second))
}

fn pair_of(key: u64, nodes: u64) -> (usize, usize) {
    ((key / nodes) as usize, (key % nodes) as usize)
}

/// Draws pairs with replacement and keeps the first `edges` different ones: the same as drawing without
/// replacement. Returns their keys, ascending.
fn draw_pairs(weights: &[f64], edges: usize, pairs: u64, seed: u64) -> Vec<u64> {
    let nodes = weights.len() as u64;
    let mut kept: Vec<u64> = Vec::new();
    if edges == 0 {
        return kept;
    }
    let table = WeightedTable::new(weights);
    let mut drawn = 0u64;
    while kept.len() < edges {
        if drawn >= pairs {
            // Nearly all light pairs are wanted, and hardly ever drawn: look at each pair once instead.
            draw_from_the_rest(weights, edges, &mut kept, mix(seed, u64::MAX));
            break;
        }
        // Some more than are missing, so that the last few do not take a round each.
        let missing = edges - kept.len();
        let batch = (missing + missing / 8 + edges / 64 + 16) as u64;
        let mut fresh: Vec<(u64, u64)> = (drawn..drawn + batch)
            .into_par_iter()
            .filter_map(|draw| {
                let first = table.item(mix(seed, 2 * draw));
                let second = table.item(mix(seed, 2 * draw + 1));
                (first != second).then(|| (key_of(first, second, nodes), draw))
            })
            .collect();
        drawn += batch;
        fresh.par_sort_unstable();
        fresh.dedup_by_key(|(key, _)| *key);
        let mut fresh: Vec<_> = fresh.into_par_iter().filter(|(key, _)| kept.binary_search(key).is_err()).collect();
        if fresh.len() > missing {
            fresh.par_sort_unstable_by_key(|&(_, draw)| draw);
            fresh.truncate(missing);
            fresh.par_sort_unstable();
        }
        kept.extend(fresh.into_iter().map(|(key, _)| key));
        // Two sorted stretches: the stable sort sees that and only merges them.
        kept.sort();
    }
    kept
}

/// Completes `kept` to `edges` keys by drawing from the pairs not in it, by weight and without replacement:
/// the pairs with the earliest of exponential waiting times at rate `w_a w_b` (Efraimidis and Spirakis, 2006).
fn draw_from_the_rest(weights: &[f64], edges: usize, kept: &mut Vec<u64>, seed: u64) {
    let nodes = weights.len() as u64;
    let mut waiting: Vec<(f64, u64)> = (0..weights.len())
        .into_par_iter()
        .flat_map_iter(|high| (0..high).map(move |low| (high, low)))
        .map(|(high, low)| {
            let key = key_of(high as u32, low as u32, nodes);
            let time = -(1.0 - unit(mix(seed, key))).ln() / (weights[high] * weights[low]);
            (time, key)
        })
        .filter(|(_, key)| kept.binary_search(key).is_err())
        .collect();
    waiting.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let missing = edges - kept.len();
    kept.extend(waiting.iter().take(missing).map(|&(_, key)| key));
    kept.par_sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_drawn_by_weight() {
        let weights = [1.0, 0.5, 0.25, 0.125];
        let taken = key_of(1, 0, 4);
        let trials = 20_000;
        let mut found = [0usize; 16];
        for seed in 0..trials {
            let mut kept = vec![taken];
            draw_from_the_rest(&weights, 2, &mut kept, mix(seed, 8));
            assert_eq!(kept.len(), 2);
            for key in kept {
                found[key as usize] += 1;
            }
        }
        let pairs = [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];
        let weight = |(a, b): (usize, usize)| weights[a] * weights[b];
        let total: f64 = pairs.into_iter().map(weight).sum();
        assert_eq!(found[taken as usize], trials as usize);
        for pair in pairs {
            let probability = weight(pair) / total;
            let mean = trials as f64 * probability;
            let deviation = (mean * (1.0 - probability)).sqrt();
            let found = found[key_of(pair.0 as u32, pair.1 as u32, 4) as usize];
            assert!((found as f64 - mean).abs() < 5.0 * deviation, "{pair:?}: {found}, {mean}");
        }
    }
}
