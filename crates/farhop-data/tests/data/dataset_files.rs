//! `.farhop` files and the cache.

use std::path::Path;

use farhop_data::cache::{CacheKey, NamedArray, cached, cached_arrays, hash_files};
use farhop_data::metrics::Metric;
use farhop_data::{Columns, Csr, DataError, Dataset, Level, SourceFile, Split, Target};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphSet, build};

use crate::bits::assert_same;

/// A number such as come up rarely: -0, the smallest, the largest.
fn number(random: &mut Stream) -> f32 {
    match random.below(6) {
        0 => -0.0,
        1 => f32::from_bits(1),
        2 => f32::MAX,
        _ => random.normal() as f32,
    }
}

/// Dense numbers, sparse ones, categories, some of each, or nothing.
fn columns(random: &mut Stream, rows: usize) -> Columns {
    let mut columns = match random.below(3) {
        0 => Columns::none(),
        1 => Columns::dense(2, (0..2 * rows).map(|_| number(random)).collect()),
        _ => {
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for _ in 0..rows {
                for column in (0..5).filter(|_| random.below(3) == 0).collect::<Vec<u32>>() {
                    indices.push(column);
                    values.push(number(random));
                }
                offsets.push(indices.len());
            }
            Columns::sparse(Csr::new("x", [rows, 5], offsets, indices, values).unwrap())
        }
    };
    if random.below(2) == 0 {
        columns.sizes = vec![4, 1 << 16];
        columns.categories = (0..rows).flat_map(|_| [random.below(4) as u16, random.below(1 << 16) as u16]).collect();
    }
    columns
}

/// A dataset with something of everything, by a seed.
pub fn made(seed: u64) -> Dataset {
    let mut random = Stream::new(seed);
    let direction = if seed.is_multiple_of(2) { Direction::Undirected } else { Direction::Directed };
    let mut offsets = vec![0usize];
    let mut rows = Vec::new();
    let graphs = 1 + random.below(4) as usize;
    for _ in 0..graphs {
        let (start, size) = (offsets[offsets.len() - 1], 1 + random.below(5));
        for _ in 0..random.below(8) {
            rows.push((start as u32 + random.below(size) as u32, start as u32 + random.below(size) as u32));
        }
        offsets.push(start + size as usize);
    }
    let nodes = offsets[graphs];
    let union = build(nodes, &rows, direction).unwrap().graph;
    let entries = union.entries();
    let features = columns(&mut random, nodes);
    let edges = columns(&mut random, entries);
    let names = vec!["ä b".to_string(), "c".to_string()];
    let (level, target) = match seed % 4 {
        0 => {
            let labels = (0..nodes).map(|node| [None, Some(0), Some(1)][node % 3]).collect();
            (Level::Node, Target::Class { labels, classes: names })
        }
        kind @ 1..=2 => {
            let level = [Level::Node, Level::Graph][random.below(2) as usize];
            let rows = if level == Level::Node { nodes } else { graphs };
            let unknown = f32::from_bits(0x7fc0_1234);
            let values = (0..2 * rows).map(|_| match random.below(4) {
                0 => [f32::NAN, unknown][random.below(2) as usize],
                _ if kind == 1 => random.below(2) as f32,
                _ => number(&mut random),
            });
            let values = values.collect();
            (level, if kind == 1 { Target::Binary { values, names } } else { Target::Number { values, names } })
        }
        _ => {
            let pairs = (0..graphs).map(|g| [offsets[g] as u32, offsets[g + 1] as u32 - 1]).collect();
            let together = (0..graphs).map(|g| g % 2 == 0).collect();
            (Level::Pair, Target::Pair { pairs, together, offsets: (0..=graphs).collect() })
        }
    };
    let graphs = GraphSet::new(union, offsets).unwrap();
    let mut dataset = Dataset {
        nodes: features,
        edges,
        split: Split { train: vec![0], valid: vec![], test: vec![] },
        metric: Metric::HitsAt(7),
        notes: vec!["a note, \"quoted\"".to_string()],
        sources: vec![SourceFile::of("some/file.csv", b"content")],
        ..Dataset::new(format!("made {seed}"), graphs, level, target)
    };
    if seed.is_multiple_of(5) {
        dataset.ids = (0..dataset.rows()).map(|row| "é".repeat(row % 3)).collect();
    }
    if seed.is_multiple_of(3) && level != Level::Pair {
        dataset.weights = (0..dataset.rows()).map(|row| row as f32 / 4.0).collect();
    }
    dataset.check().unwrap()
}

#[test]
fn weights_that_say_nothing_are_refused() {
    let weighed = (0..200).map(made).find(|dataset| dataset.weights.len() > 1).unwrap();
    let check = |change: &dyn Fn(&mut Vec<f32>)| {
        let mut changed = weighed.clone();
        change(&mut changed.weights);
        changed.check().unwrap_err().to_string()
    };
    assert!(check(&|weights| weights.truncate(1)).contains("1 weights for"));
    assert!(check(&|weights| weights[1] = -0.5).contains("the weight of row 1 is -0.5: 0 or a finite number above it"));
    assert!(check(&|weights| weights[0] = f32::NAN).contains("the weight of row 0 is NaN"));
    let mut pairs = (0..200).map(made).find(|dataset| dataset.level == Level::Pair).unwrap();
    pairs.weights = vec![1.0; pairs.rows()];
    assert!(pairs.check().unwrap_err().to_string().contains("pairs have no weights of rows"));
}

#[test]
fn what_was_saved_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..200 {
        let dataset = made(seed);
        let path = folder.path().join("d.farhop");
        dataset.save(&path).unwrap();
        assert_same(&Dataset::load(&path).unwrap(), &dataset);
        let bytes = std::fs::read(&path).unwrap();
        dataset.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "the same dataset, the same bytes");
    }
}

#[test]
fn a_changed_byte_is_found_or_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.farhop");
    let dataset = made(5);
    dataset.save(&path).unwrap();
    let original = std::fs::read(&path).unwrap();
    let mut found = 0;
    for at in 0..original.len() {
        let mut bytes = original.clone();
        bytes[at] ^= 0x11;
        match Dataset::from_file_bytes("d.farhop", bytes) {
            Ok(read) => assert_same(&read, &dataset),
            Err(error) => {
                assert!(!error.to_string().contains('\n'));
                found += 1;
            }
        }
    }
    assert!(found * 2 > original.len(), "{found} of {}", original.len());
}

#[test]
fn other_archives_and_versions_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.farhop");
    let write = |metadata: Option<&[u8]>| {
        farhop_data::npz::write_npz(&path, |writer| match metadata {
            Some(bytes) => writer.u8("metadata", &[bytes.len()], bytes),
            None => writer.f32("x", &[1], &[1.0]),
        })
        .unwrap();
        Dataset::load(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(write(None), "d.farhop: an archive of arrays, but not a .farhop file: it has no array \"metadata\".");
    assert_eq!(
        write(Some(br#"{"format": "farhop dataset", "version": 99, "more": 1}"#)),
        "d.farhop: written by another version of farhop (format 99; this one reads 1). Import the data again."
    );
    assert!(write(Some(b"{")).starts_with("d.farhop: the metadata is damaged ("));
}

fn key(folder: &Path) -> (CacheKey, Vec<SourceFile>) {
    let file = folder.join("source.csv");
    std::fs::write(&file, "content").unwrap();
    let sources = hash_files(&[file]).unwrap();
    assert_eq!(sources[0].sha256, SourceFile::of("x", b"content").sha256);
    (CacheKey::new("made set", 1, &sources, &("option", 3)).unwrap(), sources)
}

#[test]
fn the_cache_builds_once_and_mends_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (key, sources) = key(folder.path());
    let cache = folder.path().join("deep/cache");
    let mut built = 0;
    let get = |built: &mut u32| {
        cached(&cache, &key, &sources, || {
            *built += 1;
            Ok(made(8))
        })
        .unwrap()
    };
    let mut first = get(&mut built);
    assert_eq!(first.sources[0].path, sources[0].path);
    first.sources = made(8).sources;
    assert_same(&first, &made(8));
    let second = get(&mut built);
    assert_eq!(built, 1);
    // The path of the source with the same content is the one of today.
    assert_eq!(second.sources[0].path, sources[0].path);
    let path = key.path(&cache, "farhop");
    for damaged in [&b"not an archive"[..], b""] {
        std::fs::write(&path, damaged).unwrap();
        let mended = get(&mut built);
        let note = mended.notes.last().unwrap();
        assert!(note.starts_with("a damaged cache file was made anew ("), "{note}");
        assert_eq!(get(&mut built).notes.len(), made(8).notes.len());
    }
    assert_eq!(built, 3);
    let error = cached(&cache, &CacheKey::new("other", 1, &sources, &()).unwrap(), &sources, || {
        Err(DataError::Mismatch { what: "no".to_string() })
    });
    assert_eq!(error.unwrap_err().to_string(), "no");
}

#[test]
fn a_cache_that_cannot_be_written_costs_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let (key, sources) = key(folder.path());
    // A file where the folder should be.
    let dataset = cached(&folder.path().join("source.csv/cache"), &key, &sources, || Ok(made(2))).unwrap();
    assert!(dataset.notes.last().unwrap().starts_with("the cache was not written ("), "{:?}", dataset.notes);
}

#[cfg(unix)]
#[test]
fn a_cache_that_is_read_only_costs_a_note_and_is_still_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (key, sources) = key(folder.path());
    let cache = folder.path().join("cache");
    cached(&cache, &key, &sources, || Ok(made(8))).unwrap();
    let allow = |mode| std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(mode)).unwrap();
    allow(0o555);
    let found = cached(&cache, &key, &sources, || panic!("it is in the cache")).unwrap();
    assert_eq!(found.notes, made(8).notes);
    let other = CacheKey::new("other", 1, &sources, &()).unwrap();
    let built = cached(&cache, &other, &sources, || Ok(made(2))).unwrap();
    let written = other.path(&cache, "farhop").exists();
    allow(0o755);
    if written {
        println!("skipped: this user may write into read-only folders");
        return;
    }
    assert!(built.notes.last().unwrap().starts_with("the cache was not written ("), "{:?}", built.notes);
}

/// A process that may write no byte into any file, as on a full disk, runs the second half of this test.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_a_note_and_leaves_nothing_behind() {
    const FOLDER: &str = "FARHOP_TEST_OF_A_FULL_DISK";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let cache = Path::new(&folder).join("cache");
        let sources = [SourceFile::of("x", b"content")];
        let key = CacheKey::new("made", 1, &sources, &()).unwrap();
        let dataset = cached(&cache, &key, &sources, || Ok(made(8))).unwrap();
        assert!(dataset.notes.last().unwrap().starts_with("the cache was not written ("), "{:?}", dataset.notes);
        let array = NamedArray { name: "x".to_string(), shape: vec![3], numbers: vec![0.5; 3] };
        let (arrays, note) = cached_arrays(&cache, &key, || Ok(vec![array.clone()])).unwrap();
        assert_eq!(arrays, [array]);
        assert!(note.unwrap().starts_with("the cache was not written ("));
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 0, "half a file stayed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "dataset_files::a_full_disk_costs_a_note_and_leaves_nothing_behind";
    // Without the signal, writing beyond the limit is an error like that of a full disk.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact \"$1\" --nocapture";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn keys_follow_content_options_and_version() {
    let source = |text: &str| vec![SourceFile::of("a.csv", text.as_bytes())];
    let key = |version, text: &str, options: (u32, &str)| CacheKey::new("k", version, &source(text), &options).unwrap();
    let base = key(1, "x", (1, "a"));
    assert_eq!(base, CacheKey::new("k", 1, &[SourceFile::of("elsewhere", b"x")], &(1, "a")).unwrap());
    for other in [key(2, "x", (1, "a")), key(1, "y", (1, "a")), key(1, "x", (2, "a")), key(1, "x", (1, "b"))] {
        assert_ne!(base, other);
    }
}

#[test]
fn many_threads_share_one_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (key, sources) = key(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let dataset = cached(&folder.path().join("c"), &key, &sources, || Ok(made(4))).unwrap();
                    assert_eq!(dataset.notes, made(4).notes);
                    let _ = std::fs::remove_file(key.path(&folder.path().join("c"), "farhop"));
                }
            });
        }
    });
    let arrays = vec![NamedArray { name: "walks".to_string(), shape: vec![2, 3], numbers: vec![0.5; 6] }];
    for built in [true, false] {
        let build = || if built { Ok(arrays.clone()) } else { panic!("it is in the cache") };
        let (read, note) = cached_arrays(folder.path(), &key, build).unwrap();
        assert_eq!((&read, note), (&arrays, None));
    }
}
