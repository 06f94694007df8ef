"""Trains on one dataset after the other with the farhop command and writes what came out.

    python scripts/show_datasets.py FARHOP DATA_FOLDER OUT_FOLDER benches/runs/datasets-DATE.json

FARHOP is the command, DATA_FOLDER holds the datasets, OUT_FOLDER gets the runs. The JSON file has one object per dataset with the
command, the scores, seconds per epoch, peak memory and the share of time spent waiting for batches; a Markdown table of it goes to
standard output.
"""
import json
import os
import pathlib
import subprocess
import sys

COMMANDS = [
    "cora",
    "citeseer",
    "pubmed",
    "photo",
    "chameleon-filtered",
    "squirrel-filtered",
    "actor",
    "nci1 --epochs 40",
    "proteins",
    "zinc-acyclic",
    "peptides-func --epochs 3",
    "ogbg-molhiv --epochs 2",
]

farhop, data, out, record = sys.argv[1:5]
environment = dict(os.environ, FARHOP_DATA=data)
results = []
print("| command | score | train | valid | test | epochs | seconds per epoch | waiting for batches | peak memory |")
print("|---|---|---|---|---|---|---|---|---|")
for words in COMMANDS:
    name = words.split()[0]
    arguments = ["train", *words.split()]
    run = pathlib.Path(out) / name
    done = subprocess.run(
        [farhop, *arguments, "--out", str(run), "--overwrite", "--threads", "2", "--json", "--quiet"],
        env=environment, capture_output=True, text=True,
    )
    if done.returncode != 0:
        print(f"| `farhop {' '.join(arguments)}` | failed: {done.stderr.strip()} |")
        continue
    result = json.loads(done.stdout)
    result.pop("run")
    result["command"] = "farhop " + " ".join(arguments)
    results.append(result)
    percent = result["metric"] in ("accuracy", "macro-f1")
    shown = lambda value: "-" if value is None else f"{100 * value:.1f} %" if percent else f"{value:.4f}"
    print(
        f"| `{result['command']}` | {result['metric']} | {shown(result['train'])} | {shown(result['valid'])} | "
        f"{shown(result['test'])} | {result['epochs']} | {result['seconds_per_epoch']:.3f} | "
        f"{100 * result['loading_share']:.1f} % | {result['peak_rss_bytes'] / 2**20:.0f} MiB |",
        flush=True,
    )
    pathlib.Path(record).write_text(json.dumps(results, indent=1) + "\n")
