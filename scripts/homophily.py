"""Prints what the tests of data cards expect of real graphs, computed with NumPy and SciPy.

    python scripts/homophily.py <folder of datasets>

Edge homophily is the share of edges between equal labels; adjusted homophily takes away what the degrees of the classes
give by chance; class-insensitive homophily averages, over classes, by how much equal neighbours exceed the class's share.
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import connected_components, shortest_path


def describe(path):
    with np.load(path) as arrays:
        edges, labels = arrays["edges"], arrays["node_labels"]
    nodes, classes = len(labels), labels.max() + 1
    half = sparse.coo_matrix((np.ones(len(edges)), edges.T), shape=(nodes, nodes)).tocsr()
    graph = half + half.T
    graph.setdiag(0)
    graph.eliminate_zeros()
    graph.data[:] = 1
    entries = graph.tocoo()
    same = labels[entries.row] == labels[entries.col]
    degrees = np.asarray(graph.sum(1)).ravel()
    ends = np.bincount(labels, degrees, minlength=classes)
    chance = np.square(ends / ends.sum()).sum()
    around = np.bincount(labels[entries.row], same, minlength=classes) / ends
    excess = np.maximum(0, around - np.bincount(labels, minlength=classes) / nodes)
    distances = shortest_path(graph, unweighted=True, directed=False)
    edge = same.mean()
    print(path.stem)
    print("  edges", graph.nnz // 2, "components", connected_components(graph)[0])
    print(f"  homophily {edge:.6f} adjusted {(edge - chance) / (1 - chance):.6f}", end=" ")
    print(f"class-insensitive {excess.sum() / (classes - 1):.6f}")
    print("  diameter", int(distances[np.isfinite(distances)].max()))
    print("  degrees: median", np.median(degrees), "largest", int(degrees.max()))


for name in ["chameleon_filtered", "squirrel_filtered"]:
    describe(Path(sys.argv[1]) / "heterophilous" / f"{name}.npz")
