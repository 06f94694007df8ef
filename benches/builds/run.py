#!/usr/bin/env python3
"""Two builds of the command beside each other: seconds of an epoch, peak memory, and whether they give the same bits.

    python3 benches/builds/run.py --before old/farhop --farhop target/release/farhop --data-dir DATA
    python3 benches/builds/run.py ... --cells pubmed/graphsage,computers/gcn --threads 1,2

Every cell is a recipe that comes with farhop, trained for a few epochs by both builds in turns, `--repeats` times. The fastest epoch of a build counts, since other
work on the machine only ever adds to it. Bits are those of the weights after the last epoch. Writes benches/runs/DATE-builds.json. Standard library only.
"""
import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402

# Wide layers, where few nodes have labels and where most have; narrow ones, where nothing should change.
CELLS = "pubmed/graphsage,pubmed/gat,cora/gcn,computers/gcn,computers/gen,squirrel-filtered/gat,physics/gat,photo/h2gcn,pubmed/dagnn"


def trained(farhop, cell, threads, asked, folder):
    """A short run: seconds of its epochs, memory, and its weights as bytes."""
    dataset, model = cell.split("/")
    run = folder / "run"
    line = [farhop, "train", dataset, "--model", model, "--recipe", "tuned", "--set", f"train.epochs={asked.epochs}", "--threads", threads, "--json", "--quiet",
            "--overwrite", "--out", run]
    line += ["--data-dir", asked.data_dir] if asked.data_dir else []
    answer = common.run_json(line)
    if "failed" in answer:
        return answer
    epochs = [json.loads(row)["seconds"] for row in (run / "metrics.jsonl").read_text().splitlines()]
    return {"seconds": epochs, "peak_bytes": answer["peak_rss_bytes"], "weights": (run / "model.safetensors").read_bytes()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="the build to compare with")
    parser.add_argument("--farhop", type=Path, required=True)
    parser.add_argument("--data-dir")
    parser.add_argument("--cells", default=CELLS)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    builds = {"before": asked.before.resolve(), "now": asked.farhop.resolve()}
    points = []
    print(f"{'cell':28} {'threads':>7} {'before':>9} {'now':>9} {'ratio':>6}   {'memory':>17}  bits")
    for cell in asked.cells.split(","):
        for threads in asked.threads.split(","):
            with tempfile.TemporaryDirectory() as folder:
                found = common.interleaved(builds, asked.repeats, lambda name, _: trained(builds[name], cell, threads, asked, Path(folder)))
            failed = [one["failed"] for runs in found.values() for one in runs if "failed" in one]
            if failed:
                print(f"{cell:28} {threads:>7} {failed[0]}")
                points.append({"cell": cell, "threads": int(threads), "failed": failed[0]})
                continue
            fastest = {name: min(min(one["seconds"]) for one in runs) for name, runs in found.items()}
            memory = {name: min(one["peak_bytes"] for one in runs) for name, runs in found.items()}
            same = len({one["weights"] for runs in found.values() for one in runs}) == 1
            points.append({"cell": cell, "threads": int(threads), "same_bits": same, "ratio": fastest["now"] / fastest["before"], "peak_bytes": memory,
                           "seconds": {name: [one["seconds"] for one in runs] for name, runs in found.items()}})
            mib = " -> ".join(f"{value / 2**20:.0f}" for value in memory.values())
            print(f"{cell:28} {threads:>7} {fastest['before']:8.3f}s {fastest['now']:8.3f}s {points[-1]['ratio']:6.2f}   {mib + ' MiB':>17}  "
                  f"{'the same' if same else 'others'}", flush=True)
    date = datetime.date.today().isoformat()
    out = asked.out or common.RUNS / f"{date}-builds.json"
    record = {"date": date, "benchmark": "builds", "machine": common.machine(builds["now"]), "epochs": asked.epochs, "points": points}
    out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
