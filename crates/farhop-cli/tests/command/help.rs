//! What a user reads first.

use crate::support::Place;

#[test]
fn every_command_explains_itself() {
    let place = Place::new();
    let everywhere = ["--json", "--quiet", "--threads", "--seed"];
    let commands: [(&str, &[&str]); 7] = [
        (
            "train",
            &[
                "--nodes",
                "--edges",
                "--target",
                "--out",
                "--model",
                "--recipe",
                "--resume",
                "--hops",
                "--hidden",
                "--layers",
                "--heads",
                "--dropout",
                "--learning-rate",
                "--weight-decay",
                "--epochs",
                "--patience",
                "--recompute",
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
        ("predict", &["RUN", "--nodes", "--edges", "--out", "--fill"]),
        ("evaluate", &["RUN", "--split", "--nodes", "--edges"]),
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
                "--graph", "--nodes", "--edges", "--model", "--hops", "--hidden", "--layers", "--heads", "--mode",
                "--epochs",
            ],
        ),
        ("doctor", &[]),
    ];
    let overview = place.farhop("").succeeded().stdout;
    assert_eq!(overview, place.farhop("--help").succeeded().stdout);
    for (command, flags) in commands {
        assert!(overview.contains(&format!("\n  {command} ")), "{command} is not in\n{overview}");
        let help = place.farhop(&format!("{command} --help")).succeeded().stdout;
        for flag in flags.iter().chain(&everywhere) {
            assert!(help.contains(flag), "{flag} is not in\n{help}");
        }
        assert!(command == "doctor" || help.contains("Examples:"), "{help}");
    }
    let version = place.farhop("--version").succeeded().stdout;
    assert_eq!(version.trim(), format!("farhop {}", env!("CARGO_PKG_VERSION")));
}
