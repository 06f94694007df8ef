//! The Long Range Graph Benchmark.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        numbered_splits: 0,
        citation: "Dwivedi, Rampášek, Galkin, Parviz, Wolf, Luu, Beaini: Long Range Graph Benchmark, NeurIPS 2022",
        licence: "CC BY 4.0",
        homepage: "https://github.com/vijaydwivedi75/lrgb",
        ..Entry::read_by(reader)
    }
}

/// Peptides-func: ten functions of peptides from their atoms.
pub const PEPTIDES_FUNC: Entry = Entry {
    name: "peptides-func",
    aliases: &["peptides-functional"],
    title: "Peptides-func: ten functions of peptides from their atoms",
    level: Level::Graph,
    metric: Metric::AveragePrecision,
    splits: "one 10,873/2,331/2,331",
    licence: "CC BY-NC 4.0",
    files: &[
        DataFile::published(
            &["peptide_multi_class_dataset.csv.gz"],
            "https://www.dropbox.com/s/ol2v01usvaxbsr8/peptide_multi_class_dataset.csv.gz?dl=1",
            "e314f7dfb1ac46ef83fe5f5aa4fe502ad4527da633b64e6b997cb0c452511de3",
            769_970,
        ),
        DataFile::published(
            &["splits_random_stratified_peptide.pickle"],
            "https://www.dropbox.com/s/j4zcnx2eipuo0xz/splits_random_stratified_peptide.pickle?dl=1",
            "4573079852cce8867ad2d734c5dd22d77538bbe9f628223a8d4b3b531f6fffd0",
            124_533,
        ),
    ],
    folders: &["peptides-func", "peptides-functional", "peptides-functional/raw"],
    expected: Counts {
        graphs: Some(15_535),
        nodes: Some(2_344_859),
        edges: Some(2_386_987),
        features: Some(9),
        outputs: Some(10),
        split: Some([10_873, 2_331, 2_331]),
    },
    seen_whole: true,
    ..shared(Reader::PeptidesFunc)
};

/// Peptides-struct: eleven shapes of peptides from their atoms.
pub const PEPTIDES_STRUCT: Entry = Entry {
    name: "peptides-struct",
    aliases: &["peptides-structural"],
    title: "Peptides-struct: eleven shapes of peptides from their atoms",
    level: Level::Graph,
    metric: Metric::Mae,
    splits: "one 10,873/2,331/2,331, that of Peptides-func",
    licence: "CC BY-NC 4.0",
    files: &[
        DataFile {
            names: &["peptide_structure_normalized_dataset.csv.gz"],
            url: Some("https://www.dropbox.com/s/0d4aalmq4b4e2nh/peptide_structure_normalized_dataset.csv.gz?dl=1"),
            member: None,
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["splits_random_stratified_peptide_structure.pickle", "splits_random_stratified_peptide.pickle"],
            url: Some(
                "https://www.dropbox.com/s/9dfifzft1hqgow6/splits_random_stratified_peptide_structure.pickle?dl=1",
            ),
            member: None,
            sha256: Some("4573079852cce8867ad2d734c5dd22d77538bbe9f628223a8d4b3b531f6fffd0"),
            bytes: Some(124_533),
            required: true,
        },
    ],
    folders: &[
        "peptides-struct",
        "peptides-structural",
        "peptides-structural/raw",
        "peptides-func",
        "peptides-functional",
    ],
    expected: Counts {
        graphs: Some(15_535),
        nodes: None,
        edges: None,
        features: Some(9),
        outputs: Some(11),
        split: Some([10_873, 2_331, 2_331]),
    },
    notes: &["Targets have mean 0 and variance 1 in upstream's file."],
    ..shared(Reader::PeptidesStruct)
};

/// PascalVOC-SP: objects of photographs from their superpixels.
pub const PASCALVOC_SP: Entry = Entry {
    name: "pascalvoc-sp",
    aliases: &["pascal-voc-sp", "voc-superpixels"],
    title: "PascalVOC-SP: objects of photographs from their superpixels",
    level: Level::Node,
    metric: Metric::MacroF1,
    splits: "one 8,498/1,428/1,429 graphs",
    licence: "custom (Pascal VOC 2011, Flickr terms)",
    files: &[
        DataFile {
            names: &["train.pickle"],
            url: Some("https://www.dropbox.com/s/8x722ai272wqwl4/pascalvocsp.zip?dl=1"),
            member: Some("voc_superpixels_edge_wt_region_boundary/train.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["val.pickle"],
            url: Some("https://www.dropbox.com/s/8x722ai272wqwl4/pascalvocsp.zip?dl=1"),
            member: Some("voc_superpixels_edge_wt_region_boundary/val.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["test.pickle"],
            url: Some("https://www.dropbox.com/s/8x722ai272wqwl4/pascalvocsp.zip?dl=1"),
            member: Some("voc_superpixels_edge_wt_region_boundary/test.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
    ],
    folders: &["pascalvoc-sp", "pascalvoc-sp/raw", "voc_superpixels_edge_wt_region_boundary"],
    expected: Counts {
        graphs: Some(11_355),
        nodes: Some(5_443_545),
        edges: None,
        features: Some(14),
        outputs: Some(21),
        split: Some([8_498, 1_428, 1_429]),
    },
    ..shared(Reader::Superpixels { coco: false })
};

/// COCO-SP: objects of photographs from their superpixels.
pub const COCO_SP: Entry = Entry {
    name: "coco-sp",
    aliases: &["coco-superpixels"],
    title: "COCO-SP: objects of photographs from their superpixels",
    level: Level::Node,
    metric: Metric::MacroF1,
    splits: "one 113,286/5,000/5,000 graphs",
    files: &[
        DataFile {
            names: &["train.pickle"],
            url: Some("https://www.dropbox.com/s/r6ihg1f4pmyjjy0/cocosp.zip?dl=1"),
            member: Some("coco_superpixels_edge_wt_region_boundary/train.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["val.pickle"],
            url: Some("https://www.dropbox.com/s/r6ihg1f4pmyjjy0/cocosp.zip?dl=1"),
            member: Some("coco_superpixels_edge_wt_region_boundary/val.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["test.pickle"],
            url: Some("https://www.dropbox.com/s/r6ihg1f4pmyjjy0/cocosp.zip?dl=1"),
            member: Some("coco_superpixels_edge_wt_region_boundary/test.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
    ],
    folders: &["coco-sp", "coco-sp/raw", "coco_superpixels_edge_wt_region_boundary"],
    expected: Counts {
        graphs: Some(123_286),
        nodes: Some(58_793_216),
        edges: None,
        features: Some(14),
        outputs: Some(81),
        split: Some([113_286, 5_000, 5_000]),
    },
    notes: &["Classes 0 to 80 are upstream's 81 object numbers up to 90 without the gaps."],
    ..shared(Reader::Superpixels { coco: true })
};

/// PCQM-Contact: atoms far apart in a molecule and close in space.
pub const PCQM_CONTACT: Entry = Entry {
    name: "pcqm-contact",
    aliases: &["pcqmcontact"],
    title: "PCQM-Contact: atoms far apart in a molecule and close in space",
    level: Level::Pair,
    metric: Metric::Mrr,
    splits: "one of upstream, 90/5/5",
    files: &[
        DataFile {
            names: &["train.pt"],
            url: Some("https://www.dropbox.com/s/qdag867u6h6i60y/pcqmcontact.zip?dl=1"),
            member: Some("pcqmcontact/train.pt"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["val.pt"],
            url: Some("https://www.dropbox.com/s/qdag867u6h6i60y/pcqmcontact.zip?dl=1"),
            member: Some("pcqmcontact/val.pt"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["test.pt"],
            url: Some("https://www.dropbox.com/s/qdag867u6h6i60y/pcqmcontact.zip?dl=1"),
            member: Some("pcqmcontact/test.pt"),
            sha256: None,
            bytes: None,
            required: true,
        },
    ],
    folders: &["pcqm-contact", "pcqm-contact/raw", "pcqmcontact"],
    expected: Counts {
        graphs: Some(529_434),
        nodes: Some(15_955_687),
        edges: None,
        features: Some(9),
        outputs: Some(1),
        split: None,
    },
    notes: &[
        "The metric is the plain MRR of the LRGB paper; mrr-filtered and mrr-extended-filtered are those of Tönshoff and others (2023).",
    ],
    ..shared(Reader::PcqmContact)
};

/// A demonstration of contact prediction on 1,999 molecules of PCQM4Mv2.
pub const PCQM_CONTACT_SAMPLE: Entry = Entry {
    name: "pcqm-contact-sample",
    aliases: &["pcqm4mv2-sample"],
    title: "A demonstration of contact prediction on 1,999 molecules of PCQM4Mv2",
    level: Level::Pair,
    metric: Metric::Mrr,
    splits: "seeded 80/10/10 over the molecules that have a contact",
    citation: "Dwivedi, Rampášek, Galkin, Parviz, Wolf, Luu, Beaini: Long Range Graph Benchmark, NeurIPS 2022; molecules: Hu and others: OGB-LSC, 2021",
    homepage: "https://github.com/datamol-io/graphium",
    files: &[DataFile::published(
        &["pcqm4mv2-2k.csv"],
        "https://raw.githubusercontent.com/datamol-io/graphium/1960d56c832d176889325432f213c507d42ec5ac/tests/data/pcqm4mv2-2k.csv",
        "a26a6fc08db2e21d9e0a499d9d6c6543b8398e7065e695eda53ad15468ca32fe",
        1_504_570,
    )],
    folders: &["pcqm4mv2-sample", "pcqm-contact-sample"],
    expected: Counts {
        graphs: Some(1_999),
        nodes: None,
        edges: None,
        features: Some(9),
        outputs: Some(1),
        split: None,
    },
    seen_whole: true,
    notes: &[
        "Not PCQM-Contact itself: its rule (heavy atoms closer than 3.5 angstrom and more than 5 bonds apart) on a small sample. Only 90 molecules have a contact; the split is over those.",
    ],
    ..shared(Reader::ContactSample)
};
