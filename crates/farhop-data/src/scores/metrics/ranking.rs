//! Ranks of true pairs of nodes among all pairs with the same head, as on PCQM-Contact.
//!
//! Every true pair `(h, t)` of a graph is ranked by its score `s(h, t)` among the candidates
//! `s(h, t')` over the nodes `t'` of that graph. Dwivedi et al. (Long Range Graph Benchmark, 2022)
//! take all nodes as candidates; Tönshoff et al. (Where Did the Gap Go?, 2023) showed that other
//! true tails and the node itself then crowd out the pair, and leave them out. [`Candidates`] has
//! the three variants.
//!
//! A score is the mean over the pairs of a graph, then the mean over the graphs. Graphs without a
//! true pair are left out. (The published code counts such graphs as 0 in the raw variant, and its
//! logger weighs evaluation batches by their labelled pairs; the mean over graphs is what the papers
//! describe and does not depend on a batch size.)

use crate::error::DataError;

/// Which nodes a true tail is ranked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Candidates {
    /// All other nodes.
    Raw,
    /// All other nodes but the other true tails of the same head.
    Filtered,
    /// As filtered, and without the head itself.
    ExtendedFiltered,
}

impl Candidates {
    /// All variants.
    pub const ALL: [Candidates; 3] = [Candidates::Raw, Candidates::Filtered, Candidates::ExtendedFiltered];

    fn place(self) -> usize {
        match self {
            Candidates::Raw => 0,
            Candidates::Filtered => 1,
            Candidates::ExtendedFiltered => 2,
        }
    }
}

/// The ranks of the true pairs of one graph, 1 the best.
///
/// Equal scores share the mean of the best and the worst rank they could have:
/// `1 + (#{s' > s} + #{s' >= s}) / 2` over the candidates, so a rank can be a half.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRanks {
    /// Per pair, in the order given, for each of [`Candidates::ALL`]. NaN where a score of the
    /// head is not finite.
    ranks: Vec<[f64; 3]>,
}

impl PairRanks {
    /// Ranks that [`PairRanks::all`] gave.
    pub fn from_ranks(ranks: Vec<[f64; 3]>) -> Self {
        PairRanks { ranks }
    }

    /// Per pair, for each of [`Candidates::ALL`]; NaN where there is none.
    pub fn all(&self) -> &[[f64; 3]] {
        &self.ranks
    }

    /// Ranks `pairs` of (head, tail) in a graph of `nodes` nodes; `score(head, tail)` is asked once
    /// for each node as tail of each head. Pairs are taken as directed; a pair given twice counts
    /// twice.
    ///
    /// An error if a pair names a node that does not exist. If a score of a head is NaN or infinite
    /// its pairs have no rank, and the means over them are `None`.
    pub fn new(
        nodes: usize,
        mut score: impl FnMut(u32, u32) -> f64,
        pairs: &[(u32, u32)],
    ) -> Result<PairRanks, DataError> {
        if let Some((head, tail)) = pairs.iter().find(|(head, tail)| *head.max(tail) as usize >= nodes) {
            return Err(DataError::Mismatch {
                what: format!("pair ({head}, {tail}) does not exist: the graph has {nodes} nodes, numbered from 0."),
            });
        }
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| pairs[pair]);
        let mut ranks = vec![[f64::NAN; 3]; pairs.len()];
        let mut row = Row { head: 0, scores: Vec::with_capacity(nodes), is_tail: vec![false; nodes] };
        for of_head in order.chunk_by(|&a, &b| pairs[a].0 == pairs[b].0) {
            let tails = || of_head.iter().map(|&pair| pairs[pair].1 as usize);
            row.head = pairs[of_head[0]].0 as usize;
            row.scores.clear();
            row.scores.extend((0..nodes).map(|tail| score(row.head as u32, tail as u32)));
            if !row.scores.iter().all(|score| score.is_finite()) {
                continue;
            }
            tails().for_each(|tail| row.is_tail[tail] = true);
            for (&pair, tail) in of_head.iter().zip(tails()) {
                ranks[pair] = row.ranks(tail);
            }
            tails().for_each(|tail| row.is_tail[tail] = false);
        }
        Ok(PairRanks { ranks })
    }

    /// As [`PairRanks::new`], with all scores as `[nodes, nodes]`, a row per head. An error too if
    /// there are more or fewer.
    pub fn from_matrix<S: Copy + Into<f64>>(
        nodes: usize,
        scores: &[S],
        pairs: &[(u32, u32)],
    ) -> Result<PairRanks, DataError> {
        if nodes.checked_mul(nodes) != Some(scores.len()) {
            return Err(DataError::Mismatch {
                what: format!("{} scores are not one for each pair of {nodes} nodes.", scores.len()),
            });
        }
        PairRanks::new(nodes, |head, tail| scores[head as usize * nodes + tail as usize].into(), pairs)
    }

    /// Number of true pairs.
    pub fn pairs(&self) -> usize {
        self.ranks.len()
    }

    /// The rank of each pair in the order given; NaN where a score was not finite.
    pub fn ranks(&self, candidates: Candidates) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.ranks.iter().map(move |ranks| ranks[candidates.place()])
    }

    /// The mean of `value(rank)` over the pairs. `None` without pairs.
    fn mean(&self, candidates: Candidates, value: impl Fn(f64) -> f64) -> Option<f64> {
        let sum: f64 = self.ranks(candidates).map(value).sum();
        (self.pairs() > 0).then(|| sum / self.pairs() as f64)
    }
}

/// The scores of one head.
struct Row {
    head: usize,
    scores: Vec<f64>,
    /// Whether a node is a true tail of the head.
    is_tail: Vec<bool>,
}

impl Row {
    fn ranks(&self, tail: usize) -> [f64; 3] {
        let own = self.scores[tail];
        // Twice the places lost: 2 for a higher score, 1 for an equal one.
        let mut lost = [0u64; 3];
        for (node, (&score, &is_tail)) in self.scores.iter().zip(&self.is_tail).enumerate() {
            if node == tail {
                continue;
            }
            let places = u64::from(score > own) + u64::from(score >= own);
            lost[0] += places;
            lost[1] += if is_tail { 0 } else { places };
            lost[2] += if is_tail || node == self.head { 0 } else { places };
        }
        lost.map(|lost| 1.0 + lost as f64 / 2.0)
    }
}

fn mean_over_graphs(graphs: &[PairRanks], candidates: Candidates, value: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut sum, mut counted) = (0.0, 0u64);
    for mean in graphs.iter().filter_map(|graph| graph.mean(candidates, &value)) {
        sum += mean;
        counted += 1;
    }
    let mean = sum / counted as f64;
    mean.is_finite().then_some(mean)
}

/// Mean reciprocal rank, `mean over graphs of mean over pairs of 1 / rank`, in (0, 1]. `None` if
/// no graph has a pair or a score was not finite.
pub fn mrr(graphs: &[PairRanks], candidates: Candidates) -> Option<f64> {
    mean_over_graphs(graphs, candidates, |rank| 1.0 / rank)
}

/// The share of pairs with a rank of at most `k`, taken per graph and then over graphs. `None` as
/// in [`mrr`].
pub fn hits_at(graphs: &[PairRanks], candidates: Candidates, k: u32) -> Option<f64> {
    // A rank that is NaN must not count as a miss.
    let hit = |rank: f64| if rank.is_nan() { rank } else { f64::from(u8::from(rank <= f64::from(k))) };
    mean_over_graphs(graphs, candidates, hit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_graph::random::Stream;

    fn draw(random: &mut Stream) -> (usize, Vec<f64>, Vec<(u32, u32)>) {
        let nodes = 1 + random.below(12);
        let scores = (0..nodes * nodes).map(|_| random.below(6) as f64).collect();
        let mut node = || random.below(nodes) as u32;
        let pairs = (0..nodes).map(|_| (node(), node())).collect();
        (nodes as usize, scores, pairs)
    }

    #[test]
    fn ranks_are_ordered_bounded_and_those_of_a_sort() {
        let mut random = Stream::new(4);
        for _ in 0..200 {
            let (nodes, scores, pairs) = draw(&mut random);
            let graph = PairRanks::from_matrix(nodes, &scores, &pairs).unwrap();
            for (&(head, tail), rank) in pairs.iter().zip(&graph.ranks) {
                assert!(1.0 <= rank[2] && rank[2] <= rank[1] && rank[1] <= rank[0] && rank[0] <= nodes as f64);
                let mut row = scores[head as usize * nodes..][..nodes].to_vec();
                let own = row[tail as usize];
                row.sort_by(|a, b| b.total_cmp(a));
                let first = row.iter().position(|&s| s == own).unwrap();
                let last = row.iter().rposition(|&s| s == own).unwrap();
                assert_eq!(rank[0], 1.0 + (first + last) as f64 / 2.0);
            }
            let graphs = [graph];
            let of = Candidates::ALL.map(|candidates| mrr(&graphs, candidates).unwrap());
            assert!(0.0 < of[0] && of[0] <= of[1] && of[1] <= of[2] && of[2] <= 1.0);
            let hits: Vec<f64> = (0..=nodes as u32).map(|k| hits_at(&graphs, Candidates::Raw, k).unwrap()).collect();
            assert!(hits.is_sorted() && hits[0] == 0.0 && hits[nodes] == 1.0);
        }
    }

    #[test]
    fn the_names_of_nodes_and_the_order_of_pairs_do_not_matter() {
        let mut random = Stream::new(6);
        for _ in 0..100 {
            let (nodes, scores, pairs) = draw(&mut random);
            let mut name: Vec<u32> = (0..nodes as u32).collect();
            random.shuffle(&mut name);
            let old = |new: u32| name.iter().position(|&n| n == new).unwrap();
            let renamed: Vec<_> = pairs.iter().rev().map(|&(h, t)| (name[h as usize], name[t as usize])).collect();
            let graph = PairRanks::from_matrix(nodes, &scores, &pairs).unwrap();
            let score = |head, tail| scores[old(head) * nodes + old(tail)];
            let mut other = PairRanks::new(nodes, score, &renamed).unwrap();
            other.ranks.reverse();
            assert_eq!(graph, other);
        }
    }

    #[test]
    fn the_two_filters_take_out_what_they_say() {
        // Head 0: itself first, then the true tails 1 and 2, then 3.
        let scores = [9.0f32, 8.0, 7.0, 6.0];
        let graph = PairRanks::new(4, |_, tail| scores[tail as usize].into(), &[(0, 2), (0, 1)]).unwrap();
        let of = |candidates| graph.ranks(candidates).collect::<Vec<_>>();
        assert_eq!(of(Candidates::Raw), [3.0, 2.0]);
        assert_eq!(of(Candidates::Filtered), [2.0, 2.0]);
        assert_eq!(of(Candidates::ExtendedFiltered), [1.0, 1.0]);
        let graphs = [graph];
        assert_eq!(mrr(&graphs, Candidates::Raw), Some((1.0 / 3.0 + 0.5) / 2.0));
        assert_eq!(hits_at(&graphs, Candidates::Raw, 2), Some(0.5));
    }

    #[test]
    fn graphs_weigh_alike_and_empty_ones_are_left_out() {
        let best = PairRanks::from_matrix(2, &[0.0, 1.0, 1.0, 0.0], &[(0, 1), (1, 0)]).unwrap();
        let worst = PairRanks::from_matrix(2, &[1.0, 0.0, 0.0, 1.0], &[(0, 1)]).unwrap();
        let empty = PairRanks::from_matrix::<f32>(0, &[], &[]).unwrap();
        assert_eq!(mrr(&[best, empty.clone(), worst], Candidates::Raw), Some(0.75));
        assert_eq!(mrr(&[empty], Candidates::Raw), None);
        assert_eq!(hits_at(&[], Candidates::Raw, 1), None);
    }

    #[test]
    fn scores_that_are_not_finite_and_wrong_shapes() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let one = |pairs: &[(u32, u32)]| [PairRanks::from_matrix(2, &[0.0, 1.0, bad, 0.0], pairs).unwrap()];
            assert_eq!(mrr(&one(&[(0, 1), (1, 1)]), Candidates::Raw), None);
            assert_eq!(hits_at(&one(&[(0, 1), (1, 1)]), Candidates::Raw, 1), None);
            // Nobody asks about head 1.
            assert_eq!(mrr(&one(&[(0, 1)]), Candidates::Raw), Some(1.0));
        }
        let text = |result: Result<PairRanks, DataError>| result.unwrap_err().to_string();
        let pair = text(PairRanks::new(3, |_, _| 0.0, &[(0, 1), (0, 3)]));
        assert_eq!(pair, "pair (0, 3) does not exist: the graph has 3 nodes, numbered from 0.");
        let matrix = text(PairRanks::from_matrix(3, &[0.0f32; 8], &[]));
        assert_eq!(matrix, "8 scores are not one for each pair of 3 nodes.");
    }
}
