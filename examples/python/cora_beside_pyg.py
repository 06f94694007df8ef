"""Cora: farhop's GEN and GCN beside the GCN of PyTorch Geometric, on the same split and features.

    python cora_beside_pyg.py [PICTURE.png]

Needs torch and torch_geometric, matplotlib for the picture, and the dataset (farhop data fetch cora).
"""
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import GCNConv

import farhop


class Network(torch.nn.Module):
    """The GCN of Kipf and Welling."""

    def __init__(self, features, classes, width=16):
        super().__init__()
        self.first, self.second = GCNConv(features, width), GCNConv(width, classes)

    def forward(self, x, edges):
        x = F.dropout(x, training=self.training)
        x = F.dropout(self.first(x, edges).relu(), training=self.training)
        return self.second(x, edges)


def of_pyg(graph, y, epochs):
    """Trains in PyTorch Geometric; the weights with the best validation score are scored."""
    torch.manual_seed(0)
    x, edges = torch.from_numpy(graph.x.copy()), torch.from_numpy(graph.edge_index)
    x = x / x.sum(1, keepdim=True).clamp(min=1)
    codes = torch.from_numpy(y)
    network = Network(x.shape[1], int(codes.max()) + 1)
    optimizer = torch.optim.Adam(network.parameters(), 0.01, weight_decay=5e-4)
    train, valid, test = (torch.from_numpy(part) for part in (graph.train, graph.valid, graph.test))
    best = (0.0, 0.0)
    for _ in range(epochs):
        network.train()
        optimizer.zero_grad()
        F.cross_entropy(network(x, edges)[train], codes[train]).backward()
        optimizer.step()
        network.eval()
        with torch.no_grad():
            right = network(x, edges).argmax(1) == codes
        best = max(best, (float(right[valid].float().mean()), float(right[test].float().mean())), key=lambda pair: pair[0])
    return best[1]


def main(picture=None, epochs=100):
    dataset = farhop.load_dataset("cora")
    graph = dataset.graph
    codes = np.unique(dataset.y, return_inverse=True)[1]
    rows = []
    for name, run in {
        "GCN of PyG": lambda: of_pyg(graph, codes, epochs),
        "GCN": lambda: farhop.NodeClassifier(model="gcn", width=16, epochs=epochs, verbose=False).fit(dataset).scores_["test"],
        "GEN": lambda: farhop.NodeClassifier(epochs=epochs, verbose=False).fit(dataset).scores_["test"],
    }.items():
        begin = time.perf_counter()
        rows.append((name, run(), time.perf_counter() - begin))
        print(f"{rows[-1][0]:12} test accuracy {rows[-1][1]:.1%} in {rows[-1][2]:.1f} s")
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        names, scores, seconds = zip(*rows)
        _, (left, right) = pyplot.subplots(1, 2, sharey=True, figsize=(6, 2.4))
        left.bar_label(left.barh(names, scores), fmt="%.3f", label_type="center", color="white")
        left.set_xlabel("test accuracy")
        right.bar_label(right.barh(names, seconds), fmt="%.1f", padding=2)
        right.margins(x=0.25)
        right.set_xlabel("seconds")
        left.invert_yaxis()
        pyplot.tight_layout()
        pyplot.savefig(picture)
    return {name: score for name, score, _ in rows}


if __name__ == "__main__":
    main(*sys.argv[1:])
