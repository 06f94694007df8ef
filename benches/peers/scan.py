#!/usr/bin/env python3
"""The selective scan, forward and backward, beside the recurrence written down in PyTorch.

    VENV/bin/python benches/peers/scan.py --threads 2 [--out benches/runs/DATE-scan.json]

Builds and runs the example `attention_step` of farhop-kernels, which prints its own times; the peer goes step by step through equally long sequences,
all sequences of a batch at once, which is the best case for it. Times are the shortest of several runs. Needs torch.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402


def literal(u, delta, a, b, c, d, z):
    """u, delta, z [B, T, channels], a [channels, S], b and c [B, T, S], d [channels]."""
    step = torch.nn.functional.softplus(delta)
    state = u.new_zeros(u.shape[0], u.shape[2], a.shape[1])
    outputs = []
    for t in range(u.shape[1]):
        decay = torch.exp(step[:, t, :, None] * a)
        state = decay * state + (step[:, t] * u[:, t])[:, :, None] * b[:, t, None, :]
        outputs.append((state * c[:, t, None, :]).sum(2) + d * u[:, t])
    return torch.stack(outputs, 1) * torch.nn.functional.silu(z)


def timed(sequences, steps, channels, states, repeats):
    torch.manual_seed(0)
    wide = lambda: torch.randn(sequences, steps, channels, requires_grad=True)
    narrow = lambda: torch.randn(sequences, steps, states, requires_grad=True)
    a = -torch.rand(channels, states).requires_grad_()
    inputs = [wide(), wide(), a, narrow(), narrow(), torch.randn(channels, requires_grad=True), wide()]
    gradient = torch.randn(sequences, steps, channels)
    best = {"forward": float("inf"), "both": float("inf")}
    for _ in range(repeats):
        start = time.perf_counter()
        y = literal(*inputs)
        middle = time.perf_counter()
        y.backward(gradient)
        best["forward"] = min(best["forward"], middle - start)
        best["both"] = min(best["both"], time.perf_counter() - start)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    line = ["cargo", "run", "--release", "--quiet", "-p", "farhop-kernels", "--example", "attention_step"]
    ours = subprocess.run(line, cwd=common.ROOT, env={**os.environ, "RAYON_NUM_THREADS": str(given.threads)}, check=True, text=True, stdout=subprocess.PIPE)
    rows = []
    for found in re.finditer(r"scan, (\d+) x (\d+) steps, (\d+) channels of (\d+): ([\d.]+) ms, back ([\d.]+) ms", ours.stdout):
        sequences, steps, channels, states = map(int, found.groups()[:4])
        ahead, back = (float(number) / 1e3 for number in found.groups()[4:])
        peer = timed(sequences, steps, channels, states, given.repeats)
        rows.append({"sequences": sequences, "steps": steps, "channels": channels, "states": states, "farhop_forward_seconds": ahead,
                     "farhop_both_seconds": ahead + back, "torch_forward_seconds": peer["forward"], "torch_both_seconds": peer["both"],
                     "times": peer["both"] / (ahead + back)})
        print(f"{sequences} x {steps} steps, {channels} channels of {states} states: farhop {1e3 * (ahead + back):.1f} ms, "
              f"PyTorch step by step {1e3 * peer['both']:.1f} ms, {rows[-1]['times']:.0f} times")
    if given.out:
        record = {"benchmark": "scan", "torch": torch.__version__, "threads": given.threads, "rows": rows}
        given.out.write_text(json.dumps(record, indent=1) + "\n")


main()
