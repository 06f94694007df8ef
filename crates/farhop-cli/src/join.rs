//! New tables for a run: joined to the graph of training where they belong to it.

use std::path::Path;

use farhop_data::text::{counted, quoted, thousands};
use farhop_data::{ApplyOptions, DataError, Dataset, JoinOptions, Joined, NewNodes, NodeTables, Schema, SourceFile};
use farhop_train::{DataConfig, TrainedRun};
use serde_json::{Value, json};

use crate::arguments::NewData;
use crate::console::Console;
use crate::failure::Failure;

/// What a graph of training had to do with new tables.
pub struct Join {
    /// The nodes of the new tables.
    pub new_nodes: Vec<u32>,
    known: usize,
    replaced: usize,
    links: usize,
}

impl Join {
    /// As JSON.
    pub fn object(&self) -> Value {
        json!({ "known_nodes": self.known, "replaced_nodes": self.replaced, "edges_to_known": self.links })
    }

    /// `joined      12 nodes to the 2,708 of training: 31 edges go to known nodes`, in line with the data card.
    fn line(&self) -> String {
        let (new, known) = (counted(self.new_nodes.len() as u64, "node", "nodes"), thousands(self.known as u64));
        let links = counted(self.links as u64, "edge goes", "edges go");
        let replaced = match self.replaced as u64 {
            0 => String::new(),
            count => format!("; {} a new row", counted(count, "known node has", "known nodes have")),
        };
        format!("joined      {new} to the {known} of training: {links} to known nodes{replaced}")
    }
}

/// Reads new tables as the run read its own, beside those unless they are to stand alone.
pub fn read(
    run: &TrainedRun,
    (recorded, schema): (&DataConfig, &Schema),
    (nodes, edges): (&Path, &Path),
    new: &NewData,
    console: &Console,
) -> Result<(Dataset, Option<Join>), Failure> {
    let add_missing_nodes = new.add_missing_nodes || recorded.add_missing_nodes;
    let apply = ApplyOptions { fill: new.fill, add_missing_nodes };
    let alone = || NodeTables::load_with_schema(nodes, edges, schema, &apply).map(|read| read.dataset);
    if new.alone {
        return Ok((alone()?, None));
    }
    let places =
        [new.known_nodes.as_ref().or(recorded.nodes.as_ref()), new.known_edges.as_ref().or(recorded.edges.as_ref())];
    let [Some(known_nodes), Some(known_edges)] = places else {
        return Ok((alone()?, None));
    };
    let absent = [known_nodes, known_edges].into_iter().find(|path| path.as_os_str() == "-" || !path.exists());
    if let Some(absent) = absent {
        let remedy = "Pass the tables of training as --known-nodes and --known-edges, or --alone if the new ones are a graph by themselves.";
        return match alone() {
            Ok(dataset) if is_training(run, &dataset.sources) => Ok((dataset, None)),
            Ok(dataset) => {
                let absent = absent.display();
                console.warning(&format!(
                    "{absent} of training is not there now, so the new tables are read as a graph by themselves. {remedy}"
                ));
                Ok((dataset, None))
            }
            Err(error) => Err(match first_unknown(&error) {
                Some(unknown) => Failure::failed(format!(
                    "{unknown}, and {} of training is not there to look it up in. {remedy}",
                    absent.display()
                )),
                None => error.into(),
            }),
        };
    }
    let as_trained = ApplyOptions { fill: None, add_missing_nodes: recorded.add_missing_nodes };
    let known = NodeTables::load_with_schema(known_nodes, known_edges, schema, &as_trained)?;
    let joined = known.join(nodes, edges, &JoinOptions { apply, replace_known: new.replace_known })?;
    let Joined { dataset, new_nodes, known: count, replaced, links } = match joined {
        NewNodes::ByThemselves(read) => {
            if !is_training(run, &read.dataset.sources) {
                console.message("joined      nothing: the new tables are a graph by themselves");
            }
            return Ok((read.dataset, None));
        }
        NewNodes::Joined(joined) => *joined,
    };
    if !is_training(run, &known.dataset.sources) {
        console.warning(&format!(
            "{} and {} are not what the run was trained on; the new nodes are joined to what they hold now. Pass the tables of training as --known-nodes and --known-edges to join those.",
            known_nodes.display(),
            known_edges.display()
        ));
    }
    let join = Join { new_nodes, known: count, replaced, links };
    console.message(&join.line());
    Ok((dataset, Some(join)))
}

/// The first id that the tables do not have, if such ids are all that is wrong.
fn first_unknown(error: &DataError) -> Option<String> {
    match error {
        DataError::UnknownId { place, end, id, nodes_file, .. } => {
            Some(format!("{place}: {end} id {} is not in {nodes_file}", quoted(id)))
        }
        DataError::Several { problems, .. } => {
            let unknown: Option<Vec<String>> = problems.iter().map(first_unknown).collect();
            unknown.and_then(|unknown| unknown.into_iter().next())
        }
        _ => None,
    }
}

/// Whether files hold what the run was trained on, wherever they lie.
pub fn is_training(run: &TrainedRun, sources: &[SourceFile]) -> bool {
    run.record.check_data(sources).is_ok()
}
