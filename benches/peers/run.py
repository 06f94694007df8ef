#!/usr/bin/env python3
"""farhop against what a user would pick instead: time and memory of a training epoch, from one run on one machine.

    python3 benches/peers/run.py                       everything (hours)
    python3 benches/peers/run.py --only arxiv,cora     a part
    python3 benches/peers/run.py --quick               small graphs, one epoch: does it work here?

Makes a virtual environment with the peers, builds farhop, makes the graphs, and runs every program in a process of its own, one
after the other and all of them again as often as --repeats says. Prints a table for each section and writes
benches/runs/DATE-peers.json. Standard library only.
"""
import argparse
import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import common
from common import say
from sections import sections

# Two ways for PyTorch to have its memory. Kept: what was taken once stays with the process, instead of being given back and
# cleared again for every tensor; several times faster, but holes between tensors make it several times as much. Returned: as the
# system does by itself. A peer is timed in the way that is faster for it, and its memory is that of the way that needs less.
ALLOCATORS = {
    "kept": {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)},
    "returned": {},
}
CHECKPOINTS = ("none", "layer", "round")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser)
    parser.add_argument("--venv", metavar="DIR", type=Path, help="an environment that is there [benches/peers/.venv, made]")
    parser.add_argument("--pip", metavar="ARGS", default="", help="more arguments for pip, such as another index")
    parser.add_argument("--data", metavar="DIR", type=Path, help="folder with Cora and PubMed, besides $FARHOP_DATA")
    parser.add_argument("--shrink", metavar="N", type=int, default=1, help="arxiv-like graphs and batches of molecules N times smaller [1]")
    parser.add_argument("--repeats", metavar="R", type=int, default=3, help="processes of every program [3]")
    parser.add_argument("--only", metavar="NAMES", help="sections, with commas between; see --list")
    parser.add_argument("--without", metavar="MODELS", default="", help="peers to leave out, such as gen-literal,gcn-edges")
    parser.add_argument("--peer-env", metavar="NAME=VALUE", action="append", default=[], help="environment of the peers")
    parser.add_argument("--list", action="store_true", help="the sections")
    return parser.parse_args()


# --- the peers' environment --------------------------------------------------------------------------------------------------

VERSIONS = """
import json, platform, numpy, torch, torch_geometric
print(json.dumps({"python": platform.python_version(), "torch": torch.__version__, "torch_geometric": torch_geometric.__version__,
                  "numpy": numpy.__version__, "torch_threads": torch.get_num_threads(), "torch_cpu": torch.backends.cpu.get_cpu_capability()}))
"""


def versions(python):
    """Versions of what the peers run on, or {"failed": ..}."""
    return common.run_json([python, "-W", "ignore", "-c", VERSIONS], seconds=600)


def peers_python(asked):
    """The interpreter of the peers and the versions there; makes the environment if it is ours and not complete."""
    wanted = dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split("\n") if "==" in line)
    folder = (asked.venv or HERE / ".venv").absolute()
    python = folder / "bin" / "python"
    matches = lambda found: all(found.get(name, "").split("+")[0] == version for name, version in wanted.items())
    found = versions(python) if python.exists() else {"failed": "there is no python in it"}
    if asked.venv is not None:
        if "failed" in found:
            sys.exit(f"error: --venv {asked.venv} can't run the peers: {found['failed']}. Install requirements.txt there.")
        if not matches(found):
            say(f"note: --venv has other versions than requirements.txt: {json.dumps(found)}")
        return python, found
    if "failed" in found or not matches(found):
        say("making benches/peers/.venv with torch and torch_geometric (some minutes and gigabytes)")
        steps = [[sys.executable, "-m", "venv", folder],
                 [python, "-m", "pip", "install", "--quiet", *asked.pip.split(), "-r", HERE / "requirements.txt"]]
        for step in steps:
            if subprocess.run([str(part) for part in step]).returncode:
                sys.exit("error: the environment could not be made; see above. --pip passes arguments to pip, --venv takes another.")
        found = versions(python)
        if "failed" in found:
            sys.exit(f"error: the peers do not start: {found['failed']}")
    return python, found


# --- graphs ------------------------------------------------------------------------------------------------------------------

def make_graph(graph, asked, python, command):
    """The file of a graph, made if it is not there. None, with a line that says why, if the data is missing."""
    path = asked.work / graph.file
    if path.exists():
        return path
    asked.work.mkdir(parents=True, exist_ok=True)
    common.need_space(asked.work, 1 << 30)
    if graph.dataset is None:
        numbers = [part for name, value in graph.numbers.items() for part in (f"--{name}", value)]
        line = [python, HERE / "graphs.py", graph.kind, *numbers, path]
    else:
        dataset = (asked.work / f"{graph.dataset}.farhop").absolute()
        places = ["--data-dir", asked.data.absolute()] if asked.data else []
        exported = common.run_json([command, "data", "import", graph.dataset, *places, "--out", dataset, "--json", "--quiet"])
        if "failed" in exported:
            say(f"skipped {graph.dataset}: {exported['failed'].removeprefix('error: ')} (--data DIR or $FARHOP_DATA)")
            return None
        line = [python, HERE / "graphs.py", "convert", dataset, path]
    say(f"making {path.name}")
    done = subprocess.run([str(part) for part in line], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {path.name} could not be made: {common.failure_line(done.stderr, done.returncode)}")
    return path


# --- measuring ---------------------------------------------------------------------------------------------------------------

class Measuring:
    """One section: runs its contenders and remembers which form of a peer fits into memory."""

    def __init__(self, section, graph, asked, python, command):
        self.section, self.graph, self.asked, self.python, self.command = section, graph.absolute(), asked, python, command
        self.level = {}
        self.allocator = {}
        self.least_peak = {}
        self.attempts = []
        self.parameters = {}

    def limits(self):
        return {"memory": int(self.asked.memory_limit * common.GIB), "seconds": self.asked.timeout,
                "hide": [self.asked.work.absolute(), self.python.parent.parent]}

    def settings(self, contender):
        section = self.section
        return {"graph": self.graph, "model": contender.model, "width": section.width, "layers": section.layers,
                "mode": section.mode, "threads": self.asked.threads, "epochs": contender.epochs, **contender.settings}

    def peer(self, contender, checkpoint, allocator):
        settings = self.settings(contender)
        if contender.model.startswith("gen-"):
            settings["checkpoint"] = checkpoint
        line = [self.python, HERE / "peers.py", *(part for name, value in settings.items() for part in (f"--{name}", value))]
        threads = str(self.asked.threads)
        environment = {**ALLOCATORS[allocator], "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "CUDA_VISIBLE_DEVICES": "",
                       "PYTHONDONTWRITEBYTECODE": "1", **dict(pair.split("=", 1) for pair in self.asked.peer_env)}
        return {"allocator": allocator, **common.run_json(line, environment=environment, **self.limits())}

    def fitting_peer(self, contender, allocator):
        """The first form that fits: everything kept, then checkpoints around layers, then around rounds as well."""
        levels = CHECKPOINTS if contender.model.startswith("gen-") and self.section.mode == "train" else CHECKPOINTS[:1]
        known = self.level.get((contender.name, allocator), "none")
        for level in levels[levels.index(known):]:
            measured = self.peer(contender, level, allocator)
            self.level[contender.name, allocator] = level
            if not out_of_memory(measured) or level == levels[-1]:
                return measured
            self.attempts.append({"name": contender.name, "checkpoint": level, **measured})
            say(f"  {contender.name}, memory {allocator}, checkpoint {level}: {measured['failed']}")

    def best_peer(self, contender):
        """Both allocators the first time, then the one that was faster. The other's run is kept among the attempts."""
        if contender.name in self.allocator:
            return self.fitting_peer(contender, self.allocator[contender.name])
        tried = [self.fitting_peer(contender, allocator) for allocator in ALLOCATORS]
        speed = lambda one: float("inf") if "failed" in one else common.summary([one])["median"]
        tried.sort(key=speed)
        for one in tried:
            told = one.get("failed") or f"{common.seconds_text(speed(one))}, {common.gib(one['peak_rss_bytes'])}"
            say(f"  {contender.name}, memory {one['allocator']}: {told}")
        best, other = tried
        self.allocator[contender.name] = best["allocator"]
        self.attempts.append({"name": contender.name, "slower_allocator": True, **other})
        # Only the same form is compared: with other checkpoints it is another trade of time for memory.
        if "failed" not in other and other["checkpoint"] == best.get("checkpoint"):
            self.least_peak[contender.name] = other["peak_rss_bytes"]
        return best

    def measure(self, contender, turn):
        if contender.ours:
            measured = common.bench(self.command, self.settings(contender), **self.limits())
        else:
            measured = self.best_peer(contender)
        if "failed" in measured:
            say(f"  {contender.name}: {measured['failed']}")
            return {"turn": turn, **measured}
        self.check(contender, measured)
        seconds = common.summary([measured])
        say(f"  {contender.name}: {common.seconds_text(seconds['median'])}, {common.gib(seconds['peak'])}")
        return {"turn": turn, **measured}

    def chosen_level(self, contender):
        """The checkpoints that a contender ran with in the end."""
        return self.level.get((contender.name, self.allocator.get(contender.name)), "none")

    def check(self, contender, measured):
        """The same model has the same number of parameters, and everyone the same threads and the same graph."""
        kind = contender.model.split("-")[0].replace("gine", "gin")
        same = (kind, contender.settings.get("hops"))
        first = self.parameters.setdefault(same, measured["parameters"])
        assert measured["parameters"] == first, f"{contender.name} has {measured['parameters']} parameters instead of {first}"
        assert measured["threads"] == self.asked.threads, f"{contender.name} ran with {measured['threads']} threads"
        sizes = measured["nodes"], measured["edges"]
        assert self.parameters.setdefault("sizes", sizes) == sizes, f"{contender.name} saw another graph: {sizes}"


def out_of_memory(measured):
    return bool(re.search(r"memory|signal 9", measured.get("failed", "")))


# --- what came out -----------------------------------------------------------------------------------------------------------

def best_of(group, contenders, summaries):
    """The fastest of a group that ran at all."""
    ran = [contender for contender in contenders if contender.group == group and summaries[contender.name]]
    return min(ran, key=lambda contender: summaries[contender.name]["median"], default=None)


def held_against(targets, contenders, summaries):
    """The targets with what was measured. Memory of a peer counts without its libraries."""
    rows = []
    for target in targets:
        ours = best_of(target.ours, contenders, summaries)
        peer = target.peer and best_of(target.peer, contenders, summaries)
        row = {"ours": target.ours, "peer": target.peer, "what": target.what, "most": target.most, "note": target.note,
               "measured": None, "met": None}
        if ours and (peer or target.peer is None):
            mine, theirs = {"time": ("median", "median"), "processor time": ("cpu_median", "cpu_median"),
                            "memory": ("peak", "peak_of_data")}[target.what]
            value = summaries[ours.name][mine]
            against = 1 if peer is None else summaries[peer.name][theirs]
            row.update(measured=value / against, met=value <= target.most * against, peer=peer and peer.name)
        rows.append(row)
    return rows


def part_text(value):
    """A share as people say it: 1/20 or 0.60."""
    return f"1/{1 / value:.3g}" if value < 0.5 else f"{value:.2f}"


def target_table(rows):
    def text(row, value):
        if value is None:
            return "not measured"
        return common.gib(value) if row["peer"] is None and row["what"] == "memory" else part_text(value)
    cells = []
    for row in rows:
        name = f"{row['what']} of {row['ours']}" + (f" / {row['peer']}" if row["peer"] else "")
        most = f"at most {text(row, row['most'])}" + (f" ({row['note']})" if row["note"] else "")
        cells.append([name, most, text(row, row["measured"]), {True: "met", False: "**missed**", None: "-"}[row["met"]]])
    return common.table(["target", "allowed", "measured", ""], cells)


def section_table(contenders, summaries, measured, level_of):
    base = summaries[contenders[0].name]
    cells = []
    for contender in contenders:
        found = summaries[contender.name]
        level = level_of(contender)
        name = contender.name + ("" if level == "none" else f", checkpoint a {level}")
        if found is None:
            cells.append([name, "-", "-", "-", "-", "-", measured[contender.name][-1]["failed"][:70]])
            continue
        ratio = f"{found['median'] / base['median']:.3g}" if base else "-"
        share = f"{found['peak'] / base['peak']:.3g}" if base else "-"
        spread = f"{common.seconds_text(found['min'])} - {common.seconds_text(found['max'])}"
        busy = common.seconds_text(found["cpu_median"]) if found["cpu_median"] else "-"
        cells.append([name, common.seconds_text(found["median"]), spread, busy, common.gib(found["peak"]), ratio, share])
    return common.table(["program", "median epoch", "min - max", "processor time", "peak memory", "time / first", "memory / first"], cells)


def run_section(name, section, asked, python, command):
    """Measures a section, prints its tables, and returns what the run file keeps of it."""
    graph = make_graph(section.graph, asked, python, command)
    if graph is None:
        return {"skipped": "the data is not there"}
    left_out = [model for model in asked.without.split(",") if model]
    contenders = [contender for contender in section.contenders if contender.ours or contender.model not in left_out]
    by_name = {contender.name: contender for contender in contenders}
    say(f"{section.title} ({name})")
    measuring = Measuring(section, graph, asked, python, command)
    repeats = 1 if asked.quick else asked.repeats
    measured = common.interleaved(by_name, repeats, lambda name, turn: measuring.measure(by_name[name], turn))
    summaries = {name: common.summary(found) for name, found in measured.items()}
    for name, found in summaries.items():
        if found:
            libraries = max(one.get("rss_before_bytes", 0) for one in measured[name] if "failed" not in one)
            found["peak"] = min(found["peak"], measuring.least_peak.get(name, found["peak"]))
            found.update(libraries=libraries, peak_of_data=found["peak"] - libraries, allocator=measuring.allocator.get(name))
    targets = held_against(section.targets, contenders, summaries)
    nodes, edges = measuring.parameters.get("sizes", (None, None))
    print(f"\n### {section.title}\n\n{nodes:,} nodes, {edges:,} edges; width {section.width}, {section.layers} layers, "
          f"{asked.threads} threads, {section.mode}; {repeats} processes each, in turns\n" if nodes else f"\n### {section.title}\n")
    print(section_table(contenders, summaries, measured, measuring.chosen_level))
    if targets:
        print("\n" + target_table(targets))
    sys.stdout.flush()
    return {
        "title": section.title, "nodes": nodes, "edges": edges, "graph": dataclasses.asdict(section.graph),
        "width": section.width, "layers": section.layers, "mode": section.mode, "targets": targets,
        "results": [{"name": contender.name, "ours": contender.ours, "summary": summaries[contender.name],
                     "measurements": measured[contender.name]} for contender in contenders],
        "attempts": measuring.attempts,
    }


def main():
    asked = arguments()
    known = sections(asked.quick, asked.shrink)
    if asked.list:
        for name, section in known.items():
            print(f"{name:<19} {section.title}")
        return
    names = common.chosen(asked.only, known)
    if asked.repeats < 1 or any("=" not in pair for pair in asked.peer_env):
        sys.exit("error: --repeats must be at least 1, and --peer-env takes NAME=VALUE.")
    python, peers = peers_python(asked)
    command = common.farhop(asked.farhop)
    facts = common.machine(command)
    say(common.machine_line(facts))
    file = common.RunFile("peers", asked)
    done = {}
    for name in names:
        done[name] = run_section(name, known[name], asked, python, command)
        file.add(machine=facts, peers={**peers, "allocators": ALLOCATORS, "more_environment": asked.peer_env}, sections=done)
    every = [target for section in done.values() for target in section.get("targets", [])]
    print(f"\n{sum(target['met'] is True for target in every)} of {len(every)} targets met, "
          f"{sum(target['met'] is None for target in every)} not measured. A peer's time is that of its faster allocator, "
          "its memory that of the smaller one; targets compare memory without the peer's libraries.")
    if asked.quick:
        print("A quick run shows that everything works. Its numbers mean nothing.")
    file.finish()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted; finished sections are in the run file.")
