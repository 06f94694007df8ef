"""A graph of one's own from two pandas tables: who has which job, told by whom they know.

    python own_graph.py [PICTURE.png]

Needs pandas, and matplotlib for the picture.
"""
import sys

import numpy as np
import pandas as pd

import farhop


def tables(people=240, seed=0):
    """People of three professions; most of those whom they know have the same one."""
    random = np.random.RandomState(seed)
    codes = random.randint(3, size=people)
    jobs = np.array(["baker", "teacher", "sailor"])[codes]
    # Where somebody lives says a little; where their acquaintances live says more.
    towns = np.where(random.rand(people) < 0.4, codes, random.randint(3, size=people))
    names = [f"p{number}" for number in range(people)]
    pairs = set()
    while len(pairs) < 3 * people:
        a, b = random.randint(people, size=2)
        if a != b and (jobs[a] == jobs[b] or random.rand() < 0.08):
            pairs.add((min(a, b), max(a, b)))
    nodes = pd.DataFrame({
        "id": names,
        "age": random.randint(20, 65, size=people),
        "town": np.array(["A", "B", "C"])[towns],
        "job": jobs,
        "split": np.array(["train", "valid", "test"])[np.searchsorted([0.3, 0.5], random.rand(people))],
    })
    edges = pd.DataFrame([(names[a], names[b]) for a, b in sorted(pairs)], columns=["source", "target"])
    return nodes, edges


def main(picture=None):
    nodes, edges = tables()
    dataset = farhop.tables(nodes, edges, target="job")
    print(dataset.card())
    model = farhop.NodeClassifier(hops=3, width=32, epochs=60, verbose=False).fit(dataset)
    shares = {part: f"{score:.1%}" for part, score in model.scores_.items()}
    print("right:", shares, "| guessing the most frequent one:", f"{nodes['job'].value_counts(normalize=True).max():.1%}")
    print("p0 is probably a", model.predict()[0])
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        weights = model.hop_attention_.mean(axis=(1, 2))
        pyplot.figure(figsize=(5, 3))
        for layer, row in enumerate(weights):
            pyplot.plot(range(1, len(row) + 1), row, marker="o", label=f"layer {layer + 1}")
        pyplot.xticks(range(1, weights.shape[1] + 1))
        pyplot.ylim(bottom=0)
        pyplot.xlabel("hop")
        pyplot.ylabel("mean weight")
        pyplot.legend()
        pyplot.tight_layout()
        pyplot.savefig(picture)
    return model.scores_["test"]


if __name__ == "__main__":
    main(*sys.argv[1:])
