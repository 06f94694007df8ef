"""Hop features for a classifier of scikit-learn: the elimination as preprocessing.

    python hop_features.py [PICTURE.png]

Needs scikit-learn, and matplotlib for the picture. On a tree whose nodes have a random colour, the label of a node is the most frequent colour
at distance exactly 3.
"""
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import farhop

FAR, COLOURS = 3, 4


def tree(nodes=1500, seed=0):
    random = np.random.RandomState(seed)
    parents = np.array([random.randint(max(0, number - 40), number) for number in range(1, nodes)])
    colours = np.eye(COLOURS, dtype=np.float32)[random.randint(COLOURS, size=nodes)]
    return farhop.Graph(np.stack([parents, np.arange(1, nodes)]), colours)


def main(picture=None):
    graph = tree()
    hops = farhop.hops(graph, rounds=5)
    asked = hops[FAR - 1].max(1) > 0
    y = hops[FAR - 1].argmax(1)[asked]
    scores = {}
    for name, features in {
        "the node": graph.x,
        "neighbours": np.concatenate([graph.x, hops[0]], 1),
        **{f"hop {k}": hops[k - 1] for k in range(2, 6)},
        "all hops": np.concatenate([graph.x, *hops], 1),
    }.items():
        scores[name] = cross_val_score(LogisticRegression(max_iter=2000), features[asked], y, cv=4).mean()
        print(f"{name:12} {scores[name]:.1%}")
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        pyplot.figure(figsize=(5, 3))
        pyplot.barh(list(scores), list(scores.values()))
        pyplot.gca().invert_yaxis()
        pyplot.xlabel("accuracy in cross-validation")
        pyplot.tight_layout()
        pyplot.savefig(picture)
    return scores


if __name__ == "__main__":
    main(*sys.argv[1:])
