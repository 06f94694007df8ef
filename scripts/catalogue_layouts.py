#!/usr/bin/env python3
"""Small files in the layouts that upstream publishes, for the readers that have never seen the whole files.

    python scripts/catalogue_layouts.py crates/farhop-data/tests/fixtures/layouts

writes a data folder of made-up graphs (PyTorch, NumPy) and `expected.json` with what must be read from it. The
layouts are those of PyTorch Geometric's raw files (LRGB, ZINC), of the npz files of Shchur and others and of Platonov and
others, of Wiki-CS and of the Open Graph Benchmark.
"""

import gzip
import io
import json
import pathlib
import pickle
import random
import sys

import numpy as np
import torch

torch.manual_seed(7)
random.seed(7)
rng = np.random.default_rng(7)
root = pathlib.Path(sys.argv[1])
expected = {}
COCO = [n for n in range(91) if n not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]


def folder(name):
    path = root / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def undirected(nodes):
    """Both directions of some edges of a graph, and how many edges there are."""
    pairs = {(random.randrange(i), i) for i in range(1, nodes)}
    for _ in range(nodes // 2):
        a, b = sorted(random.sample(range(nodes), 2))
        pairs.add((a, b))
    both = sorted(pairs) + [(b, a) for a, b in sorted(pairs)]
    return torch.tensor(both, dtype=torch.long).t().contiguous(), len(pairs)


def gzipped(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(text.encode())


def superpixels(name, numbers):
    counts = {"train": 4, "val": 2, "test": 3}
    nodes, edges, x_sum, weight_sum, labels = 0, 0, 0.0, 0.0, []
    for part, count in counts.items():
        graphs = []
        for _ in range(count):
            n = random.randint(3, 7)
            edge_index, m = undirected(n)
            x = torch.randn(n, 14, dtype=torch.float64 if part == "val" else torch.float32)
            # The two directions of an edge have weights of their own.
            weights = torch.rand(edge_index.shape[1], 2)
            y = [random.choice(numbers) for _ in range(n)]
            graphs.append((x, weights, edge_index, y if part == "train" else np.array(y)))
            nodes, edges = nodes + n, edges + m
            x_sum, weight_sum = x_sum + x.double().sum().item(), weight_sum + weights.double().sum().item()
            labels += [numbers.index(number) for number in y]
        with open(folder(name) / f"{part}.pickle", "wb") as file:
            pickle.dump(graphs, file)
    expected[name] = dict(split=list(counts.values()), nodes=nodes, edges=edges, numbers=x_sum, edge_numbers=weight_sum,
                          labels=labels)


def contacts():
    counts = {"train": 3, "val": 2, "test": 2}
    nodes, edges, pairs, atoms = 0, 0, [], 0
    for part, count in counts.items():
        graphs = []
        for _ in range(count):
            n = random.randint(5, 9)
            edge_index, m = undirected(n)
            x = torch.stack([torch.randint(0, size, (n,)) for size in [119, 5, 12, 12, 10, 6, 6, 2, 2]], dim=1)
            bonds = torch.stack([torch.randint(0, size, (edge_index.shape[1],)) for size in [5, 6, 2]], dim=1)
            asked = torch.randint(0, n, (2, random.randint(0, 4)))
            answers = torch.randint(0, 2, (asked.shape[1],))
            graphs.append((x, bonds, edge_index, asked, answers))
            pairs += [[nodes + a, nodes + b, c] for (a, b), c in zip(asked.t().tolist(), answers.tolist())]
            nodes, edges, atoms = nodes + n, edges + m, atoms + int(x.sum())
        torch.save(graphs, folder("pcqm-contact") / f"{part}.pt")
    expected["pcqm-contact"] = dict(split=list(counts.values()), nodes=nodes, edges=edges, pairs=pairs, categories=atoms)


def zinc():
    chosen = {"train": [5, 0, 3], "val": [1, 2], "test": [0]}
    targets, atoms, bonds = [], [], 0
    for part, indices in chosen.items():
        molecules = []
        for _ in range(6):
            n = random.randint(2, 6)
            edge_index, _ = undirected(n)
            bond = torch.zeros(n, n, dtype=torch.long)
            for a, b in edge_index.t().tolist():
                if a < b:
                    bond[a, b] = bond[b, a] = random.randint(1, 3)
            molecules.append(dict(num_atom=n, atom_type=torch.randint(0, 28, (n,)), bond_type=bond,
                                  logP_SA_cycle_normalized=torch.randn(1)))
        for index in indices:
            targets.append(molecules[index]["logP_SA_cycle_normalized"].item())
            atoms += molecules[index]["atom_type"].tolist()
            bonds += int(molecules[index]["bond_type"].sum())
        (folder("zinc") / "molecules").mkdir(exist_ok=True)
        with open(root / "zinc" / "molecules" / f"{part}.pickle", "wb") as file:
            pickle.dump(molecules, file)
        (root / "zinc" / f"{part}.index").write_bytes((",".join(map(str, indices)) + "\r\n").encode())
    expected["zinc"] = dict(split=[3, 2, 1], targets=targets, atoms=atoms, bonds=bonds)


def peptides():
    names = ["Inertia_mass_a", "Inertia_mass_b", "Inertia_mass_c", "Inertia_valence_a", "Inertia_valence_b",
             "Inertia_valence_c", "length_a", "length_b", "length_c", "Spherocity", "Plane_best_fit"]
    smiles = ["CC(C)C[C@H](N)C(=O)O", "NCC(=O)NCC(=O)O", "C[C@H](N)C(=O)N1CCC[C@H]1C(=O)O", "N[C@@H](Cc1ccccc1)C(=O)O"]
    values = rng.standard_normal((4, 11)).round(6)
    text = "," + ",".join(["smiles", "peptide_seq"] + names) + "\n"
    for row, molecule in enumerate(smiles):
        text += f"{row},{molecule},AB," + ",".join(str(value) for value in values[row]) + "\n"
    gzipped(folder("peptides-struct") / "peptide_structure_normalized_dataset.csv.gz", text)
    split = {"train": np.array([2, 0]), "val": np.array([3]), "test": np.array([1])}
    with open(root / "peptides-struct" / "splits_random_stratified_peptide_structure.pickle", "wb") as file:
        pickle.dump(split, file, protocol=4)
    expected["peptides-struct"] = dict(split=[2, 1, 1], targets=values.flatten().tolist(), train=[0, 2],
                                       atoms=[9, 9, 13, 12], bonds=[8, 8, 13, 12])


def shchur():
    n, f = 30, 40
    rows = sorted({(random.randrange(n), random.randrange(n)) for _ in range(70)})
    indptr = np.searchsorted([a for a, _ in rows], np.arange(n + 1)).astype(np.int32)
    dense = (rng.random((n, f)) < 0.1) * rng.integers(1, 4, (n, f))
    attr = [(i, j) for i in range(n) for j in range(f) if dense[i, j]]
    labels = np.array([i % 15 for i in range(n)])
    np.savez(folder("coauthor-cs") / "ms_academic_cs.npz",
             adj_data=np.ones(len(rows), np.float32), adj_indices=np.array([b for _, b in rows], np.int32), adj_indptr=indptr,
             adj_shape=np.array([n, n]), attr_data=np.array([dense[i, j] for i, j in attr], np.float32),
             attr_indices=np.array([j for _, j in attr], np.int32),
             attr_indptr=np.searchsorted([i for i, _ in attr], np.arange(n + 1)).astype(np.int32), attr_shape=np.array([n, f]),
             labels=labels, class_names=np.array([{"an": "object"}], dtype=object))
    edges = {(min(a, b), max(a, b)) for a, b in rows if a != b}
    order = rng.permutation(n)
    np.savez(root / "coauthor-cs" / "coauthor-cs_split.npz", train=order[:18], valid=order[18:24], test=order[24:])
    expected["cs"] = dict(nodes=n, edges=len(edges), entries=len(attr), split=[18, 6, 6], labels=labels.tolist(),
                          train=sorted(order[:18].tolist()))


def platonov(file, name, classes):
    n, f = 20, 6
    edge_index, edges = undirected(n)
    half = edge_index[:, : edges].t().numpy()
    order = np.stack([rng.permutation(n) for _ in range(10)])
    masks = np.zeros((3, 10, n), dtype=bool)
    for s in range(10):
        masks[0, s, order[s, :10]], masks[1, s, order[s, 10:15]], masks[2, s, order[s, 15:]] = True, True, True
    labels = np.array([i % classes for i in range(n)])
    # One file in C order, one in Fortran order, as upstream has both.
    train, val, test = masks if classes == 2 else [np.asfortranarray(mask) for mask in masks]
    np.savez_compressed(folder("heterophilous") / f"{file}.npz", node_features=rng.random((n, f)).astype(np.float32),
                        node_labels=labels, edges=half, train_masks=train, val_masks=val, test_masks=test)
    expected[name] = dict(nodes=n, edges=edges, labels=labels.tolist(), split=[10, 5, 5],
                          tests=[sorted(order[s, 15:].tolist()) for s in range(10)])


def wikics():
    n = 12
    edge_index, edges = undirected(n)
    links = [[] for _ in range(n)]
    for a, b in edge_index.t().tolist():
        links[a].append(b)
    mask = lambda rows: [i in rows for i in range(n)]
    parts = [[{s % 4, 4}, {5, 6}, {7}] for s in range(20)]
    content = dict(features=rng.random((n, 5)).round(4).tolist(), labels=[i % 3 for i in range(n)], links=links,
                   train_masks=[mask(p[0]) for p in parts], val_masks=[mask(p[1]) for p in parts],
                   stopping_masks=[mask(p[2]) for p in parts], test_mask=mask({8, 9, 10, 11}))
    (folder("wikics") / "data.json").write_text(json.dumps(content))
    expected["wikics"] = dict(nodes=n, edges=edges, train_of_2=[2, 4], valid=[5, 6, 7], test=[8, 9, 10, 11])


def arxiv():
    n = 10
    edge_index, edges = undirected(n)
    base = folder("ogbn-arxiv")
    half = edge_index[:, :edges].t().tolist()
    gzipped(base / "raw/edge.csv.gz", "".join(f"{a},{b}\n" for a, b in half))
    gzipped(base / "raw/node-feat.csv.gz", "".join(",".join(f"{v:.4f}" for v in rng.random(4)) + "\n" for _ in range(n)))
    gzipped(base / "raw/node-label.csv.gz", "".join(f"{i % 3}\n" for i in range(n)))
    gzipped(base / "raw/num-node-list.csv.gz", f"{n}\n")
    gzipped(base / "raw/num-edge-list.csv.gz", f"{edges}\n")
    for part, rows in dict(train=[0, 3, 4, 9], valid=[1, 2], test=[5, 6, 7, 8]).items():
        gzipped(base / f"split/time/{part}.csv.gz", "".join(f"{row}\n" for row in rows))
    expected["ogbn-arxiv"] = dict(nodes=n, edges=edges, split=[4, 2, 4])


superpixels("pascalvoc-sp", list(range(21)))
superpixels("coco-sp", COCO)
contacts()
zinc()
peptides()
shchur()
platonov("roman_empire", "roman-empire", 4)
platonov("minesweeper", "minesweeper", 2)
wikics()
arxiv()
(root / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
