//! Exact elimination: K rounds of propagation in which round k carries the k-hop increment (`eq9a`-`eq11`).
//!
//! With `a_ij^k` the coefficient of round k for the entry (i receives from j), `d^0 = h^0 = z`:
//!
//! ```text
//! p_ij^(k,0) = a_ij^k        p_ij^(k,s) = p_ij^(k,s-1) * (a_ji^(k-s) if s is odd, a_ij^(k-s) if s is even)
//! d_i^k =   sum over even s of sum_j p_ij^(k,s) d_j^(k-1-s)
//!         - sum over odd  s of (sum_j p_ij^(k,s)) d_i^(k-1-s)                                  s < k
//! h_i^k = a_ii^k h_i^(k-1) + d_i^k
//! ```
//!
//! This equals the paper's recursion over a state per edge and feature, but keeps only scalars per edge: non-backtracking
//! propagation unrolled. A missing reverse entry (a graph kept directed) counts as `a_ji = 0`.
//!
//! [`Mode::SelfLoop`] is the paper's cheap substitute (`h^k = sum_j a_ij^k h_j^(k-1)`, the node's own term left out) and
//! [`Mode::None`] plain propagation (`h^k = a_ii^k h^(k-1) + sum_j a_ij^k h_j^(k-1)`). In both, the increment `d^k` is the
//! neighbours' sum.

mod backward;
mod bytes;
mod coefficients;
mod forward;
mod gather;
mod halo;
mod kept;
mod nodes;
mod rounds;
mod spread;
mod stored;

pub use backward::{BackwardRounds, Gradients, HopGradient, Reused, RowGradient, backward, begin, begin_within};
pub use bytes::{bytes_begun, bytes_finish, bytes_forward, bytes_kept, bytes_waiting};
pub use coefficients::{Attention, Coefficients, Source};
pub use forward::{Start, cumulative, forward, forward_within};
pub use kept::Kept;
pub(crate) use rounds::{Increments, states};
pub use stored::Storage;

use crate::heads::Heads;
use farhop_graph::Graph;

/// What is taken away from each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything that steps straight back: the paper's elimination.
    Exact,
    /// Only the node's own term.
    SelfLoop,
    /// Nothing.
    None,
}

/// What a gradient per hop refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The state h^k after round k (`eq12` as printed).
    Cumulative,
    /// The increment d^k.
    Increment,
}

/// The size and kind of an elimination.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Number of rounds K.
    pub rounds: usize,
    /// Channels F and heads H of the coefficients.
    pub heads: Heads,
    /// What is eliminated.
    pub mode: Mode,
    /// Skip a gather whose weight is below the rounding error of the row it would be added to (relative 2^-24; with
    /// [`Storage::Packed`] 2^-16).
    pub skip_negligible: bool,
    /// How the rows that are gathered are stored.
    pub storage: Storage,
}

/// Number of (round, odd s) pairs up to round k, exclusive: where the row sums of round k start.
fn pairs_before(round: usize) -> usize {
    (1..round).map(|k| k / 2).sum()
}

fn check(graph: &Graph, config: &Config, source: &Source, z: &[f32]) {
    let (n, e, f, h) = (graph.nodes(), graph.entries(), config.heads.width, config.heads.count);
    assert_eq!(z.len(), n * f, "features must be [nodes, width]");
    match source {
        Source::Attention(a) => {
            assert_eq!(
                a.weights.len(),
                a.rounds(config.rounds) * 2 * f,
                "attention weights must be [rounds, 2 * width]"
            );
            if let Some(bias) = a.bias {
                let fits = bias.len() == e * h || bias.len() == a.rounds(config.rounds) * e * h;
                assert!(fits, "edge bias must be [rounds, entries, heads] or [entries, heads]");
            }
        }
        Source::Given(c) => {
            assert!(c.rounds == 1 || c.rounds == config.rounds, "coefficients for one or for all rounds");
            assert_eq!(c.edge.len(), c.rounds * e * h, "edge coefficients must be [rounds, entries, heads]");
            assert_eq!(c.node.len(), c.rounds * n * h, "self coefficients must be [rounds, nodes, heads]");
        }
    }
}
