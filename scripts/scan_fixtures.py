"""The selective scan and its gradients in float64, as a fixture of farhop-kernels' tests.

    python scripts/scan_fixtures.py <folder of outside numbers>/graph-mamba/scan.npz crates/farhop-kernels/tests/fixtures/selective_scan.json

The numbers come from the reference scan of state-spaces/mamba v1.0.1. There the arrays are [batch, channel, time];
here they are rows of all sequences, one after the other: [batch * time, channel]. Needs numpy.
"""
import json
import pathlib
import sys

import numpy

source, target = sys.argv[1:]
arrays = numpy.load(source)
config = json.loads(str(arrays["config"]))


def rows(array):
    array = array.transpose(0, 2, 1) if array.ndim == 3 else array
    return array.flatten().tolist()


names = ["u", "delta", "A", "B", "C", "D", "z", "delta_bias"]
fixture = {
    "offsets": [config["length"] * at for at in range(config["batch"] + 1)],
    "channels": config["channels"],
    "states": config["state"],
    "inputs": [rows(arrays[name]) for name in names],
    "out": rows(arrays["out"]),
    "cotangent": rows(arrays["cotangent"]),
    "gradients": [rows(arrays["grad/" + name]) for name in names],
}
pathlib.Path(target).write_text(json.dumps(fixture) + "\n")
