//! Readers and writers, from the outside.

mod arrays;
mod bad_data;
mod cards;
mod edge_columns;
mod mutations;
mod predictions;
mod python_files;
mod python_mutations;
mod real_files;
mod requests;
mod schema;
mod support;
mod tables;
mod target_columns;
