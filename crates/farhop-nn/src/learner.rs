//! Training one step at a time, and the state that a step leaves behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use farhop_kernels::exchange::Group;

use crate::network::Array;
use crate::ops::{self, bridge};
use crate::optimizer::{Moments, OptimizerConfig, global_norm, update};
use crate::{Batch, Context, Model, NnError, Targets, store};

/// Name of the step count in a saved state.
const STEPS: &str = "steps";

/// What a step saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Mean loss before the step, with what the network adds to it.
    pub loss: f32,
    /// Norm of the gradient of all parameters, before clipping. NaN if the loss was not finite.
    pub gradient_norm: f32,
}

impl StepReport {
    /// Whether the step changed the weights: not if the loss or the gradient was not finite.
    pub fn is_finite(&self) -> bool {
        self.loss.is_finite() && self.gradient_norm.is_finite()
    }
}

/// A model with its optimiser.
#[derive(Debug)]
pub struct Learner {
    model: Model,
    config: OptimizerConfig,
    seed: u64,
    steps: u64,
    moments: Vec<Moments>,
}

impl Learner {
    /// Starts training `model`. Dropout masks are a function of (seed, step, place, element).
    pub fn new(model: Model, config: OptimizerConfig, seed: u64) -> Self {
        let trained = model.network().tracked().trained();
        let moments = trained.into_iter().map(|(name, _, shape)| Moments::zeros(name, shape)).collect();
        Learner { model, config, seed, steps: 0, moments }
    }

    /// One step of the optimiser on the mean loss of the targets. If the loss or the gradient is not finite, nothing changes.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads, or a target is out of range; see [`Targets::check`].
    pub fn step(&mut self, batch: &Batch, targets: &Targets, learning_rate: f64) -> StepReport {
        self.model.check_shape(batch);
        let network = self.model.network().tracked();
        let group = batch.group().cloned();
        let idle = batch.share().is_some_and(|share| share.idle);
        let context = Context::training(self.seed, self.steps).within(batch);
        let share = group.as_ref().map_or(1.0, |group| {
            let own = if idle { 0.0 } else { targets.weight() };
            let all = group.sums(&[own])[0];
            if all == 0.0 { 0.0 } else { (own / all) as f32 }
        });
        let outputs = network.run(batch.input(), batch, &context);
        let loss_tensor = ops::loss_share(outputs, Arc::new(targets.clone()), share);
        let loss_tensor = context.take_losses().into_iter().fold(loss_tensor, |sum, term| sum + term);
        let own_loss = if idle { 0.0 } else { bridge::with_slice(&loss_tensor, |values| values[0]) };
        let loss = group.as_ref().map_or(own_loss, |group| group.sums(&[f64::from(own_loss)])[0] as f32);
        if !loss.is_finite() {
            return StepReport { loss, gradient_norm: f32::NAN };
        }
        let mut tape = loss_tensor.backward();
        let mut gradients = network.gradients(&mut tape);
        if idle {
            gradients.iter_mut().for_each(|array| array.data.fill(0.0));
        }
        if let Some(group) = &group {
            sum_over(group, &mut gradients);
            if group.failure().is_some() {
                return StepReport { loss, gradient_norm: f32::NAN };
            }
        }
        let gradient_norm = global_norm(&gradients);
        let report = StepReport { loss, gradient_norm };
        if !report.is_finite() {
            return report;
        }
        self.steps += 1;
        let scale = match self.config.clip_norm {
            Some(limit) if gradient_norm > limit => limit / gradient_norm,
            _ => 1.0,
        };
        let mut values: BTreeMap<_, Vec<f32>> = context.into_updates().into_iter().collect();
        let current = self.model.network().arrays();
        let mut current: BTreeMap<_, _> = current.into_iter().map(|array| (array.id, array.data)).collect();
        for (moments, gradient) in self.moments.iter_mut().zip(&gradients) {
            if let Some(mut weights) = current.remove(&gradient.id) {
                update(&self.config, moments, &mut weights, &gradient.data, scale, learning_rate, self.steps);
                values.insert(gradient.id, weights);
            }
        }
        self.model.network_mut().replace(&mut |id| values.remove(&id));
        report
    }

    /// Ends the first phase of training, for a network that has two. The optimiser goes on as it is.
    ///
    /// # Panics
    /// If the batch has another shape than the model reads.
    pub fn next_phase(&mut self, batch: &Batch, targets: &Targets) {
        self.model.check_shape(batch);
        let mut values: BTreeMap<_, Vec<f32>> = self.model.network().next_phase(batch, targets).into_iter().collect();
        self.model.network_mut().replace(&mut |id| values.remove(&id));
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model, to load weights into.
    pub fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Moments and step count as safetensors. Together with the weights and the seed they continue with the same bits.
    pub fn state_to_safetensors(&self) -> Vec<u8> {
        let names: Vec<[String; 2]> = self.moments.iter().map(|moments| state_names(&moments.name)).collect();
        let moments = self.moments.iter().zip(&names).flat_map(|(m, [first, second])| {
            let shape = m.shape.as_slice();
            [(first.as_str(), shape, m.first.as_slice()), (second.as_str(), shape, m.second.as_slice())]
        });
        store::write(moments, Some((STEPS, self.steps)))
    }

    /// Takes over a state that [`Learner::state_to_safetensors`] wrote. On an error nothing changes.
    pub fn load_state(&mut self, bytes: &[u8]) -> Result<(), NnError> {
        let mut reader = store::Reader::new(bytes)?;
        let steps = reader.count(STEPS)?;
        let mut loaded = self.moments.clone();
        for moments in &mut loaded {
            let [first, second] = state_names(&moments.name);
            let former = self.model.config().registration().former_name(&moments.name).map(|name| state_names(&name));
            let former = former.as_ref().map(|[first, second]| [first.as_str(), second.as_str()]);
            moments.first = reader.array(&first, former.map(|names| names[0]), &moments.shape)?;
            moments.second = reader.array(&second, former.map(|names| names[1]), &moments.shape)?;
        }
        reader.finish()?;
        self.steps = steps;
        self.moments = loaded;
        Ok(())
    }
}

/// Gradients become their sums over all processes, in one go.
fn sum_over(group: &Group, gradients: &mut [Array]) {
    let mut all: Vec<f32> = gradients.iter().flat_map(|array| &array.data).copied().collect();
    group.sum(&mut all);
    let mut rest = &all[..];
    for array in gradients {
        let (own, after) = rest.split_at(array.data.len());
        array.data.copy_from_slice(own);
        rest = after;
    }
}

fn state_names(name: &str) -> [String; 2] {
    [format!("first.{name}"), format!("second.{name}")]
}
