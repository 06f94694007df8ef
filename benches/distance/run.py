"""Which models see how far: test accuracy on hop-majority against the distance of the nodes that decide the label.

    python3 benches/distance/run.py --farhop target/release/farhop --out benches/runs/DATE-distance.json
    python3 benches/distance/run.py --show --out benches/runs/DATE-distance.json --picture docs/models-distance.svg

Every model gets the same: width 32, no dropout, as many layers or hops as the distance, one core, at most 200 epochs and `--seconds` of processor time,
and two tries (`tries.py`), of which the validation score chooses. Finished runs stay in the run file: asked again, only what is missing is run, quick
models first. A model that is registered later takes part by itself.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402
from picture import draw  # noqa: E402
from tries import ATTEMPTS, DISTANCES, settings  # noqa: E402

EPOCHS, PATIENCE, PILOT = 200, 100, 3
# These take longer than a minute for 200 epochs, and come last.
SLOW = ["polynormer", "graph-mamba", "nagphormer", "nodeformer", "gmn", "exphormer", "ipr-mpnn", "gps", "sat", "goat", "grit"]


def told(asked, model, distance, chosen, epochs):
    """The answer of one run, and the seconds of processor time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        line = [asked.farhop, "train", "hop-majority", "--distance", str(distance), "--model", model, "--json", "--quiet", "--threads", "1",
                "--epochs", str(epochs), "--patience", str(min(PATIENCE, epochs)), "--learning-rate", "0.01", "--weight-decay", "0", "--out", f"{folder}/run"]
        for key, value in chosen.items():
            line += ["--set", f"model.{key}={json.dumps(value) if not isinstance(value, str) else value}"]
        with open(f"{folder}/out", "w+") as out, open(f"{folder}/errors", "w+") as errors:
            child = subprocess.Popen(list(map(str, line)), stdout=out, stderr=errors)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), errors.seek(0)
            text, problems = out.read(), errors.read().strip().replace(folder, "FOLDER")
    if child.returncode:
        return {"failed": problems.splitlines()[-1] if problems else f"exit code {child.returncode}"}, 0.0
    return json.loads(text), used.ru_utime + used.ru_stime


def one(asked, known, model, distance, attempt):
    """A short run tells how many epochs the time is enough for."""
    chosen = settings(known, model, distance, attempt)
    pilot, used = told(asked, model, distance, chosen, PILOT)
    if "failed" in pilot:
        return {**pilot, "settings": chosen}
    epochs = max(PILOT, min(EPOCHS, int(asked.seconds / (used / PILOT))))
    found, used = told(asked, model, distance, chosen, epochs)
    keep = ("train", "valid", "test", "best_epoch", "epochs", "seconds_per_epoch", "parameters", "failed")
    return {**{key: found[key] for key in keep if key in found}, "epochs_allowed": epochs, "processor_seconds": round(used, 1), "settings": chosen}


def asked_for():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", type=Path)
    parser.add_argument("--models", help="names, with commas; all if absent")
    parser.add_argument("--distances", help="numbers, with commas; all if absent")
    parser.add_argument("--seconds", type=float, default=60, help="processor time of a run [60]")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--picture", type=Path)
    return parser.parse_args()


def run_missing(asked, record):
    ask = lambda *words: json.loads(subprocess.run([asked.farhop, "models", *words, "--json"], capture_output=True, text=True, check=True).stdout)
    names = asked.models.split(",") if asked.models else [model["model"] for model in ask()["models"]]
    distances = [int(distance) for distance in asked.distances.split(",")] if asked.distances else DISTANCES
    known = {name: ask(name) for name in names}
    points = [(name, distance, attempt) for distance in distances for name in names for attempt in ATTEMPTS]
    for point in sorted(points, key=lambda point: point[0] in SLOW):
        key = "/".join(map(str, point))
        if key in record["runs"]:
            continue
        record["runs"][key] = one(asked, known[point[0]], *point)
        asked.out.write_text(json.dumps(record, indent=1) + "\n")
        print(key, {item: value for item, value in record["runs"][key].items() if item != "settings"}, flush=True)


def best_of(record):
    """For every model and distance the try that validation chooses; GEN also without the settings for the task."""
    best = {}
    for key, found in record["runs"].items():
        model, distance, attempt = key.split("/")
        if "failed" in found:
            continue
        names = [model] + (["gen, own settings"] if (model, attempt) == ("gen", "own") else [])
        for name in names:
            if found["valid"] >= best.get((name, int(distance)), {"valid": -1})["valid"]:
                best[name, int(distance)] = {**found, "attempt": attempt}
    return best


def main():
    asked = asked_for()
    if asked.out.exists():
        record = json.loads(asked.out.read_text())
    else:
        record = {"benchmark": "distance", "date": datetime.date.today().isoformat(), "machine": common.machine(asked.farhop),
                  "seconds": asked.seconds, "runs": {}}
    if not asked.show:
        run_missing(asked, record)
    show(best_of(record), asked.picture)


def show(best, picture):
    """The table, a star where the time was not enough for all epochs; and the picture, if one is asked for."""
    distances = sorted({distance for _, distance in best})
    test = lambda name, distance: best[name, distance]["test"] if (name, distance) in best else None
    star = lambda name, distance: "" if best[name, distance].get("epochs_allowed", EPOCHS) == EPOCHS else " *"
    names = sorted({name for name, _ in best}, key=lambda name: -sum(test(name, distance) or 0.2 for distance in distances))
    print("| model | " + " | ".join(f"distance {distance}" for distance in distances) + " |\n|---|" + "---|" * len(distances))
    for name in names:
        cells = [f"{100 * test(name, distance):.1f} %{star(name, distance)}" if (name, distance) in best else "-" for distance in distances]
        print(f"| {name} | " + " | ".join(cells) + " |")
    if picture and len(distances) > 1:
        picture.write_text(draw([(name, [test(name, distance) for distance in distances]) for name in names], distances))


if __name__ == "__main__":
    main()
