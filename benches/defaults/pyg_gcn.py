"""The bar for defaults: an untuned GCN of two layers in PyTorch Geometric on a dataset that farhop exported.

    python pyg_gcn.py DATASET.farhop --seed 0

Width 64, dropout 0.5, Adam with learning rate 0.01 and weight decay 5e-4, 200 epochs (100 for many graphs, in batches of 64), the weights of the
best validation score. The numbers of the file as they are, categories one-hot. Prints one JSON object.
"""
import argparse
import json
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import GCNConv, global_mean_pool

WIDTH, DROPOUT, RATE, DECAY, BATCH = 64, 0.5, 0.01, 5e-4, 64


def read(path):
    """The arrays of a dataset, features dense, edges as [2, E]."""
    file = np.load(path)
    about = json.loads(bytes(file["metadata"]))
    starts, sources = file["row_starts"].astype(np.int64), file["sources"].astype(np.int64)
    nodes = len(starts) - 1
    targets = np.repeat(np.arange(nodes), np.diff(starts))
    width = about["nodes"]["width"]
    if about["nodes"]["sparse"]:
        x = np.zeros((nodes, width), np.float32)
        offsets = file["node_sparse_offsets"]
        x[np.repeat(np.arange(nodes), np.diff(offsets)), file["node_sparse_indices"]] = file["node_sparse_values"]
    else:
        x = file["node_numbers"].reshape(nodes, width) if "node_numbers" in file else np.zeros((nodes, 0), np.float32)
    if about["nodes"]["sizes"]:
        kinds = file["node_categories"].reshape(nodes, -1)
        x = np.concatenate([x, *(np.eye(size, dtype=np.float32)[kinds[:, at]] for at, size in enumerate(about["nodes"]["sizes"]))], 1)
    y = file["labels"] if "labels" in file else file["values"].reshape(-1, len(about["target"]["names"]))
    graphs = file["graph_starts"].astype(np.int64)
    parts = {part: file[part].astype(np.int64) for part in ("train", "valid", "test")}
    return about, torch.tensor(x), torch.tensor(np.stack([sources, targets])), torch.tensor(y), torch.tensor(graphs), parts


class Gcn(torch.nn.Module):
    def __init__(self, inputs, outputs, pooled):
        super().__init__()
        self.first, self.second = GCNConv(inputs, WIDTH), GCNConv(WIDTH, WIDTH if pooled else outputs)
        self.head = torch.nn.Linear(WIDTH, outputs) if pooled else None

    def forward(self, x, edges, batch=None):
        x = F.dropout(x, DROPOUT, self.training)
        x = F.dropout(F.relu(self.first(x, edges)), DROPOUT, self.training)
        x = self.second(x, edges)
        return x if self.head is None else self.head(global_mean_pool(F.relu(x), batch))


def loss_of(metric, out, y):
    if y.dtype == torch.int64:
        return F.cross_entropy(out, y)
    known = ~y.isnan()
    return F.l1_loss(out[known], y[known]) if metric in ("mae", "rmse", "r2") else F.binary_cross_entropy_with_logits(out[known], y[known])


def auc(score, yes):
    """By ranks, equal scores sharing theirs."""
    values, places = np.unique(score, return_inverse=True)
    counts = np.bincount(places)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[places]
    positive = yes.sum()
    return (rank[yes].sum() - positive * (positive + 1) / 2) / (positive * (len(yes) - positive))


def score(metric, out, y):
    """Larger is better, so errors are negative."""
    if metric == "accuracy":
        return (out.argmax(1) == y).float().mean().item()
    if metric == "balanced-accuracy":
        right = out.argmax(1) == y
        return float(np.mean([right[y == kind].float().mean().item() for kind in y.unique()]))
    if metric == "roc-auc":
        if y.dtype == torch.int64:
            return float(auc((out[:, 1] - out[:, 0]).numpy(), (y == 1).numpy()))
        columns = [(out[:, at][~y[:, at].isnan()], y[:, at][~y[:, at].isnan()]) for at in range(y.shape[1])]
        return float(np.mean([auc(o.numpy(), t.numpy() > 0) for o, t in columns if 0 < t.sum() < len(t)]))
    if metric == "mae":
        return -(out - y).abs().nanmean().item()
    raise SystemExit(f"error: no score {metric} here.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    about, x, edges, y, graphs, parts = read(given.dataset)
    metric, pooled = about["metric"], about["level"] == "graph"
    outputs = len(about["target"].get("classes") or about["target"]["names"])
    model = Gcn(x.shape[1], outputs, pooled)
    optimizer = torch.optim.Adam(model.parameters(), RATE, weight_decay=DECAY)
    # Errors are learned on a scale of mean 0 and deviation 1, as farhop does.
    shift, size = (0.0, 1.0)
    if y.dtype != torch.int64 and metric == "mae":
        shift, size = y[parts["train"]].mean(0), y[parts["train"]].std(0)
    of_node = torch.repeat_interleave(torch.arange(len(graphs) - 1), graphs.diff())

    def picked(rows):
        """Some graphs as one."""
        keep = torch.zeros(len(graphs) - 1, dtype=torch.bool)
        keep[rows] = True
        inside = keep[of_node]
        number = torch.cumsum(inside, 0) - 1
        place = torch.cumsum(keep, 0) - 1
        held = inside[edges[0]]
        return x[inside], number[edges[:, held]], place[of_node[inside]], torch.sort(torch.as_tensor(rows)).values

    def answers(rows):
        model.eval()
        with torch.no_grad():
            if not pooled:
                return model(x, edges)[rows], y[rows]
            outs, truths = [], []
            for chunk in torch.tensor(rows).split(512):
                a, b, c, order = picked(chunk)
                outs.append(model(a, b, c) * size + shift)
                truths.append(y[order])
            return torch.cat(outs), torch.cat(truths)

    best, start = None, time.time()
    epochs = given.epochs or (100 if pooled else 200)
    generator = torch.Generator().manual_seed(given.seed)
    for epoch in range(epochs):
        train = torch.tensor(parts["train"])
        steps = train[torch.randperm(len(train), generator=generator)].split(BATCH) if pooled else [train]
        for rows in steps:
            model.train()
            optimizer.zero_grad()
            if pooled:
                a, b, c, order = picked(rows)
                loss = loss_of(metric, model(a, b, c), (y[order] - shift) / size if metric == "mae" else y[order])
            else:
                loss = loss_of(metric, model(x, edges)[rows], y[rows])
            loss.backward()
            optimizer.step()
        valid = score(metric, *answers(parts["valid"]))
        if best is None or valid > best["valid"]:
            best = {"valid": valid, "test": score(metric, *answers(parts["test"])), "train": score(metric, *answers(parts["train"])), "epoch": epoch + 1}
    sign = -1 if metric == "mae" else 1
    print(json.dumps({"metric": metric, **{part: sign * best[part] for part in ("train", "valid", "test")},
                      "best_epoch": best["epoch"], "epochs": epochs, "seconds_per_epoch": (time.time() - start) / epochs}))


if __name__ == "__main__":
    main()
