"""Two datasets for the choice of defaults that look like what users bring: few features, uneven classes, tables.

    python few_features.py DATA OUT

Needs numpy. `few-features`: the Squirrel graph, each node with the first ten principal components of its features, the target whether its traffic is
in the highest fifth, scored by ROC-AUC; so that high degrees, few features and a rare class come together. `tables`: Amazon Photo with 16
components, a category of degrees, and the category of the product as target, a tenth of the nodes labelled. Both as nodes and edges tables.
`few-raw`: the first again as arrays, its features between 0 and 1 and never standardised.
"""
import sys
from pathlib import Path

import numpy as np


def components(x, count):
    x = x - x.mean(0)
    values, vectors = np.linalg.eigh(x.T @ x)
    return x @ vectors[:, ::-1][:, :count]


def write(folder, name, columns, labels, pairs):
    folder.mkdir(parents=True, exist_ok=True)
    keys = list(columns)
    with open(folder / f"{name}-nodes.csv", "w") as file:
        file.write("id," + ",".join(keys) + ",label\n")
        for node in range(len(labels)):
            cells = [f"{columns[key][node]:.5g}" if columns[key].dtype.kind == "f" else str(columns[key][node]) for key in keys]
            file.write(f"n{node}," + ",".join(cells) + f",{labels[node]}\n")
    with open(folder / f"{name}-edges.csv", "w") as file:
        file.write("source,target\n")
        file.writelines(f"n{a},n{b}\n" for a, b in pairs)


def main():
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    squirrel = np.load(data / "heterophilous" / "squirrel.npz")
    few = components(squirrel["node_features"].astype(np.float64), 10)
    high = np.where(squirrel["node_labels"] == 4, "yes", "no")
    write(out, "few-features", {f"x{at}": few[:, at] for at in range(10)}, high, squirrel["edges"])
    raw = (few - few.min(0)) / (few.max(0) - few.min(0))
    masks = {f"{part}_masks": squirrel[f"{part}_masks"] for part in ("train", "val", "test")}
    np.savez(out / "few-raw.npz", node_features=raw.astype(np.float32), node_labels=(squirrel["node_labels"] == 4).astype(np.int64),
             edges=squirrel["edges"], **masks)
    photo = np.load(data / "amazon-photo" / "amazon_photo.npz", allow_pickle=True)
    nodes = len(photo["labels"])
    x = np.zeros((nodes, photo["attr_shape"][1]))
    x[np.repeat(np.arange(nodes), np.diff(photo["attr_indptr"])), photo["attr_indices"]] = photo["attr_data"]
    degrees = np.diff(photo["adj_indptr"])
    size = np.array(["none", "few", "some", "many"])[np.searchsorted([1, 5, 25], degrees, side="right")]
    labels = photo["labels"].astype(str)
    labels[np.random.default_rng(0).random(nodes) > 0.1] = ""
    mixed = {f"x{at}": column for at, column in enumerate(components(x, 16).T)}
    rows = np.repeat(np.arange(nodes), degrees)
    write(out, "tables", {**mixed, "links": size}, labels, zip(rows, photo["adj_indices"]))


if __name__ == "__main__":
    main()
