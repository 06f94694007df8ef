//! The command as a user meets it: the built binary, its streams and its exit codes.

mod bad_input;
mod demonstration;
mod help;
mod hops;
mod interrupt;
mod json;
mod own_data;
mod support;
