//! What this command was built from.

use std::sync::LazyLock;

/// `0.1.0 (commit 92eb64e12; features: parquet)`; a build that is not optimised does not know its commit.
pub static LONG: LazyLock<String> = LazyLock::new(|| {
    let commit = match env!("FARHOP_COMMIT") {
        "" => String::new(),
        commit => format!("commit {commit}; "),
    };
    let on = features();
    let features = if on.is_empty() { "none".to_string() } else { on.join(", ") };
    format!("{} ({commit}features: {features})", env!("CARGO_PKG_VERSION"))
});

/// The cargo features that are built in.
pub fn features() -> Vec<&'static str> {
    let all = [("parquet", cfg!(feature = "parquet")), ("metis", cfg!(feature = "metis"))];
    all.into_iter().filter_map(|(name, on)| on.then_some(name)).collect()
}
