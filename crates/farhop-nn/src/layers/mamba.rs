//! The selective state space block of Gu and Dao, "Mamba: linear-time sequence modeling with selective state spaces",
//! 2023, over sequences of rows, S `[T, width]` (inner width I = expansion x width, n states, W taps, rank r = width /
//! 16 rounded up):
//!
//! ```text
//! u = S W_u,  z = S W_z                                    [T, I]
//! c_t = silu(b + sum over w of k_w * u_(t - W + 1 + w))    zeros before a sequence
//! B = c W_B,  C = c W_C                                    [T, n]
//! d = softplus(c W_q W_d + b_d),  A = -exp(rates)          [T, I], [I, n]
//! s_t = exp(d_t A) * s_(t-1) + (d_t c_t) B_t,   y_t = s_t C_t + D * c_t
//! out = (y * silu(z)) W_o
//! ```

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::Tensor;
use farhop_graph::random::Stream;
use farhop_kernels::dense::{Activation, Dropout, Finish};
use farhop_kernels::selective_scan::kept_len;

use crate::init::{self, Seeds};
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, Normalisation, RowChoice, ScanInputs, bridge};

/// Sizes of a [`Mamba`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MambaConfig {
    /// Channels in and out.
    pub width: usize,
    /// Inner channels for each of them.
    pub expansion: usize,
    /// Numbers of a state.
    pub states: usize,
    /// Steps that the convolution sees.
    pub taps: usize,
}

impl MambaConfig {
    fn inner(&self) -> usize {
        self.width * self.expansion
    }

    fn rank(&self) -> usize {
        self.width.div_ceil(16)
    }

    /// Number of parameters.
    pub fn size(&self) -> usize {
        let (inner, rank) = (self.inner(), self.rank());
        // Into and out of the inner width; taps, two biases, D; the maps of c; rank and rates.
        3 * self.width * inner
            + (self.taps + 3) * inner
            + inner * (rank + 2 * self.states)
            + inner * (rank + self.states)
    }

    /// Writes the block over `count` rows in so many sequences into the ledger, with its weights; `orders` is the number
    /// of orders that are averaged, 0 if rows stay where they are.
    pub fn cost(
        &self,
        name: &str,
        x: Tracked,
        [count, sequences]: [usize; 2],
        orders: usize,
        ledger: &Ledger,
    ) -> Tracked {
        ledger.weights(&format!("{name} weights"), self.size());
        let inner = self.inner();
        // Sequences of one length: a short one keeps no states.
        let steps = count.div_ceil(sequences.max(1));
        let kept = floats(sequences.saturating_mul(kept_len(&[0, steps], inner, self.states)));
        let u = ledger.product(name, x.clone(), count, inner);
        let z = ledger.product(name, x, count, inner);
        let moved = |x: Tracked| if orders > 0 { ledger.spread(name, x) } else { x };
        // Several orders read it one after the other; a scan over rows as they lie takes it.
        let (mut once, again) = if orders > 0 { (None, Some(u)) } else { (Some(u), None) };
        let mut sum = None;
        // A third and further ones are as the second.
        for _ in 0..orders.clamp(1, 2) {
            let Some(u) = once.take().or_else(|| again.clone()) else { break };
            let c = ledger.each(name, ledger.each(name, moved(u)));
            let factor = ledger.product(name, c.clone(), count, self.rank());
            let delta = ledger.product(name, factor, count, inner);
            let narrow = [(); 2].map(|()| ledger.product(name, c.clone(), count, self.states));
            let work = Work { name: format!("{name} states"), output: rows(count, inner), kept, ..Work::default() };
            let [b, read] = narrow.map(|part| (part, true));
            let y = moved(ledger.run(work, [(c, true), (delta, true), b, read, (moved(z.clone()), true)]));
            sum = Some(match sum {
                Some(sum) => ledger.add(name, sum, y),
                None => y,
            });
        }
        drop((again, z));
        let y = sum.unwrap_or_else(|| ledger.data(0));
        ledger.product(name, y, count, self.width)
    }
}

/// Rows in an order, cut into sequences.
#[derive(Clone, Debug)]
pub struct Sequences {
    /// The row at each place.
    pub order: Arc<RowChoice>,
    /// Where sequences begin and end.
    pub offsets: Arc<Vec<usize>>,
}

/// One block.
#[derive(Module, Debug)]
pub struct Mamba {
    input: Param<Tensor<2>>,
    gate: Param<Tensor<2>>,
    taps: Param<Tensor<2>>,
    taps_bias: Param<Tensor<1>>,
    factor: Param<Tensor<2>>,
    write: Param<Tensor<2>>,
    read: Param<Tensor<2>>,
    step: Param<Tensor<2>>,
    step_bias: Param<Tensor<1>>,
    rates: Param<Tensor<2>>,
    skip: Param<Tensor<1>>,
    output: Param<Tensor<2>>,
}

impl Mamba {
    /// As the authors: maps uniform in `+- 1 / sqrt(inputs)`, rates log 1, 2, .., steps from 0.001 to 0.1.
    pub fn init(config: &MambaConfig, seeds: &mut Seeds) -> Self {
        let MambaConfig { width, states, taps, .. } = *config;
        let (inner, rank) = (config.inner(), config.rank());
        let mut map = |inputs: usize, outputs: usize, fan: usize| {
            init::uniform(inputs, outputs, 1.0 / (fan.max(1) as f64).sqrt(), seeds.next_seed())
        };
        let [input, gate] = [(); 2].map(|()| map(width, inner, width));
        let [convolution, convolution_bias] = [taps, 1].map(|columns| map(inner, columns, taps));
        let factor = map(inner, rank, inner);
        let [write, read] = [(); 2].map(|()| map(inner, states, inner));
        let (step, output) = (map(rank, inner, rank), map(inner, width, inner));
        let mut stream = Stream::new(seeds.next_seed());
        let start = |stream: &mut Stream| {
            let size = (stream.uniform() * (0.1f64 / 1e-3).ln() + 1e-3f64.ln()).exp().max(1e-4);
            // What softplus makes this size of.
            (size + (-(-size).exp_m1()).ln()) as f32
        };
        let starts = (0..inner).map(|_| start(&mut stream)).collect();
        let rates = (0..inner * states).map(|at| ((at % states + 1) as f32).ln()).collect();
        Mamba {
            input,
            gate,
            taps: convolution,
            taps_bias: Param::from_tensor(bridge::from_vec(bridge::into_vec(convolution_bias.val()), [inner])),
            factor,
            write,
            read,
            step,
            step_bias: Param::from_tensor(bridge::from_vec(starts, [inner])),
            rates: Param::from_tensor(bridge::from_vec(rates, [inner, states])),
            skip: init::constant(inner, 1.0),
            output,
        }
    }

    /// Over rows that lie as sequences: `[T, width]` to `[T, width]`.
    pub fn forward(&self, x: Tensor<2>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
        let (u, z) = self.project(x);
        ops::linear(self.scan(u, z, offsets), self.output.val(), None)
    }

    /// Over rows in several orders, each put back: the mean of what they give.
    pub fn over(&self, x: Tensor<2>, orders: &[Sequences]) -> Tensor<2> {
        let (u, z) = self.project(x);
        let in_order = |Sequences { order, offsets }: &Sequences| {
            let [u, z] = [&u, &z].map(|rows| ops::take_rows(rows.clone(), order));
            ops::sum_rows(self.scan(u, z, offsets), order)
        };
        let sum = orders.iter().map(in_order).reduce(ops::add).unwrap_or_else(|| u.clone());
        let mean = if orders.len() > 1 { ops::sum(vec![(sum, 1.0 / orders.len() as f32)]) } else { sum };
        ops::linear(mean, self.output.val(), None)
    }

    fn project(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        (ops::linear(x.clone(), self.input.val(), None), ops::linear(x, self.gate.val(), None))
    }

    fn scan(&self, u: Tensor<2>, z: Tensor<2>, offsets: &Arc<Vec<usize>>) -> Tensor<2> {
        let convolved = ops::causal_convolution(u, self.taps.val(), self.taps_bias.val(), offsets);
        let finish = Finish { activation: Activation::Silu, dropout: Dropout::NONE };
        let seen = ops::norm_block(convolved, Normalisation::None, finish, None);
        let map = |weight: &Param<Tensor<2>>| ops::linear(seen.clone(), weight.val(), None);
        let inputs = ScanInputs {
            delta: ops::linear(map(&self.factor), self.step.val(), None),
            a: self.rates.val().exp().neg(),
            b: map(&self.write),
            c: map(&self.read),
            d: self.skip.val(),
            z: Some(z),
            bias: Some(self.step_bias.val()),
            u: seen,
        };
        ops::selective_scan(inputs, offsets)
    }
}
