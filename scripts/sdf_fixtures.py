"""Writes the SDF files of crates/farhop-data/tests/good_data/molecules, and the graph that OGB makes of each molecule.

Needs rdkit and ogb (made with RDKit 2026.09.1 and ogb 1.3.6):  python scripts/sdf_fixtures.py

Molecules are those of scripts/smiles_fixtures.py that a molfile can hold: drawn in the plane with wedges (V2000 and V3000), and
with all hydrogens in space. What is expected is what RDKit reads back from the file.
"""

import json
import pathlib

from ogb.utils.features import atom_to_feature_vector, bond_to_feature_vector
from rdkit import Chem, RDLogger
from rdkit.Chem import AllChem

from smiles_fixtures import MOLECULES

FOLDER = pathlib.Path(__file__).parent.parent / "crates/farhop-data/tests/good_data/molecules"
LEFT_OUT = {"radicals", "metals", "odds and ends"}
# Known differences: double bonds of nitrogen in a macrocycle, which RDKit leaves open; a phosphorus that it charges.
DIFFERENT = {
    "CC(C)(C)c1ccc(Oc2ccc3c4nc5nc(nc6nc(nc7nc(nc(n4)c3c2)c2ccccc72)c2ccccc62)c2ccccc52)cc1",
    "C=P(=O)C",
}


def graph(molecule):
    bonds = molecule.GetBonds()
    return {
        "atoms": [atom_to_feature_vector(atom) for atom in molecule.GetAtoms()],
        "ends": [[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()] for bond in bonds],
        "bonds": [bond_to_feature_vector(bond) for bond in bonds],
    }


def molecules():
    for group, smiles in MOLECULES.items():
        for text in smiles if group not in LEFT_OUT else []:
            molecule = Chem.MolFromSmiles(text)
            if molecule is None or any(atom.GetNumRadicalElectrons() for atom in molecule.GetAtoms()):
                continue
            if any(tag in text for tag in ["@SP", "@OH", "@TB"]) or text in DIFFERENT:
                continue
            yield text, molecule


def write(name, prepared, version_3000):
    path = FOLDER / f"{name}.sdf"
    writer = Chem.SDWriter(str(path))
    writer.SetForceV3000(version_3000)
    for number, (smiles, molecule) in enumerate(prepared):
        molecule.SetProp("_Name", f"m{number}")
        molecule.SetProp("smiles", smiles)
        molecule.SetProp("y", str(number / 4))
        writer.write(molecule)
    writer.close()
    read = list(Chem.SDMolSupplier(str(path)))
    rows = [{"smiles": smiles, "graph": graph(molecule)} for (smiles, _), molecule in zip(prepared, read) if molecule]
    assert len(rows) == len(prepared)
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (FOLDER / f"{name}.json").write_text(f"[\n{lines}\n]\n")
    print(f"{name}: {len(rows)} molecules")


def main():
    RDLogger.DisableLog("rdApp.*")
    FOLDER.mkdir(exist_ok=True)
    plane, space = [], []
    for smiles, molecule in molecules():
        AllChem.Compute2DCoords(molecule)
        plane.append((smiles, molecule))
        whole = Chem.AddHs(molecule)
        if molecule.GetNumAtoms() < 25 and AllChem.EmbedMolecule(whole, randomSeed=7) == 0:
            space.append((smiles, whole))
    readable = lambda molecule: Chem.MolFromMolBlock(Chem.MolToMolBlock(molecule)) is not None
    plane = [(smiles, molecule) for smiles, molecule in plane if readable(molecule)]
    space = [(smiles, molecule) for smiles, molecule in space if readable(molecule)]
    write("plane_2000", plane, False)
    write("plane_3000", plane, True)
    write("space_2000", space, False)


if __name__ == "__main__":
    main()
