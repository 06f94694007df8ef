"""Which models see how far: test accuracy on hop-majority against the distance of the nodes that decide the label.

    python3 benches/distance/run.py --farhop target/release/farhop --out benches/runs/DATE-distance.json
    python3 benches/distance/run.py --show --out benches/runs/DATE-distance.json --picture docs/models-distance.svg

Every model gets the same: width 32, no dropout, at most 200 epochs, and the same number of settings tried (`SETTINGS`), of which the validation score chooses.
Models whose reach is a number of layers or hops get as many as the distance. Finished runs stay in the run file: asked again, only what is missing is
run.
"""
import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402
from picture import draw  # noqa: E402

DISTANCES = [2, 4, 6]
# Tried for every model that has the setting; what a model does not have is left out.
SETTINGS = {
    "batch norm": {"norm": "batch"},
    "own norm": {},
}
SHARED = {"width": 32, "dropout": 0.0, "input_dropout": 0.0, "input_projection": True, "attention_dropout": 0.0}
# What the task asks for, where a model has it: counts instead of means, hops apart.
OWN = {
    "gen": {"layers": 1, "coefficients": "ones", "hop_reading": "increment"},
    "mlp": {"layers": 2},
    # Three powers share the width.
    "mixhop": {"width": 33},
    "gea-mixhop": {"width": 33},
}


def settings(known, model, distance, chosen):
    """The settings of one run: only those that the model has."""
    keys = {setting["key"]: setting for setting in known["settings"]}
    wanted = {**SHARED, **SETTINGS[chosen]}
    for key in ("hops", "layers"):
        if key in keys and not (key == "layers" and "hops" in keys):
            wanted[key] = distance
    wanted.update(OWN.get(model, {}))
    return {key: value for key, value in wanted.items() if key in keys}


def one(asked, known, model, distance, chosen):
    with tempfile.TemporaryDirectory() as folder:
        line = [asked.farhop, "train", "hop-majority", "--distance", str(distance), "--model", model, "--json", "--quiet", "--threads", "1",
                "--epochs", "200", "--patience", "100", "--learning-rate", "0.01", "--weight-decay", "0", "--out", f"{folder}/run"]
        for key, value in settings(known, model, distance, chosen).items():
            line += ["--set", f"model.{key}={json.dumps(value) if not isinstance(value, str) else value}"]
        try:
            done = subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=asked.timeout)
        except subprocess.TimeoutExpired:
            return {"failed": f"more than {asked.timeout} s"}
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"}
    found = json.loads(done.stdout)
    return {key: found[key] for key in ("train", "valid", "test", "best_epoch", "epochs", "seconds_per_epoch", "parameters")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", type=Path)
    parser.add_argument("--models", help="names, with commas; all if absent")
    parser.add_argument("--timeout", type=int, default=90)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    record = json.loads(asked.out.read_text()) if asked.out.exists() else {
        "benchmark": "distance", "date": datetime.date.today().isoformat(), "machine": common.machine(asked.farhop), "settings": SETTINGS, "shared": SHARED, "own": OWN, "runs": {}}
    if not asked.show:
        listed = json.loads(subprocess.run([asked.farhop, "models", "--json"], capture_output=True, text=True, check=True).stdout)["models"]
        names = asked.models.split(",") if asked.models else [model["model"] for model in listed]
        known = {name: json.loads(subprocess.run([asked.farhop, "models", name, "--json"], capture_output=True, text=True, check=True).stdout)
                 for name in names}
        missing = [(name, distance, chosen) for distance in DISTANCES for name in names for chosen in SETTINGS
                   if f"{name}/{distance}/{chosen}" not in record["runs"]]
        with ThreadPoolExecutor(asked.jobs) as pool:
            for point, found in zip(missing, pool.map(lambda point: one(asked, known[point[0]], *point), missing)):
                record["runs"]["/".join(map(str, point))] = found
                asked.out.write_text(json.dumps(record, indent=1) + "\n")
                print(*point, found, flush=True)
    best = {}
    for key, found in record["runs"].items():
        name, distance, chosen = key.split("/")
        if "failed" not in found and found["valid"] >= best.get((name, int(distance)), {"valid": -1})["valid"]:
            best[name, int(distance)] = {**found, "setting": chosen}
    names = sorted({name for name, _ in best}, key=lambda name: -sum(best.get((name, d), {"test": 0})["test"] for d in DISTANCES))
    print("| model | " + " | ".join(f"distance {d}" for d in DISTANCES) + " |\n|---|" + "---|" * len(DISTANCES))
    for name in names:
        cells = [f"{100 * best[name, d]['test']:.1f} %" if (name, d) in best else "-" for d in DISTANCES]
        print(f"| {name} | " + " | ".join(cells) + " |")
    if asked.picture:
        asked.picture.write_text(draw([(name, [best.get((name, d), {"test": None})["test"] for d in DISTANCES]) for name in names], DISTANCES))


if __name__ == "__main__":
    main()
