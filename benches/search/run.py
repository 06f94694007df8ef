"""The search of `farhop tune` beside Optuna's, on functions that everybody uses and one that looks like a search for settings.

    python3 benches/search/run.py --search target/release/examples/search --seeds 20 --out benches/runs/DATE-search.json

Needs Optuna in the Python that runs it. Both get the same trials and as many seeds; what is compared is the median of the best value.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

TRIALS = [25, 50, 100]


def sphere(t):
    return sum((t.suggest_float(k, -5, 10) - 1) ** 2 for k in "abcde")


def branin(t):
    x, y = t.suggest_float("a", -5, 10), t.suggest_float("b", 0, 15)
    bowl = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    return bowl**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def rosenbrock(t):
    x = [t.suggest_float(k, -2, 2) for k in "abc"]
    return sum(100 * (q - p * p) ** 2 + (1 - p) ** 2 for p, q in zip(x, x[1:]))


def ackley(t):
    x = [t.suggest_float(k, -30, 20) for k in "abcd"]
    square = sum(v * v for v in x) / 4
    wave = sum(math.cos(2 * math.pi * v) for v in x) / 4
    return -20 * math.exp(-0.2 * math.sqrt(square)) - math.exp(wave) + 20 + math.e


def hartmann3(t):
    x = [t.suggest_float(k, 0, 1) for k in "abc"]
    scale = [[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]
    place = [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.03815, 0.5743, 0.8828]]
    height = [1.0, 1.2, 3.0, 3.2]
    return -sum(h * math.exp(-sum(s * (v - p) ** 2 for s, v, p in zip(ss, x, pp))) for h, ss, pp in zip(height, scale, place))


def settings(t):
    rate = math.log10(t.suggest_float("rate", 1e-5, 1.0, log=True))
    width = math.log2(t.suggest_categorical("width", [16, 32, 64, 128, 256, 512]))
    depth = t.suggest_int("depth", 1, 8)
    dropout = t.suggest_float("dropout", 0, 0.9)
    best, cost = {"adam": (-2.5, 0.0), "adamw": (-3.0, 0.05), "sgd": (-1.0, 0.1)}[t.suggest_categorical("kind", ["adam", "adamw", "sgd"])]
    return (rate - best) ** 2 / 4 + (width - 8) ** 2 / 20 + (depth - 3) ** 2 / 20 + (dropout - 0.6) ** 2 + cost


FUNCTIONS = [sphere, branin, rosenbrock, ackley, hartmann3, settings]


def optuna_best(function, seed, multivariate):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=multivariate)
    study = optuna.create_study(sampler=sampler)
    study.optimize(function, n_trials=TRIALS[-1])
    values = [trial.value for trial in study.trials]
    return [min(values[:count]) for count in TRIALS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", required=True, help="the built example `search` of farhop-train")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    import warnings

    warnings.filterwarnings("ignore")
    lines = subprocess.run([options.search, str(options.seeds)], check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line in map(json.loads, lines):
        found.setdefault(line["function"], {}).setdefault("farhop", []).append(line["best"])
    for function in FUNCTIONS:
        of = found[function.__name__]
        for name, multivariate in [("optuna", False), ("optuna, multivariate", True)]:
            of[name] = [optuna_best(function, seed, multivariate) for seed in range(options.seeds)]
    import optuna

    table = {
        function: {who: [statistics.median(column) for column in zip(*runs)] for who, runs in of.items()}
        for function, of in found.items()
    }
    options.out.write_text(json.dumps({"trials": TRIALS, "seeds": options.seeds, "optuna": optuna.__version__, "medians": table, "all": found}, indent=1) + "\n")
    for function, of in table.items():
        for who, medians in of.items():
            print(f"{function:12} {who:22}", *(f"{value:12.5g}" for value in medians))


if __name__ == "__main__":
    sys.exit(main())
