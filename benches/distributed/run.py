#!/usr/bin/env python3
"""One run over several processes, each in a network namespace of its own with an address of its own: TCP between them, no shared memory.

What is measured: the losses of all epochs beside those of one process, bytes on the virtual wires beside those that the processes count
and beside `farhop plan`, peak memory of each process, time of one process beside two with one thread each. `--kills N` kills a random process
at a random moment N times, resumes, and compares the losses. Needs root (namespaces), OpenMPI, and a farhop built with `--features mpi`.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Hosts:
    """A bridge and as many namespaces as there are processes."""

    def __init__(self, count, rate, burst):
        self.count = count
        self.close()
        sh("ip", "link", "add", "farhop-br", "type", "bridge")
        sh("ip", "addr", "add", "10.77.0.254/24", "dev", "farhop-br")
        sh("ip", "link", "set", "farhop-br", "up")
        for host in range(1, count + 1):
            space, outer = f"farhop-{host}", f"fh{host}o"
            sh("ip", "netns", "add", space)
            sh("ip", "link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", space)
            sh("ip", "link", "set", outer, "master", "farhop-br", "up")
            sh("ip", "-n", space, "addr", "add", f"10.77.0.{host}/24", "dev", "eth0")
            sh("ip", "-n", space, "link", "set", "eth0", "up")
            sh("ip", "-n", space, "link", "set", "lo", "up")
            if rate:
                sh("ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", burst, "latency", "50ms")

    def close(self):
        for host in range(1, 65):
            sh("ip", "netns", "del", f"farhop-{host}", check=False)
        sh("ip", "link", "del", "farhop-br", check=False)

    def sent(self):
        """Bytes that the namespaces have sent so far."""
        read = lambda host: int(sh("ip", "netns", "exec", f"farhop-{host}", "cat", "/sys/class/net/eth0/statistics/tx_bytes").stdout)
        return sum(read(host) for host in range(1, self.count + 1))

    def mpirun(self, words, environment=(), grace=30, network="10.77.0.0/24", **options):
        hosts = ",".join(f"10.77.0.{host}:1" for host in range(1, self.count + 1))
        command = ["mpirun", "--allow-run-as-root", "-n", str(self.count), "--host", hosts, "--map-by", "node",
                   # Every host would tie its process to its first core, and here that is the same core for all.
                   "--bind-to", "none",
                   "--mca", "plm_rsh_agent", str(HERE / "agent.sh"), "--mca", "plm", "rsh", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1",
                   "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", "10.77.0.0/24", "--mca", "odls_base_sigkill_timeout", str(grace)]
        for pair in environment:
            command += ["-x", pair]
        return subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def losses(run):
    lines = (pathlib.Path(run) / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines]


def prepared(given):
    """The command, an empty folder to work in, and the words that say where data lies."""
    work = pathlib.Path(given.work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return str(pathlib.Path(given.farhop).resolve()), work, ["--data-dir", given.data_dir] if given.data_dir else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farhop", default="target/release/farhop")
    parser.add_argument("--data", default="cora", help="dataset to train on")
    parser.add_argument("--data-dir")
    parser.add_argument("--processes", default="2,4")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--model", default="gen")
    parser.add_argument("--rate", help="limit of each link, as tc writes it: 1gbit")
    parser.add_argument("--burst", default="1mb", help="what a limited link lets pass at once; it fills while the link is idle, so a large one gives back the time in "
                        "which nothing was sent, and what overlaps can't be seen")
    parser.add_argument("--divider", help="another farhop that divides the data: one from before 2026-11-18 does not put nodes without neighbours elsewhere "
                        "first, so that nothing is computed while messages are under way")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--strike", type=float, nargs=2, default=(2, 10), metavar=("FROM", "TO"), help="seconds after the start in which a kill falls")
    parser.add_argument("--work", default="/tmp/farhop-distributed")
    parser.add_argument("--out")
    given = parser.parse_args()
    farhop, work, where = prepared(given)
    settings = ["--model", given.model, "--epochs", str(given.epochs), "--patience", "none", "--threads", "1", "--quiet", "--checkpoint-every", "1 epochs"]
    start = time.time()
    sh(farhop, "train", given.data, *where, *settings, "--out", str(work / "one"))
    alone = json.loads((work / "one" / "run.json").read_text())
    expected = losses(work / "one")
    record = {"date": time.strftime("%Y-%m-%d"), "machine": f"{os.cpu_count()} cores", "data": given.data, "model": given.model,
              "epochs": given.epochs, "rate": given.rate, "burst": given.burst, "overlap": not given.divider, "one": {"seconds_per_epoch": alone["seconds_per_epoch"], "peak_rss_bytes": alone["peak_rss_bytes"],
              "seconds": time.time() - start, "test": alone["scores"]["test"]}, "runs": []}
    for count in map(int, given.processes.split(",")):
        parts = work / f"{count}.parts"
        divider = str(pathlib.Path(given.divider).resolve()) if given.divider else farhop
        divided = json.loads(sh(divider, "data", "partition", given.data, *where, "--parts", str(count), "--out", str(parts), "--json", "--quiet").stdout)
        planned = json.loads(sh(farhop, "plan", str(parts), "--model", given.model, "--json", "--quiet").stdout)
        hosts = Hosts(count, given.rate, given.burst)
        try:
            before = hosts.sent()
            run = work / f"run-{count}"
            child = hosts.mpirun([farhop, "train", str(parts), *settings, "--json", "--out", str(run)])
            out, err = child.communicate(timeout=3600)
            if child.returncode:
                sys.exit(f"{count} processes: {err}")
            wire = hosts.sent() - before
            several = json.loads((run / "run.json").read_text())
            told = json.loads(out)
            worst = max(abs(a - b) / abs(a) for a, b in zip(expected, losses(run)))
            found = {"processes": count, "cut_share": divided["cut_share"], "imbalance": divided["imbalance"], "loss_off_by": worst, "test": several["scores"]["test"],
                     "seconds_per_epoch": several["seconds_per_epoch"], "together": told.get("together"), "planned_bytes_per_epoch": planned["bytes_per_epoch"],
                     "wire_bytes_per_epoch": wire / given.epochs, "planned_peak": planned["peak_bytes"]}
            print(json.dumps(found), flush=True)
            record["runs"].append(found)
            if given.kills:
                record["runs"][-1]["kills"] = kills(hosts, farhop, parts, settings, given, expected, work)
        finally:
            hosts.close()
    if given.out:
        pathlib.Path(given.out).write_text(json.dumps(record, indent=1) + "\n")


def kills(hosts, farhop, parts, settings, given, expected, work):
    """Kills a random process of a run at a random moment, resumes it, and compares the losses."""
    done, worst, longest, rounds = 0, 0.0, 0.0, []
    for number in range(given.kills):
        run = work / f"killed-{number}"
        random.seed(number)
        child = hosts.mpirun([farhop, "train", str(parts), *settings, "--out", str(run)], ["FARHOP_PATIENCE=20"], grace=2)
        moment = random.uniform(*given.strike)
        time.sleep(moment)
        found = sh("pgrep", "-f", f"{farhop} train {parts}", check=False).stdout.split()
        victims = [pid for pid in found if pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(farhop).resolve()]
        killed = time.time()
        struck = bool(victims) and child.poll() is None
        if struck:
            os.kill(int(random.choice(victims)), 9)
        child.communicate(timeout=120)
        longest = max(longest, time.time() - killed)
        at = len(losses(run)) if (run / "metrics.jsonl").exists() else 0
        attempts = 0
        while child.returncode:
            # A launcher that can't reach a host whose daemon is only just gone is started again; an error of farhop is not.
            attempts += 1
            if (run / "run.json").exists():
                child = hosts.mpirun([farhop, "train", "--resume", str(run), "--quiet", "--threads", "1"])
            else:
                child = hosts.mpirun([farhop, "train", str(parts), *settings, "--out", str(run)])
            _, err = child.communicate(timeout=3600)
            if child.returncode and (attempts == 3 or "error: " in err):
                sys.exit(f"kill {number}: {err}")
        final = losses(run)
        off = max(abs(a - b) / abs(a) for a, b in zip(expected, final))
        test = json.loads((run / "run.json").read_text())["scores"]["test"]
        rounds.append({"struck": struck, "seconds": round(moment, 2), "after_epochs": at, "epochs": len(final), "loss_off_by": off, "test": test, "restarts": attempts})
        worst = max(worst, off)
        done += struck
        (work / "kills.json").write_text(json.dumps(rounds, indent=1))
        print(f"kill {number}: struck {struck} after {at} epochs, ended within {time.time() - killed:.1f} s with what followed", flush=True)
    return {"kills": done, "loss_off_by": worst, "longest_end_seconds": longest, "rounds": rounds}


if __name__ == "__main__":
    main()
