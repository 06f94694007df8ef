//! Goods bought together and authors of joint papers.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        level: Level::Node,
        metric: Metric::Accuracy,
        splits: "one 60/20/20 of tunedGNN; seeded 60/20/20 without its file",
        numbered_splits: 0,
        citation: "Shchur, Mumme, Bojchevski, Günnemann: Pitfalls of Graph Neural Network Evaluation, 2018; split of Luo, Shi, Wu: Classic GNNs are Strong Baselines, NeurIPS 2024",
        licence: "MIT (repositories)",
        homepage: "https://github.com/shchur/gnn-benchmark",
        row_normalise: true,
        seen_whole: true,
        notes: &["Feature rows are divided by their sum, as the protocol behind the split does; upstream's are raw."],
        ..Entry::read_by(reader)
    }
}

/// Amazon Photo: kinds of goods from reviews and what is bought together.
pub const PHOTO: Entry = Entry {
    name: "photo",
    aliases: &["amazon-photo"],
    title: "Amazon Photo: kinds of goods from reviews and what is bought together",
    files: &[
        DataFile {
            names: &["amazon_photo.npz", "amazon_electronics_photo.npz"],
            url: Some(
                "https://raw.githubusercontent.com/EdisonLeeeee/GraphData/e766147ccf09e2e29ea449a4029482c21a93aa7d/datasets/amazon_photo.npz",
            ),
            member: None,
            sha256: Some("f0552bc8bcdb103c25b07cf4619bd9458af435c0728dc8366e86ffb912018c25"),
            bytes: Some(1_769_253),
            required: true,
        },
        DataFile {
            names: &["amazon-photo_split.npz"],
            url: Some(
                "https://raw.githubusercontent.com/LUOyk1999/tunedGNN/main/medium_graph/data/amazon-photo_split.npz",
            ),
            member: None,
            sha256: Some("0609f6ab15ddabfe33a34f10d960d09499e634472f72104abb1f3be858127432"),
            bytes: Some(61_946),
            required: false,
        },
    ],
    folders: &["amazon-photo", "Amazon/Photo/raw", "Photo/raw", "amazon_photo"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(7_650),
        edges: Some(119_081),
        features: Some(745),
        outputs: Some(8),
        split: Some([4_590, 1_530, 1_530]),
    },
    ..shared(Reader::Amazon)
};

/// Amazon Computers: kinds of goods from reviews and what is bought together.
pub const COMPUTERS: Entry = Entry {
    name: "computers",
    aliases: &["amazon-computers", "amazon-computer", "computer"],
    title: "Amazon Computers: kinds of goods from reviews and what is bought together",
    files: &[
        DataFile {
            names: &["amazon_cs.npz", "amazon_electronics_computers.npz"],
            url: Some(
                "https://raw.githubusercontent.com/EdisonLeeeee/GraphData/e766147ccf09e2e29ea449a4029482c21a93aa7d/datasets/amazon_cs.npz",
            ),
            member: None,
            sha256: Some("bffa1720ee30487a6f10f2ad57741d1a401d89a31a6a4c5c6de1ba42a1f2a0e0"),
            bytes: Some(3_407_870),
            required: true,
        },
        DataFile {
            names: &["amazon-computer_split.npz"],
            url: Some(
                "https://raw.githubusercontent.com/LUOyk1999/tunedGNN/main/medium_graph/data/amazon-computer_split.npz",
            ),
            member: None,
            sha256: Some("dff698aba1dd30b8bd7d1dca65c60b1f8d9027d950e07a23e86dcbf16c539f24"),
            bytes: Some(110_762),
            required: false,
        },
    ],
    folders: &["amazon-computers", "Amazon/Computers/raw", "Computers/raw", "amazon_computers"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(13_752),
        edges: Some(245_861),
        features: Some(767),
        outputs: Some(10),
        split: Some([8_251, 2_750, 2_751]),
    },
    ..shared(Reader::Amazon)
};

/// Coauthor CS: fields of authors from their keywords and joint papers.
pub const CS: Entry = Entry {
    name: "cs",
    aliases: &["coauthor-cs"],
    title: "Coauthor CS: fields of authors from their keywords and joint papers",
    files: &[
        DataFile {
            names: &["ms_academic_cs.npz", "coauthor_cs.npz"],
            url: Some("https://github.com/shchur/gnn-benchmark/raw/master/data/npz/ms_academic_cs.npz"),
            member: None,
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["coauthor-cs_split.npz"],
            url: Some(
                "https://raw.githubusercontent.com/LUOyk1999/tunedGNN/main/medium_graph/data/coauthor-cs_split.npz",
            ),
            member: None,
            sha256: Some("b8c46a38d93b1f9d6b8b8ab944d870e8d44ccdde0639188681e0d38212480ec5"),
            bytes: None,
            required: false,
        },
    ],
    folders: &["coauthor-cs", "Coauthor/CS/raw", "CS/raw", "coauthor_cs"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(18_333),
        edges: Some(81_894),
        features: Some(6_805),
        outputs: Some(15),
        split: None,
    },
    seen_whole: false,
    ..shared(Reader::Amazon)
};

/// Coauthor Physics: fields of authors from their keywords and joint papers.
pub const PHYSICS: Entry = Entry {
    name: "physics",
    aliases: &["coauthor-physics", "coauthor-phy"],
    title: "Coauthor Physics: fields of authors from their keywords and joint papers",
    files: &[
        DataFile {
            names: &["coauthor_phy.npz", "ms_academic_phy.npz"],
            url: Some(
                "https://raw.githubusercontent.com/EdisonLeeeee/GraphData/e766147ccf09e2e29ea449a4029482c21a93aa7d/datasets/coauthor_phy.npz",
            ),
            member: None,
            sha256: Some("121a85ee9fac9859693e649d3e9f3561e3a23a9aa4d8e8951e9e3eec8e9b52ef"),
            bytes: Some(3_767_567),
            required: true,
        },
        DataFile {
            names: &["coauthor-physics_split.npz"],
            url: Some(
                "https://raw.githubusercontent.com/LUOyk1999/tunedGNN/main/medium_graph/data/coauthor-physics_split.npz",
            ),
            member: None,
            sha256: Some("2034eb90f5ff80eee0e371cc05b20690a16786fb085924b9166c83361fbbcb39"),
            bytes: Some(276_690),
            required: false,
        },
    ],
    folders: &["coauthor-physics", "Coauthor/Physics/raw", "Physics/raw", "coauthor_physics"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(34_493),
        edges: Some(247_962),
        features: Some(8_415),
        outputs: Some(5),
        split: Some([20_695, 6_898, 6_900]),
    },
    ..shared(Reader::Amazon)
};
