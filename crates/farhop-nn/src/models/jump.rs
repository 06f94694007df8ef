//! Jumping knowledge: what the layers of a network have made of a node, taken together.
//!
//! Xu, Li, Tian, Sonobe, Kawarabayashi and Jegelka, "Representation learning on graphs with jumping knowledge networks", ICML 2018.
//! With the states `h^1 .. h^L` `[N, C]` of the layers:
//!
//! ```text
//! concat  u_i = [h^1_i | .. | h^L_i]      [N, L C]
//! max     u_i = max over l of h^l_i       [N, C], channel by channel
//! sum     u_i = sum over l of h^l_i       [N, C]
//! lstm    u_i = sum over l of w_il h^l_i  [N, C],  w_i = softmax over l of (a . [f_il, b_il] + c)
//! ```
//!
//! where f and b are the states of two memories of M = L C / 2 cells that read the layers of a node forwards and backwards.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use crate::config::Checks;
use crate::init::Seeds;
use crate::knobs::words;
use crate::layers::Linear;
use crate::ledger::{Ledger, Tracked, Work, rows};
use crate::memory::floats;
use crate::ops::{self, LstmWeights, bridge::MOST_INPUTS};
use crate::{NnError, init};

/// Tensors that the weights of two memories are.
const MEMORY_WEIGHTS: usize = 8;

words! {
    /// How the states of the layers become what the head reads.
    pub enum JumpKind {
        /// The last one alone.
        #[default]
        None = "none",
        /// All side by side.
        Concat = "concat",
        /// The largest of each channel.
        Max = "max",
        /// The sum.
        Sum = "sum",
        /// A mean, weighed for every node by a memory that reads its states in both directions.
        Lstm = "lstm",
    }
}

impl JumpKind {
    /// Channels of the result.
    pub fn outputs(self, layers: usize, width: usize) -> usize {
        if self == JumpKind::Concat { layers * width } else { width }
    }

    /// Whether so many layers can be taken together.
    pub fn check(self, model: &'static str, layers: usize) -> Result<(), NnError> {
        let most = match self {
            JumpKind::Lstm => MOST_INPUTS - MEMORY_WEIGHTS,
            JumpKind::Max => MOST_INPUTS,
            _ => return Ok(()),
        };
        Checks(model).that(layers <= most, "layers", layers, || format!("with that jump, {most} at most"))
    }

    /// Writes the jump over `states` into the ledger.
    pub fn cost(self, mut states: Vec<Tracked>, nodes: usize, width: usize, ledger: &Ledger) -> Option<Tracked> {
        let layers = states.len();
        match self {
            JumpKind::None => states.pop(),
            JumpKind::Concat => Some(ledger.concat("jump", states)),
            JumpKind::Sum => states.into_iter().reduce(|sum, state| ledger.add("jump", sum, state)),
            JumpKind::Max => {
                let kept = (nodes * width) as u64;
                let work = Work { name: "jump".into(), output: rows(nodes, width), kept, ..Work::default() };
                Some(ledger.run_all(work, states.into_iter().map(|state| (state, false)).collect()))
            }
            JumpKind::Lstm => {
                let cells = cells(layers, width);
                ledger.weights("jump weights", 2 * 4 * cells * (width + cells + 2) + 2 * cells + 1);
                let output = rows(nodes, layers * 2 * cells);
                let kept = |states: &[Tracked]| states.iter().map(|state| (state.clone(), true)).collect();
                let memory = ledger.run_all(Work { name: "jump".into(), output, ..Work::default() }, kept(&states));
                let scores = ledger.product("jump", memory, nodes * layers, 1);
                let work = Work {
                    name: "jump".into(),
                    output: rows(nodes, layers),
                    kept: floats(nodes * layers),
                    ..Work::default()
                };
                let weights = ledger.run(work, [(scores, false)]);
                let mut inputs: Vec<(Tracked, bool)> = kept(&states);
                inputs.push((weights, true));
                let work = Work { name: "jump".into(), output: rows(nodes, width), ..Work::default() };
                Some(ledger.run_all(work, inputs))
            }
        }
    }
}

/// Cells of a memory over `layers` states of `width` channels.
fn cells(layers: usize, width: usize) -> usize {
    (layers * width / 2).max(1)
}

/// The states of the layers taken together.
#[derive(Module, Debug)]
pub struct Jump {
    forward: Option<Memory>,
    backward: Option<Memory>,
    score: Option<Linear>,
    #[module(skip)]
    kind: JumpKind,
}

/// The weights of one direction.
#[derive(Module, Debug)]
struct Memory {
    w_in: Param<Tensor<2>>,
    w_rec: Param<Tensor<2>>,
    b_in: Param<Tensor<1>>,
    b_rec: Param<Tensor<1>>,
}

impl Memory {
    /// All uniform in `+- 1 / sqrt(M)`.
    fn init(width: usize, cells: usize, seeds: &mut Seeds) -> Self {
        let limit = 1.0 / (cells as f64).sqrt();
        let mut matrix = |rows, columns| init::uniform(rows, columns, limit, seeds.next_seed());
        let (w_in, w_rec) = (matrix(4 * cells, width), matrix(4 * cells, cells));
        let mut vector = || Param::from_tensor(matrix(1, 4 * cells).val().reshape([4 * cells]));
        Memory { w_in, w_rec, b_in: vector(), b_rec: vector() }
    }

    fn weights(&self) -> LstmWeights {
        LstmWeights { w_in: self.w_in.val(), w_rec: self.w_rec.val(), b_in: self.b_in.val(), b_rec: self.b_rec.val() }
    }
}

impl Jump {
    /// For `layers` states of `width` channels.
    pub fn init(kind: JumpKind, layers: usize, width: usize, seeds: &mut Seeds) -> Self {
        let cells = cells(layers, width);
        let mut memory = || (kind == JumpKind::Lstm).then(|| Memory::init(width, cells, seeds));
        let (forward, backward) = (memory(), memory());
        let score = (kind == JumpKind::Lstm).then(|| Linear::init(2 * cells, 1, seeds.next_seed()));
        Jump { forward, backward, score, kind }
    }

    /// Whether more than the last state is read.
    pub fn reads_all(&self) -> bool {
        self.kind != JumpKind::None
    }

    /// Whether the states are put side by side as they are.
    pub fn joins(&self) -> bool {
        self.kind == JumpKind::Concat
    }

    /// The states taken together; none if there are none.
    pub fn apply(&self, mut states: Vec<Tensor<2>>) -> Option<Tensor<2>> {
        match self.kind {
            _ if states.len() < 2 && self.kind != JumpKind::Lstm => states.pop(),
            JumpKind::None => states.pop(),
            JumpKind::Concat => Some(ops::concat(states)),
            JumpKind::Sum => states.into_iter().reduce(ops::add),
            JumpKind::Max => Some(ops::maximum(states)),
            JumpKind::Lstm => {
                let (forward, backward) = (self.forward.as_ref()?, self.backward.as_ref()?);
                let [nodes, layers] = [states.first()?.dims()[0], states.len()];
                let memory = ops::lstm(states.clone(), forward.weights(), backward.weights());
                let cells = memory.dims()[1] / layers;
                let scores = self.score.as_ref()?.apply(memory.reshape([nodes * layers, cells]).into());
                Some(ops::mix(ops::row_softmax(scores.reshape([nodes, layers])), states))
            }
        }
    }
}
