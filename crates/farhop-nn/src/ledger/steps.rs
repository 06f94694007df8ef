//! The operations of [`ops`](crate::ops) and a few of the engine's own, as the ledger sees them. Each has the name of the operation and says what
//! that keeps.

use farhop_kernels::linear_attention;

use super::{Ledger, Tracked, Work, rows};
use crate::Shape;
use crate::config::{ActivationKind, NormKind};
use crate::layers::BlockConfig;
use crate::memory::floats;

impl Ledger {
    /// The coefficients of symmetric normalisation, held by the batch.
    pub fn symmetric_weights(&self, shape: &Shape) {
        self.hold("coefficients", floats(shape.entries + shape.nodes));
    }

    /// `x W + b`, `[rows, inputs]` to `[rows, outputs]`, with its weights: keeps x.
    pub fn linear(&self, name: &str, x: Tracked, count: usize, inputs: usize, outputs: usize, bias: bool) -> Tracked {
        self.weights(&format!("{name} weights"), (inputs + usize::from(bias)) * outputs);
        self.product(name, x, count, outputs)
    }

    /// As [`Ledger::linear`], the weights counted elsewhere.
    pub fn product(&self, name: &str, x: Tracked, count: usize, outputs: usize) -> Tracked {
        self.run(Work { name: name.into(), output: rows(count, outputs), ..Work::default() }, [(x, true)])
    }

    /// A linear map over the graph with fixed coefficients, or any operation that needs nothing again: keeps nothing.
    pub fn spread(&self, name: &str, x: Tracked) -> Tracked {
        let output = x.bytes();
        self.run(Work { name: name.into(), output, ..Work::default() }, [(x, false)])
    }

    /// An operation on each number that reads its input again (activation, dropout, scaling by something learned).
    pub fn each(&self, name: &str, x: Tracked) -> Tracked {
        let output = x.bytes();
        self.run(Work { name: name.into(), output, ..Work::default() }, [(x, true)])
    }

    /// `a + b`: keeps nothing, in place where it can be.
    pub fn add(&self, name: &str, a: Tracked, b: Tracked) -> Tracked {
        self.sum(name, vec![a, b])
    }

    /// The sum of several: keeps nothing, in place where it can be.
    pub fn sum(&self, name: &str, parts: Vec<Tracked>) -> Tracked {
        let output = parts.iter().map(Tracked::bytes).max().unwrap_or(0);
        let work = Work { name: name.into(), output, in_place: true, back_in_place: true, ..Work::default() };
        self.run_all(work, parts.into_iter().map(|part| (part, false)).collect())
    }

    /// A row added to every row, or all numbers times a fixed one: keeps nothing, in place where it can be.
    pub fn shift(&self, name: &str, x: Tracked) -> Tracked {
        self.sum(name, vec![x])
    }

    /// `a * b`, number by number: keeps both; a gradient takes the place of the output's.
    pub fn multiply(&self, name: &str, a: Tracked, b: Tracked) -> Tracked {
        let output = a.bytes().max(b.bytes());
        let work = Work { name: name.into(), output, back_in_place: true, ..Work::default() };
        self.run(work, [(a, true), (b, true)])
    }

    /// Columns side by side: keeps nothing.
    pub fn concat(&self, name: &str, parts: Vec<Tracked>) -> Tracked {
        let output = parts.iter().map(Tracked::bytes).sum();
        let parts = parts.into_iter().map(|part| (part, false)).collect();
        self.run_all(Work { name: name.into(), output, ..Work::default() }, parts)
    }

    /// Norm, activation, dropout and residual over `[count, width]`, with its weights: keeps x and, for layer norm, two numbers a row.
    pub fn norm_block(
        &self,
        name: &str,
        x: Tracked,
        residual: Option<Tracked>,
        count: usize,
        width: usize,
        config: BlockConfig,
    ) -> Tracked {
        self.weights(&format!("{name} weights"), crate::layers::NormBlock::size(width, config));
        let plain = config.norm == NormKind::None && config.activation == ActivationKind::None;
        if plain && config.dropout == 0.0 && residual.is_none() {
            return x;
        }
        let kept = if config.norm == NormKind::Layer { floats(2 * count) } else { 0 };
        let output = rows(count, width);
        let work = Work { name: name.into(), output, kept, back_in_place: residual.is_some(), ..Work::default() };
        let inputs = [Some((x, true)), residual.map(|residual| (residual, false))];
        self.run_all(work, inputs.into_iter().flatten().collect())
    }

    /// [`Ledger::norm_block`] and a linear map `[count, inputs]` to `[count, outputs]` behind it, with their weights: keeps x and, for layer norm, two
    /// numbers a row. What lies between is there in passing.
    pub fn norm_linear(
        &self,
        name: &str,
        x: Tracked,
        count: usize,
        [inputs, outputs]: [usize; 2],
        config: BlockConfig,
    ) -> Tracked {
        let block = crate::layers::NormBlock::size(inputs, config);
        self.weights(&format!("{name} weights"), block + crate::layers::Linear::size(inputs, outputs));
        if config.norm == NormKind::None && config.activation == ActivationKind::None && config.dropout == 0.0 {
            return self.product(name, x, count, outputs);
        }
        let kept = if config.norm == NormKind::Layer { floats(2 * count) } else { 0 };
        let (between, output) = (rows(count, inputs), rows(count, outputs));
        let work = Work {
            name: name.into(),
            output,
            kept,
            forward: between + output + kept,
            backward: kept + between + output.max(between),
            ..Work::default()
        };
        self.run(work, [(x, true)])
    }

    /// Linear attention within each of the shape's graphs: keeps q, k, v and `kept` bytes of its own.
    pub fn linear_attention(
        &self,
        name: &str,
        inputs: [Tracked; 3],
        settings: &linear_attention::Settings,
        shape: &Shape,
        kept: u64,
    ) -> Tracked {
        let (output, graphs) = (rows(shape.nodes, settings.width()), shape.graphs.max(1));
        let gradients: u64 = inputs.iter().map(Tracked::bytes).sum();
        let work = Work {
            name: name.into(),
            output,
            kept,
            forward: output + kept + linear_attention::forward_bytes(settings, graphs) as u64,
            backward: output + kept + gradients + linear_attention::backward_bytes(settings, graphs) as u64,
            ..Work::default()
        };
        self.run(work, inputs.map(|input| (input, true)))
    }

    /// Rows of nodes to rows of graphs, or entries to nodes: keeps nothing.
    pub fn reduce(&self, name: &str, x: Tracked, count: usize, width: usize) -> Tracked {
        self.run(Work { name: name.into(), output: rows(count, width), ..Work::default() }, [(x, false)])
    }
}
