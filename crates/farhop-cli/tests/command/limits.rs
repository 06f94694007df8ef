//! Too little memory is an error of one line, never an abort.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::support::{Answer, Place, answer};

/// Whether the limits below are those of farhop: the libraries of MPI take address space of their own before farhop begins.
fn is_plain() -> bool {
    if cfg!(feature = "mpi") {
        println!("skipped: built with the feature mpi, whose libraries take address space before farhop begins");
    }
    !cfg!(feature = "mpi")
}

/// Runs a line with so many MiB of address space.
fn within(place: &Place, mebibytes: usize, line: &str) -> Answer {
    let mut words = vec!["-c", "ulimit -c 0; ulimit -v $0; exec \"$@\""];
    let kibibytes = (mebibytes * 1024).to_string();
    words.extend([kibibytes.as_str(), env!("CARGO_BIN_EXE_farhop")]);
    words.extend(line.split(' '));
    let inner = place.command(&[]);
    let mut command = Command::new("sh");
    command.args(words).current_dir(inner.get_current_dir().unwrap()).env("FARHOP_CACHE", "");
    answer(&mut command)
}

/// The MiB of address space with which the program is loaded at all: below, the system refuses it before farhop begins.
fn least(place: &Place) -> usize {
    let loads = |mebibytes: &usize| within(place, *mebibytes, "--version").code == Some(0);
    (20..200).step_by(2).find(loads).expect("the program is never loaded")
}

#[test]
fn a_limit_of_the_address_space_never_ends_in_an_abort() {
    if !is_plain() {
        return;
    }
    let place = Place::with_run();
    let train = "train --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 1 --quiet --overwrite --out tight";
    let lines = [
        format!("{train} --width 128 --threads 1"),
        format!("{train} --width 128 --parts 4 --threads 2"),
        format!("{train} --width 16 --threads 8"),
        "predict run --quiet --threads 4".to_string(),
        "hops --nodes nodes.csv --edges edges.csv --ignore label --fill mean --rounds 100 --out tight.npz --overwrite --quiet --threads 2".to_string(),
    ];
    let least = least(&place);
    let mut refused = 0;
    for line in &lines {
        let mut fitted = false;
        for mebibytes in [0, 12, 24, 36, 48, 60, 88, 130, 200, 560].map(|more| least + more) {
            let found = within(&place, mebibytes, line);
            match found.code {
                Some(0) => fitted = true,
                Some(1) => {
                    refused += 1;
                    let one = found.stderr.lines().count() == 1 && found.stderr.starts_with("error: ");
                    assert!(one, "{mebibytes} MiB, {line}:\n{}", found.stderr);
                }
                code => panic!("{mebibytes} MiB, {line}: {code:?}\n{}", found.stderr),
            }
        }
        assert!(fitted, "{line} never fits");
    }
    assert!(refused >= lines.len(), "only {refused} runs were refused");
}

#[test]
fn what_the_plan_lets_through_gets_to_its_end() {
    if !is_plain() {
        return;
    }
    let place = Place::with_tables();
    let line =
        "train --nodes nodes.csv --edges edges.csv --target label --fill mean --epochs 1 --overwrite --out tight";
    let least = least(&place);
    let mut planned = 0;
    for more in ["--width 128 --threads 1", "--width 128 --parts 4 --threads 2", "--width 64 --threads 8"] {
        for mebibytes in (least..least + 220).step_by(12) {
            let found = within(&place, mebibytes, &format!("{line} {more}"));
            if found.stderr.contains("memory      ") {
                planned += 1;
                assert_eq!(found.code, Some(0), "{more}, {mebibytes} MiB:\n{}", found.stderr);
            }
        }
    }
    assert!(planned >= 5, "only {planned} runs were let through");
}
