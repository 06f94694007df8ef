//! The molecule while it is being worked on.

/// What is written, and later known, about the handedness of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chirality {
    None,
    Clockwise,
    Counterclockwise,
    /// `@AL`: read, and dropped, because an allene has no tetrahedral centre.
    Allene,
    SquarePlanar,
    TrigonalBipyramidal,
    Octahedral,
}

impl Chirality {
    /// A tetrahedral centre with a known sense.
    pub fn is_tetrahedral(self) -> bool {
        matches!(self, Self::Clockwise | Self::Counterclockwise)
    }

    /// Square planar, trigonal bipyramidal or octahedral.
    pub fn is_higher(self) -> bool {
        matches!(self, Self::SquarePlanar | Self::TrigonalBipyramidal | Self::Octahedral)
    }

    /// The mirror image.
    pub fn inverted(self) -> Self {
        match self {
            Self::Clockwise => Self::Counterclockwise,
            Self::Counterclockwise => Self::Clockwise,
            other => other,
        }
    }
}

/// Orbitals of an atom, as far as the features tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hybridisation {
    Other,
    Sp,
    Sp2,
    Sp3,
    Sp3d,
    Sp3d2,
}

/// Order of a bond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// `~`: there is a bond, and it counts for nothing.
    Any,
    Single,
    Double,
    Triple,
    Quadruple,
    Aromatic,
    /// Both electrons come from the beginning of the bond.
    Dative,
}

/// `/` and `\`, seen from the beginning of the bond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    None,
    Up,
    Down,
}

impl Direction {
    /// The same bond seen from its other end.
    pub fn reversed(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// Arrangement about a double bond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stereo {
    None,
    Z,
    E,
    /// Drawn so that it may be either.
    Any,
}

/// One atom.
#[derive(Debug, Clone)]
pub(super) struct Atom {
    pub number: u8,
    pub charge: i8,
    pub isotope: u16,
    /// `:n` in brackets, 0 when absent.
    pub class: u32,
    /// Hydrogens counted by hand: in brackets, or removed as atoms of their own.
    pub explicit_hydrogens: u8,
    /// Hydrogens that fill the valence.
    pub implicit_hydrogens: u8,
    /// Written in brackets, so that no hydrogen is added.
    pub bracket: bool,
    pub aromatic: bool,
    pub chirality: Chirality,
    pub radicals: u8,
    pub hybridisation: Hybridisation,
    /// Bonds and explicit hydrogens, as counted last.
    pub valence: i32,
    /// Byte in the string where the atom begins.
    pub place: u32,
    /// Number of the atom among all atoms written, removed hydrogens included.
    pub written: u32,
}

impl Atom {
    pub fn new(number: u8, place: usize) -> Self {
        Self {
            number,
            charge: 0,
            isotope: 0,
            class: 0,
            explicit_hydrogens: 0,
            implicit_hydrogens: 0,
            bracket: false,
            aromatic: false,
            chirality: Chirality::None,
            radicals: 0,
            hybridisation: Hybridisation::Other,
            valence: 0,
            place: u32::try_from(place).unwrap_or(u32::MAX),
            written: 0,
        }
    }

    /// All hydrogens that are not atoms of their own.
    pub fn hydrogens(&self) -> i32 {
        i32::from(self.explicit_hydrogens) + i32::from(self.implicit_hydrogens)
    }

    /// All bonds, hydrogens included.
    pub fn total_valence(&self) -> i32 {
        self.valence + i32::from(self.implicit_hydrogens)
    }
}

/// One bond.
#[derive(Debug, Clone)]
pub(super) struct Bond {
    pub begin: u32,
    pub end: u32,
    pub order: Order,
    pub aromatic: bool,
    pub direction: Direction,
    pub conjugated: bool,
    pub stereo: Stereo,
}

impl Bond {
    pub fn new(begin: u32, end: u32, order: Order, direction: Direction) -> Self {
        let aromatic = order == Order::Aromatic;
        Self { begin, end, order, aromatic, direction, conjugated: false, stereo: Stereo::None }
    }

    /// Twice the order, as it counts towards the valence of `atom`.
    pub fn twice_contribution(&self, atom: u32) -> i32 {
        match self.order {
            Order::Any => 0,
            Order::Single => 2,
            Order::Double => 4,
            Order::Triple => 6,
            Order::Quadruple => 8,
            Order::Aromatic => 3,
            Order::Dative => 2 * i32::from(self.end == atom),
        }
    }

    /// The direction as seen from `atom`.
    pub fn direction_from(&self, atom: u32) -> Direction {
        if self.begin == atom { self.direction } else { self.direction.reversed() }
    }
}

/// One end of a bond: the bond and the neighbour it leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub bond: u32,
    pub atom: u32,
}

/// Atoms, bonds, and the bonds of each atom in the order of bond numbers.
#[derive(Debug, Default)]
pub(super) struct Structure {
    pub atoms: Vec<Atom>,
    pub bonds: Vec<Bond>,
    starts: Vec<u32>,
    links: Vec<Link>,
}

impl Structure {
    /// Lists the bonds of each atom. Needed after atoms or bonds were added or removed.
    pub fn connect(&mut self) {
        let mut counts = vec![0u32; self.atoms.len() + 1];
        for bond in &self.bonds {
            counts[bond.begin as usize + 1] += 1;
            counts[bond.end as usize + 1] += 1;
        }
        for index in 1..counts.len() {
            counts[index] += counts[index - 1];
        }
        let mut next = counts.clone();
        self.links.clear();
        self.links.resize(2 * self.bonds.len(), Link { bond: 0, atom: 0 });
        for (number, bond) in self.bonds.iter().enumerate() {
            for (from, to) in [(bond.begin, bond.end), (bond.end, bond.begin)] {
                let slot = &mut next[from as usize];
                self.links[*slot as usize] = Link { bond: number as u32, atom: to };
                *slot += 1;
            }
        }
        self.starts = counts;
    }

    /// The bonds of an atom.
    pub fn links(&self, atom: u32) -> &[Link] {
        let atom = atom as usize;
        &self.links[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }

    pub fn atom(&self, atom: u32) -> &Atom {
        &self.atoms[atom as usize]
    }

    pub fn atom_mut(&mut self, atom: u32) -> &mut Atom {
        &mut self.atoms[atom as usize]
    }

    pub fn bond(&self, bond: u32) -> &Bond {
        &self.bonds[bond as usize]
    }

    pub fn bond_mut(&mut self, bond: u32) -> &mut Bond {
        &mut self.bonds[bond as usize]
    }

    /// Number of neighbours that are atoms of their own.
    pub fn degree(&self, atom: u32) -> i32 {
        self.links(atom).len() as i32
    }

    /// Number of neighbours, hydrogens included.
    pub fn total_degree(&self, atom: u32) -> i32 {
        self.degree(atom) + self.atom(atom).hydrogens()
    }

    /// The bond between two atoms.
    pub fn bond_between(&self, one: u32, two: u32) -> Option<u32> {
        self.links(one).iter().find(|link| link.atom == two).map(|link| link.bond)
    }

    /// Whether the atom or one of its bonds is marked aromatic.
    pub fn touches_aromatic(&self, atom: u32) -> bool {
        let marked = |link: &Link| {
            let bond = self.bond(link.bond);
            bond.aromatic || bond.order == Order::Aromatic
        };
        self.atom(atom).aromatic || self.links(atom).iter().any(marked)
    }

    /// All atom numbers.
    pub fn atom_numbers(&self) -> std::ops::Range<u32> {
        0..self.atoms.len() as u32
    }
}
