//! The coefficients in the order of the transposed rows.

use super::super::coefficients::{Chain, Coefficients, gather};
use super::super::{Config, Mode};
use crate::buffers;
use farhop_graph::Graph;

/// All sets together may take this many bytes to be kept from round to round. Beyond, each round makes those that it needs anew.
const KEEP: usize = 512 << 20;

/// Coefficients along and against the entries of the transposed rows, as far as a round needs them.
///
/// Round k multiplies `a^k` along an entry with `a^(k-1)` against it, `a^(k-2)` along it, and so on: of every set only one
/// direction. On an undirected graph the coefficients against the transposed entries are those of the entries as they lie.
pub(super) struct TransposedCoefficients<'a> {
    graph: &'a Graph,
    coefficients: Coefficients<'a>,
    heads: usize,
    exact: bool,
    keep: bool,
    along: Vec<Vec<f32>>,
    against: Vec<Vec<f32>>,
}

/// Whether so many sets of coefficients are kept from round to round.
pub(in crate::elimination) fn keeps(entries: usize, heads: usize, sets: usize) -> bool {
    sets == 1 || sets * entries * heads * size_of::<f32>() <= KEEP
}

impl<'a> TransposedCoefficients<'a> {
    pub fn new(graph: &'a Graph, config: &Config, coefficients: Coefficients<'a>) -> Self {
        let (heads, sets) = (config.heads.count, coefficients.rounds);
        TransposedCoefficients {
            graph,
            coefficients,
            heads,
            exact: config.mode == Mode::Exact,
            keep: keeps(graph.entries(), heads, sets),
            along: vec![Vec::new(); sets],
            against: vec![Vec::new(); sets],
        }
    }

    fn set(&self, round: usize) -> usize {
        if self.coefficients.rounds == 1 { 0 } else { round - 1 }
    }

    /// Rounds whose coefficients round `k` reads along the entries (`offset` 0) or against them (`offset` 1).
    fn rounds(&self, k: usize, offset: usize) -> impl Iterator<Item = usize> + use<> {
        let depth = if self.exact { k } else { 1 };
        (offset..depth).step_by(2).map(move |s| k - s)
    }

    /// Makes what round `k` needs.
    pub fn prepare(&mut self, k: usize) {
        let (graph, heads, transposed) = (self.graph, self.heads, self.graph.transposed());
        for round in self.rounds(k, 0) {
            let set = self.set(round);
            if self.along[set].is_empty() {
                let values = self.coefficients.edge(round);
                self.along[set] = gather(values, |t| transposed.entries[t], graph.entries(), heads);
            }
        }
        if graph.is_directed() {
            for round in self.rounds(k, 1) {
                let set = self.set(round);
                if self.against[set].is_empty() {
                    let index = |t: usize| graph.reverse()[transposed.entries[t] as usize];
                    self.against[set] = gather(self.coefficients.edge(round), index, graph.entries(), heads);
                }
            }
        }
    }

    /// The factors of round `k`; those it does not need are empty.
    pub fn chain(&self, k: usize) -> Chain<'_> {
        let mut chain = Chain { own: vec![&[]; k], back: vec![&[]; k] };
        for round in self.rounds(k, 0) {
            chain.own[round - 1] = &self.along[self.set(round)];
        }
        for round in self.rounds(k, 1) {
            chain.back[round - 1] =
                if self.graph.is_directed() { &self.against[self.set(round)] } else { self.coefficients.edge(round) };
        }
        chain
    }

    /// After round `k`: what is not kept goes, and so does what no earlier round reads.
    pub fn done(&mut self, k: usize) {
        if self.coefficients.rounds > 1 {
            for side in [&mut self.along, &mut self.against] {
                buffers::give(std::mem::take(&mut side[k - 1]));
            }
        }
        if !self.keep {
            for values in self.along.iter_mut().chain(&mut self.against) {
                buffers::give(std::mem::take(values));
            }
        }
    }

    pub fn give_back(self) {
        self.along.into_iter().chain(self.against).for_each(buffers::give);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Storage;
    use super::*;
    use crate::heads::Heads;
    use farhop_graph::{Direction, build};

    /// What a round is given does not depend on whether sets are kept, and has the coefficient of the right entry.
    #[test]
    fn a_round_gets_the_coefficients_of_its_entries() {
        let rows = [(0, 1), (1, 2), (2, 0), (3, 2), (4, 1), (0, 4)];
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = build(5, &rows, direction).unwrap().graph;
            let (e, rounds) = (graph.entries(), 5);
            let edge: Vec<f32> = (0..rounds * e).map(|v| v as f32 + 1.0).collect();
            let coefficients = Coefficients { rounds, edge: &edge, node: &[] };
            let config = Config {
                rounds,
                heads: Heads::new(1, 1),
                mode: Mode::Exact,
                skip_negligible: false,
                storage: Storage::Full,
            };
            for keep in [true, false] {
                let mut transposed = TransposedCoefficients::new(&graph, &config, coefficients);
                transposed.keep = keep;
                for k in (1..=rounds).rev() {
                    transposed.prepare(k);
                    let chain = transposed.chain(k);
                    for s in 0..k {
                        let factors = if s % 2 == 0 { chain.own[k - 1 - s] } else { chain.back[k - 1 - s] };
                        assert_eq!(factors.len(), e, "round {k}, factor {s}");
                        for (t, &value) in factors.iter().enumerate() {
                            let entry = graph.transposed().entries[t];
                            let wanted = if s % 2 == 0 { entry } else { graph.reverse()[entry as usize] };
                            let set = &edge[(k - 1 - s) * e..][..e];
                            assert_eq!(
                                value,
                                set.get(wanted as usize).copied().unwrap_or(0.0),
                                "round {k}, factor {s}"
                            );
                        }
                    }
                    transposed.done(k);
                    assert!(transposed.along[k - 1].is_empty() && transposed.against[k - 1].is_empty());
                    assert_eq!(transposed.along.iter().all(Vec::is_empty), !keep || k == 1);
                }
            }
        }
    }
}
