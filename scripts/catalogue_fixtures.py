#!/usr/bin/env python3
"""Counts for the tests of the catalogue, computed with NumPy, SciPy and RDKit.

    python scripts/catalogue_fixtures.py DATA_FOLDER

prints the entries of the Planetoid feature matrices, the different directed edges without self-loops of the
heterophilous graphs that keep directions, and the contacts of the sample of PCQM4Mv2.
"""

import csv
import pathlib
import pickle
import sys

import numpy as np
from rdkit import Chem

data = pathlib.Path(sys.argv[1])
for name in ["cora", "citeseer", "pubmed"]:
    entries = 0
    for part in ["allx", "tx"]:
        with open(data / f"planetoid-{name}" / f"ind.{name}.{part}", "rb") as file:
            entries += pickle.load(file, encoding="latin1").nnz
    print(name, "entries", entries)
for name in ["squirrel_directed", "chameleon_directed", "squirrel_filtered_directed", "chameleon_filtered_directed"]:
    edges = np.load(data / "heterophilous" / f"{name}.npz")["edges"]
    edges = edges[edges[:, 0] != edges[:, 1]]
    print(name, "edges", len(np.unique(edges, axis=0)))
atoms = heavy_atoms = with_contact = pairs = contacts = 0
with open(data / "pcqm4mv2-sample" / "pcqm4mv2-2k.csv") as file:
    for row in csv.DictReader(file):
        molecule = Chem.MolFromSmiles(row["smiles"])
        heavy = [atom.GetIdx() for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1]
        bonds, places = Chem.GetDistanceMatrix(molecule), molecule.GetConformer().GetPositions()
        asked = [(i, j) for i in heavy for j in heavy if i < j and bonds[i, j] > 5]
        close = sum(np.linalg.norm(places[i] - places[j]) < 3.5 for i, j in asked)
        atoms, heavy_atoms = atoms + molecule.GetNumAtoms(), heavy_atoms + len(heavy)
        pairs, contacts, with_contact = pairs + len(asked), contacts + close, with_contact + (close > 0)
print("sample atoms", atoms, "heavy", heavy_atoms, "pairs", pairs, "contacts", contacts, "molecules", with_contact)
