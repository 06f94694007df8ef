"""GENConv of the Python package beside the same layer in PyTorch: time of a training step and peak memory, one process each, in turns.

    python run.py --graph arxiv.npz [--width 128] [--hops 4] [--steps 3] [--repeats 2] [--out FILE.json]

`graph` as ../peers/graphs.py makes it: python ../peers/graphs.py power-law --nodes 169343 --edges 1166243 --features 128 --classes 40 arxiv.npz
A step is forward, mean squared error, backward and an optimiser's step of one layer with its feed-forward network, on all nodes. Needs torch and the farhop wheel.
"""
import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

KINDS = ("farhop", "pytorch", "pytorch-checkpoints")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", required=True)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--hops", type=int, default=4)
    parser.add_argument("--steps", type=int, default=3, help="after one that warms up")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--out")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    return parser.parse_args()


def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def one(asked):
    """Measures one kind in this process."""
    import numpy as np
    import torch

    torch.set_num_threads(asked.threads)
    torch.manual_seed(0)
    with np.load(asked.graph) as file:
        edge_index, nodes = torch.from_numpy(file["edge_index"].astype(np.int64)), len(file["x"])
    x = torch.randn(nodes, asked.width)
    if asked.one == "farhop":
        from farhop.torch import GENConv

        layer, edges = GENConv(asked.width, asked.width, hops=asked.hops, gamma=0.75), edge_index
    else:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
        import gen

        edges = gen.Edges(edge_index, nodes)
        edges.use_fastest(asked.width, tries=1)
        layer = gen.GenLayer(asked.width, asked.width, asked.hops, checkpoints="layer" if asked.one.endswith("checkpoints") else "none")
    before = peak()
    optimizer = torch.optim.Adam(layer.parameters(), 0.001)
    target = torch.randn(nodes, asked.width)
    seconds, cpu_seconds = [], []
    for _ in range(asked.steps + 1):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(layer(x, edges), target).backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
        cpu_seconds.append(time.process_time() - cpu_begin)
    # On a machine that others use, the time of the processor says more than that of the clock.
    found = {"kind": asked.one, "seconds": seconds[1:], "cpu_seconds": cpu_seconds[1:], "peak_bytes": peak(), "before_bytes": before}
    print(json.dumps(found))


def main():
    asked = arguments()
    if asked.one:
        return one(asked)
    rows = []
    for _ in range(asked.repeats):
        for kind in asked.kinds.split(","):
            words = [sys.executable, __file__, *sys.argv[1:], "--one", kind]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                print(f"{kind}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f'killed ({done.returncode})'}")
                continue
            rows.append(json.loads(done.stdout.strip().splitlines()[-1]))
            print(f"{kind:20} {statistics.median(rows[-1]['seconds']):7.2f} s a step ({statistics.median(rows[-1]['cpu_seconds']):.2f} s of processors), peak {rows[-1]['peak_bytes'] / 2**30:.2f} GiB", flush=True)
    if asked.out:
        settings = {name: getattr(asked, name) for name in ("graph", "width", "hops", "steps", "repeats", "threads")}
        settings["graph"] = Path(settings["graph"]).name
        Path(asked.out).write_text(json.dumps({"settings": settings, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
