"""Writes crates/farhop-data/tests/smiles/molecules.json: varied molecules with the graph that OGB makes of each.

Needs rdkit and ogb (made with RDKit 2026.09.1 and ogb 1.3.6):  python scripts/smiles_fixtures.py
"""

import json
import pathlib

from ogb.utils.features import atom_to_feature_vector, bond_to_feature_vector
from rdkit import Chem, RDLogger

MOLECULES = {
    "chains and charges": ["C", "[Na+].[Cl-]", "CC(=O)[O-]", "C[N+](C)(C)C", "[NH4+]", "N#N", "[C-]#[O+]", "C[N+]#[C-]", "[OH3+]"],
    "hydrogens as atoms": ["[H]O[H]", "[2H]OC([2H])[2H]", "[H][H]", "C[C@]([H])(F)Cl", "[H]/N=C/C", "[H+].[H-]", "C[H-]C"],
    "radicals": ["[CH3]", "C[O]", "[O]", "[N]=O", "[CH2]C=C", "[c]1ccccc1", "[Fe]", "[Na]", "CN(C)[O]"],
    "groups with too many bonds": ["CN(=O)=O", "CN=N#N", "OCl(=O)(=O)=O", "C=P(=O)C", "O=n1ccccc1", "CS(C)(=O)=O", "F[P-](F)(F)(F)(F)F"],
    "aromatic rings": [
        "C1=CC=CC=C1", "c1cc[nH]c1", "c1ccoc1", "c1ccsc1", "c1cc[se]c1", "c1ccc2ccccc2c1", "c1ccc2c(c1)ccc1ccccc12", "C1=CC=C2C=CC=C2C=C1",
        "O=c1cc[nH]cc1", "O=C1C=CC=CC=C1", "[CH-]1C=CC=C1", "[CH+]1C=CC=CC=C1", "c1ccc2[nH]c3ccccc3c2c1", "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
        "b1ccccc1", "p1ccccc1", "c1nnn[nH]1", "C1=CC=COC=CC=C1", "C1=CC=CNC=CC=C1", "c1cc2cc3ccc(cc4ccc(cc5ccc(cc1n2)[nH]5)n4)[nH]3",
        "C[n+]1ccccc1", "O=c1ccc2ccccc2o1", "c1cc2ccc3cccc4ccc(c1)c2c34", "[O-][n+]1ccccc1",
    ],
    "rings": ["C1CC1", "C12C3C4C1C5C2C3C45", "C1CC2CCC1CC2", "C1CC11CC1", "C1CCCCCCCCC1", "C%10CCCC%10", "C%(123)CC%(123)", "C0CCCC0"],
    "handedness": [
        "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "[C@](F)(Cl)(Br)I", "[C@H](F)(Cl)Br", "C[C@H](C)O", "C[C@@H]1CC[C@H](C)CC1", "C[C@H]1CC[C@@H]1C",
        "C[S@](=O)CC", "C[P@](=O)(O)CC", "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O", "F[C@]1(Cl)CCO1", "[C@@](F)1(C)CCO1", "C[C@H](O)[C@@H](O)[C@H](C)O",
        "C[C@]12CC[C@H](C1)C2(C)C", "[C@TH2](F)(Cl)(Br)I", "F[Pt@SP1](Cl)(Br)I", "N[Co@OH12](F)(Cl)(Br)(I)S", "C[N@]1CC1C", "C[C@@H](C(F)Cl)C(F)Cl",
    ],
    "double bonds": [
        "F/C=C/F", "F/C=C\\F", "C/C=C/C=C\\C", "CC(C)=C/C", "C/C(F)=C(/Cl)Br", "C/1=C/CCCCCC1", "C/C=N/O", "F/C=C/C=C", "C(/F)=C/F", "C/C=C1/CCCC(C)C1",
        "N/C(C)=C(/C)N", "C/C(=C\\c1ccccc1)C(=O)O",
    ],
    "metals": ["C[Mg]Br", "N[Pt](N)(Cl)Cl", "c1ccc(n2ccccc2)[Fe]c1", "CC(=O)O[Hg]c1ccccc1", "[Zn+2].[O-]C=O.[O-]C=O", "C1=CC=CC1[Fe]C1C=CC=C1", "N->[Fe]"],
    "large": [
        "CC[C@H](C)[C@H](NC(=O)[C@H](CCCCN)NC(=O)[C@H](CO)NC(=O)[C@H](Cc1ccccc1)NC(=O)[C@@H](N)CCC(=O)O)C(=O)N[C@@H](Cc1c[nH]c2ccccc12)C(=O)O",
        "CC(C)(C)c1ccc(Oc2ccc3c4nc5nc(nc6nc(nc7nc(nc(n4)c3c2)c2ccccc72)c2ccccc62)c2ccccc52)cc1",
        "C[C@]12CC[C@H]3[C@@H](CCC4=CC(=O)CC[C@@]43C)[C@@H]1CC[C@@H]2O",
        "CN1CC[C@]23c4c5ccc(O)c4O[C@H]2[C@@H](O)C=C[C@H]3[C@H]1C5",
        "c12c3c4c5c1c1c6c7c2c2c8c3c3c9c4c4c%10c5c5c1c1c6c6c%11c7c2c2c7c8c3c3c8c9c4c4c9c%10c5c5c1c1c6c6c%11c2c2c7c3c3c8c4c4c9c5c1c1c6c2c3c41",
    ],
    "odds and ends": ["*", "C*", "[13CH4]", "[CH3:7]O", "C$C", "C~C", "C1CC~1", "C.C", "C(C.C)C", "CC name", "C:1:C:C:C:C:C:1"],
}


def graph(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return None
    bonds = molecule.GetBonds()
    return {
        "atoms": [atom_to_feature_vector(atom) for atom in molecule.GetAtoms()],
        "ends": [[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()] for bond in bonds],
        "bonds": [bond_to_feature_vector(bond) for bond in bonds],
    }


def main():
    RDLogger.DisableLog("rdApp.*")
    rows = [{"group": group, "smiles": smiles, "graph": graph(smiles)} for group, list_ in MOLECULES.items() for smiles in list_]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    path = pathlib.Path(__file__).parent.parent / "crates/farhop-data/tests/smiles/molecules.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(rows)} molecules, {sum(row['graph'] is None for row in rows)} refused")


if __name__ == "__main__":
    main()
