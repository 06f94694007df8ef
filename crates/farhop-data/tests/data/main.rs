//! Readers and writers, from the outside.

mod arrays;
mod bad_data;
mod collections;
mod dataset_files;
mod format_mutations;
mod imports;
mod molecules;
mod mutations;
#[cfg(feature = "parquet")]
mod parquet;
mod predictions;
mod requests;
mod schema;
mod support;
mod tables;
mod web;
