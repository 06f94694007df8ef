//! Small files that stand for very much: refused with the number, before it is allocated.

use std::io::Write;
use std::time::{Duration, Instant};

use farhop_data::import::{GraphFormat, ImportOptions, import_graphs_bytes};
use farhop_data::npz::Npz;
use farhop_data::ogb::{self, OgbOptions};
use farhop_data::table::Table;
use farhop_data::{DataError, pickle};

use crate::support::{folder_of, short};

fn graphml(text: String) -> Result<(), DataError> {
    let options = ImportOptions { targets: vec!["k0".to_string()], ..ImportOptions::default() };
    import_graphs_bytes("g.graphml", text.into_bytes(), GraphFormat::GraphMl, &options).map(drop)
}

#[test]
fn a_default_for_very_many_nodes() {
    let keys: String = (0..10)
        .map(|key| {
            let default = "x".repeat(50_000);
            format!("<key id=\"k{key}\" for=\"node\" attr.name=\"k{key}\" attr.type=\"string\"><default>{default}</default></key>")
        })
        .collect();
    let nodes: String = (0..25_000).map(|node| format!("<node id=\"{node}\"/>")).collect();
    let text = graphml(format!("<graphml>{keys}<graph>{nodes}</graph></graphml>")).unwrap_err().to_string();
    assert!(text.starts_with("g.graphml: 9") && text.contains("bytes of file become"), "{text}");
    assert!(text.contains("Pass limit = "), "{text}");
}

/// The id of a graph is named by every node of it, too.
#[test]
fn a_long_name_of_a_graph() {
    let nodes: String = (0..25_000).map(|node| format!("<node id=\"{node}\"/>")).collect();
    let id = "g".repeat(500_000);
    let text = graphml(format!("<graphml><graph id=\"{id}\">{nodes}</graph></graphml>")).unwrap_err().to_string();
    assert!(text.contains("bytes of file become"), "{text}");
}

#[test]
fn very_many_keys_take_no_more_than_their_share() {
    let keys: String = (0..200_000)
        .map(|key| {
            format!("<key id=\"k{key}\" for=\"node\" attr.name=\"k\" attr.type=\"int\"><default>1</default></key>")
        })
        .collect();
    let start = Instant::now();
    let _ = graphml(format!("<graphml>{keys}<graph><node id=\"1\"/></graph></graphml>"));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn compressed_text_that_grows_a_thousandfold() {
    // Members of a gzip file follow one another: 1.6 GB of letters in less than 2 MB.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&[b'a'; 16 << 20]).unwrap();
    let bomb = encoder.finish().unwrap().repeat(100);
    assert!(bomb.len() < 2_000_000);
    let text = Table::from_bytes("t.csv.gz", bomb, "id,label").map(drop).unwrap_err().to_string();
    assert!(text.starts_with("t.csv.gz: ") && text.contains("bytes of file become"), "{text}");
}

#[test]
fn an_archive_of_zeros() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("x.npy", zip::write::SimpleFileOptions::default()).unwrap();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 500), }\n";
    writer.write_all(b"\x93NUMPY\x01\x00").unwrap();
    writer.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
    writer.write_all(header.as_bytes()).unwrap();
    (0..2_000).for_each(|_| writer.write_all(&vec![0; 1_000_000]).unwrap());
    let bytes = writer.finish().unwrap().into_inner();
    assert!(bytes.len() < 4_000_000);
    let text = Npz::from_bytes("x.npz", bytes).unwrap().array("x").unwrap_err().to_string();
    assert!(text.starts_with("x.npz: ") && text.contains("become 1.9 GiB or more in memory"), "{text}");
}

/// What is made of a value is counted wherever the value is named.
#[test]
fn one_list_that_is_named_very_often() {
    // A list of 1,000 numbers, remembered, then a list that names it 100,000 times.
    let mut bytes = b"\x80\x02](".to_vec();
    (0..1_000).for_each(|_| bytes.extend(b"K\x07"));
    bytes.extend(b"eq\x010](");
    (0..100_000).for_each(|_| bytes.extend(b"h\x01"));
    bytes.extend(b"e.");
    let value = match pickle::from_bytes("p.pkl", bytes) {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    };
    let mut taken = 0;
    let refused = value.items().unwrap().find_map(|item| {
        taken += 1;
        item.integers().err()
    });
    // 8,000 bytes each time: about 134,000 times 1 GiB would allow; eight times over it is more than enough.
    let again = (0..8).find_map(|_| value.items().unwrap().find_map(|item| item.integers().err()));
    let text = refused.or(again).expect("a limit").to_string();
    assert!(text.starts_with("p.pkl: ") && text.contains("bytes of file become"), "{text}");
}

#[test]
fn counts_of_nodes_are_compared_before_they_are_believed() {
    for count in ["2147483647", "2147483648", "4294967294"] {
        let files = [
            ("raw/num-node-list.csv.gz", count),
            ("raw/num-edge-list.csv.gz", "2\n"),
            ("raw/edge.csv.gz", "0,1\n1,2\n"),
            ("raw/node-label.csv.gz", "0\n1\n2\n"),
        ];
        let folder = folder_of(&files);
        let text = short(&folder, ogb::read(folder.path(), &OgbOptions::default()));
        assert!(text.starts_with("raw/node-label.csv.gz: 3 lines for "), "{text}");
        // Without a row for every node, the edges tell.
        let graphs = [files[0], files[1], files[2], ("raw/graph-label.csv.gz", "1\n")];
        let folder = folder_of(&graphs);
        let text = short(&folder, ogb::read(folder.path(), &OgbOptions::default()));
        assert!(text.starts_with("raw/edge.csv.gz: a graph of ") && text.contains("a larger `limit`."), "{text}");
    }
}
