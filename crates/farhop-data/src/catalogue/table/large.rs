//! WikiCS and the node tasks of the Open Graph Benchmark.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry { level: Level::Node, metric: Metric::Accuracy, ..Entry::read_by(reader) }
}

/// WikiCS: branches of computer science of Wikipedia articles from their text and links.
pub const WIKICS: Entry = Entry {
    name: "wikics",
    aliases: &["wiki-cs"],
    title: "WikiCS: branches of computer science of Wikipedia articles from their text and links",
    splits: "twenty, numbered 0 to 19, with one common test set",
    numbered_splits: 20,
    citation: "Mernyei, Cangea: Wiki-CS, 2020",
    licence: "MIT (repository)",
    homepage: "https://github.com/pmernyei/wiki-cs-dataset",
    files: &[DataFile {
        names: &["data.json", "data.json.gz"],
        url: Some("https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json"),
        member: None,
        sha256: None,
        bytes: None,
        required: true,
    }],
    folders: &["wikics", "WikiCS/raw", "wikics/raw", "wiki-cs-dataset/dataset"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(11_701),
        edges: None,
        features: Some(300),
        outputs: Some(10),
        split: None,
    },
    notes: &[
        "Links are made undirected. Valid is upstream's validation and stopping nodes together, as tunedGNN takes them.",
    ],
    ..shared(Reader::WikiCs)
};

/// ogbn-arxiv: subjects of arXiv papers from their titles and citations.
pub const OGBN_ARXIV: Entry = Entry {
    name: "ogbn-arxiv",
    aliases: &["arxiv"],
    title: "ogbn-arxiv: subjects of arXiv papers from their titles and citations",
    splits: "one, by year",
    numbered_splits: 0,
    citation: "Hu, Fey, Zitnik and others: Open Graph Benchmark, NeurIPS 2020",
    licence: "ODC-BY",
    homepage: "https://ogb.stanford.edu/docs/nodeprop/",
    files: &[
        DataFile {
            names: &["raw/edge.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/raw/edge.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/node-feat.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/raw/node-feat.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/node-label.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/raw/node-label.csv.gz"),
            sha256: Some("b06e7cf75d909de66ce49bc4188a6dc525224f85dd6dcb36137de3d9321830d1"),
            bytes: Some(123_505),
            required: true,
        },
        DataFile {
            names: &["raw/num-node-list.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/raw/num-node-list.csv.gz"),
            sha256: Some("9aa60a342efd209408933ace51e6b0a814e81c2894a993c44f9b173e477e2e82"),
            bytes: Some(51),
            required: true,
        },
        DataFile {
            names: &["raw/num-edge-list.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/raw/num-edge-list.csv.gz"),
            sha256: Some("430f1e00ae204bbb3208c5f494ab70170e9f2995fd3548d1754a74a8f59250d1"),
            bytes: Some(52),
            required: true,
        },
        DataFile {
            names: &["split/time/train.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/split/time/train.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["split/time/valid.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/split/time/valid.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["split/time/test.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"),
            member: Some("arxiv/split/time/test.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
    ],
    folders: &["ogbn-arxiv", "ogbn_arxiv", "ogbn-arxiv-partial"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(169_343),
        edges: Some(1_157_799),
        features: Some(128),
        outputs: Some(40),
        split: Some([90_941, 29_799, 48_603]),
    },
    notes: &["Citations are made undirected, as the leaderboard does."],
    ..shared(Reader::OgbNodes { split: "time", directed: false })
};

/// ogbn-products: kinds of goods from their text and what is bought together.
pub const OGBN_PRODUCTS: Entry = Entry {
    name: "ogbn-products",
    aliases: &["products"],
    title: "ogbn-products: kinds of goods from their text and what is bought together",
    splits: "one, by sales rank",
    numbered_splits: 0,
    citation: "Hu, Fey, Zitnik and others: Open Graph Benchmark, NeurIPS 2020",
    licence: "Amazon licence",
    homepage: "https://ogb.stanford.edu/docs/nodeprop/",
    files: &[
        DataFile {
            names: &["raw/edge.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/raw/edge.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/node-feat.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/raw/node-feat.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/node-label.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/raw/node-label.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/num-node-list.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/raw/num-node-list.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["raw/num-edge-list.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/raw/num-edge-list.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["split/sales_ranking/train.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/split/sales_ranking/train.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["split/sales_ranking/valid.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/split/sales_ranking/valid.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["split/sales_ranking/test.csv.gz"],
            url: Some("http://snap.stanford.edu/ogb/data/nodeproppred/products.zip"),
            member: Some("products/split/sales_ranking/test.csv.gz"),
            sha256: None,
            bytes: None,
            required: true,
        },
    ],
    folders: &["ogbn-products", "ogbn_products"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_449_029),
        edges: None,
        features: Some(100),
        outputs: Some(47),
        split: Some([196_615, 39_323, 2_213_091]),
    },
    notes: &["61,859,140 edges as upstream counts them."],
    ..shared(Reader::OgbNodes { split: "sales_ranking", directed: false })
};
