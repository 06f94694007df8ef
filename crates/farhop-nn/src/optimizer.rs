//! AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019) and Adam (Kingma and Ba, ICLR 2015) with
//! clipping by the global norm.

use serde::{Deserialize, Serialize};

use crate::NnError;
use crate::config::Checks;
use crate::network::Array;

/// Where the weight decay goes; everything else is the same for both. With gradient `g` (clipped), weight `w`, rate `r`,
/// decay `d` and `adam(g)` the ratio of the corrected moments of `g`:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    /// Beside the moments: `w <- (1 - r d) w - r adam(g)` for weight matrices, without `d` for biases and norms.
    #[default]
    #[serde(rename = "adamw")]
    AdamW,
    /// Inside the gradient, as the penalty `d / 2 * |w|^2` on all parameters: `w <- w - r adam(g + d w)`.
    Adam,
}

/// The settings of the optimiser. The learning rate comes with every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// `adamw` or `adam`: what the weight decay means. Default `adamw`.
    pub kind: OptimizerKind,
    /// For `adamw` it shrinks weight matrices by `learning rate * weight_decay` a step, biases and norms are spared; for `adam`
    /// it is added to the gradient times the weight, for all parameters. Default 1e-4.
    pub weight_decay: f32,
    /// Decay of the mean of gradients. Default 0.9.
    pub beta1: f32,
    /// Decay of the mean of squared gradients. Default 0.999.
    pub beta2: f32,
    /// Added to the root of the mean square. Default 1e-8.
    pub epsilon: f32,
    /// Gradients whose norm over all parameters is larger are scaled down to it; absent for no limit. Default 1.
    pub clip_norm: Option<f32>,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        OptimizerConfig {
            kind: OptimizerKind::AdamW,
            weight_decay: 1e-4,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip_norm: Some(1.0),
        }
    }
}

impl OptimizerConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// Names the first setting that is out of range.
    pub fn validate(&self) -> Result<(), NnError> {
        let checks = Checks("optimizer");
        let between = |value: f32, least: f32, most: f32| (least..=most).contains(&value);
        let decay = self.weight_decay;
        checks.that(between(decay, 0.0, 1000.0), "weight_decay", decay, || "allowed is 0 to 1000".into())?;
        checks.share("beta1", self.beta1)?;
        checks.share("beta2", self.beta2)?;
        let small = between(self.epsilon, 1e-30, 1.0);
        checks.that(small, "epsilon", self.epsilon, || "allowed is 1e-30 to 1".into())?;
        let Some(norm) = self.clip_norm else { return Ok(()) };
        // Below it, squares of clipped gradients vanish, and nothing is learned.
        let allowed = || "allowed is 1e-6 to 1e9, or \"none\" for no limit".into();
        checks.that(between(norm, 1e-6, 1e9), "clip_norm", norm, allowed)
    }
}

/// The moments of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    pub name: String,
    pub shape: Vec<usize>,
    pub first: Vec<f32>,
    pub second: Vec<f32>,
}

impl Moments {
    pub fn zeros(name: String, shape: Vec<usize>) -> Self {
        let count = shape.iter().product();
        Moments { name, shape, first: vec![0.0; count], second: vec![0.0; count] }
    }
}

/// The norm of all gradients together, summed in f64 in their order.
pub(crate) fn global_norm(gradients: &[Array]) -> f32 {
    let square = |array: &Array| array.data.iter().map(|g| f64::from(*g) * f64::from(*g)).sum::<f64>();
    gradients.iter().map(square).sum::<f64>().sqrt() as f32
}

/// One step for one parameter. `step` counts from 1; `scale` multiplies the gradient first.
pub(crate) fn update(
    config: &OptimizerConfig,
    moments: &mut Moments,
    weights: &mut [f32],
    gradient: &[f32],
    scale: f32,
    learning_rate: f64,
    step: u64,
) {
    let correction = |beta: f32| 1.0 - f64::from(beta).powi(step.min(i32::MAX as u64) as i32);
    let rate = (learning_rate / correction(config.beta1)) as f32;
    let root = correction(config.beta2).sqrt() as f32;
    let (beside, inside) = match config.kind {
        OptimizerKind::AdamW if moments.shape.len() > 1 => (config.weight_decay, 0.0),
        OptimizerKind::AdamW => (0.0, 0.0),
        OptimizerKind::Adam => (0.0, config.weight_decay),
    };
    let shrink = (1.0 - learning_rate * f64::from(beside)) as f32;
    let (beta1, beta2) = (config.beta1, config.beta2);
    let state = moments.first.iter_mut().zip(&mut moments.second);
    for ((weight, gradient), (first, second)) in weights.iter_mut().zip(gradient).zip(state) {
        let gradient = gradient * scale + inside * *weight;
        *first = beta1 * *first + (1.0 - beta1) * gradient;
        *second = beta2 * *second + (1.0 - beta2) * gradient * gradient;
        *weight = *weight * shrink - rate * *first / (second.sqrt() / root + config.epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The algorithms as printed in the papers, in f64, for one number: `beside` and `inside` are the decays.
    fn literal(config: &OptimizerConfig, gradients: &[f64], rate: f64, [beside, inside]: [f64; 2]) -> f64 {
        let (beta1, beta2) = (f64::from(config.beta1), f64::from(config.beta2));
        let (mut first, mut second) = (0.0, 0.0);
        let mut weight = START;
        for (t, g) in gradients.iter().enumerate() {
            let t = t as i32 + 1;
            let g = g + inside * weight;
            first = beta1 * first + (1.0 - beta1) * g;
            second = beta2 * second + (1.0 - beta2) * g * g;
            let (m, v) = (first / (1.0 - beta1.powi(t)), second / (1.0 - beta2.powi(t)));
            weight -= rate * (m / (v.sqrt() + f64::from(config.epsilon)) + beside * weight);
        }
        weight
    }

    const START: f64 = 0.8;

    #[test]
    fn updates_follow_the_papers_and_adamw_spares_vectors_from_decay() {
        let gradients = [0.3, -1.2, 0.01, 5.0, -0.7, 0.0, 2.0];
        for (kind, shape, decays) in [
            (OptimizerKind::AdamW, vec![1, 1], [0.1, 0.0]),
            (OptimizerKind::AdamW, vec![1], [0.0, 0.0]),
            (OptimizerKind::Adam, vec![1, 1], [0.0, 0.1]),
            (OptimizerKind::Adam, vec![1], [0.0, 0.1]),
        ] {
            let config = OptimizerConfig { kind, weight_decay: 0.1, ..OptimizerConfig::default() };
            let mut moments = Moments::zeros("w".into(), shape);
            let mut weight = [START as f32];
            for (t, g) in gradients.iter().enumerate() {
                // Twice the gradient, scaled by one half: the decay is not scaled.
                update(&config, &mut moments, &mut weight, &[2.0 * *g as f32], 0.5, 0.05, t as u64 + 1);
            }
            let expected = literal(&config, &gradients, 0.05, decays);
            assert!((f64::from(weight[0]) - expected).abs() < 1e-6, "{kind:?}: {} instead of {expected}", weight[0]);
        }
    }

    #[test]
    fn kinds_are_words_and_old_settings_mean_adamw() {
        let read = |text: &str| serde_json::from_str::<OptimizerConfig>(text);
        assert_eq!(read("{}").unwrap().kind, OptimizerKind::AdamW);
        for (word, kind) in [("adamw", OptimizerKind::AdamW), ("adam", OptimizerKind::Adam)] {
            assert_eq!(read(&format!("{{\"kind\": \"{word}\"}}")).unwrap().kind, kind);
            assert_eq!(serde_json::to_value(kind).unwrap(), word);
        }
        assert!(read("{\"kind\": \"sgd\"}").is_err());
    }
}
