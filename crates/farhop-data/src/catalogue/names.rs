//! Finding an entry by what a user types.

use super::Entry;
use crate::error::DataError;
use crate::text::{nearest, quoted};

/// The name without case, `-`, `_` and blanks.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The entry of this name or alias, whatever its case and its `-`, `_` and blanks.
///
/// # Errors
/// There is none: the nearest name is suggested.
pub fn find(name: &str) -> Result<&'static Entry, DataError> {
    let wanted = plain(name);
    let names = |entry: &'static Entry| std::iter::once(entry.name).chain(entry.aliases.iter().copied());
    let found = super::entries().iter().find(|entry| names(entry).any(|known| plain(known) == wanted));
    found.ok_or_else(|| {
        let near = nearest(&name.to_lowercase(), super::entries().iter().flat_map(names));
        let hint = near.map_or(String::new(), |near| format!(" Did you mean {}?", quoted(near)));
        DataError::Mismatch {
            what: format!(
                "there is no dataset {}.{hint} `farhop data list` shows all {}.",
                quoted(name),
                super::entries().len()
            ),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::entries;
    use super::*;

    #[test]
    fn no_two_entries_share_a_name() {
        let mut all: Vec<String> = Vec::new();
        for entry in entries() {
            // An alias may repeat the entry's own name in another spelling, not another entry's.
            let mut own: Vec<String> =
                std::iter::once(&entry.name).chain(entry.aliases).map(|name| plain(name)).collect();
            own.sort();
            own.dedup();
            all.extend(own);
        }
        let mut different = all.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), all.len());
    }

    #[test]
    fn case_and_separators_do_not_matter() {
        for name in ["ogbn-arxiv", "OGBN_Arxiv", "ogbn arxiv", "OGBNARXIV"] {
            assert_eq!(find(name).unwrap().name, "ogbn-arxiv");
        }
        assert_eq!(find("Peptides-func").unwrap().name, "peptides-func");
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let text = find("citeser").unwrap_err().to_string();
        assert!(text.contains("Did you mean \"citeseer\"?"), "{text}");
        assert!(!find("qqqq").unwrap_err().to_string().contains("Did you mean"));
    }
}
