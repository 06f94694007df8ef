"""What the benchmarks share: building the command, one measured process at a time, the machine's description, tables, run files.

Standard library only, Python 3.10 or newer. The watch over memory needs Linux; elsewhere processes run unwatched.
"""
import datetime
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
RUNS = BENCHES / "runs"
WORK = BENCHES / "work"
GIB = 1 << 30

# Memory that must stay free for the rest of the machine while something is measured.
LEAST_FREE = 512 << 20
# Seconds between two looks at a process.
LOOK = 0.05


# Asked to end, a benchmark takes the process that it measures with it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


# --- processes ---------------------------------------------------------------------------------------------------------------

def field_bytes(path, field):
    """The value of a line such as `VmRSS:  1234 kB`, in bytes; None where there is none."""
    try:
        for line in Path(path).read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


class Watch(threading.Thread):
    """Ends a process that takes more memory or time than it may, so that it can't take the machine down."""

    def __init__(self, process, memory, seconds):
        super().__init__(daemon=True)
        self.process, self.memory, self.deadline, self.seconds = process, memory, time.monotonic() + seconds, seconds
        self.peak, self.reason = 0, None

    def run(self):
        while self.process.poll() is None:
            held = field_bytes(f"/proc/{self.process.pid}/status", "VmRSS") or 0
            free = field_bytes("/proc/meminfo", "MemAvailable")
            self.peak = max(self.peak, held)
            if self.memory is not None and held > self.memory:
                self.reason = f"out of memory: more than the limit of {gib(self.memory)}"
            elif free is not None and free < LEAST_FREE and held > LEAST_FREE:
                self.reason = f"out of memory: the machine had {gib(free)} left while it held {gib(held)}"
            elif time.monotonic() > self.deadline:
                self.reason = f"took longer than {self.seconds:.0f} s"
            if self.reason:
                self.process.kill()
                return
            time.sleep(LOOK)


def run_json(command, *, memory=None, seconds=3600.0, environment=None, hide=()):
    """Runs a command that prints one JSON object on its last line. Returns that object, or {"failed": why} when it did not."""
    surroundings = {**os.environ, **(environment or {})}
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=surroundings, cwd=ROOT)
    try:  # If the system runs out of memory after all, this process goes first.
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    except OSError:
        pass
    watch = Watch(process, memory, seconds)
    watch.start()
    try:
        out, errors = process.communicate()
    except BaseException:  # Ctrl-C: nothing stays behind.
        process.kill()
        process.wait()
        raise
    watch.join()
    if watch.reason is None and process.returncode == 0:
        lines = out.strip().splitlines()
        try:
            return json.loads(out) if len(lines) != 1 else json.loads(lines[-1])
        except ValueError:
            return {"failed": "printed no JSON: " + (lines[-1] if lines else "nothing")}
    reason = watch.reason or failure_line(errors, process.returncode)
    return {"failed": hidden(reason, hide), "peak_seen_bytes": watch.peak}


def failure_line(errors, code):
    """The line of an error output that says what went wrong."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"(error|\w*Error|\w*Exception|Killed)\b", line)]
    text = (telling or lines or ["no message"])[-1][:400]
    if code < 0:
        return f"ended by signal {-code}: {text}" if lines else f"ended by signal {-code}"
    return text


def hidden(text, folders=()):
    """`text` without the names of folders of this machine."""
    for folder in [*folders, ROOT, Path.home()]:
        text = text.replace(str(folder) + os.sep, "").replace(str(folder), ".")
    return text


def interleaved(contenders, repeats, measure):
    """Measures every contender once, then every contender again: what the machine does meanwhile hits all alike."""
    measured = {name: [] for name in contenders}
    for turn in range(repeats):
        for name in contenders:
            measured[name].append(measure(name, turn))
    return measured


# --- the command under test --------------------------------------------------------------------------------------------------

def add_arguments(parser, memory=True):
    """The arguments that all benchmarks have."""
    parser.add_argument("--farhop", metavar="PATH", type=Path, help="a farhop that is built already")
    parser.add_argument("--work", metavar="DIR", type=Path, default=WORK, help="folder for generated graphs [benches/work]")
    parser.add_argument("--out", metavar="FILE", type=Path, help="run file to write [benches/runs/DATE-NAME.json]")
    parser.add_argument("--threads", metavar="T", type=int, default=min(2, os.cpu_count() or 1), help="[2]")
    parser.add_argument("--quick", action="store_true", help="few epochs, one repeat, small graphs: to see that it works")
    parser.add_argument("--timeout", metavar="S", type=float, default=3600.0, help="seconds that one process may take [3600]")
    if memory:
        parser.add_argument("--memory-limit", metavar="GIB", type=float, default=20.0, help="of one process [20]")


def farhop(path):
    """The given command, or the one built from this checkout."""
    if path is not None:
        if not path.is_file():
            sys.exit(f"error: --farhop {path}: there is no such file.")
        return path.resolve()
    say("building farhop (release)")
    done = subprocess.run(["cargo", "build", "--release", "-p", "farhop-cli"], cwd=ROOT)
    if done.returncode:
        sys.exit("error: farhop could not be built; see above, or pass --farhop PATH.")
    answer = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, capture_output=True, text=True)
    return Path(json.loads(answer.stdout)["target_directory"]) / "release" / "farhop"


def bench(command, settings, *, memory=None, seconds=3600.0, hide=()):
    """`farhop bench --json` with settings such as {"hops": 4, "recompute": True, "set": ["model.alpha=0.1"]}."""
    line = [command, "bench", "--json", "--quiet"]
    for name, value in settings.items():
        if value is True:
            line.append(f"--{name}")
        elif value is not None and value is not False:
            for one in value if isinstance(value, list) else [value]:
                line += [f"--{name}", one]
    return run_json(line, memory=memory, seconds=seconds, hide=hide)


# --- the machine -------------------------------------------------------------------------------------------------------------

def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return None


def text_of(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def cache_bytes(level):
    """The size of a cache as the first core sees it, in bytes."""
    for index in range(8):
        folder = f"/sys/devices/system/cpu/cpu0/cache/index{index}"
        if text_of(f"{folder}/level") == str(level):
            size = re.match(r"(\d+)([KMG]?)", text_of(f"{folder}/size") or "")
            if size:
                return int(size[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[size[2]]
    return None


def machine(command):
    """What the numbers depend on besides the programs: processor, memory, system, compiler."""
    cpu = text_of("/proc/cpuinfo") or ""

    def entry(name):
        found = re.search(rf"^{name}\s*:\s*(.*)$", cpu, re.M)
        return found[1].strip() if found else None
    flags = set((entry("flags") or entry("Features") or "").split())
    wanted = ["sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_bf16", "amx_bf16", "asimd", "sve"]
    doctor = run_json([command, "doctor", "--json"])
    changed = first_line(["git", "status", "--porcelain", "--untracked-files=no"])
    huge = text_of("/sys/kernel/mm/transparent_hugepage/enabled")
    return {
        "cpu": entry("model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "l2_bytes": cache_bytes(2),
        "l3_bytes": cache_bytes(3),
        "memory_bytes": field_bytes("/proc/meminfo", "MemTotal"),
        "kernel": f"{platform.system()} {platform.release()}",
        "transparent_huge_pages": re.search(r"\[(\w+)\]", huge)[1] if huge and "[" in huge else huge,
        "instruction_sets": [flag for flag in wanted if flag in flags],
        "farhop_version": doctor.get("version"),
        "farhop_instruction_set": doctor.get("instruction_set"),
        "farhop_commit": first_line(["git", "rev-parse", "--short=12", "HEAD"]),
        "farhop_changed": bool(changed),
        "rustc": first_line(["rustc", "--version"]),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def machine_line(facts):
    """The description in one line."""
    size = lambda count: "unknown" if count is None else gib(count) if count >= GIB else f"{count >> 20} MiB"
    return (f"{facts['cpu']}, {facts['cores']} cores, L3 {size(facts['l3_bytes'])}, memory {size(facts['memory_bytes'])}, "
            f"{facts['kernel']}, huge pages: {facts['transparent_huge_pages']}, load before: {facts['load_before']}")


# --- numbers and text --------------------------------------------------------------------------------------------------------

def timed(measurement):
    """The seconds of the epochs that count: all but the warm-up, unless there is nothing else."""
    return measurement["all"][1:] or measurement["all"]


def summary(measurements):
    """Median, least and most of the epochs of all repeats, and the highest peak; None when every repeat failed."""
    good = [one for one in measurements if "failed" not in one]
    if not good:
        return None
    seconds = [second for one in good for second in timed(one)]
    busy = [second for one in good for second in timed({"all": one.get("cpu_all", [])})]
    return {
        "cpu_median": statistics.median(busy) if busy else None,
        "median": statistics.median(seconds), "min": min(seconds), "max": max(seconds), "epochs": len(seconds),
        "peak": max(one["peak_rss_bytes"] for one in good), "failures": len(measurements) - len(good),
    }


def fit_exponent(points):
    """Least squares of log y = a + b log x over (x, y): b, or None with fewer than two points."""
    import math
    logs = [(math.log(x), math.log(y)) for x, y in points]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = (statistics.fmean(column) for column in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def seconds_text(seconds):
    """Three digits with a unit."""
    if seconds < 0.1:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def gib(count):
    return f"{count / GIB:.2f} GiB" if count >= GIB / 10 else f"{count / (1 << 20):.0f} MiB"


def count_text(count):
    """Such as 16M or 250k."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            return f"{count / size:g}{unit}"
    return str(count)


def table(heading, rows):
    """A Markdown table, columns in line."""
    cells = [[str(cell) for cell in row] for row in [heading, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heading))]
    line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
    return "\n".join([line(cells[0]), "|" + "|".join("-" * (width + 2) for width in widths) + "|", *map(line, cells[1:])])


def say(text):
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def chosen(text, known, what="--only"):
    """The names in a list with commas, all of them if there is none; stops at one that is not known."""
    if not text:
        return list(known)
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            sys.exit(f"error: {what}: {name!r} is not known. Known are: {', '.join(known)}.")
    return [name for name in known if name in names]


class RunFile:
    """A dated JSON that is written anew after every section, so that an interrupted run is not lost.

    A quick run goes to the work folder: it is no record. A second run on the same day gets a number."""

    def __init__(self, name, arguments):
        arguments.work.mkdir(parents=True, exist_ok=True)
        date = datetime.date.today().isoformat()
        folder = arguments.work if arguments.quick else RUNS
        path, number = folder / f"{date}-{name}.json", 1
        while path.exists() and not arguments.quick:
            number += 1
            path = folder / f"{date}-{name}-{number}.json"
        self.path = arguments.out or path
        options = {name: value for name, value in vars(arguments).items() if not isinstance(value, Path) and name != "list"}
        self.content = {"date": date, "benchmark": name, "options": options}

    def add(self, **items):
        self.content.update(items)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(self.path.name + ".part")
        temporary.write_text(json.dumps(self.content, indent=1) + "\n")
        temporary.replace(self.path)

    def finish(self):
        say(f"written: {os.path.relpath(self.path)}")


def need_space(folder, count):
    """Stops when a folder has no room for `count` bytes."""
    free = shutil.disk_usage(folder).free
    if free < count:
        sys.exit(f"error: {folder} has {gib(free)} free and {gib(count)} are needed. Pass --work DIR.")
