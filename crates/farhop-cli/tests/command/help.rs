//! What a user reads first.

use crate::support::Place;

#[test]
fn every_command_explains_itself() {
    let place = Place::new();
    let everywhere = ["--json", "--quiet", "--threads", "--seed"];
    let commands: [(&str, &[&str]); 14] = [
        (
            "train",
            &[
                "DATASET",
                "--nodes",
                "--edges",
                "--target",
                "--task",
                "--metric",
                "--split",
                "--smiles",
                "--skip-bad-molecules",
                "--ignore-edges",
                "--data-dir",
                "--batch-size",
                "--out",
                "--model",
                "--recipe",
                "--resume",
                "--hops",
                "--width",
                "--layers",
                "--heads",
                "--dropout",
                "--learning-rate",
                "--weight-decay",
                "--epochs",
                "--patience",
                "--recompute",
                "--gather-bits",
                "--coefficients",
                "--elimination",
                "--hop-reading",
                "--norm",
                "--id",
                "--ignore",
                "--category",
                "--fill",
                "--directed",
                "--add-missing-nodes",
                "--scaling",
                "--fractions",
                "--split-seed",
                "--distance",
                "--picture",
                "--distances",
            ],
        ),
        ("predict", &["RUN", "--molecules", "--nodes", "--edges", "--out", "--fill"]),
        ("evaluate", &["RUN", "--split", "--nodes", "--edges"]),
        ("explain", &["RUN", "--node", "--graph", "--pair", "--output", "--method", "--layer", "--out", "--table"]),
        ("report", &["RUN", "--study", "--compare", "--out", "--overwrite", "--data-dir", "--without-data"]),
        (
            "hops",
            &[
                "--edges",
                "--nodes",
                "--features",
                "--rounds",
                "--coefficients",
                "--elimination",
                "--out",
                "--directed",
                "--self-coefficient",
            ],
        ),
        ("plan", &["--nodes", "--node-count", "--edge-count", "--hops", "--limit"]),
        (
            "bench",
            &[
                "--graph", "--nodes", "--edges", "--model", "--hops", "--width", "--layers", "--heads", "--mode",
                "--epochs",
            ],
        ),
        ("doctor", &[]),
        ("data", &["list", "info", "import", "fetch"]),
        ("data list", &["--here", "--data-dir"]),
        ("data info", &["DATASET", "--nodes", "--edges", "--target", "--smiles", "--distance", "--data-dir"]),
        ("data import", &["DATASET", "--nodes", "--edges", "--graphs", "--graph", "--target", "--task", "--out"]),
        ("data fetch", &["NAME", "--data-dir"]),
    ];
    let overview = place.farhop("").succeeded().stdout;
    assert_eq!(overview, place.farhop("--help").succeeded().stdout);
    for (command, flags) in commands {
        let listed = overview.contains(&format!("\n  {command} "));
        assert!(listed || command.starts_with("data "), "{command} is not in\n{overview}");
        let help = place.farhop(&format!("{command} --help")).succeeded().stdout;
        for flag in flags.iter().chain(&everywhere) {
            assert!(help.contains(flag), "{flag} is not in\n{help}");
        }
        assert!(["doctor", "data"].contains(&command) || help.contains("Examples:"), "{help}");
    }
    let version = place.farhop("--version").succeeded().stdout;
    let known = format!("farhop {} (", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&known) && version.contains("features: "), "{version}");
    assert_eq!(place.farhop("-V").succeeded().stdout.trim(), format!("farhop {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_is_a_command_too() {
    let place = Place::new();
    assert_eq!(place.farhop("help").succeeded().stdout, place.farhop("--help").succeeded().stdout);
    for command in ["train", "predict", "data list"] {
        let (asked, told) = (place.farhop(&format!("help {command}")), place.farhop(&format!("{command} --help")));
        assert_eq!(asked.succeeded().stdout, told.succeeded().stdout);
    }
    place.refuses("help tarin", 2, &["tarin"]);
}

#[test]
fn shells_and_man_know_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.farhop(&format!("completions {shell}")).succeeded().stdout;
        for word in ["evaluate", "hop-attention", "known-nodes"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    place.refuses("completions tcsh", 2, &["tcsh", "bash"]);
    assert!(place.farhop("man").succeeded().stdout.contains(".TH farhop 1"));
    place.farhop("man --out pages").succeeded();
    for page in ["farhop.1", "farhop-train.1", "farhop-data-list.1"] {
        assert!(place.text(&format!("pages/{page}")).contains("SYNOPSIS"), "{page}");
    }
}

#[test]
fn no_escape_sequences_without_a_terminal_or_with_no_color() {
    let place = Place::new();
    for line in ["--help", "train --help", "data list", "tarin"] {
        let answer = place.farhop(line);
        assert!(!answer.stdout.contains('\u{1b}') && !answer.stderr.contains('\u{1b}'), "{line}");
    }
}
