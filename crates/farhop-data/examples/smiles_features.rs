//! SMILES on standard input, one per line, to graphs: a summary on standard error, and with `--print`
//! or `--kekule` one line per molecule on standard output, for comparison with another program.
//!
//! ```text
//! cargo run --release -p farhop-data --example smiles_features < molecules.smi
//! cargo run --release -p farhop-data --example smiles_features -- --print < molecules.smi > features.txt
//! ```

use farhop_data::smiles::{KekuleMolecule, Molecule, parse, parse_kekule};
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut atoms, mut failures) = (0, 0);
    let start = Instant::now();
    for (number, line) in lines.iter().enumerate() {
        let text = match mode.as_str() {
            "--kekule" => parse_kekule(line).map(|molecule| kekule_text(&molecule)),
            _ => parse(line).map(|molecule| {
                atoms += molecule.atoms.len();
                if mode == "--print" { feature_text(&molecule) } else { String::new() }
            }),
        };
        match text {
            Ok(text) if !mode.is_empty() => writeln!(output, "{text}")?,
            Ok(_) => {}
            Err(error) => {
                failures += 1;
                eprintln!("line {}: {error}: {line}", number + 1);
                if !mode.is_empty() {
                    writeln!(output, "failed")?;
                }
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{} molecules, {atoms} atoms, {failures} failed, {seconds:.2} s", lines.len());
    output.flush()
}

/// `9 features per atom | 2 atoms and 3 features per bond`.
fn feature_text(molecule: &Molecule) -> String {
    let mut text = String::new();
    for value in molecule.atoms.iter().flatten() {
        let _ = write!(text, "{value} ");
    }
    text.push('|');
    for (ends, features) in &molecule.bonds {
        let [kind, stereo, conjugated] = features;
        let _ = write!(text, " {} {} {kind} {stereo} {conjugated}", ends[0], ends[1]);
    }
    text
}

/// `symbol, hydrogens and charge per atom | 2 atoms and order per bond`.
fn kekule_text(molecule: &KekuleMolecule) -> String {
    let mut text = String::new();
    for atom in &molecule.atoms {
        let _ = write!(text, "{} {} {} ", atom.symbol, atom.bracket_hydrogens, atom.charge);
    }
    text.push('|');
    for (ends, order) in &molecule.bonds {
        let _ = write!(text, " {} {} {order}", ends[0], ends[1]);
    }
    text
}
