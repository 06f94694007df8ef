"""Settings of a model for a dataset of a table, found by validation alone.

    python3 benches/tables/search.py cora --farhop target/release/farhop --start start.toml --space benches/tables/search/few-labels.toml --runs 5

Two steps. `farhop tune` makes `--trials` trials of one seed and one split. One validation score of a few hundred nodes is luck in part, so the best
`--confirm` of them are trained again with all the seeds and splits of the table, and the mean of their validation scores chooses. The recipe that stands is
trained beside them, and stays where its mean is the best. Test scores are not read. What was tried is kept in
`benches/runs/DATE-settings-DATASET-MODEL.json`, and the recipe is written to recipes/DATASET/MODEL.toml. Asked again, it goes on where it stopped.
"""
import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402
from records import MEASURED, NOT_YET, RECIPES  # noqa: E402


def told(*words):
    found = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if found.returncode:
        sys.exit(found.stderr)
    return found.stdout


def trials_of(study):
    """Every trial with its settings, validation score and how it ended, the best first."""
    trials = [{"number": int(path.parent.name), **json.loads(path.read_text())} for path in sorted(study.glob("trials/*/trial.json"))]
    for trial in trials:
        trial.pop("curve", None)
    return sorted(trials, key=lambda trial: -(trial.get("score") or -1.0))


def confirmed(asked, recipe, name):
    """The validation scores of a recipe over the seeds and splits of the table."""
    folder = asked.out / f"confirm-{asked.dataset}-{asked.model}" / name
    line = [asked.farhop, "train", "--threads", asked.threads, "--json", "--quiet"]
    line += ["--resume", folder] if folder.exists() else ["--recipe", recipe, "--runs", asked.runs, "--out", folder]
    answer = json.loads(told(*line))
    return [run["valid"] for run in answer["runs"]]


def laid_over(recipe, settings):
    """A recipe's lines without its comments, with other values of some settings."""
    lines, section = [], ""
    left = {key: value for key, value in settings.items()}
    for line in recipe.splitlines():
        if line.startswith("["):
            section = line.strip("[] ")
        key = f"{section}.{line.split(' = ')[0]}"
        lines.append(f"{line.split(' = ')[0]} = {json.dumps(left.pop(key))}" if key in left else line)
    if left:
        sys.exit(f"error: {', '.join(left)} not in the recipe to start from. Add them there.")
    return "\n".join(line for line in lines if not line.startswith("#")).strip() + "\n"


def told_by_trial(record):
    """The record as JSON, a line for each trial."""
    head = json.dumps({**record, "trials": []}, indent=1)
    trials = ",\n".join("  " + json.dumps(trial) for trial in record["trials"])
    return head.replace('"trials": []', f'"trials": [\n{trials}\n ]') + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--model", default="gen")
    parser.add_argument("--farhop", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="the recipe of the first trial: data, protocol, epochs")
    parser.add_argument("--space", type=Path, required=True)
    parser.add_argument("--space-of", help="what the recipe says of where the space stands, instead of its file")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--confirm", type=int, default=5)
    parser.add_argument("--runs", type=int, required=True, help="seeds (and splits) of the table")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--out", type=Path, default=Path("studies"))
    asked = parser.parse_args()
    asked.farhop = common.farhop(asked.farhop)
    study = asked.out / f"{asked.dataset}-{asked.model}"
    told(asked.farhop, "tune", "--recipe", asked.start, "--space", asked.space, "--trials", asked.trials, "--threads", asked.threads, "--quiet", "--out", study)
    trials = trials_of(study)
    best = [trial for trial in trials if trial.get("score") is not None and trial["state"] == "finished"][:asked.confirm]
    for trial in best:
        name = f"{trial['number']:04}"
        trial["confirmed"] = confirmed(asked, study / "trials" / name / "run" / "recipe.toml", name)
        print(trial["number"], trial["score"], trial["confirmed"], trial["settings"], flush=True)
    mean = lambda trial: sum(trial["confirmed"]) / len(trial["confirmed"])
    chosen = max(best, key=mean)
    stands = RECIPES / asked.dataset / f"{asked.model}.toml"
    standing = {"confirmed": confirmed(asked, stands, "standing")} if stands.exists() else None
    better = standing is None or mean(chosen) > mean(standing)
    date = datetime.date.today().isoformat()
    record = {"dataset": asked.dataset, "model": asked.model, "date": date, "machine": common.machine(asked.farhop), "space": asked.space.read_text(),
              "chosen": chosen["number"] if better else "the recipe that stood", "standing": standing, "trials": trials}
    (common.RUNS / f"{date}-settings-{asked.dataset}-{asked.model}.json").write_text(told_by_trial(record))
    if not better:
        print(f"the recipe that stands is better: {100 * mean(standing):.2f} against {100 * mean(chosen):.2f} % on validation")
        return
    head = (f"# settings  by validation: {len(trials)} trials ({asked.space_of or asked.space.name}), the best {len(best)} trained again on {asked.runs} seeds and splits; valid "
            f"{100 * mean(chosen):.2f} %\n{MEASURED}{NOT_YET}\n\n")
    stands.write_text(head + laid_over(asked.start.read_text(), chosen["settings"]))


if __name__ == "__main__":
    main()
