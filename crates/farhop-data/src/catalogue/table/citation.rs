//! The citation graphs of Planetoid.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        level: Level::Node,
        metric: Metric::Accuracy,
        numbered_splits: 0,
        citation: "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016",
        licence: "MIT (repository)",
        homepage: "https://github.com/kimiyoung/planetoid",
        row_normalise: true,
        seen_whole: true,
        ..Entry::read_by(reader)
    }
}

/// Cora: subjects of papers from their words and citations.
pub const CORA: Entry = Entry {
    name: "cora",
    aliases: &["planetoid-cora"],
    title: "Cora: subjects of papers from their words and citations",
    splits: "public 140/500/1,000; or 20 per class, 500, 1,000, seeded",
    files: &[
        DataFile::published(
            &["ind.cora.x"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.x",
            "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
            22_119,
        ),
        DataFile::published(
            &["ind.cora.tx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.tx",
            "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
            148_025,
        ),
        DataFile::published(
            &["ind.cora.allx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.allx",
            "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
            257_305,
        ),
        DataFile::published(
            &["ind.cora.y"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.y",
            "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
            4_054,
        ),
        DataFile::published(
            &["ind.cora.ty"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.ty",
            "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
            28_135,
        ),
        DataFile::published(
            &["ind.cora.ally"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.ally",
            "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
            47_959,
        ),
        DataFile::published(
            &["ind.cora.graph"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.graph",
            "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
            59_847,
        ),
        DataFile::published(
            &["ind.cora.test.index"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.test.index",
            "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
            5_000,
        ),
    ],
    folders: &["planetoid-cora", "Cora/raw", "cora/raw", "cora", "Planetoid/Cora/raw", "planetoid/data"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(2_708),
        edges: Some(5_278),
        features: Some(1_433),
        outputs: Some(7),
        split: Some([140, 500, 1_000]),
    },
    notes: &["Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw."],
    ..shared(Reader::Planetoid { name: "cora" })
};

/// CiteSeer: subjects of papers from their words and citations.
pub const CITESEER: Entry = Entry {
    name: "citeseer",
    aliases: &["planetoid-citeseer"],
    title: "CiteSeer: subjects of papers from their words and citations",
    splits: "public 120/500/1,000; or 20 per class, 500, 1,000, seeded",
    files: &[
        DataFile::published(
            &["ind.citeseer.x"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.x",
            "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
            31_087,
        ),
        DataFile::published(
            &["ind.citeseer.tx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.tx",
            "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
            260_321,
        ),
        DataFile::published(
            &["ind.citeseer.allx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.allx",
            "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
            595_021,
        ),
        DataFile::published(
            &["ind.citeseer.y"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.y",
            "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
            3_014,
        ),
        DataFile::published(
            &["ind.citeseer.ty"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.ty",
            "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
            24_135,
        ),
        DataFile::published(
            &["ind.citeseer.ally"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.ally",
            "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
            55_623,
        ),
        DataFile::published(
            &["ind.citeseer.graph"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.graph",
            "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
            61_987,
        ),
        DataFile::published(
            &["ind.citeseer.test.index"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.test.index",
            "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
            5_000,
        ),
    ],
    folders: &[
        "planetoid-citeseer",
        "CiteSeer/raw",
        "citeseer/raw",
        "citeseer",
        "Planetoid/CiteSeer/raw",
        "planetoid/data",
    ],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(3_327),
        edges: Some(4_552),
        features: Some(3_703),
        outputs: Some(6),
        split: Some([120, 500, 1_000]),
    },
    notes: &[
        "Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw.",
        "48 nodes are isolated; 15 others have neither features nor a label and are in no split.",
        "Upstream lists 4,732 edges by halving its 9,464 entries; 4,552 remain without self-loops and repetitions.",
    ],
    ..shared(Reader::Planetoid { name: "citeseer" })
};

/// PubMed: subjects of papers from their words and citations.
pub const PUBMED: Entry = Entry {
    name: "pubmed",
    aliases: &["planetoid-pubmed"],
    title: "PubMed: subjects of papers from their words and citations",
    splits: "public 60/500/1,000; or 20 per class, 500, 1,000, seeded",
    files: &[
        DataFile::published(
            &["ind.pubmed.x"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.x",
            "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
            23_172,
        ),
        DataFile::published(
            &["ind.pubmed.tx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.tx",
            "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
            405_505,
        ),
        DataFile::published(
            &["ind.pubmed.allx"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.allx",
            "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
            7_578_385,
        ),
        DataFile::published(
            &["ind.pubmed.y"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.y",
            "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
            854,
        ),
        DataFile::published(
            &["ind.pubmed.ty"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.ty",
            "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
            12_135,
        ),
        DataFile::published(
            &["ind.pubmed.ally"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.ally",
            "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
            224_739,
        ),
        DataFile::published(
            &["ind.pubmed.graph"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.graph",
            "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
            471_808,
        ),
        DataFile::published(
            &["ind.pubmed.test.index"],
            "https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.test.index",
            "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
            6_000,
        ),
    ],
    folders: &["planetoid-pubmed", "PubMed/raw", "pubmed/raw", "pubmed", "Planetoid/PubMed/raw", "planetoid/data"],
    expected: Counts {
        graphs: Some(1),
        nodes: Some(19_717),
        edges: Some(44_324),
        features: Some(500),
        outputs: Some(3),
        split: Some([60, 500, 1_000]),
    },
    notes: &["Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw."],
    ..shared(Reader::Planetoid { name: "pubmed" })
};
