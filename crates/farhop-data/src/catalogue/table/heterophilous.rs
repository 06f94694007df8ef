//! Graphs whose neighbours are often of different classes.

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
        citation: "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova: A critical look at the evaluation of GNNs under heterophily, ICLR 2023",
        licence: "MIT (repository)",
        homepage: "https://github.com/yandex-research/heterophilous-graphs",
        ..Entry::read_by(reader)
    }
}

/// Actor: kinds of actors from words of their pages and common pages.
pub const ACTOR: Entry = Entry {
    name: "actor",
    aliases: &["film"],
    title: "Actor: kinds of actors from words of their pages and common pages",
    citation: "Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["actor.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/actor.npz",
        "c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816",
        252_956,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "actor", "actor/raw", "geom-gcn/actor"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(7_600),
        edges: Some(26_659),
        features: Some(932),
        outputs: Some(5),
        split: Some([3_648, 2_432, 1_520]),
    },
    seen_whole: true,
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Texas of WebKB: kinds of pages of a university from their words and links.
pub const TEXAS: Entry = Entry {
    name: "texas",
    title: "Texas of WebKB: kinds of pages of a university from their words and links",
    citation: "Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["texas.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/texas.npz",
        "b164b99e6c3d43e4ab07488ec59bd8c815f90cbc1bd4cf425ce587d2b534d844",
        28_586,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "texas", "texas/raw", "geom-gcn/texas"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(183),
        edges: Some(279),
        features: Some(1_703),
        outputs: Some(5),
        split: Some([87, 59, 37]),
    },
    seen_whole: true,
    notes: &["One class has a single node."],
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Cornell of WebKB: kinds of pages of a university from their words and links.
pub const CORNELL: Entry = Entry {
    name: "cornell",
    title: "Cornell of WebKB: kinds of pages of a university from their words and links",
    citation: "Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["cornell.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/cornell.npz",
        "684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298",
        30_515,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "cornell", "cornell/raw", "geom-gcn/cornell"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(183),
        edges: Some(277),
        features: Some(1_703),
        outputs: Some(5),
        split: Some([87, 59, 37]),
    },
    seen_whole: true,
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Wisconsin of WebKB: kinds of pages of a university from their words and links.
pub const WISCONSIN: Entry = Entry {
    name: "wisconsin",
    title: "Wisconsin of WebKB: kinds of pages of a university from their words and links",
    citation: "Pei, Wei, Chang, Lei, Yang: Geom-GCN, ICLR 2020",
    files: &[DataFile::published(
        &["wisconsin.npz"],
        "https://github.com/yandex-research/heterophilous-graphs/raw/main/data/wisconsin.npz",
        "2543c89838cfc75f737f7c4664cc1d097f8268602c20b2d1bd4f21407df9c074",
        41_672,
    )],
    folders: &["heterophilous", "heterophilous-graphs/data", "wisconsin", "wisconsin/raw", "geom-gcn/wisconsin"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(251),
        edges: Some(450),
        features: Some(1_703),
        outputs: Some(5),
        split: Some([120, 80, 51]),
    },
    seen_whole: true,
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Roman-Empire: the syntactic role of words of one long article.
pub const ROMAN_EMPIRE: Entry = Entry {
    name: "roman-empire",
    title: "Roman-Empire: the syntactic role of words of one long article",
    files: &[DataFile {
        names: &["roman_empire.npz"],
        url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/roman_empire.npz"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "roman-empire",
        "roman_empire",
        "roman_empire/raw",
        "roman-empire/raw",
        "geom-gcn/roman",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(22_662),
        edges: Some(32_927),
        features: Some(300),
        outputs: Some(18),
        split: None,
    },
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Amazon-Ratings: mean ratings of goods from their text and what is bought together.
pub const AMAZON_RATINGS: Entry = Entry {
    name: "amazon-ratings",
    title: "Amazon-Ratings: mean ratings of goods from their text and what is bought together",
    files: &[DataFile {
        names: &["amazon_ratings.npz"],
        url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/amazon_ratings.npz"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &[
        "heterophilous",
        "heterophilous-graphs/data",
        "amazon-ratings",
        "amazon_ratings",
        "amazon_ratings/raw",
        "amazon-ratings/raw",
        "geom-gcn/amazon",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(24_492),
        edges: Some(93_050),
        features: Some(300),
        outputs: Some(5),
        split: None,
    },
    ..shared(Reader::Heterophilous { directed: false, binary: false })
};

/// Minesweeper: mines on a board from the counts around.
pub const MINESWEEPER: Entry = Entry {
    name: "minesweeper",
    title: "Minesweeper: mines on a board from the counts around",
    metric: Metric::RocAuc,
    files: &[DataFile {
        names: &["minesweeper.npz"],
        url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/minesweeper.npz"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &["heterophilous", "heterophilous-graphs/data", "minesweeper", "minesweeper/raw", "geom-gcn/minesweeper"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(10_000),
        edges: Some(39_402),
        features: Some(7),
        outputs: Some(1),
        split: None,
    },
    ..shared(Reader::Heterophilous { directed: false, binary: true })
};

/// Tolokers: banned workers from their profiles and common tasks.
pub const TOLOKERS: Entry = Entry {
    name: "tolokers",
    title: "Tolokers: banned workers from their profiles and common tasks",
    metric: Metric::RocAuc,
    files: &[DataFile {
        names: &["tolokers.npz"],
        url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/tolokers.npz"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &["heterophilous", "heterophilous-graphs/data", "tolokers", "tolokers/raw", "geom-gcn/tolokers"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(11_758),
        edges: Some(519_000),
        features: Some(10),
        outputs: Some(1),
        split: None,
    },
    ..shared(Reader::Heterophilous { directed: false, binary: true })
};

/// Questions: users who stay active from their texts and answers.
pub const QUESTIONS: Entry = Entry {
    name: "questions",
    title: "Questions: users who stay active from their texts and answers",
    metric: Metric::RocAuc,
    files: &[DataFile {
        names: &["questions.npz"],
        url: Some("https://github.com/yandex-research/heterophilous-graphs/raw/main/data/questions.npz"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &["heterophilous", "heterophilous-graphs/data", "questions", "questions/raw", "geom-gcn/questions"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(48_921),
        edges: Some(153_540),
        features: Some(301),
        outputs: Some(1),
        split: None,
    },
    ..shared(Reader::Heterophilous { directed: false, binary: true })
};
