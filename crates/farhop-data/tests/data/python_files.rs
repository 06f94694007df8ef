//! Pickles, torch files and arrays as Python writes them; `scripts/python_file_fixtures.py` made them
//! out of counting numbers.

use std::path::{Path, PathBuf};

use farhop_data::npz::Npz;
use farhop_data::pickle::{self, Kind, Value};
use farhop_data::{Csr, torch};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/python").join(name)
}

fn counting(value: &Value, shape: &[usize]) {
    let array = value.array().unwrap();
    assert_eq!(array.shape, shape, "{}", value.place());
    let wanted: Vec<f64> = (0..shape.iter().product()).map(|element: usize| element as f64).collect();
    assert_eq!(array.to_f64().unwrap(), wanted, "{}", value.place());
}

fn integers(value: &Value) -> Vec<i64> {
    value.integers().unwrap()
}

fn check_matrix(csr: &Csr) {
    assert_eq!((csr.rows, csr.columns), (2, 3));
    assert_eq!(csr.to_dense().unwrap(), [0.0, 1.0, 0.0, 2.0, 0.0, 3.0]);
    assert_eq!(csr.row(1), (&[0, 2][..], &[2.0, 3.0][..]));
    assert_eq!(csr.duplicates(), 0);
}

#[test]
fn plain_values_of_every_protocol() {
    for protocol in 0..=5 {
        let value = pickle::load(&file(&format!("protocol_{protocol}.pkl"))).unwrap();
        let get = |name: &str| value.get(name).unwrap();
        assert_eq!(get("none").kind(), &Kind::None);
        assert_eq!(get("truth").elements().unwrap(), [Kind::Bool(true), Kind::Bool(false)]);
        let whole = [0, 255, 65_535, -1, -70_000, 1 << 31, -(1 << 40), i64::MAX, i64::MIN];
        assert_eq!(integers(&get("whole")), whole);
        let real: Vec<f64> = get("real").items().unwrap().map(|item| item.number().unwrap()).collect();
        assert_eq!(real, [0.1, -2.5, 1e300]);
        let long = "x".repeat(300);
        let texts = ["", "Δ-node", "line\nbreak \\u0041", &long];
        for (item, wanted) in get("text").items().unwrap().zip(texts) {
            assert_eq!(item.text().unwrap(), wanted);
        }
        let bytes = |value: &Value| match value.kind() {
            Kind::Bytes(bytes) => bytes.to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            get("bytes").items().unwrap().map(|item| bytes(&item)).collect::<Vec<_>>(),
            [b"".to_vec(), b"\x00\xff\n'".to_vec(), vec![b'b'; 300]]
        );
        assert_eq!(bytes(&get("bytearray")), [1, 0x80]);
        for (length, tuple) in get("tuples").items().unwrap().enumerate() {
            assert!(matches!(tuple.kind(), Kind::Tuple(_)));
            assert_eq!(integers(&tuple), (1..=length as i64).collect::<Vec<_>>());
        }
        assert!(matches!(get("set").kind(), Kind::Set(_)));
        assert_eq!((integers(&get("set")), integers(&get("frozen"))), (vec![5], vec![6]));
        let ordered = get("ordered");
        let entries = ordered.entries().unwrap().map(|(key, value)| (key.text().unwrap().to_string(), integer(&value)));
        assert_eq!(entries.collect::<Vec<_>>(), [("b".to_string(), 1), ("a".to_string(), 2)]);
        let default = get("default");
        let (key, neighbours) = default.entries().unwrap().next().unwrap();
        assert_eq!((integer(&key), neighbours.ids(6).unwrap()), (3, vec![4, 5]));
        assert_eq!(integers(&get("shared").at(1).unwrap()), [1, 2]);
        let Kind::Object(object) = get("object").kind().clone() else { panic!("an object") };
        assert_eq!(object.class, "__main__.Dictionary");
        assert_eq!(get("object").get("idx2word").unwrap().at(1).unwrap().text().unwrap(), "O");
    }
}

fn integer(value: &Value) -> i64 {
    value.integer().unwrap()
}

#[test]
fn arrays_and_matrices_of_every_protocol() {
    for protocol in 0..=5 {
        let value = pickle::load(&file(&format!("protocol_{protocol}.pkl"))).unwrap();
        let get = |name: &str| value.get(name).unwrap();
        for name in ["c_order", "fortran", "big", "big_fortran"] {
            counting(&get(name), &[2, 3]);
        }
        assert_eq!(get("booleans").array().unwrap().to_bools().unwrap(), [true, false, true]);
        assert_eq!(get("half").array().unwrap().to_f32().unwrap(), [0.5, -2.0]);
        assert_eq!(get("words").array().unwrap().to_text().unwrap(), ["a", "Δx", ""]);
        assert_eq!(get("byte_words").array().unwrap().to_text().unwrap(), ["ab", "c"]);
        let single = get("single").array().unwrap();
        assert_eq!((single.shape.len(), single.to_f64().unwrap()), (0, vec![3.5]));
        assert_eq!(get("empty").array().unwrap().shape, [0, 3]);
        let scalars = get("scalars");
        let wanted = [Kind::Float(2.5), Kind::Int(9), Kind::Float(0.5), Kind::Bool(true), Kind::Text("s".into())];
        assert_eq!(scalars.elements().unwrap(), wanted);
        check_matrix(&get("csr").csr().unwrap());
        check_matrix(&get("csr_array").csr().unwrap());
    }
}

#[test]
fn byte_strings_of_python_2() {
    let value = pickle::load(&file("python_2.pkl")).unwrap();
    counting(&value.get("array").unwrap(), &[100]);
    let (key, number) = value.entries().unwrap().nth(1).unwrap();
    assert!(matches!(key.kind(), Kind::Bytes(bytes) if **bytes == [0xe9]));
    assert_eq!(integer(&number), 12);
}

#[test]
fn arrays_of_every_type_stored_and_deflated() {
    for name in ["types_stored.npz", "types_deflated.npz"] {
        let mut npz = Npz::open(&file(name)).unwrap();
        let names = npz.names();
        let typed = names.iter().filter(|name| name.starts_with("little_") || name.starts_with("big_"));
        assert_eq!(typed.clone().count(), 14 * 4);
        for name in typed {
            let array = npz.array(name).unwrap();
            assert_eq!(array.shape, [2, 3], "{name}");
            if name.contains('U') || name.contains('S') {
                assert_eq!(array.to_text().unwrap(), ["0", "1", "2", "3", "4", "5"], "{name}");
            } else if name.contains("b1") {
                assert_eq!(array.to_bools().unwrap(), [false, true, true, true, true, true], "{name}");
            } else {
                assert_eq!(array.to_f32().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "{name}");
                assert_eq!(
                    array.to_ids(6).is_ok(),
                    !name.contains("_f2") && !name.contains("_f4") && !name.contains("_f8"),
                    "{name}"
                );
                assert!(array.to_ids(5).is_err(), "{name}");
            }
        }
        assert_eq!(npz.array("single").unwrap().to_i64().unwrap(), [5]);
        let refused = npz.array("objects").unwrap_err().to_string();
        assert!(refused.contains("array \"objects\"") && refused.contains("|O"), "{refused}");
        check_matrix(&Csr::from_npz(&mut npz, "adj").unwrap());
        check_matrix(&Csr::from_npz(&mut npz, "attr").unwrap());
        assert!(Csr::from_npz(&mut npz, "att").unwrap_err().to_string().contains("Did you mean"));
    }
}

#[test]
fn tensors_of_every_form() {
    for name in ["tensors.pt", "tensors_stream.pt", "tensors_inside.pkl"] {
        let load = if name.ends_with(".pt") { torch::load } else { pickle::load };
        let value = load(&file(name)).unwrap();
        let get = |name: &str| value.get(name).unwrap();
        for kind in ["i8", "i16", "i32", "i64", "u8", "f16", "bf16", "f32", "f64"] {
            counting(&get(kind), &[2, 3]);
        }
        assert_eq!(get("bool").array().unwrap().to_ids(2).unwrap(), [0, 1, 1, 1, 1, 1]);
        let array = |name: &str| {
            let array = get(name).array().unwrap();
            (array.to_f64().unwrap(), array.shape)
        };
        // Element (i, j) of the table is 4 i + j.
        let turned = vec![0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.];
        assert_eq!(array("turned"), (turned, vec![4, 3]));
        assert_eq!(array("inner"), (vec![5., 6., 9., 10.], vec![2, 2]));
        assert_eq!(array("stepped"), (vec![1., 4., 7., 10.], vec![4]));
        assert_eq!(array("repeated"), (vec![7.; 10], vec![2, 5]));
        assert_eq!(array("single"), (vec![2.5], vec![]));
        assert_eq!(array("empty"), (vec![], vec![0, 4]));
        counting(&get("parameter"), &[3]);
        assert_eq!(integers(&get("size")), [3, 4]);
        assert_eq!(get("type").kind(), &Kind::Class("torch.float32"));
    }
    let value = torch::load(&file("tensors.pt")).unwrap();
    for kind in ["u16", "u32", "u64"] {
        counting(&value.get(kind).unwrap(), &[6]);
    }
}

#[test]
fn graphs_as_tuples_and_collated() {
    let graphs = torch::load(&file("graphs.pt")).unwrap();
    assert_eq!(graphs.items().unwrap().len(), 3);
    for (g, graph) in graphs.items().unwrap().enumerate() {
        let nodes = g + 2;
        let x: Vec<i64> = (0..2 * nodes as i64).map(|element| element + 10 * g as i64).collect();
        assert_eq!(integers(&graph.at(0).unwrap()), x);
        assert_eq!(integers(&graph.at(1).unwrap()), vec![g as i64; nodes]);
        assert_eq!(graph.at(2).unwrap().array().unwrap().shape, [2, nodes]);
        assert_eq!(graph.at(3).unwrap().array().unwrap().to_f32().unwrap(), [g as f32]);
    }
    for name in ["collated.pt", "collated_dict.pt"] {
        let value = torch::load(&file(name)).unwrap();
        let (data, slices) = (value.at(0).unwrap(), value.at(1).unwrap());
        assert_eq!(data.get("x").unwrap().array().unwrap().shape, [9, 2]);
        assert_eq!(integers(&data.get("edge_index").unwrap())[9..], [1, 0, 1, 2, 0, 1, 2, 3, 0]);
        assert_eq!(integers(&slices.get("x").unwrap()), [0, 2, 5, 9]);
        assert!(data.find("face").is_none());
    }
    let class = torch::load(&file("collated_dict.pt")).unwrap().at(2).unwrap();
    assert_eq!(class.kind(), &Kind::Class("torch_geometric.data.data.Data"));
}

#[test]
fn errors_say_where() {
    let value = pickle::from_bytes("s.pkl", b"\x80\x02}X\x05\x00\x00\x00train](K\x01N\x88es.".to_vec()).unwrap();
    let text = |result: Result<(), farhop_data::DataError>| result.unwrap_err().to_string();
    assert_eq!(
        text(value.get("trian").map(drop)),
        "s.pkl: no key \"trian\". Did you mean \"train\"? Its keys are \"train\"."
    );
    let train = value.get("train").unwrap();
    assert_eq!(text(train.array().map(drop)), "s.pkl, [\"train\"]: an array is needed; found a list.");
    assert_eq!(text(train.integers().map(drop)), "s.pkl, [\"train\"][1]: a whole number is needed; found None.");
    assert_eq!(text(train.at(3).map(drop)), "s.pkl, [\"train\"]: 3 elements where number 3 is needed.");
    assert_eq!(
        text(train.get("x").map(drop)),
        "s.pkl, [\"train\"]: a dictionary with the key \"x\" is needed; found a list."
    );
}

#[test]
fn repeated_entries_of_a_sparse_matrix_add_up() {
    let csr = Csr::new("m", [2, 2], vec![0, 3, 3], vec![1, 0, 1], vec![1.0, 5.0, 2.0]).unwrap();
    assert_eq!((csr.to_dense().unwrap(), csr.duplicates()), (vec![5.0, 3.0, 0.0, 0.0], 1));
    let wrong = |offsets: Vec<usize>, indices: Vec<u32>| Csr::new("m", [2, 2], offsets, indices, vec![1.0]).is_err();
    assert!(!wrong(vec![0, 0, 1], vec![1]));
    assert!(wrong(vec![0, 1], vec![1]) && wrong(vec![0, 0, 1], vec![2]) && wrong(vec![0, 0, 1], vec![0, 1]));
    assert!(wrong(vec![1, 0, 1], vec![1]) && wrong(vec![0, 0, 0], vec![1]) && wrong(vec![0, 2, 1], vec![1]));
    assert!(Csr::new("m", [1 << 20, 1 << 20], vec![0; (1 << 20) + 1], vec![], vec![]).unwrap().to_dense().is_err());
}
