//! Predictions are written under the user's ids and read back as they were.

use farhop_data::predictions::{Answers, Predictions};
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
    let predictions = Predictions::new(&ids, Answers::Classes { names: &classes, probabilities: &probabilities });
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
        Predictions::new(&ids, Answers::Classes { names: &classes, probabilities }).save(&path).unwrap_err().to_string()
    };
    assert_eq!(save(&[0.5, f32::NAN]), "the model gave NaN for id \"a\", class \"y\". Nothing was written.");
    assert_eq!(save(&[0.5]), "1 probabilities do not fit 1 ids and 2 classes.");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line() {
    let (ids, classes) = (strings(&["a"]), strings(&["x"]));
    let predictions = Predictions::new(&ids, Answers::Classes { names: &classes, probabilities: &[1.0] });
    let error = predictions.save(std::path::Path::new("/dev/full")).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("cannot write /dev/full: No space left on device"), "{text}");
    assert!(!text.contains('\n'));
}

fn written(predictions: &Predictions<'_>) -> String {
    let mut buffer = Vec::new();
    predictions.write("standard output", &mut buffer).unwrap();
    String::from_utf8(buffer).unwrap()
}

#[test]
fn labels_numbers_and_pairs_have_their_columns() {
    let (ids, names) = (strings(&["a", "b,c"]), strings(&["toxic", "so\"luble"]));
    let outputs = [0.25, 1.0, 0.5, 0.0];
    let labels = Predictions::new(&ids, Answers::Labels { names: &names, probabilities: &outputs });
    assert_eq!(
        written(&labels),
        "id,prediction_toxic,\"prediction_so\"\"luble\",probability_toxic,\"probability_so\"\"luble\"\n\
         a,0,1,0.25,1\n\"b,c\",0,0,0.5,0\n"
    );
    let decided = Predictions { thresholds: &[0.2, 0.5], id_column: "molecule", ..labels };
    assert!(written(&decided).starts_with("molecule,prediction_toxic,"));
    assert!(written(&decided).ends_with("\na,1,1,0.25,1\n\"b,c\",1,0,0.5,0\n"));
    let classes = Predictions::new(&ids, Answers::Classes { names: &names, probabilities: &[0.75, 0.25, 0.5, 0.5] });
    let decided = Predictions { thresholds: &[0.25], ..classes };
    let chosen = |text: String| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.records().map(|row| row.unwrap()[1].to_string()).collect()
    };
    assert_eq!(chosen(written(&classes)), ["toxic", "toxic"]);
    assert_eq!(chosen(written(&decided)), ["toxic", "so\"luble"]);
    let one = strings(&["gap"]);
    let numbers = Predictions::new(&[], Answers::Numbers { names: &one, values: &[-1.5, 1e-7] });
    assert_eq!(written(&numbers), "id,prediction_gap\n0,-1.5\n1,0.0000001\n");
    // Graph "a" has nodes 0 to 2 and two pairs, graph "b,c" has nodes 3 and 4 and one.
    let answers = Answers::Pairs {
        pairs: &[[0, 2], [1, 2], [4, 3]],
        offsets: &[0, 2, 3],
        starts: &[0, 3, 5],
        probabilities: &[0.5, 0.25, 1.0],
    };
    let pairs = Predictions::new(&ids, answers);
    assert_eq!(written(&pairs), "graph,a,b,probability\na,0,2,0.5\na,1,2,0.25\n\"b,c\",1,0,1\n");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let (ids, names) = (strings(&["a"]), strings(&["y"]));
    let refused = |answers: Answers<'_>| {
        let predictions = Predictions::new(&ids, answers);
        predictions.write("standard output", &mut Vec::new()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(Answers::Numbers { names: &names, values: &[f32::INFINITY] }),
        "the model gave inf for id \"a\", number \"y\". Nothing was written."
    );
    assert_eq!(
        refused(Answers::Labels { names: &names, probabilities: &[0.5, 0.5] }),
        "2 probabilities do not fit 1 ids and 1 labels."
    );
    let pairs = |pair: [u32; 2], probability: f32| {
        let pairs = [pair];
        let probabilities = [probability];
        refused(Answers::Pairs { pairs: &pairs, offsets: &[0, 1], starts: &[0, 2], probabilities: &probabilities })
    };
    assert_eq!(pairs([0, 2], 0.5), "a pair of graph 0 names a node outside it.");
    assert_eq!(pairs([0, 1], f32::NAN), "the model gave NaN for the pair of nodes 0 and 1. Nothing was written.");
    assert!(
        refused(Answers::Pairs { pairs: &[[0, 1]], offsets: &[0], starts: &[0], probabilities: &[1.0] })
            .contains("do not fit")
    );
}
