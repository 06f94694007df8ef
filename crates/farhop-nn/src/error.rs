//! What can go wrong here, one line each.

use thiserror::Error;

/// An error of models, their settings and their files.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NnError {
    /// No model of that name.
    #[error("model \"{name}\" is not known{suggestion} Known: {known}.")]
    UnknownModel {
        /// The name asked for.
        name: String,
        /// `; did you mean "..."?` or a full stop.
        suggestion: String,
        /// All names.
        known: String,
    },
    /// A setting outside of its range.
    #[error("{model}.{key} = {value} is not possible: {allowed}.")]
    Setting {
        /// Name of the model.
        model: &'static str,
        /// Name of the setting.
        key: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A setting that the model does not have, or a value of another kind.
    #[error("{model}: {problem}")]
    Settings {
        /// Name of the model.
        model: String,
        /// What is wrong.
        problem: String,
    },
    /// Something that a model can't do.
    #[error("{model} can't {what}. {remedy}")]
    CanNot {
        /// Name of the model.
        model: &'static str,
        /// What it can't do: `read a graph of 170,000 nodes: ...`.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// The bytes are not a safetensors file.
    #[error("not a readable safetensors file: {reason}. Use an intact copy.")]
    Unreadable {
        /// What the reader said.
        reason: String,
    },
    /// A tensor that the model needs is not there.
    #[error("the file lacks the tensor \"{name}\" {shape:?}. It belongs to another model or other settings.")]
    MissingTensor {
        /// Its name.
        name: String,
        /// Its shape in the model.
        shape: Vec<usize>,
    },
    /// A tensor that the model does not have.
    #[error(
        "the file holds the tensor \"{name}\", which this model does not have. It belongs to another model or other settings."
    )]
    UnknownTensor {
        /// Its name.
        name: String,
    },
    /// A tensor of another shape.
    #[error(
        "tensor \"{name}\" has shape {found:?}, but the model needs {expected:?}. The file belongs to other settings."
    )]
    TensorShape {
        /// Its name.
        name: String,
        /// Shape in the file.
        found: Vec<usize>,
        /// Shape in the model.
        expected: Vec<usize>,
    },
    /// A tensor of another element type.
    #[error("tensor \"{name}\" holds {found}, but {expected} is needed.")]
    TensorType {
        /// Its name.
        name: String,
        /// Type in the file.
        found: String,
        /// Type needed.
        expected: &'static str,
    },
    /// A model that is larger than its weights.
    #[error(
        "the model is said to have {size} {what}, but its weights are {held} numbers. They belong to other settings."
    )]
    Weights {
        /// What there are too many of.
        what: &'static str,
        /// How many.
        size: u64,
        /// Numbers in the file.
        held: u64,
    },
    /// A training target outside of the batch or of the classes.
    #[error("target {index}: {what} {value} is out of range, allowed is 0 to {last}.")]
    Target {
        /// Position in the list.
        index: usize,
        /// `row`, `class` or `node`.
        what: &'static str,
        /// The value.
        value: u32,
        /// The largest allowed value.
        last: usize,
    },
    /// Lists of different length.
    #[error("{found} targets of kind \"{what}\", but {needed} are needed: one per {per}.")]
    TargetLengths {
        /// What there should be one of.
        what: &'static str,
        /// For each of these.
        per: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A target value that its loss is not defined for.
    #[error("target value {index} is {value}, allowed is {allowed}.")]
    TargetValue {
        /// Position in the list.
        index: usize,
        /// The value.
        value: f32,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Pairs for a model of rows or the other way round.
    #[error("the targets are {found}, but this model is trained on {needed}. Give it a task of its own level.")]
    TargetKind {
        /// `pairs` or `rows`.
        found: &'static str,
        /// The other one.
        needed: &'static str,
    },
    /// A model that reads nothing of a node.
    #[error("nodes have nothing a model could read. Give them numbers, categories or an encoding of the graph.")]
    NoInputs,
}
