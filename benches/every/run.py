"""Every model once from the command, as a new user would run it: train, evaluate, predict.

    python3 benches/every/run.py --epochs 2 --out benches/runs/DATE-every.json            # each ends well, or refuses with one line
    python3 benches/every/run.py --data cora --out benches/runs/DATE-every-cora.json      # the general settings to their end: a table of scores

`--data` takes names of the catalogue. Nothing but the model is chosen, so that the general settings are what is measured; `--epochs` makes them short. A step
that does not end well is recorded with what it said. One line of error is a refusal; anything else, another score from `evaluate` than from `train`, or a run
that was trained and can't be read is a failure, and the program then ends with 1. Finished points stay in the run file: asked again, only what is missing is run.
"""
import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402


def asked_for():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", type=Path)
    parser.add_argument("--data", default="cora,zinc-acyclic", help="names of datasets, with commas [cora,zinc-acyclic]")
    parser.add_argument("--models", help="names, with commas; all if absent")
    parser.add_argument("--epochs", type=int, help="at most so many; those of the general settings if absent")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds of a step [1800]")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def step(asked, *words):
    """What one command said, how it ended and how long it took."""
    line = [asked.farhop, *words, "--quiet", "--threads", str(asked.threads)]
    before = time.monotonic()
    try:
        ended = subprocess.run(list(map(str, line)), capture_output=True, text=True, timeout=asked.timeout)
    except subprocess.TimeoutExpired:
        return {"failed": f"no end after {asked.timeout:.0f} s"}, ""
    found = {"seconds": round(time.monotonic() - before, 2)}
    if ended.returncode:
        refused = ended.returncode in (1, 2) and ended.stderr.startswith("error: ") and ended.stderr.count("\n") == 1
        found["refused" if refused else "failed"] = ended.stderr.strip()
    return found, ended.stdout


def one(asked, data, model):
    """Train, evaluate and predict; the later steps only where the earlier ended well."""
    with tempfile.TemporaryDirectory() as folder:
        run, hidden = Path(folder) / "run", lambda found: {key: value.replace(folder, "FOLDER") if isinstance(value, str) else value for key, value in found.items()}
        epochs = ["--epochs", asked.epochs] if asked.epochs else []
        trained, text = step(asked, "train", data, "--model", model, "--json", "--seed", asked.seed, *epochs, "--out", run)
        if "seconds" not in trained or not text:
            return {"train": hidden(trained)}
        said = json.loads(text)
        for key in ("train", "valid", "test", "best_epoch", "epochs", "metric", "parameters", "peak_rss_bytes", "outcome"):
            trained[key] = said.get(key)
        evaluated, text = step(asked, "evaluate", run, "--json")
        if text:
            evaluated["score"] = json.loads(text)["score"]
            if evaluated["score"] != said["test"]:
                evaluated["failed"] = f"evaluate says {evaluated['score']}, train said {said['test']}"
        predicted, _ = step(asked, "predict", run)
        answers = run / "predictions.csv"
        predicted["rows"] = answers.read_text().count("\n") - 1 if answers.exists() else 0
        steps = {"train": trained, "evaluate": evaluated, "predict": predicted}
        # A run that was trained has to be readable.
        for name in ("evaluate", "predict"):
            if "refused" in steps[name]:
                steps[name]["failed"] = steps[name].pop("refused")
        return {name: hidden(found) for name, found in steps.items()}


def show(record):
    """A row a point: scores, or what was said instead."""
    print("| data | model | valid | test | best epoch | seconds | |\n|---|---|---|---|---|---|---|")
    for key, found in record["runs"].items():
        data, model = key.split("/")
        trained = found["train"]
        said = [f"{name}: {text}" for name, step in found.items() for kind, text in step.items() if kind in ("failed", "refused")]
        scores = [f"{trained[part]:.4g}" if trained.get(part) is not None else "" for part in ("valid", "test")]
        print(f"| {data} | {model} | {scores[0]} | {scores[1]} | {trained.get('best_epoch', '')} | {trained.get('seconds', '')} | {'; '.join(said)} |")


def main():
    asked = asked_for()
    asked.farhop = asked.farhop or common.ROOT / "target/release/farhop"
    if asked.out.exists():
        record = json.loads(asked.out.read_text())
    else:
        options = {"epochs": asked.epochs, "seed": asked.seed, "threads": asked.threads}
        record = {"benchmark": "every", "date": datetime.date.today().isoformat(), "machine": common.machine(asked.farhop), "options": options, "runs": {}}
    listed = json.loads(subprocess.run([asked.farhop, "models", "--json"], capture_output=True, text=True, check=True).stdout)
    models = asked.models.split(",") if asked.models else [model["model"] for model in listed["models"]]
    for data in asked.data.split(","):
        for model in models:
            if f"{data}/{model}" not in record["runs"]:
                record["runs"][f"{data}/{model}"] = one(asked, data, model)
                asked.out.write_text(json.dumps(record, indent=1) + "\n")
                print(data, model, json.dumps(record["runs"][f"{data}/{model}"]), file=sys.stderr, flush=True)
    show(record)
    bad = [key for key, found in record["runs"].items() if any("failed" in step for step in found.values())]
    if bad:
        sys.exit(f"failed: {', '.join(bad)}")


if __name__ == "__main__":
    main()
