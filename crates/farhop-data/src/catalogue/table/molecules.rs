//! Molecules by their SMILES.

use super::super::entry::{Counts, DataFile, Entry, Reader};
use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// The molecules of ZINC-250k.
const ZINC_MOLECULES: DataFile = DataFile {
    names: &["250k_rndm_zinc_drugs_clean.smi", "zinc250k.smiles", "all.txt"],
    url: Some("https://github.com/wengong-jin/icml18-jtnn/raw/master/data/zinc/all.txt"),
    member: None,
    sha256: Some("f900b46bb42b77aab37cd827d1ea474e2a037ecab2bd7def2b6027492216d36a"),
    bytes: Some(11_303_042),
    required: true,
};

/// Their properties.
const ZINC_PROPERTIES: DataFile = DataFile {
    names: &["zinc250k_properties.csv.gz"],
    url: None,
    member: None,
    sha256: Some("9da6229a4549734e1f4b6aea5e27b621e0a13b36cdbf4e5c81fff0576c38583e"),
    bytes: Some(2_888_493),
    required: true,
};

/// The molecules that JT-VAE validates on.
const ZINC_VALID: DataFile = DataFile {
    names: &["jtvae_valid.txt", "valid.txt"],
    url: Some("https://github.com/wengong-jin/icml18-jtnn/raw/master/data/zinc/valid.txt"),
    member: None,
    sha256: Some("ad7d9c2bfebd93ffda6c32ed0e89d1714ae1f592f6340c0e6ae057521bbae30d"),
    bytes: Some(1_106_144),
    required: true,
};

/// The molecules that JT-VAE tests on.
const ZINC_TEST: DataFile = DataFile {
    names: &["jtvae_test.txt", "test.txt"],
    url: Some("https://github.com/wengong-jin/icml18-jtnn/raw/master/data/zinc/test.txt"),
    member: None,
    sha256: Some("31f6ce92914814db33bf0dbfc45f3836193e27cb80a59c54d88bc05a1f5fab83"),
    bytes: Some(225_615),
    required: true,
};

/// What most of these have in common.
const fn shared(reader: Reader) -> Entry {
    Entry {
        level: Level::Graph,
        metric: Metric::Mae,
        numbered_splits: 0,
        seen_whole: true,
        folders: &["zinc"],
        ..Entry::read_by(reader)
    }
}

/// ZINC-12k: constrained solubility of molecules from their atoms.
pub const ZINC: Entry = Entry {
    name: "zinc",
    aliases: &["zinc-12k", "zinc12k", "zinc-subset"],
    title: "ZINC-12k: constrained solubility of molecules from their atoms",
    splits: "one 10,000/1,000/1,000",
    citation: "Irwin and others: ZINC, 2012; Gómez-Bombarelli and others, 2018; Dwivedi, Joshi, Luu, Laurent, Bengio, Bresson: Benchmarking Graph Neural Networks, JMLR 2023",
    licence: "MIT (repository); ZINC is free to use",
    homepage: "https://github.com/graphdeeplearning/benchmarking-gnns",
    files: &[
        DataFile {
            names: &["molecules/train.pickle", "train.pickle"],
            url: Some("https://www.dropbox.com/s/feo9qle74kg48gy/molecules.zip?dl=1"),
            member: Some("molecules/train.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["molecules/val.pickle", "val.pickle"],
            url: Some("https://www.dropbox.com/s/feo9qle74kg48gy/molecules.zip?dl=1"),
            member: Some("molecules/val.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile {
            names: &["molecules/test.pickle", "test.pickle"],
            url: Some("https://www.dropbox.com/s/feo9qle74kg48gy/molecules.zip?dl=1"),
            member: Some("molecules/test.pickle"),
            sha256: None,
            bytes: None,
            required: true,
        },
        DataFile::published(
            &["train.index"],
            "https://raw.githubusercontent.com/graphdeeplearning/benchmarking-gnns/master/data/molecules/train.index",
            "575d6acd72ac207a95947e2bdd16411ef6fc3faa88c2f55a2c496ea43022a6d8",
            65_110,
        ),
        DataFile::published(
            &["val.index"],
            "https://raw.githubusercontent.com/graphdeeplearning/benchmarking-gnns/master/data/molecules/val.index",
            "fe48c38157f0d38e7fc441903a143392eda080511a79e8fb8f60f5c1b0a9c164",
            5_541,
        ),
        DataFile::published(
            &["test.index"],
            "https://raw.githubusercontent.com/graphdeeplearning/benchmarking-gnns/master/data/molecules/test.index",
            "6aa50d98976044fb36089afef5b4c991b429ca1c8e009d33a0319e42a2d9b525",
            4_782,
        ),
    ],
    folders: &["zinc", "ZINC/raw", "zinc/raw", "ZINC"],
    expected: Counts {
        graphs: Some(12_000),
        nodes: None,
        edges: None,
        features: Some(1),
        outputs: Some(1),
        split: Some([10_000, 1_000, 1_000]),
    },
    seen_whole: false,
    stand_in: Some(&ZINC_STANDIN),
    ..shared(Reader::Zinc12k)
};

/// ZINC-12k with its validation and test sets and a STAND-IN for its training set.
pub const ZINC_STANDIN: Entry = Entry {
    name: "zinc-12k-standin",
    aliases: &["zinc-standin"],
    title: "ZINC-12k with its validation and test sets and a STAND-IN for its training set",
    splits: "one 10,000/1,000/1,000; train is drawn with the seed",
    citation: "Irwin and others: ZINC, 2012; Gómez-Bombarelli and others, 2018; Dwivedi, Joshi, Luu, Laurent, Bengio, Bresson: Benchmarking Graph Neural Networks, JMLR 2023",
    licence: "MIT (repositories); val.pt and test.pt: none stated",
    homepage: "https://github.com/graphdeeplearning/benchmarking-gnns",
    files: &[
        DataFile::published(
            &["zinc12k_val_test_pyg/val.pt"],
            "https://github.com/nerfff415/crawl/raw/bbd0c92c02c8d38cc7bd9a194ad57979db93db0c/data/ZINC/subset/processed/val.pt",
            "329c182fa4f98725583e12d30c9d29e558b4c5ea69e750ec1d1c8239d5278d45",
            2_188_591,
        ),
        DataFile::published(
            &["zinc12k_val_test_pyg/test.pt"],
            "https://github.com/nerfff415/crawl/raw/bbd0c92c02c8d38cc7bd9a194ad57979db93db0c/data/ZINC/subset/processed/test.pt",
            "9d1aabc719e3a1a68a25d5c06a983e4b6eb80cb7f18faf552a43bb562844afdd",
            2_190_575,
        ),
        ZINC_MOLECULES,
        ZINC_PROPERTIES,
        ZINC_VALID,
        ZINC_TEST,
    ],
    expected: Counts {
        graphs: Some(12_000),
        nodes: None,
        edges: None,
        features: Some(1),
        outputs: Some(1),
        split: Some([10_000, 1_000, 1_000]),
    },
    notes: &[
        "STAND-IN: the 10,000 training molecules are NOT those of ZINC-12k. They are drawn with the seed from the JT-VAE training molecules of ZINC-250k, labelled y = 0.6976318 logP + 1.1981676 SA + 3.4751392 cycle + 2.1118300 (fitted to the official test targets; 996 of 1,000 agree to 5e-7). Scores are not comparable with published ones.",
        "Validation and test graphs and targets are the official ones.",
    ],
    ..shared(Reader::ZincStandIn)
};

/// ZINC-250k: constrained solubility of 249,456 molecules from their atoms.
pub const ZINC_250K: Entry = Entry {
    name: "zinc-250k",
    aliases: &["zinc250k", "zinc-full"],
    title: "ZINC-250k: constrained solubility of 249,456 molecules from their atoms",
    splits: "JT-VAE 220,011/24,445/5,000",
    citation: "Irwin and others: ZINC, 2012; Gómez-Bombarelli and others, 2018; Jin, Barzilay, Jaakkola: Junction Tree VAE, ICML 2018",
    licence: "MIT (repositories)",
    homepage: "https://github.com/wengong-jin/icml18-jtnn",
    files: &[ZINC_MOLECULES, ZINC_PROPERTIES, ZINC_VALID, ZINC_TEST],
    expected: Counts {
        graphs: Some(249_456),
        nodes: None,
        edges: None,
        features: Some(1),
        outputs: Some(1),
        split: Some([220_011, 24_445, 5_000]),
    },
    notes: &[
        "Targets are y = 0.6976318 logP + 1.1981676 SA + 3.4751392 cycle + 2.1118300 of computed scores; the constants are a fit to the ZINC-12k test targets, not published ones.",
    ],
    ..shared(Reader::Zinc250k)
};

/// The 1,109 molecules of ZINC-250k without a ring.
pub const ZINC_ACYCLIC: Entry = Entry {
    name: "zinc-acyclic",
    aliases: &["zinc-trees"],
    title: "The 1,109 molecules of ZINC-250k without a ring",
    splits: "seeded 80/10/10",
    citation: "Irwin and others: ZINC, 2012; Gómez-Bombarelli and others, 2018; selection: molecules whose cycle basis is empty",
    licence: "MIT (repositories)",
    homepage: "https://github.com/wengong-jin/icml18-jtnn",
    files: &[ZINC_MOLECULES, ZINC_PROPERTIES],
    expected: Counts {
        graphs: Some(1_109),
        nodes: None,
        edges: None,
        features: Some(1),
        outputs: Some(1),
        split: None,
    },
    notes: &["Targets as in zinc-250k; without rings the cycle score is 0."],
    ..shared(Reader::ZincAcyclic)
};

/// ogbg-molhiv: whether a molecule stops HIV.
pub const OGBG_MOLHIV: Entry = Entry {
    name: "ogbg-molhiv",
    aliases: &["molhiv", "hiv"],
    title: "ogbg-molhiv: whether a molecule stops HIV",
    metric: Metric::RocAuc,
    splits: "scaffold 32,901/4,113/4,113",
    citation: "Hu, Fey, Zitnik and others: Open Graph Benchmark, NeurIPS 2020; Wu and others: MoleculeNet, 2018",
    licence: "MIT",
    homepage: "https://ogb.stanford.edu/docs/graphprop/",
    files: &[
        DataFile::published(
            &["HIV.csv"],
            "https://raw.githubusercontent.com/deepchem/deepchem/5bb4614ac5ee20f43981c68d2d122f0bd634c6bc/examples/hiv/HIV.csv",
            "d0e985c9c1191c77958ac52a278338c241858394fd3b299f56113329e1fc935c",
            2_195_570,
        ),
        DataFile {
            names: &["ogbg-molhiv_train_idx-0.txt", "train_idx-0.txt"],
            url: Some(
                "https://raw.githubusercontent.com/gbouritsas/GSN/420f841b2256d9a82795298c64ee7ce4b58a6c39/datasets/ogb/ogbg-molhiv/10fold_idx/train_idx-0.txt",
            ),
            member: None,
            sha256: Some("29ea24c280086d7c3fc1011cd1f75c481c5e3beb14b8b8891e208574d14e34b8"),
            bytes: Some(190_672),
            required: true,
        },
        DataFile {
            names: &["ogbg-molhiv_val_idx-0.txt", "val_idx-0.txt"],
            url: Some(
                "https://raw.githubusercontent.com/gbouritsas/GSN/420f841b2256d9a82795298c64ee7ce4b58a6c39/datasets/ogb/ogbg-molhiv/10fold_idx/val_idx-0.txt",
            ),
            member: None,
            sha256: Some("11f0db3641f325f72a002852b27ca32c860bcb5e529cd4bb1b699bb12322f3f0"),
            bytes: Some(24_678),
            required: true,
        },
        DataFile {
            names: &["ogbg-molhiv_test_idx-0.txt", "test_idx-0.txt"],
            url: Some(
                "https://raw.githubusercontent.com/gbouritsas/GSN/420f841b2256d9a82795298c64ee7ce4b58a6c39/datasets/ogb/ogbg-molhiv/10fold_idx/test_idx-0.txt",
            ),
            member: None,
            sha256: Some("111b66eae1ab5006f12787c119bc48176a4eea987a014fa134cd7d3e3dca35ce"),
            bytes: Some(20_302),
            required: true,
        },
    ],
    folders: &["hiv", "ogbg-molhiv", "ogbg_molhiv"],
    expected: Counts {
        graphs: Some(41_127),
        nodes: None,
        edges: None,
        features: Some(9),
        outputs: Some(1),
        split: Some([32_901, 4_113, 4_113]),
    },
    notes: &[
        "Molecules are read from their SMILES; 786 of 41,913 rows repeat an earlier string and are left out, as upstream does.",
        "Seven molecules have atoms with more bonds than their valence allows; those get no further hydrogens.",
    ],
    ..shared(Reader::MolHiv)
};
