//! A prediction with the nodes that it read: around the node by hop, or the whole of a small graph; below, how much was read of each hop.

use farhop_train::Task;
use farhop_train::insight::{Explanation, ExplanationMethod, HopShare, NodeShare, Subject};

use super::bars::{Bar, bars, shortened};
use super::layout;
use super::svg::Svg;

const SIDE: f64 = 520.0;
/// Nodes that are drawn around a node, the largest.
const MOST_AROUND: usize = 80;
/// Nodes of a graph that is drawn whole.
const MOST_OF_GRAPH: usize = 150;
/// Nodes that are named.
const NAMED: usize = 12;

/// The picture of an explanation.
pub fn explained(task: &Task, found: &Explanation) -> Svg {
    let title = match found.method {
        ExplanationMethod::Weights => "Weights with which nodes were read, by hop",
        ExplanationMethod::Contributions => "What nodes add to the prediction",
    };
    let around = shown(task, found);
    let hops = found.by_hop();
    let below = match hops.iter().any(|hop| hop.hop.is_some()) {
        true => bars("Share of what was read, by hop", "c1", &hops.iter().map(hop_bar).collect::<Vec<_>>()),
        false => bars("The largest", "c1", &largest(task, &found.shares)),
    };
    let drawn = if around.is_empty() { 0.0 } else { SIDE };
    let mut svg = Svg::new(SIDE, drawn + below.height + 10.0, title);
    if !around.is_empty() {
        draw(&mut svg, task, found, &around);
    }
    svg.place((0.0, drawn + 6.0), &below);
    let told: Vec<String> = found.shares.iter().take(NAMED).map(|share| note(task, share)).collect();
    svg.describe(&format!("{title}. The largest: {}.", told.join("; ")));
    svg
}

/// A node on the picture.
struct Shown {
    node: u32,
    /// The sum over its hops.
    weight: f64,
    ring: usize,
    note: String,
}

/// The nodes that are drawn; none of a graph that is too large for it.
fn shown(task: &Task, found: &Explanation) -> Vec<Shown> {
    let mut nodes: Vec<Shown> = Vec::new();
    for share in &found.shares {
        let ring = share.hop.unwrap_or(0) as usize;
        match nodes.iter_mut().find(|shown| shown.node == share.node) {
            Some(shown) => {
                shown.weight += f64::from(share.weight);
                shown.ring = shown.ring.min(ring);
                shown.note.push_str(&format!("; {}", note(task, share)));
            }
            None if matches!(found.subject, Subject::Row(_))
                && found.shares.iter().any(|share| share.hop.is_some()) =>
            {
                // Who can't be reached is on no ring.
                if nodes.len() < MOST_AROUND && share.hop.is_some() {
                    nodes.push(Shown {
                        node: share.node,
                        weight: f64::from(share.weight),
                        ring,
                        note: note(task, share),
                    });
                }
            }
            None => {
                nodes.push(Shown { node: share.node, weight: f64::from(share.weight), ring, note: note(task, share) })
            }
        }
    }
    if let Some(centre) = centre(found).filter(|centre| nodes.iter().all(|shown| shown.node != *centre)) {
        let note = format!("{}: nothing of itself", name(task, centre));
        nodes.push(Shown { node: centre, weight: 0.0, ring: 0, note });
    }
    if centre(found).is_none() && nodes.len() > MOST_OF_GRAPH { Vec::new() } else { nodes }
}

/// The node that is explained, if it is one: hops are counted from it.
fn centre(found: &Explanation) -> Option<u32> {
    let counted = found.shares.iter().any(|share| share.hop.is_some());
    match found.subject {
        Subject::Row(row) if counted => Some(row),
        _ => None,
    }
}

fn draw(svg: &mut Svg, task: &Task, found: &Explanation, nodes: &[Shown]) {
    let place_of = |node: u32| nodes.iter().position(|shown| shown.node == node);
    let mut edges = Vec::new();
    for (place, shown) in nodes.iter().enumerate() {
        let others = task.graph().neighbours(shown.node as usize).iter().filter_map(|other| place_of(*other));
        edges.extend(others.map(|other| (place.min(other), place.max(other))));
    }
    edges.sort_unstable();
    edges.dedup();
    let rings: Vec<usize> = nodes.iter().map(|shown| shown.ring).collect();
    let places = match centre(found) {
        Some(_) => layout::rings(&rings, &edges),
        None => layout::springs(nodes.len(), &edges),
    };
    let at = |(x, y): (f64, f64)| (SIDE / 2.0 + x * (SIDE / 2.0 - 40.0), SIDE / 2.0 + y * (SIDE / 2.0 - 30.0));
    for &(one, other) in &edges {
        svg.line(at(places[one]), at(places[other]), "faint quiet");
    }
    let most = nodes.iter().map(|shown| shown.weight.abs()).fold(f64::MIN_POSITIVE, f64::max);
    for (shown, place) in nodes.iter().zip(&places) {
        let radius = 2.5 + 12.0 * (shown.weight.abs() / most).sqrt();
        let class = if shown.weight < 0.0 { "dot c2" } else { "dot c1" };
        svg.dot(at(*place), (radius * 10.0).round() / 10.0, class, &shown.note);
    }
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|a, b| nodes[*b].weight.abs().total_cmp(&nodes[*a].weight.abs()).then(a.cmp(b)));
    for &place in order.iter().take(NAMED) {
        let (x, y) = at(places[place]);
        let radius = 2.5 + 12.0 * (nodes[place].weight.abs() / most).sqrt();
        svg.text((x, y - radius - 3.0), "middle", &shortened(&name(task, nodes[place].node), 18));
    }
    svg.text((4.0, 16.0), "strong", &shortened(&what(task, found), 60));
}

/// What is explained, in a few words.
fn what(task: &Task, found: &Explanation) -> String {
    let output = task.target().names().get(found.output).cloned().unwrap_or_default();
    match found.probability {
        Some(share) => format!("{output} {:.1} %", 100.0 * share).trim_start().to_string(),
        None => format!("{output} {:.4}", found.value),
    }
}

fn hop_bar(hop: &HopShare) -> Bar {
    let name = hop.hop.map_or("no way".to_string(), |hop| format!("hop {hop}"));
    let nodes = if hop.nodes == 1 { "node" } else { "nodes" };
    Bar { name, share: hop.share, shown: format!("{:.1} %, {} {nodes}", 100.0 * hop.share, hop.nodes) }
}

fn largest(task: &Task, shares: &[NodeShare]) -> Vec<Bar> {
    let most = shares.first().map_or(1.0, |share| f64::from(share.weight.abs()).max(f64::MIN_POSITIVE));
    let bar = |share: &NodeShare| Bar {
        name: name(task, share.node),
        share: f64::from(share.weight.abs()) / most,
        shown: format!("{:+.4}", share.weight),
    };
    shares.iter().take(NAMED).map(bar).collect()
}

fn note(task: &Task, share: &NodeShare) -> String {
    let hop = share.hop.map_or(String::new(), |hop| format!(", hop {hop}"));
    format!("{}{hop}: {:+.4}", name(task, share.node), share.weight)
}

/// What a node is called: its id, or its number in its graph.
fn name(task: &Task, node: u32) -> String {
    task.node_key(node).pop().unwrap_or_default()
}
