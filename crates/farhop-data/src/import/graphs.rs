//! Many graphs in one pair of tables, a target for each.

use std::collections::HashMap;

use farhop_graph::{Built, Direction};

use super::{ImportOptions, Tables, table_features};
use crate::dataset::entry_rows::{build_graph, graph_set};
use crate::dataset::split::{Part, Split};
use crate::dataset::split_choice::TableSplit;
use crate::dataset::{Columns, Dataset, Level, Numbers, Target};
use crate::error::DataError;
use crate::error::problems::Problems;
use crate::error::setting::Setting;
use crate::formats::table::Table;
use crate::tables::edge_features::{self, EdgeColumns, EdgeFeatures};
use crate::tables::edges::end_columns;
use crate::tables::options::NodeTableOptions;
use crate::tables::roles::Roles;
use crate::tables::scan::{Scan, part_of};
use crate::tables::schema::{Schema, TargetColumn};
use crate::tables::targets::{TargetCells, TargetColumns};
use crate::text::{counted, quoted};

/// Reads tables whose nodes name their graph in `column`. Features are what `known` says, or are learned from the tables; what
/// they are is given back.
pub(super) fn read(
    tables: Tables<'_>,
    column: &str,
    options: &ImportOptions,
    known: Option<&Schema>,
) -> Result<(Dataset, Schema), DataError> {
    let table = tables.nodes;
    let graph_column = table.require(column, "the graph of every node")?;
    let table_options = node_options(table, graph_column, options);
    let roles = match known {
        Some(schema) => Roles::from_schema(table, schema)?,
        None => Roles::infer(table, &table_options)?,
    };
    let mut problems = Problems::default();
    let mut scan = Scan::with_any_ids(table, &roles, Some(table_options.most_categories), &mut problems)?;
    problems.into_result()?;
    let mut graphs = Graphs::read(tables.graphs, column, options, known)?;
    let members = Members::read(table, &roles, graph_column, &mut graphs)?;
    let directed = known.map_or(table_options.directed, |schema| schema.directed);
    let built = read_edges(tables.edges, column, &members, &graphs, directed)?;
    let rows = graphs.ids.len();
    let graph_table = tables.graphs.unwrap_or(table);
    let mut notes: Vec<String> =
        [Some(table), Some(tables.edges), tables.graphs].into_iter().flatten().filter_map(Table::note).collect();
    let (target, split, kept) = graphs.target_and_split(graph_table, options, known, &mut notes)?;
    let edges = edge_features(tables.edges, column, &built, &table_options, known)?;
    notes.extend(edges.notes);
    let (edge_columns, edges) = (edges.columns, edges.features);
    // Statistics are taken over the nodes of the training graphs.
    let mut of_train = vec![split.train.is_empty(); rows];
    split.train.iter().for_each(|&graph| of_train[graph as usize] = true);
    let train: Vec<u32> =
        (0..members.graph_of.len() as u32).filter(|&row| of_train[members.graph_of[row as usize] as usize]).collect();
    // The graph of the table's rows is the built one with its nodes renamed; degrees are put right below.
    let graph = members.in_table_order(&built)?;
    let (features, columns) = match known {
        Some(Schema { features: columns, .. }) => {
            let count = members.graph_of.len();
            let encoded = table_features::encode_features(table, &roles, columns, count, &graph, &mut notes)?;
            (encoded, columns.clone())
        }
        None => table_features::read_features(table, &roles, &mut scan, &graph, &train, &table_options, &mut notes)?,
    };
    let nodes = members.reordered(features);
    let empty = (0..rows).filter(|&graph| members.offsets[graph] == members.offsets[graph + 1]).count();
    if empty > 0 {
        notes.push(format!("{} no node", counted(empty as u64, "graph has", "graphs have")));
    }
    let graph_set = graph_set(tables.edges.name(), built.graph, members.offsets)?;
    let mut sources = vec![table.source().clone(), tables.edges.source().clone()];
    sources.extend(tables.graphs.map(|table| table.source().clone()));
    sources.dedup();
    let schema = Schema {
        id: table.header()[roles.id].clone(),
        target: kept,
        split: None,
        features: columns,
        directed,
        edge_features: edge_columns,
    };
    let dataset = Dataset {
        nodes,
        edges,
        split,
        ids: graphs.ids,
        notes,
        sources,
        ..Dataset::new(graph_table.name(), graph_set, Level::Graph, target)
    };
    Ok((dataset.check()?, schema))
}

/// The options for the nodes table: no target there, and the graph column is no feature.
fn node_options(table: &Table, graph_column: usize, options: &ImportOptions) -> NodeTableOptions {
    let mut table_options = NodeTableOptions { targets: Vec::new(), ..options.table.clone() };
    table_options.ignore.push(table.header()[graph_column].clone());
    if table_options.id.is_none() && !table.header().iter().any(|name| name.eq_ignore_ascii_case("id")) {
        table_options.id =
            table.header().iter().enumerate().find(|(at, _)| *at != graph_column).map(|(_, name)| name.clone());
    }
    table_options
}

/// The table of graphs.
struct Graphs {
    ids: Vec<String>,
    number_of: HashMap<String, u32>,
    /// Whether graphs that are not in the table are new ones: there is no table.
    open: bool,
    file: String,
    targets: Vec<TargetCells>,
    split: Option<usize>,
    parts: Vec<Option<Part>>,
}

impl Graphs {
    fn read(
        table: Option<&Table>,
        column: &str,
        options: &ImportOptions,
        known: Option<&Schema>,
    ) -> Result<Graphs, DataError> {
        let mut graphs = Graphs {
            ids: Vec::new(),
            number_of: HashMap::new(),
            open: table.is_none(),
            file: table.map_or_else(String::new, |table| table.name().to_string()),
            targets: Vec::new(),
            split: None,
            parts: Vec::new(),
        };
        let Some(table) = table else {
            return match options.targets.first() {
                None => Ok(graphs),
                Some(name) => Err(DataError::Mismatch {
                    what: format!(
                        "target {} of graphs needs a table of graphs. Give one with {}.",
                        quoted(name),
                        Setting::named("graphs")
                    ),
                }),
            };
        };
        let named = |name: &str| table.header().iter().position(|column| column.eq_ignore_ascii_case(name));
        let id = named(column).or_else(|| named("graph")).or_else(|| named("id")).unwrap_or(0);
        let mut problems = Problems::default();
        // The targets of training need not be in new files.
        for name in known.iter().filter_map(|schema| schema.target.as_ref()).flat_map(TargetColumn::names) {
            graphs.targets.push(TargetCells::of(name, table.column(name)));
        }
        for name in options.targets.iter().filter(|_| known.is_none()) {
            let Some(found) = problems.hear(table.require(name, "the target")) else { continue };
            let column = Some(found);
            if graphs.targets.iter().any(|target| target.column == column) {
                return Err(DataError::ColumnTwice {
                    file: table.name().to_string(),
                    name: name.clone(),
                    first: "one target",
                    second: "another",
                    remedy: format!("Name every {} once.", Setting::named("target")),
                });
            }
            graphs.targets.push(TargetCells::of(name, column));
        }
        problems.into_result()?;
        let free = |at: &usize| *at != id && graphs.targets.iter().all(|target| target.column != Some(*at));
        graphs.split = named("split").filter(free);
        let mut problems = Problems::default();
        let mut rows = table.rows();
        while let Some(row) = rows.next_telling(&mut problems)? {
            let text = row.cell(id).to_string();
            if let Some(&first) = graphs.number_of.get(&text) {
                problems.add(|| {
                    let first = table.place_of_row(first as usize).line;
                    DataError::DuplicateId { place: row.place(), id: text.clone(), first }
                });
            }
            if let Some(column) = graphs.split {
                graphs.parts.push(problems.hear(part_of(&row, column)).flatten());
            }
            for target in &mut graphs.targets {
                target.see(target.column.map_or("", |column| row.cell(column)));
            }
            graphs.number_of.insert(text.clone(), graphs.ids.len() as u32);
            graphs.ids.push(text);
        }
        problems.into_result()?;
        if graphs.ids.is_empty() {
            return Err(DataError::NoRows { file: table.name().to_string() });
        }
        Ok(graphs)
    }

    fn target_and_split(
        &self,
        table: &Table,
        options: &ImportOptions,
        known: Option<&Schema>,
        notes: &mut Vec<String>,
    ) -> Result<(Target, Split, Option<TargetColumn>), DataError> {
        let (file, rows) = (table.name(), self.ids.len());
        let place = |row| table.place_of_row(row);
        let columns = TargetColumns { file, columns: &self.targets, rows, place: &place };
        if let Some(schema) = known {
            let (target, unknown) = columns.apply(schema.target.as_ref())?;
            if unknown > 0 {
                let graphs = counted(unknown, "graph has", "graphs have");
                notes.push(format!("{graphs} a label that the model does not know; left out of the scores"));
            }
            return Ok((target, Split::default(), schema.target.clone()));
        }
        let (target, kept) = columns.learn(options.task, Level::Graph, notes)?;
        let Some(kept) = kept else {
            return Ok((target, Split::default(), None));
        };
        let marked = self.split.map(|column| (table.header()[column].as_str(), &self.parts[..]));
        let rows = TableSplit { file, column: &kept.name, target: &target, rows, marked, place: &place };
        let (split, _) = rows.learn(&options.table.split, notes)?;
        Ok((target, split, Some(kept)))
    }
}

/// The other columns of the edges table.
fn edge_features(
    table: &Table,
    graph_column: &str,
    built: &Built,
    options: &NodeTableOptions,
    known: Option<&Schema>,
) -> Result<EdgeFeatures, DataError> {
    let ends = end_columns(table)?;
    let free = |(at, name): &(usize, &String)| !ends.contains(at) && !name.eq_ignore_ascii_case(graph_column);
    let candidates = table.header().iter().enumerate().filter(free).map(|(_, name)| name.clone()).collect::<Vec<_>>();
    let columns = EdgeColumns { table, built, candidates: &candidates };
    match known {
        Some(schema) => edge_features::apply(&columns, &schema.edge_features, None),
        None => edge_features::learn(&columns, options),
    }
}

/// Which node belongs to which graph.
struct Members {
    /// The graph of every row of the nodes table.
    graph_of: Vec<u32>,
    /// The number of the node of every row: nodes of one graph lie together.
    node_of: Vec<u32>,
    /// `[graphs + 1]`.
    offsets: Vec<usize>,
    /// The rows of every id; several if ids repeat from graph to graph.
    number_of: HashMap<(u32, String), u32>,
    /// The row of every id, if ids are unique in all graphs.
    unique: Option<HashMap<String, u32>>,
    file: String,
}

impl Members {
    fn read(table: &Table, roles: &Roles, column: usize, graphs: &mut Graphs) -> Result<Members, DataError> {
        let mut graph_of = Vec::new();
        let mut number_of = HashMap::new();
        let mut unique = Some(HashMap::new());
        let mut problems = Problems::default();
        let mut walk = table.rows();
        while let Some(row) = walk.next_row()? {
            let name = row.cell(column);
            let graph = match graphs.number_of.get(name) {
                Some(&graph) => graph,
                None if graphs.open && !name.is_empty() => {
                    let graph = graphs.ids.len() as u32;
                    graphs.number_of.insert(name.to_string(), graph);
                    graphs.ids.push(name.to_string());
                    graph
                }
                None => {
                    let known = if graphs.open { "any".to_string() } else { graphs.file.clone() };
                    let reason =
                        format!("graph {} is not in {known}. Add the graph, or correct the cell.", quoted(name));
                    problems.add(|| DataError::Cell { cell: row.named_cell(column), reason });
                    continue;
                }
            };
            let id = row.cell(roles.id).to_string();
            if let Some(&first) = number_of.get(&(graph, id.clone())) {
                let first: u32 = first;
                problems.add(|| {
                    let first = table.place_of_row(first as usize).line;
                    DataError::DuplicateId { place: row.place(), id, first }
                });
                continue;
            }
            if let Some(known) = &mut unique
                && known.insert(id.clone(), row.index as u32).is_some()
            {
                unique = None;
            }
            number_of.insert((graph, id), row.index as u32);
            graph_of.push(graph);
        }
        problems.into_result()?;
        let mut offsets = vec![0usize; graphs.ids.len() + 1];
        graph_of.iter().for_each(|&graph| offsets[graph as usize + 1] += 1);
        for graph in 1..offsets.len() {
            offsets[graph] += offsets[graph - 1];
        }
        let mut next = offsets.clone();
        let node_of = graph_of
            .iter()
            .map(|&graph| {
                next[graph as usize] += 1;
                next[graph as usize] as u32 - 1
            })
            .collect();
        Ok(Members { graph_of, node_of, offsets, number_of, unique, file: table.name().to_string() })
    }

    /// The graph over the rows of the table.
    fn in_table_order(&self, built: &Built) -> Result<farhop_graph::Graph, DataError> {
        let mut row_of = vec![0; self.node_of.len()];
        for (row, &node) in self.node_of.iter().enumerate() {
            row_of[node as usize] = row as u32;
        }
        farhop_graph::relabel(&built.graph, &row_of)
            .map_err(|error| DataError::Graph { file: self.file.clone(), reason: error.to_string() })
    }

    /// Feature rows in the order of the nodes.
    fn reordered(&self, columns: Columns) -> Columns {
        let Numbers::Dense(rows) = &columns.numbers else {
            return columns;
        };
        let mut ordered = vec![0.0; rows.len()];
        for (row, &node) in rows.chunks_exact(columns.width.max(1)).zip(&self.node_of) {
            let start = node as usize * columns.width;
            ordered[start..start + columns.width].copy_from_slice(row);
        }
        Columns::dense(columns.width, ordered)
    }
}

fn read_edges(
    table: &Table,
    column: &str,
    members: &Members,
    graphs: &Graphs,
    directed: bool,
) -> Result<Built, DataError> {
    let ends = end_columns(table)?;
    let graph_column = table.header().iter().position(|name| name.eq_ignore_ascii_case(column));
    if graph_column.is_none() && members.unique.is_none() {
        let reason = format!(
            "ids of {} repeat from graph to graph, so every edge must name its graph. Add a column {}.",
            members.file,
            quoted(column)
        );
        return Err(DataError::Array { file: table.name().to_string(), reason });
    }
    let mut rows = Vec::new();
    let mut problems = Problems::default();
    let mut walk = table.rows();
    'rows: while let Some(row) = walk.next_telling(&mut problems)? {
        let named = graph_column.map(|at| row.cell(at));
        let mut pair = [0u32; 2];
        for (place, (end, at)) in pair.iter_mut().zip([("source", ends[0]), ("target", ends[1])]) {
            let id = row.cell(at);
            let found = match (named, &members.unique) {
                (Some(name), _) => {
                    let graph = graphs.number_of.get(name).copied();
                    graph.and_then(|graph| members.number_of.get(&(graph, id.to_string())).copied())
                }
                (None, Some(unique)) => unique.get(id).copied(),
                (None, None) => None,
            };
            let Some(found) = found else {
                problems.add(|| {
                    let (nodes_file, nodes) = (members.file.clone(), members.graph_of.len());
                    let (place, id) = (row.place(), id.to_string());
                    let Some(name) = named else {
                        return DataError::UnknownId { place, end, id, nodes_file, nodes };
                    };
                    let (id, graph) = (quoted(&id), quoted(name));
                    let reason = format!("{end} id {id} is not in graph {graph} of {nodes_file}. Add the node.");
                    DataError::Line { place, reason }
                });
                continue 'rows;
            };
            *place = found;
        }
        let between = pair.map(|row| members.graph_of[row as usize]);
        if between[0] != between[1] {
            problems.add(|| {
                let [one, other] = between.map(|graph| quoted(&graphs.ids[graph as usize]));
                let reason = format!(
                    "an edge between graph {one} and graph {other}. Edges stay within a graph: correct its ends or take it out."
                );
                DataError::Line { place: row.place(), reason }
            });
            continue;
        }
        rows.push((members.node_of[pair[0] as usize], members.node_of[pair[1] as usize]));
    }
    problems.into_result()?;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    build_graph(table.name(), members.graph_of.len(), &rows, direction)
}
