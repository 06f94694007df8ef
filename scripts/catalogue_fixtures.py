#!/usr/bin/env python3
"""Counts for the tests of the catalogue, computed with NumPy and SciPy.

    python scripts/catalogue_fixtures.py DATA_FOLDER

prints the entries of the Planetoid feature matrices and the different directed edges without self-loops of the
heterophilous graphs that keep directions.
"""

import pathlib
import pickle
import sys

import numpy as np

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
