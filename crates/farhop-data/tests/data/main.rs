//! Readers and writers, from the outside.

mod again;
mod arrays;
mod bad_data;
#[path = "../common/bits.rs"]
mod bits;
mod budget;
mod cards;
mod collections;
mod dataset_files;
mod dialects;
mod edge_columns;
mod format_mutations;
mod graph_files;
mod graph_mutations;
mod imports;
mod joined;
mod molecules;
mod mutations;
#[cfg(unix)]
mod on_disk;
#[cfg(feature = "parquet")]
mod parquet;
mod pieces;
mod predictions;
mod python_files;
mod python_mutations;
#[path = "../common/real.rs"]
mod real;
mod real_files;
mod requests;
mod schema;
mod sdf;
mod support;
mod tables;
mod tables_in_pieces;
mod target_columns;
mod web;
