//! The GEN layer for PyTorch: forward and backward over the memory of its tensors.
//!
//! Numbers of 32 bits go through the kernels. Numbers of 64 bits go through their literal counterparts, a number at a time, with exact
//! gradients from the tape: slow, and right to check against.

use std::sync::{Mutex, PoisonError};

use farhop_kernels::edge_attention::Dropout;
use farhop_kernels::elimination::{Attention, Coefficients, Kept as KeptRounds, Source};
use farhop_kernels::gen_layer::{self, Given, Weights};
use farhop_kernels::{buffers, elements};
use farhop_nn::knobs::Knobs;
use farhop_nn::{CoefficientKind, GenConfig, HopCoefficients, HopFeatures};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::arrays::{Number, View, array, passing, view};
use crate::errors::Failure;
use crate::feed;
use crate::graph::Graph;
use crate::json::settings;
use crate::literal;
use crate::threads::compute;

/// One part in this many may wait unfit between the passes: on graphs with a dozen neighbours a node, arrays of entries and of nodes take turns.
/// Of seven arrays of nodes one has to be able to wait, or it is returned and cleared again in every step.
const ROOM: usize = 6;

/// What a forward pass keeps for its backward pass, which takes it: there is one.
#[pyclass(frozen)]
pub struct Kept {
    held: Mutex<(Option<KeptRounds>, Vec<f32>)>,
}

impl Kept {
    /// What is kept of the rounds, nothing where they run again, and what goes into the feed-forward network, if there is one.
    pub fn new(rounds: Option<KeptRounds>, before_feed: Vec<f32>) -> Self {
        Kept { held: Mutex::new((rounds, before_feed)) }
    }

    /// Hands it over.
    pub fn take(&self) -> (Option<KeptRounds>, Vec<f32>) {
        std::mem::take(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A pass that nobody walks back: its memory is for the next one.
        let (rounds, before_feed) = self.take();
        rounds.into_iter().for_each(KeptRounds::give_back);
        buffers::give(before_feed);
    }
}

/// The settings of a GEN layer, its own parameters apart.
#[pyclass(frozen)]
pub struct Layer {
    config: GenConfig,
}

/// Arrays of a GEN layer, each if there is one.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Parameters<'py> {
    attention: Option<Bound<'py, PyAny>>,
    bias: Option<Bound<'py, PyAny>>,
    query: Option<Bound<'py, PyAny>>,
    key: Option<Bound<'py, PyAny>>,
    hop_bias: Option<Bound<'py, PyAny>>,
    value: Bound<'py, PyAny>,
    residual: Option<Bound<'py, PyAny>>,
}

/// The numbers of [`Parameters`].
#[derive(Clone, Copy)]
pub struct Slices<'a, T> {
    /// `[sets, 2 F]`.
    pub attention: Option<&'a [T]>,
    /// `[E, H]`.
    pub bias: Option<&'a [T]>,
    /// `[F, H * key]` and `[F, key]`.
    pub query_key: Option<(&'a [T], &'a [T])>,
    /// `[H, hops]`.
    pub hop_bias: Option<&'a [T]>,
    /// `[F, O]`.
    pub value: &'a [T],
    /// `[F, O]`.
    pub residual: Option<&'a [T]>,
}

#[pymethods]
impl Layer {
    /// A layer with settings by name, those of a GEN.
    #[new]
    fn new(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let given = settings(given)?;
        let config = serde_json::from_value::<GenConfig>(Value::Object(given.clone())).map_err(|error| {
            // The one that is wrong by itself.
            let wrong = given.iter().find_map(|(name, value)| {
                let alone = [(name.clone(), value.clone())].into_iter().collect();
                serde_json::from_value::<GenConfig>(Value::Object(alone)).err().map(|_| format!("{name} {value}: "))
            });
            let problem = farhop_nn::explain_unknown_key(&error.to_string());
            Failure::setting(match wrong.filter(|_| !problem.starts_with("unknown key")) {
                Some(name) => format!("{name}{problem}."),
                None => problem,
            })
        })?;
        config.check_ranges("GENConv").map_err(Failure::from)?;
        buffers::set_room(ROOM);
        Ok(Layer { config })
    }

    /// Rows of attention vectors, channels of a key and hops that are weighed, for so many outputs.
    fn sizes(&self, outputs: usize) -> (usize, usize, usize) {
        let sets = if self.config.attends() { self.config.sets() } else { 0 };
        (sets, self.config.key(outputs), self.config.hops_read())
    }

    /// The layer, with its feed-forward network if the weights of one are given (32-bit numbers alone), and what its backward pass needs.
    #[pyo3(signature = (graph, x, parameters, feed, dropout, keep, threads))]
    #[allow(clippy::too_many_arguments, reason = "one call from Python")]
    fn forward<'py>(
        &self,
        py: Python<'py>,
        graph: &Graph,
        x: &Bound<'py, PyAny>,
        parameters: Parameters<'py>,
        feed: Option<feed::Weights<'py>>,
        dropout: Option<u64>,
        keep: bool,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyAny>, Option<Kept>)> {
        let structure = &graph.parts().built.graph;
        if is_double(x)? {
            let (x, slices) = (view::<f64>(x, "x")?, slices::<f64>(&parameters)?);
            let outputs = self.check(structure, &x, &slices)?;
            let shape = [structure.nodes(), outputs];
            let run = literal::Run { config: &self.config, graph: structure, outputs, dropout: self.mask(dropout) };
            let found = compute(py, threads, || Ok(run.forward(x.data, x.columns(), &slices)))?;
            return Ok((array(py, found, &shape)?, keep.then(|| Kept::new(None, Vec::new()))));
        }
        let (x, slices) = (view::<f32>(x, "x")?, slices::<f32>(&parameters)?);
        let outputs = self.check(structure, &x, &slices)?;
        let config = self.config.kernel(x.columns(), outputs);
        let feed = feed.as_ref().map(|weights| feed::parameters(weights, outputs)).transpose()?;
        let (found, kept) = compute(py, threads, || {
            let fixed = self.fixed(structure);
            let source = self.source(&slices, &fixed, dropout);
            let found = gen_layer::forward_fed(structure, &config, &source, &weights(&slices), feed, x.data, keep);
            Ok((found.output, Kept::new(found.kept, found.pre)))
        })?;
        Ok((passing(py, found, &[structure.nodes(), outputs])?, Some(kept).filter(|_| keep)))
    }

    /// The gradients of x, attention, bias `[rounds, E, H]`, query, key, hop_bias, value and residual, and of the four weights of the feed-forward
    /// network; None where there is no such thing.
    #[pyo3(signature = (graph, x, parameters, feed, dropout, kept, gradient, needs_x, threads))]
    #[allow(clippy::too_many_arguments, reason = "one call from Python")]
    fn backward<'py>(
        &self,
        py: Python<'py>,
        graph: &Graph,
        x: &Bound<'py, PyAny>,
        parameters: Parameters<'py>,
        feed: Option<feed::Weights<'py>>,
        dropout: Option<u64>,
        kept: &Kept,
        gradient: &Bound<'py, PyAny>,
        needs_x: bool,
        threads: Option<usize>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let structure = &graph.parts().built.graph;
        let flat = |data: Vec<f32>| -> PyResult<Bound<'py, PyAny>> {
            let length = data.len();
            passing(py, data, &[length])
        };
        if is_double(x)? {
            let (x, slices) = (view::<f64>(x, "x")?, slices::<f64>(&parameters)?);
            let outputs = self.check(structure, &x, &slices)?;
            let gradient = view::<f64>(gradient, "gradient")?;
            let run = literal::Run { config: &self.config, graph: structure, outputs, dropout: self.mask(dropout) };
            let found = compute(py, threads, || Ok(run.backward(x.data, x.columns(), &slices, gradient.data)))?;
            let one =
                |found: Option<Vec<f64>>| found.map(|data| array::<f64>(py, data.clone(), &[data.len()])).transpose();
            return found.into_iter().map(one).collect();
        }
        let (x, slices) = (view::<f32>(x, "x")?, slices::<f32>(&parameters)?);
        let outputs = self.check(structure, &x, &slices)?;
        let gradient = view::<f32>(gradient, "gradient")?;
        if gradient.data.len() != structure.nodes() * outputs {
            return Err(Failure::data(format!("gradient has shape {:?}.", gradient.shape)).into());
        }
        let config = self.config.kernel(x.columns(), outputs);
        let feed = feed.as_ref().map(|weights| feed::parameters(weights, outputs)).transpose()?;
        let (rounds, before_feed) = kept.take();
        let found = compute(py, threads, || {
            let fixed = self.fixed(structure);
            let source = self.source(&slices, &fixed, dropout);
            let weights = weights(&slices);
            let (rounds, given) = match feed {
                Some(feed) if before_feed.len() == gradient.data.len() => {
                    (rounds, Given::Fed(before_feed, feed, gradient.data))
                }
                // Where the graph was retained, the pass before took it.
                Some(feed) => {
                    let again = gen_layer::forward_fed(structure, &config, &source, &weights, Some(feed), x.data, true);
                    buffers::give(again.output);
                    (again.kept, Given::Fed(again.pre, feed, gradient.data))
                }
                None => {
                    let mut own = buffers::take(gradient.data.len());
                    elements::copy(gradient.data, &mut own);
                    (rounds, Given::Pre(own))
                }
            };
            Ok(gen_layer::backward(structure, &config, &source, &weights, x.data, rounds, given, needs_x))
        })?;
        let of_feed = found.feed.map_or_else(Vec::new, |found| vec![found.w1, found.b1, found.w2, found.b2]);
        let attends = slices.attention.is_some();
        [
            needs_x.then_some(found.z),
            attends.then_some(found.attention),
            slices.bias.is_some().then_some(found.edge),
            slices.query_key.is_some().then_some(found.query),
            slices.query_key.is_some().then_some(found.key),
            slices.hop_bias.is_some().then_some(found.hop_bias),
            Some(found.value),
            slices.residual.is_some().then_some(found.residual),
        ]
        .into_iter()
        .chain(of_feed.into_iter().map(Some))
        .map(|gradient| gradient.map(flat).transpose())
        .collect()
    }
}

impl Layer {
    /// The number of outputs, if all arrays belong together.
    fn check<T>(&self, graph: &farhop_graph::Graph, x: &View<'_, T>, slices: &Slices<'_, T>) -> Result<usize, Failure> {
        let (nodes, width) = (graph.nodes(), x.columns());
        let wrong = |text: String| Err(Failure::data(text));
        if x.shape.len() != 2 || x.rows() != nodes || width == 0 {
            return wrong(format!("x has shape {:?}; [{nodes}, channels] is needed: a row for each node.", x.shape));
        }
        let outputs = slices.value.len() / width;
        let (sets, key, hops) = self.sizes(outputs);
        let heads = self.config.heads;
        if outputs == 0 || !width.is_multiple_of(heads) || !outputs.is_multiple_of(heads) {
            return wrong(format!("{width} channels in and {outputs} out can't be shared by {heads} heads alike."));
        }
        let lengths = [
            ("attention", slices.attention.map(<[T]>::len), (sets > 0).then_some(sets * 2 * width)),
            ("bias", slices.bias.map(<[T]>::len), slices.bias.is_some().then_some(graph.entries() * heads)),
            ("query", slices.query_key.map(|(query, _)| query.len()), self.hop_size(width * heads * key)),
            ("key", slices.query_key.map(|(_, key)| key.len()), self.hop_size(width * key)),
            ("hop_bias", slices.hop_bias.map(<[T]>::len), self.hop_size(heads * hops).filter(|_| self.config.hop_bias)),
            ("value", Some(slices.value.len()), Some(width * outputs)),
            ("residual", slices.residual.map(<[T]>::len), self.config.own_term.then_some(width * outputs)),
        ];
        match lengths.into_iter().find(|(_, found, wanted)| found != wanted) {
            Some((name, found, wanted)) => wrong(format!(
                "{name} has {found:?} numbers, {wanted:?} are needed. x has {width} channels: are the layer's in_channels the same?"
            )),
            None => Ok(outputs),
        }
    }

    fn hop_size(&self, size: usize) -> Option<usize> {
        self.config.hop_attention.then_some(size)
    }

    fn mask(&self, dropout: Option<u64>) -> Option<Dropout> {
        let probability = self.config.attention_dropout;
        dropout.filter(|_| probability > 0.0).map(|seed| Dropout::new(probability, seed))
    }

    /// Coefficients of entries and nodes where they are not learned.
    fn fixed(&self, graph: &farhop_graph::Graph) -> (Vec<f32>, Vec<f32>) {
        fixed_coefficients(&self.config, graph)
    }

    fn source<'a>(
        &self,
        slices: &Slices<'a, f32>,
        (edge, node): &'a (Vec<f32>, Vec<f32>),
        dropout: Option<u64>,
    ) -> Source<'a> {
        match slices.attention {
            Some(weights) => Source::Attention(Attention {
                weights,
                each_round: self.config.coefficients == CoefficientKind::AttentionPerRound,
                bias: slices.bias,
                slope: self.config.attention_slope,
                dropout: self.mask(dropout),
            }),
            None => Source::Given(Coefficients { rounds: 1, edge, node }),
        }
    }
}

/// Coefficients of entries and nodes that are not learned; none where they are.
pub fn fixed_coefficients(config: &GenConfig, graph: &farhop_graph::Graph) -> (Vec<f32>, Vec<f32>) {
    let coefficients = match config.coefficients {
        CoefficientKind::Gcn => HopCoefficients::Gcn,
        CoefficientKind::Ones => HopCoefficients::Ones,
        CoefficientKind::AttentionPerRound | CoefficientKind::AttentionPerLayer => return Default::default(),
    };
    let elimination = config.elimination;
    HopFeatures { rounds: 1, elimination, coefficients, own: None }.coefficients(graph)
}

fn weights<'a>(slices: &Slices<'a, f32>) -> Weights<'a> {
    let Slices { query_key, hop_bias, value, residual, .. } = *slices;
    Weights { query_key, hop_bias, value: Some(value), residual }
}

/// Whether an array has numbers of 64 bits.
pub fn is_double(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? == 8)
}

fn slices<'a, T: Number>(parameters: &'a Parameters<'_>) -> PyResult<Slices<'a, T>> {
    let one = |array: &'a Option<Bound<'_, PyAny>>, name: &str| match array {
        Some(array) => view::<T>(array, name).map(|view| Some(view.data)),
        None => Ok(None),
    };
    let (query, key) = (one(&parameters.query, "query")?, one(&parameters.key, "key")?);
    Ok(Slices {
        attention: one(&parameters.attention, "attention")?,
        bias: one(&parameters.bias, "bias")?,
        query_key: query.zip(key),
        hop_bias: one(&parameters.hop_bias, "hop_bias")?,
        value: view::<T>(&parameters.value, "value")?.data,
        residual: one(&parameters.residual, "residual")?,
    })
}
