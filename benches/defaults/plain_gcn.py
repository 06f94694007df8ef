"""The bar of `pyg_gcn.py` over several seeds, without PyTorch: the same model and optimiser for one graph with classes, in numpy and scipy.

    python plain_gcn.py DATASET.farhop --seeds 3 [--head]

Width 64, dropout 0.5 before both convolutions, weights by Glorot, biases 0, Adam with learning rate 0.01 and weight decay 5e-4 in the gradient, 200
epochs, the weights of the best validation score. With `--head` the second convolution has 64 channels, too, and relu, dropout and a linear map follow,
as in the models of farhop. Prints one JSON object a seed.
"""
import argparse
import json
import time

import numpy as np
import scipy.sparse as sp

WIDTH, DROPOUT, RATE, DECAY, EPOCHS = 64, 0.5, 0.01, 5e-4, 200


def read(path):
    """Score, features and the normalised adjacency with self-loops as sparse matrices, labels, parts."""
    file = np.load(path)
    about = json.loads(bytes(file["metadata"]))
    starts, sources = file["row_starts"].astype(np.int64), file["sources"].astype(np.int64)
    nodes, width = len(starts) - 1, about["nodes"]["width"]
    if about["nodes"]["sparse"]:
        x = sp.csr_matrix((file["node_sparse_values"], file["node_sparse_indices"], file["node_sparse_offsets"]), (nodes, width))
    else:
        x = sp.csr_matrix(file["node_numbers"].reshape(nodes, width))
    edges = sp.csr_matrix((np.ones(len(sources), np.float32), sources, starts), (nodes, nodes))
    edges.setdiag(1.0)
    root = sp.diags(1.0 / np.sqrt(np.asarray(edges.sum(1)).ravel())).astype(np.float32)
    parts = {part: file[part].astype(np.int64) for part in ("train", "valid", "test")}
    return about["metric"], x.astype(np.float32), (root @ edges @ root).tocsr(), file["labels"].astype(np.int64), parts


def area(margin, yes):
    """Under the ROC curve, by ranks."""
    values, places = np.unique(margin, return_inverse=True)
    counts = np.bincount(places)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return (rank[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum())


def trained(metric, x, edges, labels, parts, seed, head):
    random = np.random.default_rng(seed)
    classes = labels.max() + 1

    def weights(rows, columns):
        bound = np.sqrt(6 / (rows + columns))
        return random.uniform(-bound, bound, (rows, columns)).astype(np.float32)

    widths = [x.shape[1], WIDTH, *([WIDTH] if head else []), classes]
    values = [value for a, b in zip(widths, widths[1:]) for value in (weights(a, b), np.zeros(b, np.float32))]
    first, second = [np.zeros_like(value) for value in values], [np.zeros_like(value) for value in values]

    def dropped(shape):
        return (random.random(shape, dtype=np.float32) >= DROPOUT).astype(np.float32) / (1 - DROPOUT)

    def score(out, part):
        out, truth = out[parts[part]], labels[parts[part]]
        return float(area(out[:, 1] - out[:, 0], truth == 1)) if metric == "roc-auc" else float((out.argmax(1) == truth).mean())

    best, begin, train = None, time.time(), parts["train"]
    for epoch in range(1, EPOCHS + 1):
        fed = x.copy()
        fed.data *= dropped(fed.data.shape)
        hidden = edges @ (fed @ values[0]) + values[1]
        mask = dropped(hidden.shape) * (hidden > 0)
        kept = hidden * mask
        out = edges @ (kept @ values[2]) + values[3]
        if head:
            late = dropped(out.shape) * (out > 0)
            deep = out * late
            out = deep @ values[4] + values[5]
        chances = np.exp(out - out.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slope = np.zeros_like(out)
        slope[train] = chances[train] / len(train)
        slope[train, labels[train]] -= 1 / len(train)
        own = [deep.T @ slope, slope.sum(0)] if head else []
        if head:
            slope = (slope @ values[4].T) * late
        back = edges.T @ slope
        inner = (back @ values[2].T) * mask
        gradients = [fed.T @ (edges.T @ inner), inner.sum(0), kept.T @ back, slope.sum(0), *own]
        for at, gradient in enumerate(gradients):
            gradient = gradient + DECAY * values[at]
            first[at] = 0.9 * first[at] + 0.1 * gradient
            second[at] = 0.999 * second[at] + 0.001 * gradient**2
            values[at] -= (RATE * (first[at] / (1 - 0.9**epoch)) / (np.sqrt(second[at] / (1 - 0.999**epoch)) + 1e-8)).astype(np.float32)
        out = edges @ (np.maximum(edges @ (x @ values[0]) + values[1], 0) @ values[2]) + values[3]
        if head:
            out = np.maximum(out, 0) @ values[4] + values[5]
        valid = score(out, "valid")
        if best is None or valid > best["valid"]:
            best = {"train": score(out, "train"), "valid": valid, "test": score(out, "test"), "best_epoch": epoch}
    return {"metric": metric, **best, "epochs": EPOCHS, "seconds_per_epoch": (time.time() - begin) / EPOCHS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--head", action="store_true")
    given = parser.parse_args()
    data = read(given.dataset)
    for seed in range(given.seed, given.seed + given.seeds):
        print(json.dumps(trained(*data, seed, given.head)), flush=True)


if __name__ == "__main__":
    main()
