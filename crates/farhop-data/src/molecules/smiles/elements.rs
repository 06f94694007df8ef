//! The elements: symbol, electrons in the outer shell, usual valences, most common isotope.
//!
//! The numbers are those of RDKit's periodic table, read out of it element by element.

/// One element.
pub(super) struct Element {
    /// `C`, `Cl`, or `*` for the wildcard at number 0.
    pub symbol: &'static str,
    /// Electrons in the outer shell.
    pub outer: i32,
    /// Valences from the usual one upwards; -1 stands for "any".
    pub valences: &'static [i32],
    /// Mass number of the most common isotope.
    pub isotope: i32,
}

const fn element(symbol: &'static str, outer: i32, valences: &'static [i32], isotope: i32) -> Element {
    Element { symbol, outer, valences, isotope }
}

impl Element {
    /// The usual valence, -1 where there is none.
    pub fn default_valence(&self) -> i32 {
        self.valences.first().copied().unwrap_or(-1)
    }

    /// The largest valence, -1 where there is no limit.
    pub fn largest_valence(&self) -> i32 {
        self.valences.last().copied().unwrap_or(-1)
    }

    /// Whether anything is known about the valence at all.
    pub fn has_valences(&self) -> bool {
        self.valences != [-1]
    }
}

/// The element with this number; numbers beyond the table count as the wildcard.
pub(super) fn element_of(number: u8) -> &'static Element {
    ELEMENTS.get(usize::from(number)).unwrap_or(&ELEMENTS[0])
}

/// The number of the element with this symbol.
pub(super) fn number_of(symbol: &[u8]) -> Option<u8> {
    // The common ones first: this is asked for every atom in brackets.
    match symbol {
        b"C" => return Some(6),
        b"N" => return Some(7),
        b"O" => return Some(8),
        [_, second] if !second.is_ascii_lowercase() => return None,
        _ => {}
    }
    let found = ELEMENTS.iter().position(|element| element.symbol.as_bytes() == symbol)?;
    u8::try_from(found).ok()
}

/// Whether a more electronegative neighbour (`first`) draws electrons from `second`: more outer
/// electrons, or as many on a lighter atom.
pub(super) fn more_electronegative(first: u8, second: u8) -> bool {
    let (one, two) = (element_of(first).outer, element_of(second).outer);
    one > two || (one == two && first < second)
}

/// Metals, in the sense that they take dative bonds.
pub(super) fn is_metal(number: u8) -> bool {
    !matches!(number, 0..=2 | 5..=10 | 14..=18 | 33..=36 | 52..=54 | 85 | 86)
}

/// Every element by its number, with the wildcard at 0.
#[rustfmt::skip]
static ELEMENTS: [Element; 119] = [
    element("*", 0, &[-1], 0),
    element("H", 1, &[1], 1),
    element("He", 2, &[0], 4),
    element("Li", 1, &[1, -1], 7),
    element("Be", 2, &[2], 9),
    element("B", 3, &[3], 11),
    element("C", 4, &[4], 12),
    element("N", 5, &[3], 14),
    element("O", 6, &[2], 16),
    element("F", 7, &[1], 19),
    element("Ne", 8, &[0], 20),
    element("Na", 1, &[1, -1], 23),
    element("Mg", 2, &[2, -1], 24),
    element("Al", 3, &[3], 27),
    element("Si", 4, &[4], 28),
    element("P", 5, &[3, 5], 31),
    element("S", 6, &[2, 4, 6], 32),
    element("Cl", 7, &[1], 35),
    element("Ar", 8, &[0], 40),
    element("K", 1, &[1, -1], 39),
    element("Ca", 2, &[2, -1], 40),
    element("Sc", 3, &[-1], 45),
    element("Ti", 4, &[-1], 48),
    element("V", 5, &[-1], 51),
    element("Cr", 6, &[-1], 52),
    element("Mn", 7, &[-1], 55),
    element("Fe", 8, &[-1], 56),
    element("Co", 9, &[-1], 59),
    element("Ni", 10, &[-1], 58),
    element("Cu", 11, &[-1], 63),
    element("Zn", 2, &[-1], 64),
    element("Ga", 3, &[3], 69),
    element("Ge", 4, &[4], 74),
    element("As", 5, &[3, 5], 75),
    element("Se", 6, &[2, 4, 6], 80),
    element("Br", 7, &[1], 79),
    element("Kr", 8, &[0], 84),
    element("Rb", 1, &[1, -1], 85),
    element("Sr", 2, &[2, -1], 88),
    element("Y", 3, &[-1], 89),
    element("Zr", 4, &[-1], 90),
    element("Nb", 5, &[-1], 93),
    element("Mo", 6, &[-1], 98),
    element("Tc", 7, &[-1], 97),
    element("Ru", 8, &[-1], 102),
    element("Rh", 9, &[-1], 103),
    element("Pd", 10, &[-1], 106),
    element("Ag", 11, &[-1], 107),
    element("Cd", 2, &[-1], 114),
    element("In", 3, &[3], 115),
    element("Sn", 4, &[2, 4], 120),
    element("Sb", 5, &[3, 5], 121),
    element("Te", 6, &[2, 4, 6], 130),
    element("I", 7, &[1, 3, 5], 127),
    element("Xe", 8, &[0, 2, 4, 6], 132),
    element("Cs", 1, &[1], 133),
    element("Ba", 2, &[2, -1], 138),
    element("La", 3, &[-1], 139),
    element("Ce", 4, &[-1], 140),
    element("Pr", 3, &[-1], 141),
    element("Nd", 4, &[-1], 142),
    element("Pm", 5, &[-1], 145),
    element("Sm", 6, &[-1], 152),
    element("Eu", 7, &[-1], 153),
    element("Gd", 8, &[-1], 158),
    element("Tb", 9, &[-1], 159),
    element("Dy", 10, &[-1], 164),
    element("Ho", 11, &[-1], 165),
    element("Er", 12, &[-1], 166),
    element("Tm", 13, &[-1], 169),
    element("Yb", 14, &[-1], 174),
    element("Lu", 15, &[-1], 175),
    element("Hf", 4, &[-1], 180),
    element("Ta", 5, &[-1], 181),
    element("W", 6, &[-1], 184),
    element("Re", 7, &[-1], 187),
    element("Os", 8, &[-1], 192),
    element("Ir", 9, &[-1], 193),
    element("Pt", 10, &[-1], 195),
    element("Au", 11, &[-1], 197),
    element("Hg", 2, &[-1], 202),
    element("Tl", 3, &[-1], 205),
    element("Pb", 4, &[2, 4], 208),
    element("Bi", 5, &[3, 5], 209),
    element("Po", 6, &[2, 4, 6], 209),
    element("At", 7, &[1, 3, 5], 210),
    element("Rn", 8, &[0], 222),
    element("Fr", 1, &[1], 223),
    element("Ra", 2, &[2, -1], 226),
    element("Ac", 3, &[-1], 227),
    element("Th", 4, &[-1], 232),
    element("Pa", 3, &[-1], 231),
    element("U", 4, &[-1], 238),
    element("Np", 5, &[-1], 236),
    element("Pu", 6, &[-1], 238),
    element("Am", 7, &[-1], 241),
    element("Cm", 8, &[-1], 243),
    element("Bk", 9, &[-1], 247),
    element("Cf", 10, &[-1], 249),
    element("Es", 11, &[-1], 252),
    element("Fm", 12, &[-1], 257),
    element("Md", 13, &[-1], 258),
    element("No", 14, &[-1], 259),
    element("Lr", 15, &[-1], 262),
    element("Rf", 2, &[-1], 267),
    element("Db", 2, &[-1], 268),
    element("Sg", 2, &[-1], 271),
    element("Bh", 2, &[-1], 270),
    element("Hs", 2, &[-1], 269),
    element("Mt", 2, &[-1], 278),
    element("Ds", 2, &[-1], 281),
    element("Rg", 2, &[-1], 281),
    element("Cn", 2, &[-1], 285),
    element("Nh", 2, &[-1], 284),
    element("Fl", 2, &[-1], 289),
    element("Mc", 2, &[-1], 288),
    element("Lv", 2, &[-1], 293),
    element("Ts", 2, &[-1], 292),
    element("Og", 2, &[-1], 294),
];
