//! Whole models on everything they can read and answer.

mod contributions;
mod edges;
mod former_names;
mod inputs;
mod levels;
mod looks;
mod outside;
mod project_first;
mod starts;
mod support;
mod variants;
mod virtual_nodes;
