//! ZINC: the selection of 12,000 (from upstream's pickles, or with a stand-in for its training set), all 250,000, and those
//! without a ring.

use std::collections::HashSet;
use std::path::Path;

use farhop_graph::random::{Stream, mix};

use super::folders::Located;
use super::molecules::{Collected, ZINC_ATOM_KINDS, ZINC_BOND_KINDS, parse_kekule_all};
use super::options::LoadOptions;
use super::unsplit_dataset::{Splits, UnsplitDataset, bytes_of, row_numbers};
use crate::dataset::Target;
use crate::dataset::split::Split;
use crate::error::DataError;
use crate::files::source::SourceFile;
use crate::formats::pickle::{self, Value};
use crate::formats::text_file::TextFile;
use crate::formats::torch;

/// The first names of the files, as the catalogue has them.
const MOLECULES: &str = "250k_rndm_zinc_drugs_clean.smi";
const PROPERTIES: &str = "zinc250k_properties.csv.gz";
const VALID: &str = "jtvae_valid.txt";
const TEST: &str = "jtvae_test.txt";
/// Training molecules of ZINC-12k.
const TRAIN: usize = 10_000;

/// The target of ZINC-12k from its three scores, as fitted to the official test targets.
fn target_of(log_p: f64, synthesis: f64, cycle: f64) -> f32 {
    (0.697_631_8 * log_p + 1.198_167_6 * synthesis + 3.475_139_2 * cycle + 2.111_83) as f32
}

fn parts_of(
    collected: Collected,
    values: Vec<f32>,
    splits: Splits,
    ids: Vec<String>,
    sources: Vec<SourceFile>,
) -> Result<UnsplitDataset, DataError> {
    let (graphs, nodes, edges) = collected.finish("zinc", vec![ZINC_ATOM_KINDS], vec![ZINC_BOND_KINDS])?;
    let target = Target::Number { values, names: vec!["constrained solubility".to_string()] };
    Ok(UnsplitDataset { graphs, nodes, edges, target, splits, ids, notes: Vec::new(), sources })
}

/// ZINC-250k in memory: its lines, its targets and how many rings each molecule has.
struct Zinc250k {
    file: TextFile,
    targets: Vec<f32>,
    rings: Vec<u32>,
}

impl Zinc250k {
    fn read(files: &Located) -> Result<Zinc250k, DataError> {
        let file = TextFile::open(files.path(MOLECULES)?)?;
        file.text()?;
        Ok(Zinc250k { file, targets: Vec::new(), rings: Vec::new() })
    }

    fn lines(&self) -> Result<Vec<&str>, DataError> {
        Ok(self.file.text()?.lines().map(str::trim).filter(|line| !line.is_empty()).collect())
    }

    /// Reads `line,logp,sa,cycle,rings` for every line of the molecules.
    fn read_properties(&mut self, path: &Path, sources: &mut Vec<SourceFile>) -> Result<(), DataError> {
        let file = TextFile::open(path)?;
        sources.push(file.source().clone());
        let mut lines = file.text()?.lines();
        if lines.next().map(str::trim) != Some("line,logp,sa,cycle,rings") {
            return Err(file.wrong_at(1, "the header is not line,logp,sa,cycle,rings.".to_string()));
        }
        for (row, line) in lines.enumerate() {
            let mut cells = line.split(',').map(str::trim);
            let mut number =
                || cells.next().and_then(|cell| cell.parse::<f64>().ok()).filter(|number| number.is_finite());
            let (Some(place), Some(log_p), Some(synthesis), Some(cycle), Some(rings)) =
                (number(), number(), number(), number(), number())
            else {
                return Err(file.wrong_at(row as u64 + 2, "five numbers are needed.".to_string()));
            };
            if place != row as f64 {
                return Err(file.wrong_at(row as u64 + 2, format!("line {place} where line {row} is next.")));
            }
            self.targets.push(target_of(log_p, synthesis, cycle));
            self.rings.push(rings as u32);
        }
        let molecules = self.lines()?.len();
        file.require_rows(self.targets.len(), molecules, "molecules")
    }

    /// Adds these molecules to `collected`, and their targets to `values`.
    fn add(&self, rows: &[u32], collected: &mut Collected, values: &mut Vec<f32>) -> Result<(), DataError> {
        let lines = self.lines()?;
        let smiles: Vec<&str> = rows.iter().filter_map(|&row| lines.get(row as usize).copied()).collect();
        let place = |row: usize| self.file.place(u64::from(rows[row]) + 1);
        for (row, molecule) in parse_kekule_all(&smiles, place)?.iter().enumerate() {
            collected.add_zinc(molecule).map_err(|reason| self.file.wrong_at(u64::from(rows[row]) + 1, reason))?;
        }
        values.extend(rows.iter().filter_map(|&row| self.targets.get(row as usize)));
        Ok(())
    }
}

/// ZINC-250k with its targets, and the lines of each part of JT-VAE's split.
fn read_250k(files: &Located, sources: &mut Vec<SourceFile>) -> Result<Zinc250k, DataError> {
    let mut zinc = Zinc250k::read(files)?;
    sources.push(zinc.file.source().clone());
    zinc.read_properties(files.path(PROPERTIES)?, sources)?;
    Ok(zinc)
}

/// JT-VAE's split: lines that are in neither of its two lists are for training.
fn jtvae_split(zinc: &Zinc250k, files: &Located, sources: &mut Vec<SourceFile>) -> Result<Split, DataError> {
    let mut listed = |name: &str| -> Result<HashSet<String>, DataError> {
        let file = TextFile::open(files.path(name)?)?;
        sources.push(file.source().clone());
        Ok(file.text()?.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_string).collect())
    };
    let (valid, test) = (listed(VALID)?, listed(TEST)?);
    let mut split = Split::default();
    for (row, line) in (0u32..).zip(zinc.lines()?) {
        let part = match (valid.contains(line), test.contains(line)) {
            (false, false) => &mut split.train,
            (true, false) => &mut split.valid,
            _ => &mut split.test,
        };
        part.push(row);
    }
    Ok(split)
}

/// All of ZINC-250k.
pub(super) fn read_all(files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let zinc = read_250k(files, &mut sources)?;
    let split = jtvae_split(&zinc, files, &mut sources)?;
    let rows: Vec<u32> = (0..zinc.targets.len() as u32).collect();
    let (mut collected, mut values) = (Collected::new(), Vec::new());
    zinc.add(&rows, &mut collected, &mut values)?;
    parts_of(collected, values, Splits { standard: Some(split), ..Splits::default() }, Vec::new(), sources)
}

/// The molecules without a ring.
pub(super) fn read_acyclic(files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let zinc = read_250k(files, &mut sources)?;
    let rows: Vec<u32> = (0u32..).zip(&zinc.rings).filter(|(_, rings)| **rings == 0).map(|(row, _)| row).collect();
    let (mut collected, mut values) = (Collected::new(), Vec::new());
    zinc.add(&rows, &mut collected, &mut values)?;
    let ids = rows.iter().map(|row| format!("line {}", row + 1)).collect();
    parts_of(collected, values, Splits::default(), ids, sources)
}

/// Validation and test of ZINC-12k as published; for training molecules of ZINC-250k that are drawn with the seed.
pub(super) fn read_stand_in(files: &Located, options: &LoadOptions) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let zinc = read_250k(files, &mut sources)?;
    let mut pool = jtvae_split(&zinc, files, &mut sources)?.train;
    Stream::new(mix(options.seed, 0x21c)).shuffle(&mut pool);
    pool.truncate(TRAIN);
    pool.sort_unstable();
    let (mut collected, mut values) = (Collected::new(), Vec::new());
    zinc.add(&pool, &mut collected, &mut values)?;
    let mut ids: Vec<String> = pool.iter().map(|row| format!("stand-in, line {}", row + 1)).collect();
    let mut ends = vec![values.len() as u32];
    for part in ["val", "test"] {
        let path =
            files.path(if part == "val" { "zinc12k_val_test_pyg/val.pt" } else { "zinc12k_val_test_pyg/test.pt" })?;
        let file = torch::from_bytes(&path.display().to_string(), bytes_of(path, &mut sources)?)?;
        let before = values.len();
        add_sliced(&file, &mut collected, &mut values)?;
        ids.extend((0..values.len() - before).map(|graph| format!("{part} {graph}")));
        ends.push(values.len() as u32);
    }
    let split = Split {
        train: (0..ends[0]).collect(),
        valid: (ends[0]..ends[1]).collect(),
        test: (ends[1]..ends[2]).collect(),
    };
    parts_of(collected, values, Splits { standard: Some(split), ..Splits::default() }, ids, sources)
}

/// Adds the graphs of a processed file of PyTorch Geometric: one object with all graphs in a row, and where each begins.
fn add_sliced(file: &Value, collected: &mut Collected, values: &mut Vec<f32>) -> Result<(), DataError> {
    let (data, slices) = (file.at(0)?, file.at(1)?);
    let field = |name: &str| data.get(name);
    let atoms = field("x")?.ids(ZINC_ATOM_KINDS as usize)?;
    let bonds = field("edge_attr")?.ids(ZINC_BOND_KINDS as usize)?;
    let ends = field("edge_index")?;
    let ends = row_numbers(&ends.place(), &ends.integers()?)?;
    let targets = field("y")?.array()?.to_f32()?;
    let nodes = slices.get("x")?.ids(atoms.len() + 1)?;
    let edges = slices.get("edge_index")?.ids(bonds.len() + 1)?;
    let graphs = targets.len();
    let sizes = [nodes.len(), edges.len()];
    if sizes != [graphs + 1; 2] || ends.len() != 2 * bonds.len() || nodes.last() != Some(&(atoms.len() as u32)) {
        return Err(file.error(format!("{graphs} targets do not fit {sizes:?} places where graphs begin.")));
    }
    let (from, to) = ends.split_at(bonds.len());
    for graph in 0..graphs {
        let (node_range, edge_range) = (nodes[graph]..nodes[graph + 1], edges[graph]..edges[graph + 1]);
        let size = node_range.end.checked_sub(node_range.start);
        let (Some(size), true) = (size, edge_range.start <= edge_range.end) else {
            return Err(file.error(format!("graph {graph} ends before it begins.")));
        };
        let start = collected.nodes() as u32;
        for edge in edge_range.start as usize..edge_range.end as usize {
            if from[edge] >= size || to[edge] >= size {
                return Err(file.error(format!("an edge of graph {graph} names a node beyond its {size}.")));
            }
            collected.rows.push((start + from[edge], start + to[edge]));
            collected.bonds.push(bonds[edge] as u16);
        }
        let of_graph = atoms.get(node_range.start as usize..node_range.end as usize).unwrap_or(&[]);
        collected.atoms.extend(of_graph.iter().map(|&atom| atom as u16));
        collected.offsets.push((start + size) as usize);
    }
    values.extend(targets);
    Ok(())
}

/// ZINC-12k from upstream's pickles of all molecules and its lists of the selected ones.
pub(super) fn read_selection(files: &Located) -> Result<UnsplitDataset, DataError> {
    let mut sources = Vec::new();
    let (mut collected, mut values) = (Collected::new(), Vec::new());
    let mut ends = vec![0u32];
    for part in ["train", "val", "test"] {
        let list = TextFile::open(files.path(&format!("{part}.index"))?)?;
        sources.push(list.source().clone());
        let path = files.path(&format!("molecules/{part}.pickle"))?;
        let molecules = pickle::from_bytes(&path.display().to_string(), bytes_of(path, &mut sources)?)?;
        for number in list.text()?.trim().split(',') {
            let number = number.trim().parse::<usize>();
            let number =
                number.map_err(|_| list.wrong_at(1, "whole numbers between commas are needed.".to_string()))?;
            add_matrix(&molecules.at(number)?, &mut collected, &mut values)?;
        }
        ends.push(values.len() as u32);
    }
    let split = Split {
        train: (ends[0]..ends[1]).collect(),
        valid: (ends[1]..ends[2]).collect(),
        test: (ends[2]..ends[3]).collect(),
    };
    parts_of(collected, values, Splits { standard: Some(split), ..Splits::default() }, Vec::new(), sources)
}

/// Adds a molecule given as a dictionary of `atom_type`, a matrix `bond_type` and its target.
fn add_matrix(molecule: &Value, collected: &mut Collected, values: &mut Vec<f32>) -> Result<(), DataError> {
    let atoms = molecule.get("atom_type")?.ids(ZINC_ATOM_KINDS as usize)?;
    let bonds = molecule.get("bond_type")?.ids(ZINC_BOND_KINDS as usize)?;
    if bonds.len() != atoms.len() * atoms.len() {
        return Err(molecule.error(format!("{} bonds for {} atoms; a square is needed.", bonds.len(), atoms.len())));
    }
    let targets = molecule.get("logP_SA_cycle_normalized")?.array()?.to_f32()?;
    let &[target] = &targets[..] else {
        return Err(molecule.error(format!("{} targets; one is needed.", targets.len())));
    };
    let start = collected.nodes();
    for (place, &order) in bonds.iter().enumerate().filter(|(_, order)| **order != 0) {
        let (from, to) = (start + place / atoms.len(), start + place % atoms.len());
        collected.rows.push((from as u32, to as u32));
        collected.bonds.push(order as u16);
    }
    collected.atoms.extend(atoms.iter().map(|&atom| atom as u16));
    collected.offsets.push(start + atoms.len());
    values.push(target);
    Ok(())
}
