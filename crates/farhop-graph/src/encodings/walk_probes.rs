//! Estimated return probabilities of one connected component too large for exact ones.

use rayon::prelude::*;

use crate::graph::Graph;
use crate::random::mix;

/// Probe vectors that are propagated together.
const LANES: usize = 8;
/// Rows per piece of work, and per partial sum.
const CHUNK: usize = 1 << 11;
/// Walks of three and four steps are exact if the squared degrees add up to no more than this.
const SHORT_BUDGET: f64 = 2e10;

type Lanes = [f64; LANES];

/// What the probes say about a component.
pub(super) struct Probed {
    /// `[nodes, length]`, in the order of the nodes given.
    pub(super) values: Vec<f32>,
    /// `[length]`: sum over the nodes of the squared standard errors.
    pub(super) squared_errors: Vec<f64>,
}

/// Estimates the rows of a connected component, `nodes`, of a graph whose first node in the union is `first_node`.
pub(super) fn probed_rows(
    union: &Graph,
    nodes: &[u32],
    first_node: usize,
    length: usize,
    count: usize,
    seed: u64,
) -> Probed {
    let part = Part::new(union, nodes);
    let bipartite = part.colours();
    let batches = count.div_ceil(LANES);
    // For every node and walk the sum over the probes and the sum of their squares.
    let mut sums = vec![[0f64; 2]; nodes.len() * length];
    for batch in 0..batches {
        let mut probes: Vec<Lanes> = nodes
            .par_iter()
            .map(|&node| signs(mix(mix(seed, u64::from(node) - first_node as u64), batch as u64)))
            .collect();
        if !part.directed {
            part.take_out_limit(&mut probes, bipartite.as_deref());
        }
        part.add_products(probes, length, &mut sums);
    }
    let count = (batches * LANES) as f64;
    let exact = part.short_walks(length);
    let exact_length = exact.len() / nodes.len().max(1);
    let mut probed = Probed { values: vec![0.0; nodes.len() * length], squared_errors: vec![0.0; length] };
    for (node, row) in probed.values.chunks_exact_mut(length).enumerate() {
        for t in 1..=length {
            if t <= exact_length {
                row[t - 1] = exact[node * exact_length + t - 1] as f32;
                continue;
            }
            let Some(limit) = part.limit(node, t, bipartite.is_some()) else { continue };
            let [sum, square] = sums[node * length + t - 1];
            let mean = sum / count;
            row[t - 1] = (mean + limit).clamp(0.0, 1.0) as f32;
            probed.squared_errors[t - 1] += (square / count - mean * mean).max(0.0) / (count - 1.0);
        }
    }
    probed
}

/// Eight random signs from a random word.
fn signs(word: u64) -> Lanes {
    std::array::from_fn(|lane| if word >> (8 * lane) & 1 == 0 { 1.0 } else { -1.0 })
}

/// A component with its own ids, the positions in the list of its nodes.
struct Part {
    directed: bool,
    /// Where a step may go.
    offsets: Vec<usize>,
    links: Vec<u32>,
    /// Where a step may have come from; empty if undirected.
    back_offsets: Vec<usize>,
    back_links: Vec<u32>,
    /// Links that lead away from each node.
    degrees: Vec<f64>,
    volume: f64,
}

impl Part {
    fn new(union: &Graph, nodes: &[u32]) -> Self {
        let lowest = nodes.iter().min().map_or(0, |&node| node as usize);
        let highest = nodes.iter().max().map_or(0, |&node| node as usize);
        let mut place_of = vec![0u32; highest + 1 - lowest];
        for (place, &node) in nodes.iter().enumerate() {
            place_of[node as usize - lowest] = place as u32;
        }
        let copy = |offsets: &[usize], ids: &[u32]| {
            let mut ends = vec![0];
            let mut places = Vec::new();
            for &node in nodes {
                let row = &ids[offsets[node as usize]..offsets[node as usize + 1]];
                places.extend(row.iter().map(|&next| place_of[next as usize - lowest]));
                ends.push(places.len());
            }
            (ends, places)
        };
        let columns = union.transposed();
        let directed = union.is_directed();
        let (offsets, links) = copy(columns.offsets, columns.targets);
        let (back_offsets, back_links) =
            if directed { copy(union.offsets(), union.sources()) } else { (Vec::new(), Vec::new()) };
        let degrees = offsets.windows(2).map(|row| (row[1] - row[0]) as f64).collect();
        let volume = links.len() as f64;
        Self { directed, offsets, links, back_offsets, back_links, degrees, volume }
    }

    fn row(&self, place: usize) -> &[u32] {
        &self.links[self.offsets[place]..self.offsets[place + 1]]
    }

    /// Signs of the two sides if all links lead from one side to the other. Nodes come in the order of a search,
    /// so the side of a node follows from the first of its neighbours.
    fn colours(&self) -> Option<Vec<f64>> {
        if self.directed || self.links.is_empty() {
            return None;
        }
        let mut colours = vec![1.0f64; self.degrees.len()];
        for place in 1..colours.len() {
            let earliest = self.row(place).iter().min().copied().unwrap_or(0);
            colours[place] = -colours[earliest as usize];
        }
        let crosses = |place: usize| self.row(place).iter().all(|&next| colours[next as usize] != colours[place]);
        (0..colours.len()).all(crosses).then_some(colours)
    }

    /// What the return probability tends to, `u_i^2 (+ (-1)^t u_i^2)`; `None` if it is 0 for certain.
    fn limit(&self, place: usize, t: usize, bipartite: bool) -> Option<f64> {
        let share = self.degrees[place] / self.volume.max(1.0);
        match (self.directed, bipartite) {
            (true, _) => Some(0.0),
            (false, false) => Some(share),
            (false, true) => t.is_multiple_of(2).then_some(2.0 * share),
        }
    }

    /// Projects out the eigenvectors of 1 and, in a bipartite component, of -1.
    fn take_out_limit(&self, probes: &mut [Lanes], colours: Option<&[f64]>) {
        let scale = 1.0 / self.volume.max(1.0).sqrt();
        let plain: Vec<f64> = self.degrees.iter().map(|degree| degree.sqrt() * scale).collect();
        let signed = colours.map(|colours| plain.iter().zip(colours).map(|(a, b)| a * b).collect());
        for unit in [Some(plain), signed].into_iter().flatten() {
            let partial: Vec<Lanes> = probes
                .par_chunks(CHUNK)
                .zip(unit.par_chunks(CHUNK))
                .map(|(probes, unit)| {
                    let mut sum = [0.0; LANES];
                    for (probe, unit) in probes.iter().zip(unit) {
                        (0..LANES).for_each(|lane| sum[lane] += probe[lane] * unit);
                    }
                    sum
                })
                .collect();
            let mut product = [0.0; LANES];
            for partial in partial {
                (0..LANES).for_each(|lane| product[lane] += partial[lane]);
            }
            probes.par_iter_mut().zip(&unit).for_each(|(probe, unit)| {
                (0..LANES).for_each(|lane| probe[lane] -= product[lane] * unit);
            });
        }
    }

    /// Adds the products `(S^a z)_i (S^b z)_i` (directed: `(P^a z)_i (P^T^b z)_i`) of all walks to `sums`.
    fn add_products(&self, probes: Vec<Lanes>, length: usize, sums: &mut [[f64; 2]]) {
        let root = |degree: &f64| if *degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 };
        let inverse = |degree: &f64| if *degree > 0.0 { 1.0 / degree } else { 0.0 };
        let ones = vec![1.0; self.degrees.len()];
        if self.directed {
            let inverse: Vec<f64> = self.degrees.iter().map(inverse).collect();
            let (mut back, mut forward) = (probes.clone(), probes);
            for step in 1..=length.div_ceil(2) {
                let next = propagate(&self.offsets, &self.links, &ones, &inverse, &back);
                add(sums, length, 2 * step - 1, &forward, &next);
                back = next;
                forward = propagate(&self.back_offsets, &self.back_links, &inverse, &ones, &forward);
                add(sums, length, 2 * step, &forward, &back);
            }
            return;
        }
        let root: Vec<f64> = self.degrees.iter().map(root).collect();
        let mut before = probes;
        for step in 1..=length.div_ceil(2) {
            let after = propagate(&self.offsets, &self.links, &root, &root, &before);
            add(sums, length, 2 * step - 1, &before, &after);
            add(sums, length, 2 * step, &after, &after);
            before = after;
        }
    }

    /// Exact rows of walks of up to 4 steps, `[nodes, min(length, 4)]`; of up to 2 where 4 would cost too much, and
    /// of 1 if directed.
    fn short_walks(&self, length: usize) -> Vec<f64> {
        let squares: f64 = self.degrees.iter().map(|degree| degree * degree).sum();
        let short = match self.directed {
            true => length.min(1),
            false if squares > SHORT_BUDGET => length.min(2),
            false => length.min(4),
        };
        if short == 0 {
            return Vec::new();
        }
        let nodes = self.degrees.len();
        let work = |chunk: usize| {
            let mut meets = vec![0f64; if short > 2 { nodes } else { 0 }];
            let mut rows = Vec::with_capacity(CHUNK * short);
            for place in chunk * CHUNK..nodes.min((chunk + 1) * CHUNK) {
                let walks = if self.directed { [0.0; 4] } else { self.short_row(place, &mut meets) };
                rows.extend_from_slice(&walks[..short]);
            }
            rows
        };
        let rows: Vec<Vec<f64>> = (0..nodes.div_ceil(CHUNK)).into_par_iter().map(work).collect();
        rows.concat()
    }

    /// Return probabilities after 1 to 4 steps in an undirected component. `meets` is 0 before and after.
    fn short_row(&self, place: usize, meets: &mut [f64]) -> [f64; 4] {
        let inverse = |place: u32| 1.0 / self.degrees[place as usize];
        let own = 1.0 / self.degrees[place].max(1.0);
        let two = own * self.row(place).iter().map(|&next| inverse(next)).sum::<f64>();
        if meets.is_empty() {
            return [0.0, two, 0.0, 0.0];
        }
        // meets[k] = d_k (P^2)_ki = sum over the common neighbours j of 1 / d_j.
        for &middle in self.row(place) {
            for &far in self.row(middle as usize) {
                meets[far as usize] += inverse(middle);
            }
        }
        let three = own * self.row(place).iter().map(|&next| inverse(next) * meets[next as usize]).sum::<f64>();
        let mut four = 0.0;
        for &middle in self.row(place) {
            for &far in self.row(middle as usize) {
                let meet = std::mem::take(&mut meets[far as usize]);
                four += meet * meet * inverse(far);
            }
        }
        [0.0, two, three, own * four]
    }
}

/// `out_i = right_i sum_j left_j in_j` over the links `j` of `i`.
fn propagate(offsets: &[usize], links: &[u32], left: &[f64], right: &[f64], values: &[Lanes]) -> Vec<Lanes> {
    let mut scaled = values.to_vec();
    scaled.par_iter_mut().zip(left).for_each(|(lanes, left)| lanes.iter_mut().for_each(|value| *value *= left));
    let row = |place: usize| {
        let mut sum = [0.0; LANES];
        for &from in &links[offsets[place]..offsets[place + 1]] {
            let lanes = &scaled[from as usize];
            (0..LANES).for_each(|lane| sum[lane] += lanes[lane]);
        }
        sum.map(|value| value * right[place])
    };
    (0..values.len()).into_par_iter().with_min_len(256).map(row).collect()
}

fn add(sums: &mut [[f64; 2]], length: usize, t: usize, first: &[Lanes], second: &[Lanes]) {
    if t > length {
        return;
    }
    sums.par_chunks_exact_mut(length).zip(first.par_iter().zip(second)).with_min_len(1024).for_each(
        |(row, (first, second))| {
            for lane in 0..LANES {
                let product = first[lane] * second[lane];
                row[t - 1][0] += product;
                row[t - 1][1] += product * product;
            }
        },
    );
}
