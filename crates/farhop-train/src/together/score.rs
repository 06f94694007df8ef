//! Scores over the nodes of all processes: the first one has all rows that count, and tells the others what came out.

use farhop_data::metrics::ranking::PairRanks;
use farhop_data::{Split, Target};
use farhop_nn::exchange::Group;

use super::{OwnPart, check};
use crate::score::{Evaluation, Outputs, evaluate, evaluate_rows};
use crate::{Task, TrainError};

/// Truth and outputs of the rows of all processes, in the order of the ranks, on the first; none on the others.
pub(crate) fn joined(group: &Group, task: &Task, outputs: &Outputs) -> Result<Option<(Target, Outputs)>, TrainError> {
    let target = task.target();
    let truth: Vec<f32> = match target {
        // A class is a small number, or none.
        Target::Class { labels, .. } => {
            outputs.rows.iter().map(|row| labels[*row as usize].map_or(-1.0, |label| label as f32)).collect()
        }
        Target::Binary { values, names } | Target::Number { values, names } => {
            let width = names.len();
            outputs.rows.iter().flat_map(|row| &values[*row as usize * width..][..width]).copied().collect()
        }
        Target::Pair { .. } => Vec::new(),
    };
    let said = [truth, outputs.values.clone()].map(|values| group.to_first(bytes(&values)));
    check(group)?;
    let [truth, values] = said.map(|parts| numbers(&parts.concat()));
    if !group.is_first() {
        return Ok(None);
    }
    let width = task.output().outputs.max(1);
    let rows = (0..(values.len() / width) as u32).collect();
    let target = match target {
        Target::Class { classes, .. } => {
            let label = |number: f32| (number >= 0.0).then_some(number as u32);
            Target::Class { labels: truth.into_iter().map(label).collect(), classes: classes.clone() }
        }
        Target::Binary { names, .. } => Target::Binary { values: truth, names: names.clone() },
        Target::Number { names, .. } => Target::Number { values: truth, names: names.clone() },
        Target::Pair { .. } => Target::none(0),
    };
    Ok(Some((target, Outputs::of_rows(rows, values))))
}

impl Outputs {
    /// Those of all processes, one after the other in the order of the ranks, on the first; none on the others. Rows have the same names on all.
    pub(crate) fn gathered(self, group: &Group) -> Result<Option<Outputs>, TrainError> {
        let lengths: Vec<u8> = self.ranks.iter().flat_map(|ranks| (ranks.all().len() as u64).to_le_bytes()).collect();
        let ranks: Vec<f64> = self.ranks.iter().flat_map(|ranks| ranks.all().as_flattened()).copied().collect();
        let loss = [self.pair_loss.0, self.pair_loss.1 as f64];
        let doubles = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let said = [
            self.rows.iter().flat_map(|row| row.to_le_bytes()).collect(),
            bytes(&self.values),
            lengths,
            doubles(&ranks),
            doubles(&loss),
        ];
        let [rows, values, lengths, ranks, losses] = said.map(|said| group.to_first(said).concat());
        check(group)?;
        if !group.is_first() {
            return Ok(None);
        }
        let eights = |bytes: &[u8]| bytes.as_chunks::<8>().0.to_vec();
        let ranks: Vec<f64> = eights(&ranks).into_iter().map(f64::from_le_bytes).collect();
        let mut rest = ranks.as_chunks::<3>().0;
        let mut of_graph = |length: u64| {
            let (own, after) = rest.split_at((length as usize).min(rest.len()));
            rest = after;
            PairRanks::from_ranks(own.to_vec())
        };
        let ranks = eights(&lengths).into_iter().map(u64::from_le_bytes).map(&mut of_graph).collect();
        let losses: Vec<f64> = eights(&losses).into_iter().map(f64::from_le_bytes).collect();
        let pair_loss =
            losses.chunks_exact(2).fold((0.0, 0), |(sum, count), own| (sum + own[0], count + own[1] as usize));
        let rows = rows.as_chunks::<4>().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
        Ok(Some(Outputs { rows, values: numbers(&values), ranks, pair_loss }))
    }
}

/// The answers of all processes for their own nodes, in the order of the nodes in the whole graph, on the first: ids (empty: numbers) and
/// outputs. None on the others.
pub(crate) fn answers_together(
    part: &OwnPart,
    task: &Task,
    outputs: &Outputs,
) -> Result<Option<(Vec<String>, Outputs)>, TrainError> {
    let group = part.group();
    let names: Vec<u32> = outputs.rows.iter().map(|row| part.halo.own_names()[*row as usize]).collect();
    let ids: Vec<&String> = outputs.rows.iter().filter_map(|row| task.ids.get(*row as usize)).collect();
    let said = [
        group.to_first(names.iter().flat_map(|name| name.to_le_bytes()).collect()),
        group.to_first(serde_json::to_vec(&ids).unwrap_or_default()),
        group.to_first(bytes(&outputs.values)),
    ];
    check(group)?;
    if !group.is_first() {
        return Ok(None);
    }
    let [names, ids, values] = said;
    let names = names.concat();
    let names: Vec<u32> = names.as_chunks::<4>().0.iter().map(|&chunk| u32::from_le_bytes(chunk)).collect();
    let mut all_ids: Vec<String> = Vec::new();
    for own in ids {
        let own: Vec<String> = serde_json::from_slice(&own)
            .map_err(|error| TrainError::Task(format!("ids can't be understood: {error}.")))?;
        all_ids.extend(own);
    }
    let values = numbers(&values.concat());
    let width = values.len().checked_div(names.len()).unwrap_or(0);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_unstable_by_key(|&at| names[at]);
    let rows = order.iter().map(|&at| names[at]).collect();
    let sorted = order.iter().flat_map(|&at| &values[at * width..(at + 1) * width]).copied().collect();
    let ids =
        if all_ids.len() == order.len() { order.iter().map(|&at| all_ids[at].clone()).collect() } else { Vec::new() };
    Ok(Some((ids, Outputs::of_rows(rows, sorted))))
}

/// Score and loss over the rows of all processes, on all of them.
pub(crate) fn evaluate_together(group: &Group, task: &Task, outputs: Outputs) -> Result<Evaluation, TrainError> {
    let found = if task.own_part().is_some() {
        joined(group, task, &outputs)?
            .map(|(target, outputs)| evaluate_rows(task.metric, &task.truth().with_target(target), &outputs))
    } else {
        outputs.gathered(group)?.map(|outputs| evaluate(task, &outputs))
    };
    let Evaluation { score, loss } = found.unwrap_or_default();
    let told = |number: Option<f64>| number.unwrap_or(f64::NAN);
    let said: Vec<u8> = [told(score), told(loss)].iter().flat_map(|number| number.to_le_bytes()).collect();
    let heard = group.first(if group.is_first() { said } else { Vec::new() });
    check(group)?;
    let numbers: Vec<f64> = heard.as_chunks::<8>().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect();
    let number = |at: usize| numbers.get(at).copied().filter(|number| !number.is_nan());
    Ok(Evaluation { score: number(0), loss: number(1) })
}

/// The split of all processes by names (ids, or numbers in the whole graph), ascending by number, on the first; nothing on the others.
pub(crate) fn split_together(part: &OwnPart, task: &Task) -> Result<[Vec<String>; 3], TrainError> {
    let group = part.group();
    let Split { train, valid, test } = task.split();
    let numbers = part.halo.own_names();
    let named = |units: &Vec<u32>| -> Vec<(u32, String)> {
        let name = |unit: &u32| match task.ids.get(*unit as usize) {
            Some(id) => id.clone(),
            None => numbers[*unit as usize].to_string(),
        };
        units.iter().map(|unit| (numbers[*unit as usize], name(unit))).collect()
    };
    let own = serde_json::to_vec(&[train, valid, test].map(named)).unwrap_or_default();
    let said = group.to_first(own);
    check(group)?;
    let mut all: [Vec<(u32, String)>; 3] = Default::default();
    for bytes in said {
        let lists: [Vec<(u32, String)>; 3] = serde_json::from_slice(&bytes)
            .map_err(|error| TrainError::Task(format!("a split can't be understood: {error}.")))?;
        all.iter_mut().zip(lists).for_each(|(all, list)| all.extend(list));
    }
    Ok(all.map(|mut list| {
        list.sort_unstable();
        list.into_iter().map(|(_, name)| name).collect()
    }))
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect()
}
