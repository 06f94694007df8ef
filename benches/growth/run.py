#!/usr/bin/env python3
"""How time and memory of a training epoch grow: with edges, with hops, with threads.

    python3 benches/growth/run.py                              all of it (an hour or more)
    python3 benches/growth/run.py --only edges --largest 4     graphs up to four million edges
    python3 benches/growth/run.py --quick                      small graphs, one epoch: does it work here?

Every point is a process of its own. Fits exponents by least squares over logarithms, prints tables, writes
benches/runs/DATE-growth.json and the plots docs/growth-*.svg. Standard library only.
"""
import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import common
import plot
from common import say

EDGES = (0.25, 1, 4, 16, 64)  # millions
HOPS = (1, 2, 4, 8, 16)
THREADS = (1, 2, 4)
ARXIV = {"nodes": 169_343, "edges": 1_166_243, "features": 128, "classes": 40}
# How a graph is gone through, by name: more memory and less time first.
SERIES = {
    "training": {"mode": "train"},
    "training, recomputing": {"mode": "train", "recompute": True},
    "inference": {"mode": "infer"},
}
PARTS = ("edges", "hops", "threads")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser)
    parser.add_argument("--only", metavar="PARTS", help="edges, hops, threads; with commas between")
    parser.add_argument("--largest", metavar="M", type=float, default=64, help="million edges of the largest graph [64]")
    parser.add_argument("--edges-per-node", metavar="D", type=float, default=7, help="[7]")
    parser.add_argument("--series", metavar="NAMES", help=f"of the edges: {', '.join(name.replace(', ', '-') for name in SERIES)}")
    parser.add_argument("--epochs", metavar="E", type=int, default=3, help="after the warm-up [3]")
    parser.add_argument("--repeats", metavar="R", type=int, default=1, help="processes of every point, in turns [1]")
    parser.add_argument("--graph", metavar="FILE", type=Path, help="npz for hops and threads instead of a generated graph")
    parser.add_argument("--plots", metavar="DIR", type=Path, help="folder of the plots [docs]")
    return parser.parse_args()


def measure(points, asked, command):
    """Measures {key: settings}, interleaved. Returns {key: (summary or None, measurements)}."""
    limits = {"memory": int(asked.memory_limit * common.GIB), "seconds": asked.timeout, "hide": [asked.work.absolute()]}

    def one(key, turn):
        found = common.bench(command, {"epochs": 1 if asked.quick else asked.epochs, **points[key]}, **limits)
        told = common.summary([found])
        say(f"  {key}: " + (f"{common.seconds_text(told['median'])}, {common.gib(told['peak'])}" if told else found["failed"]))
        return {"turn": turn, **found}
    measured = common.interleaved(points, 1 if asked.quick else asked.repeats, one)
    return {key: (common.summary(found), found) for key, found in measured.items()}


def fits(points):
    """Exponents of time and memory over [(x, summary)], all together and from each point to the next."""
    ran = [(x, found) for x, found in points if found]
    result = {}
    for what, key in (("time", "median"), ("memory", "peak")):
        values = [(x, found[key]) for x, found in ran]
        result[what] = common.fit_exponent(values)
        result[f"{what}_steps"] = [common.fit_exponent(pair) for pair in zip(values, values[1:])]
    return result


def exponent_text(value):
    return "-" if value is None else f"{value:.2f}"


def rows_of(points):
    """Table cells of [(name, summary, measurements)]."""
    return [[name, common.seconds_text(found["median"]), f"{common.seconds_text(found['min'])} - {common.seconds_text(found['max'])}",
             common.gib(found["peak"])] if found else [name, measurements[-1]["failed"][:90], "-", "-"]
            for name, found, measurements in points]


HEADING = ["median epoch", "min - max", "peak memory"]


def save_plot(asked, name, *parts, **more):
    """Writes a plot, if there are points; a quick run's goes to the work folder."""
    folder = asked.plots or (asked.work if asked.quick else common.ROOT / "docs")
    series = [(label, line) for label, line in parts[3] if line]
    if not series:
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"growth-{name}.svg"
    path.write_text(plot.log_log(*parts[:3], series, **more))
    say(f"written: {os.path.relpath(path)}")


def lines_of(series, key, unit):
    """[(name, [(x, value in units)])] of {name: [(x, summary)]}."""
    return [(name, [(x, found[key] / unit) for x, found in points if found]) for name, points in series.items()]


def run_edges(asked, command):
    """Time and memory over the number of edges at a fixed number of edges a node."""
    shrink = 100 if asked.quick else 1
    sizes = [round(size * 1e6 / shrink) for size in EDGES if size <= asked.largest]
    named = {name.replace(", ", "-"): name for name in SERIES}
    series = [named[name] for name in common.chosen(asked.series, named, "--series")]
    points = {}
    for size in sizes:
        for name in series:
            nodes = max(round(size / asked.edges_per_node), 2)
            points[f"{name}, {common.count_text(size)} edges"] = {
                "nodes": nodes, "edges": size, "features": 64, "classes": 40, "model": "gen", "hops": 4, "width": 64, "layers": 3,
                "threads": asked.threads, **SERIES[name]}
    say("growth with edges")
    measured = measure(points, asked, command)
    of = lambda name: [(size, *measured[f"{name}, {common.count_text(size)} edges"]) for size in sizes]
    curves, fitted = {}, {}
    for name in series:
        curves[name] = [(size / 1e6, found) for size, found, _ in of(name)]
        fitted[name] = fits(curves[name])
        print(f"\n### Growth with edges, {name}\n\n{asked.edges_per_node:g} edges a node, GEN with K = 4, width 64, 3 layers, 64 features, "
              f"{asked.threads} threads\n")
        print(common.table(["edges", *HEADING], rows_of([(f"{size:,}", found, all_of) for size, found, all_of in of(name)])))
        steps = ", ".join(map(exponent_text, fitted[name]["time_steps"]))
        print(f"\nexponents: time {exponent_text(fitted[name]['time'])} (from point to point {steps}), "
              f"memory {exponent_text(fitted[name]['memory'])}; at most 1.1 each: {verdict(fitted[name])}")
    label = "million edges"
    ticks = [size / 1e6 for size in sizes]
    save_plot(asked, "edges-time", "Time of an epoch grows with the edges", label, "seconds", lines_of(curves, "median", 1), x_ticks=ticks, slope=1)
    save_plot(asked, "edges-memory", "Memory grows with the edges", label, "peak memory, GiB", lines_of(curves, "peak", common.GIB),
              x_ticks=ticks, slope=1)
    return {"points": kept(points, measured), "fits": fitted}


def verdict(fitted):
    values = [fitted["time"], fitted["memory"]]
    return "not measured" if None in values else "met" if max(values) <= 1.1 else "missed"


def graph_settings(asked):
    """The graph for hops and threads."""
    if asked.graph:
        return {"graph": asked.graph.absolute()}
    shrink = 100 if asked.quick else 1
    return {**ARXIV, "nodes": ARXIV["nodes"] // shrink, "edges": ARXIV["edges"] // shrink}


def run_hops(asked, command):
    """Time and memory over K."""
    modes = {name: SERIES[name] for name in ("training", "inference")}
    points = {f"{name}, K = {hops}": {**graph_settings(asked), "model": "gen", "hops": hops, "width": 128, "layers": 3,
                                      "threads": asked.threads, **settings}
              for hops in HOPS for name, settings in modes.items()}
    say("growth with hops")
    measured = measure(points, asked, command)
    curves = {name: [(hops, measured[f"{name}, K = {hops}"][0]) for hops in HOPS] for name in modes}
    fitted = {name: fits(curve) for name, curve in curves.items()}
    for name in modes:
        print(f"\n### Growth with hops, {name}\n\narxiv-like graph, GEN, width 128, 3 layers, {asked.threads} threads\n")
        print(common.table(["K", *HEADING], rows_of([(hops, *measured[f"{name}, K = {hops}"]) for hops in HOPS])))
        print(f"\nexponents: time {exponent_text(fitted[name]['time'])}, memory {exponent_text(fitted[name]['memory'])}")
    save_plot(asked, "hops-time", "Time of an epoch grows with the hops", "hops K of a layer", "seconds", lines_of(curves, "median", 1),
              x_ticks=HOPS, slope=1)
    save_plot(asked, "hops-memory", "Memory grows with the hops", "hops K of a layer", "peak memory, GiB",
              lines_of(curves, "peak", common.GIB), x_ticks=HOPS, slope=1)
    return {"points": kept(points, measured), "fits": fitted}


def run_threads(asked, command):
    """Time over threads; more than there are cores is allowed."""
    models = {"GEN, K = 4": {"model": "gen", "hops": 4}, "GCN": {"model": "gcn"}}
    points = {f"{name}, {threads} threads": {**graph_settings(asked), "width": 128, "layers": 3, "mode": "train", "threads": threads, **model}
              for threads in THREADS for name, model in models.items()}
    say("threads")
    measured = measure(points, asked, command)
    curves = {name: [(threads, measured[f"{name}, {threads} threads"][0]) for threads in THREADS] for name in models}
    speed = {}
    for name, curve in curves.items():
        base = curve[0][1]
        speed[name] = {threads: base["median"] / found["median"] for threads, found in curve if base and found}
        print(f"\n### Threads, {name}\n\narxiv-like graph, width 128, 3 layers, training; the machine has {os.cpu_count()} cores\n")
        rows = rows_of([(threads, *measured[f"{name}, {threads} threads"]) for threads in THREADS])
        print(common.table(["threads", *HEADING, "times faster"],
                           [[*row, f"{speed[name].get(threads, 0):.2f}"] for row, threads in zip(rows, THREADS)]))
    save_plot(asked, "threads", "Time of an epoch over threads", "threads", "seconds", lines_of(curves, "median", 1), x_ticks=THREADS)
    return {"points": kept(points, measured), "times_faster": speed}


def kept(points, measured):
    """What the run file keeps of every point."""
    plain = lambda settings: {name: value.name if isinstance(value, Path) else value for name, value in settings.items()}
    return [{"name": key, "settings": plain(points[key]), "summary": found, "measurements": all_of}
            for key, (found, all_of) in measured.items()]


def main():
    asked = arguments()
    parts = common.chosen(asked.only, PARTS)
    command = common.farhop(asked.farhop)
    facts = common.machine(command)
    say(common.machine_line(facts))
    file = common.RunFile("growth", asked)
    for part in parts:
        done = {"edges": run_edges, "hops": run_hops, "threads": run_threads}[part](asked, command)
        sys.stdout.flush()
        file.add(machine=facts, **{part: done})
    file.finish()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted; finished parts are in the run file.")
