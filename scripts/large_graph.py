#!/usr/bin/env python3
"""Makes a large graph with features and labels as an npz file, for `farhop data import`.

    scripts/large_graph.py large.npz --nodes 1000000 --edges 7000000 --features 128 --classes 10 --seed 1

Nodes lie in communities of some hundred nodes; degrees follow a power law (exponent 2.5); a share `--inside` of the edges
stays in its community (fewer of hubs), the others go anywhere. Every node has a hidden vector with as many numbers as there are classes, its
community's plus its own. Its label is the largest number of the mean of the hidden vectors around it: those of its neighbours
and, half as heavy, those of their neighbours, its own not counted. Its features are a random linear image of its own hidden
vector, with noise: what a node is can not be told from the node itself, only from those around it.

Only numpy is needed. The features are written in pieces and never all in memory.
"""

import argparse
import zipfile

import numpy as np
from numpy.lib import format as npy

PIECE = 1 << 16


def drawn_edges(random, nodes, edges, community, inside):
    """Different pairs of different nodes, about as many as asked for."""
    weight = (1 + np.arange(nodes)) ** (-1 / 1.5)
    random.shuffle(weight)
    order = np.argsort(community, kind="stable")
    cumulated = np.cumsum(weight[order])
    # A hub has more neighbours than its community has nodes.
    degree = 2 * edges * weight / cumulated[-1]
    inside = np.minimum(inside, 0.3 * np.bincount(community)[community] / degree)
    starts = np.searchsorted(community[order], np.arange(community.max() + 2))
    before = np.concatenate([[0.0], cumulated])[starts]
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < edges:
        missing = int((edges - len(keys)) * 1.1) + 16
        ends = order[np.searchsorted(cumulated, random.random(missing) * cumulated[-1])]
        low, high = before[community[ends]], before[community[ends] + 1]
        anywhere = random.random(missing) >= inside[ends]
        low[anywhere], high[anywhere] = 0.0, cumulated[-1]
        place = np.searchsorted(cumulated, low + random.random(missing) * (high - low))
        others = order[np.minimum(place, nodes - 1)]
        new = np.minimum(ends, others) * nodes + np.maximum(ends, others)
        keys = np.unique(np.concatenate([keys, new[ends != others]]))
    keys = random.permutation(keys)[:edges]
    return keys // nodes, keys % nodes


def neighbour_mean(values, sources, targets, nodes):
    total = np.bincount(targets, values[sources], nodes) + np.bincount(sources, values[targets], nodes)
    return total / np.maximum(np.bincount(targets, minlength=nodes) + np.bincount(sources, minlength=nodes), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=7_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--community", type=int, default=300, help="mean number of nodes in a community")
    parser.add_argument("--inside", type=float, default=0.8, help="share of the edges that stay in their community")
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    random = np.random.default_rng(asked.seed)
    nodes, classes = asked.nodes, asked.classes

    communities = max(nodes // asked.community, 1)
    community = random.integers(0, communities, nodes)
    sources, targets = drawn_edges(random, nodes, asked.edges, community, asked.inside)
    middle = random.standard_normal((communities, classes)).astype(np.float32)
    hidden = 0.7 * middle[community] + random.standard_normal((nodes, classes)).astype(np.float32)
    around = np.empty((nodes, classes), dtype=np.float32)
    for column in range(classes):
        near = neighbour_mean(hidden[:, column], sources, targets, nodes)
        around[:, column] = near + 0.5 * neighbour_mean(near, sources, targets, nodes)
    labels = around.argmax(1).astype(np.int64)
    image = random.standard_normal((classes, asked.features)).astype(np.float32) / np.sqrt(classes)

    with zipfile.ZipFile(asked.out, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        with archive.open("edge_index.npy", "w", force_zip64=True) as file:
            npy.write_array(file, np.stack([sources, targets]).astype(np.int64))
        with archive.open("y.npy", "w", force_zip64=True) as file:
            npy.write_array(file, labels)
        with archive.open("x.npy", "w", force_zip64=True) as file:
            shape = {"descr": "<f4", "fortran_order": False, "shape": (nodes, asked.features)}
            npy.write_array_header_1_0(file, shape)
            for start in range(0, nodes, PIECE):
                rows = hidden[start : start + PIECE] @ image
                rows += asked.noise * random.standard_normal(rows.shape, dtype=np.float32)
                file.write(rows.astype("<f4").tobytes())


if __name__ == "__main__":
    main()
