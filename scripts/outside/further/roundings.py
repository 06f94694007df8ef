"""How far one rounding of f32 moves the gradients of a transformer: is a case ill-conditioned, or is an operation inexact?

    FIXTURES=FOLDER_OF_FOLDERS FURTHER=/tmp/further python scripts/outside/further/roundings.py MODEL CASE ARRAY

Everything is computed in f64. Every number that a map, a norm or an attention gives is changed by up to 2^-24 of itself, the same in every evaluation, and
the gradient of that network is compared with the one of the case; four draws. Needs numpy.
"""
import json
import os
import pathlib
import sys

import numpy as np

import transformers
from cases import fd

UNIT = 2.0 ** -24
PARTS = ('lin', 'bn', 'norm', 'attention', 'attention_edges', 'gated', 'gine', 'gcn', 'gnn', 'extract', 'encode', 'act')
draw = {'seed': 0, 'place': 0}


def rounded(part):
    def noisy(value, at):
        if not isinstance(value, np.ndarray) or value.dtype.kind != 'f':
            return value
        return value * (1 + UNIT * np.random.default_rng([draw['seed'], draw['place'], at]).uniform(-1, 1, value.shape))

    def run(self, *given):
        value = part(self, *given)
        draw['place'] += 1
        return tuple(noisy(v, at) for at, v in enumerate(value)) if isinstance(value, tuple) else noisy(value, 0)
    return run


model, case, array = sys.argv[1:4]
module, forward = transformers.net(model)
for part in PARTS:
    if hasattr(module.Net, part):
        setattr(module.Net, part, rounded(getattr(module.Net, part)))
file = np.load(pathlib.Path(os.environ['FURTHER']) / model / f'{case}.npz')
d = {name: file[name] for name in file.files}
config, expected = json.loads(str(d.pop('config'))), d[f'grad/{array}']


def loss():
    draw['place'] = 0
    return float((forward(d, config, False) * d['cotangent']).sum())


for draw['seed'] in range(4):
    error = np.abs(fd(loss, d, [array])[array] - expected).max() / np.abs(expected).max()
    print(f'{model} {case} {array}: {error:.1e} of the largest number')
