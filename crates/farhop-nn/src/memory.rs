//! How much memory a model will need, before anything is allocated.

/// The sizes that memory depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Nodes, `N`.
    pub nodes: usize,
    /// Directed entries, `E`.
    pub entries: usize,
    /// Features of a node.
    pub inputs: usize,
    /// Classes.
    pub outputs: usize,
}

/// Bytes that a model needs, the graph and the data set itself not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Weights and, in training, their gradients and the optimiser's moments.
    pub parameters: u64,
    /// What lives through the whole pass: features, coefficients and what is kept for the backward pass.
    pub kept: u64,
    /// The largest amount that is alive in passing on top of that.
    pub transient: u64,
    /// Where it goes, largest stages by name.
    pub parts: Vec<(String, u64)>,
}

impl MemoryEstimate {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.parameters + self.kept + self.transient
    }

    /// Adds `count` weights as part `name`.
    pub(crate) fn weights(&mut self, name: &str, count: usize, training: bool) {
        // Weight, gradient, two moments.
        let copies = if training { 4 } else { 1 };
        self.add_parameters(name, floats(count) * copies);
    }

    /// Adds something that is kept.
    pub(crate) fn keep(&mut self, name: &str, bytes: u64) {
        self.kept += bytes;
        self.part(name, bytes);
    }

    /// Raises what is alive in passing to at least `bytes`.
    pub(crate) fn pass(&mut self, bytes: u64) {
        self.transient = self.transient.max(bytes);
    }

    fn add_parameters(&mut self, name: &str, bytes: u64) {
        self.parameters += bytes;
        self.part(name, bytes);
    }

    fn part(&mut self, name: &str, bytes: u64) {
        if bytes > 0 {
            self.parts.push((name.to_string(), bytes));
        }
    }
}

/// Bytes of `count` f32.
pub(crate) fn floats(count: usize) -> u64 {
    count as u64 * size_of::<f32>() as u64
}
