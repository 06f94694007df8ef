//! Numbers that stay in their file.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use farhop_data::import::{ImportOptions, import};
use farhop_data::npz::write_npz;
use farhop_data::{Columns, DataCard, Dataset, Numbers, NumbersOnDisk};
use farhop_graph::generate;
use farhop_graph::random::Stream;

use crate::bits::assert_same;

const ROWS: usize = 3000;

/// A dataset with dense numbers that are all different.
fn made(width: usize) -> Dataset {
    let numbers = (0..ROWS * width).map(|place| place as f32 - 0.5).collect();
    let labels = (0..ROWS).map(|row| Some(row as u32 % 2)).collect();
    let classes = vec!["a".to_string(), "b".to_string()];
    Dataset::from_arrays("made", generate::ring(ROWS).unwrap(), numbers, width, labels, classes, Default::default())
        .unwrap()
}

fn left(dataset: &Dataset) -> &NumbersOnDisk {
    match &dataset.nodes.numbers {
        Numbers::OnDisk(numbers) => numbers,
        other => panic!("not on disk: {other:?}"),
    }
}

fn in_memory(dataset: &Dataset) -> &[f32] {
    match &dataset.nodes.numbers {
        Numbers::Dense(numbers) => numbers,
        other => panic!("not in memory: {other:?}"),
    }
}

#[test]
fn rows_are_those_in_memory_whatever_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    // Rows of a few bytes, and rows longer than what is read in one go.
    for width in [1, 7, 700] {
        let file = folder.path().join("data.farhop");
        let dataset = made(width);
        dataset.save(&file).unwrap();
        let opened = Dataset::open(&file, 1).unwrap();
        let (numbers, all) = (left(&opened), in_memory(&dataset));
        assert_eq!((numbers.rows(), numbers.width(), numbers.bytes()), (ROWS, width, 4 * all.len() as u64));
        let mut random = Stream::new(width as u64);
        let drawn: Vec<u32> = (0..500).map(|_| random.below(ROWS as u64) as u32).collect();
        let mut ascending = drawn.clone();
        ascending.sort_unstable();
        ascending.dedup();
        let everything: Vec<u32> = (0..ROWS as u32).collect();
        for rows in [&drawn, &ascending, &everything, &vec![], &vec![2999, 0, 0, 1, 2]] {
            let expected: Vec<f32> =
                rows.iter().flat_map(|row| &all[*row as usize * width..][..width]).copied().collect();
            assert_eq!(numbers.gather(rows).unwrap(), expected);
        }
        assert_eq!(numbers.to_dense().unwrap(), all);
        // A copy of what is on disk is the same file again, and the card does not tell the difference.
        let copy = folder.path().join("copy.farhop");
        opened.save(&copy).unwrap();
        assert_eq!(fs::read(&file).unwrap(), fs::read(&copy).unwrap());
        assert_eq!(DataCard::of(&opened), DataCard::of(&dataset));
        assert_same(&Dataset::load(&copy).unwrap(), &dataset);
    }
}

#[test]
fn only_numbers_that_are_large_stay_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.farhop");
    made(7).save(&file).unwrap();
    let bytes = 4 * 7 * ROWS as u64;
    assert!(matches!(Dataset::open(&file, bytes).unwrap().nodes.numbers, Numbers::OnDisk(_)));
    assert!(matches!(Dataset::open(&file, bytes + 1).unwrap().nodes.numbers, Numbers::Dense(_)));
    assert!(matches!(Dataset::load(&file).unwrap().nodes.numbers, Numbers::Dense(_)));
    let mut none = made(7);
    none.nodes = Columns::categories(vec![2], vec![0; ROWS]);
    none.save(&file).unwrap();
    assert_same(&Dataset::open(&file, 0).unwrap(), &none);
}

#[test]
fn what_is_wrong_is_found_when_the_file_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.farhop");
    let mut wrong = made(5);
    let mut numbers = in_memory(&wrong).to_vec();
    numbers[5 * 1234 + 3] = f32::NAN;
    wrong.nodes = Columns::dense(5, numbers);
    // `save` takes what it is given; a checked dataset would not hold this.
    wrong.save(&file).unwrap();
    let text = Dataset::open(&file, 1).unwrap_err().to_string();
    assert!(text.ends_with("data.farhop: nodes row 1234, column 3 is NaN, not a finite number."), "{text}");

    // One bit of one number: the checksum of the archive tells.
    made(5).save(&file).unwrap();
    let opened = Dataset::open(&file, 1).unwrap();
    let bytes = fs::read(&file).unwrap();
    let place = bytes.windows(4).rposition(|bytes| bytes == (5f32 * 1234.0 - 0.5).to_le_bytes()).unwrap();
    let writable = OpenOptions::new().write(true).open(&file).unwrap();
    writable.write_all_at(&[bytes[place] ^ 1], place as u64).unwrap();
    let text = Dataset::open(&file, 1).unwrap_err().to_string();
    assert!(text.contains("damaged") && !text.contains('\n'), "{text}");

    // A file that changes later: numbers that are none, and a file that ends early.
    writable.write_all_at(&f32::INFINITY.to_le_bytes(), place as u64).unwrap();
    let text = left(&opened).gather(&[1234]).unwrap_err().to_string();
    assert!(text.contains("nodes row 1234, column 0 is inf"), "{text}");
    assert!(left(&opened).gather(&[1233]).is_ok());
    writable.set_len(place as u64).unwrap();
    let text = left(&opened).gather(&[2000]).unwrap_err().to_string();
    assert!(text.contains("data.farhop") && !text.contains('\n'), "{text}");
    // A new file under the name is another file: the open one is still the old.
    fs::remove_file(&file).unwrap();
    made(3).save(&file).unwrap();
    assert!(left(&opened).gather(&[7]).is_ok());
}

#[test]
fn large_archives_are_imported_without_their_features_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.npz");
    // Just above the limit: 32 MiB.
    let (rows, width) = (1 << 16, 129);
    let mut random = Stream::new(1);
    let numbers: Vec<f32> = (0..rows * width).map(|_| random.normal() as f32).collect();
    let ends: Vec<i64> = (0..2 * rows).map(|place| (place % rows) as i64).collect();
    let labels: Vec<i64> = (0..rows).map(|row| row as i64 % 3).collect();
    write_npz(&file, |writer| {
        writer.f32("x", &[rows, width], &numbers)?;
        writer.i64("edge_index", &[2, rows], &ends)?;
        writer.i64("y", &[rows], &labels)
    })
    .unwrap();
    let dataset = import(&file, &ImportOptions::default()).unwrap();
    assert_eq!(
        left(&dataset).gather(&[0, 65535]).unwrap()[..],
        [&numbers[..width], &numbers[65535 * width..]].concat()
    );
    let saved = folder.path().join("large.farhop");
    dataset.save(&saved).unwrap();
    let again = import(&saved, &ImportOptions::default()).unwrap();
    assert_eq!(left(&again).to_dense().unwrap(), numbers);
}

#[test]
fn rows_are_divided_by_their_sum_on_their_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.farhop");
    let mut dataset = made(7);
    if let Numbers::Dense(numbers) = &mut dataset.nodes.numbers {
        // Rows that add up to 0 stay.
        numbers[7..14].copy_from_slice(&[1.0, -1.0, 2.0, -2.0, 0.0, 3.0, -3.0]);
        numbers[14..21].fill(0.0);
    }
    dataset.save(&file).unwrap();
    dataset.nodes.row_normalise();
    let mut read = Dataset::open(&file, 0).unwrap();
    read.nodes.row_normalise();
    assert_eq!(left(&read).to_dense().unwrap(), in_memory(&dataset));
    assert_eq!(
        left(&read).gather(&[1, 5]).unwrap(),
        [&in_memory(&dataset)[7..14], &in_memory(&dataset)[35..42]].concat()
    );
    assert_eq!(in_memory(&dataset)[7..21].iter().map(|number| number.abs()).sum::<f32>(), 12.0);
}
