//! Wikipedia pages about chameleons and squirrels.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        level: Level::Node,
        metric: Metric::Accuracy,
        splits: "ten, numbered 0 to 9",
        numbered_splits: 10,
        citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023; Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021",
        licence: "MIT (repository)",
        homepage: "https://github.com/yandex-research/heterophilous-graphs",
        seen_whole: true,
        ..Entry::read_by(reader)
    }
}

/// Chameleon without duplicate pages: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_FILTERED: Entry = Entry {
    name: "chameleon-filtered",
    title: "Chameleon without duplicate pages: traffic of Wikipedia pages from their words and links",
    files: &[DataFile::published(
        &["chameleon_filtered.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_filtered.npz",
        "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
        58_924,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "chameleon-filtered",
        "chameleon_filtered",
        "chameleon_filtered/raw",
        "chameleon-filtered/raw",
        "geom-gcn/chameleon",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(890),
        edges: Some(8_854),
        features: Some(2_325),
        outputs: Some(5),
        split: Some([409, 287, 194]),
    },
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Chameleon without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_FILTERED_DIRECTED: Entry = Entry {
    name: "chameleon-filtered-directed",
    title: "Chameleon without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links",
    files: &[DataFile::published(
        &["chameleon_filtered_directed.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_filtered_directed.npz",
        "5a2d40701407188f1661d37a326484b49cc15251e0dedaa7bd380873dac80f21",
        69_275,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "chameleon-filtered-directed",
        "chameleon_filtered_directed",
        "chameleon_filtered_directed/raw",
        "chameleon-filtered-directed/raw",
        "geom-gcn/chameleon",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(890),
        edges: Some(13_534),
        features: Some(2_325),
        outputs: Some(5),
        split: Some([409, 287, 194]),
    },
    notes: &["The links keep their direction: a node hears from the pages that link to it."],
    ..shared(Reader::Heterophilous { directed: true, binary: false })
};

/// Chameleon: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON: Entry = Entry {
    name: "chameleon",
    title: "Chameleon: traffic of Wikipedia pages from their words and links",
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["chameleon.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon.npz",
        "4c640bd2877fc4f9f101531e2f977bc16445a54e09a5cb01178df608e552f3fd",
        177_840,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "chameleon", "chameleon/raw", "geom-gcn/chameleon"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_277),
        edges: Some(31_371),
        features: Some(2_325),
        outputs: Some(5),
        split: Some([1_092, 729, 456]),
    },
    notes: &[
        "Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use chameleon-filtered to compare models.",
    ],
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Chameleon, links with their direction: traffic of Wikipedia pages from their words and links.
pub const CHAMELEON_DIRECTED: Entry = Entry {
    name: "chameleon-directed",
    title: "Chameleon, links with their direction: traffic of Wikipedia pages from their words and links",
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["chameleon_directed.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/chameleon_directed.npz",
        "34aea6b6888063544232100d53d4aa7e87e37953ec8dd3a7092afb25bb2f0328",
        191_520,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "chameleon-directed",
        "chameleon_directed",
        "chameleon_directed/raw",
        "chameleon-directed/raw",
        "geom-gcn/chameleon",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_277),
        edges: None,
        features: Some(2_325),
        outputs: Some(5),
        split: Some([1_092, 729, 456]),
    },
    notes: &[
        "Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use chameleon-filtered to compare models.",
        "The links keep their direction: a node hears from the pages that link to it.",
    ],
    ..shared(Reader::Heterophilous { directed: true, binary: false })
};

/// Squirrel without duplicate pages: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_FILTERED: Entry = Entry {
    name: "squirrel-filtered",
    title: "Squirrel without duplicate pages: traffic of Wikipedia pages from their words and links",
    files: &[DataFile::published(
        &["squirrel_filtered.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_filtered.npz",
        "f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7",
        208_215,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "squirrel-filtered",
        "squirrel_filtered",
        "squirrel_filtered/raw",
        "squirrel-filtered/raw",
        "geom-gcn/squirrel",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_223),
        edges: Some(46_998),
        features: Some(2_089),
        outputs: Some(5),
        split: Some([1_053, 718, 452]),
    },
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Squirrel without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_FILTERED_DIRECTED: Entry = Entry {
    name: "squirrel-filtered-directed",
    title: "Squirrel without duplicate pages, links with their direction: traffic of Wikipedia pages from their words and links",
    files: &[DataFile::published(
        &["squirrel_filtered_directed.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_filtered_directed.npz",
        "0526e53252f0b052124f7390829c32e923d432acaf64206191a1144a07b39620",
        249_855,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "squirrel-filtered-directed",
        "squirrel_filtered_directed",
        "squirrel_filtered_directed/raw",
        "squirrel-filtered-directed/raw",
        "geom-gcn/squirrel",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_223),
        edges: Some(65_578),
        features: Some(2_089),
        outputs: Some(5),
        split: Some([1_053, 718, 452]),
    },
    notes: &["The links keep their direction: a node hears from the pages that link to it."],
    ..shared(Reader::Heterophilous { directed: true, binary: false })
};

/// Squirrel: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL: Entry = Entry {
    name: "squirrel",
    title: "Squirrel: traffic of Wikipedia pages from their words and links",
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["squirrel.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel.npz",
        "d436e3b42c0546b105241c0ab0766097074e68e55f67b133eeb9b0162e55cbd9",
        704_277,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "squirrel", "squirrel/raw", "geom-gcn/squirrel"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(5_201),
        edges: Some(198_353),
        features: Some(2_089),
        outputs: Some(5),
        split: Some([2_496, 1_664, 1_041]),
    },
    notes: &[
        "Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use squirrel-filtered to compare models.",
    ],
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Squirrel, links with their direction: traffic of Wikipedia pages from their words and links.
pub const SQUIRREL_DIRECTED: Entry = Entry {
    name: "squirrel-directed",
    title: "Squirrel, links with their direction: traffic of Wikipedia pages from their words and links",
    citation: "Rozemberczki, Allen, Sarkar: Multi-scale attributed node embedding, 2021; Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["squirrel_directed.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/squirrel_directed.npz",
        "3f0436486716cf77b651c372e54f6b4c2cc52262e7faeeab584a34b41bae2616",
        760_119,
    )],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "squirrel-directed",
        "squirrel_directed",
        "squirrel_directed/raw",
        "squirrel-directed/raw",
        "geom-gcn/squirrel",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(5_201),
        edges: None,
        features: Some(2_089),
        outputs: Some(5),
        split: Some([2_496, 1_664, 1_041]),
    },
    notes: &[
        "Many pages are duplicates that lie in train and test alike (Platonov and others, 2023); use squirrel-filtered to compare models.",
        "The links keep their direction: a node hears from the pages that link to it.",
    ],
    ..shared(Reader::Heterophilous { directed: true, binary: false })
};
