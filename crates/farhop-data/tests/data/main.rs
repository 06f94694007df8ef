//! Readers and writers, from the outside.

mod arrays;
mod collections;
mod bad_data;
mod molecules;
mod mutations;
mod predictions;
mod requests;
mod schema;
mod support;
mod tables;
