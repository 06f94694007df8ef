"""Every reader for some time under libFuzzer, one process after the other; one JSON object a reader.

    python3 run.py --seconds 60 --targets npz,smiles --corpus corpus --out ../benches/runs/DATE-fuzz.json

Builds first unless it is told where the program lies. Corpora are kept in the folder and grown by the next run; an input that breaks a reader is written beside them, to be moved to
`crates/farhop-data/tests/failures/TARGET-NAME`.
"""
import argparse
import json
import os
import re
import subprocess
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGETS = ["npy", "npz", "farhop", "pickle", "torch", "import", "graphfile", "edges", "tables", "graphs", "list", "graphml", "wikics", "smiles", "molecules",
           "tu", "ogb"]


def built():
    """The program, as cargo names it."""
    line = ["cargo", "build", "--release", "--message-format=json-render-diagnostics"]
    told = subprocess.run(line, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True).stdout
    return next(found for found in (json.loads(line).get("executable") for line in told.splitlines()) if found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each reader")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus")
    parser.add_argument("--program", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    program = given.program or built()
    record = json.loads(given.out.read_text()) if given.out and given.out.exists() else {"benchmark": "fuzz", "runs": []}
    for target in given.targets.split(","):
        corpus = (given.corpus / target).resolve()
        failures = (given.corpus / "failures").resolve()
        failures.mkdir(parents=True, exist_ok=True)
        line = [program, corpus, f"-max_total_time={given.seconds}", f"-seed={given.seed}", "-max_len=65536", "-timeout=30", "-rss_limit_mb=4096",
                "-print_final_stats=1", f"-artifact_prefix={failures}/{target}-"]
        start = time.time()
        told = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                              env={**os.environ, "FUZZ_TARGET": target, "FUZZ_SEEDS": str(corpus)})
        states = re.findall(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)", told.stderr)
        first = next((state for state in re.findall(r"INITED\s+cov: (\d+)", told.stderr)), None)
        run = {"target": target, "seed": given.seed, "seconds": round(time.time() - start), "inputs": int(states[-1][0]) if states else 0,
               "edges_at_first": int(first) if first else None, "edges": int(states[-1][1]) if states else None,
               "features": int(states[-1][2]) if states else None, "corpus": int(states[-1][3]) if states else None}
        if told.returncode:
            lines = told.stderr.splitlines()
            run["failed"] = next((text for text in lines if "panicked" in text or "ERROR: libFuzzer" in text), lines[-1] if lines else "")
            print(told.stderr[-4000:])
        print(json.dumps(run), flush=True)
        record["runs"].append(run)
        if given.out:
            given.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
