"""Settings of ten models for the small graphs of `farhop table small`, all with the same budget and found by validation alone.

    python3 benches/tables/small.py --farhop target/release/farhop --datasets texas,cornell,wisconsin
    python3 benches/tables/small.py --farhop target/release/farhop --datasets actor --trials 20 --confirm 3

For every dataset and model: a start and a space, made of what all models share and of the model's own settings below, and search.py with them. Asked again, it
goes on where it stopped.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402

SHARED = {
    "model.width": [32, 64, 128],
    "model.dropout": {"uniform": [0.1, 0.8], "step": 0.1},
    "model.input_dropout": {"uniform": [0.0, 0.8], "step": 0.2},
    "train.learning_rate": {"log": [3e-3, 5e-2]},
    "train.optimizer.weight_decay": [0.0, 5e-5, 5e-4, 2e-3, 5e-3, 2e-2],
}
STACK = {"model.layers": {"integer": [1, 4]}, "model.norm": ["none", "layer", "batch"], "model.residual": [False, True]}
DEPTH = {"model.layers": {"integer": [1, 3]}}
# Beside what is shared. A list's first value is where the search starts; of a range, its lower end.
OWN = {
    "gen": {**STACK, "model.layers": {"integer": [1, 3]}, "model.hops": {"integer": [1, 6]},
            "model.coefficients": ["attention-per-round", "attention-per-layer", "gcn"], "model.elimination": ["exact", "self-loop", "none"],
            "model.gamma": {"uniform": [0.0, 1.0], "step": 0.25}, "model.hop_attention": [True, False], "model.hop_zero": [False, True],
            "model.own_term": [True, False], "model.input_projection": [True, False]},
    "gcn": {**STACK, "model.skip": [False, True], "model.head_layers": [1, 0]},
    "graphsage": {**STACK, "model.skip": [False, True], "model.head_layers": [1, 0]},
    "gat": {**STACK, "model.skip": [False, True], "model.heads": [1, 2, 4, 8], "model.attention_dropout": {"uniform": [0.0, 0.6], "step": 0.3}},
    "mlp": STACK,
    "appnp": {**DEPTH, "model.hops": {"integer": [2, 16]}, "model.alpha": {"uniform": [0.05, 0.95], "step": 0.05}},
    "gprgnn": {**DEPTH, "model.hops": {"integer": [2, 16]}, "model.alpha": [0.1, 0.2, 0.5, 0.9, 1.0], "model.spread_dropout": [0.0, 0.5, 0.7]},
    "h2gcn": DEPTH,
    "fsgnn": {"model.hops": {"integer": [1, 8]}, "model.hop_features": ["all", "with-self", "without-self"], "model.unit_rows": [True, False]},
    "glognn": {**DEPTH, "model.hops": {"integer": [1, 6]}, "model.alpha": [0.0, 1.0, 10.0], "model.beta": [0.1, 1.0, 100.0, 1000.0],
               "model.gamma": {"uniform": [0.0, 0.9], "step": 0.1}, "model.delta": {"uniform": [0.0, 1.0], "step": 0.25}},
}
# What is not searched.
FIXED = {
    "gen": {"project_first": True, "heads": 1, "hop_bias": True, "hop_reading": "cumulative", "feed_forward": False, "attention_dropout": 0.0},
    "gat": {"activation": "elu"},
    "glognn": {"adjacency_nodes": None},
}
NODES = {"texas": 183, "cornell": 183, "wisconsin": 251, "actor": 7600}


def written(value):
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {written(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def first(choice):
    if isinstance(choice, list):
        return choice[0]
    return next(choice[kind][0] for kind in ("integer", "uniform", "log") if kind in choice)


def files(dataset, model, epochs, folder):
    """The start and the space of a search."""
    space = {**SHARED, **OWN[model]}
    start = {key: first(choice) for key, choice in space.items()}
    fixed = {f"model.{key}": NODES[dataset] if value is None else value for key, value in FIXED.get(model, {}).items()}
    settings = {"model.activation": "relu", **start, **fixed}
    of = lambda table: [f"{key[len(table) + 1:]} = {written(value)}" for key, value in settings.items() if key.rpartition(".")[0] == table]
    lines = ["[data]", f'dataset = "{dataset}"', 'split = "standard"', 'scaling = "none"', "", "[model]", f'kind = "{model}"', *of("model"), "",
             "[train]", f"epochs = {epochs}", *of("train"), "warmup_epochs = 0", 'schedule = "constant"', 'patience = "none"', 'ties = "first"', "evaluate_every = 1",
             'loss = "auto"', "seed = 0", "", "[train.optimizer]", 'kind = "adam"', *of("train.optimizer"), 'clip_norm = "none"', ""]
    paths = [folder / f"{dataset}-{model}-{name}.toml" for name in ("start", "space")]
    paths[0].write_text("\n".join(lines))
    paths[1].write_text("\n".join(["[space]", *(f"{key} = {written(choice)}" for key, choice in space.items()), ""]))
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", type=Path, required=True)
    parser.add_argument("--datasets", default=",".join(NODES))
    parser.add_argument("--models", default=",".join(OWN))
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--confirm", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("studies"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    search = Path(__file__).resolve().parent / "search.py"
    for dataset in asked.datasets.split(","):
        for model in asked.models.split(","):
            if list(common.RUNS.glob(f"*-settings-{dataset}-{model}.json")):
                continue
            start, space = files(dataset, model, asked.epochs, asked.out)
            print(f"{dataset} {model}", flush=True)
            line = [sys.executable, search, dataset, "--model", model, "--farhop", asked.farhop, "--start", start, "--space", space, "--runs", 10,
                    "--trials", asked.trials, "--confirm", asked.confirm, "--space-of", "small.py", "--out", asked.out]
            subprocess.run(list(map(str, line)), check=True)


if __name__ == "__main__":
    main()
