#!/usr/bin/env python3
"""Beside exact training over several processes: sampled neighbourhoods, as users of PyTorch Geometric train a graph that does not fit.

GraphSAGE of PyTorch Geometric (SAGEConv, mean) on batches of nodes with a fixed number of drawn neighbours a hop, drawn by its NeighborLoader.
That needs a compiled package, pyg-lib or torch-sparse; where neither is there, or with `--own-draw`, the draw is the numpy code below, by the same
rule (up to `fan` neighbours of every node without putting back, hop after hop). Nodes are owned by the processes of a folder of parts, every process trains
on batches of its own nodes, and what is counted is what it would have to fetch: features of drawn nodes that another one owns, once a batch,
and the rows of neighbours that it has to ask another one for; gradients are added up once a step (2 times the parameters).

    sampling.py --run RUN --parts FOLDER --data-dir DATA      # RUN: a farhop run on pubmed, whose split is taken
"""

import argparse
import json
import pathlib
import pickle
import time

import numpy as np
import torch
import torch_geometric.typing
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import SAGEConv


def pubmed(folder):
    """Edges both ways, features, classes of the citation network as its authors stored it."""
    raw = pathlib.Path(folder) / "planetoid-pubmed"
    raw = next(iter(raw.rglob("ind.pubmed.graph"))).parent
    read = lambda name: pickle.load(open(raw / f"ind.pubmed.{name}", "rb"), encoding="latin1")
    x, tx, allx, y, ty, ally, graph = map(read, ("x", "tx", "allx", "y", "ty", "ally", "graph"))
    test = np.loadtxt(raw / "ind.pubmed.test.index", dtype=np.int64)
    features = np.vstack([allx.toarray(), tx.toarray()]).astype(np.float32)
    labels = np.vstack([ally, ty]).argmax(1)
    order = np.arange(len(features))
    order[test] = np.arange(len(ally), len(features))
    pairs = {(a, b) for a, others in graph.items() for b in others if a != b}
    pairs |= {(b, a) for a, b in pairs}
    pairs = np.array(sorted(pairs), dtype=np.int64)
    return pairs, features[order], labels[order]


def draw(starts, targets, seeds, fans, random):
    """Nodes (seeds first) and edges (from, to) by places among them."""
    nodes, place, edges, front = list(seeds), {node: at for at, node in enumerate(seeds)}, [], list(seeds)
    for fan in fans:
        following = []
        for node in front:
            row = targets[starts[node]:starts[node + 1]]
            if len(row) > fan:
                row = random.choice(row, fan, replace=False)
            for other in row:
                if other not in place:
                    place[other] = len(nodes)
                    nodes.append(other)
                    following.append(other)
                edges.append((place[other], place[node]))
        front = following
    return np.array(nodes), np.array(edges, dtype=np.int64).reshape(-1, 2)


def batches_drawn(starts, targets, own, given, fans, random):
    """Batches by the code above: nodes, edges `[2, E]`, how many of the nodes are to be predicted."""
    own = random.permutation(own)
    for first in range(0, len(own), given.batch):
        seeds = own[first:first + given.batch].tolist()
        nodes, edges = draw(starts, targets, seeds, fans, random)
        yield nodes, torch.from_numpy(edges.T.copy()), len(seeds)


def batches_loaded(whole, own, given, fans):
    """Batches by NeighborLoader."""
    data = Data(edge_index=whole, num_nodes=int(whole.max()) + 1)
    for batch in NeighborLoader(data, num_neighbors=fans, input_nodes=torch.from_numpy(own), batch_size=given.batch, shuffle=True):
        yield batch.n_id.numpy(), batch.edge_index, batch.batch_size


class Sage(torch.nn.Module):
    def __init__(self, inputs, width, classes, layers):
        super().__init__()
        sizes = [inputs] + [width] * (layers - 1) + [classes]
        self.layers = torch.nn.ModuleList(SAGEConv(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x, edges):
        for i, layer in enumerate(self.layers):
            x = layer(x, edges)
            if i + 1 < len(self.layers):
                x = torch.nn.functional.dropout(torch.relu(x), 0.5, self.training)
        return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True)
    parser.add_argument("--parts", required=True)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--fans", default="15,10,5")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--own-draw", action="store_true", help="the numpy code also where NeighborLoader can draw")
    parser.add_argument("--out")
    given = parser.parse_args()
    by = [name for name in ("pyg-lib", "torch-sparse") if getattr(torch_geometric.typing, "WITH_" + name.replace("-", "_").upper())]
    loads = bool(by) and not given.own_draw
    torch.set_num_threads(1)
    pairs, features, labels = pubmed(given.data_dir)
    split = json.loads((pathlib.Path(given.run) / "split.json").read_text())
    part = lambda name: np.array([int(unit) for unit in split[name]])
    train, valid, test = part("train"), part("valid"), part("test")
    owners = np.zeros(len(features), dtype=np.int64)
    files = sorted(pathlib.Path(given.parts).glob("part-*.farhop"))
    for owner, file in enumerate(files):
        held = np.load(file)
        owners[held["part_nodes"][: len(held["part_nodes"]) - len(held["part_owners"])]] = owner
    # Row i: those that i receives from.
    order = np.argsort(pairs[:, 0], kind="stable")
    targets = pairs[order, 1]
    starts = np.searchsorted(pairs[order, 0], np.arange(len(features) + 1))
    fans = [int(fan) for fan in given.fans.split(",")]
    x, y = torch.from_numpy(features), torch.from_numpy(labels)
    whole = torch.from_numpy(pairs[:, ::-1].T.copy())
    scores, moved, seconds = [], [], []
    for seed in range(given.seeds):
        torch.manual_seed(seed)
        random = np.random.default_rng(seed)
        model = Sage(features.shape[1], given.width, int(labels.max()) + 1, len(fans))
        parameters = sum(weight.numel() for weight in model.parameters())
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
        best = (0.0, 0.0)
        for _ in range(given.epochs):
            start, bytes_moved, steps = time.time(), 0, 0
            model.train()
            for owner in range(len(files)):
                own = train[owners[train] == owner]
                drawn = batches_loaded(whole, own, given, fans) if loads else batches_drawn(starts, targets, own, given, fans, random)
                for nodes, edges, count in drawn:
                    away = owners[nodes] != owner
                    # Features of strangers, and one 8-byte id for every neighbour that a stranger names.
                    bytes_moved += int(away.sum()) * features.shape[1] * 4 + int(away[edges[1].numpy()].sum()) * 8
                    out = model(x[nodes], edges)
                    loss = torch.nn.functional.cross_entropy(out[:count], y[nodes[:count]])
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                    steps += 1
            moved.append(bytes_moved + 2 * 4 * parameters * (len(files) - 1) * -(-steps // len(files)))
            seconds.append(time.time() - start)
            model.eval()
            with torch.no_grad():
                right = (model(x, whole).argmax(1) == y).numpy()
            best = max(best, (right[valid].mean(), right[test].mean()))
        scores.append(float(best[1]))
    found = {"date": time.strftime("%Y-%m-%d"), "drawn_by": f"NeighborLoader ({by[0]})" if loads else "own code", "torch": torch.__version__,
             "torch_geometric": torch_geometric.__version__, "processes": len(files), "fans": fans, "batch": given.batch, "epochs": given.epochs, "train": len(train),
             "test_accuracy": scores, "mean": float(np.mean(scores)), "bytes_per_epoch": float(np.mean(moved)), "seconds_per_epoch_one_process": float(np.mean(seconds))}
    print(json.dumps(found))
    if given.out:
        pathlib.Path(given.out).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
