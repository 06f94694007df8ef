"""Numbers for SGC, from its formula alone, in f64: the adjacency as a dense matrix, gradients in closed form.

    python3 scripts/outside/sgc.py crates/farhop-nn/tests/fixtures/sgc

Needs numpy.
"""
import json
import sys
from pathlib import Path

import numpy as np


def case(name, nodes, pairs, steps, seed, folder):
    draw = np.random.default_rng(seed)
    entries = sorted({(b, a) for a, b in pairs} | set(pairs), key=lambda entry: (entry[1], entry[0]))
    edge_index = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    adjacency = np.eye(nodes)
    adjacency[edge_index[1], edge_index[0]] = 1.0
    root = 1.0 / np.sqrt(adjacency.sum(1))
    steps_matrix = np.linalg.matrix_power(root[:, None] * adjacency * root[None, :], steps)
    x, weight, bias, cotangent = (draw.normal(0.0, 0.5, shape) for shape in ((nodes, 5), (3, 5), (3,), (nodes, 3)))
    seen = steps_matrix @ x
    np.savez_compressed(
        folder / f"{name}.npz",
        edge_index=edge_index, num_nodes=np.int64(nodes), x=x, out=seen @ weight.T + bias, cotangent=cotangent,
        config=json.dumps({"model": "sgc", "K": steps}),
        **{"param/lin.weight": weight, "param/lin.bias": bias, "grad/x": steps_matrix.T @ cotangent @ weight,
           "grad/param/lin.weight": cotangent.T @ seen, "grad/param/lin.bias": cotangent.sum(0)},
    )


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    ring = [(i, (i + 1) % 9) for i in range(9)]
    case("cycles", 9, ring + [(0, 4), (2, 7)], 3, 1, target)
    # Nodes 6 to 9 have no neighbours.
    case("isolated", 10, [(0, 1), (1, 2), (2, 3), (1, 3), (4, 5)], 2, 2, target)
    case("one_step", 7, [(0, i) for i in range(1, 7)], 1, 3, target)
