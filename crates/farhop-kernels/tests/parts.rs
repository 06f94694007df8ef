//! A layer over several processes is the layer over the whole graph: output, and all gradients.

use farhop_graph::{Direction, Graph, LocalPart, PartCutter, build, random};
use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{Attention, Coefficients, Config as Rounds, Mode, Reading, Source, Start, Storage};
use farhop_kernels::exchange::{Group, Halo, HaloParts, threads};
use farhop_kernels::gen_layer::{self, Config, Gradients, Weights};
use farhop_kernels::heads::Heads;
use farhop_kernels::hop_attention;

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let number = |at: u64| (random::mix(seed, at) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..count as u64).map(number).collect()
}

/// A hub, a chain, a triangle, nodes without edges.
fn graph(direction: Direction) -> Graph {
    let mut rows: Vec<(u32, u32)> = (1..18).map(|node| (0, node)).collect();
    rows.extend((1..22).map(|node| (node, node + 1)));
    rows.extend([(3, 9), (9, 20), (20, 3), (25, 26), (26, 27), (4, 13)]);
    build(30, &rows, direction).unwrap().graph
}

struct Problem {
    graph: Graph,
    config: Config,
    each_round: bool,
    /// Attention, or numbers.
    attends: bool,
    bias: bool,
    dropout: Option<Dropout>,
    keys: bool,
}

struct Arrays {
    z: Vec<f32>,
    attention: Vec<f32>,
    bias: Vec<f32>,
    given: [Vec<f32>; 2],
    query: Vec<f32>,
    key: Vec<f32>,
    hop_bias: Vec<f32>,
    value: Vec<f32>,
    residual: Vec<f32>,
    gradient: Vec<f32>,
}

impl Problem {
    fn arrays(&self) -> Arrays {
        let (n, e) = (self.graph.nodes(), self.graph.entries());
        let (f, o, h) = (self.config.hops.heads.width, self.config.outputs, self.config.elimination.heads.count);
        let rounds = self.config.elimination.rounds;
        let sets = if self.each_round { rounds } else { 1 };
        let positive = |values: Vec<f32>| values.into_iter().map(|value| 0.3 + 0.2 * value).collect();
        Arrays {
            z: numbers(n * f, 1),
            attention: numbers(sets * 2 * f, 2),
            bias: numbers(if self.bias { e * h } else { 0 }, 3),
            given: [positive(numbers(e * h, 4)), positive(numbers(n * h, 5))],
            query: numbers(f * 2 * self.config.hops.heads.count, 6),
            key: numbers(f * 2, 7),
            hop_bias: numbers(self.config.hops.heads.count * self.config.hops.hops(rounds), 8),
            value: numbers(f * o, 9),
            residual: numbers(f * o, 10),
            gradient: numbers(n * o, 11),
        }
    }

    /// Output and gradients of some nodes; `local` has the arrays of these.
    fn run(&self, graph: &Graph, local: &Arrays, halo: Option<&Halo>) -> (Vec<f32>, Gradients) {
        let source = if self.attends {
            Source::Attention(Attention {
                weights: &local.attention,
                each_round: self.each_round,
                bias: self.bias.then_some(&local.bias[..]),
                slope: 0.2,
                dropout: self.dropout,
            })
        } else {
            Source::Given(Coefficients { rounds: 1, edge: &local.given[0], node: &local.given[1] })
        };
        let weights = Weights {
            query_key: self.keys.then_some((&local.query[..], &local.key[..])),
            hop_bias: self.keys.then_some(&local.hop_bias[..]),
            value: Some(&local.value),
            residual: Some(&local.residual),
        };
        let width = self.config.hops.heads.width;
        let (mut z, underway) = match halo.map(|halo| halo.begin_extended(&local.z, width)) {
            Some((rows, underway)) => (rows, Some(underway)),
            None => (local.z.clone(), None),
        };
        let (pre, kept) = {
            let mut start = Start::Arriving(&mut z, underway);
            gen_layer::forward_within(graph, &self.config, &source, &weights, &mut start, true, halo)
        };
        let gradient = local.gradient.clone();
        let found = gen_layer::backward_within(
            graph,
            &self.config,
            &source,
            &weights,
            &z,
            kept,
            gen_layer::Given::Pre(gradient),
            true,
            halo,
        );
        (pre, found)
    }

    fn parts(&self, owners: &[u32], ranks: usize) -> Vec<LocalPart> {
        let mut cutter = PartCutter::new(&self.graph, owners).unwrap();
        (0..ranks as u32).map(|rank| cutter.cut(rank).unwrap()).collect()
    }

    /// What every process finds. With `waits` nothing is computed while messages are under way.
    fn spread(&self, parts: &[LocalPart], waits: bool, what: &str) -> Vec<(Vec<f32>, Gradients)> {
        let all = self.arrays();
        let (f, o, h) = (self.config.hops.heads.width, self.config.outputs, self.config.elimination.heads.count);
        let run = |part: &LocalPart, transport| {
            let group = Group::new(transport);
            let halo = HaloParts {
                own: part.own,
                owners: part.owners.clone(),
                nodes: part.nodes.clone(),
                entries: part.entries.clone(),
                degrees: part.degrees.clone(),
                total_nodes: self.graph.nodes() as u64,
                total_entries: self.graph.entries() as u64,
            };
            let mut halo = Halo::new(group.clone(), &part.graph, halo).unwrap();
            if waits {
                halo = halo.waiting();
            }
            let of = |values: &[f32], names: &[u32], width: usize| -> Vec<f32> {
                names.iter().flat_map(|&name| &values[name as usize * width..][..width]).copied().collect()
            };
            let own = &part.nodes[..part.own];
            let local = Arrays {
                z: of(&all.z, own, f),
                attention: all.attention.clone(),
                bias: of(&all.bias, &part.entries, if self.bias { h } else { 0 }),
                given: [of(&all.given[0], &part.entries, h), of(&all.given[1], &part.nodes, h)],
                query: all.query.clone(),
                key: all.key.clone(),
                hop_bias: all.hop_bias.clone(),
                value: all.value.clone(),
                residual: all.residual.clone(),
                gradient: of(&all.gradient, own, o),
            };
            let found = self.run(&part.graph, &local, Some(&halo));
            assert_eq!(group.failure(), None);
            // Rounds 2 to K bring an increment, and so does the first; backward every round brings a gradient.
            let rounds = self.config.elimination.rounds as u64;
            let each = if self.each_round { rounds } else { 1 };
            let scalars = if self.attends { each * (2 + 1) * h as u64 } else { 0 };
            let again = if self.config.recompute {
                (rounds - 1) * f as u64 + if self.attends { each * 2 * h as u64 } else { 0 }
            } else {
                0
            };
            let expected = halo.rows_sent() as u64 * 4 * (2 * rounds * f as u64 + scalars + again);
            assert_eq!(group.sent_bytes(), expected, "{what}: bytes of rank {}", group.rank());
            found
        };
        std::thread::scope(|scope| {
            let starts: Vec<_> = parts
                .iter()
                .zip(threads(parts.len()))
                .map(|(part, transport)| scope.spawn(|| run(part, transport)))
                .collect();
            starts.into_iter().map(|started| started.join().unwrap()).collect()
        })
    }

    /// What is computed while messages are under way has the bits of what is computed when they have arrived.
    fn check_bits(&self, owners: &[u32], ranks: usize, what: &str) {
        let parts = self.parts(owners, ranks);
        let [early, late] = [false, true].map(|waits| self.spread(&parts, waits, what));
        for ((part, (pre, found)), (late_pre, late)) in parts.iter().zip(&early).zip(&late) {
            same(pre, late_pre, what, "output");
            let own = part.own * self.config.hops.heads.width;
            same(&found.z[..own], &late.z[..own], what, "gradient of z");
            same(&found.edge, &late.edge, what, "gradient of entries");
            same(&found.attention, &late.attention, what, "gradient of attention");
            same(&found.value, &late.value, what, "gradient of values");
        }
    }

    fn check(&self, owners: &[u32], ranks: usize, what: &str) {
        let all = self.arrays();
        let (whole, gradients) = self.run(&self.graph, &all, None);
        let parts = self.parts(owners, ranks);
        let (f, o, h) = (self.config.hops.heads.width, self.config.outputs, self.config.elimination.heads.count);
        let found = self.spread(&parts, false, what);
        let mut sums = vec![0.0; 0];
        let expected = [
            &gradients.attention,
            &gradients.query,
            &gradients.key,
            &gradients.hop_bias,
            &gradients.value,
            &gradients.residual,
        ]
        .map(|values| values.clone())
        .concat();
        sums.resize(expected.len(), 0.0f64);
        for ((pre, local), part) in found.iter().zip(&parts) {
            for (at, &name) in part.nodes[..part.own].iter().enumerate() {
                near(&pre[at * o..][..o], &whole[name as usize * o..][..o], what, "output");
                near(&local.z[at * f..][..f], &gradients.z[name as usize * f..][..f], what, "gradient of z");
            }
            if self.bias {
                let size = part.graph.entries() * h;
                for (r, set) in local.edge.chunks_exact(size.max(1)).enumerate() {
                    for (at, &name) in part.entries.iter().enumerate() {
                        let whole = &gradients.edge[(r * self.graph.entries() + name as usize) * h..][..h];
                        let own = at < part.graph.offsets()[part.own];
                        let expected = if own { whole.to_vec() } else { vec![0.0; h] };
                        near(&set[at * h..][..h], &expected, what, "gradient of an entry");
                    }
                }
            }
            let share = [&local.attention, &local.query, &local.key, &local.hop_bias, &local.value, &local.residual]
                .map(|values| values.clone())
                .concat();
            sums.iter_mut().zip(share).for_each(|(sum, value)| *sum += f64::from(value));
        }
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        near(&sums, &expected, what, "gradient of parameters");
    }
}

fn same(found: &[f32], expected: &[f32], what: &str, which: &str) {
    assert!(found.iter().map(|v| v.to_bits()).eq(expected.iter().map(|v| v.to_bits())), "{what}: {which}");
}

fn near(found: &[f32], expected: &[f32], what: &str, which: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {which}");
    for (found, expected) in found.iter().zip(expected) {
        let tolerance = 3e-5 * (1.0 + expected.abs());
        assert!((found - expected).abs() <= tolerance, "{what}: {which}: {found} for {expected}");
    }
}

#[test]
fn several_processes_compute_what_one_does() {
    let modes = [Mode::Exact, Mode::SelfLoop, Mode::None];
    let mut number = 0u64;
    for mode in modes {
        for (attends, each_round) in [(true, true), (true, false), (false, false)] {
            for (rounds, heads, direction) in [
                (1, 1, Direction::Undirected),
                (2, 2, Direction::Directed),
                (4, 1, Direction::Undirected),
                (5, 2, Direction::Undirected),
                (3, 1, Direction::Directed),
            ] {
                number += 1;
                let width = 4;
                let outputs = if number.is_multiple_of(2) { 4 } else { 3 };
                let mut problem = Problem {
                    graph: graph(direction),
                    config: Config {
                        elimination: Rounds {
                            rounds,
                            heads: Heads::new(width, heads),
                            mode,
                            skip_negligible: true,
                            storage: Storage::Full,
                        },
                        hops: hop_attention::Config {
                            heads: Heads::new(width, heads),
                            reading: if number.is_multiple_of(3) { Reading::Increment } else { Reading::Cumulative },
                            include_self: number.is_multiple_of(5),
                            gamma: 0.5,
                            epsilon: 1e-6,
                            scale: 0.7,
                        },
                        outputs,
                        recompute: number.is_multiple_of(4),
                    },
                    each_round,
                    attends,
                    bias: attends && number.is_multiple_of(2),
                    dropout: (number % 3 == 1).then_some(Dropout::new(0.3, 77)),
                    keys: !number.is_multiple_of(7),
                };
                for ranks in [1, 2, 3, 5] {
                    // At random, which leaves few nodes without a neighbour elsewhere, or one run of nodes after the other.
                    let drawn = |node: u64| (random::mix(number, node) % ranks as u64) as u32;
                    let in_order = |node: u64| (node * ranks as u64 / 30) as u32;
                    let owners: Vec<u32> = (0..30)
                        .map(|node| if number.is_multiple_of(2) { drawn(node) } else { in_order(node) })
                        .collect();
                    let what = format!(
                        "{mode:?}, attention {attends}, each round {each_round}, K = {rounds}, H = {heads}, {direction:?}, P = {ranks}"
                    );
                    problem.check(&owners, ranks, &what);
                    for storage in [Storage::Full, Storage::Packed] {
                        problem.config.elimination.storage = storage;
                        problem.check_bits(&owners, ranks, &format!("{what}, {storage:?}"));
                    }
                    problem.config.elimination.storage = Storage::Full;
                }
            }
        }
    }
}

#[test]
fn sums_and_words_reach_all() {
    std::thread::scope(|scope| {
        for transport in threads(3) {
            scope.spawn(|| {
                let group = Group::new(transport);
                let rank = group.rank() as f32;
                let mut values: Vec<f32> = (0..7).map(|at| at as f32 * 10.0 + rank).collect();
                group.sum(&mut values);
                assert_eq!(values, (0..7).map(|at| at as f32 * 30.0 + 3.0).collect::<Vec<f32>>());
                assert_eq!(group.sums(&[f64::from(rank), 1.0]), [3.0, 3.0]);
                assert_eq!(group.all(&vec![group.rank() as u8; group.rank()]), [vec![], vec![1], vec![2, 2]]);
                let said = if group.is_first() { b"hello".to_vec() } else { Vec::new() };
                assert_eq!(group.first(said), b"hello");
                let heard = group.to_first(vec![group.rank() as u8]);
                assert_eq!(heard.concat(), if group.is_first() { vec![0, 1, 2] } else { vec![] });
                assert_eq!(group.failure(), None);
            });
        }
    });
}
