"""Copies outside numbers of the baselines (npz, float64) into the fixtures of farhop-nn's tests.

    python scripts/baseline_fixtures.py FOLDER_OF_FOLDERS crates/farhop-nn/tests/fixtures [MODEL ...]

Each folder is a model, each npz a case: graph, inputs, parameters, outputs, gradients. States in between (`mid`) are left out, but for what a
phase of training starts from; every digit of the rest is kept. Needs numpy.
"""
import pathlib
import sys

import numpy as np

STARTS = ("mid/H_init",)

source, target = map(pathlib.Path, sys.argv[1:3])
wanted = sys.argv[3:] or sorted(folder.name for folder in source.iterdir() if folder.is_dir())
for model in wanted:
    (target / model).mkdir(parents=True, exist_ok=True)
    for path in sorted((source / model).glob("*.npz")):
        arrays = np.load(path)
        kept = {name: np.ascontiguousarray(arrays[name]).reshape(arrays[name].shape) for name in arrays.files if name in STARTS or not name.startswith(("mid/", "mid_train/", "state/"))}
        np.savez_compressed(target / model / path.name, **kept)
