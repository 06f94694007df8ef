//! A made graph of the size of ogbn-products: 2,449,029 nodes, 61,859,140 edges, 100 features, 47 classes. As a `.farhop` file, or with
//! `form=ogb` as a folder in the layout of the Open Graph Benchmark (not compressed), or with `form=tables` as a folder of `nodes.csv` and
//! `edges.csv` with text as ids; features in text have two decimals.
//!
//! ```text
//! cargo run --release -p farhop-data --example products -- PLACE [form=farhop] [inside=0.9] [near=0.09] [nodes=...] [edges=...] [features=100] [edge_features=0]
//! ```
//!
//! `edge_features` numbers an edge go with `form=ogb` and `form=tables`.
//!
//! Nodes have communities of 2,000, a share `inside` of the edges stays there, and within a community ends are drawn with the density of a power
//! law, so that there are hubs. Communities stand in a ring: a share `near` of the edges goes to one a few places away (how many is drawn
//! geometrically, 8 in the mean), as groups of products lie beside related groups; all others go anywhere. What matters here is memory and
//! bytes, not the score.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use farhop_data::metrics::Metric;
use farhop_data::{Dataset, Split, Target};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, build};

const COMMUNITY: u64 = 2000;
const CLASSES: u64 = 47;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give the file or folder to write")?;
    let mut form = "farhop".to_string();
    let (mut inside, mut near, mut nodes, mut wanted) = (0.9, 0.09, 2_449_029u64, 61_859_140usize);
    let (mut features, mut edge_features) = (100usize, 0usize);
    for argument in arguments {
        match argument.split_once('=').ok_or("settings are key=value")? {
            ("form", value) if ["farhop", "ogb", "tables"].contains(&value) => form = value.to_string(),
            ("inside", value) => inside = value.parse()?,
            ("near", value) => near = value.parse()?,
            ("nodes", value) => nodes = value.parse()?,
            ("edges", value) => wanted = value.parse()?,
            ("features", value) => features = value.parse()?,
            ("edge_features", value) => edge_features = value.parse()?,
            (key, _) => return Err(format!("no setting {key}").into()),
        }
    }
    let edges = edges(nodes, wanted, inside, near);
    let mut random = Stream::new(2);
    let middles: Vec<f32> = (0..CLASSES as usize * features).map(|_| 0.3 * random.normal() as f32).collect();
    let class = |node: u64| node / COMMUNITY % CLASSES;
    let feature_row = |node: u64, random: &mut Stream, row: &mut Vec<f32>| {
        let middle = &middles[class(node) as usize * features..][..features];
        row.extend(middle.iter().map(|middle| middle + random.normal() as f32));
    };
    if form != "farhop" {
        let sizes = Sizes { nodes, features, edge_features };
        return text(Path::new(&file), form == "ogb", sizes, &edges, class, |node, row| {
            row.clear();
            feature_row(node, &mut random, row);
        });
    }
    if edge_features > 0 {
        return Err("edge_features is for form=ogb and form=tables".into());
    }
    let graph = build(nodes as usize, &edges, Direction::Undirected)?.graph;
    drop(edges);
    let mut numbers = Vec::with_capacity(nodes as usize * features);
    (0..nodes).for_each(|node| feature_row(node, &mut random, &mut numbers));
    let mut rows: Vec<u32> = (0..nodes as u32).collect();
    random.shuffle(&mut rows);
    let part = |from: f64, to: f64| -> Vec<u32> {
        let mut part = rows[(from * nodes as f64) as usize..(to * nodes as f64) as usize].to_vec();
        part.sort_unstable();
        part
    };
    let data = Dataset::graph(graph)
        .name("products-like")
        .features(features, numbers)
        .target(Target::Class {
            labels: (0..nodes).map(|node| Some(class(node) as u32)).collect(),
            classes: (0..CLASSES).map(|class| class.to_string()).collect(),
        })
        .split(Split { train: part(0.0, 0.08), valid: part(0.08, 0.1), test: part(0.1, 0.2) })
        .metric(Metric::Accuracy)
        .build()?;
    data.save(Path::new(&file))?;
    println!("{nodes} nodes, {} edges", data.graphs.union().edges());
    Ok(())
}

/// What there is of everything.
struct Sizes {
    nodes: u64,
    features: usize,
    edge_features: usize,
}

/// Writes a folder of text.
fn text(
    folder: &Path,
    ogb: bool,
    Sizes { nodes, features, edge_features }: Sizes,
    edges: &[(u32, u32)],
    class: impl Fn(u64) -> u64,
    mut feature_row: impl FnMut(u64, &mut Vec<f32>),
) -> Result<(), Box<dyn Error>> {
    let file = |name: &str| -> io::Result<BufWriter<File>> {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        Ok(BufWriter::with_capacity(1 << 20, File::create(path)?))
    };
    let id = if ogb { "" } else { "product-" };
    let mut edge_file = file(if ogb { "raw/edge.csv" } else { "edges.csv" })?;
    let mut node_file = file(if ogb { "raw/node-feat.csv" } else { "nodes.csv" })?;
    if ogb {
        writeln!(file("raw/num-node-list.csv")?, "{nodes}")?;
        writeln!(file("raw/num-edge-list.csv")?, "{}", edges.len())?;
        let mut labels = file("raw/node-label.csv")?;
        (0..nodes).try_for_each(|node| writeln!(labels, "{}", class(node)))?;
        labels.flush()?;
        for (name, from, to) in [("train", 0, 8), ("valid", 8, 10), ("test", 10, 100)] {
            let mut part = file(&format!("split/made/{name}.csv"))?;
            // A node goes where its number says; every community is in all of them.
            let rows = (0..nodes).filter(|node| (from..to).contains(&(node % 100)));
            rows.into_iter().try_for_each(|row| writeln!(part, "{row}"))?;
            part.flush()?;
        }
    } else {
        let names = |letter: char, count: usize| (0..count).map(move |at| format!("{letter}{at}"));
        let ends = ["source", "target"].map(String::from).into_iter();
        writeln!(edge_file, "{}", ends.chain(names('e', edge_features)).collect::<Vec<_>>().join(","))?;
        writeln!(node_file, "id,label,{}", names('x', features).collect::<Vec<_>>().join(","))?;
    }
    let (mut row, mut line) = (Vec::new(), Vec::new());
    let mut random = Stream::new(3);
    let mut feature_file = if ogb && edge_features > 0 { Some(file("raw/edge-feat.csv")?) } else { None };
    for (a, b) in edges {
        write!(edge_file, "{id}{a},{id}{b}")?;
        if edge_features > 0 {
            row.clear();
            row.extend((0..edge_features).map(|_| random.normal() as f32));
            line.clear();
            put_numbers(&row, &mut line)?;
            match &mut feature_file {
                Some(file) => writeln!(file, "{}", str::from_utf8(&line)?)?,
                None => write!(edge_file, ",{}", str::from_utf8(&line)?)?,
            }
        }
        writeln!(edge_file)?;
    }
    edge_file.flush()?;
    feature_file.map_or(Ok(()), |mut file| file.flush())?;
    for node in 0..nodes {
        feature_row(node, &mut row);
        line.clear();
        if !ogb {
            write!(line, "{id}{node},c{},", class(node))?;
        }
        put_numbers(&row, &mut line)?;
        line.push(b'\n');
        node_file.write_all(&line)?;
    }
    node_file.flush()?;
    println!("{nodes} nodes, {} edges", edges.len());
    Ok(())
}

/// Numbers with two decimals and commas between them.
fn put_numbers(row: &[f32], line: &mut Vec<u8>) -> io::Result<()> {
    for value in row {
        let hundredths = (value.abs() * 100.0) as u32;
        if *value < 0.0 {
            line.push(b'-');
        }
        write!(line, "{}.{}{},", hundredths / 100, hundredths / 10 % 10, hundredths % 10)?;
    }
    line.pop();
    Ok(())
}

/// So many different edges, ascending.
fn edges(nodes: u64, wanted: usize, inside: f64, near: f64) -> Vec<(u32, u32)> {
    let mut random = Stream::new(1);
    let groups = nodes.div_ceil(COMMUNITY);
    let mut keys: Vec<u64> = Vec::new();
    while keys.len() < wanted {
        // Some are drawn twice.
        for _ in 0..(wanted - keys.len()) * 9 / 8 + 16 {
            let group = random.below(groups);
            let drawn = random.uniform();
            let other = if drawn < inside {
                group
            } else if drawn < inside + near {
                let steps = 1 + ((1.0 - random.uniform()).ln() / (1.0f64 - 1.0 / 8.0).ln()) as u64 % groups;
                if random.uniform() < 0.5 { (group + steps) % groups } else { (group + groups - steps) % groups }
            } else {
                random.below(groups)
            };
            let mut end = |group: u64| {
                let place = (random.uniform().powi(2) * COMMUNITY as f64) as u64;
                (group * COMMUNITY + place).min(nodes - 1)
            };
            let (a, b) = (end(group), end(other));
            if a != b {
                keys.push(a.min(b) * nodes + a.max(b));
            }
        }
        keys.sort_unstable();
        keys.dedup();
    }
    // As many as wanted, each as likely to stay as any other.
    let mut found = Vec::with_capacity(wanted);
    for (at, key) in keys.iter().enumerate() {
        let (left, needed) = (keys.len() - at, wanted - found.len());
        if random.below(left as u64) < needed as u64 {
            found.push(((key / nodes) as u32, (key % nodes) as u32));
        }
    }
    found
}
