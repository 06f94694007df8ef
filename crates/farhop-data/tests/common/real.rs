//! Real datasets, where they are.

use std::path::{Path, PathBuf};

/// A file or folder of the real datasets: in `$FARHOP_DATA`, or in `shared/data` beside the checkout. Says so on one line if
/// it is in neither.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("FARHOP_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = given.into_iter().chain([beside]).map(|root| root.join(name)).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: {name} is neither in $FARHOP_DATA nor beside the checkout");
    }
    found
}
