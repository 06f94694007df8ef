//! `.farhop` files and the cache.

use std::path::Path;

use farhop_data::cache::{CacheKey, NamedArray, cached, cached_arrays, hash_files};
use farhop_data::metrics::Metric;
use farhop_data::{Columns, Csr, DataError, Dataset, Level, SourceFile, Split, Target};
use farhop_graph::random::Stream;
use farhop_graph::{Direction, GraphSet, build};

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
    let numbers: Vec<f32> = (0..2 * nodes).map(|_| random.normal() as f32).collect();
    let mut features = Columns::dense(2, numbers);
    if seed.is_multiple_of(3) {
        let values = vec![1.5; nodes];
        let csr = Csr::new("x", [nodes, 3], (0..=nodes).collect(), (0..nodes as u32).map(|n| n % 3).collect(), values);
        features = Columns::sparse(csr.unwrap());
    }
    features.sizes = vec![4];
    features.categories = (0..nodes).map(|_| random.below(4) as u16).collect();
    let edges = Columns::categories(vec![3], (0..entries).map(|_| random.below(3) as u16).collect());
    let names = vec!["ä b".to_string(), "c".to_string()];
    let (level, target) = match seed % 4 {
        0 => {
            let labels = (0..nodes).map(|node| [None, Some(0), Some(1)][node % 3]).collect();
            (Level::Node, Target::Class { labels, classes: names })
        }
        1 => {
            let values = (0..2 * graphs).map(|at| [0.0, 1.0, f32::NAN][at % 3]).collect();
            (Level::Graph, Target::Binary { values, names })
        }
        2 => (Level::Graph, Target::Number { values: (0..2 * graphs).map(|at| at as f32 / 3.0).collect(), names }),
        _ => {
            let pairs = (0..graphs).map(|g| [offsets[g] as u32, offsets[g + 1] as u32 - 1]).collect();
            let together = (0..graphs).map(|g| g % 2 == 0).collect();
            (Level::Pair, Target::Pair { pairs, together, offsets: (0..=graphs).collect() })
        }
    };
    let graphs = GraphSet::new(union, offsets).unwrap();
    let mut dataset = Dataset {
        name: format!("made {seed}"),
        graphs,
        nodes: features,
        edges: if entries == 0 { Columns::none() } else { edges },
        level,
        target,
        split: Split { train: vec![0], valid: vec![], test: vec![] },
        metric: Metric::HitsAt(7),
        ids: Vec::new(),
        notes: vec!["a note, \"quoted\"".to_string()],
        sources: vec![SourceFile::of("some/file.csv", b"content")],
    };
    if seed.is_multiple_of(5) {
        dataset.ids = (0..dataset.rows()).map(|row| "é".repeat(row % 3)).collect();
    }
    dataset.check().unwrap()
}

/// Equality with unknown numbers equal to each other.
fn assert_same(one: &Dataset, two: &Dataset) {
    let plain = |dataset: &Dataset| {
        let mut dataset = dataset.clone();
        if let Target::Binary { values, .. } | Target::Number { values, .. } = &mut dataset.target {
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = -1.0);
        }
        dataset
    };
    let (one, two) = (plain(one), plain(two));
    assert_eq!((&one.name, &one.graphs, &one.nodes), (&two.name, &two.graphs, &two.nodes));
    assert_eq!((&one.edges, one.level, &one.target), (&two.edges, two.level, &two.target));
    assert_eq!((&one.split, one.metric, &one.ids), (&two.split, two.metric, &two.ids));
    assert_eq!((&one.notes, &one.sources), (&two.notes, &two.sources));
}

#[test]
fn what_was_saved_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..60 {
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
