//! Molfiles, versions V2000 and V3000: the molecules of an SDF.
//!
//! What SMILES write down, a molfile draws: the sense of an atom is told by wedges (or by coordinates in space), the
//! arrangement about a double bond by coordinates. Both become what the parser of SMILES gives, and go the same way.

use super::elements::number_of;
use super::structure::{Atom, Bond, Chirality, Direction, Order, Stereo, Structure};

/// What is drawn, beside the molecule itself.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// Where each atom lies, by its number in the file.
    places: Vec<[f64; 3]>,
    /// Bonds that begin with a wedge: the atoms at begin and end, and whether it points up.
    wedges: Vec<(u32, u32, bool)>,
    /// Double bonds that may lie either way, by their atoms.
    either: Vec<[u32; 2]>,
}

/// A molecule with a line number for a problem.
type MolfileResult<T> = Result<T, (usize, String)>;

/// Reads the lines of one molecule.
pub(super) fn parse_molfile(lines: &[&str]) -> MolfileResult<(Structure, Drawing)> {
    let counts = lines.get(3).ok_or((0, "a molfile has three lines, then its counts.".to_string()))?;
    let mut file = File { structure: Structure::default(), drawing: Drawing::default(), valences: Vec::new() };
    if counts.contains("V3000") {
        file.version_3000(lines)?;
    } else {
        file.version_2000(lines)?;
    }
    file.structure.connect();
    for number in file.structure.atom_numbers() {
        let links = file.structure.links(number);
        let mut others: Vec<u32> = links.iter().map(|link| link.atom).collect();
        others.sort_unstable();
        if others.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err((3, format!("atom {} has two bonds to the same atom. Keep one.", number + 1)));
        }
    }
    file.fill_valences();
    file.drawing.assign_senses(&mut file.structure);
    Ok((file.structure, file.drawing))
}

struct File {
    structure: Structure,
    drawing: Drawing,
    /// Atoms whose valence is written down.
    valences: Vec<(u32, u8)>,
}

impl File {
    fn version_2000(&mut self, lines: &[&str]) -> MolfileResult<()> {
        let count = |from: usize| columns(lines[3], from, from + 3).parse::<usize>().ok();
        let (Some(atoms), Some(bonds)) = (count(0), count(3)) else {
            return Err((3, "the counts of atoms and bonds are no numbers. Save it as V2000 or V3000.".to_string()));
        };
        let line = |number: usize| lines.get(number).ok_or((number, "the molecule ends early.".to_string()));
        for number in 4..4 + atoms {
            let text = line(number)?;
            let place = [(0, 10), (10, 20), (20, 30)].map(|(from, to)| columns(text, from, to).parse::<f64>().ok());
            let [Some(x), Some(y), Some(z)] = place else {
                return Err((number, "an atom has no three coordinates.".to_string()));
            };
            let charge = match columns(text, 36, 39) {
                "" | "0" => 0,
                "1" => 3,
                "2" => 2,
                "3" => 1,
                "5" => -1,
                "6" => -2,
                "7" => -3,
                "4" => return Err((number, RADICAL.to_string())),
                other => return Err((number, format!("charge code {other} is not 0 to 7."))),
            };
            self.atom(number, columns(text, 31, 34), [x, y, z], charge)?;
            let valence = columns(text, 48, 51);
            if !matches!(valence, "" | "0") {
                self.close_valence(valence).ok_or((number, format!("valence {valence} is no number from 0 to 15.")))?;
            }
        }
        for number in 4 + atoms..4 + atoms + bonds {
            let text = line(number)?;
            let cell = |from: usize| columns(text, from, from + 3).parse::<usize>().ok();
            let (Some(begin), Some(end), Some(kind)) = (cell(0), cell(3), cell(6)) else {
                return Err((number, "a bond needs two atoms and a type.".to_string()));
            };
            self.bond(number, [begin, end], kind, cell(9).unwrap_or(0))?;
        }
        let mut cleared = false;
        for (number, text) in lines.iter().enumerate().skip(4 + atoms + bonds) {
            match columns(text, 0, 6) {
                "M  END" => return Ok(()),
                "M  RAD" => return Err((number, RADICAL.to_string())),
                kind @ ("M  CHG" | "M  ISO") => {
                    // Charges listed here replace those of the atom block.
                    if kind == "M  CHG" && !std::mem::replace(&mut cleared, true) {
                        self.structure.atoms.iter_mut().for_each(|atom| atom.charge = 0);
                    }
                    let wrong = || (number, "pairs of an atom and a number are needed.".to_string());
                    let cells: Option<Vec<i64>> =
                        text.split_whitespace().skip(3).map(|cell| cell.parse().ok()).collect();
                    for pair in cells.ok_or_else(wrong)?.chunks(2) {
                        let &[atom, value] = pair else { return Err(wrong()) };
                        let atom = usize::try_from(atom - 1).ok().and_then(|at| self.structure.atoms.get_mut(at));
                        let atom = atom.ok_or_else(wrong)?;
                        match kind {
                            "M  CHG" => atom.charge = i8::try_from(value).map_err(|_| wrong())?,
                            _ => atom.isotope = u16::try_from(value).map_err(|_| wrong())?,
                        }
                    }
                }
                _ => {}
            }
        }
        Err((lines.len(), "the molecule has no line \"M  END\". The file is cut short.".to_string()))
    }

    fn version_3000(&mut self, lines: &[&str]) -> MolfileResult<()> {
        let mut block = "";
        let mut joined = String::new();
        for (number, text) in lines.iter().enumerate().skip(4) {
            if text.starts_with("M  END") {
                return Ok(());
            }
            let Some(text) = text.strip_prefix("M  V30 ") else { continue };
            // A line that ends in a hyphen goes on in the next one.
            joined.push_str(text);
            if joined.ends_with('-') {
                joined.pop();
                continue;
            }
            let whole = std::mem::take(&mut joined);
            let cells: Vec<&str> = whole.split_whitespace().collect();
            match cells[..] {
                ["BEGIN", "ATOM"] => block = "atoms",
                ["BEGIN", "BOND"] => block = "bonds",
                ["BEGIN", "CTAB"] | ["COUNTS", ..] => {}
                ["BEGIN", other, ..] => {
                    block = "";
                    if other == "TEMPLATE" {
                        return Err((number, "templates are not read.".to_string()));
                    }
                }
                ["END", ..] => block = "",
                _ if block == "atoms" => self.atom_3000(number, &cells)?,
                _ if block == "bonds" => self.bond_3000(number, &cells)?,
                _ => {}
            }
        }
        Err((lines.len(), "the molecule has no line \"M  END\". The file is cut short.".to_string()))
    }

    fn atom_3000(&mut self, number: usize, cells: &[&str]) -> MolfileResult<()> {
        let wrong = || (number, "an atom needs a number, a symbol and three coordinates.".to_string());
        let [index, symbol, x, y, z, rest @ ..] = cells else { return Err(wrong()) };
        // Bonds go by the numbers of atoms, which may have gaps in theory; files that people have do not.
        if index.parse() != Ok(self.structure.atoms.len() + 1) {
            return Err((number, format!("atom {index} is out of order; atoms count from 1.")));
        }
        let place = [x, y, z].map(|cell| cell.parse::<f64>().ok());
        let [Some(x), Some(y), Some(z)] = place else { return Err(wrong()) };
        let (mut charge, mut mass, mut valence) = (0, 0, None);
        for cell in rest.iter().skip(1) {
            let Some((key, value)) = cell.split_once('=') else { continue };
            let bad = || (number, format!("{cell} is no number that is allowed."));
            match key {
                "CHG" => charge = value.parse().map_err(|_| bad())?,
                "MASS" => mass = value.parse().map_err(|_| bad())?,
                "RAD" if value != "0" => return Err((number, RADICAL.to_string())),
                "VAL" => valence = Some(value),
                _ => {}
            }
        }
        self.atom(number, symbol, [x, y, z], charge)?;
        if let Some(atom) = self.structure.atoms.last_mut() {
            atom.isotope = mass;
        }
        if let Some(valence) = valence.filter(|valence| *valence != "0") {
            let valence = if valence == "-1" { "15" } else { valence };
            self.close_valence(valence).ok_or((number, format!("valence {valence} is no number from -1 to 14.")))?;
        }
        Ok(())
    }

    fn bond_3000(&mut self, number: usize, cells: &[&str]) -> MolfileResult<()> {
        let wrong = || (number, "a bond needs a number, a type and two atoms.".to_string());
        let [_, kind, begin, end, rest @ ..] = cells else { return Err(wrong()) };
        let cell = |text: &str| text.parse::<usize>().ok();
        let (Some(kind), Some(begin), Some(end)) = (cell(kind), cell(begin), cell(end)) else { return Err(wrong()) };
        // 1 is up, 2 either, 3 down; V2000 writes 1, 4 and 6.
        let stereo = match rest.iter().find_map(|cell| cell.strip_prefix("CFG=")) {
            Some("1") => 1,
            Some("2") if kind == 2 => 3,
            Some("3") => 6,
            _ => 0,
        };
        self.bond(number, [begin, end], kind, stereo)
    }

    fn atom(&mut self, line: usize, symbol: &str, place: [f64; 3], charge: i8) -> MolfileResult<()> {
        let (number, isotope) = match symbol {
            "*" | "R" | "R#" => (0, 0),
            "D" => (1, 2),
            "T" => (1, 3),
            symbol => {
                let number = number_of(symbol.as_bytes()).filter(|&number| number > 0);
                let reason = format!("{symbol} is no element. Take out what is drawn and no molecule.");
                (number.ok_or((line, reason))?, 0)
            }
        };
        if place.iter().any(|number| !number.is_finite()) {
            return Err((line, "a coordinate is not finite.".to_string()));
        }
        let written = self.structure.atoms.len() as u32;
        self.structure.atoms.push(Atom { charge, isotope, written, ..Atom::new(number, 0) });
        self.drawing.places.push(place);
        Ok(())
    }

    /// The last atom has this valence and no other. 15 stands for no bond at all.
    fn close_valence(&mut self, valence: &str) -> Option<()> {
        let valence: u8 = valence.parse().ok().filter(|valence| *valence <= 15)?;
        self.valences.push((self.structure.atoms.len() as u32 - 1, valence % 15));
        Some(())
    }

    /// Hydrogens of atoms whose valence is written down: what their bonds leave of it.
    fn fill_valences(&mut self) {
        for &(number, valence) in &self.valences {
            let links = self.structure.links(number);
            let twice: i32 = links.iter().map(|link| self.structure.bond(link.bond).twice_contribution(number)).sum();
            let left = i32::from(valence) - (twice + 1) / 2;
            let atom = self.structure.atom_mut(number);
            (atom.bracket, atom.explicit_hydrogens) = (true, left.clamp(0, 15) as u8);
        }
    }

    fn bond(&mut self, line: usize, [begin, end]: [usize; 2], kind: usize, stereo: usize) -> MolfileResult<()> {
        let atoms = self.structure.atoms.len();
        if begin == end || !(1..=atoms).contains(&begin) || !(1..=atoms).contains(&end) {
            return Err((line, format!("a bond between atoms {begin} and {end}; there are {atoms}.")));
        }
        let order = match kind {
            1 => Order::Single,
            2 => Order::Double,
            3 => Order::Triple,
            4 => Order::Aromatic,
            8 => Order::Any,
            9 => Order::Dative,
            _ => return Err((line, format!("bond type {kind} is for queries; 1 to 4, 8 and 9 are bonds."))),
        };
        let [begin, end] = [begin as u32 - 1, end as u32 - 1];
        if order == Order::Aromatic {
            for atom in [begin, end] {
                self.structure.atom_mut(atom).aromatic = true;
            }
        }
        match stereo {
            1 | 6 => self.drawing.wedges.push((begin, end, stereo == 1)),
            3 => self.drawing.either.push([begin, end]),
            _ => {}
        }
        self.structure.bonds.push(Bond::new(begin, end, order, Direction::None));
        Ok(())
    }
}

const RADICAL: &str = "radicals are not read from molfiles. Write the molecule as SMILES.";

/// The characters of a line from one column to before another, without blanks around them.
fn columns(line: &str, from: usize, to: usize) -> &str {
    line.get(from..to.min(line.len())).unwrap_or_default().trim()
}

impl Drawing {
    fn is_in_space(&self) -> bool {
        self.places.iter().any(|place| place[2].abs() > 1e-4)
    }

    /// The senses of atoms: in space all that have one, in the plane those where a wedge begins.
    fn assign_senses(&self, structure: &mut Structure) {
        let space = self.is_in_space();
        for atom in structure.atom_numbers() {
            let links = structure.links(atom);
            let number = structure.atom(atom).number;
            // A nitrogen with three bonds turns over, whatever moment the coordinates show.
            let turns_over = space && number == 7 && links.len() == 3;
            if !(3..=4).contains(&links.len()) || number == 0 || turns_over {
                continue;
            }
            let wedge = |other: u32| self.wedges.iter().find(|wedge| (wedge.0, wedge.1) == (atom, other));
            if !space && links.iter().all(|link| wedge(link.atom).is_none()) {
                continue;
            }
            let corner = |other: u32| {
                let mut corner = difference(self.places[other as usize], self.places[atom as usize]);
                let length = (corner[0] * corner[0] + corner[1] * corner[1]).sqrt();
                if let Some((_, _, up)) = wedge(other).filter(|_| !space) {
                    corner[2] = if *up { length } else { -length };
                }
                corner
            };
            let corners: Vec<[f64; 3]> = links.iter().map(|link| corner(link.atom)).collect();
            structure.atom_mut(atom).chirality = sense(&corners);
        }
    }

    /// Directions beside double bonds, from where the atoms lie; those that were there are forgotten.
    pub(super) fn assign_directions(&self, structure: &mut Structure) {
        structure.bonds.iter_mut().for_each(|bond| bond.direction = Direction::None);
        let mut joined: Vec<Vec<(u32, bool)>> = vec![Vec::new(); structure.bonds.len()];
        let place = |atom: u32| self.places[structure.atom(atom).written as usize];
        for (number, bond) in structure.bonds.iter().enumerate() {
            if bond.order != Order::Double || self.may_be_either(structure, bond) {
                continue;
            }
            let sides = [bond.begin, bond.end].map(|atom| {
                let beside = structure.links(atom).iter().filter(|link| link.bond != number as u32);
                beside.filter(|link| structure.bond(link.bond).order == Order::Single).collect::<Vec<_>>()
            });
            let axis = difference(place(bond.end), place(bond.begin));
            let across = |from: u32, to: u32| {
                let arm = difference(place(to), place(from));
                let along = dot(arm, axis) / dot(axis, axis).max(1e-12);
                [0, 1, 2].map(|at| arm[at] - along * axis[at])
            };
            // Bonds of the two ends lie on the same side or on opposite ones; so do those of one end.
            let arms: Vec<(u32, u32, [f64; 3])> = [bond.begin, bond.end]
                .into_iter()
                .zip(&sides)
                .flat_map(|(atom, links)| links.iter().map(move |link| (atom, link.bond, across(atom, link.atom))))
                .collect();
            let clear = arms.iter().all(|(_, _, arm)| dot(*arm, *arm) > 1e-4);
            if sides.iter().any(Vec::is_empty) || !clear {
                continue;
            }
            for pair in arms.windows(2) {
                let same_side = dot(pair[0].2, pair[1].2) > 0.0;
                let away = |(atom, number, _): &(u32, u32, [f64; 3])| structure.bond(*number).begin == *atom;
                // Directions are kept from the beginning of a bond; seen from its end they are reversed.
                let equal = same_side == (away(&pair[0]) == away(&pair[1]));
                joined[pair[0].1 as usize].push((pair[1].1, equal));
                joined[pair[1].1 as usize].push((pair[0].1, equal));
            }
        }
        for first in 0..joined.len() {
            if joined[first].is_empty() || structure.bonds[first].direction != Direction::None {
                continue;
            }
            structure.bonds[first].direction = Direction::Up;
            let mut waiting = vec![first];
            while let Some(bond) = waiting.pop() {
                for &(other, equal) in &joined[bond] {
                    if structure.bond(other).direction == Direction::None {
                        let known = structure.bonds[bond].direction;
                        structure.bond_mut(other).direction = if equal { known } else { known.reversed() };
                        waiting.push(other as usize);
                    }
                }
            }
        }
    }
}

impl Drawing {
    fn may_be_either(&self, structure: &Structure, bond: &Bond) -> bool {
        self.either.contains(&[bond.begin, bond.end].map(|atom| structure.atom(atom).written))
    }

    /// Marks double bonds that may lie either way.
    pub(super) fn mark_either(&self, structure: &mut Structure) {
        for number in 0..structure.bonds.len() {
            let bond = &structure.bonds[number];
            if bond.order == Order::Double && self.may_be_either(structure, bond) {
                structure.bonds[number].stereo = Stereo::Any;
            }
        }
    }
}

fn difference(one: [f64; 3], two: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|at| one[at] - two[at])
}

fn dot(one: [f64; 3], two: [f64; 3]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn cross(one: [f64; 3], two: [f64; 3]) -> [f64; 3] {
    [one[1] * two[2] - one[2] * two[1], one[2] * two[0] - one[0] * two[2], one[0] * two[1] - one[1] * two[0]]
}

/// The sense of three or four corners in the order of bond numbers: seen from the first, the others go clockwise if the
/// volume that they span is positive. A missing corner lies opposite to the others, and is the last.
fn sense(corners: &[[f64; 3]]) -> Chirality {
    let unit = |corner: &[f64; 3]| {
        let length = dot(*corner, *corner).sqrt().max(1e-12);
        corner.map(|number| number / length)
    };
    let mut units: Vec<[f64; 3]> = corners.iter().map(unit).collect();
    if let &[one, two, three] = &units[..] {
        units.push([0, 1, 2].map(|at| -one[at] - two[at] - three[at]));
    }
    let [first, second, third, fourth] = units[..] else { return Chirality::None };
    let volume = dot(difference(second, first), cross(difference(third, first), difference(fourth, first)));
    match volume {
        volume if volume > 0.1 => Chirality::Clockwise,
        volume if volume < -0.1 => Chirality::Counterclockwise,
        _ => Chirality::None,
    }
}
