//! From a dataset and the owners of its nodes to the files of all parts.

use std::fs;
use std::path::Path;

use farhop_graph::{Direction, Graph, GraphSet, InduceScratch, LocalPart, PartCutter, induce};

use super::manifest::{Division, FORMAT, MANIFEST, PartEntry, VERSION, checksum, part_name};
use super::{DatasetPart, PartPlace};
use crate::dataset::csr::Csr;
use crate::dataset::split::Split;
use crate::dataset::{Columns, Dataset, Numbers, Target};
use crate::error::DataError;
use crate::files::hash::{sha256_hex, sha256_of_graphs};
use crate::files::save::write_atomically;

/// Writes the parts of a dataset with one graph whose nodes are predicted into `folder`, one after the other, and the manifest last: a
/// folder without one is not whole. `owners` says to which of `parts` parts each node goes, `how` who chose them.
///
/// # Errors
/// When the data is of another kind, a part would be empty, or a file can't be written.
pub fn write_parts(
    dataset: &Dataset,
    owners: &[u32],
    parts: u32,
    how: &str,
    folder: &Path,
) -> Result<Division, DataError> {
    let wrong = |what: String| DataError::Mismatch { what: format!("{}: {what}", dataset.name) };
    let graph = dataset.graphs.union();
    let failed = |error: farhop_graph::GraphError| wrong(format!("{error}."));
    let mut cutter = PartCutter::new(graph, owners).map_err(failed)?;
    let crossing = (0..graph.nodes()).map(|node| {
        graph.neighbours(node).iter().filter(|&&other| owners[other as usize] != owners[node]).count() as u64
    });
    let whole = Whole {
        nodes: graph.nodes() as u64,
        entries: graph.entries() as u64,
        directed: graph.is_directed(),
        cut: crossing.sum(),
        sha256: sha256_of_graphs(&dataset.graphs),
        how: how.to_string(),
    };
    write_all(dataset, whole, owners, parts, folder, |part| {
        let local = cutter.cut(part).map_err(failed)?;
        let edges = if dataset.edges.is_empty() { Columns::none() } else { columns(&dataset.edges, &local.entries)? };
        Ok((local, edges))
    })
}

/// What the manifest says of the whole graph.
pub(super) struct Whole {
    pub nodes: u64,
    pub entries: u64,
    pub directed: bool,
    /// Entries between parts.
    pub cut: u64,
    pub sha256: String,
    pub how: String,
}

/// Writes the parts that `cut` gives, with the features of their entries, one after the other, and the manifest. Of the graph of the dataset and of
/// its edges nothing is read.
pub(super) fn write_all(
    dataset: &Dataset,
    whole: Whole,
    owners: &[u32],
    parts: u32,
    folder: &Path,
    mut cut: impl FnMut(u32) -> Result<(LocalPart, Columns), DataError>,
) -> Result<Division, DataError> {
    let wrong = |what: String| DataError::Mismatch { what: format!("{}: {what}", dataset.name) };
    if !dataset.splits_nodes() || matches!(dataset.target, Target::Pair { .. }) {
        return Err(wrong("only one graph whose nodes are predicted is divided among processes.".to_string()));
    }
    let mut identity: Vec<u8> = owners.iter().flat_map(|owner| owner.to_le_bytes()).collect();
    identity.extend(whole.sha256.bytes());
    identity.extend(dataset.name.bytes());
    let partition = sha256_hex(&identity)[..16].to_string();
    drop(identity);
    fs::create_dir_all(folder).map_err(|source| DataError::Write { file: folder.display().to_string(), source })?;
    let mut files = Vec::new();
    for part in 0..parts {
        let (local, edges) = cut(part)?;
        if local.own == 0 {
            return Err(wrong(format!("part {part} of {parts} would have no node. Make fewer parts.")));
        }
        let place = PartPlace { partition: partition.clone(), part, parts, nodes: whole.nodes, entries: whole.entries };
        let cut = part_of(dataset, local, edges, place).map_err(failed_or(&wrong))?;
        let name = part_name(part);
        let path = folder.join(&name);
        cut.save(&path)?;
        let (bytes, sha256) = checksum(&path)?;
        let LocalPart { own, owners: others, graph: local, .. } = &cut.local;
        let inside = local.offsets()[*own];
        files.push(PartEntry {
            name,
            bytes,
            sha256,
            own: *own as u64,
            halo: others.len() as u64,
            entries: inside as u64,
            local_entries: local.entries() as u64,
            training: cut.dataset.split.train.len() as u64,
        });
    }
    let division = Division {
        format: FORMAT.to_string(),
        version: VERSION,
        partition,
        name: dataset.name.clone(),
        how: whole.how,
        nodes: whole.nodes,
        entries: whole.entries,
        edges: if whole.directed { whole.entries } else { whole.entries / 2 },
        cut: whole.cut,
        files,
    };
    let text = serde_json::to_vec_pretty(&division)
        .map_err(|error| DataError::Write { file: MANIFEST.to_string(), source: error.into() })?;
    write_atomically(&folder.join(MANIFEST), |file| std::io::Write::write_all(file, &text))?;
    Ok(division)
}

fn failed_or(wrong: &impl Fn(String) -> DataError) -> impl Fn(Failed) -> DataError {
    move |failed| match failed {
        Failed::Data(error) => *error,
        Failed::Graph(error) => wrong(format!("{error}.")),
    }
}

enum Failed {
    Data(Box<DataError>),
    Graph(farhop_graph::GraphError),
}

impl From<DataError> for Failed {
    fn from(error: DataError) -> Self {
        Failed::Data(Box::new(error))
    }
}

impl From<farhop_graph::GraphError> for Failed {
    fn from(error: farhop_graph::GraphError) -> Self {
        Failed::Graph(error)
    }
}

impl DatasetPart {
    /// Up to `most` own nodes that lie near each other, with the entries among them, as a dataset by itself: to try something on.
    ///
    /// # Errors
    /// When features that lie on disk can't be read.
    pub fn sample(&self, most: usize) -> Result<Dataset, DataError> {
        let (graph, own) = (&self.local.graph, self.local.own);
        let mut seen = vec![false; own];
        let mut chosen: Vec<u32> = Vec::new();
        let mut next = 0;
        for start in 0..own {
            // Breadth first, from the first node that was not reached.
            if chosen.len() >= most {
                break;
            }
            if !std::mem::replace(&mut seen[start], true) {
                chosen.push(start as u32);
            }
            while next < chosen.len() && chosen.len() < most {
                for &other in graph.neighbours(chosen[next] as usize) {
                    let fresh = (other as usize) < own && !std::mem::replace(&mut seen[other as usize], true);
                    if fresh {
                        chosen.push(other);
                    }
                }
                next += 1;
            }
        }
        chosen.truncate(most);
        chosen.sort_unstable();
        let wrong = |what: String| DataError::Mismatch { what: format!("{}: {what}", self.dataset.name) };
        let cut = || -> Result<Dataset, Failed> {
            let found = induce(graph, &chosen, &mut InduceScratch::new())?;
            let edges = if self.edges.is_empty() { Columns::none() } else { columns(&self.edges, &found.entries)? };
            of_nodes(&self.dataset, &chosen, found.graph, edges)
        };
        cut().map_err(failed_or(&wrong))
    }
}

fn part_of(dataset: &Dataset, local: LocalPart, edges: Columns, place: PartPlace) -> Result<DatasetPart, Failed> {
    let own = &local.nodes[..local.own];
    let direction = if local.graph.is_directed() { Direction::Directed } else { Direction::Undirected };
    let alone = Graph::from_csr(direction, vec![0; own.len() + 1], Vec::new())?;
    let own_dataset = of_nodes(dataset, own, alone, Columns::none())?;
    Ok(DatasetPart { dataset: own_dataset, edges, local, place })
}

/// These nodes of a dataset, with a graph of their own.
fn of_nodes(dataset: &Dataset, own: &[u32], graph: Graph, edges: Columns) -> Result<Dataset, Failed> {
    let target = match &dataset.target {
        Target::Class { labels, classes } => Target::Class { labels: rows(labels, 1, own), classes: classes.clone() },
        Target::Binary { values, names } => {
            Target::Binary { values: rows(values, names.len(), own), names: names.clone() }
        }
        Target::Number { values, names } => {
            Target::Number { values: rows(values, names.len(), own), names: names.clone() }
        }
        Target::Pair { .. } => Target::none(own.len()),
    };
    let mut places: Vec<(u32, u32)> = own.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let placed = |units: &[u32]| -> Vec<u32> {
        let place = |unit: &u32| places.binary_search_by_key(unit, |(node, _)| *node).ok().map(|at| places[at].1);
        let mut found: Vec<u32> = units.iter().filter_map(place).collect();
        found.sort_unstable();
        found
    };
    let Split { train, valid, test } = &dataset.split;
    let ids = if dataset.ids.is_empty() {
        Vec::new()
    } else {
        own.iter().map(|&node| dataset.ids[node as usize].clone()).collect()
    };
    let own_dataset = Dataset {
        name: dataset.name.clone(),
        graphs: GraphSet::new(graph, vec![0, own.len()])?,
        nodes: columns(&dataset.nodes, own)?,
        edges,
        level: dataset.level,
        target,
        split: Split { train: placed(train), valid: placed(valid), test: placed(test) },
        metric: dataset.metric,
        ids,
        notes: dataset.notes.clone(),
        sources: dataset.sources.clone(),
        weights: if dataset.weights.is_empty() { Vec::new() } else { rows(&dataset.weights, 1, own) },
    };
    Ok(own_dataset.check()?)
}

fn columns(from: &Columns, chosen: &[u32]) -> Result<Columns, DataError> {
    let numbers = match &from.numbers {
        Numbers::Dense(numbers) => Numbers::Dense(rows(numbers, from.width, chosen)),
        Numbers::OnDisk(numbers) => Numbers::Dense(numbers.gather(chosen)?),
        Numbers::Sparse(csr) => {
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for &row in chosen {
                let (columns, numbers) = csr.row(row as usize);
                indices.extend_from_slice(columns);
                values.extend_from_slice(numbers);
                offsets.push(indices.len());
            }
            Numbers::Sparse(Csr::new("a part", [chosen.len(), from.width], offsets, indices, values)?)
        }
    };
    let categories = rows(&from.categories, from.sizes.len(), chosen);
    Ok(Columns { width: from.width, numbers, sizes: from.sizes.clone(), categories })
}

fn rows<T: Copy>(array: &[T], width: usize, chosen: &[u32]) -> Vec<T> {
    chosen.iter().flat_map(|&row| &array[row as usize * width..(row as usize + 1) * width]).copied().collect()
}
