//! What may go wrong with a dataset.

use std::collections::HashMap;

use farhop_graph::random::mix;

use super::{DataCard, TargetSummary};
use crate::dataset::split::Part;
use crate::dataset::{Columns, Dataset, Level, Numbers, Target};
use crate::text::{counted, listed, thousands};

/// More isolated nodes than this share are worth a word.
const MANY_ISOLATED: f64 = 0.1;
/// A class or an answer with a smaller share than this is rare.
const RARE: f64 = 0.01;

pub(super) fn of(dataset: &Dataset, card: &DataCard) -> Vec<String> {
    let mut warnings = Vec::new();
    if card.isolated as f64 > MANY_ISOLATED * card.nodes as f64 {
        let nodes = counted(card.isolated as u64, "node has", "nodes have");
        warnings.push(format!("{nodes} no edge: nothing reaches them"));
    }
    for (summary, what) in [(&card.node_features, "node"), (&card.edge_features, "edge")] {
        if let Some(numbers) = summary.numbers.filter(|numbers| numbers.constant > 0 && numbers.columns > 1) {
            let (constant, all) = (thousands(numbers.constant as u64), thousands(numbers.columns as u64));
            warnings.push(format!("columns of {what} features with one value only: {constant} of {all}"));
        }
    }
    if dataset.target.outputs() > 0 {
        warnings.extend(of_split(dataset, card));
        warnings.extend(of_target(dataset, &card.target));
    }
    warnings.extend(repeated_ids(dataset));
    warnings.extend(repeated_graphs(dataset));
    warnings
}

fn units(dataset: &Dataset) -> &'static str {
    if dataset.splits_nodes() { "node" } else { "graph" }
}

fn of_split(dataset: &Dataset, card: &DataCard) -> Vec<String> {
    let unit = units(dataset);
    if card.split == [0, 0, 0] {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for (part, size) in Part::ALL.iter().zip(card.split) {
        if size == 0 {
            warnings.push(format!("no {unit} is in {}", part.name()));
        }
    }
    if dataset.level != Level::Pair {
        let unknown =
            Part::ALL.iter().flat_map(|&part| rows_of(dataset, part)).filter(|&row| !dataset.target.is_known(row));
        match unknown.count() {
            0 => {}
            count => warnings.push(format!("{} of the split without a target", counted(count as u64, "row", "rows"))),
        }
    }
    warnings
}

/// The rows of the target that a part of the split holds.
fn rows_of(dataset: &Dataset, part: Part) -> impl Iterator<Item = usize> {
    let whole_graphs = dataset.level == Level::Node && !dataset.splits_nodes();
    dataset.split.part(part).iter().flat_map(move |&unit| {
        let unit = unit as usize;
        if whole_graphs { dataset.graphs.nodes_of(unit) } else { unit..unit + 1 }
    })
}

fn of_target(dataset: &Dataset, summary: &TargetSummary) -> Vec<String> {
    let mut warnings = Vec::new();
    let has_train = !dataset.split.train.is_empty();
    match (summary, &dataset.target) {
        (TargetSummary::Classes { classes }, Target::Class { labels, .. }) => {
            let mut in_train = vec![!has_train; classes.len()];
            for row in rows_of(dataset, Part::Train) {
                if let Some(label) = labels[row] {
                    in_train[label as usize] = true;
                }
            }
            let named = || classes.iter().zip(&in_train);
            let absent: Vec<&str> =
                named().filter(|(c, seen)| !**seen && c.rows > 0).map(|(c, _)| c.name.as_str()).collect();
            if !absent.is_empty() {
                warnings.push(format!("classes that train does not have: {}", listed(absent.into_iter())));
            }
            let total: usize = classes.iter().map(|class| class.rows).sum();
            let rare = |rows: usize| (rows as f64) < RARE * total as f64;
            let few: Vec<&str> =
                classes.iter().filter(|class| rare(class.rows)).map(|class| class.name.as_str()).collect();
            if !few.is_empty() {
                warnings.push(format!("classes of less than 1 % of the rows: {}", listed(few.into_iter())));
            }
        }
        (TargetSummary::Labels { labels }, Target::Binary { values, names }) => {
            let mut seen = vec![[!has_train; 2]; names.len()];
            for row in rows_of(dataset, Part::Train) {
                for (seen, value) in seen.iter_mut().zip(&values[row * names.len()..]) {
                    seen[0] |= *value == 0.0;
                    seen[1] |= *value == 1.0;
                }
            }
            let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<&str> {
                (0..names.len()).filter(|&label| wanted(label)).map(|label| names[label].as_str()).collect()
            };
            let one_sided = of(&|label| seen[label] != [true, true]);
            if !one_sided.is_empty() {
                warnings.push(format!("labels of one answer only in train: {}", listed(one_sided.into_iter())));
            }
            let rare = of(&|label| {
                let (yes, no) = (labels[label].yes, labels[label].no);
                (yes.min(no) as f64) < RARE * (yes + no) as f64
            });
            if !rare.is_empty() {
                warnings
                    .push(format!("labels with an answer of less than 1 % of the rows: {}", listed(rare.into_iter())));
            }
        }
        (TargetSummary::Numbers { numbers }, _) => {
            let constant: Vec<&str> = numbers.iter().filter(|n| n.min == n.max).map(|n| n.name.as_str()).collect();
            if !constant.is_empty() {
                warnings.push(format!(
                    "targets that are the same in all rows, so that there is nothing to learn: {}",
                    listed(constant.into_iter())
                ));
            }
        }
        _ => {}
    }
    warnings
}

/// The part of each unit of the split.
fn parts(dataset: &Dataset) -> Vec<Option<Part>> {
    let count = if dataset.splits_nodes() { dataset.graphs.union().nodes() } else { dataset.graphs.len() };
    let mut parts = vec![None; count];
    for part in Part::ALL {
        for &unit in dataset.split.part(part) {
            parts[unit as usize] = Some(part);
        }
    }
    parts
}

/// Things that occur more than once, and how many of the later ones lie in another part than the first.
fn repeats<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>, parts: &[Option<Part>]) -> (u64, u64) {
    let mut first: HashMap<K, Option<Part>> = HashMap::with_capacity(parts.len());
    let (mut repeated, mut leaked) = (0, 0);
    for (key, &part) in keys.zip(parts) {
        match first.entry(key) {
            std::collections::hash_map::Entry::Vacant(place) => drop(place.insert(part)),
            std::collections::hash_map::Entry::Occupied(mut place) => {
                repeated += 1;
                leaked += u64::from(matches!((*place.get(), part), (Some(one), Some(two)) if one != two));
                let known = place.get().or(part);
                place.insert(known);
            }
        }
    }
    (repeated, leaked)
}

fn repeated_ids(dataset: &Dataset) -> Option<String> {
    // Ids of nodes are checked where they are read; several graphs may use the same ones.
    if dataset.ids.is_empty() || (dataset.level == Level::Node && dataset.graphs.len() > 1) {
        return None;
    }
    let (repeated, leaked) = repeats(dataset.ids.iter(), &parts(dataset));
    let unit = units(dataset);
    match (repeated, leaked) {
        (0, _) => None,
        (_, 0) => Some(format!("{} the id of another {unit}", counted(repeated, "id repeats", "ids repeat"))),
        _ => Some(format!(
            "{} in two parts of the split: the score would be too good",
            counted(leaked, "id is", "ids are")
        )),
    }
}

fn repeated_graphs(dataset: &Dataset) -> Option<String> {
    if dataset.graphs.len() < 2 {
        return None;
    }
    let keys = (0..dataset.graphs.len()).map(|graph| fingerprint(dataset, graph));
    let (repeated, leaked) = repeats(keys, &parts(dataset));
    let verb = |count| counted(count, "graph equals", "graphs equal");
    match (repeated, leaked) {
        (0, _) => None,
        (_, 0) => Some(format!("{} an earlier one, with all features", verb(repeated))),
        _ => Some(format!(
            "{} an earlier one, with all features; {} in another part of the split",
            verb(repeated),
            counted(leaked, "is", "are")
        )),
    }
}

/// A number that equal graphs with equal features share, and others hardly ever do.
fn fingerprint(dataset: &Dataset, graph: usize) -> u64 {
    let (nodes, entries) = (dataset.graphs.nodes_of(graph), dataset.graphs.entries_of(graph));
    let union = dataset.graphs.union();
    let mut hash = mix(nodes.len() as u64, entries.len() as u64);
    let first = nodes.start as u32;
    for node in nodes.clone() {
        hash = mix(hash, union.degree(node) as u64);
    }
    for pair in union.sources()[entries.clone()].chunks(2) {
        hash = pair.iter().fold(0, |packed, source| packed << 32 | u64::from(source - first)) ^ hash.rotate_left(1);
        hash = mix(hash, 1);
    }
    hash = with_columns(hash, &dataset.nodes, nodes);
    with_columns(hash, &dataset.edges, entries)
}

fn with_columns(mut hash: u64, columns: &Columns, rows: std::ops::Range<usize>) -> u64 {
    if columns.is_empty() {
        return hash;
    }
    match &columns.numbers {
        Numbers::Dense(numbers) => {
            for number in &numbers[rows.start * columns.width..rows.end * columns.width] {
                hash = mix(hash, u64::from(number.to_bits()));
            }
        }
        Numbers::OnDisk(numbers) => {
            let rows: Vec<u32> = rows.clone().map(|row| row as u32).collect();
            for number in numbers.gather(&rows).unwrap_or_default() {
                hash = mix(hash, u64::from(number.to_bits()));
            }
        }
        Numbers::Sparse(csr) => {
            for row in rows.clone() {
                let (indices, values) = csr.row(row);
                hash = mix(hash, indices.len() as u64);
                for (index, value) in indices.iter().zip(values) {
                    hash = mix(hash, u64::from(*index) << 32 | u64::from(value.to_bits()));
                }
            }
        }
    }
    let width = columns.sizes.len();
    for values in columns.categories[rows.start * width..rows.end * width].chunks(4) {
        hash = mix(hash, values.iter().fold(1, |packed, value| packed << 16 ^ u64::from(*value)));
    }
    hash
}
