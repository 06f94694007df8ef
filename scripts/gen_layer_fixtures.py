"""Turns outside numbers of one GEN layer (npz, float64) into the JSON fixtures of farhop-kernels' tests.

    python scripts/gen_layer_fixtures.py FOLDER_WITH_NPZ crates/farhop-kernels/tests/fixtures/gen_layer

The npz files were made with PyTorch in float64, gradients by autograd. Each array becomes {"shape": [...], "data": [...]}
with every digit kept. Needs numpy.
"""
import json
import pathlib
import sys

import numpy as np

source, target = map(pathlib.Path, sys.argv[1:3])
target.mkdir(parents=True, exist_ok=True)
for path in sorted(source.glob("*.npz")):
    arrays = np.load(path)
    out = {
        name: {"shape": list(arrays[name].shape), "data": np.ravel(arrays[name]).astype(float).tolist()}
        for name in arrays.files
    }
    (target / (path.stem + ".json")).write_text(json.dumps(out) + "\n")
