//! Tables of molecules.

use farhop_data::molecules::{MoleculeOptions, MoleculeSchema, MoleculeTable};
use farhop_data::smiles::{ATOM_SIZES, BOND_SIZES};
use farhop_data::{Dataset, Part, Target, TargetKind};

use crate::bits::assert_same;
use crate::real::real_data;
use crate::support::{folder_of, short};

fn targets(names: &[&str]) -> MoleculeOptions {
    MoleculeOptions { targets: names.iter().map(|name| name.to_string()).collect(), ..MoleculeOptions::default() }
}

const TABLE: &str = "name,SMILES,logp,active,kind,split\n\
    a,CCO,-0.3,1,x,train\nb,c1ccccc1,2.1,0,y,train\nc,C,1.1,,x,valid\nd,CC(=O)O,-0.2,1,y,test\ne,[Na+].[Cl-],,0,x,test\n";

#[test]
fn columns_decide_the_task() {
    let folder = folder_of(&[("m.csv", TABLE), ("m.csv.gz", TABLE)]);
    let read =
        |options: &MoleculeOptions| MoleculeTable::load(&folder.path().join("m.csv.gz"), options).unwrap().dataset;
    let numbers = read(&MoleculeOptions { id: Some("name".to_string()), ..targets(&["logp"]) });
    let Target::Number { values, names } = &numbers.target else { panic!() };
    assert!(values[..4] == [-0.3, 2.1, 1.1, -0.2] && values[4].is_nan() && names == &["logp"]);
    assert_eq!((numbers.ids.join(""), &numbers.split.test[..]), ("abcde".to_string(), &[3][..]));
    assert_eq!((&numbers.nodes.sizes[..], &numbers.edges.sizes[..]), (&ATOM_SIZES[..], &BOND_SIZES[..]));
    // Heavy atoms and bonds of ethanol, benzene, methane, acetic acid, salt.
    assert_eq!(numbers.graphs.offsets(), [0, 3, 9, 10, 14, 16]);
    assert_eq!(numbers.graphs.union().edges(), 2 + 6 + 3);
    // Carbon is number 6, index 5; oxygen 8, index 7.
    let first: Vec<u16> = numbers.nodes.categories.iter().step_by(9).copied().take(3).collect();
    assert_eq!(first, [5, 5, 7]);
    assert!(matches!(&read(&targets(&["active"])).target, Target::Binary { values, .. } if values[2].is_nan()));
    assert!(matches!(&read(&targets(&["kind"])).target, Target::Class { classes, .. } if classes == &["x", "y"]));
    let both = read(&targets(&["logp", "active"]));
    assert_eq!(both.target.outputs(), 2);
    let classes = MoleculeOptions { task: Some(TargetKind::Classes), ..targets(&["active"]) };
    assert!(matches!(&read(&classes).target, Target::Class { classes, .. } if classes == &["0", "1"]));
}

#[test]
fn the_same_file_gives_the_same_dataset() {
    let mut text = String::from("smiles,y,z\n");
    for row in 0..200 {
        let chain = "C".repeat(1 + row % 17);
        text += &format!("{chain}C({}O)N,{},{}\n", "C".repeat(row % 5), row % 7, row % 2);
    }
    let folder = folder_of(&[("m.csv", &text)]);
    for names in [&["y"][..], &["z"], &["y", "z"], &[]] {
        let options = MoleculeOptions { skip_bad: true, ..targets(names) };
        let load = || MoleculeTable::load(&folder.path().join("m.csv"), &options).unwrap();
        let (one, two) = (load(), load());
        assert_same(&one.dataset, &two.dataset);
        assert_eq!((one.schema, one.rows), (two.schema.clone(), two.rows));
        let again = MoleculeTable::load_with_schema(&folder.path().join("m.csv"), &two.schema, true).unwrap().dataset;
        assert_same(
            &Dataset { split: two.dataset.split.clone(), notes: two.dataset.notes.clone(), ..again },
            &two.dataset,
        );
        assert_eq!(one.dataset.split.train.is_empty(), names.is_empty());
    }
}

#[test]
fn bad_molecules_are_named_or_left_out() {
    let text = "smiles,y\nCC,1.5\nc1ccccc,2.5\nCCC,3.5\nC(C,4\nCCCC,4.5\nCN,5.5\n";
    let folder = folder_of(&[("m.csv", text)]);
    let path = folder.path().join("m.csv");
    let message = short(&folder, MoleculeTable::load(&path, &targets(&["y"])));
    let (first, second) =
        message.strip_prefix("2 problems in the data:\n  ").and_then(|m| m.split_once("\n  ")).unwrap();
    assert!(first.starts_with("m.csv, line 3: SMILES \"c1ccccc\", character 2: "), "{message}");
    assert!(second.starts_with("m.csv, line 5: SMILES \"C(C\""), "{message}");
    assert!(message.ends_with(" Or pass skip_bad_molecules = true to leave it out."), "{message}");
    let read = MoleculeTable::load(&path, &MoleculeOptions { skip_bad: true, ..targets(&["y"]) }).unwrap();
    assert_eq!(read.rows, [0, 2, 4, 5]);
    assert_eq!(read.dataset.ids, ["0", "2", "4", "5"]);
    assert_eq!(read.dataset.notes[0], "2 of 6 molecules left out:");
    assert!(read.dataset.notes[1].contains("m.csv, line 3, character 2: "), "{:?}", read.dataset.notes);
    // And one about the target.
    assert_eq!(read.dataset.notes.len(), 4);
    let Target::Number { values, .. } = &read.dataset.target else { panic!() };
    assert_eq!(values, &[1.5, 3.5, 4.5, 5.5]);
}

#[test]
fn cells_that_do_not_fit_are_named() {
    for (text, names, message) in [
        (
            "smiles,y\nC,1.5\nC,2\nCC,lots\n",
            &["y"][..],
            "m.csv, line 4, column \"y\": \"lots\" is not a finite 32-bit number, but the target is read as numbers. Correct or empty the cell, or pass another `task`.",
        ),
        (
            "smiles,y\nC,\"[0, 1]\"\nC,\"[0]\"\n",
            &["y"],
            "m.csv, line 3, column \"y\": a list of 1 number; the lists before have 2.",
        ),
        (
            "smiles,y\nC,\"[0, 1]\"\nC,1\n",
            &["y"],
            "m.csv, line 3, column \"y\": \"1\" is not a list such as [0, 1, 0].",
        ),
        ("smiles,y\nC,1\n", &["z"], "m.csv has no column \"z\" (a target). Its columns are \"smiles\", \"y\"."),
        (
            "structure,y\nC,1\n",
            &["y"],
            "m.csv has no column \"smiles\" (the SMILES). Its columns are \"structure\", \"y\".",
        ),
        (
            "smiles,y,split\nC,1,tran\n",
            &["y"],
            "m.csv, line 2, column \"split\": \"tran\" is not a part of the split. Allowed: train, valid, test, or an empty cell; or pass ignore = split if the column means something else.",
        ),
        (
            "smiles,a,b\nC,x,y\nC,x,y\n",
            &["a", "b"],
            "m.csv, line 2, column \"a\": \"x\" is text. Of several targets each is 0, 1 or empty, or a number; classes need one target alone.",
        ),
        ("smiles,y\n", &["y"], "m.csv has a header row and no other row. Add at least one."),
    ] {
        let folder = folder_of(&[("m.csv", text)]);
        assert_eq!(short(&folder, MoleculeTable::load(&folder.path().join("m.csv"), &targets(names))), message);
    }
}

#[test]
fn new_molecules_are_read_as_the_schema_says() {
    let folder = folder_of(&[
        ("m.csv", TABLE),
        ("new.csv", "SMILES,kind\nCCN,y\nCCCl,z\n"),
        ("new.smi", "CCN first\nO second one\n"),
    ]);
    let schema = MoleculeTable::load(&folder.path().join("m.csv"), &targets(&["kind"])).unwrap().schema;
    let kept: MoleculeSchema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(kept, schema);
    let read = |name: &str| MoleculeTable::load_with_schema(&folder.path().join(name), &kept, false).unwrap().dataset;
    let new = read("new.csv");
    assert!(matches!(&new.target, Target::Class { labels, .. } if labels == &[Some(1), None]));
    assert_eq!(new.notes, ["1 molecule has a class that the model does not know; left out of the scores"]);
    let lines = read("new.smi");
    assert_eq!(lines.ids, ["first", "second"]);
    assert!(
        matches!(&lines.target, Target::Class { labels, classes } if labels == &[None, None] && classes.len() == 2)
    );
}

#[test]
fn peptides_are_the_published_ones() {
    let Some(folder) = real_data("peptides-func") else { return };
    let path = folder.join("peptide_multi_class_dataset.csv.gz");
    let dataset = MoleculeTable::load(&path, &targets(&["labels"])).unwrap().dataset;
    let union = dataset.graphs.union();
    // All numbers from the README of the datasets.
    assert_eq!((dataset.graphs.len(), union.nodes(), union.edges()), (15_535, 2_344_859, 2_386_987));
    let Target::Binary { values, names } = &dataset.target else { panic!() };
    let positives = |label: usize| values.iter().skip(label).step_by(10).filter(|&&value| value == 1.0).count();
    let counted: Vec<usize> = (0..names.len()).map(positives).collect();
    assert_eq!(counted, [1378, 545, 995, 969, 9745, 3077, 1662, 2866, 299, 4044]);
    assert_eq!(dataset.split.part(Part::Train).len(), 9321);
}
