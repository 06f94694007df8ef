"""Losses and their gradients from PyTorch in float64, as fixtures of farhop-kernels' tests.

    python scripts/loss_fixtures.py crates/farhop-kernels/tests/fixtures/losses.json

Unknown targets are null. Needs torch.
"""
import json
import pathlib
import sys

import torch
from torch.nn import functional

torch.manual_seed(7)
NODES, WIDTH = 9, 4
ROWS = [4, 0, 8, 4, 3, 1]


def leaf():
    return (2 * torch.randn(NODES, WIDTH, dtype=torch.float64)).requires_grad_()


def case(name, outputs, loss, **inputs):
    loss.backward()
    return {
        "name": name,
        "width": WIDTH,
        "outputs": outputs.detach().flatten().tolist(),
        "loss": loss.item(),
        "gradient": outputs.grad.flatten().tolist(),
        **inputs,
    }


def optional(values):
    return [None if value != value else value for value in values.flatten().tolist()]


def classes(weights):
    outputs = leaf()
    wanted = torch.randint(0, WIDTH, (len(ROWS),))
    weight = torch.tensor(weights, dtype=torch.float64) if weights else None
    loss = functional.cross_entropy(outputs[ROWS], wanted, weight=weight)
    return case("classes", outputs, loss, rows=ROWS, classes=wanted.tolist(), weights=weights)


def elements(name, function, targets):
    outputs = leaf()
    targets[1, 2] = targets[3, 0] = targets[3, 3] = float("nan")
    known = ~targets.isnan()
    loss = function(outputs[ROWS][known], targets[known])
    return case(name, outputs, loss, rows=ROWS, values=optional(targets))


def pairs():
    outputs = leaf()
    ends = torch.randint(0, NODES, (12, 2))
    ends[5, 1] = ends[5, 0]
    together = torch.rand(12) < 0.5
    scores = (outputs[ends[:, 0]] * outputs[ends[:, 1]]).sum(1)
    loss = functional.binary_cross_entropy_with_logits(scores, together.double())
    return case("pairs", outputs, loss, pairs=ends.tolist(), together=together.tolist())


numbers = lambda: 2 * torch.randn(len(ROWS), WIDTH, dtype=torch.float64)
cases = [
    classes(None),
    classes([0.5, 2.0, 0.0, 1.25]),
    elements("binary", functional.binary_cross_entropy_with_logits, (numbers() > 0).double()),
    elements("l1", functional.l1_loss, numbers()),
    elements("l2", functional.mse_loss, numbers()),
    elements("huber", functional.huber_loss, numbers()),
    pairs(),
]
pathlib.Path(sys.argv[1]).write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
