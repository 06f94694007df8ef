//! The citation graphs of Planetoid.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::metrics::Metric;

/// Cora: subjects of papers from their words and citations.
pub const CORA: Entry = Entry {
    name: "cora",
    aliases: &["planetoid-cora"],
    title: "Cora: subjects of papers from their words and citations",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "public 140/500/1,000; or 20 per class, 500, 1,000, seeded",
    numbered_splits: 0,
    citation: "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016",
    licence: "MIT (repository)",
    homepage: "https://github.com/kimiyoung/planetoid",
    files: &[DataFile { names: &["ind.cora.x"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.x"), member: None, sha256: Some("23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"), bytes: Some(22_119), required: true }, DataFile { names: &["ind.cora.tx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.tx"), member: None, sha256: Some("b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"), bytes: Some(148_025), required: true }, DataFile { names: &["ind.cora.allx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.allx"), member: None, sha256: Some("9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"), bytes: Some(257_305), required: true }, DataFile { names: &["ind.cora.y"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.y"), member: None, sha256: Some("94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"), bytes: Some(4_054), required: true }, DataFile { names: &["ind.cora.ty"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.ty"), member: None, sha256: Some("41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"), bytes: Some(28_135), required: true }, DataFile { names: &["ind.cora.ally"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.ally"), member: None, sha256: Some("2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"), bytes: Some(47_959), required: true }, DataFile { names: &["ind.cora.graph"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.graph"), member: None, sha256: Some("58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"), bytes: Some(59_847), required: true }, DataFile { names: &["ind.cora.test.index"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.cora.test.index"), member: None, sha256: Some("297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"), bytes: Some(5_000), required: true }],
    folders: &["planetoid-cora", "Cora/raw", "cora/raw", "cora", "Planetoid/Cora/raw", "planetoid/data"],
    expected: Counts { graphs: Some(1), nodes: Some(2_708), edges: Some(5_278), features: Some(1_433), outputs: Some(7), split: Some([140, 500, 1_000]) },
    row_normalise: true,
    seen_whole: true,
    notes: &["Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw."],
    stand_in: None,
    reader: Reader::Planetoid { name: "cora" },
};

/// CiteSeer: subjects of papers from their words and citations.
pub const CITESEER: Entry = Entry {
    name: "citeseer",
    aliases: &["planetoid-citeseer"],
    title: "CiteSeer: subjects of papers from their words and citations",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "public 120/500/1,000; or 20 per class, 500, 1,000, seeded",
    numbered_splits: 0,
    citation: "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016",
    licence: "MIT (repository)",
    homepage: "https://github.com/kimiyoung/planetoid",
    files: &[DataFile { names: &["ind.citeseer.x"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.x"), member: None, sha256: Some("d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"), bytes: Some(31_087), required: true }, DataFile { names: &["ind.citeseer.tx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.tx"), member: None, sha256: Some("539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"), bytes: Some(260_321), required: true }, DataFile { names: &["ind.citeseer.allx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.allx"), member: None, sha256: Some("2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"), bytes: Some(595_021), required: true }, DataFile { names: &["ind.citeseer.y"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.y"), member: None, sha256: Some("8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"), bytes: Some(3_014), required: true }, DataFile { names: &["ind.citeseer.ty"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.ty"), member: None, sha256: Some("55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"), bytes: Some(24_135), required: true }, DataFile { names: &["ind.citeseer.ally"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.ally"), member: None, sha256: Some("f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"), bytes: Some(55_623), required: true }, DataFile { names: &["ind.citeseer.graph"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.graph"), member: None, sha256: Some("d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"), bytes: Some(61_987), required: true }, DataFile { names: &["ind.citeseer.test.index"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.test.index"), member: None, sha256: Some("2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"), bytes: Some(5_000), required: true }],
    folders: &["planetoid-citeseer", "CiteSeer/raw", "citeseer/raw", "citeseer", "Planetoid/CiteSeer/raw", "planetoid/data"],
    expected: Counts { graphs: Some(1), nodes: Some(3_327), edges: Some(4_552), features: Some(3_703), outputs: Some(6), split: Some([120, 500, 1_000]) },
    row_normalise: true,
    seen_whole: true,
    notes: &["Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw.", "48 nodes are isolated; 15 of them have neither features nor a label and are in no split.", "Upstream lists 4,732 edges by halving its 9,464 entries; 4,552 remain without self-loops and repetitions."],
    stand_in: None,
    reader: Reader::Planetoid { name: "citeseer" },
};

/// PubMed: subjects of papers from their words and citations.
pub const PUBMED: Entry = Entry {
    name: "pubmed",
    aliases: &["planetoid-pubmed"],
    title: "PubMed: subjects of papers from their words and citations",
    level: Level::Node,
    metric: Metric::Accuracy,
    splits: "public 60/500/1,000; or 20 per class, 500, 1,000, seeded",
    numbered_splits: 0,
    citation: "Yang, Cohen, Salakhutdinov: Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016",
    licence: "MIT (repository)",
    homepage: "https://github.com/kimiyoung/planetoid",
    files: &[DataFile { names: &["ind.pubmed.x"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.x"), member: None, sha256: Some("fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"), bytes: Some(23_172), required: true }, DataFile { names: &["ind.pubmed.tx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.tx"), member: None, sha256: Some("4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"), bytes: Some(405_505), required: true }, DataFile { names: &["ind.pubmed.allx"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.allx"), member: None, sha256: Some("508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"), bytes: Some(7_578_385), required: true }, DataFile { names: &["ind.pubmed.y"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.y"), member: None, sha256: Some("e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"), bytes: Some(854), required: true }, DataFile { names: &["ind.pubmed.ty"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.ty"), member: None, sha256: Some("ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"), bytes: Some(12_135), required: true }, DataFile { names: &["ind.pubmed.ally"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.ally"), member: None, sha256: Some("0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"), bytes: Some(224_739), required: true }, DataFile { names: &["ind.pubmed.graph"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.graph"), member: None, sha256: Some("5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"), bytes: Some(471_808), required: true }, DataFile { names: &["ind.pubmed.test.index"], url: Some("https://github.com/kimiyoung/planetoid/raw/master/data/ind.pubmed.test.index"), member: None, sha256: Some("b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"), bytes: Some(6_000), required: true }],
    folders: &["planetoid-pubmed", "PubMed/raw", "pubmed/raw", "pubmed", "Planetoid/PubMed/raw", "planetoid/data"],
    expected: Counts { graphs: Some(1), nodes: Some(19_717), edges: Some(44_324), features: Some(500), outputs: Some(3), split: Some([60, 500, 1_000]) },
    row_normalise: true,
    seen_whole: true,
    notes: &["Feature rows are divided by their sum, as Kipf and Welling (2017) do; upstream's are raw."],
    stand_in: None,
    reader: Reader::Planetoid { name: "pubmed" },
};
