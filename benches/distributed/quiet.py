#!/usr/bin/env python3
"""One process of one thread against two, and what it gives that rows are computed while messages are under way. For a machine that does nothing else.

All ways take turns, so that whatever else happens strikes all of them: one process without parts; two processes on this machine as users start
them; two in network namespaces, over links without and with a limit. With two, once as they are, once with FARHOP_WAIT=all, which computes
nothing while messages are under way. What is compared is seconds an epoch: the fastest and the median of all epochs of all turns but the first of each.
Needs root, OpenMPI, iproute2 and a farhop built with `--features mpi`.

    quiet.py --farhop target/release/farhop --data-dir DATA --out benches/runs/DATE-distributed-quiet.json    # PubMed
    quiet.py --farhop ... --data made.farhop --partitioner streaming                                          # a graph of your own
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from run import Hosts, prepared, sh


def epochs(run):
    """Seconds of all epochs but the first, which makes what the others find."""
    lines = (pathlib.Path(run) / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["seconds"] for line in lines][1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", default="target/release/farhop")
    parser.add_argument("--data", default="pubmed")
    parser.add_argument("--data-dir")
    parser.add_argument("--partitioner", default="built-in")
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rates", default="1gbit,100mbit,20mbit", help="limits of each link, beside none")
    parser.add_argument("--burst", default="64kb", help="what a limited link lets pass at once")
    parser.add_argument("--work", default="/tmp/farhop-quiet")
    parser.add_argument("--out")
    given = parser.parse_args()
    farhop, work, where = prepared(given)
    settings = ["--epochs", str(given.epochs), "--patience", "none", "--threads", "1", "--quiet"]
    parts = work / "two.parts"
    divide = [farhop, "data", "partition", given.data, *where, "--parts", "2", "--partitioner", given.partitioner, "--out", str(parts), "--json", "--quiet"]
    divided = json.loads(sh(*divide).stdout)
    rates = [None, *given.rates.split(",")]
    ways = ["one", "two", "two waiting"] + [f"{rate or 'no limit'}{wait}" for rate in rates for wait in ("", " waiting")]
    seconds, load = {way: [] for way in ways}, []

    def measure(way, run, start):
        for attempt in range(3):
            shutil.rmtree(run, ignore_errors=True)
            child = start()
            _, err = child.communicate(timeout=3600)
            if not child.returncode:
                break
            # A launcher that does not reach a host is started again; an error of farhop is not.
            if attempt == 2 or "error: " in err:
                sys.exit(f"{way}: {err}")
        seconds[way] += epochs(run)
        shutil.rmtree(run)
        print(f"{way}: fastest {min(seconds[way]):.3f}, median {statistics.median(seconds[way]):.3f} s an epoch", flush=True)

    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    for _ in range(given.turns):
        load.append(os.getloadavg()[0])
        run = work / "run"
        measure("one", run, lambda: subprocess.Popen([farhop, "train", given.data, *where, *settings, "--out", str(run)], **piped))
        for way, environment in (("two", []), ("two waiting", ["-x", "FARHOP_WAIT=all"])):
            command = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-n", "2", *environment, farhop, "train", str(parts), *settings, "--out", str(run)]
            measure(way, run, lambda command=command: subprocess.Popen(command, **piped))
        for rate in rates:
            hosts = Hosts(2, rate, given.burst)
            try:
                for wait, environment in (("", []), (" waiting", ["FARHOP_WAIT=all"])):
                    words = [farhop, "train", str(parts), *settings, "--out", str(run)]
                    measure(f"{rate or 'no limit'}{wait}", run, lambda environment=environment: hosts.mpirun(words, environment))
            finally:
                hosts.close()
    found = {way: {"fastest": min(all_), "median": statistics.median(all_), "epochs": all_} for way, all_ in seconds.items()}
    record = {"date": time.strftime("%Y-%m-%d"), "machine": f"{os.cpu_count()} cores", "load_at_the_start_of_each_turn": load, "data": given.data, "burst": given.burst,
              "cut_share": divided["cut_share"], "imbalance": divided["imbalance"], "seconds_per_epoch": found}
    if given.out:
        pathlib.Path(given.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
