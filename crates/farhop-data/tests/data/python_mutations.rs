//! Broken pickles, torch files and arrays: data or a message of one line, never a panic, never a huge
//! allocation.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use farhop_data::npz::Npz;
use farhop_data::pickle::{self, Kind, Value};
use farhop_data::{DataError, npy, torch};
use farhop_graph::random::Stream;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::mutations::{mutated, one_line};

fn seed(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good_data/python").join(name)).unwrap()
}

/// Uses everything that was read, as a dataset would.
fn used(kind: &Kind, seen: &mut [u64; 2], left: &mut u64) {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return;
    }
    match kind {
        Kind::List(kinds) | Kind::Tuple(kinds) | Kind::Set(kinds) => {
            kinds.iter().for_each(|kind| used(kind, seen, left));
        }
        Kind::Dict(entries) => entries.iter().for_each(|(key, value)| {
            used(key, seen, left);
            used(value, seen, left);
        }),
        Kind::Object(object) => object.fields.iter().for_each(|(_, kind)| used(kind, seen, left)),
        Kind::Array(array) => {
            one_line(array.to_f32(), seen);
            one_line(array.to_ids(10), seen);
            one_line(array.to_text(), seen);
        }
        Kind::Tensor(tensor) => one_line(tensor.to_array("t").and_then(|array| array.to_f64()), seen),
        Kind::Csr(csr) if csr.columns < 1_000 => one_line(csr.to_dense(), seen),
        _ => {}
    }
}

fn checked(result: Result<Value, DataError>, seen: &mut [u64; 2]) {
    if let Ok(value) = &result {
        used(value.kind(), &mut [0, 0], &mut 10_000);
        for name in ["csr", "train", "x"] {
            one_line(value.get(name).and_then(|value| value.array()), &mut [0, 0]);
        }
    }
    one_line(result, seen);
}

/// The most memory that the process has used, and the largest address space that it has had, in KiB,
/// where the system tells.
fn peaks() -> Option<[u64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    Some([field("VmHWM:")?, field("VmPeak:")?])
}

/// All seeds are a few KiB, so nothing may use a GiB. Addresses that are asked for and not used show
/// a length that was believed; threads of other tests ask for some, too.
pub fn bounded(run: impl FnOnce()) {
    let before = peaks();
    run();
    if let (Some(before), Some(after)) = (before, peaks()) {
        let [used, asked] = [after[0] - before[0], after[1] - before[1]];
        assert!(used < 1 << 20 && asked < 1 << 24, "{used} KiB more used, {asked} KiB asked for");
    }
}

#[test]
fn pickles_of_every_protocol() {
    bounded(|| {
        let mut random = Stream::new(21);
        let names = (0..6)
            .map(|protocol| format!("protocol_{protocol}.pkl"))
            .chain(["python_2.pkl", "tensors_inside.pkl"].map(String::from));
        for name in names {
            let original = seed(&name);
            let mut seen = [0, 0];
            for round in 0..1_500 {
                let bytes = mutated(&original, 1 + round % 4, &mut random);
                checked(pickle::from_bytes("p.pkl", bytes), &mut seen);
            }
            assert!(seen.iter().all(|&count| count > 50), "both outcomes occur for {name}: {seen:?}");
        }
    });
}

/// Stores the members of an archive again, with one of them changed and true checksums.
pub fn stored_again(original: &[u8], member: usize, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(original)).unwrap();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut change = Some(change);
    let changed = member % archive.len();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if let Some(change) = change.take_if(|_| index == changed) {
            bytes = change(bytes);
        }
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        writer.start_file(name, options).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The number of the pickle among the members of a torch file.
fn pickle_of(original: &[u8]) -> usize {
    let archive = ZipArchive::new(Cursor::new(original)).unwrap();
    archive.file_names().position(|name| name.ends_with("data.pkl")).unwrap()
}

#[test]
fn torch_files() {
    bounded(|| {
        let mut random = Stream::new(22);
        for name in ["tensors.pt", "graphs.pt", "collated.pt", "collated_dict.pt"] {
            let original = seed(name);
            let mut seen = [0, 0];
            for round in 0..1_500 {
                let bytes = if round % 3 == 0 {
                    mutated(&original, 2, &mut random)
                } else {
                    stored_again(&original, pickle_of(&original), |pickle| mutated(&pickle, 1 + round % 3, &mut random))
                };
                checked(torch::from_bytes("t.pt", bytes), &mut seen);
            }
            assert!(seen.iter().all(|&count| count > 50), "both outcomes occur for {name}: {seen:?}");
        }
        let original = seed("tensors_stream.pt");
        let mut seen = [0, 0];
        for _ in 0..4_000 {
            checked(torch::from_bytes("t.pt", mutated(&original, 3, &mut random)), &mut seen);
        }
        assert!(seen.iter().all(|&count| count > 50), "both outcomes occur: {seen:?}");
    });
}

#[test]
fn arrays_of_every_type() {
    bounded(|| {
        let mut random = Stream::new(23);
        let mut archive = ZipArchive::new(Cursor::new(seed("types_stored.npz"))).unwrap();
        let mut seen = [0, 0];
        for index in 0..archive.len() {
            let mut original = Vec::new();
            archive.by_index(index).unwrap().read_to_end(&mut original).unwrap();
            for _ in 0..300 {
                let bytes = mutated(&original, 3, &mut random);
                let array = npy::parse("x.npy", &mut bytes.as_slice(), bytes.len() as u64);
                if let Ok(array) = &array {
                    one_line(array.to_f32(), &mut seen);
                    one_line(array.to_bools(), &mut seen);
                    one_line(array.to_text(), &mut seen);
                }
                one_line(array, &mut seen);
            }
        }
        let original = seed("types_deflated.npz");
        for _ in 0..300 {
            let bytes = mutated(&original, 3, &mut random);
            let read = Npz::from_bytes("x.npz", bytes)
                .and_then(|mut npz| npz.names().iter().try_for_each(|name| npz.array(name).map(drop)));
            one_line(read, &mut seen);
        }
        assert!(seen.iter().all(|&count| count > 100), "both outcomes occur: {seen:?}");
    });
}

/// Programs of random operations, which reach places that changes of real files seldom do.
#[test]
fn random_programs() {
    const OPERATIONS: &[u8] = b"(.0122KNNRRQ]]}})tttaabbeehhqqssuul\x81\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x94";
    const NAMES: &[&[u8]] = &[
        b"cnumpy.core.multiarray\n_reconstruct\n",
        b"cnumpy\nndarray\n",
        b"cnumpy\ndtype\nU\x02f4\x85R",
        b"cscipy.sparse\ncsr_matrix\n",
        b"ccollections\nOrderedDict\n",
        b"ccollections\ndefaultdict\n",
        b"c__builtin__\nlist\n",
        b"c__builtin__\nset\n",
        b"c_codecs\nencode\n",
        b"ccopyreg\n_reconstructor\n",
        b"ctorch._utils\n_rebuild_tensor_v2\n",
        b"(X\x07\x00\x00\x00storagectorch\nLongStorage\nU\x010NK\x08tQ",
        b"U\x04abcd",
        b"X\x06\x00\x00\x00latin1",
    ];
    bounded(|| {
        let mut random = Stream::new(24);
        let mut seen = [0, 0];
        for _ in 0..60_000 {
            let mut bytes = b"\x80\x02".to_vec();
            for _ in 0..random.below(40) {
                if random.below(6) == 0 {
                    bytes.extend(NAMES[random.below(NAMES.len() as u64) as usize]);
                    continue;
                }
                let operation = OPERATIONS[random.below(OPERATIONS.len() as u64) as usize];
                bytes.push(operation);
                if matches!(operation, b'K' | b'q' | b'h') {
                    bytes.push(random.below(4) as u8);
                }
            }
            bytes.push(b'.');
            checked(pickle::from_bytes("p.pkl", bytes), &mut seen);
        }
        assert!(seen.iter().all(|&count| count > 50), "both outcomes occur: {seen:?}");
    });
}

/// A stack that only grows is refused before it takes much more room than the file.
#[test]
fn stack_without_end() {
    for operation in [b'N', b'('] {
        let text = pickle::from_bytes("p.pkl", vec![operation; 5_000_000]).unwrap_err().to_string();
        assert_eq!(text, "p.pkl: more than 4,194,304 values wait on the stack, the limit.");
    }
}
