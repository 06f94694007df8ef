//! Shared settings, and messages about keys that do not exist.

use farhop_kernels::dense::Activation;

use crate::NnError;
use crate::knobs::words;

words! {
    /// The normalisation of a block.
    pub enum NormKind {
        /// None.
        None = "none",
        /// Over the channels of each node (Ba, Kiros and Hinton, 2016).
        #[default]
        Layer = "layer",
        /// Over the nodes of the batch (Ioffe and Szegedy, 2015), with running statistics for evaluation.
        Batch = "batch",
    }
}

words! {
    /// How the linear maps of a model start.
    pub enum InitialWeights {
        /// As the model states: mostly Glorot's weights and zero biases.
        #[default]
        Own = "own",
        /// Weights and biases uniform in `+- 1 / sqrt(inputs)`, as PyTorch's.
        Uniform = "uniform",
    }
}

words! {
    /// The activation of a block.
    pub enum ActivationKind {
        /// None.
        None = "none",
        /// `max(x, 0)`.
        #[default]
        Relu = "relu",
        /// GELU in its tanh form.
        Gelu = "gelu",
        /// GELU with the error function.
        GeluExact = "gelu-exact",
        /// `x`, or `exp(x) - 1` below zero.
        Elu = "elu",
        /// `x / (1 + exp(-x))`, also called swish.
        Silu = "silu",
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// `1 / (1 + exp(-x))`.
        Sigmoid = "sigmoid",
        /// `x`, or `0.01 x` below zero.
        LeakyRelu = "leaky-relu",
    }
}

impl From<ActivationKind> for Activation {
    fn from(kind: ActivationKind) -> Self {
        match kind {
            ActivationKind::None => Activation::Identity,
            ActivationKind::Relu => Activation::Relu,
            ActivationKind::Gelu => Activation::Gelu,
            ActivationKind::GeluExact => Activation::GeluExact,
            ActivationKind::Elu => Activation::Elu,
            ActivationKind::Silu => Activation::Silu,
            ActivationKind::Tanh => Activation::Tanh,
            ActivationKind::Sigmoid => Activation::Sigmoid,
            ActivationKind::LeakyRelu => Activation::LeakyRelu,
        }
    }
}

/// Checks settings of one model, all errors in one form.
pub(crate) struct Checks(pub &'static str);

impl Checks {
    /// A number of things, at least `least` and at most `most`.
    pub fn count(&self, key: &'static str, value: usize, least: usize, most: usize) -> Result<(), NnError> {
        let allowed = || format!("allowed is {least} to {most}");
        self.that((least..=most).contains(&value), key, value, allowed)
    }

    /// A probability of dropping or a decay, `[0, 1)`.
    pub fn share(&self, key: &'static str, value: f32) -> Result<(), NnError> {
        self.that((0.0..1.0).contains(&value), key, value, || "allowed is 0 to below 1".into())
    }

    /// Any condition.
    pub fn that(
        &self,
        holds: bool,
        key: &'static str,
        value: impl ToString,
        allowed: impl FnOnce() -> String,
    ) -> Result<(), NnError> {
        if holds {
            return Ok(());
        }
        Err(NnError::Setting { model: self.0, key, value: value.to_string(), allowed: allowed() })
    }
}

/// The known word nearest to `word`, if one is near: at most half of it mistyped. Capitals are no difference.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let scored = known.into_iter().map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate));
    let (distance, candidate) = scored.min_by_key(|(distance, _)| *distance)?;
    (2 * distance <= candidate.chars().count().max(word.chars().count())).then_some(candidate)
}

/// What is needed where a value has another type: serde's words for types in those of people who give values.
const TYPES: [(&str, &[&str]); 5] = [
    ("a whole number from 0 on", &["usize", "u64", "u32", "u16", "u8"]),
    ("a whole number", &["i64", "i32"]),
    ("a number", &["f32", "f64"]),
    ("true or false", &["a boolean"]),
    ("a text", &["a string"]),
];

/// What was found, and what is needed, in serde's message about a type; none if it is about something else.
fn found_and_needed(message: &str) -> Option<(&str, &'static str)> {
    let (found, expected) = message.rsplit_once(", expected ")?;
    // A place in the text may follow.
    let is = |word: &&str| expected.strip_prefix(*word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    TYPES.iter().find(|(_, words)| words.iter().any(is)).map(|(needed, _)| (found, *needed))
}

/// The type that serde's message asks for, as in "a whole number from 0 on"; none if it is about something else.
///
/// ```
/// assert_eq!(farhop_nn::needed_type("invalid type: string \"x\", expected usize"), Some("a whole number from 0 on"));
/// assert_eq!(farhop_nn::needed_type("missing comma"), None);
/// ```
pub fn needed_type(message: &str) -> Option<&'static str> {
    found_and_needed(message).map(|(_, needed)| needed)
}

/// Rewrites serde's message about an unknown field or variant so that it names the nearest known one, and one about a type so that it says
/// what to give; any other message is returned as it is.
///
/// ```
/// let message = "unknown field `hidden`, expected one of `layers`, `width`, `dropout`";
/// assert!(farhop_nn::explain_unknown_key(&message.replace("hidden", "layer")).contains("did you mean `layers`?"));
/// assert_eq!(farhop_nn::explain_unknown_key("invalid type: string \"x\", expected f32"), "invalid type: string \"x\"; a number is needed");
/// assert_eq!(farhop_nn::explain_unknown_key("missing comma"), "missing comma");
/// ```
pub fn explain_unknown_key(message: &str) -> String {
    let marks = [("unknown field `", "key"), ("unknown variant `", "value")];
    let Some((start, what)) =
        marks.iter().find_map(|(mark, what)| message.find(mark).map(|at| (at + mark.len(), what)))
    else {
        return match found_and_needed(message) {
            Some((found, needed)) => format!("{found}; {needed} is needed"),
            None => message.to_string(),
        };
    };
    let words: Vec<&str> = message[start..].split('`').step_by(2).collect();
    let Some((&unknown, known)) = words.split_first() else {
        return message.to_string();
    };
    let known: Vec<&str> = known.iter().copied().filter(|word| !word.contains([' ', '\n'])).collect();
    if known.is_empty() {
        return format!("unknown {what} `{unknown}`");
    }
    let list = known.join(", ");
    match nearest(unknown, known) {
        Some(near) => format!("unknown {what} `{unknown}`; did you mean `{near}`? Known: {list}."),
        None => format!("unknown {what} `{unknown}`. Known: {list}."),
    }
}
