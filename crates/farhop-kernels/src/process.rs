//! What a program asks of the system before it starts.

/// A file that reaches the limit of `ulimit -f` is an error of the write, as a full disk is, and does not kill the process.
pub fn report_full_files() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
