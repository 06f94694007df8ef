"""GENConv in a training loop of PyTorch Geometric: rings whose answer lies on the far side.

    python gen_in_pyg.py [PICTURE.png]

Needs torch and torch_geometric, and matplotlib for the picture.
"""
import sys

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, Sequential

from farhop.torch import GENConv


def ring(colour, far, noise):
    """A ring of 2 far nodes: the colour is at node `far`, the question at node 0."""
    nodes = 2 * far
    there = torch.arange(nodes)
    edges = torch.stack([there, (there + 1) % nodes])
    x = torch.zeros(nodes, 5)
    x[far, colour] = 1
    x[0, 4] = 1
    others = torch.arange(1, nodes)[torch.arange(1, nodes) != far]
    x[others, :4] = noise * torch.rand(len(others), 4)
    return Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], 1), y=torch.tensor([colour]), asks=torch.arange(nodes) == 0)


def network(kind, far, width=32):
    if kind == "GENConv":
        layers = [(GENConv(5, width, hops=far), "x, edge_index -> x"), torch.nn.ReLU()]
    else:
        layers = [(GCNConv(5, width), "x, edge_index -> x"), torch.nn.ReLU()]
        layers += [item for _ in range(far - 1) for item in ((GCNConv(width, width), "x, edge_index -> x"), torch.nn.ReLU())]
    return Sequential("x, edge_index", [*layers, torch.nn.Linear(width, 4)])


def trained(kind, far, epochs):
    torch.manual_seed(0)
    train = [ring(number % 4, far, 0.3) for number in range(160)]
    test = [ring(number % 4, far, 0.3) for number in range(80)]
    model = network(kind, far)
    optimizer = torch.optim.Adam(model.parameters(), 0.005)
    curve = []
    for _ in range(epochs):
        model.train()
        for batch in DataLoader(train, batch_size=40, shuffle=True):
            loss = F.cross_entropy(model(batch.x, batch.edge_index)[batch.asks], batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            right = [(model(one.x, one.edge_index)[one.asks].argmax(1) == one.y).float().mean() for one in DataLoader(test, batch_size=80)]
        curve.append(float(torch.stack(right).mean()))
    return curve


def main(picture=None, far=4, epochs=40):
    curves = {kind: trained(kind, far, epochs) for kind in ("GENConv", "GCNConv")}
    for kind, curve in curves.items():
        print(f"{kind}: {curve[-1]:.1%} right on rings whose answer is {far} hops away (guessing: 25 %)")
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        pyplot.figure(figsize=(4.5, 3))
        for kind, curve in curves.items():
            pyplot.plot(curve, label=kind)
        pyplot.xlabel("epoch")
        pyplot.ylabel("test accuracy")
        pyplot.legend()
        pyplot.tight_layout()
        pyplot.savefig(picture)
    return curves["GENConv"][-1]


if __name__ == "__main__":
    main(*sys.argv[1:])
