//! From a table of molecules to predictions.

use crate::support::{Place, has_training_keys, rows};

const SMALL: &str = "--model gen --width 8 --layers 1 --hops 2 --batch-size 8 --quiet";

/// Alkanes, alcohols and rings with up to 14 carbons: 40 molecules with a number, a class and two yes-or-no columns.
fn molecules() -> String {
    let mut text = String::from("name,smiles,carbons,kind,alcohol,ring\n");
    for carbons in 1..=14 {
        let chain = "C".repeat(carbons);
        text.push_str(&format!("a{carbons},{chain},{carbons}.5,alkane,0,0\n"));
        text.push_str(&format!("o{carbons},{chain}O,{carbons}.5,alcohol,1,0\n"));
        if carbons >= 3 {
            text.push_str(&format!("r{carbons},C1{}1,{carbons}.5,ring,0,1\n", "C".repeat(carbons - 1)));
        }
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("molecules.csv", &molecules());
    place
}

#[test]
fn numbers_are_predicted_under_the_ids_of_new_molecules() {
    let place = place();
    let line =
        format!("train molecules.csv --smiles smiles --target carbons --id name --epochs 3 --out run --json {SMALL}");
    let trained = place.farhop(&line).object();
    has_training_keys(&trained);
    assert_eq!((&trained["task"], &trained["metric"]), (&"graph-regression".into(), &"mae".into()));
    assert_eq!(trained["epochs"], 3);

    // Other columns in another order; the last target is unknown.
    place.write("new.csv", "carbons,name,smiles\n3.5,x,CC(C)O\n6.5,y,C1CCCCC1\n,z,CCN\n");
    let object = place.farhop("predict run --molecules new.csv --out new_predictions.csv --json --quiet").object();
    assert_eq!((&object["graphs"], &object["outputs"][0]), (&3.into(), &"carbons".into()));
    assert!(object["classes"].is_null(), "a number has no classes: {object}");
    let predicted = rows(&place.path("new_predictions.csv"));
    assert_eq!(predicted[0], ["name", "prediction_carbons"]);
    assert_eq!(predicted[1..].iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["x", "y", "z"]);

    // The score on new molecules is that of these predictions, over the two whose number is known.
    let said = |row: usize| predicted[row][1].parse::<f64>().unwrap();
    let mean_error = ((said(1) - 3.5).abs() + (said(2) - 6.5).abs()) / 2.0;
    let scores = place.farhop("evaluate run --molecules new.csv --json --quiet").object();
    assert_eq!((&scores["graphs"], &scores["split"]), (&2.into(), &"all".into()));
    assert!((scores["mae"].as_f64().unwrap() - mean_error).abs() < 1e-4, "{scores} and {mean_error}");

    // Without new molecules: those of training, and the test score of training.
    let scores = place.farhop("evaluate run --json --quiet").object();
    assert_eq!(scores["mae"], trained["test"]);
    place.farhop("predict run --quiet").succeeded();
    assert_eq!(rows(&place.path("run/predictions.csv")).len(), 41);
}

#[test]
fn classes_and_labels() {
    let place = place();
    let line = format!("train molecules.csv --target kind --epochs 3 --out classes --json {SMALL}");
    assert_eq!(place.farhop(&line).object()["task"], "graph-classification");
    place.farhop("predict classes --quiet").succeeded();
    let predicted = rows(&place.path("classes/predictions.csv"));
    assert_eq!(predicted[0][1..], ["prediction", "probability_alcohol", "probability_alkane", "probability_ring"]);
    // Without an id column molecules are numbered, here in the order of the table.
    let truth: Vec<String> = molecules().lines().skip(1).map(|line| line.split(',').nth(3).unwrap().into()).collect();
    let right = predicted[1..].iter().zip(&truth).filter(|(row, kind)| row[1] == **kind).count();
    let scores = place.farhop("evaluate classes --split all --json --quiet").object();
    assert!((scores["accuracy"].as_f64().unwrap() - right as f64 / 40.0).abs() < 1e-9, "{scores}");
    let counted: Vec<u64> =
        scores["classes"].as_array().unwrap().iter().map(|class| class["graphs"].as_u64().unwrap()).collect();
    assert_eq!(counted, [14, 14, 12]);
    let text = place.farhop("evaluate classes --quiet").succeeded().stdout;
    assert!(text.contains("class    graphs"), "{text}");

    let line = format!("train molecules.csv --target alcohol,ring --epochs 3 --out labels --json {SMALL}");
    let trained = place.farhop(&line).object();
    assert_eq!(trained["task"], "graph-multi-label-classification");
    place.farhop("predict labels --quiet").succeeded();
    let predicted = rows(&place.path("labels/predictions.csv"));
    assert_eq!(
        predicted[0],
        ["name", "prediction_alcohol", "prediction_ring", "probability_alcohol", "probability_ring"]
    );
    for row in &predicted[1..] {
        assert!(row[1..3].iter().all(|cell| cell == "0" || cell == "1"), "{row:?}");
        assert!(row[3..].iter().all(|cell| (0.0..=1.0).contains(&cell.parse::<f64>().unwrap())), "{row:?}");
    }
    let scores = place.farhop("evaluate labels --json --quiet").object();
    assert_eq!(scores["score"], trained["test"]);
    assert_eq!(scores[scores["metric"].as_str().unwrap().replace('-', "_")], scores["score"]);
}

#[test]
fn a_bad_molecule_is_named_and_can_be_left_out() {
    let place = place();
    let mut lines: Vec<String> = molecules().lines().map(String::from).collect();
    lines.insert(5, "bad,CC(C,3.5,alkane,0,0".into());
    place.write("bad.csv", &(lines.join("\n") + "\n"));
    let line = format!("train bad.csv --target carbons --id name --epochs 1 --out run {SMALL}");
    let says = ["bad.csv, line 6", "\"CC(C\"", "character 3", "Add \")\"", "--skip-bad-molecules"];
    place.refuses(&line, 1, &says);
    assert!(!place.path("run").exists());
    let answer = place.farhop(&format!("{line} --skip-bad-molecules").replace(" --quiet", "")).succeeded();
    assert!(answer.stderr.contains("1 of 41 molecules left out"), "{}", answer.stderr);
    assert!(answer.stderr.contains("bad.csv, line 6"), "{}", answer.stderr);
    // The run remembers it.
    place.farhop("predict run --quiet").succeeded();
    let predicted = rows(&place.path("run/predictions.csv"));
    assert_eq!(predicted.len(), 41);
    assert!(predicted.iter().all(|row| row[0] != "bad"));

    place.write("more.csv", "name,smiles\np,CCO\nq,C1CC\n");
    let line = format!("train molecules.csv --target carbons --epochs 1 --out strict {SMALL}");
    place.farhop(&line).succeeded();
    let predict = "predict strict --molecules more.csv --out more_predictions.csv --quiet";
    place.refuses(predict, 1, &["more.csv, line 3", "\"C1CC\"", "--skip-bad-molecules"]);
    assert!(!place.path("more_predictions.csv").exists());
    place.farhop(&format!("{predict} --skip-bad-molecules")).succeeded();
    assert_eq!(rows(&place.path("more_predictions.csv")).len(), 2);
}

#[test]
fn wrong_tables_are_refused() {
    let place = place();
    let train = format!("train molecules.csv --epochs 1 --out run {SMALL}");
    place.refuses(&train, 2, &["--target is missing"]);
    place.refuses(
        &format!("{train} --target carbon"),
        2,
        &["molecules.csv", "\"carbon\"", "Did you mean \"carbons\"?"],
    );
    let line = format!("{train} --smiles smile --target carbons");
    place.refuses(&line, 2, &["molecules.csv", "\"smile\"", "Did you mean \"smiles\"?"]);
    let line = format!("{train} --target kind --task labels");
    place.refuses(&line, 1, &["molecules.csv, line 2", "\"kind\"", "\"alkane\"", "0, 1"]);
    let line = format!("{train} --target kind,ring");
    place.refuses(&line, 1, &["molecules.csv, line 2", "\"kind\"", "one target"]);
    place.refuses(&train.replace("molecules.csv", "gone.csv --target x"), 1, &["gone.csv"]);
    assert!(!place.path("run").exists());

    place.farhop(&format!("{train} --target carbons")).succeeded();
    place.refuses("predict run --nodes a.csv --edges b.csv", 1, &["molecules", "--molecules"]);
    place.write("other.csv", "formula\nCH4\n");
    place.refuses("predict run --molecules other.csv", 2, &["other.csv", "\"smiles\"", "\"formula\""]);
    std::fs::remove_file(place.path("molecules.csv")).unwrap();
    place.refuses("evaluate run --quiet", 1, &["molecules.csv", "not there", "--molecules"]);
}
