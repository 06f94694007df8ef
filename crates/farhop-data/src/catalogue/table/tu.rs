//! Collections of the TU datasets.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        level: Level::Graph,
        metric: Metric::Accuracy,
        splits: "ten folds, numbered 0 to 9; seeded 80/10/10 without their file",
        numbered_splits: 10,
        citation: "Morris and others: TUDataset, 2020; folds of Errica and others, ICLR 2020",
        licence: "none stated",
        homepage: "https://chrsmrrs.github.io/datasets/",
        seen_whole: true,
        ..Entry::read_by(reader)
    }
}

/// MUTAG: whether a molecule changes genes.
pub const MUTAG: Entry = Entry {
    name: "mutag",
    title: "MUTAG: whether a molecule changes genes",
    splits: "seeded 80/10/10, the same shares of every class",
    numbered_splits: 0,
    citation: "Morris and others: TUDataset, 2020",
    files: &[
        DataFile {
            names: &["MUTAG_A.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"),
            member: Some("MUTAG/MUTAG_A.txt"),
            sha256: Some("d9656ca7493f3445d737c711710bb36fd432dddd1c0ea32e1d4713c86ebd28e2"),
            bytes: Some(76_940),
            required: true,
        },
        DataFile {
            names: &["MUTAG_graph_indicator.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"),
            member: Some("MUTAG/MUTAG_graph_indicator.txt"),
            sha256: Some("7d520a4d6c7961c0cdeabe076d8fe27e795b6d373485c9a2b744987e560a2056"),
            bytes: Some(11_532),
            required: true,
        },
        DataFile {
            names: &["MUTAG_graph_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"),
            member: Some("MUTAG/MUTAG_graph_labels.txt"),
            sha256: Some("a1518ea39ba3426bd42f57396b9c4baffe68e9adc718caeeab0119c6591a5f2c"),
            bytes: Some(439),
            required: true,
        },
        DataFile {
            names: &["MUTAG_node_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"),
            member: Some("MUTAG/MUTAG_node_labels.txt"),
            sha256: Some("678f429965490e84dd27713017538c995fc05d1621beac910848b600015ee863"),
            bytes: Some(6_742),
            required: true,
        },
        DataFile {
            names: &["MUTAG_edge_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip"),
            member: Some("MUTAG/MUTAG_edge_labels.txt"),
            sha256: Some("4669ce755075ff86c3240709345745886400908fa637a49310459b9c267b3e56"),
            bytes: Some(14_884),
            required: true,
        },
    ],
    folders: &["tu/MUTAG", "MUTAG/raw", "TUDataset/MUTAG/raw", "MUTAG", "tu/splits"],
    expected: Counts {
        graphs: Some(188),
        nodes: Some(3_371),
        edges: Some(3_721),
        features: Some(1),
        outputs: Some(2),
        split: None,
    },
    ..shared(Reader::Tu { name: "MUTAG" })
};

/// NCI1: whether a molecule slows lung cancer.
pub const NCI1: Entry = Entry {
    name: "nci1",
    title: "NCI1: whether a molecule slows lung cancer",
    files: &[
        DataFile {
            names: &["NCI1_A.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"),
            member: Some("NCI1/NCI1_A.txt"),
            sha256: Some("2c028eda59a5fe96e2265a63d9ac236901bd9a7dc658498be13cd704a703076d"),
            bytes: Some(3_235_898),
            required: true,
        },
        DataFile {
            names: &["NCI1_graph_indicator.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"),
            member: Some("NCI1/NCI1_graph_indicator.txt"),
            sha256: Some("ffe5acfa754b057d5ce0dc725c5aadb631628161886cc040d38c719635257dc5"),
            bytes: Some(585_267),
            required: true,
        },
        DataFile {
            names: &["NCI1_graph_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"),
            member: Some("NCI1/NCI1_graph_labels.txt"),
            sha256: Some("fae44681e70113f496256ae87eaac33b7836e3a97fe8e023933b84fde6a5c8a2"),
            bytes: Some(8_220),
            required: true,
        },
        DataFile {
            names: &["NCI1_node_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/NCI1.zip"),
            member: Some("NCI1/NCI1_node_labels.txt"),
            sha256: Some("dc0a22b6cbff0c939de00373e823977ba32b358f560e4288d7602f7b51407ee2"),
            bytes: Some(245_932),
            required: true,
        },
        DataFile {
            names: &["NCI1_splits.json"],
            url: Some("https://github.com/benfinkelshtein/CoGNN/raw/main/folds/NCI1_splits.json"),
            member: None,
            sha256: Some("74aaee4ec1e65309818eb1b9ab5820f534f2b309c662c22ce1f0f146e8116f63"),
            bytes: Some(236_120),
            required: false,
        },
    ],
    folders: &["tu/NCI1", "NCI1/raw", "TUDataset/NCI1/raw", "NCI1", "tu/splits"],
    expected: Counts {
        graphs: Some(4_110),
        nodes: Some(122_747),
        edges: Some(132_753),
        features: Some(1),
        outputs: Some(2),
        split: None,
    },
    ..shared(Reader::Tu { name: "NCI1" })
};

/// PROTEINS: whether a protein is an enzyme.
pub const PROTEINS: Entry = Entry {
    name: "proteins",
    title: "PROTEINS: whether a protein is an enzyme",
    files: &[
        DataFile {
            names: &["PROTEINS_A.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip"),
            member: Some("PROTEINS/PROTEINS_A.txt"),
            sha256: Some("4c4b33e272fc95cac6d27ed6d5d12b9a852c8610e91fff59f8f0dbdd5a20df67"),
            bytes: Some(2_022_990),
            required: true,
        },
        DataFile {
            names: &["PROTEINS_graph_indicator.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip"),
            member: Some("PROTEINS/PROTEINS_graph_indicator.txt"),
            sha256: Some("8d4ff1e852a5c28561e9bffb44cf9490bc552b13a3b6156dd12dc7f44e9afc4a"),
            bytes: Some(169_673),
            required: true,
        },
        DataFile {
            names: &["PROTEINS_graph_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip"),
            member: Some("PROTEINS/PROTEINS_graph_labels.txt"),
            sha256: Some("c0ef9810c440775252872318d0c8adc385588e14bc4c47a2c34aa96ee3c7cdcd"),
            bytes: Some(2_226),
            required: true,
        },
        DataFile {
            names: &["PROTEINS_node_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip"),
            member: Some("PROTEINS/PROTEINS_node_labels.txt"),
            sha256: Some("f758e8ad3d6e3c026b50833d75f6f90735b94eb3345e4243707f495ca8afea8d"),
            bytes: Some(86_942),
            required: true,
        },
        DataFile {
            names: &["PROTEINS_node_attributes.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/PROTEINS.zip"),
            member: Some("PROTEINS/PROTEINS_node_attributes.txt"),
            sha256: Some("54eef829abb37e458a5fbf3a3c581e48e5810e220463c2cd951856b9ceb08f07"),
            bytes: Some(478_190),
            required: true,
        },
        DataFile {
            names: &["PROTEINS_splits.json"],
            url: Some("https://github.com/benfinkelshtein/CoGNN/raw/main/folds/PROTEINS_splits.json"),
            member: None,
            sha256: Some("015b85e663002cbfdb5cc45f3258bbd37711d63e42c4fa7232a0cabaf905e05e"),
            bytes: Some(56_300),
            required: false,
        },
    ],
    folders: &["tu/PROTEINS", "PROTEINS/raw", "TUDataset/PROTEINS/raw", "PROTEINS", "tu/splits"],
    expected: Counts {
        graphs: Some(1_113),
        nodes: Some(43_471),
        edges: Some(81_044),
        features: Some(1),
        outputs: Some(2),
        split: None,
    },
    ..shared(Reader::Tu { name: "PROTEINS" })
};

/// ENZYMES: the class of an enzyme from its structure.
pub const ENZYMES: Entry = Entry {
    name: "enzymes",
    title: "ENZYMES: the class of an enzyme from its structure",
    files: &[
        DataFile {
            names: &["ENZYMES_A.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip"),
            member: Some("ENZYMES/ENZYMES_A.txt"),
            sha256: Some("5553c84f8f562f3e199dfd27192174f485e85c44c1357661098668937a739cbf"),
            bytes: Some(885_124),
            required: true,
        },
        DataFile {
            names: &["ENZYMES_graph_indicator.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip"),
            member: Some("ENZYMES/ENZYMES_graph_indicator.txt"),
            sha256: Some("95ba0fa47eba6f02e6b754a215dc66d5b49de3f45f57a128514301a8d7ed5f46"),
            bytes: Some(74_914),
            required: true,
        },
        DataFile {
            names: &["ENZYMES_graph_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip"),
            member: Some("ENZYMES/ENZYMES_graph_labels.txt"),
            sha256: Some("04743e08967e61e65cdacbb90f8df6ee53742b3d2e7b84675b85ebac70506856"),
            bytes: Some(1_200),
            required: true,
        },
        DataFile {
            names: &["ENZYMES_node_labels.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip"),
            member: Some("ENZYMES/ENZYMES_node_labels.txt"),
            sha256: Some("8263eb9b64efa231a5886343483ccfc0342f2407014763a8f738fd51c32ce770"),
            bytes: Some(39_160),
            required: true,
        },
        DataFile {
            names: &["ENZYMES_node_attributes.txt"],
            url: Some("https://www.chrsmrrs.com/graphkerneldatasets/ENZYMES.zip"),
            member: Some("ENZYMES/ENZYMES_node_attributes.txt"),
            sha256: Some("305a8fc3b12f79fb844ef3374d6a3c8ceeb4887dd4f86bbfe37932c4c5434e7b"),
            bytes: Some(3_876_850),
            required: true,
        },
        DataFile {
            names: &["ENZYMES_splits.json"],
            url: Some("https://github.com/benfinkelshtein/CoGNN/raw/main/folds/ENZYMES_splits.json"),
            member: None,
            sha256: Some("105daf1c521fbbb05c1500fba13446d74d7d2a85d385b8e4b1f08b4b4e00541a"),
            bytes: Some(29_520),
            required: false,
        },
    ],
    folders: &["tu/ENZYMES", "ENZYMES/raw", "TUDataset/ENZYMES/raw", "ENZYMES", "tu/splits"],
    expected: Counts {
        graphs: Some(600),
        nodes: Some(19_580),
        edges: Some(37_282),
        features: Some(18),
        outputs: Some(6),
        split: None,
    },
    ..shared(Reader::Tu { name: "ENZYMES" })
};
