//! What the catalogue says about a dataset.

use crate::dataset::Level;
use crate::scores::metrics::Metric;

/// One dataset of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name: lower case, with hyphens.
    pub name: &'static str,
    /// Other names it goes by. Case, `-`, `_` and blanks never matter.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub title: &'static str,
    /// What a prediction is about.
    pub level: Level,
    /// How the literature scores it.
    pub metric: Metric,
    /// The splits there are, in words.
    pub splits: &'static str,
    /// How many numbered splits upstream publishes.
    pub numbered_splits: usize,
    /// Who made it.
    pub citation: &'static str,
    /// The licence stated upstream.
    pub licence: &'static str,
    /// Where upstream describes it.
    pub homepage: &'static str,
    /// Its files. Empty for data that is made.
    pub files: &'static [DataFile],
    /// The folders under a data folder in which its files are looked for; [`fetch`](crate::fetch::fetch) uses the first.
    pub folders: &'static [&'static str],
    /// What it must hold; checked on load.
    pub expected: Counts,
    /// Whether feature rows are divided by their sum unless [`LoadOptions`](super::LoadOptions) says otherwise, as the
    /// protocol behind the split does.
    pub row_normalise: bool,
    /// Whether the reader has read the whole upstream file. `false`: it was written from the published layout and tested
    /// on small files in that layout.
    pub seen_whole: bool,
    /// What a user should know.
    pub notes: &'static [&'static str],
    /// What is loaded in its place, loudly, when its files are not here and those of the other are.
    pub stand_in: Option<&'static Entry>,
    /// What reads it.
    pub(super) reader: Reader,
}

/// A file of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// The names it goes by, relative to the folder; downloads use the first.
    pub names: &'static [&'static str],
    /// Where upstream publishes it, or the archive it is in. `None` if it is not published.
    pub url: Option<&'static str>,
    /// Its name inside the archive at `url`; `None` if `url` is the file itself.
    pub member: Option<&'static str>,
    /// Its SHA-256, if known.
    pub sha256: Option<&'static str>,
    /// Its size, if known.
    pub bytes: Option<u64>,
    /// Whether loading needs it.
    pub required: bool,
}

impl DataFile {
    /// A file that is needed, published as it is.
    pub(super) const fn published(
        names: &'static [&'static str],
        url: &'static str,
        sha256: &'static str,
        bytes: u64,
    ) -> DataFile {
        DataFile { names, url: Some(url), member: None, sha256: Some(sha256), bytes: Some(bytes), required: true }
    }
}

/// What a dataset must hold. `None` is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Graphs.
    pub graphs: Option<usize>,
    /// Nodes of all graphs.
    pub nodes: Option<usize>,
    /// Edges of all graphs as [`Graph::edges`](farhop_graph::Graph::edges) counts them: undirected ones once, no self-loops.
    pub edges: Option<usize>,
    /// Numbers in a feature row of a node, or columns of categories if there are no numbers.
    pub features: Option<usize>,
    /// Classes, questions or numbers to predict.
    pub outputs: Option<usize>,
    /// Sizes of train, valid and test of the standard split.
    pub split: Option<[usize; 3]>,
}

/// The code that reads an entry, with what tells its entries apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Planetoid { name: &'static str },
    Amazon,
    Heterophilous { directed: bool, binary: bool },
    WikiCs,
    OgbNodes { split: &'static str, directed: bool },
    PeptidesFunc,
    PeptidesStruct,
    Superpixels { coco: bool },
    PcqmContact,
    ContactSample,
    Zinc12k,
    ZincStandIn,
    Zinc250k,
    ZincAcyclic,
    MolHiv,
    Tu { name: &'static str },
    Made(Made),
}

/// What makes an entry that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    HopMajority,
    RingTransfer,
    TreeNeighbours,
}

impl Entry {
    /// What an entry says where it has nothing to say; tables of entries fill in the rest. There is no entry without a reader.
    pub(super) const fn read_by(reader: Reader) -> Entry {
        Entry {
            name: "",
            aliases: &[],
            title: "",
            level: Level::Node,
            metric: Metric::Accuracy,
            splits: "",
            numbered_splits: 0,
            citation: "",
            licence: "",
            homepage: "",
            files: &[],
            folders: &[],
            expected: Counts { graphs: None, nodes: None, edges: None, features: None, outputs: None, split: None },
            row_normalise: false,
            seen_whole: false,
            notes: &[],
            stand_in: None,
            reader,
        }
    }

    /// Whether the tuned split is a draw of its own, and not the standard one.
    pub fn draws_tuned_split(&self) -> bool {
        matches!(self.reader, Reader::Planetoid { .. })
    }

    /// Whether the data is made, not read.
    pub const fn is_made(&self) -> bool {
        matches!(self.reader, Reader::Made(_))
    }
}
