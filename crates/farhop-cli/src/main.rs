//! The `farhop` command.
fn main() {}
