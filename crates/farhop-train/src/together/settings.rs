//! Whether all processes train with the same settings.

use farhop_nn::exchange::Group;
use toml::{Table, Value};

use super::check;
use crate::TrainError;

/// Whether all processes have the recipe of the first one.
///
/// # Errors
/// Names the first process that has another, and the first setting that differs.
pub(crate) fn same_settings(group: &Group, own: &str) -> Result<(), TrainError> {
    let said = group.all(own.as_bytes());
    check(group)?;
    let Some(rank) = said.iter().position(|other| *other != said[0]) else { return Ok(()) };
    let [first, other] = [0, rank].map(|rank| settings(&String::from_utf8_lossy(&said[rank])));
    let of = |all: &[(String, String)], key: &str| {
        all.iter().find(|(other, _)| other == key).map_or_else(|| "not set".to_string(), |(_, value)| value.clone())
    };
    let keys = first.iter().chain(&other).map(|(key, _)| key);
    let differs = keys.map(|key| (key, of(&other, key), of(&first, key))).find(|(_, other, first)| other != first);
    let difference = differs.map_or_else(String::new, |(key, other, first)| format!(" ({key} is {other} and {first})"));
    Err(TrainError::Task(format!(
        "the recipe of process {rank} is not that of process 0{difference}. Start all with the same."
    )))
}

/// All settings of a recipe by their whole names.
fn settings(text: &str) -> Vec<(String, String)> {
    fn walk(table: &Table, name: &str, all: &mut Vec<(String, String)>) {
        for (key, value) in table {
            let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            match value {
                Value::Table(inner) => walk(inner, &name, all),
                other => all.push((name, other.to_string())),
            }
        }
    }
    let mut all = Vec::new();
    if let Ok(table) = text.parse::<Table>() {
        walk(&table, "", &mut all);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::exchange::threads;

    #[test]
    fn the_process_and_the_setting_that_differ_are_named() {
        let said = |own: [&str; 3]| -> Vec<Option<String>> {
            std::thread::scope(|scope| {
                let ask = |transport, own: &str| {
                    same_settings(&Group::new(transport), own).err().map(|error| error.to_string())
                };
                let started = threads(3).into_iter().zip(own);
                let started: Vec<_> =
                    started.map(|(transport, own)| scope.spawn(move || ask(transport, own))).collect();
                started.into_iter().map(|thread| thread.join().unwrap()).collect()
            })
        };
        let recipe = "[model]\nkind = \"gen\"\nhops = 4\n[train.optimizer]\ndecay = 0.1\n";
        assert_eq!(said([recipe; 3]), [None, None, None]);
        let other = recipe.replace("hops = 4", "hops = 3");
        let refusal =
            "the recipe of process 2 is not that of process 0 (model.hops is 3 and 4). Start all with the same.";
        assert_eq!(said([recipe, recipe, &other]), [(); 3].map(|()| Some(refusal.to_string())));
        let more = format!("{recipe}slow = true\n");
        let refusal = "the recipe of process 1 is not that of process 0 (train.optimizer.slow is true and not set). Start all with the same.";
        assert_eq!(said([recipe, &more, recipe]), [(); 3].map(|()| Some(refusal.to_string())));
    }
}
