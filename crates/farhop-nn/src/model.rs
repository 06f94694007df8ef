//! A model as the rooms above see it.

use std::collections::BTreeMap;

use crate::network::Network;
use crate::ops::bridge;
use crate::{Batch, Context, ModelConfig, NnError, store};

/// A network with its settings.
pub struct Model {
    config: ModelConfig,
    network: Box<dyn Network>,
    inputs: usize,
    outputs: usize,
}

impl Model {
    pub(crate) fn new(config: ModelConfig, network: Box<dyn Network>, inputs: usize, outputs: usize) -> Self {
        Model { config, network, inputs, outputs }
    }

    /// The settings it was made from.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Number of features it takes.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of classes.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Number of trained parameters.
    pub fn parameters(&self) -> usize {
        self.network.tracked().trained().iter().map(|(_, _, shape)| shape.iter().product::<usize>()).sum()
    }

    /// The scores of every class for every node, `[N, outputs]`, in evaluation mode.
    ///
    /// # Panics
    /// If the batch has another number of features than the model takes.
    pub fn logits(&self, batch: &Batch) -> Vec<f32> {
        self.check_width(batch);
        bridge::into_vec(self.network.run(batch.features(), batch, &Context::evaluation()))
    }

    /// The name of the first stage whose output is not finite.
    ///
    /// # Panics
    /// If the batch has another number of features than the model takes.
    pub fn first_non_finite(&self, batch: &Batch) -> Option<String> {
        self.check_width(batch);
        let context = Context::watching();
        let _logits = self.network.run(batch.features(), batch, &context);
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
            values.insert(array.id, reader.array(&array.name, &array.shape)?);
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

    pub(crate) fn check_width(&self, batch: &Batch) {
        assert_eq!(batch.width(), self.inputs, "the model takes {} features", self.inputs);
    }
}

impl Clone for Model {
    fn clone(&self) -> Self {
        Model::new(self.config.clone(), self.network.boxed_clone(), self.inputs, self.outputs)
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
