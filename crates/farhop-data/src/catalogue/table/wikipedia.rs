//! Wikipedia pages about chameleons and squirrels.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::metrics::Metric;

/// Chameleon without duplicate pages: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_FILTERED: Entry = Entry {
    name: "chameleon-filtered",
    aliases: &[],
    title: "Chameleon without duplicate pages: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023; Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["chameleon_filtered.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_filtered.npz"), member: None, sha256: Some("bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5"), bytes: Some(58_924), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "chameleon-filtered", "chameleon_filtered", "chameleon_filtered/raw", "chameleon-filtered/raw", "geom-gcn/chameleon"],
    expected: Counts { graphs: Some(1), nodes: Some(890), edges: Some(8_854), features: Some(2_325), outputs: Some(5), split: Some([409, 287, 194]) },
    row_normalise: false,
    seen_whole: true,
    notes: &[],
    stand_in: None,
    reader: Reader::Heterophilous { directed: false, binary: false },
};

/// Chameleon without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_FILTERED_DIRECTED: Entry = Entry {
    name: "chameleon-filtered-directed",
    aliases: &[],
    title: "Chameleon without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023; Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["chameleon_filtered_directed.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_filtered_directed.npz"), member: None, sha256: Some("5a2d40701407188f1661d37a326484b49cc15251e0dedaa7bd380873dac80f21"), bytes: Some(69_275), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "chameleon-filtered-directed", "chameleon_filtered_directed", "chameleon_filtered_directed/raw", "chameleon-filtered-directed/raw", "geom-gcn/chameleon"],
    expected: Counts { graphs: Some(1), nodes: Some(890), edges: Some(13_534), features: Some(2_325), outputs: Some(5), split: Some([409, 287, 194]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["The links keep their direction: a node hears from the pages that link to it."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: true, binary: false },
};

/// Chameleon: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON: Entry = Entry {
    name: "chameleon",
    aliases: &[],
    title: "Chameleon: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["chameleon.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon.npz"), member: None, sha256: Some("4c640bd2877fc4f9f101531e2f977bc16445a54e09a5cb01178df608e552f3fd"), bytes: Some(177_840), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "chameleon", "chameleon", "chameleon/raw", "chameleon/raw", "geom-gcn/chameleon"],
    expected: Counts { graphs: Some(1), nodes: Some(2_277), edges: Some(31_371), features: Some(2_325), outputs: Some(5), split: Some([1_092, 729, 456]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use chameleon-filtered to compare models."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: false, binary: false },
};

/// Chameleon, links with their direction: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_DIRECTED: Entry = Entry {
    name: "chameleon-directed",
    aliases: &[],
    title: "Chameleon, links with their direction: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["chameleon_directed.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_directed.npz"), member: None, sha256: Some("34aea6b6888063544232100d53d4aa7e87e37953ec8dd3a7092afb25bb2f0328"), bytes: Some(191_520), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "chameleon-directed", "chameleon_directed", "chameleon_directed/raw", "chameleon-directed/raw", "geom-gcn/chameleon"],
    expected: Counts { graphs: Some(1), nodes: Some(2_277), edges: None, features: Some(2_325), outputs: Some(5), split: Some([1_092, 729, 456]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use chameleon-filtered to compare models.", "The links keep their direction: a node hears from the pages that link to it."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: true, binary: false },
};

/// Squirrel without duplicate pages: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_FILTERED: Entry = Entry {
    name: "squirrel-filtered",
    aliases: &[],
    title: "Squirrel without duplicate pages: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023; Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["squirrel_filtered.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_filtered.npz"), member: None, sha256: Some("f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7"), bytes: Some(208_215), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "squirrel-filtered", "squirrel_filtered", "squirrel_filtered/raw", "squirrel-filtered/raw", "geom-gcn/squirrel"],
    expected: Counts { graphs: Some(1), nodes: Some(2_223), edges: Some(46_998), features: Some(2_089), outputs: Some(5), split: Some([1_053, 718, 452]) },
    row_normalise: false,
    seen_whole: true,
    notes: &[],
    stand_in: None,
    reader: Reader::Heterophilous { directed: false, binary: false },
};

/// Squirrel without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_FILTERED_DIRECTED: Entry = Entry {
    name: "squirrel-filtered-directed",
    aliases: &[],
    title: "Squirrel without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023; Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["squirrel_filtered_directed.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_filtered_directed.npz"), member: None, sha256: Some("0526e53252f0b052124f7390829c32e923d432acaf64206191a1144a07b39620"), bytes: Some(249_855), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "squirrel-filtered-directed", "squirrel_filtered_directed", "squirrel_filtered_directed/raw", "squirrel-filtered-directed/raw", "geom-gcn/squirrel"],
    expected: Counts { graphs: Some(1), nodes: Some(2_223), edges: Some(65_578), features: Some(2_089), outputs: Some(5), split: Some([1_053, 718, 452]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["The links keep their direction: a node hears from the pages that link to it."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: true, binary: false },
};

/// Squirrel: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL: Entry = Entry {
    name: "squirrel",
    aliases: &[],
    title: "Squirrel: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["squirrel.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel.npz"), member: None, sha256: Some("d436e3b42c0546b105241c0ab0766097074e68e55f67b133eeb9b0162e55cbd9"), bytes: Some(704_277), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "squirrel", "squirrel", "squirrel/raw", "squirrel/raw", "geom-gcn/squirrel"],
    expected: Counts { graphs: Some(1), nodes: Some(5_201), edges: Some(198_353), features: Some(2_089), outputs: Some(5), split: Some([2_496, 1_664, 1_041]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use squirrel-filtered to compare models."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: false, binary: false },
};

/// Squirrel, links with their direction: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_DIRECTED: Entry = Entry {
    name: "squirrel-directed",
    aliases: &[],
    title: "Squirrel, links with their direction: traffic of Wikipedia pages from their words and links",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "ten, numbered 0 to 9",
    numbered_splits: 10,
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    licence: "MIT (repository)",
    homepage: "https://github.com/yandex-research/heterophilous-graphs",
    files: &[DataFile { names: &["squirrel_directed.npz"], url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_directed.npz"), member: None, sha256: Some("3f0436486716cf77b651c372e54f6b4c2cc52262e7faeeab584a34b41bae2616"), bytes: Some(760_119), required: true }],
    folders: &["heterophilous", "heterophilous-graphs/data", "squirrel-directed", "squirrel_directed", "squirrel_directed/raw", "squirrel-directed/raw", "geom-gcn/squirrel"],
    expected: Counts { graphs: Some(1), nodes: Some(5_201), edges: None, features: Some(2_089), outputs: Some(5), split: Some([2_496, 1_664, 1_041]) },
    row_normalise: false,
    seen_whole: true,
    notes: &["Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use squirrel-filtered to compare models.", "The links keep their direction: a node hears from the pages that link to it."],
    stand_in: None,
    reader: Reader::Heterophilous { directed: true, binary: false },
};
