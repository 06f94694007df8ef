#!/usr/bin/env python3
"""A made graph of the size of ogbn-products as a `.farhop` file: 2,449,029 nodes, about 61.9 million edges, 100 features, 47 classes.

Nodes have communities of 2,000, nine of ten edges stay inside, and within a community ends are drawn with the density of a power law, so that
there are hubs. A real network of products has communities too; what matters here is memory and bytes, not the score.
"""

import argparse
import json

import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--nodes", type=int, default=2_449_029)
    parser.add_argument("--edges", type=int, default=61_859_140)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--classes", type=int, default=47)
    parser.add_argument("--community", type=int, default=2000)
    parser.add_argument("--inside", type=float, default=0.9)
    given = parser.parse_args()
    nodes, random = given.nodes, np.random.default_rng(1)
    groups = -(-nodes // given.community)
    # Some are drawn twice.
    count = int(given.edges * 1.12)
    a = np.empty(count, dtype=np.int64)
    b = np.empty(count, dtype=np.int64)
    for start in range(0, count, 1 << 23):
        size = min(1 << 23, count - start)
        group = random.integers(0, groups, size)
        place = lambda: (random.random(size, dtype=np.float32) ** 2 * given.community).astype(np.int64)
        first = np.minimum(group * given.community + place(), nodes - 1)
        other = np.where(random.random(size, dtype=np.float32) < given.inside, group, random.integers(0, groups, size))
        second = np.minimum(other * given.community + place(), nodes - 1)
        a[start:start + size], b[start:start + size] = np.minimum(first, second), np.maximum(first, second)
    keys = (a * nodes + b)[a != b]
    del a, b
    keys.sort()
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    if len(keys) > given.edges:
        keys = keys[np.sort(random.permutation(len(keys))[: given.edges])]
    both = np.concatenate([keys, keys % nodes * nodes + keys // nodes])
    del keys
    both.sort()
    sources = (both % nodes).astype(np.uint32)
    starts = np.searchsorted(both, np.arange(nodes + 1, dtype=np.int64) * nodes).astype(np.uint32)
    del both
    community = np.arange(nodes) // given.community
    labels = (community % given.classes).astype(np.int64)
    middles = random.normal(size=(given.classes, given.features)).astype(np.float32)
    features = random.standard_normal((nodes, given.features), dtype=np.float32)
    features += 0.3 * middles[labels]
    rows = random.permutation(nodes)
    part = lambda low, high: np.sort(rows[int(low * nodes):int(high * nodes)]).astype(np.uint32)
    layout = lambda width: {"width": width, "sparse": False, "sizes": []}
    metadata = {"format": "farhop dataset", "version": 1, "name": "products-like", "level": "node", "metric": "accuracy", "directed": False,
                "nodes": layout(given.features), "edges": layout(0), "target": {"kind": "class", "classes": [str(c) for c in range(given.classes)]},
                "ids": False, "notes": [], "sources": []}
    text = np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)
    with open(given.out, "wb") as file:
        np.savez(file, metadata=text, row_starts=starts, sources=sources, graph_starts=np.array([0, nodes], dtype=np.uint32), node_numbers=features,
                 labels=labels, train=part(0, 0.08), valid=part(0.08, 0.1), test=part(0.1, 0.2))
    print(f"{nodes} nodes, {len(sources) // 2} edges")


if __name__ == "__main__":
    main()
