//! GMN with the recorded walks.

use super::graph_mamba::{linear, mamba};
use super::{Case, Get, How, Numbers, Outside, OutsideFile, PASSES, Told, compare_how};
use crate::models::gmn_tokens::RecordedTokens;
use crate::{Batch, ModelConfig};

/// Settings of the files that are part of the model, and what they may say.
const TOLD: &[Told] = &[("pool", &["none", "mean"])];

fn case(file: &OutsideFile) -> Option<Case> {
    let (arrays, inputs) = file.arrays(true);
    let mut config = ModelConfig::from_name("gmn").unwrap();
    let keys = [
        ("width", "d"),
        ("walk_length", "m"),
        ("repeats", "s"),
        ("walks", "M"),
        ("token_layers", "token_layers"),
        ("layers", "node_layers"),
        ("states", "d_state"),
        ("taps", "d_conv"),
        ("expansion", "expand"),
        ("residual", "residual"),
    ];
    for (ours, theirs) in keys {
        config = config.with(ours, file.config[theirs].clone()).unwrap();
    }
    Some(Case { config, inputs, outputs: file.outputs(), arrays })
}

/// The tokens of each node: the longest walks first, of these the last place of the shuffle first, the node itself
/// last.
fn prepare(file: &OutsideFile, batch: &Batch) {
    let (m, s) = (file.count("m"), file.count("s"));
    let node_tokens = |node: usize| {
        let mut tokens = Vec::new();
        for length in (0..m).rev() {
            let (walks, shuffle) = (file.find("draw/walks").unwrap(), file.find("draw/shuffle").unwrap());
            let size: usize = walks.shape[3..].iter().product();
            for place in (0..s).rev() {
                let repeat = shuffle.data[(node * m + length) * s + place] as usize;
                let visited = &walks.data[((node * m + length) * s + repeat) * size..][..size];
                let mut token: Vec<u32> =
                    visited.iter().filter(|node| **node >= 0.0).map(|node| *node as u32).collect();
                token.sort_unstable();
                token.dedup();
                tokens.push(token);
            }
        }
        tokens.push(vec![node as u32]);
        tokens
    };
    let recorded = batch.derived(0, |batch| RecordedTokens((0..batch.nodes()).map(node_tokens).collect()));
    assert_eq!(recorded.0.len(), batch.nodes(), "{}: the walks came too late", file.name);
}

fn table(file: &OutsideFile, get: &Get) -> Vec<(String, Numbers)> {
    let mut table = Vec::new();
    let maps = [("own", "A"), ("neighbour", "B"), ("target", "D"), ("source", "E")];
    for (ours, theirs) in maps {
        table.extend(linear(&format!("token_gates.{ours}"), &format!("phi.{theirs}"), get));
        table.extend(linear(&format!("gates.{ours}"), &format!("psi.{theirs}"), get));
    }
    let others =
        [("encoder.projection", "inp"), ("token_entries.projection", "phi.C"), ("entries.projection", "psi.C")];
    for (ours, theirs) in others.into_iter().chain([("head.output", "head")]) {
        table.extend(linear(ours, theirs, get));
    }
    for (ours, theirs, count) in [("token_blocks", "tok", "token_layers"), ("blocks", "node", "node_layers")] {
        for i in 0..file.count(count) {
            let (ours, theirs) = (format!("{ours}.{i}"), format!("{theirs}.{i}"));
            for (way, their) in [("ahead", "f"), ("back", "b")] {
                table.extend(mamba(&format!("{ours}.{way}"), &format!("{theirs}.{their}"), get));
                table.push((format!("{ours}.norm_{way}.scale"), get.get(&format!("{theirs}.ln_{their}.weight"))));
                table.push((format!("{ours}.norm_{way}.shift"), get.get(&format!("{theirs}.ln_{their}.bias"))));
            }
            table.push((format!("{ours}.output"), get.turned(&format!("{theirs}.out.weight"))));
        }
    }
    table
}

#[test]
fn gmn() {
    compare_how(
        &Outside { folder: "gmn", case, table, unused: &[], told: TOLD },
        &How { passes: &PASSES, prepare: &|file, _, batch| prepare(file, batch), ..How::default() },
    );
}
