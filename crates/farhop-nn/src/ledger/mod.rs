//! The memory plan: a forward pass written down without its numbers.
//!
//! A model's `cost` walks through its own forward pass once, with [`Tracked`] in the place of tensors: only sizes. The ledger keeps
//! what a real pass would keep, lets go of what a real pass lets go of, and afterwards walks back through the operations in reverse,
//! as the engine does. So any way through a model is planned, and a model says nothing about its own backward pass beyond what
//! its operations keep.
//!
//! ```text
//! forward    alive + peak of the operation, then its inputs go (unless kept or held elsewhere) and its output stays
//! backward   alive + gradient of the output + what it kept + gradients of its inputs, then all but the last goes
//! ```
//!
//! The engine walks back by depth: an operation's is one more than the largest of its inputs. So of two branches the deeper one comes
//! first, and the gradient of the other one waits.

mod steps;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use crate::memory::{MemoryEstimate, floats};

/// One operation of a pass, in bytes. What is left at 0 takes the value that a plain operation has.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// A name for the table of parts.
    pub name: String,
    /// The output.
    pub output: u64,
    /// Kept for the backward pass beside inputs.
    pub kept: u64,
    /// The most that is alive at once in the forward pass besides the inputs: output and what is kept included.
    pub forward: u64,
    /// The most that is alive at once in the backward pass besides the inputs that were kept: what was kept, the gradient of the output
    /// and those of the inputs included.
    pub backward: u64,
    /// Whether the output takes the memory of an input that nobody else holds.
    pub in_place: bool,
    /// Whether the gradient of an input takes the memory of the output's.
    pub back_in_place: bool,
}

/// A tensor without numbers. It is alive as long as somebody holds it: a caller, or an operation that keeps it.
#[derive(Debug)]
pub struct Tracked {
    ledger: Ledger,
    index: usize,
}

/// A pass in the making.
#[derive(Clone, Debug)]
pub struct Ledger {
    book: Rc<RefCell<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    training: bool,
    estimate: MemoryEstimate,
    /// Bytes alive now, weights and what is held from the start not counted.
    alive: u64,
    peak: u64,
    tensors: Vec<Entry>,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Entry {
    bytes: u64,
    holders: usize,
    /// Whether a gradient flows into it.
    tracked: bool,
    gradient: bool,
    /// Whether its memory is that of another now.
    taken: bool,
    /// Operations before it.
    depth: usize,
    name: String,
    /// Whether the table of parts has it: kept tensors only, once.
    listed: bool,
}

#[derive(Debug)]
struct Step {
    work: Work,
    inputs: Vec<usize>,
    kept: Vec<usize>,
    output: usize,
}

impl Ledger {
    /// An empty one. In training, operations keep what they need, and there is a walk back.
    pub fn new(training: bool) -> Self {
        Ledger { book: Rc::new(RefCell::new(Book { training, ..Book::default() })) }
    }

    /// Whether the pass is part of training.
    pub fn training(&self) -> bool {
        self.book.borrow().training
    }

    /// Adds `count` trained numbers as part `name`; in training with gradient and two moments.
    pub fn weights(&self, name: &str, count: usize) {
        let mut book = self.book.borrow_mut();
        let training = book.training;
        book.estimate.weights(name, count, training);
    }

    /// Something that is there through the whole pass: features, coefficients, derived data of the batch.
    pub fn hold(&self, name: &str, bytes: u64) {
        self.book.borrow_mut().estimate.keep(name, bytes);
    }

    /// Something alive in passing, besides all that is alive now.
    pub fn pass(&self, bytes: u64) {
        let mut book = self.book.borrow_mut();
        book.peak = book.peak.max(book.alive + bytes);
    }

    /// A tensor of data: no gradient flows into it. `bytes` is 0 if it is part of something held.
    pub fn data(&self, bytes: u64) -> Tracked {
        self.tensor("data", bytes, false)
    }

    /// An operation of inputs, each with whether the backward pass reads it again.
    pub fn run<const N: usize>(&self, work: Work, inputs: [(Tracked, bool); N]) -> Tracked {
        self.run_all(work, inputs.into())
    }

    /// [`Ledger::run`] for any number of inputs.
    pub fn run_all(&self, work: Work, inputs: Vec<(Tracked, bool)>) -> Tracked {
        let training = self.training();
        let kept_bytes = if training { work.kept } else { 0 };
        {
            let mut book = self.book.borrow_mut();
            if work.in_place {
                book.take_over(&inputs, work.output);
            }
            let peak = book.alive + work.forward.max(work.output + kept_bytes);
            book.peak = book.peak.max(peak);
            book.alive += kept_bytes;
            if kept_bytes > 0 {
                let name = work.name.clone();
                book.estimate.parts.push((name, kept_bytes));
            }
        }
        let output = self.tensor(&work.name, work.output, true);
        {
            let mut book = self.book.borrow_mut();
            let deepest = inputs.iter().map(|(input, _)| book.tensors[input.index].depth).max();
            book.tensors[output.index].depth = deepest.unwrap_or(0) + 1;
        }
        if training {
            let mut book = self.book.borrow_mut();
            let step = Step {
                inputs: inputs.iter().map(|(input, _)| input.index).collect(),
                kept: inputs.iter().filter(|(_, keeps)| *keeps).map(|(input, _)| input.index).collect(),
                output: output.index,
                work,
            };
            for &index in &step.kept {
                let entry = &mut book.tensors[index];
                entry.holders += 1;
                if !entry.listed && entry.bytes > 0 {
                    entry.listed = true;
                    let part = (entry.name.clone(), entry.bytes);
                    book.estimate.parts.push(part);
                }
            }
            book.steps.push(step);
        }
        output
    }

    fn tensor(&self, name: &str, bytes: u64, tracked: bool) -> Tracked {
        let mut book = self.book.borrow_mut();
        book.alive += bytes;
        book.peak = book.peak.max(book.alive);
        let index = book.tensors.len();
        let name = name.to_string();
        book.tensors.push(Entry {
            bytes,
            holders: 1,
            tracked,
            gradient: false,
            taken: false,
            depth: 0,
            name,
            listed: false,
        });
        Tracked { ledger: self.clone(), index }
    }

    /// Ends the pass with its outputs: in training the loss and the walk back. Gives what it all needs.
    pub fn finish(self, outputs: Tracked) -> MemoryEstimate {
        let kept = if self.training() {
            let bytes = outputs.bytes();
            // The loss keeps the outputs, and makes their gradient.
            let loss = self.run(Work { name: "outputs".into(), output: 0, ..Work::default() }, [(outputs, true)]);
            let kept = self.book.borrow().alive;
            self.pass(bytes);
            self.walk_back();
            drop(loss);
            kept
        } else {
            // As logits and as scores or probabilities.
            self.pass(outputs.bytes());
            drop(outputs);
            0
        };
        let book = self.book.borrow();
        let mut estimate = book.estimate.clone();
        estimate.kept += kept;
        estimate.transient = book.peak.saturating_sub(kept);
        merge(&mut estimate.parts);
        estimate
    }

    fn walk_back(&self) {
        let mut book = self.book.borrow_mut();
        let mut steps = std::mem::take(&mut book.steps);
        steps.sort_by_key(|step| book.tensors[step.output].depth);
        while let Some(step) = steps.pop() {
            let output = book.tensors[step.output].bytes;
            // The gradient of the output is alive already, made by the step after this one (the loss has none).
            let mut made = 0;
            for &input in &step.inputs {
                let entry = &book.tensors[input];
                if entry.tracked {
                    made += entry.bytes;
                }
            }
            if step.work.back_in_place {
                made = made.saturating_sub(output);
            }
            // Of the peak, the gradient of the output and what was kept are counted as alive.
            let beyond = step.work.backward.saturating_sub(step.work.kept + output).max(made);
            book.peak = book.peak.max(book.alive + beyond);
            for &input in &step.inputs {
                let entry = &mut book.tensors[input];
                // A second gradient is added to the first.
                if entry.tracked && !entry.gradient {
                    entry.gradient = true;
                    book.alive += book.tensors[input].bytes;
                }
            }
            if book.tensors[step.output].gradient {
                book.alive -= output;
            }
            book.alive = book.alive.saturating_sub(step.work.kept);
            for &kept in &step.kept {
                book.release(kept);
            }
        }
    }
}

impl Book {
    /// The first input of that size that its caller alone holds gives its memory away.
    fn take_over(&mut self, inputs: &[(Tracked, bool)], size: u64) {
        let free = |entry: &Entry| entry.holders == 1 && !entry.taken && entry.bytes == size;
        if let Some((input, _)) = inputs.iter().find(|(input, _)| free(&self.tensors[input.index])) {
            self.tensors[input.index].taken = true;
            self.alive = self.alive.saturating_sub(size);
        }
    }

    fn release(&mut self, index: usize) {
        let entry = &mut self.tensors[index];
        entry.holders -= 1;
        if entry.holders == 0 && !entry.taken {
            self.alive = self.alive.saturating_sub(entry.bytes);
        }
    }
}

impl Tracked {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.ledger.book.borrow().tensors[self.index].bytes
    }
}

impl Clone for Tracked {
    fn clone(&self) -> Self {
        self.ledger.book.borrow_mut().tensors[self.index].holders += 1;
        Tracked { ledger: self.ledger.clone(), index: self.index }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        // While the ledger itself is written to, nothing is dropped.
        if let Ok(mut book) = self.ledger.book.try_borrow_mut() {
            book.release(self.index);
        }
    }
}

/// Parts of one name become one.
fn merge(parts: &mut Vec<(String, u64)>) {
    let mut merged: Vec<(String, u64)> = Vec::new();
    for (name, bytes) in parts.drain(..) {
        match merged.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += bytes,
            None => merged.push((name, bytes)),
        }
    }
    *parts = merged;
}

/// `rows * columns` numbers, in bytes.
pub(crate) fn rows(rows: usize, columns: usize) -> u64 {
    floats(rows.saturating_mul(columns))
}
