"""How the general defaults were chosen: candidates over many datasets, by validation, beside an untuned GCN of PyTorch Geometric.

    python3 benches/defaults/run.py --data DATA --peer-python VENV/bin/python --models gen,gcn --out benches/runs/DATE-defaults.json
    python3 benches/defaults/run.py --show --out benches/runs/DATE-defaults.json

DATA holds the datasets of the catalogue. A candidate is one set of settings for all graphs of a kind (`candidates.py`); it is never chosen for one
dataset. Every finished run stays in the run file under its own key: asked again, only what is missing is run. The peer needs torch and
torch_geometric.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402
from candidates import CANDIDATES  # noqa: E402

# Name, arguments of farhop, splits. Small enough to try many candidates.
SINGLE = [
    ("cora", ["cora"], [0]), ("citeseer", ["citeseer"], [0]), ("pubmed", ["pubmed"], [0]), ("photo", ["photo"], [0]),
    ("chameleon-filtered", ["chameleon-filtered"], [0, 1]), ("squirrel-filtered", ["squirrel-filtered"], [0, 1]),
    ("actor", ["actor"], [0]), ("texas", ["texas"], [0, 1]), ("wisconsin", ["wisconsin"], [0, 1]), ("cornell", ["cornell"], [0, 1]),
    ("few-features", [], [0]), ("few-raw", [], [0]), ("tables", [], [0]),
]
MANY = [("mutag", ["mutag"], [0]), ("enzymes", ["enzymes"], [0]), ("proteins", ["proteins"], [0]), ("nci1", ["nci1"], [0]),
        ("zinc-acyclic", ["zinc-acyclic"], [0])]
# Looked at once, after the choice.
HELD_OUT = [("computers", ["computers"], [0]), ("physics", ["physics"], [0]), ("squirrel", ["squirrel"], [0]), ("chameleon", ["chameleon"], [0])]


MADE = ("few-features", "few-raw", "tables")


def toml(settings, prefix=""):
    """Tables of plain values."""
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items() if not isinstance(value, dict))
    for key, value in settings.items():
        if isinstance(value, dict):
            text += f"[{prefix}{key}]\n" + toml(value, f"{prefix}{key}.")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("FARHOP_DATA"))
    parser.add_argument("--peer-python", type=Path, help="runs the peer, too")
    parser.add_argument("--plain-python", type=Path, help="a Python with numpy and scipy: runs the same bar without PyTorch (plain_gcn.py)")
    parser.add_argument("--made", type=Path, help="folder with the datasets that few_features.py makes")
    parser.add_argument("--kind", choices=["single", "many", "held-out"], default="single")
    parser.add_argument("--models", default="gen,gcn")
    parser.add_argument("--only", help="candidates, with commas")
    parser.add_argument("--datasets", help="names, with commas")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1800)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    record = json.loads(given.out.read_text()) if given.out.exists() else {"benchmark": "defaults", "runs": {}}
    if given.show:
        return show(record)
    farhop = common.farhop(given.farhop)
    environment = {"FARHOP_DATA": str(given.data)}
    group = {"single": SINGLE, "many": MANY, "held-out": HELD_OUT}[given.kind]
    names = given.datasets.split(",") if given.datasets else [name for name, _, _ in group]
    kind = "many" if given.kind == "many" else "single"
    wanted = given.only.split(",") if given.only else list(CANDIDATES[kind])
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for name, arguments, splits in [one for one in group if one[0] in names]:
            if name in MADE:
                if not given.made:
                    continue
                arguments = [str(given.made / f"{name}.farhop")]
            for split in splits:
                chosen = ["--split", str(split)] if len(splits) > 1 or given.kind == "held-out" and name in ("squirrel", "chameleon") else []
                for seed in range(given.seeds):
                    jobs = [(f"{model}/{candidate}", model, CANDIDATES[kind][candidate]) for candidate in wanted for model in given.models.split(",")]
                    bars = {"pyg-gcn": (given.peer_python, "pyg_gcn.py"), "plain-gcn": (given.plain_python, "plain_gcn.py")}
                    jobs = [(bar, None, None) for bar, (python, _) in bars.items() if python] + jobs
                    for label, model, settings in jobs:
                        key = f"{name}/{split}/{seed}/{label}"
                        if key in record["runs"]:
                            continue
                        if model is None:
                            export = work / f"{name}-{split}.farhop"
                            if not export.exists():
                                source = arguments + chosen
                                if name in MADE:
                                    export = Path(arguments[0])
                                else:
                                    done = subprocess.run([farhop, "data", "import", *source, "--out", export, "--quiet"], capture_output=True, text=True,
                                                          env={**os.environ, **environment})
                                    if done.returncode:
                                        common.say(f"{key}: {done.stderr.strip()}")
                                        continue
                            python, script = bars[label]
                            line = [python, Path(__file__).with_name(script), export, "--seed", str(seed)]
                        else:
                            recipe = work / "recipe.toml"
                            recipe.write_text(toml({"model": {"kind": model, **known(model, settings["model"])}, "train": settings["train"]}))
                            line = [farhop, "train", *arguments, *chosen, "--recipe", recipe, "--seed", str(seed), "--threads", str(given.threads),
                                    "--out", work / "run", "--overwrite", "--json", "--quiet"]
                        told = common.run_json(line, seconds=given.timeout, environment=environment, hide=[work])
                        keep = ("metric", "train", "valid", "test", "best_epoch", "epochs", "seconds_per_epoch", "failed")
                        record["runs"][key] = {item: told[item] for item in keep if item in told}
                        common.say(f"{key}: {record['runs'][key]}")
                        given.out.parent.mkdir(parents=True, exist_ok=True)
                        given.out.write_text(json.dumps(record, indent=1) + "\n")
    show(record)


ONLY_GEN = {"hops", "coefficients", "heads", "elimination", "hop_zero", "gamma", "feed_forward", "hop_reading", "attention_dropout", "input_projection", "own_term", "project_first"}


def known(model, settings):
    """The settings that a model has."""
    return {key: value for key, value in settings.items() if model == "gen" or key not in ONLY_GEN}


def show(record):
    """A row a dataset, a column a candidate: validation, then test."""
    cells, labels, rows = {}, [], []
    for key, run in record["runs"].items():
        name, _, _, label = key.split("/", 3)
        rows.append(name) if name not in rows else None
        labels.append(label) if label not in labels else None
        if run.get("valid") is not None:
            cells.setdefault((name, label), []).append(run)
    for part in ("valid", "test", "train"):
        table = []
        for name in rows:
            line = [name]
            for label in labels:
                found = cells.get((name, label))
                line.append("-" if not found else f"{statistics.fmean(one[part] for one in found):.3f}")
            table.append(line)
        print(common.table([part, *labels], table), end="\n\n")


if __name__ == "__main__":
    main()
