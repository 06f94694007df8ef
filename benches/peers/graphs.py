"""The graphs of the benchmark as npz files: edge_index [2, E] with both directions, x [N, F], y, and batch [N] for many graphs.

    python graphs.py power-law --nodes 169343 --edges 1166243 --features 128 --classes 40 OUT.npz
    python graphs.py molecules --graphs 200 --atoms 150 --features 120 --labels 10 OUT.npz
    python graphs.py convert DATASET.farhop OUT.npz

Needs numpy. The same arguments give the same file.
"""
import argparse
import json
import os
import sys

import numpy as np

# Degrees fall off as in citation networks; the largest is this share of the nodes (13,000 of 169,343 in ogbn-arxiv).
EXPONENT = 2.6
LARGEST_SHARE = 13_000 / 169_343


def weights(nodes, edges):
    """Chances of the nodes to be an end of an edge, falling, such that the first one gets the largest degree wanted."""
    power = -1 / (EXPONENT - 1)
    largest = max(LARGEST_SHARE * nodes, 2.0)
    low, high = 1e-3, 1e6
    for _ in range(80):
        middle = np.sqrt(low * high)
        falling = (np.arange(nodes) + middle) ** power
        if falling[0] / falling.sum() * 2 * edges > largest:
            low = middle
        else:
            high = middle
    return falling / falling.sum()


def power_law(nodes, edges, random):
    """A tree that grows by weight, so that everything is connected, and random pairs by weight up to `edges` edges.
    Returns the pairs [edges, 2], each once, nodes in random order."""
    if not nodes - 1 <= edges <= nodes * (nodes - 1) // 4:
        sys.exit(f"error: {nodes} nodes can't have {edges} edges here: at least a tree, at most half of all pairs.")
    until = np.cumsum(weights(nodes, edges))
    later = np.arange(1, nodes)
    earlier = np.minimum(np.searchsorted(until, random.random(nodes - 1) * until[:-1], side="right"), later - 1)
    keys = np.unique(earlier.astype(np.int64) * nodes + later)
    while len(keys) < edges:
        missing = edges - len(keys)
        drawn = np.searchsorted(until, random.random((missing + missing // 4 + 64, 2)) * until[-1], side="right")
        drawn = np.sort(np.minimum(drawn, nodes - 1), axis=1).astype(np.int64)
        drawn = drawn[drawn[:, 0] < drawn[:, 1]]
        fresh = np.setdiff1d(drawn[:, 0] * nodes + drawn[:, 1], keys, assume_unique=False)
        keys = np.union1d(keys, random.permutation(fresh)[:missing])
    names = random.permutation(nodes)
    return np.stack([names[keys // nodes], names[keys % nodes]], axis=1)


def molecule(atoms, rings, random):
    """A tree with at most four bonds an atom, long chains mostly, and `rings` bonds that close rings of five to seven."""
    bonds, pairs = np.zeros(atoms, int), []
    for atom in range(1, atoms):
        other = atom - 1 if random.random() < 0.7 else int(random.integers(max(0, atom - 20), atom))
        while bonds[other] >= 4:
            other = int(random.integers(max(0, atom - 20), atom))
        pairs.append((other, atom))
        bonds[[other, atom]] += 1
    known, tries = set(pairs), 0
    while len(pairs) < atoms - 1 + rings and tries < 100_000:
        tries += 1
        atom = int(random.integers(6, atoms))
        pair = (atom - int(random.integers(4, 7)), atom)
        if pair[0] >= 0 and pair not in known and bonds[pair[0]] < 4 and bonds[pair[1]] < 4:
            known.add(pair)
            pairs.append(pair)
            bonds[list(pair)] += 1
    return np.array(pairs)


def both_ways(pairs):
    """[2, 2 * edges], sorted by target, then source."""
    source, target = np.concatenate([pairs, pairs[:, ::-1]]).T
    order = np.lexsort((source, target))
    return np.stack([source[order], target[order]]).astype(np.int32)


def save(path, **arrays):
    """Complete or not at all."""
    part = f"{path}.part.npz"
    np.savez(part, **arrays)
    os.replace(part, path)


def write_power_law(a):
    random = np.random.default_rng(a.seed)
    pairs = power_law(a.nodes, a.edges, random)
    y = random.integers(0, a.classes, a.nodes)
    centres = 0.3 * random.standard_normal((a.classes, a.features), dtype=np.float32)
    x = random.standard_normal((a.nodes, a.features), dtype=np.float32) + centres[y]
    save(a.out, edge_index=both_ways(pairs), x=x, y=y)


def write_molecules(a):
    random = np.random.default_rng(a.seed)
    pairs = np.concatenate([molecule(a.atoms, 5, random) + g * a.atoms for g in range(a.graphs)])
    save(a.out, edge_index=both_ways(pairs),
         x=random.standard_normal((a.graphs * a.atoms, a.features), dtype=np.float32),
         y=random.integers(0, 2, (a.graphs, a.labels)).astype(np.float32),
         batch=np.repeat(np.arange(a.graphs, dtype=np.int32), a.atoms))


def write_converted(a):
    """A dataset that `farhop data import` wrote: one graph with numbers and a class for every node."""
    file = np.load(a.dataset)
    about = json.loads(file["metadata"].tobytes())
    if about["directed"] or about["level"] != "node" or about["target"]["kind"] != "class":
        sys.exit(f"error: {a.dataset}: one undirected graph with a class for every node is needed.")
    starts, source = file["row_starts"].astype(np.int64), file["sources"]
    nodes, width = len(starts) - 1, about["nodes"]["width"]
    target = np.repeat(np.arange(nodes), np.diff(starts))
    if about["nodes"]["sparse"]:
        x = np.zeros((nodes, width), np.float32)
        offsets = file["node_sparse_offsets"]
        rows = np.repeat(np.arange(nodes), np.diff(offsets))
        x[rows, file["node_sparse_indices"]] = file["node_sparse_values"]
    else:
        x = file["node_numbers"]
    labels = file["labels"]
    if labels.min() < 0:
        sys.exit(f"error: {a.dataset}: {int((labels < 0).sum())} nodes have no class.")
    apart = source != target
    save(a.out, edge_index=np.stack([source[apart], target[apart]]).astype(np.int32), x=x, y=labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(required=True)

    def kind(name, action, positional=(), **numbers):
        sub = kinds.add_parser(name)
        for option, default in numbers.items():
            sub.add_argument(f"--{option}", type=int, default=default)
        for argument in (*positional, "out"):
            sub.add_argument(argument)
        sub.set_defaults(action=action)
    kind("power-law", write_power_law, nodes=169_343, edges=1_166_243, features=128, classes=40, seed=1)
    kind("molecules", write_molecules, graphs=200, atoms=150, features=120, labels=10, seed=2)
    kind("convert", write_converted, ("dataset",))
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
