#!/usr/bin/env python3
"""Is the memory plan honest? Planned against measured peak over a grid of shapes and settings.

    python3 benches/plan/run.py             the grid of GEN, GCN and MLP (some minutes)
    python3 benches/plan/run.py --models    every model on a few shapes, in training and inference
    python3 benches/plan/run.py --quick     a corner of it
    python3 benches/plan/run.py --models --only gcn,gat --resume --out FILE    what FILE does not have yet

Every point is a `farhop bench` of its own. Prints a table with the worst first and writes benches/runs/DATE-plan.json. Standard
library only.
"""
import argparse
import itertools
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import common
from common import say

# How far the plan may be off, in either direction.
ALLOWED = 0.15


def grid(quick, scale):
    """All points: a base varied along each axis by itself, and the corners of what interacts."""
    base = {"nodes": 50_000, "edges": 350_000, "features": 64, "width": 64, "layers": 3, "hops": 4, "heads": 1,
            "recompute": False, "mode": "train", "model": "gen"}
    axes = {
        "nodes": [5_000, 170_000], "edges": [50_000, 1_200_000], "features": [16, 128, 512], "width": [16, 32, 128],
        "layers": [1, 2, 6], "hops": [1, 2, 8, 16], "heads": [2, 4, 8], "recompute": [True], "mode": ["infer"], "model": ["gcn", "mlp"],
    }
    points = [base, *({**base, axis: value} for axis, values in axes.items() for value in values)]
    points.append({**base, "nodes": 170_000, "edges": 1_200_000, "features": 128, "width": 128})
    corners = {"nodes": [5_000, 100_000], "edges": [50_000, 1_000_000], "width": [32, 128], "hops": [2, 8], "recompute": [False, True],
               "mode": ["train", "infer"]}
    for choice in itertools.product(range(2), repeat=len(corners)):
        # Every second corner: any five of the six settings are met in all combinations.
        if sum(choice) % 2 == 0:
            chosen = {name: values[at] for at, (name, values) in zip(choice, corners.items())}
            points.append({**base, "layers": 2, **chosen})
    points += [{**base, "model": model, "mode": mode, "width": hidden}
               for model in ("gcn", "mlp") for mode in ("train", "infer") for hidden in (32, 128)]
    kept = []
    for point in points:
        point = {**point, "nodes": int(point["nodes"] * scale), "edges": int(point["edges"] * scale)}
        if point["model"] != "gen":
            point.update(hops=None, heads=None, recompute=False)
        if point["mode"] == "infer":
            point["recompute"] = False
        if point not in kept:
            kept.append(point)
    return kept[::8] if quick else kept


# What every model is measured on. A model that is made for graphs of few nodes is measured on as many as it allows.
SHAPES = {
    "one graph": {"nodes": 100_000, "edges": 600_000},
    "smaller graph": {"nodes": 20_000, "edges": 200_000},
    "many graphs": {"nodes": 30_000, "edges": 33_000, "graphs": 200, "classes": 10},
    "many graphs with edge features": {"nodes": 30_000, "edges": 33_000, "graphs": 200, "classes": 10, "edge-features": 16},
}
# Settings without which a model does not read what the shape has.
SETTINGS = {("gin", "many graphs with edge features"): ["model.edge_features=shared", "model.input_projection=true"]}


def of_models(models, shapes, quick, scale):
    """Every model on every shape that it may see and that shows something new of it."""
    points = []
    for model, name, mode in itertools.product(models, shapes, ("train", "infer")):
        shape = SHAPES[name]
        if name.endswith("edge features") and not (model["reads_edge_features"] or (model["model"], name) in SETTINGS):
            continue
        if name == "one graph" and (model["most_nodes"] or shape["nodes"]) < shape["nodes"]:
            continue
        point = {"model": model["model"], "mode": mode, **shape, "features": 64, "width": 96, "layers": 3}
        least = min(scale * shape["nodes"], model["most_nodes"] or shape["nodes"])
        point["edges"] = int(point["edges"] * least / point["nodes"])
        point["nodes"] = int(least)
        if (model["model"], name) in SETTINGS:
            point["set"] = SETTINGS[model["model"], name]
        points.append({**point, "shape": name})
    return points[::8] if quick else points


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser)
    parser.add_argument("--scale", metavar="S", type=float, default=1.0, help="nodes and edges times S [1]")
    parser.add_argument("--models", action="store_true", help="every model of `farhop models` on a few shapes")
    parser.add_argument("--only", metavar="A,B", default="", help="of these models alone")
    parser.add_argument("--shapes", metavar="A,B", default="", help=f"of these shapes alone: {', '.join(SHAPES)}")
    parser.add_argument("--resume", action="store_true", help="go on with the run file --out: points that it has are not measured again")
    parser.add_argument("--worst", metavar="N", type=int, default=0, help="rows of the table, 0 for all [0]")
    return parser.parse_args()


def measure(point, asked, command):
    settings = {name: value for name, value in point.items() if name != "shape"}
    settings.update(threads=asked.threads, epochs=1)
    found = common.bench(command, settings, memory=int(asked.memory_limit * common.GIB), seconds=asked.timeout)
    if "failed" in found:
        return {"settings": point, **found}
    planned, measured = found["planned_peak_bytes"], found["peak_rss_bytes"]
    return {"settings": point, "planned_bytes": planned, "measured_bytes": measured, "ratio": planned / measured, "all": found["all"]}


def off(row):
    """How far the plan is off, as a factor above 1."""
    return max(row["ratio"], 1 / row["ratio"])


def row_cells(row):
    point = row["settings"]
    text = lambda value: "-" if value is None else common.count_text(value) if isinstance(value, int) and value >= 1000 else value
    if "shape" in point:
        shape = [point["model"], point["mode"], point["shape"], text(point["nodes"]), text(point["edges"])]
    else:
        shape = [text(point[name]) for name in ("model", "mode", "nodes", "edges", "features", "width", "layers", "hops", "heads")]
        shape.append("yes" if point["recompute"] else "")
    if "failed" in row:
        return [*shape, "-", "-", row["failed"][:60]]
    return [*shape, common.gib(row["planned_bytes"]), common.gib(row["measured_bytes"]), f"{row['ratio']:.2f}"]


def by_model(rows):
    """One row a model, one column a shape and mode: the table of docs/models.md."""
    ratios = {}
    for row in rows:
        point = row["settings"]
        if "ratio" in row:
            cell = f"{row['ratio']:.2f}"
            ratios[point["model"], point["shape"], point["mode"]] = cell if abs(row["ratio"] - 1) <= ALLOWED else f"**{cell}**"
    columns = [(shape, mode) for shape in SHAPES for mode in ("train", "infer") if any(key[1:] == (shape, mode) for key in ratios)]
    models = sorted({f"`{key[0]}`" for key in ratios})
    cells = [[model, *(ratios.get((model.strip("`"), *column), "-") for column in columns)] for model in models]
    return common.table(["model", *(f"{shape}: {mode}" for shape, mode in columns)], cells)


def main():
    asked = arguments()
    command = common.farhop(asked.farhop)
    facts = common.machine(command)
    say(common.machine_line(facts))
    scale = asked.scale * (0.05 if asked.quick else 1)
    if asked.models:
        models = common.run_json([command, "models", "--json"])["models"]
        chosen = common.chosen(asked.only, [model["model"] for model in models])
        shapes = common.chosen(asked.shapes, list(SHAPES), "--shapes")
        points = of_models([model for model in models if model["model"] in chosen], shapes, asked.quick, scale)
    else:
        points = grid(asked.quick, scale)
    known = []
    if asked.resume and asked.out and asked.out.exists():
        known = json.loads(asked.out.read_text())["points"]
    file = common.RunFile("plan", asked)
    rows = [row for row in known if row["settings"] not in points]
    for number, point in enumerate(points, 1):
        found = next((row for row in known if row["settings"] == point and "ratio" in row), None)
        rows.append(found or measure(point, asked, command))
        told = f"ratio {rows[-1]['ratio']:.2f}" if "ratio" in rows[-1] else rows[-1]["failed"]
        if found is None:
            say(f"  {number} of {len(points)}, {point['model']} {point['mode']} {point.get('shape', '')}: {told}")
        file.add(machine=facts, allowed=ALLOWED, points=rows)
    good = sorted((row for row in rows if "ratio" in row), key=off, reverse=True)
    failed = [row for row in rows if "failed" in row]
    shown = [*failed, *good][:asked.worst or None]
    what = ["shape", "nodes", "edges"] if asked.models else ["nodes", "edges", "features", "width", "layers", "K", "heads", "recompute"]
    heading = ["model", "mode", *what, "planned", "measured", "planned / measured"]
    print(common.table(heading, map(row_cells, shown)))
    if asked.models:
        print(f"\n{by_model(rows)}")
    if good:
        within = sum(abs(row["ratio"] - 1) <= ALLOWED for row in good)
        low, high = min(row["ratio"] for row in good), max(row["ratio"] for row in good)
        verdict = "met" if within == len(good) and not failed else "**missed**"
        print(f"\nplanned / measured: {low:.2f} to {high:.2f}; {within} of {len(good)} within {ALLOWED:.0%} ({verdict}); {len(failed)} failed")
        file.add(lowest_ratio=low, highest_ratio=high, within=within, failed=len(failed))
    file.finish()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted; what was measured is in the run file.")
