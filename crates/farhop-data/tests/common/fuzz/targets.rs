//! The readers, each as a function of bytes, with its seeds.

use std::cell::RefCell;
use std::path::Path;

use farhop_data::bench_graph::BenchGraph;
use farhop_data::edge_list::{EdgeList, EdgeListOptions, IdKind};
use farhop_data::import::{GraphFormat, ImportOptions, import, import_graphs_bytes, import_tables};
use farhop_data::molecules::{MoleculeOptions, MoleculeTable};
use farhop_data::npz::{Npz, NpzWriter};
use farhop_data::ogb::{self, OgbOptions};
use farhop_data::pickle::{self, Value};
use farhop_data::tu::{self, TuOptions};
use farhop_data::wikics::WikiCs;
use farhop_data::{
    DataError, Dataset, EdgeOptions, EdgeTable, NodeIds, NodeTableOptions, NodeTables, Split, SplitChoice, npy, smiles,
    torch,
};

use super::Outcome;
use super::bundle::{Folder, bundle};
use super::layouts::{OGB, TU, ogb_folder, ogb_seeds, tu_folder, tu_seeds};
use super::words::{CSV, GRAPH_FILE, JSON, NPY, PICKLE, SMILES, XML};

/// A reader.
pub struct Target {
    /// Its name on the command line, and that of its folder of failures.
    pub name: &'static str,
    /// Reads bytes.
    pub read: fn(&[u8]) -> Outcome,
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format.
    pub words: &'static [&'static [u8]],
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "npy", read: npy_array, seeds: npy_seeds, words: NPY },
    Target { name: "npz", read: npz, seeds: npz_seeds, words: NPY },
    Target { name: "farhop", read: farhop, seeds: farhop_seeds, words: NPY },
    Target { name: "pickle", read: pickled, seeds: || files("python", &["pkl"]), words: PICKLE },
    Target { name: "torch", read: saved, seeds: || files("python", &["pt"]), words: PICKLE },
    Target { name: "import", read: imported, seeds: || files("graphs", &["npz", "npy", "pt", "pkl"]), words: PICKLE },
    Target { name: "graphfile", read: graph_file, seeds: graph_file_seeds, words: GRAPH_FILE },
    Target { name: "edges", read: edges, seeds: edge_seeds, words: CSV },
    Target { name: "tables", read: tables, seeds: table_seeds, words: CSV },
    Target { name: "graphs", read: graphs, seeds: graph_seeds, words: CSV },
    Target { name: "list", read: list, seeds: list_seeds, words: CSV },
    Target { name: "graphml", read: graphml, seeds: graphml_seeds, words: XML },
    Target { name: "wikics", read: wikics, seeds: wikics_seeds, words: JSON },
    Target { name: "smiles", read: molecule, seeds: smiles_seeds, words: SMILES },
    Target { name: "molecules", read: molecules, seeds: molecule_seeds, words: SMILES },
    Target { name: "tu", read: tu_folder, seeds: tu_seeds, words: CSV },
    Target { name: "ogb", read: ogb_folder, seeds: ogb_seeds, words: CSV },
];

thread_local! {
    static FOLDER: RefCell<Option<Folder>> = const { RefCell::new(None) };
}

/// Something done in the folder of this thread.
pub(super) fn in_folder<T>(act: impl FnOnce(&Folder) -> T) -> T {
    FOLDER.with(|folder| act(folder.borrow_mut().get_or_insert_with(Folder::new)))
}

pub(super) fn said(error: DataError) -> String {
    error.to_string()
}

/// What a dataset is like, roughly.
pub(super) fn described(dataset: Dataset) -> String {
    let union = dataset.graphs.union();
    let rough = |number: usize| usize::BITS - number.leading_zeros();
    let (graphs, nodes, edges) = (rough(dataset.graphs.len()), rough(union.nodes()), rough(union.edges()));
    format!(
        "{graphs} {nodes} {edges} {} {} {}",
        rough(dataset.nodes.width),
        dataset.nodes.sizes.len(),
        dataset.notes.len()
    )
}

fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    // These files are compiled into a crate elsewhere as well.
    let known = |above: &Path| above.join("crates/farhop-data/tests/good_data").join(folder);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.ancestors().map(known).find(|path| path.is_dir()).expect("the files of the tests");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| endings.iter().any(|ending| path.extension().is_some_and(|found| found == *ending)));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

pub(super) fn given() -> SplitChoice {
    SplitChoice::Given(Split { train: vec![0], valid: vec![1], test: vec![] })
}

fn import_options(target: &str) -> ImportOptions {
    let targets = if target.is_empty() { Vec::new() } else { vec![target.to_string()] };
    let table = NodeTableOptions { split: given(), ..NodeTableOptions::default() };
    ImportOptions { table, targets, ..ImportOptions::default() }
}

fn npy_array(input: &[u8]) -> Outcome {
    let array = npy::parse("x.npy", &mut &input[..], input.len() as u64).map_err(said)?;
    let _ = (array.to_i64(), array.to_text(), array.to_bools(), array.to_ids(7));
    array.to_f32().map(|numbers| format!("{:?} {}", array.dtype, numbers.len().min(9))).map_err(said)
}

fn npy_seeds() -> Vec<Vec<u8>> {
    let header = |descr: &str, order: &str, shape: &str, bytes: usize| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.bytes());
        file.extend((0..bytes).map(|byte| byte as u8));
        file
    };
    vec![
        header("<f4", "False", "(2, 3)", 24),
        header(">i8", "True", "(2, 2)", 32),
        header("<U3", "False", "(2,)", 24),
        header("|b1", "False", "(3, 0)", 0),
        header("<f2", "False", "()", 2),
    ]
}

fn npz(input: &[u8]) -> Outcome {
    let mut npz = Npz::from_bytes("x.npz", input.to_vec()).map_err(said)?;
    for name in npz.names() {
        let _ = npz.array(&name).and_then(|array| array.to_f64());
    }
    BenchGraph::read(&mut npz).map(|read| format!("{}", read.graph.nodes().min(9))).map_err(said)
}

fn npz_seeds() -> Vec<Vec<u8>> {
    let mut writer = NpzWriter::new(std::io::Cursor::new(Vec::new()));
    writer.u32("edge_index", &[2, 4], &[0, 1, 1, 2, 1, 0, 2, 1]).unwrap();
    writer.f32("x", &[3, 2], &[0.5; 6]).unwrap();
    writer.i64("y", &[3], &[0, 1, 1]).unwrap();
    writer.u8("batch", &[3], &[0, 0, 0]).unwrap();
    let mut seeds = files("python", &["npz"]);
    seeds.push(writer.finish().unwrap().into_inner());
    seeds
}

fn farhop(input: &[u8]) -> Outcome {
    Dataset::from_file_bytes("d.farhop", input.to_vec()).map(described).map_err(said)
}

fn farhop_seeds() -> Vec<Vec<u8>> {
    let save = |dataset: Dataset| {
        in_folder(|folder| {
            let path = folder.file("seed.farhop", b"");
            dataset.save(&path).unwrap();
            std::fs::read(path).unwrap()
        })
    };
    let of_bundle = |seed: &[u8], read: fn(&Path) -> Result<Dataset, DataError>, known: &[&str]| {
        in_folder(|folder| read(folder.unpack(seed, known))).unwrap()
    };
    vec![
        save(of_bundle(
            &tu_seeds()[0],
            |folder| tu::read(folder, "X", &TuOptions { split: given(), ..TuOptions::default() }),
            TU,
        )),
        save(of_bundle(
            &ogb_seeds()[1],
            |folder| ogb::read(folder, &OgbOptions { draw: given(), ..OgbOptions::default() }),
            OGB,
        )),
    ]
}

fn used(value: &Value, left: &mut u32) {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return;
    }
    let _ = (value.array().and_then(|array| array.to_f64()), value.integers(), value.text().map(str::len));
    let _ = value.csr().map(|csr| csr.duplicates());
    if let Ok(items) = value.items() {
        items.take(50).for_each(|item| used(&item, left));
    }
    if let Ok(entries) = value.entries() {
        entries.take(50).for_each(|(_, entry)| used(&entry, left));
    }
}

fn pickled(input: &[u8]) -> Outcome {
    let value = pickle::from_bytes("p.pkl", input.to_vec()).map_err(said)?;
    used(&value, &mut 500);
    Ok("read".to_string())
}

fn saved(input: &[u8]) -> Outcome {
    let value = torch::from_bytes("t.pt", input.to_vec()).map_err(said)?;
    used(&value, &mut 500);
    Ok("read".to_string())
}

/// A single file, told by its content.
fn imported(input: &[u8]) -> Outcome {
    let name = match input {
        [b'P', b'K', ..] if input.windows(8).take(200).any(|window| window == b"data.pkl") => "g.pt",
        [b'P', b'K', ..] => "g.npz",
        [0x80, 2, 0x8a, 10, ..] => "g.pt",
        [0x80, ..] => "g.pkl",
        _ => "g.npy",
    };
    in_folder(|folder| import(&folder.file(name, input), &import_options(""))).map(described).map_err(said)
}

/// A text file with a graph, told by its content.
fn graph_file(input: &[u8]) -> Outcome {
    let name = match input.first() {
        Some(b'<') => "g.gexf",
        Some(b'{') => "g.json",
        Some(b'g') => "g.gml",
        _ => "g.adjlist",
    };
    in_folder(|folder| import(&folder.file(name, input), &import_options(""))).map(described).map_err(said)
}

fn graph_file_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "graph [\n  directed 0\n  node [\n    id 0\n    label \"a\"\n    x 1.5\n  ]\n  node [\n    id 1\n    label \"b\"\n    x 2\n  ]\n  edge [\n    source 0\n    target 1\n    w 3\n  ]\n]\n",
        "<?xml version=\"1.0\"?>\n<gexf version=\"1.2\"><graph defaultedgetype=\"undirected\"><attributes class=\"node\"><attribute id=\"0\" title=\"x\" type=\"double\"/></attributes><nodes><node id=\"0\" label=\"a\"><attvalues><attvalue for=\"0\" value=\"1.5\"/></attvalues></node><node id=\"1\" label=\"b\"/></nodes><edges><edge id=\"0\" source=\"0\" target=\"1\" weight=\"2\"/></edges></graph></gexf>\n",
        "{\"directed\": false, \"multigraph\": false, \"graph\": {}, \"nodes\": [{\"x\": 1.5, \"id\": \"a\"}, {\"x\": 2, \"id\": \"b\"}], \"links\": [{\"w\": 3, \"source\": \"a\", \"target\": \"b\"}]}",
        "# adjacency list\na b c\nb c\nc\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn edges(input: &[u8]) -> Outcome {
    let ids: Vec<String> = (1..=5).map(|number| format!("A{number}")).collect();
    let known = NodeIds::Table { ids: &ids, file: "nodes.csv", add_missing: input.len().is_multiple_of(2) };
    let read = EdgeTable::from_bytes("edges.csv", input.to_vec(), known, EdgeOptions::default());
    read.map(|read| format!("{} {}", read.rows.len().min(9), read.added.len().min(9))).map_err(said)
}

const EDGES: &str = "source,target,weight\nA1,A2,0.5\nA2,A3,1\n\"A3\",A4,1\nA4,A5,2\nA1,A1,2\n";
const NODES: &str = "id,label,colour,size,split\nA1,cat,red,1.5,train\n\"A2\",dog,\"gr,een\",2,train\nA3,cat,red,-3e-1,valid\nA4,dog,blue,4,test\nA5,,red,4,\n";

fn edge_seeds() -> Vec<Vec<u8>> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(EDGES.as_bytes()).unwrap();
    vec![EDGES.as_bytes().to_vec(), encoder.finish().unwrap()]
}

const TABLES: &[&str] = &["nodes.csv", "edges.csv", "graphs.csv"];

fn tables(input: &[u8]) -> Outcome {
    in_folder(|folder| {
        let path = folder.unpack(input, TABLES);
        let options = NodeTableOptions {
            targets: vec![["label", "size"][input.len() % 2].to_string()],
            add_missing_nodes: input.len().is_multiple_of(3),
            split: if input.len().is_multiple_of(5) { given() } else { SplitChoice::default() },
            ..NodeTableOptions::default()
        };
        NodeTables::load(&path.join("nodes.csv"), &path.join("edges.csv"), &options)
    })
    .map(|read| described(read.dataset))
    .map_err(said)
}

fn table_seeds() -> Vec<Vec<u8>> {
    vec![bundle(&[("nodes.csv", NODES), ("edges.csv", EDGES)])]
}

fn graphs(input: &[u8]) -> Outcome {
    in_folder(|folder| {
        let path = folder.unpack(input, TABLES);
        let options = import_options("y");
        import_tables(&path.join("nodes.csv"), &path.join("edges.csv"), Some(&path.join("graphs.csv")), &options)
    })
    .map(described)
    .map_err(said)
}

fn graph_seeds() -> Vec<Vec<u8>> {
    vec![bundle(&[
        ("nodes.csv", "node,graph,x\n1,B,10\n1,A,20\n2,A,30\n2,B,40\n1,C,50\n"),
        ("edges.csv", "graph,source,target,w\nA,1,2,0.5\nB,2,1,1\n"),
        ("graphs.csv", "graph,y,split\nA,0.5,train\nB,1.5,train\nC,,test\n"),
    ])]
}

fn list(input: &[u8]) -> Outcome {
    let ids = [IdKind::Automatic, IdKind::FromZero, IdKind::FromOne, IdKind::Names][input.len() % 4];
    let options = EdgeListOptions { ids, weights: input.len().is_multiple_of(3), directed: false, nodes: None };
    let read = EdgeList::from_bytes("e.txt", input.to_vec(), options);
    read.map(|read| format!("{:?} {}", read.ids, read.rows.len().min(9))).map_err(said)
}

fn list_seeds() -> Vec<Vec<u8>> {
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n3 1 1\n";
    ["# comment\n0 1 0.5\n1 2 1\n3,4 2e3\n", matrix, "a b\nb c\n"].map(|text| text.as_bytes().to_vec()).to_vec()
}

fn graphml(input: &[u8]) -> Outcome {
    import_graphs_bytes("g.graphml", input.to_vec(), GraphFormat::GraphMl, &import_options(""))
        .map(described)
        .map_err(said)
}

fn graphml_seeds() -> Vec<Vec<u8>> {
    let one = "<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n<key id=\"d0\" for=\"node\" attr.name=\"s\" attr.type=\"double\"><default>7</default></key>\n<key id=\"d1\" for=\"edge\" attr.name=\"w\" attr.type=\"string\"/>\n<graph id=\"G\" edgedefault=\"undirected\">\n<node id=\"a\"><data key=\"d0\">1</data></node><node id=\"b\"/>\n<!-- no --><edge source=\"a\" target=\"b\"><data key=\"d1\">&lt;x&#65;</data></edge></graph></graphml>\n";
    let two = "<graphml><key id=\"k\" for=\"all\" attr.name=\"v\" attr.type=\"int\"><default>1</default></key><graph id=\"1\"><node id=\"a\"/><node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph><graph id=\"2\"><data key=\"k\">3</data><node id=\"a\"/></graph></graphml>";
    vec![one.as_bytes().to_vec(), two.as_bytes().to_vec()]
}

fn wikics(input: &[u8]) -> Outcome {
    let read = WikiCs::from_bytes("w.json", input.to_vec()).and_then(|read| read.dataset(0));
    read.map(described).map_err(said)
}

fn wikics_seeds() -> Vec<Vec<u8>> {
    let text = "{\"features\": [[1, 2.5], [0, -1]], \"labels\": [0, 1], \"links\": [[1], [0]], \"train_masks\": [[true, false]], \"val_masks\": [[false, true]], \"stopping_masks\": [[false, false]], \"test_mask\": [false, false]}";
    vec![text.as_bytes().to_vec()]
}

fn molecule(input: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(input);
    let _ = smiles::parse_leniently(&text);
    let _ = smiles::parse_kekule(&text);
    let read = smiles::parse(&text).map_err(|error| error.to_string())?;
    let rings = read.atoms.iter().filter(|atom| atom[8] == 1).count().min(30);
    let senses = read.atoms.iter().filter(|atom| atom[1] > 0).count().min(4);
    Ok(format!("{} {rings} {senses}", read.atoms.len().min(40) / 4))
}

fn smiles_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "CC(=O)Oc1ccccc1C(=O)O",
        "C[C@H](N)C(=O)O",
        "F/C=C/F",
        "c1cc2ccc3cccc4ccc(c1)c2c34",
        "C12C3C4C1C5C2C3C45",
        "[Na+].[Cl-]",
        "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
        "C%10CCCCC%10 |extension|",
        "*c1ccc([nH]1)*",
        "N[C@@H]1CC[C@H](O)CC1",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn molecules(input: &[u8]) -> Outcome {
    let options = MoleculeOptions {
        targets: vec![["y", "l"][input.len() % 2].to_string()],
        skip_bad: input.len().is_multiple_of(3),
        ..MoleculeOptions::default()
    };
    let name = if input.starts_with(b"id,") { "m.csv" } else { "m.smi" };
    let read = in_folder(|folder| MoleculeTable::load(&folder.file(name, input), &options));
    read.map(|read| described(read.dataset)).map_err(said)
}

fn molecule_seeds() -> Vec<Vec<u8>> {
    let table =
        "id,smiles,y,l,split\na,CCO,0.5,\"[0, 1]\",train\nb,c1ccccc1,1.5,\"[1, 1]\",valid\nc,C[C@H](N)C(=O)O,2,,test\n";
    [table, "CCO a\nc1ccccc1 b\n[Na+].[Cl-] c d\n"].map(|text| text.as_bytes().to_vec()).to_vec()
}
