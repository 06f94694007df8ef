//! Tables and OGB folders that are divided without being in memory give the files, and the errors, of those that are.

use std::fs;
use std::io::Write;
use std::path::Path;

use farhop_data::import::{ImportOptions, import, import_in_pieces, tables_in_pieces};
use farhop_data::parts::{Pieces, stream_parts, write_parts};
use farhop_data::{
    DataError, Dataset, FeatureScaling, Fill, NodeTableOptions, NodeTables, Numbers, Scratch, SplitChoice,
    SplitFractions,
};
use farhop_graph::random::{mix, unit};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Writes the parts in both ways and compares all files.
fn assert_same_parts(whole: &Dataset, (around, mut pieces): (Dataset, Pieces), place: &Path, what: &str) {
    assert!(matches!(around.nodes.numbers, Numbers::OnDisk(_)) || around.nodes.width == 0, "{what}: in memory");
    for parts in [1, 3] {
        let owners = pieces.stream_parts(parts).unwrap();
        assert_eq!(owners, stream_parts(whole.graphs.union(), parts).unwrap(), "{what}");
        let folders = ["memory", "pieces"].map(|name| place.join(format!("{name}-{parts}")));
        write_parts(whole, &owners, parts as u32, "streaming", &folders[0]).unwrap();
        pieces.write_parts(&around, &owners, parts as u32, "streaming", &folders[1]).unwrap();
        let names = folders.each_ref().map(|folder| {
            let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = names.collect();
            names.sort();
            names
        });
        assert_eq!(names[0], names[1], "{what}: and nothing is left");
        for name in &names[0] {
            let [memory, pieces] = [0, 1].map(|at| fs::read(folders[at].join(name)).unwrap());
            assert!(memory == pieces, "{what}: {} of {parts} parts", name.display());
        }
        folders.iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    }
}

fn pick(seed: u64, at: usize, most: usize) -> usize {
    (unit(mix(seed, at as u64)).powi(2) * most as f64) as usize
}

const NODES: usize = 240;

fn id(node: usize) -> String {
    if node.is_multiple_of(7) { format!("\"é, {node}\"") } else { format!("n{node}") }
}

/// A table with ids that need quotes, numbers, dates, categories, a split and targets that are not all known.
fn nodes_table(delimiter: char, mark: char) -> String {
    let mut text = ["key", "size", "day", "colour", "split", "label", "unread"].join(&delimiter.to_string());
    text.push_str("\r\n");
    for node in 0..NODES {
        let size = format!("{:.3}", 10.0 * unit(mix(3, node as u64)) - 2.0).replace('.', &mark.to_string());
        let size = if node % 31 == 5 { "NA".to_string() } else { size };
        let day = format!("2024-0{}-1{}", 1 + node % 9, node % 10);
        let colour = ["red", "green", "", "blue"][node % 4 + usize::from(node % 4 == 2)];
        let split = ["train", "train", "valid", "test", ""][node % 5];
        let label = ["yes and no", "b", "c", ""][pick(4, node, 4)];
        let cells = [&id(node), &size, &day, colour, split, label, "x"].map(str::to_string);
        text.push_str(&cells.join(&delimiter.to_string()));
        text.push_str(if node % 50 == 3 { "\r\n\r\n" } else { "\r\n" });
    }
    text
}

/// Hubs, loops, repeats in both directions; with `others`, ids that no table of nodes has.
fn edges_table(delimiter: char, others: bool) -> String {
    let mut text = format!("\u{feff}from{delimiter}to\n");
    for at in 0..900 {
        let (from, to) = (pick(1, at, NODES - 9), pick(2, at, NODES - 9));
        let to = if at % 40 == 0 { from } else { to };
        let name = |node: usize| if others && node % 23 == 4 { format!("other {}", node % 5) } else { id(node) };
        text.push_str(&format!("{}{delimiter}{}\n", name(from), name(to)));
        if at % 9 == 0 {
            text.push_str(&format!("{}{delimiter}{}\n", name(to), name(from)));
        }
    }
    text
}

fn options() -> NodeTableOptions {
    NodeTableOptions {
        id: Some("key".into()),
        targets: vec!["label".into()],
        ignore: vec!["unread".into()],
        fill: Fill::Mean,
        ..NodeTableOptions::default()
    }
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn parts_of_tables_are_those_of_tables_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let (nodes, edges) = (place.path().join("nodes.csv"), place.path().join("edges.csv"));
    let scratch = Scratch::new(&place.path().join("scratch")).unwrap();
    let seeded = SplitChoice::Automatic { fractions: SplitFractions::default(), seed: 3 };
    type Change = fn(&mut NodeTableOptions);
    let cases: [(&str, char, char, bool, Change); 7] = [
        ("as they are", ',', '.', false, |_| ()),
        ("packed, with nodes that only edges name", ',', '.', true, |options| options.add_missing_nodes = true),
        ("decimal commas", ';', ',', false, |_| ()),
        ("packed, decimal commas, directed", ';', ',', true, |options| {
            (options.directed, options.add_missing_nodes) = (true, true);
        }),
        ("no scale", '\t', '.', false, |options| options.scaling = FeatureScaling::None),
        ("no split and no label", ',', '.', false, |options| {
            options.targets = vec!["size".into()];
            options.ignore.extend(["split".into(), "label".into()]);
        }),
        ("no features", ',', '.', true, |options| {
            options.add_missing_nodes = true;
            options.ignore.extend(["size".into(), "day".into(), "colour".into()]);
        }),
    ];
    for (what, delimiter, mark, others, change) in cases {
        let mut options = NodeTableOptions { split: seeded.clone(), ..options() };
        change(&mut options);
        let tables = [nodes_table(delimiter, mark), edges_table(delimiter, others)];
        for (path, text) in [&nodes, &edges].into_iter().zip(&tables) {
            let bytes = if what.starts_with("packed") { packed(text) } else { text.clone().into_bytes() };
            fs::write(path, bytes).unwrap();
        }
        let whole = NodeTables::load(&nodes, &edges, &options).unwrap().dataset;
        let found = tables_in_pieces(&nodes, &edges, &options, &scratch).unwrap().unwrap();
        assert_same_parts(&whole, found, place.path(), what);
    }
    drop(scratch);
    assert!(!place.path().join("scratch").exists(), "what was made for it goes");
}

/// The edges of [`edges_table`] with a weight, a date, a kind, a column of names and one of text that says nothing. Every third repeat of an edge
/// agrees with its first row.
fn featured_edges(directed: bool, spoil: impl Fn(usize, &mut [String; 7])) -> String {
    let mut text = "source,target,weight,day,kind,name,empty\n".to_string();
    let mut seen = Vec::new();
    for at in 0..1200 {
        let (from, to) = (pick(1, at, 40), pick(2, at, 40));
        let edge = if directed { (from, to) } else { (from.min(to), from.max(to)) };
        let first = seen.iter().position(|other| *other == edge).filter(|_| at % 3 == 0).unwrap_or(at);
        seen.push(edge);
        let weight = format!("{:.3}", 7.0 * unit(mix(8, first as u64)) - 3.0);
        let day = format!("2023-0{}-1{}", 1 + first % 9, first % 7);
        let kind = ["near", "far", "", "above"][first % 4];
        let mut row = [id(from), id(to), weight, day, kind.to_string(), format!("edge {at}"), String::new()];
        spoil(at, &mut row);
        text.push_str(&(row.join(",") + "\n"));
    }
    text
}

#[test]
fn features_of_edges_are_those_of_tables_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let (nodes, edges) = (place.path().join("nodes.csv"), place.path().join("edges.csv"));
    let scratch = Scratch::new(&place.path().join("scratch")).unwrap();
    fs::write(&nodes, nodes_table(',', '.')).unwrap();
    type Change = fn(&mut NodeTableOptions);
    let cases: [(&str, Change); 5] = [
        ("undirected", |_| ()),
        ("directed", |options| options.directed = true),
        ("no scale, some left out", |options| {
            options.scaling = FeatureScaling::None;
            options.ignore_edges = vec!["day".into()];
        }),
        ("missing cells are no features", |options| options.fill = Fill::Error),
        ("all left out", |options| {
            options.ignore_edges = ["weight", "day", "kind", "name", "empty"].map(String::from).into();
        }),
    ];
    for (what, change) in cases {
        let mut options = options();
        change(&mut options);
        if options.fill == Fill::Error {
            options.ignore.extend(["size".into(), "colour".into()]);
        }
        fs::write(&edges, featured_edges(options.directed, |_, _| ())).unwrap();
        let whole = NodeTables::load(&nodes, &edges, &options).unwrap().dataset;
        let wide = match what {
            "all left out" => 0,
            "no scale, some left out" => 4,
            "missing cells are no features" => 2,
            _ => 5,
        };
        assert_eq!(whole.edges.width, wide, "{what}: {:?}", whole.notes);
        let repeats = whole.notes.iter().filter(|note| note.contains("with other values than its first row")).count();
        assert_eq!(repeats, usize::from(wide > 0), "{:?}", whole.notes);
        let found = tables_in_pieces(&nodes, &edges, &options, &scratch).unwrap().unwrap();
        assert_eq!(found.0.notes, whole.notes, "{what}");
        assert_same_parts(&whole, found, place.path(), what);
    }
    // A cell that can't be read leaves its column out; a number that is too large is said of its line, of all lines at once.
    let spoiled: [fn(usize, &mut [String; 7]); 3] = [
        |at, row| {
            if at == 700 {
                row[2] = "heavy".into();
            }
        },
        |at, row| {
            if at % 500 == 3 {
                row[2] = "1e300".into();
            }
        },
        |at, row| {
            if at == 9 {
                row[0] = "nobody".into();
            }
        },
    ];
    for (number, spoil) in spoiled.into_iter().enumerate() {
        fs::write(&edges, featured_edges(false, spoil)).unwrap();
        let memory = NodeTables::load(&nodes, &edges, &options()).map(|found| found.dataset);
        let pieces = tables_in_pieces(&nodes, &edges, &options(), &scratch).map(|found| found.unwrap());
        match (memory, pieces) {
            (Ok(whole), Ok(found)) => assert_same_parts(&whole, found, place.path(), "spoiled"),
            (memory, pieces) => {
                let told = [memory.map(drop), pieces.map(drop)].map(|found| found.unwrap_err().to_string());
                assert_eq!(told[0], told[1]);
                assert_ne!(number, 0, "{}", told[0]);
            }
        }
    }
}

/// Writes a folder as OGB has them; `spoil` may change the text of a file.
fn ogb_folder(folder: &Path, spoil: impl Fn(&str, String) -> String) {
    let numbers =
        |count: usize, from: usize| (from..count).step_by(3).map(|row| format!("{row}\n")).collect::<String>();
    let edges = (0..700).map(|at| {
        let (from, to) = (pick(1, at, NODES - 9), pick(2, at, NODES - 9));
        format!("{from},{}\n", if at % 40 == 0 { from } else { to })
    });
    let row = |node: usize| {
        let numbers = (0..4).map(|at| format!("{:.4}", unit(mix(at, node as u64))));
        numbers.collect::<Vec<_>>().join(",") + "\n"
    };
    let label = |node: usize| if node.is_multiple_of(11) { "nan\n".to_string() } else { format!("{}.0\n", node % 5) };
    let files = [
        ("raw/num-node-list", format!("{NODES}\n")),
        ("raw/num-edge-list", "700\n".to_string()),
        ("raw/edge", edges.collect::<String>()),
        ("raw/node-feat", (0..NODES).map(row).collect::<String>() + "\n\n"),
        ("raw/node-label", (0..NODES).map(label).collect::<String>()),
        ("raw/edge-feat", (0..700).map(row).collect::<String>()),
        ("split/time/train", numbers(NODES, 0)),
        ("split/time/valid", numbers(NODES, 1)),
        ("split/time/test", numbers(NODES, 2)),
    ];
    for (name, text) in files {
        let path = folder.join(format!("{name}.csv.gz"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = spoil(name, text);
        if !text.is_empty() {
            fs::write(path, packed(&text)).unwrap();
        }
    }
}

#[test]
fn parts_of_an_ogb_folder_are_those_of_one_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(place.path()).unwrap();
    let cases = [
        ("whole", "", false),
        ("directed", "", true),
        ("no features of edges", "edge-feat", false),
        ("no features", "feat", false),
    ];
    for (what, without, directed) in cases {
        let folder = place.path().join("products");
        ogb_folder(
            &folder,
            |name, text| if !without.is_empty() && name.ends_with(without) { String::new() } else { text },
        );
        let mut options = ImportOptions::default();
        options.table.directed = directed;
        let whole = import(&folder, &options).unwrap();
        assert_eq!(whole.edges.is_empty(), !without.is_empty());
        let found = import_in_pieces(&folder, &options, &scratch).unwrap().unwrap();
        assert_same_parts(&whole, found, place.path(), what);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn what_is_wrong_with_an_ogb_folder_is_said_as_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(place.path()).unwrap();
    let replaced = |text: &str, line: usize, by: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[line] = by;
        lines.join("\n") + "\n"
    };
    let spoiled: [(&str, usize, &str, &str); 14] = [
        ("raw/edge", 17, "3,x", "line 18"),
        ("raw/edge", 600, "3,240", "line 601"),
        ("raw/edge", 5, "-1,4", "line 6"),
        ("raw/edge", 9, "3,4,5", "line 10"),
        ("raw/edge", 9, "3,4\n5,6", "701 lines"),
        ("raw/edge", 9, "", "line 10"),
        ("raw/node-feat", 8, "1,2,3,inf", "line 9"),
        ("raw/node-feat", 8, "1,2,3", "line 9"),
        ("raw/node-feat", 8, "1,2,3,4\n1,2,3,4", "241 lines"),
        ("raw/edge-feat", 8, "1,2,3", "line 9"),
        ("raw/edge-feat", 8, "1,2,3,4\n1,2,3,4", "701 lines"),
        ("raw/node-label", 100, "x", "line 101"),
        ("raw/num-edge-list", 0, "701", "700 lines"),
        ("split/time/valid", 2, "240", "line 3"),
    ];
    for (file, line, by, said) in spoiled {
        let folder = place.path().join("broken");
        ogb_folder(&folder, |name, text| if name == file { replaced(&text, line, by) } else { text });
        let memory = import(&folder, &ImportOptions::default()).unwrap_err().to_string();
        let pieces =
            import_in_pieces(&folder, &ImportOptions::default(), &scratch).err().map(|error| error.to_string());
        assert_eq!(pieces.as_deref(), Some(&memory[..]));
        assert!(memory.contains(said), "{memory}");
        fs::remove_dir_all(&folder).unwrap();
    }
    // Files that are cut off or damaged.
    let folder = place.path().join("broken");
    ogb_folder(&folder, |_, text| text);
    let path = folder.join("raw/edge.csv.gz");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let memory = import(&folder, &ImportOptions::default()).unwrap_err();
    let pieces = import_in_pieces(&folder, &ImportOptions::default(), &scratch).err().unwrap();
    assert!(matches!(memory, DataError::Gzip { .. }), "{memory}");
    assert_eq!(memory.to_string(), pieces.to_string());
}

#[test]
fn tables_that_differ_between_pieces_of_the_file_are_read_alike() {
    // Longer than what is read at once, with letters of several bytes and quotes across the borders of pieces.
    let place = tempfile::tempdir().unwrap();
    let (nodes, edges) = (place.path().join("nodes.csv"), place.path().join("edges.csv"));
    let scratch = Scratch::new(place.path()).unwrap();
    let rows = 120_000;
    let mut text = String::from("id;label;x\n");
    (0..rows).for_each(|row| text.push_str(&format!("\"ßé;{row}\";{};{},5\r\n", row % 3, row % 100)));
    assert!(text.len() > 2 << 20);
    fs::write(&nodes, &text).unwrap();
    fs::write(&edges, "source;target\n\"ßé;3\";\"ßé;119999\"\n").unwrap();
    let options = NodeTableOptions { targets: vec!["label".into()], ..NodeTableOptions::default() };
    let whole = NodeTables::load(&nodes, &edges, &options).unwrap().dataset;
    let found = tables_in_pieces(&nodes, &edges, &options, &scratch).unwrap().unwrap();
    assert_same_parts(&whole, found, place.path(), "long");
    // A letter that is none, in the second piece; a bad cell behind it; a lone line end.
    let spoil = |at: usize, by: &[u8]| {
        let mut bytes = text.clone().into_bytes();
        bytes.splice(at..at + 1, by.iter().copied());
        fs::write(&nodes, bytes).unwrap();
        let memory = NodeTables::load(&nodes, &edges, &options).map(drop).map_err(|error| error.to_string());
        let pieces = tables_in_pieces(&nodes, &edges, &options, &scratch).map(drop).map_err(|error| error.to_string());
        assert_eq!(memory, pieces);
        memory.unwrap_err()
    };
    let far = text[(1 << 20) + 300_000..].find(",5\r\n").unwrap() + (1 << 20) + 300_000;
    let line = 1 + text[..far].matches('\n').count();
    for by in [&b"\xff"[..], b"z"] {
        let error = spoil(far, by);
        assert!(error.contains(&format!("line {line}")), "{error}: {line}");
    }
    assert!(spoil(far + 2, b"x\ry").contains(&format!("line {line}")));
}
