"""Writes outside numbers for the encodings of farhop-graph: dense float64 linear algebra on small graphs.

    python scripts/encoding_fixtures.py crates/farhop-graph/tests/fixtures/encodings.json

For every graph: return probabilities of walks (powers of the dense transition matrix) and the eigenvalues above 0 of both
Laplacians of the symmetrised graph. Needs numpy. If torch_geometric is there, walks and eigenvalues are compared with its
transforms before anything is written.
"""
import json
import pathlib
import sys

import numpy as np

LENGTH = 12


def graphs():
    random = np.random.default_rng(7)

    def drawn(nodes, rows):
        return [(int(a), int(b)) for a, b in random.integers(0, nodes, (rows, 2)) if a != b]

    yield "path", 5, [(i, i + 1) for i in range(4)], False
    yield "ring", 7, [(i, (i + 1) % 7) for i in range(7)], False
    yield "star", 6, [(0, i) for i in range(1, 6)], False
    yield "complete", 6, [(i, j) for i in range(6) for j in range(i)], False
    yield "bipartite", 7, [(i, j) for i in range(3) for j in range(3, 7)], False
    yield "petersen", 10, [e for i in range(5) for e in ((i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5))], False
    yield "isolated", 4, [], False
    yield "two triangles and a loner", 7, [(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1)], False
    yield "sparse", 20, drawn(20, 16), False
    yield "crowded", 18, drawn(18, 60), False
    yield "one way ring", 5, [(i, (i + 1) % 5) for i in range(5)], True
    yield "dead end", 4, [(0, 1), (1, 0), (1, 2), (2, 3)], True
    yield "sparse directed", 16, drawn(16, 24), True
    yield "crowded directed", 14, drawn(14, 70), True


def adjacency(nodes, edges, directed):
    table = np.zeros((nodes, nodes))
    for source, target in edges:
        table[source, target] = 1
        if not directed:
            table[target, source] = 1
    return table


def returns(table):
    degrees = table.sum(1, keepdims=True)
    step = table / np.maximum(degrees, 1)
    power, columns = np.eye(len(table)), []
    for _ in range(LENGTH):
        power = power @ step
        columns.append(np.diag(power))
    return np.stack(columns, 1)


def components(table):
    reach = np.linalg.matrix_power(table + np.eye(len(table)), len(table)) > 0
    return len(np.unique(reach, axis=0))


def eigenvalues(table, normalised):
    table = np.maximum(table, table.T)
    degrees = table.sum(1)
    laplacian = np.diag(degrees) - table
    if normalised:
        root = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
        laplacian = root[:, None] * laplacian * root
    values = np.linalg.eigvalsh(laplacian)
    none = components(table)
    assert abs(values[:none]).max() < 1e-9 and (none == len(table) or values[none] > 1e-6)
    return values[none:]


def compare_with_pyg(table, walks, values):
    try:
        import torch
        from torch_geometric.data import Data
        from torch_geometric.transforms import AddRandomWalkPE
        from torch_geometric.utils import get_laplacian, to_dense_adj
    except ImportError:
        return
    index = torch.tensor(np.array(np.nonzero(table)), dtype=torch.long)
    data = AddRandomWalkPE(LENGTH, "walks")(Data(edge_index=index, num_nodes=len(table)))
    assert np.allclose(data.walks.numpy(), walks, atol=1e-6)
    symmetric = np.maximum(table, table.T)
    if symmetric.sum(1).min() > 0:
        index = torch.tensor(np.array(np.nonzero(symmetric)), dtype=torch.long)
        index, weight = get_laplacian(index, normalization="sym", num_nodes=len(table))
        dense = to_dense_adj(index, edge_attr=weight, max_num_nodes=len(table))[0].numpy()
        found = np.linalg.eigvalsh(dense.astype(np.float64))
        assert np.allclose(found[len(found) - len(values):], values, atol=1e-6)


out = []
for name, nodes, edges, directed in graphs():
    table = adjacency(nodes, edges, directed)
    walks = returns(table)
    normalised, plain = eigenvalues(table, True), eigenvalues(table, False)
    compare_with_pyg(table, walks, normalised)
    numbers = lambda array: [float(f"{value:.12g}") for value in np.ravel(array)]
    out.append({
        "name": name, "nodes": nodes, "directed": directed, "edges": edges, "length": LENGTH, "returns": numbers(walks),
        "normalised": numbers(normalised), "unnormalised": numbers(plain),
    })
target = pathlib.Path(sys.argv[1])
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("[\n" + ",\n".join(json.dumps(graph) for graph in out) + "\n]\n")
