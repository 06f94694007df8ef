//! A model as the rooms above see it.

use std::collections::BTreeMap;

use burn::tensor::Tensor;

use crate::network::Network;
use crate::ops::bridge;
use crate::{Batch, Context, EdgeSpread, HopReads, InputShape, ModelConfig, NnError, OutputShape, Sights, store};

/// What a model says of a batch, and what it saw on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// See [`Model::outputs`].
    pub outputs: Vec<f32>,
    /// What goes into the head: a row for every node, or for every graph if answers are about graphs.
    pub embedding: Vec<f32>,
    /// For every layer that weighs hops the weights, `[N, heads, hops]`: see [`ModelConfig::weighed_hops`].
    pub hops: Vec<Vec<f32>>,
    /// For every layer that attends to neighbours, how evenly.
    pub edges: Vec<EdgeSpread>,
    /// For every layer that weighs walks, with which weights the node that was asked about reads all nodes.
    pub reads: Vec<HopReads>,
}

/// A network with its settings.
pub struct Model {
    config: ModelConfig,
    network: Box<dyn Network>,
    inputs: InputShape,
    outputs: OutputShape,
}

impl Model {
    pub(crate) fn new(
        config: ModelConfig,
        network: Box<dyn Network>,
        inputs: InputShape,
        outputs: OutputShape,
    ) -> Self {
        Model { config, network, inputs, outputs }
    }

    /// The settings it was made from.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// What it reads.
    pub fn input_shape(&self) -> &InputShape {
        &self.inputs
    }

    /// What it gives; with [`Level::Pair`](crate::Level::Pair) `outputs` is the number of channels of an embedding.
    pub fn output_shape(&self) -> &OutputShape {
        &self.outputs
    }

    /// Number of trained parameters.
    pub fn parameters(&self) -> usize {
        self.network.tracked().trained().iter().map(|(_, _, shape)| shape.iter().product::<usize>()).sum()
    }

    /// Whether evaluation reads averages over the steps of training (those of batch norm) instead of the batch alone.
    pub fn keeps_averages(&self) -> bool {
        self.network.arrays().len() > self.network.tracked().trained().len()
    }

    /// What the model says, in evaluation mode: scores of every node `[N, outputs]`, of every graph `[G, outputs]`, or
    /// embeddings of nodes `[N, outputs]`, of which the dot product is the score of a pair.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads.
    pub fn outputs(&self, batch: &Batch) -> Vec<f32> {
        self.check_shape(batch);
        bridge::into_vec(self.network.run(batch.input(), batch, &Context::evaluation()))
    }

    /// As [`Model::outputs`], with what the model saw on the way.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads.
    pub fn look(&self, batch: &Batch, wants: Sights) -> Observation {
        self.check_shape(batch);
        let context = Context::looking(wants);
        let outputs = bridge::into_vec(self.network.run(batch.input(), batch, &context));
        let look = context.into_look();
        Observation { outputs, embedding: look.embedding, hops: look.hops, edges: look.edges, reads: look.reads }
    }

    /// What every node adds to one output, `[N]`: gradient times input. If everything that is known of node n (numbers, categories, encodings)
    /// were multiplied by g_n, it is the derivative of `outputs[row, output]` by g_n at g = 1. For a network that is linear in its inputs the
    /// sum over the nodes is the output without its biases; for others it is the first order of what each node is worth.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads, or there is no such row or output.
    pub fn contributions(&self, batch: &Batch, row: usize, output: usize) -> Vec<f32> {
        self.slopes(batch, |outputs| outputs.slice([row..row + 1, output..output + 1]).sum())
    }

    /// As [`Model::contributions`], to the score of a pair of nodes: the dot product of their embeddings.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads, or there is no such node.
    pub fn pair_contributions(&self, batch: &Batch, [one, other]: [usize; 2]) -> Vec<f32> {
        self.slopes(batch, |outputs| {
            let width = outputs.dims()[1];
            let row = |node: usize| outputs.clone().slice([node..node + 1, 0..width]);
            (row(one) * row(other)).sum()
        })
    }

    /// The derivative of a number of the outputs by the gate of every node.
    fn slopes(&self, batch: &Batch, of: impl FnOnce(Tensor<2>) -> Tensor<1>) -> Vec<f32> {
        self.check_shape(batch);
        let gate = bridge::from_vec(vec![1.0; batch.nodes()], [batch.nodes(), 1]).autodiff().require_grad();
        let outputs = run_gated(&*self.network.tracked(), batch, &gate);
        let mut tape = of(outputs).backward();
        // A model that reads nothing of any node has no gradient.
        gate.grad_remove(&mut tape).map_or_else(|| vec![0.0; batch.nodes()], bridge::into_vec)
    }

    /// The name of the first stage whose output is not finite.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads.
    pub fn first_non_finite(&self, batch: &Batch) -> Option<String> {
        self.check_shape(batch);
        let context = Context::watching();
        let _outputs = self.network.run(batch.input(), batch, &context);
        context.into_first_non_finite()
    }

    /// All weights as safetensors, under names such as `layers.0.weight`.
    pub fn to_safetensors(&self) -> Vec<u8> {
        let arrays = self.network.arrays();
        let arrays = arrays.iter().map(|array| (array.name.as_str(), array.shape.as_slice(), array.data.as_slice()));
        store::write(arrays, None)
    }

    /// Takes over weights that [`Model::to_safetensors`] wrote. On an error the model is as before.
    pub fn load_safetensors(&mut self, bytes: &[u8]) -> Result<(), NnError> {
        let mut reader = store::Reader::new(bytes)?;
        let mut values = BTreeMap::new();
        for array in self.network.arrays() {
            let former = self.config.registration().former_name(&array.name);
            values.insert(array.id, reader.array(&array.name, former.as_deref(), &array.shape)?);
        }
        reader.finish()?;
        self.network.replace(&mut |id| values.remove(&id));
        Ok(())
    }

    pub(crate) fn network(&self) -> &dyn Network {
        self.network.as_ref()
    }

    pub(crate) fn network_mut(&mut self) -> &mut dyn Network {
        self.network.as_mut()
    }

    pub(crate) fn check_shape(&self, batch: &Batch) {
        assert_eq!(batch.shape(), &self.inputs, "the batch (left) is not what the model reads (right)");
    }
}

/// The outputs in evaluation mode with everything that is known of node n multiplied by `gate[n]`, `[N, 1]`.
pub(crate) fn run_gated(network: &dyn Network, batch: &Batch, gate: &Tensor<2>) -> Tensor<2> {
    let numbers = batch.input();
    let numbers = if batch.width() > 0 { numbers.gated(gate) } else { numbers };
    network.run(numbers, batch, &Context::gated(gate.clone()))
}

impl Clone for Model {
    fn clone(&self) -> Self {
        Model::new(self.config.clone(), self.network.boxed_clone(), self.inputs.clone(), self.outputs)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Model")
            .field("config", &self.config)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .finish()
    }
}
