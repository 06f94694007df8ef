//! One file a command.

pub mod bench;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod evaluate;
pub mod explain;
pub mod hops;
mod looks;
pub mod models;
pub mod pages;
pub mod plan;
pub mod predict;
pub mod report;
pub mod table;
pub mod train;
pub mod tune;
