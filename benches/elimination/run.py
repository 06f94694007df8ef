"""What the exact elimination buys: a GEN with the exact one, with the self-loop in its place, and with none, at the same budget.

    python3 benches/elimination/run.py --farhop target/release/farhop --out benches/runs/DATE-elimination.json
    python3 benches/elimination/run.py --show --out benches/runs/DATE-elimination.json --picture docs/elimination-study.svg

Sections: `distance` (made tasks whose label lies farther and farther away), `cycles` (a tree with more and more random edges) and `real` (graphs and collections
of the literature). On made tasks every mode gets the same two tries, of which validation chooses; on real ones all modes have the general settings of a
GEN. Finished runs stay in the run file: asked again, only what is missing is run.
"""
import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402
import made  # noqa: E402
from picture import draw  # noqa: E402

MODES = ["exact", "self-loop", "none"]
# What a GEN may read of its hops: counts of each, or a weighted mean of what has come so far.
TRIES = {
    "counts": {"coefficients": "ones", "hop_reading": "increment"},
    "attention": {"coefficients": "attention-per-round", "hop_reading": "cumulative"},
}
PLAIN = {"layers": 1, "width": 32, "dropout": 0.0, "input_dropout": 0.0, "norm": "batch"}
MADE = ["--learning-rate", "0.01", "--weight-decay", "0", "--patience", "40", "--schedule", "constant", "--warmup-epochs", "0"]
DISTANCES = {"hop-majority": [2, 4, 6], "ring-transfer": [4, 8], "tree-neighbours-match": [3, 4]}
EPOCHS = {"hop-majority": 150, "ring-transfer": 30, "tree-neighbours-match": 30, "tree": 150}
SHARES = [0.0, 0.02, 0.1, 0.3, 1.0]
TREE_NODES, TREE_DISTANCE = 3000, 3
# Real graphs and collections, with the general settings of a GEN; of those that have numbered splits, run i is on split i.
REAL = ["texas", "cornell", "wisconsin", "chameleon-filtered", "squirrel-filtered", "cora", "citeseer", "actor", "mutag", "enzymes", "proteins", "pubmed", "photo", "nci1"]
SPLITS = ["texas", "cornell", "wisconsin", "chameleon-filtered", "squirrel-filtered", "actor"]


def points(sections, seeds):
    """Every run as (section, task, level, mode, try, seed), the cheap ones first."""
    if "cycles" in sections:
        for share in SHARES:
            for seed in range(seeds):
                for mode in MODES:
                    for attempt in TRIES:
                        yield "cycles", "tree", share, mode, attempt, seed
    if "distance" in sections:
        for task, distances in DISTANCES.items():
            for distance in distances:
                for seed in range(seeds):
                    for mode in MODES:
                        for attempt in TRIES:
                            yield "distance", task, distance, mode, attempt, seed
    if "real" in sections:
        for task in REAL:
            for seed in range(seeds):
                for mode in MODES:
                    yield "real", task, 0, mode, "general", seed


def line_of(asked, point):
    """The arguments of a run."""
    section, task, level, mode, attempt, seed = point
    if section == "real":
        line = [task, "--model", "gen", "--set", f"model.elimination={mode}"]
        return [*line, "--split", seed] if task in SPLITS else line
    chosen = {**PLAIN, **TRIES[attempt], "elimination": mode, "hops": TREE_DISTANCE if section == "cycles" else level}
    if section == "cycles":
        folder = made.write(asked.work, TREE_NODES, level, TREE_DISTANCE, seed)
        line = ["--nodes", folder / "nodes.csv", "--edges", folder / "edges.csv", "--target", "label"]
    else:
        line = [task, "--distance", level]
    line += [*MADE, "--epochs", EPOCHS[task]]
    for key, value in chosen.items():
        line += ["--set", f"model.{key}={json.dumps(value) if not isinstance(value, str) else value}"]
    return line


def one(asked, point):
    with tempfile.TemporaryDirectory() as folder:
        line = [asked.farhop, "train", *line_of(asked, point), "--seed", point[-1], "--threads", asked.threads, "--json", "--quiet", "--out", f"{folder}/run"]
        start = time.monotonic()
        found = common.run_json(line, seconds=asked.timeout, hide=[asked.work, folder])
    keep = ("train", "valid", "test", "metric", "best_epoch", "epochs", "seconds_per_epoch", "parameters", "failed")
    return {**{key: found[key] for key in keep if key in found}, "seconds": round(time.monotonic() - start, 1)}


def best_of(record):
    """Test scores by (section, task, level, mode), one for each seed: of the tries the one that validation chooses."""
    chosen = {}
    for key, found in record["runs"].items():
        section, task, level, mode, attempt, seed = key.split("/")
        if "failed" in found or found.get("valid") is None:
            continue
        place = (section, task, float(level), mode)
        scores = chosen.setdefault(place, {})
        if int(seed) not in scores or found["valid"] > scores[int(seed)][0]:
            scores[int(seed)] = (found["valid"], found["test"])
    return {place: [test for _, test in (scores[seed] for seed in sorted(scores))] for place, scores in chosen.items()}


def text_of(scores):
    if not scores:
        return "not run"
    mean = f"{100 * statistics.fmean(scores):.1f}"
    return f"{mean} ± {100 * statistics.stdev(scores):.1f}" if len(scores) > 1 else mean


def show(best, picture):
    rows = sorted({place[:3] for place in best})
    for section in ("distance", "cycles", "real"):
        chosen = [row for row in rows if row[0] == section]
        if not chosen:
            continue
        level = {"distance": "distance", "cycles": "further edges", "real": ""}[section]
        of = lambda row: f"{row[2]:.0%}" if section == "cycles" else f"{row[2]:g}" if section == "distance" else ""
        lines = [[row[1], of(row), *(text_of(best.get((*row, mode), [])) for mode in MODES), max(len(best.get((*row, mode), [])) for mode in MODES)] for row in chosen]
        print(common.table(["task", level, *MODES, "seeds"], lines), end="\n\n")
    if picture:
        picture.write_text(draw({place: statistics.fmean(scores) for place, scores in best.items()}, MODES))


def asked_for():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser, memory=False)
    parser.add_argument("--sections", help="distance, cycles, real, with commas; all if absent")
    parser.add_argument("--seeds", type=int, default=3, help="[3]")
    parser.add_argument("--show", action="store_true", help="print what is there, and run nothing")
    parser.add_argument("--picture", type=Path)
    return parser.parse_args()


def main():
    asked = asked_for()
    sections = common.chosen(asked.sections, ["distance", "cycles", "real"], "--sections")
    if asked.out is None:
        sys.exit("error: --out FILE is missing: the run file, begun or to be begun.")
    if asked.out.exists():
        record = json.loads(asked.out.read_text())
    elif asked.show:
        sys.exit(f"error: {asked.out}: there is no such file. Run the study first.")
    else:
        asked.farhop = common.farhop(asked.farhop)
        record = {"benchmark": "elimination", "date": datetime.date.today().isoformat(), "machine": common.machine(asked.farhop), "tries": TRIES,
                  "made": {**PLAIN, "epochs": EPOCHS, "options": " ".join(MADE), "tree": {"nodes": TREE_NODES, "distance": TREE_DISTANCE}}, "real": "general settings", "runs": {}}
    if not asked.show:
        asked.farhop = common.farhop(asked.farhop)
        for point in points(sections, asked.seeds):
            key = "/".join(map(str, point))
            if key not in record["runs"]:
                record["runs"][key] = one(asked, point)
                # Killed at any moment, the file is the old one or the new one.
                begun = asked.out.with_name(asked.out.name + ".part")
                begun.write_text(json.dumps(record, indent=1) + "\n")
                begun.replace(asked.out)
                common.say(f"{key} {record['runs'][key]}")
    show(best_of(record), asked.picture)


if __name__ == "__main__":
    main()
