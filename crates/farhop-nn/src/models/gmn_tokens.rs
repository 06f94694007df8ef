//! The neighbourhoods that GMN reads as tokens: what random walks from a node visit.

use std::sync::Arc;

use farhop_graph::Graph;
use farhop_graph::random::{Stream, mix};
use rayon::prelude::*;

use crate::layers::Lines;
use crate::ops::RowChoice;
use crate::{Batch, Shape};

/// Sets walks apart from other random numbers.
const WALKS: u64 = 0x676D_6E5F_7761_6C6B;

/// How walks are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// Steps of the longest walk, m.
    pub length: usize,
    /// Tokens of each length, s.
    pub repeats: usize,
    /// Walks of a token, M.
    pub walks: usize,
}

impl Walks {
    /// Tokens of a node.
    pub fn tokens(&self) -> usize {
        self.length * self.repeats + 1
    }

    /// About how many entries the tokens of a node have inside, and how many members all tokens of all nodes have.
    pub fn expected(&self, shape: &Shape) -> (f64, usize) {
        let (nodes, entries) = (shape.nodes.max(1) as f64, shape.entries.max(1) as f64);
        // Walks come by nodes of many neighbours more often. Two of them are neighbours by chance, as in a graph of given degrees.
        let degree = shape.pairs_within_two_steps() as f64 / entries;
        let chance = (degree * degree / entries).min(1.0);
        let (mut inside, mut members) = (0.0, 1.0);
        for (share, neighbours) in shape.neighbours() {
            for steps in 1..=self.length {
                let visited = if neighbours > 0.0 { self.visited(steps, neighbours, degree) } else { 0.0 };
                // The steps of walks, and what else lies between those that they visit.
                inside += share * self.repeats as f64 * (2.0 * visited + (visited + 1.0) * visited * chance);
                members += share * self.repeats as f64 * (visited + 1.0);
            }
        }
        (inside, (members * nodes) as usize)
    }

    /// About how many nodes the walks of a token visit beside the one that they start from. A walk is at some distance after every step, and goes
    /// back where one of the neighbours is nearer. Visits at one distance fall on the nodes that are there, more of them around some nodes than around
    /// others.
    fn visited(&self, steps: usize, neighbours: f64, neighbours_of_next: f64) -> f64 {
        let back = 1.0 / neighbours_of_next.max(1.0);
        let (mut place, mut visits) = (vec![0.0; steps + 2], vec![0.0; steps + 1]);
        place[0] = 1.0;
        for _ in 0..steps {
            let mut next = vec![0.0; steps + 2];
            for (distance, share) in place.iter().enumerate().take(steps + 1) {
                let back = if distance == 0 { 0.0 } else { back };
                next[distance + 1] += share * (1.0 - back);
                next[distance.saturating_sub(1)] += share * back;
            }
            place = next;
            visits.iter_mut().zip(&place).for_each(|(visits, share)| *visits += self.walks as f64 * share);
        }
        let mut there = neighbours.max(1e-9);
        let mut distinct = 0.0;
        for visits in &visits[1..] {
            distinct += there * visits / (there + visits);
            there *= (neighbours_of_next - 1.0).max(1e-9);
        }
        distinct
    }

    /// Names the walks among all that a batch may hold.
    pub fn key(&self) -> u64 {
        mix(mix(self.length as u64, self.repeats as u64), self.walks as u64)
    }

    /// The tokens of `node`, the longest walks first, the node itself last; nodes ascend.
    fn draw(&self, graph: &Graph, node: usize, seed: u64) -> Vec<Vec<u32>> {
        let sent = graph.transposed();
        let mut stream = Stream::new(seed);
        let mut tokens = Vec::with_capacity(self.tokens());
        for steps in (1..=self.length).rev() {
            for _ in 0..self.repeats {
                let mut visited = vec![node as u32];
                for _ in 0..self.walks {
                    let mut at = node;
                    for _ in 0..steps {
                        let next = &sent.targets[sent.offsets[at]..sent.offsets[at + 1]];
                        if !next.is_empty() {
                            at = next[stream.below(next.len() as u64) as usize] as usize;
                            visited.push(at as u32);
                        }
                    }
                }
                visited.sort_unstable();
                visited.dedup();
                tokens.push(visited);
            }
        }
        tokens.push(vec![node as u32]);
        tokens
    }
}

/// All tokens of a batch: the subgraphs on their nodes side by side, and the sequences that they form.
#[derive(Debug)]
pub struct Tokens {
    /// The node of every member.
    pub members: Arc<RowChoice>,
    /// The edges inside of tokens.
    pub graph: Arc<Graph>,
    /// The entry of the batch's graph behind each entry.
    pub entries: Arc<RowChoice>,
    /// The members of every token.
    pub offsets: Arc<Vec<usize>>,
    /// The tokens of every node.
    pub lines: Lines,
    /// The last token of every node.
    pub last: Arc<RowChoice>,
}

/// Tokens for tests, by node: given to a batch before the pass.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct RecordedTokens(pub Vec<Vec<Vec<u32>>>);

impl Tokens {
    /// Every graph has the same random numbers, whatever stands before it in the batch.
    pub fn new(batch: &Batch, walks: Walks) -> Self {
        #[cfg(test)]
        {
            let recorded = batch.derived(0, |_| RecordedTokens::default());
            if recorded.0.len() == batch.nodes() {
                return Tokens::of(batch, walks, |node, _| recorded.0[node].clone());
            }
        }
        Tokens::of(batch, walks, |node, local| walks.draw(batch.graph(), node, mix(WALKS, local as u64)))
    }

    fn of(batch: &Batch, walks: Walks, draw: impl Fn(usize, usize) -> Vec<Vec<u32>> + Sync) -> Self {
        let graph = batch.graph();
        let locals: Vec<usize> = batch.offsets().windows(2).flat_map(|range| 0..range[1] - range[0]).collect();
        let parts: Vec<Vec<Token>> = locals
            .par_iter()
            .enumerate()
            .map(|(node, &local)| draw(node, local).into_iter().map(|nodes| Token::new(graph, nodes)).collect())
            .collect();
        let (mut members, mut offsets) = (Vec::new(), vec![0]);
        let (mut rows, mut sources, mut entries) = (vec![0], Vec::new(), Vec::new());
        for token in parts.into_iter().flatten() {
            let (start, base) = (members.len() as u32, sources.len());
            sources.extend(token.sources.iter().map(|source| start + source));
            entries.extend(token.entries);
            rows.extend(token.ends.iter().map(|end| base + end));
            members.extend(token.nodes);
            offsets.push(members.len());
        }
        let count = walks.tokens();
        let tokens = offsets.len() - 1;
        let lines = Lines::new((0..=tokens).step_by(count).collect());
        let last = (1..=batch.nodes()).map(|node| (node * count - 1) as u32).collect();
        // Parts of a valid graph are valid; more than 2^32 members would not fit into memory.
        let inside = Graph::from_csr(graph.direction(), rows, sources);
        let inside = inside.unwrap_or_else(|error| panic!("the tokens of this batch are too many: {error}"));
        Tokens {
            members: RowChoice::new(members, batch.nodes()),
            graph: Arc::new(inside),
            entries: RowChoice::new(entries, graph.entries()),
            offsets: offsets.into(),
            lines,
            last: RowChoice::new(last, tokens),
        }
    }
}

/// One token: its nodes, and the entries between them row by row.
struct Token {
    nodes: Vec<u32>,
    /// Where the row of each member ends.
    ends: Vec<usize>,
    /// Members that are read.
    sources: Vec<u32>,
    entries: Vec<u32>,
}

impl Token {
    fn new(graph: &Graph, nodes: Vec<u32>) -> Self {
        let (mut ends, mut sources, mut entries) = (Vec::with_capacity(nodes.len()), Vec::new(), Vec::new());
        for &node in &nodes {
            let neighbours = graph.neighbours(node as usize);
            let start = graph.offsets()[node as usize];
            let mut found = |member: usize, place: usize| {
                sources.push(member as u32);
                entries.push((start + place) as u32);
            };
            // Through the shorter list; both ascend.
            if neighbours.len() < nodes.len() {
                for (place, neighbour) in neighbours.iter().enumerate() {
                    if let Ok(member) = nodes.binary_search(neighbour) {
                        found(member, place);
                    }
                }
            } else {
                for (member, node) in nodes.iter().enumerate() {
                    if let Ok(place) = neighbours.binary_search(node) {
                        found(member, place);
                    }
                }
            }
            ends.push(sources.len());
        }
        Token { nodes, ends, sources, entries }
    }
}
