//! Predictions are written under the user's ids and read back as they were.

use farhop_data::predictions::Predictions;
use farhop_data::table::Table;

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| value.to_string()).collect()
}

#[test]
fn ids_classes_and_probabilities_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.csv");
    let ids = strings(&["A1", "b,c", "say \"x\""]);
    let classes = strings(&["cat", "do,g"]);
    let probabilities = [0.25, 0.75, 0.5, 0.5, 0.9, 0.1];
    let predictions = Predictions { ids: &ids, classes: &classes, probabilities: &probabilities };
    predictions.save(&path).unwrap();
    let table = Table::open(&path, "id").unwrap();
    let header = ["id", "prediction", "probability_cat", "probability_do,g"];
    assert_eq!(table.header(), header);
    let mut rows = table.rows();
    let mut read = 0;
    while let Some(row) = rows.next_row().unwrap() {
        assert_eq!(row.cell(0), ids[row.index]);
        let largest = ["do,g", "cat", "cat"][row.index];
        assert_eq!(row.cell(1), largest, "the first of equals");
        for class in 0..2 {
            let probability: f32 = row.cell(2 + class).parse().unwrap();
            assert_eq!(probability, probabilities[2 * row.index + class]);
        }
        read += 1;
    }
    assert_eq!(read, 3);
    let mut buffer = Vec::new();
    predictions.write("standard output", &mut buffer).unwrap();
    assert_eq!(buffer, std::fs::read(&path).unwrap());
}

#[test]
fn nothing_is_written_over_a_file_when_it_cannot_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.csv");
    std::fs::write(&path, "old").unwrap();
    let (ids, classes) = (strings(&["a"]), strings(&["x", "y"]));
    let save = |probabilities: &[f32]| {
        Predictions { ids: &ids, classes: &classes, probabilities }.save(&path).unwrap_err().to_string()
    };
    assert_eq!(save(&[0.5, f32::NAN]), "the model gave NaN for id \"a\", class \"y\". Nothing was written.");
    assert_eq!(save(&[0.5]), "1 probabilities do not fit 1 ids and 2 classes.");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line() {
    let (ids, classes) = (strings(&["a"]), strings(&["x"]));
    let predictions = Predictions { ids: &ids, classes: &classes, probabilities: &[1.0] };
    let error = predictions.save(std::path::Path::new("/dev/full")).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("cannot write /dev/full: No space left on device"), "{text}");
    assert!(!text.contains('\n'));
}
