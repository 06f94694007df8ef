//! CPGNN: beliefs about classes, and a learned matrix of which classes go together, along which they travel.
//!
//! Zhu, Rossi, Rao, Mai, Lipka, Ahmed and Koutra, "Graph neural networks with heterophily", AAAI 2021:
//!
//! ```text
//! Z       = relu(x W_0) W_1                                  prior, [N, C]; or with Chebyshev polynomials, see below
//! E       = softmax(Z) - 1/C,   B_0 = E
//! B_t     = E + A B_(t-1) M,   t = 1 .. `hops`               A the sum over neighbours, M [C, C] learned
//! answers = B_T + 1/C
//!
//! prior = "chebyshev":  h = relu(sum over k of T_k x W_0k),  Z = sum over k of T_k h W_1k,  k = 0, 1, 2
//!                       T_0 = I,  T_1 = -S,  T_2 = 2 S S - I,  S_ij = 1 / sqrt(deg_i deg_j)
//! ```
//!
//! There are no offsets, and A is not normalised: beliefs grow with the degree. The answers are close to probabilities and go into the
//! loss as they are. Where answers are about graphs, the beliefs are about `width` classes without a name, and are read out then.
//!
//! With `first_epochs` training has the authors' two phases: first the prior alone answers, by Z; then M starts from the labels of the neighbours
//! of training nodes (`cpgnn_start.rs`), and all is trained together. Without, M starts at zero (each node answers for itself). The
//! rows of M are held near a sum of zero: `row_penalty` times the sum of the sizes of these sums is added to the loss. The authors' code adds it,
//! and weight decay, twice; the cross entropy of the prior that their paper has in the second phase is not in their code, nor here.
//! Cost: N F² for the prior, T (E C + N C²) for the beliefs.

use std::sync::Arc;

use burn::module::{Module, Param, ParamId};
use burn::tensor::Tensor;

use super::cpgnn_start::compatibility;
use super::{About, Architecture, Common, Properties, Reach};
use crate::init::{self, Seeds};
use crate::knobs::{knobs, words};
use crate::layers::{Encoder, Head, Layer, NormBlock, Phase};
use crate::ledger::{Ledger, Tracked, Work};
use crate::memory::floats;
use crate::ops::{EntryWeights, bridge};
use crate::{Batch, Context, Features, InputShape, Level, Network, NnError, OutputShape, Shape, Targets, ops};

words! {
    /// What makes the prior beliefs.
    pub enum PriorKind {
        /// Each node by itself.
        #[default]
        Perceptron = "perceptron",
        /// Chebyshev polynomials of degree 2.
        Chebyshev = "chebyshev",
    }
}

impl PriorKind {
    /// Terms of the polynomial.
    fn terms(self) -> usize {
        match self {
            PriorKind::Perceptron => 1,
            PriorKind::Chebyshev => 3,
        }
    }
}

knobs! {
    /// The settings of CPGNN; `width` is the hidden channels of its prior.
    pub struct Cpgnn {
        /// Steps of belief propagation.
        hops: usize = 2, in 1..=100;
        /// What makes the prior beliefs.
        prior: PriorKind = PriorKind::Perceptron;
        /// Epochs in which the prior is trained alone, before the matrix of classes starts from labels; 0: all at once, from zero. The authors take 400 of 2,000.
        first_epochs: usize = 100, in 0..=1_000_000;
        /// Weight of the sums of the matrix's rows in the loss.
        row_penalty: f32 = 2.0, in 0.0..=1000.0;
    }
}

impl Architecture for Cpgnn {
    const NAME: &'static str = "cpgnn";
    const ABOUT: About = About {
        title: "Compatibility graph neural network",
        citation: "Zhu, Rossi, Rao, Mai, Lipka, Ahmed and Koutra, Graph neural networks with heterophily, AAAI 2021",
        idea: "beliefs about classes spread along a learned matrix of which classes are neighbours",
        cost: "N F² + T (E C + N C²)",
        limits: "edge features are not read; made for classes of nodes",
    };
    const IDLE: &'static [&'static str] = &["layers", "residual"];

    fn defaults() -> Common {
        Common { width: 64, norm: crate::NormKind::None, dropout: 0.5, ..Common::default() }
    }

    fn check(&self, _common: &Common) -> Result<(), NnError> {
        Ok(())
    }

    fn build(
        &self,
        common: &Common,
        inputs: &InputShape,
        outputs: &OutputShape,
        seeds: &mut Seeds,
    ) -> Box<dyn Network> {
        let (encoder, width) = common.build_encoder(inputs, seeds);
        let graphs = outputs.level == Level::Graph;
        let classes = if graphs { common.width } else { outputs.outputs };
        let mut maps = |inputs: usize, outputs: usize| {
            (0..self.prior.terms()).map(|_| init::glorot(inputs, outputs, seeds.next_seed())).collect()
        };
        Box::new(CpgnnNetwork {
            encoder,
            hidden: maps(width, common.width),
            norm: common.build_norm(common.width),
            prior: maps(common.width, classes),
            compatibility: init::uniform(classes, classes, 0.0, 0),
            head: graphs.then(|| common.build_head(classes, outputs, seeds)),
            phase: Phase::init(self.first_epochs > 0),
            settings: self.clone(),
        })
    }

    fn cost(&self, common: &Common, shape: &Shape, ledger: &Ledger) -> Tracked {
        let (nodes, terms) = (shape.nodes, self.prior.terms());
        ledger.hold("coefficients", floats(shape.entries * if terms > 1 { 2 } else { 1 }));
        let graphs = shape.level == Level::Graph;
        let classes = if graphs { common.width } else { shape.outputs };
        let polynomial = |name: &str, x: Tracked, inputs: usize, outputs: usize| {
            ledger.weights(&format!("{name} weights"), terms * inputs * outputs);
            let mut sum = ledger.product(name, x.clone(), nodes, outputs);
            let mut power = x;
            for _ in 1..terms {
                let work = Work { name: name.into(), output: floats(nodes * inputs), ..Work::default() };
                power = ledger.run(work, [(power, false)]);
                sum = ledger.add(name, sum, ledger.product(name, power.clone(), nodes, outputs));
            }
            sum
        };
        let (x, width) = common.encoder().cost(shape, ledger);
        let x = polynomial("hidden", x, width, common.width);
        let x = ledger.norm_block("norm", x, None, nodes, common.width, common.block());
        let z = polynomial("prior", x, common.width, classes);
        ledger.weights("compatibility weights", classes * classes);
        let output = floats(nodes * classes);
        let softmax = Work { name: "prior".into(), output, kept: output, ..Work::default() };
        let start = ledger.spread("prior", ledger.run(softmax, [(z, false)]));
        let mut beliefs = start.clone();
        for _ in 0..self.hops {
            let told = ledger.spread("beliefs", ledger.product("beliefs", beliefs, nodes, classes));
            beliefs = ledger.add("beliefs", start.clone(), told);
        }
        drop(start);
        let answers = ledger.spread("beliefs", beliefs);
        if graphs { common.head().cost(answers, classes, shape, ledger) } else { answers }
    }

    fn reach(&self, _common: &Common) -> Reach {
        // Two maps of degree two, and the degrees of those that they read.
        Reach::Hops(self.hops + if self.prior == PriorKind::Chebyshev { 5 } else { 0 })
    }

    fn properties(&self, _common: &Common) -> Properties {
        // The matrix of classes starts from all nodes, and its penalty is added once.
        Properties { shares: false, ..Properties::MESSAGE_PASSING }
    }

    fn first_epochs(&self) -> usize {
        self.first_epochs
    }

    fn small() -> serde_json::Value {
        serde_json::json!({ "first_epochs": 0 })
    }
}

/// The coefficients of A.
struct Neighbours(Arc<EntryWeights>);

/// The coefficients S.
struct Normalised(Arc<EntryWeights>);

/// The prior, the matrix of classes, and a head for answers about graphs.
#[derive(Module, Debug)]
pub struct CpgnnNetwork {
    encoder: Encoder,
    hidden: Vec<Param<Tensor<2>>>,
    norm: NormBlock,
    prior: Vec<Param<Tensor<2>>>,
    compatibility: Param<Tensor<2>>,
    head: Option<Head>,
    phase: Phase,
    #[module(skip)]
    settings: Cpgnn,
}

/// `sum over k of T_k x W_k`, for as many terms as there are maps, at most three.
fn polynomial(x: Features, maps: &[Param<Tensor<2>>], batch: &Batch) -> Tensor<2> {
    let Some((first, further)) = maps.split_first() else { return x.into_dense(batch) };
    let mut sum = x.clone().linear(first.val(), None);
    if further.is_empty() {
        return sum;
    }
    let normalised = batch.derived(0, |batch| Normalised(EntryWeights::symmetric(batch.graph())));
    let start = x.into_dense(batch);
    let spread = |x: Tensor<2>| ops::spmm(x, batch.graph(), &normalised.0, None);
    let mut term = start.clone();
    for (k, map) in further.iter().enumerate() {
        // T_1 = -S and T_2 = -2 S T_1 - I.
        let near = spread(term);
        term = if k == 0 { ops::sum(vec![(near, -1.0)]) } else { ops::sum(vec![(near, -2.0), (start.clone(), -1.0)]) };
        sum = ops::add(sum, ops::linear(term.clone(), map.val(), None));
    }
    sum
}

impl CpgnnNetwork {
    /// Z, `[N, C]`.
    fn prior(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        let x = polynomial(self.encoder.stage(features, batch, context), &self.hidden, batch);
        let x = context.stage(|| "norm".into(), self.norm.apply(x, None, context));
        context.stage(|| "prior".into(), polynomial(x.into(), &self.prior, batch))
    }

    fn answer(&self, rows: Tensor<2>, batch: &Batch, context: &Context) -> Tensor<2> {
        match &self.head {
            Some(head) => head.forward(rows.into(), batch, context),
            None => rows,
        }
    }
}

impl Layer for CpgnnNetwork {
    fn next_phase(&self, batch: &Batch, targets: &Targets) -> Vec<(ParamId, Vec<f32>)> {
        let mut changes = self.phase.next();
        if let (None, Targets::Classes { rows, classes, .. }) = (&self.head, targets.plain()) {
            let z = self.prior(batch.input(), batch, &Context::evaluation());
            let count = z.dims()[1];
            let beliefs = bridge::into_vec(ops::row_softmax(z)).into_iter().map(f64::from).collect();
            let known: Vec<(u32, u32)> = rows.iter().copied().zip(classes.iter().copied()).collect();
            let start = compatibility(batch.graph(), beliefs, count, &known);
            changes.push((self.compatibility.id, start.into_iter().map(|value| value as f32).collect()));
        }
        changes
    }

    fn forward(&self, features: Features, batch: &Batch, context: &Context) -> Tensor<2> {
        context.input(&features);
        let z = self.prior(features, batch, context);
        if self.phase.is_first() {
            return self.answer(z, batch, context);
        }
        if self.settings.row_penalty > 0.0 && context.is_training() {
            let sums = self.compatibility.val().sum_dim(1).abs().sum();
            context.add_loss(sums * self.settings.row_penalty);
        }
        let share = 1.0 / z.dims()[1].max(1) as f32;
        let start = ops::row_softmax(z) - share;
        let neighbours = batch.derived(0, |batch| Neighbours(EntryWeights::sum(batch.graph())));
        let mut beliefs = start.clone();
        for t in 0..self.settings.hops {
            let told = ops::linear(beliefs, self.compatibility.val(), None);
            beliefs = ops::add(start.clone(), ops::spmm(told, batch.graph(), &neighbours.0, None));
            beliefs = context.stage(|| format!("beliefs.{t}"), beliefs);
        }
        self.answer(beliefs + share, batch, context)
    }
}
