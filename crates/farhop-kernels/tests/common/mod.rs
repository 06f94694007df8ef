//! What the kernel tests share: random graphs and numbers, comparisons, and a literal layer propagation to compare with.
#![allow(dead_code)]

use farhop_graph::random::Stream;
use farhop_graph::{Direction, Graph, build};
use farhop_kernels::elimination::{Attention, Coefficients, Config, Mode, Reading, Source, Storage};
use farhop_kernels::heads::Heads;
use farhop_kernels::reference::elimination::{Round, Rounds, edge_attention, propagate};
use farhop_kernels::reference::{Real, tape};

/// A random graph with about `edges` edges, cycles and (for sparse ones) isolated nodes.
pub fn random_graph(nodes: usize, edges: usize, direction: Direction, seed: u64) -> Graph {
    let mut stream = Stream::new(seed);
    let rows: Vec<(u32, u32)> =
        (0..edges).map(|_| (stream.below(nodes as u64) as u32, stream.below(nodes as u64) as u32)).collect();
    build(nodes, &rows, direction).unwrap().graph
}

pub fn normals(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed ^ 0x5EED);
    (0..count).map(|_| stream.normal() * scale).collect()
}

pub fn f32s(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

pub fn f64s(values: &[f32]) -> Vec<f64> {
    values.iter().map(|v| f64::from(*v)).collect()
}

/// Largest difference relative to the largest value of `expected` (at least `floor`).
pub fn relative(actual: &[f32], expected: &[f64], floor: f64) -> f64 {
    assert_eq!(actual.len(), expected.len(), "lengths differ");
    assert!(actual.iter().all(|v| v.is_finite()), "a value is not finite");
    let size = expected.iter().fold(floor, |m, v| m.max(v.abs()));
    actual.iter().zip(expected).map(|(a, e)| (f64::from(*a) - e).abs()).fold(0.0, f64::max) / size
}

pub fn assert_close(what: &str, actual: &[f32], expected: &[f64], tolerance: f64) {
    let difference = relative(actual, expected, 1e-3);
    assert!(difference < tolerance, "{what}: relative difference {difference:e}");
}

/// A propagation problem in f64: what the kernel and the literal version are both run on.
pub struct Problem {
    pub graph: Graph,
    pub config: Config,
    pub z: Vec<f64>,
    pub coefficients: Kind,
    /// Cotangents of the hops, `[K, N, F]`.
    pub cotangent: Vec<f64>,
}

pub enum Kind {
    /// `edge[R, E, H]`, `node[R, N, H]`.
    Given { rounds: usize, edge: Vec<f64>, node: Vec<f64> },
    /// `weights[R, 2 F]`, `bias[R, E, H]` or empty.
    Attention {
        each_round: bool,
        weights: Vec<f64>,
        bias: Vec<f64>,
        dropout: Option<farhop_kernels::edge_attention::Dropout>,
    },
}

pub const SLOPE: f64 = 0.2;

impl Problem {
    pub fn given(graph: Graph, rounds: usize, heads: Heads, mode: Mode, sets: usize, seed: u64) -> Problem {
        let (n, e) = (graph.nodes(), graph.entries());
        let edge = normals(sets * e * heads.count, 0.6, seed + 1);
        let node = normals(sets * n * heads.count, 0.6, seed + 2);
        Problem::new(graph, rounds, heads, mode, Kind::Given { rounds: sets, edge, node }, seed)
    }

    pub fn attention(graph: Graph, rounds: usize, heads: Heads, mode: Mode, each_round: bool, seed: u64) -> Problem {
        let sets = if each_round { rounds } else { 1 };
        let weights = normals(sets * 2 * heads.width, 0.7, seed + 3);
        let bias = normals(sets * graph.entries() * heads.count, 0.7, seed + 4);
        Problem::new(graph, rounds, heads, mode, Kind::Attention { each_round, weights, bias, dropout: None }, seed)
    }

    fn new(graph: Graph, rounds: usize, heads: Heads, mode: Mode, coefficients: Kind, seed: u64) -> Problem {
        let n = graph.nodes();
        // Numbers that f32 holds exactly, so that both sides start from the same inputs.
        let round = |v: Vec<f64>| v.into_iter().map(|x| f64::from(x as f32)).collect::<Vec<f64>>();
        let coefficients = match coefficients {
            Kind::Given { rounds, edge, node } => Kind::Given { rounds, edge: round(edge), node: round(node) },
            Kind::Attention { each_round, weights, bias, dropout } => {
                Kind::Attention { each_round, weights: round(weights), bias: round(bias), dropout }
            }
        };
        Problem {
            z: round(normals(n * heads.width, 1.0, seed + 5)),
            cotangent: round(normals(rounds * n * heads.width, 1.0, seed + 6)),
            config: Config { rounds, heads, mode, skip_negligible: true, storage: Storage::Full },
            graph,
            coefficients,
        }
    }

    /// Inputs that have gradients: features, then edge and node coefficients, or weights and bias.
    pub fn inputs(&self) -> Vec<&[f64]> {
        match &self.coefficients {
            Kind::Given { edge, node, .. } => vec![&self.z, edge, node],
            Kind::Attention { weights, bias, .. } => vec![&self.z, weights, bias],
        }
    }

    /// The literal propagation: states and increments, `[K, N, F]` each.
    pub fn literal<T: Real>(&self, inputs: &[Vec<T>]) -> (Vec<T>, Vec<T>) {
        let rounds = self.literal_rounds(inputs);
        (rounds.states.concat(), rounds.increments.concat())
    }

    /// All rounds of the literal propagation, with the coefficients that they used.
    pub fn literal_rounds<T: Real>(&self, inputs: &[Vec<T>]) -> Rounds<T> {
        let (graph, heads, rounds) = (&self.graph, self.config.heads, self.config.rounds);
        let (e, n, count, width) = (graph.entries(), graph.nodes(), heads.count, heads.width);
        let mut once: Option<Round<T>> = None;
        propagate(graph, heads, rounds, self.config.mode, &inputs[0], |k, h| match &self.coefficients {
            Kind::Given { rounds, .. } => {
                let r = if *rounds == 1 { 0 } else { k - 1 };
                Round {
                    edge: inputs[1][r * e * count..(r + 1) * e * count].to_vec(),
                    node: inputs[2][r * n * count..(r + 1) * n * count].to_vec(),
                }
            }
            Kind::Attention { each_round, bias, dropout, .. } => {
                let r = if *each_round { k - 1 } else { 0 };
                if let (false, Some(round)) = (*each_round, &once) {
                    return round.clone();
                }
                let (left, right) = inputs[1][r * 2 * width..(r + 1) * 2 * width].split_at(width);
                let bias = if bias.is_empty() { None } else { Some(&inputs[2][r * e * count..(r + 1) * e * count]) };
                let mask = dropout.map(|d| farhop_kernels::edge_attention::Dropout {
                    seed: farhop_graph::random::mix(d.seed, r as u64),
                    ..d
                });
                let factor = |counter: u64| mask.map_or(1.0, |m| f64::from(m.factor(counter)));
                let round = edge_attention(graph, heads, h, left, right, bias, SLOPE, factor);
                once = Some(round.clone());
                round
            }
        })
    }

    /// The literal gradients of `sum(cotangent * hops)` for every input.
    pub fn literal_gradients(&self, reading: Reading) -> Vec<Vec<f64>> {
        let inputs = tape::record(&self.inputs());
        let (states, increments) = self.literal(&inputs);
        let read = if reading == Reading::Cumulative { states } else { increments };
        let loss =
            read.iter().zip(&self.cotangent).fold(tape::Var::of(0.0), |sum, (v, c)| sum + *v * tape::Var::of(*c));
        tape::gradients(loss, &inputs)
    }

    /// Runs `use_source` with the kernel's inputs in f32.
    pub fn with_source<R>(&self, use_source: impl FnOnce(&Source, &[f32]) -> R) -> R {
        let z = f32s(&self.z);
        match &self.coefficients {
            Kind::Given { rounds, edge, node } => {
                let (edge, node) = (f32s(edge), f32s(node));
                use_source(&Source::Given(Coefficients { rounds: *rounds, edge: &edge, node: &node }), &z)
            }
            Kind::Attention { each_round, weights, bias, dropout } => {
                let (weights, bias) = (f32s(weights), f32s(bias));
                let bias = if bias.is_empty() { None } else { Some(&bias[..]) };
                let attention = Attention {
                    weights: &weights,
                    each_round: *each_round,
                    bias,
                    slope: SLOPE as f32,
                    dropout: *dropout,
                };
                use_source(&Source::Attention(attention), &z)
            }
        }
    }

    /// States and increments from the kernel.
    pub fn kernel(&self) -> (Vec<f32>, Vec<f32>) {
        self.with_source(|source, z| {
            let kept = farhop_kernels::elimination::forward(&self.graph, &self.config, source, z);
            let coefficients = kept.coefficients(source, self.config.rounds);
            let states = farhop_kernels::elimination::cumulative(&self.config, &coefficients, z, &kept.increments);
            (states, kept.increments.concat())
        })
    }

    /// Gradients from the kernel, in the order of [`Problem::inputs`].
    pub fn kernel_gradients(&self, reading: Reading) -> Vec<Vec<f32>> {
        let (n, width, rounds) = (self.graph.nodes(), self.config.heads.width, self.config.rounds);
        let cotangent = f32s(&self.cotangent);
        self.with_source(|source, z| {
            let mut kept = farhop_kernels::elimination::forward(&self.graph, &self.config, source, z);
            kept.put_away(&self.config, n);
            let cotangent = &cotangent;
            let fill = || -> farhop_kernels::elimination::RowGradient {
                Box::new(move |i: usize, block: &mut [f32]| {
                    for k in 0..rounds {
                        let at = (k * n + i) * width;
                        block[k * width..(k + 1) * width].copy_from_slice(&cotangent[at..at + width]);
                    }
                })
            };
            let g = farhop_kernels::elimination::backward(&self.graph, &self.config, source, z, kept, reading, &fill);
            match &self.coefficients {
                Kind::Given { .. } => vec![g.z, g.edge, g.node],
                Kind::Attention { bias, .. } => vec![g.z, g.weights, if bias.is_empty() { Vec::new() } else { g.edge }],
            }
        })
    }
}

/// Runs `task` on a pool of its own with `threads` threads.
pub fn on_threads<R: Send>(threads: usize, task: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(task)
}
