"""Cases of GPS and Exphormer with local parts and heads that no published numbers were at hand for, written from the formulas of both papers.

    python scripts/outside/transformers.py crates/farhop-nn/tests/fixtures

Makes gps/composed_*.npz and exphormer/composed_*.npz: graph, inputs, weights, outputs and exact gradients, float64, with the names that the other
files of these folders have. The parts (graph convolution, GINE, attention within graphs) have numbers of others elsewhere; this holds how they are put
together. Needs numpy.
"""
import json
import pathlib
import sys

import numpy as np

import tape as t

HIDDEN, HEADS, CLASSES, INPUTS, EDGE = 8, 2, 3, 5, 2


class Case:
    """Weights by name, drawn when first asked for, and statistics that batch normalisation has stored."""

    def __init__(self, seed, sizes, train):
        self.random = np.random.default_rng(seed)
        self.train, self.weights, self.stored = train, {}, {}
        self.graph(sizes)

    def graph(self, sizes):
        pairs, first = set(), 0
        for nodes in sizes:
            # A path over all nodes but the last, and a few chords.
            for i in range(nodes - 2):
                pairs |= {(first + i, first + i + 1), (first + i + 1, first + i)}
            for _ in range(nodes // 2):
                a, b = self.random.choice(nodes - 1, 2, replace=False) + first
                pairs |= {(a, b), (b, a)}
            first += nodes
        pairs = sorted(pairs, key=lambda pair: (pair[1], pair[0]))
        self.source, self.target = np.array(pairs).T
        self.nodes, self.batch = first, np.repeat(np.arange(len(sizes)), sizes)
        self.x = t.Var(self.random.normal(size=(first, INPUTS)))
        self.edge_attr = self.random.normal(size=(len(pairs), EDGE))

    def weight(self, name, *shape, around=0.0):
        if name not in self.weights:
            self.weights[name] = t.Var(around + self.random.normal(size=shape) / np.sqrt(shape[-1]))
        return self.weights[name]

    def linear(self, name, x, outputs, bias=True):
        y = x @ self.weight(name + ".weight", outputs, x.shape[1]).T
        return y + self.weight(name + ".bias", outputs) if bias else y

    def norm(self, name, x):
        width = x.shape[1]
        if name not in self.stored:
            self.stored[name] = (self.random.normal(size=width) * 0.2, 0.5 + self.random.random(width))
        if self.train:
            mean = x.mean(0, keepdims=True)
            variance = ((x - mean) * (x - mean)).mean(0, keepdims=True)
        else:
            mean, variance = map(t.of, self.stored[name])
        scaled = (x - mean) / t.sqrt(variance + 1e-5)
        return scaled * self.weight(name + ".weight", width, around=1.0) + self.weight(name + ".bias", width)

    def local(self, kind, layer, h, e):
        """With its residual."""
        if kind == "GINE":
            m = h + t.scatter(t.relu(h[self.source] + e), self.target, self.nodes)
            return h + self.linear(layer + "gine.lin2", t.relu(self.linear(layer + "gine.lin1", m, HIDDEN)), HIDDEN)
        degrees = 1.0 + np.bincount(self.target, minlength=self.nodes)
        z = self.linear(layer + "gcn", h, HIDDEN, bias=False)
        shares = 1 / np.sqrt(degrees[self.source] * degrees[self.target])
        spread = t.scatter(z[self.source] * shares[:, None], self.target, self.nodes) + z / degrees[:, None]
        return h + spread + self.weight(layer + "gcn.bias", HIDDEN)

    def attention(self, layer, h):
        """Softmax attention within each graph."""
        packed = self.linear(layer + "attn.in_proj", h, 3 * HIDDEN)
        size, rows = HIDDEN // HEADS, []
        for graph in range(self.batch.max() + 1):
            own = np.flatnonzero(self.batch == graph)
            heads = []
            for head in range(HEADS):
                part = lambda at: packed[own][:, at * HIDDEN + head * size:at * HIDDEN + (head + 1) * size]
                weights = t.exp(part(0) @ part(1).T / np.sqrt(size))
                heads.append(weights / weights.sum(1, keepdims=True) @ part(2))
            rows.append(t.concat(heads, 1))
        return self.linear(layer + "attn.out_proj", t.concat(rows, 0), HIDDEN)

    def sparse_attention(self, layer, h, edges, rows):
        """Clamped attention along a list of edges (Exphormer)."""
        source, target = edges
        size = HIDDEN // HEADS
        q, k, v, f = (self.linear(layer + "attn." + name, x, HIDDEN, bias=False).reshape(-1, HEADS, size)
                      for name, x in (("Q", h), ("K", h), ("V", h), ("E", rows)))
        scores = (q[target] * k[source] * f).sum(2) / np.sqrt(size)
        weights = t.exp(t.clip(scores, -5, 5))
        total = t.scatter(weights, target, self.nodes).reshape(-1, HEADS, 1)
        taken = t.scatter(weights.reshape(-1, HEADS, 1) * v[source], target, self.nodes)
        return (taken / (total + 1e-6)).reshape(-1, HIDDEN)

    def pooled(self, h, mean):
        count = self.batch.max() + 1
        pooled = t.scatter(h, self.batch, count)
        return pooled / np.bincount(self.batch)[:, None] if mean else pooled

    def feed(self, layer, z):
        return z + self.linear(layer + "ff2", t.relu(self.linear(layer + "ff1", z, 2 * HIDDEN)), HIDDEN)


def gps(case, config):
    h, e = case.linear("enc.node", case.x, HIDDEN), case.linear("enc.edge", t.of(case.edge_attr), HIDDEN)
    for l in range(config["layers"]):
        layer = f"layer{l}."
        local = case.norm(layer + "norm_local", case.local(config["local"], layer, h, e))
        z = local + case.norm(layer + "norm_attn", h + case.attention(layer, h))
        h = case.norm(layer + "norm_ff", case.feed(layer, z))
    if config["head"] == "pool_pyramid":
        h = case.pooled(h, config["pooling"] == "mean")
        for at, width in enumerate((HIDDEN // 2, HIDDEN // 4)):
            h = t.relu(case.linear(f"head.fc{at}", h, width))
        return case.linear("head.fc2", h, CLASSES)
    return case.linear("head.lin0", h, CLASSES)


def exphormer(case, config):
    h, e = case.linear("enc.node", case.x, HIDDEN), case.linear("enc.edge", t.of(case.edge_attr), HIDDEN)
    case.weight("exp.edge_emb", 1, HIDDEN)
    edges = np.stack([case.source, case.target])
    for l in range(config["layers"]):
        layer = f"layer{l}."
        local = case.norm(layer + "norm_local", case.local(config["local"], layer, h, e))
        z = local + case.norm(layer + "norm_attn", h + case.sparse_attention(layer, h, edges, e))
        h = case.norm(layer + "norm_ff", case.feed(layer, z))
    return case.linear("head.lin0", case.pooled(h, True), CLASSES)


def write(path, network, config, seed, sizes):
    arrays = {}
    for train, end in ((False, ""), (True, "_train")):
        case = Case(seed, sizes, train)
        out = network(case, config)
        if not train:
            arrays["cotangent"] = case.random.normal(size=out.shape)
        t.backward((out * arrays["cotangent"]).sum())
        arrays["out" + end] = out.value
        for name, weight in [("x", case.x)] + [("param/" + name, weight) for name, weight in case.weights.items()]:
            gradient = np.zeros_like(weight.value) if weight.gradient is None else weight.gradient
            arrays[f"grad{end}/{name}"], arrays[name] = gradient, weight.value
        for name, (mean, variance) in case.stored.items():
            arrays[f"buffer/{name}.running_mean"], arrays[f"buffer/{name}.running_var"] = mean, variance
    arrays |= {"edge_index": np.stack([case.source, case.target]), "num_nodes": np.array(case.nodes), "batch": case.batch}
    arrays |= {"edge_attr": case.edge_attr, "config": np.array(json.dumps(config))}
    np.savez_compressed(path, **arrays)


folder = pathlib.Path(sys.argv[1])
shared = {"hidden": HIDDEN, "heads": HEADS, "layers": 2, "classes": CLASSES}
plain = {"pe": "none", "dim_pe": 0, "norm": "bn", "act": "relu", **shared}
write(folder / "gps/composed_gine.npz", gps, {"local": "GINE", "head": "pool_pyramid", "head_layers": 3, "pooling": "add", **plain}, 1, (4, 7))
write(folder / "gps/composed_gcn.npz", gps, {"local": "GCN", "head": "node_mlp", "head_layers": 1, "pooling": None, **plain}, 2, (9,))
sparse = {"pre_mp": 0, "edge_encoder": "linear", "virtual_nodes": 0, "use_expander": False, "head": "pool_linear", "pooling": "mean", **shared}
write(folder / "exphormer/composed_gine.npz", exphormer, {"local": "GINE", **sparse}, 3, (5, 6))
