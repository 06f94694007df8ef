//! The program.

use std::process::ExitCode;

use farhop_kernels::allocator::PageAligned;

/// Feature rows on cache lines and large pages: gathers from them are a fifth faster.
#[global_allocator]
static ALLOCATOR: PageAligned = PageAligned;

fn main() -> ExitCode {
    farhop_cli::command(std::env::args_os().collect())
}
