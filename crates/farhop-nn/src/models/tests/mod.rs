//! Whole models on everything they can read and answer.

mod edges;
mod inputs;
mod levels;
mod outside;
<<<<<<< HEAD
mod starts;
=======
mod project_first;
>>>>>>> main
mod support;
mod virtual_nodes;
