"""Molecules from SMILES with cross-validation: how much of a molecule is not carbon.

    python molecules.py [PICTURE.png]

Needs scikit-learn, and matplotlib for the picture.
"""
import re
import sys

import numpy as np
from sklearn.model_selection import KFold, cross_val_predict

import farhop


def made(count=160, seed=0):
    """Chains and rings with oxygen, nitrogen and sulphur here and there, and the share of their atoms that is not carbon."""
    random = np.random.RandomState(seed)
    texts = []
    for _ in range(count):
        chain = "".join(random.choice(["C", "C", "C", "O", "N", "CS", "C(=O)", "C(C)"]) for _ in range(random.randint(3, 9)))
        texts.append(random.choice(["", "c1ccccc1", "C1CCCCC1", "c1ccncc1"]) + "C" + chain)
    atoms = [re.findall("[CNOScnos]", text) for text in texts]
    return texts, np.array([np.mean([atom not in "Cc" for atom in every]) for every in atoms])


def main(picture=None, epochs=30):
    smiles, y = made()
    graphs = farhop.molecules(smiles)
    model = farhop.GraphRegressor(epochs=epochs, width=32, layers=2, learning_rate=0.005, verbose=False)
    found = cross_val_predict(model, graphs, y, cv=KFold(4, shuffle=True, random_state=0))
    error, guess = np.abs(found - y).mean(), np.abs(y - y.mean()).mean()
    print(f"mean absolute error {error:.3f} in four-fold cross-validation; always the mean: {guess:.3f}")
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        pyplot.figure(figsize=(3.6, 3.6))
        pyplot.scatter(y, found, s=8)
        pyplot.plot([0, y.max()], [0, y.max()], color="gray", linewidth=1)
        pyplot.xlabel("share that is not carbon")
        pyplot.ylabel("predicted")
        pyplot.tight_layout()
        pyplot.savefig(picture)
    return error / guess


if __name__ == "__main__":
    main(*sys.argv[1:])
