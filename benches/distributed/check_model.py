#!/usr/bin/env python3
"""The model of time beside runs: epochs of one and of two processes of one thread, over links with several limits, predicted and measured.

Predicted in two ways. `model`: seconds that one process without parts computes for each node and entry, times nodes and entries of the largest part and its
halo; measured bytes of the busiest process over the bandwidth; messages one after the other times the latency. `plan`: what `farhop plan PARTS
--bandwidth B --latency L` says before any run. Measured: the median epoch, and what its processes say of computing, exchange and waiting.

A rate is a limit of `tc` (tbf) on both ends; a delay is carried by relay.py, since many kernels have no netem. Latency without a delay is that
which `mpirun -n 2 farhop plan` measures between the namespaces. Needs root, OpenMPI, iproute2 and a farhop with the feature mpi.

    check_model.py --farhop target/release/farhop --data pubmed --data-dir DATA --out RECORD.json
    check_model.py --farhop ... --data made.farhop --partitioner streaming --set model.width=32
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

from run import HERE, Hosts, prepared, sh


class Wire(Hosts):
    """Two namespaces at the ends of a relayed wire."""

    def __init__(self, delay, rate):
        self.count = 2
        self.close()
        taps = ["farhop-t1", "farhop-t2"]
        words = [sys.executable, str(HERE / "relay.py"), *taps, "--delay", str(delay), "--rate", str(rate or 0)]
        # The launcher reaches the hosts over a bridge that has no delay.
        super().__init__(2, None, None)
        self.relay = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.relay.stdout.readline()
        for host, tap in enumerate(taps, 1):
            space = f"farhop-{host}"
            sh("ip", "link", "set", tap, "netns", space)
            sh("ip", "-n", space, "addr", "add", f"10.78.0.{host}/24", "dev", tap)
            sh("ip", "-n", space, "link", "set", tap, "up")

    def close(self):
        if getattr(self, "relay", None):
            self.relay.kill()
            self.relay.wait()
        super().close()


def said(start):
    """What a program says. A launcher that does not reach a host is started again; an error of farhop is not."""
    for attempt in range(3):
        child = start()
        out, err = child.communicate(timeout=3600)
        if not child.returncode:
            return out
        if attempt == 2 or "error: " in err:
            sys.exit(err)


def measured(start, run):
    """Seconds of all epochs but the first, and the figures of the processes."""
    def fresh():
        shutil.rmtree(run, ignore_errors=True)
        return start()

    said(fresh)
    lines = (pathlib.Path(run) / "metrics.jsonl").read_text().splitlines()
    record = json.loads((pathlib.Path(run) / "run.json").read_text())
    return [json.loads(line)["seconds"] for line in lines][1:], record.get("together")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", default="target/release/farhop")
    parser.add_argument("--data", default="pubmed")
    parser.add_argument("--data-dir")
    parser.add_argument("--partitioner", default="built-in")
    parser.add_argument("--set", action="append", default=[], help="a setting of the model: model.width=32")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--links", default="none:0,1000:0,100:0,20:0,none:1,none:5,100:5", help="Mbit/s:milliseconds one way")
    parser.add_argument("--burst", default="64kb")
    parser.add_argument("--work", default="/tmp/farhop-model")
    parser.add_argument("--out")
    given = parser.parse_args()
    farhop, work, where = prepared(given)
    chosen = [word for setting in given.set for word in ("--set", setting)]
    settings = [*chosen, "--epochs", str(given.epochs), "--patience", "none", "--threads", "1", "--quiet"]
    parts = work / "two.parts"
    sh(farhop, "data", "partition", given.data, *where, "--parts", "2", "--partitioner", given.partitioner, "--out", str(parts), "--quiet")
    division = json.loads((parts / "manifest.json").read_text())

    def plan(*words, launcher=()):
        return json.loads(sh(*launcher, farhop, "plan", str(parts), *chosen, "--threads", "1", *words, "--json", "--quiet").stdout)

    def alone():
        run = work / "one"
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        words = [farhop, "train", given.data, *where, *settings, "--out", str(run)]
        return measured(lambda: subprocess.Popen(words, **piped), run)[0]

    ones, rows = alone(), []
    for link in given.links.split(","):
        rate, delay = link.split(":")
        rate, delay = None if rate == "none" else float(rate) * 1e6, float(delay) / 1e3
        hosts = Wire(delay, rate) if delay else Hosts(2, f"{int(rate)}bit" if rate else None, given.burst)
        network = "10.78.0.0/24" if delay else "10.77.0.0/24"
        try:
            # What the link is without limits, between processes that do nothing else.
            words = [farhop, "plan", str(parts), *chosen, "--threads", "1", "--json", "--quiet"]
            found = json.loads(said(lambda: hosts.mpirun(words, network=network)))["predicted"]
            bandwidth = rate or found["bandwidth_gbit"] * 1e9
            run = work / "run"
            words = [farhop, "train", str(parts), *settings, "--out", str(run)]
            epochs, together = measured(lambda: hosts.mpirun(words, network=network), run)
        finally:
            hosts.close()
        # Whatever else the machine does strikes all alike: one process before and after.
        ones += alone()
        planned = plan("--bandwidth", str(bandwidth / 1e9), "--latency", str(found["latency_microseconds"]))
        one = statistics.median(ones[-2 * (given.epochs - 1):])
        work_share = (planned["nodes"] + planned["entries"]) / (division["nodes"] + division["entries"])
        processes = together["processes"]
        bytes_moved = max(process["sent_bytes_per_epoch"] for process in processes)
        messages = max(process["messages_per_epoch"] for process in processes)
        model = one * work_share + 8 * bytes_moved / bandwidth + messages * found["latency_microseconds"] * 1e-6
        two = statistics.median(epochs)
        row = {"link_mbit": rate and rate / 1e6, "delay_ms": delay * 1e3, "bandwidth_gbit": bandwidth / 1e9, "latency_microseconds": found["latency_microseconds"],
               "one_process": one, "two_processes": two, "model": model, "model_error": model / two - 1, "plan": planned["predicted"]["seconds_per_epoch"],
               "plan_computing": planned["predicted"]["computing_seconds"], "plan_error": planned["predicted"]["seconds_per_epoch"] / two - 1,
               "bytes_per_epoch": bytes_moved, "messages_per_epoch": messages, "epochs": epochs, "together": together, "load": os.getloadavg()[0]}
        rows.append(row)
        print(json.dumps({key: row[key] for key in list(row)[:11]}), flush=True)
        record = {"date": time.strftime("%Y-%m-%d"), "machine": f"{os.cpu_count()} cores", "data": given.data, "settings": given.set, "burst": given.burst, "rows": rows}
        if given.out:
            pathlib.Path(given.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
