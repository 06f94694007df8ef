//! The tokens of GOAT: nodes around a node that are found by drawing neighbours, round by round.

use std::sync::Arc;

use burn::tensor::Tensor;
use farhop_graph::random::{Stream, mix};
use farhop_graph::{Direction, Graph};
use farhop_kernels::embedding::Categories;
use rayon::prelude::*;

use crate::ops::{RowChoice, bridge};
use crate::{Batch, Context, Shape};

/// Sets these draws apart from other random numbers.
const DRAWS: u64 = 0x676F_6174_5F64_7277;

/// The tokens of all nodes that answer.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    /// The rows of the batch that are read; none if it is all of them in their order.
    pub nodes: Option<Arc<RowChoice>>,
    /// Those that answer: so many of the rows that are read, from the first on.
    pub targets: usize,
    /// Who reads whom. A node is a token of its own beside these.
    pub graph: Arc<Graph>,
    /// The round in which each entry was found, then 0 for every node itself.
    pub distances: Arc<Categories>,
    /// Minus the logarithm of how many tokens of a node were found in the same round, `[E + N, 1]`.
    pub shares: Tensor<2>,
}

/// Tokens for tests: given to a batch before the pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct RecordedTokens(pub Option<Tokens>);

/// A token: the node, and the round in which it was found.
pub(crate) type Found = (u32, u16);

impl Tokens {
    /// The tokens of every node of the batch: new ones in each step of training, always the same in evaluation. In a round `s` every node found so
    /// far draws `sizes[s]` neighbours.
    pub fn of(batch: &Batch, sizes: &[usize], context: &Context) -> Arc<Self> {
        let seed = context.next_seed();
        #[cfg(test)]
        if let Some(tokens) = &batch.derived(0, |_| RecordedTokens::default()).0 {
            return Arc::new(tokens.clone());
        }
        match seed {
            Some(seed) => Arc::new(Tokens::drawn(batch, sizes, seed)),
            None => {
                let key = sizes.iter().fold(DRAWS, |key, size| mix(key, *size as u64));
                batch.derived(key, |batch| Tokens::drawn(batch, sizes, DRAWS))
            }
        }
    }

    /// Every graph has the same random numbers, whatever stands before it in the batch.
    fn drawn(batch: &Batch, sizes: &[usize], seed: u64) -> Self {
        let (graph, nodes) = (batch.graph(), batch.nodes());
        let locals: Vec<usize> = batch.offsets().windows(2).flat_map(|range| 0..range[1] - range[0]).collect();
        let found: Vec<Vec<Found>> = locals
            .par_iter()
            .enumerate()
            .map_init(
                || vec![u32::MAX; nodes],
                |marks, (node, &local)| draw(graph, node, sizes, &mut Stream::new(mix(seed, local as u64)), marks),
            )
            .collect();
        Tokens::new(found, sizes.len(), nodes)
    }

    /// From the tokens of the nodes `0..found.len()` out of `nodes`, each without itself and in the order of nodes.
    pub fn new(found: Vec<Vec<Found>>, rounds: usize, nodes: usize) -> Self {
        let targets = found.len();
        let count = found.iter().map(Vec::len).sum::<usize>();
        let (mut offsets, mut sources) = (vec![0], Vec::with_capacity(count));
        let (mut distances, mut shares) = (Vec::with_capacity(count + nodes), Vec::with_capacity(count + nodes));
        for row in found {
            let mut counts = vec![0u32; rounds + 1];
            row.iter().for_each(|(_, round)| counts[usize::from(*round)] += 1);
            for (node, round) in row {
                sources.push(node);
                distances.push(round);
                shares.push(-(counts[usize::from(round)] as f32).ln());
            }
            offsets.push(sources.len());
        }
        offsets.resize(nodes + 1, sources.len());
        // A node alone at distance 0.
        distances.resize(distances.len() + nodes, 0);
        shares.resize(shares.len() + nodes, 0.0);
        // Rows ascend and name nodes of the batch; more than 2^32 tokens would not fit into memory.
        let graph = Graph::from_csr(Direction::Directed, offsets, sources);
        let graph = graph.unwrap_or_else(|error| panic!("the tokens of this batch are too many: {error}"));
        let rows = shares.len();
        Tokens {
            nodes: None,
            targets,
            graph: Arc::new(graph),
            distances: Arc::new(Categories::new(distances, &[rounds as u32 + 1])),
            shares: bridge::from_vec(shares, [rows, 1]),
        }
    }

    /// About how many tokens all nodes have, themselves left out.
    pub fn expected(shape: &Shape, sizes: &[usize]) -> usize {
        let (nodes, entries) = (shape.nodes.max(1) as f64, shape.entries as f64);
        let all = nodes / shape.graphs.max(1) as f64;
        let mean = entries / nodes;
        // Those who are found have more neighbours than others.
        let around = shape.pairs_within_two_steps() as f64 / entries.max(1.0);
        let (mut found, mut fresh) = (1.0f64, 1.0f64);
        for (round, &size) in sizes.iter().enumerate() {
            let degree = if round == 0 { mean } else { around.max(1.0) };
            let drawn = degree.min(size as f64);
            // Who has drawn all of its neighbours finds nobody new.
            let again = (found - fresh) * (1.0 - drawn / degree.max(drawn).max(1e-9));
            let next = (found + (fresh + again) * drawn).min(all);
            (found, fresh) = (next, next - found);
        }
        ((found - 1.0).max(0.0) * nodes) as usize
    }

    /// Bytes of `count` tokens of so many nodes: a graph of one direction with both of its indices, distances and shares.
    pub fn bytes(count: usize, nodes: usize) -> u64 {
        (2 * (8 * (nodes + 1) + 8 * count) + 6 * (count + nodes)) as u64
    }
}

/// The tokens of `node`, itself left out, in the order of nodes. `marks` has a place for every node and none that says `node`.
fn draw(graph: &Graph, node: usize, sizes: &[usize], stream: &mut Stream, marks: &mut [u32]) -> Vec<Found> {
    let stamp = node as u32;
    let mut found: Vec<Found> = vec![(stamp, 0)];
    marks[node] = stamp;
    let mut chosen = Vec::new();
    for (round, &size) in sizes.iter().enumerate() {
        for at in 0..found.len() {
            let neighbours = graph.neighbours(found[at].0 as usize);
            choose(neighbours.len(), size, stream, &mut chosen);
            for &place in &chosen {
                let neighbour = neighbours[place];
                if marks[neighbour as usize] != stamp {
                    marks[neighbour as usize] = stamp;
                    found.push((neighbour, round as u16 + 1));
                }
            }
        }
    }
    found.remove(0);
    found.sort_unstable();
    found
}

/// `size` different numbers below `count`, all equally likely to be among them; all of them if there are no more.
fn choose(count: usize, size: usize, stream: &mut Stream, chosen: &mut Vec<usize>) {
    chosen.clear();
    if count <= size {
        chosen.extend(0..count);
        return;
    }
    // Every step opens one place more, and takes it unless it draws one that is free.
    for last in count - size..count {
        let place = stream.below(last as u64 + 1) as usize;
        chosen.push(if chosen.contains(&place) { last } else { place });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BatchArrays, InputShape};
    use farhop_graph::build;

    fn batch(nodes: usize, rows: &[(u32, u32)]) -> Batch {
        let graph = build(nodes, rows, Direction::Undirected).unwrap().graph;
        Batch::from_arrays(BatchArrays::new(Arc::new(graph)), &InputShape::default())
    }

    #[test]
    fn every_choice_is_as_likely_as_any_other() {
        let mut counts = [0usize; 5];
        let mut chosen = Vec::new();
        for seed in 0..5000 {
            choose(5, 2, &mut Stream::new(seed), &mut chosen);
            assert!(chosen.len() == 2 && chosen[0] != chosen[1], "{chosen:?}");
            chosen.iter().for_each(|place| counts[*place] += 1);
        }
        // 2000 each; the deviation is 35.
        assert!(counts.iter().all(|count| (1800..2200).contains(count)), "{counts:?}");
    }

    /// Where nothing is left out, tokens are all nodes within as many hops as rounds, each with its distance.
    #[test]
    fn enough_draws_find_whole_neighbourhoods() {
        // A path of six nodes with a leaf at 1, and a node alone.
        let batch = batch(8, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 6)]);
        let tokens = Tokens::of(&batch, &[9, 9], &Context::training(1, 1));
        let of = |node: usize| tokens.graph.neighbours(node).to_vec();
        assert_eq!(of(0), [1, 2, 6]);
        assert_eq!(of(2), [0, 1, 3, 4, 6]);
        assert_eq!(of(7), [0u32; 0]);
        let shares = bridge::into_vec(tokens.shares.clone());
        // Of node 0: 1 at distance 1, 2 and 6 at distance 2.
        let two = 2f32.ln();
        assert_eq!(&shares[..3], [0.0, -two, -two]);
        assert_eq!(shares.len(), tokens.graph.entries() + 8);
    }

    #[test]
    fn draws_are_bounded_fresh_in_training_and_fixed_in_evaluation() {
        let rows: Vec<(u32, u32)> = (1..200).map(|leaf| (0, leaf)).collect();
        let batch = batch(200, &rows);
        let drawn = |context: &Context| Tokens::of(&batch, &[5, 3], context).graph.sources().to_vec();
        assert_eq!(drawn(&Context::evaluation()), drawn(&Context::evaluation()));
        assert_eq!(drawn(&Context::training(1, 1)), drawn(&Context::training(1, 1)));
        assert_ne!(drawn(&Context::training(1, 1)), drawn(&Context::training(1, 2)));
        let tokens = Tokens::of(&batch, &[5, 3], &Context::evaluation());
        // The hub finds five leaves, then three more at most; a leaf finds the hub, then three leaves.
        assert!((5..=8).contains(&tokens.graph.degree(0)));
        assert!((1..200).all(|leaf| (3..=4).contains(&tokens.graph.degree(leaf))));
    }
}
