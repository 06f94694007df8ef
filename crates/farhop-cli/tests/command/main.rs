//! The command as a user meets it: the built binary, its streams and its exit codes.

mod bad_input;
mod catalogue;
mod demonstration;
mod help;
mod hops;
mod import;
mod interrupt;
mod joined;
mod json;
mod layouts;
mod limits;
mod looks;
mod memory;
mod molecules;
mod outputs;
mod own_data;
mod parts;
mod ranges;
mod real_datasets;
mod run_folders;
mod settings;
mod support;
mod tables;
mod targets;
mod tune;
mod without_effect;
