"""Keeps what `farhop table` measured, and what stands at the top of every recipe.

    python3 benches/tables/records.py keep nodes --farhop target/release/farhop --store runs/compare
    python3 benches/tables/records.py headers            # writes the scores into recipes/*/*.toml
    python3 benches/tables/records.py page               # writes them into the tables of docs/scores.md
    python3 benches/tables/records.py headers --check    # fails where one is not what the records say; page --check, too

`keep` asks the command for a table without running anything, and writes the cells with runs to recipes/measured/NAME.json, from where the next build takes them
into the command: `farhop table` shows them, and runs only what is not among them. `headers` and `page` read those files. A recipe whose settings changed since it was
measured is not measured.
"""
import argparse
import datetime
import hashlib
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import common  # noqa: E402

RECIPES = common.ROOT / "recipes"
MEASURED_RUNS = RECIPES / "measured"
MEASURED = "# measured  "
NOT_YET = "not measured yet"
PAGE = common.ROOT / "docs" / "scores.md"
# Around each table of the page, with the tables that it shows side by side.
BEGIN, END = "<!-- scores of {}: made by benches/tables/records.py page -->", "<!-- end of scores -->"
DEFINITIONS = common.ROOT / "crates" / "farhop-train" / "src" / "table" / "definitions"
PAGE_TABLES = (("nodes", "heterophily"), ("small",))
MARKS = {"better": "+", "equal": "=", "worse": "-"}


def file_of(table):
    return MEASURED_RUNS / f"{table}.json"


def settings_of(recipe):
    """What a recipe says without its comments, as a short name."""
    lines = [line for line in recipe.read_text().splitlines() if not line.startswith("#")]
    return hashlib.sha256("\n".join(lines).strip().encode()).hexdigest()[:16]


def recipe_of(cell):
    return RECIPES / cell["dataset"] / f"{cell['model']}.toml"


def kept(cell, note):
    """A cell as it is recorded: nothing of folders."""
    keep = ("row", "model", "column", "dataset", "set", "measure", "percent", "published", "by", "ours", "verdict", "wanted", "seconds", "parameters",
            "machine", "farhop")
    runs = [{name: value for name, value in run.items() if name != "run"} for run in cell["runs"]]
    date = datetime.datetime.fromtimestamp(cell["started"], datetime.timezone.utc).date().isoformat() if cell["started"] else None
    return {**{name: cell[name] for name in keep}, "date": date, "note": note, "settings": settings_of(recipe_of(cell)), "runs": runs}


def keep(asked):
    for table in asked.tables:
        line = [asked.farhop, "table", table, "--no-run", "--json", "--quiet", "--out", asked.store]
        answer = json.loads(subprocess.run(list(map(str, line)), check=True, capture_output=True, text=True).stdout)
        path = file_of(table)
        place = lambda cell: (cell["row"], cell["column"])
        before = {place(cell): cell for cell in json.loads(path.read_text())["cells"]} if path.exists() else {}
        cells = []
        for cell in answer["cells"]:
            old = before.get(place(cell))
            known = {run["settings"] for run in cell["runs"]}
            current = old and old["settings"] == settings_of(recipe_of(cell))
            if current and not known >= {run["settings"] for run in old["runs"]}:
                sys.exit(f"error: {cell['row']} on {cell['column']} has runs in {path.name} that the command does not know. Build it first.")
            if any(run["run"] for run in cell["runs"]):
                cells.append(kept(cell, asked.note))
            elif current:
                cells.append(old)
        content = {key: answer[key] for key in ("table", "title", "source", "protocol")}
        path.write_text(json.dumps({**content, "cells": cells}, indent=1) + "\n")
        print(f"{path.relative_to(common.ROOT)}: {len(cells)} cells")


def number(cell, spread):
    digits = 2 if cell["percent"] else 4
    unit = " %" if cell["percent"] else ""
    deviation = f" ± {spread['deviation']:.{digits}f}" if spread.get("deviation") is not None else ""
    return f"{spread['mean']:.{digits}f}{deviation}{unit}"


def told(cell):
    """The line of a cell: `85.00 ± 0.51 % on test, seeds 0 to 4, 2026-11-18, 312 s a run (linux-x86_64, avx512, 1 thread)`."""
    machine = cell["machine"]
    seeds = [run["seed"] for run in cell["runs"] if run["error"] is None]
    which = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    missing = f" of {cell['wanted']} wanted" if len(seeds) < cell["wanted"] else ""
    note = f" {cell['note']}" if cell["note"] else ""
    published = f"; published {number(cell, cell['published'])}" if cell["published"] else ""
    return (f"{number(cell, cell['ours'])} on test, {which} ({len(seeds)} {'run' if len(seeds) == 1 else 'runs'}{missing}), {cell['date']}, {cell['seconds']:.0f} s a run "
            f"({machine['system']}, {machine['instruction_sets']}, {threads}{note}){published}")


def headers(asked):
    measured = {}
    for path in sorted(MEASURED_RUNS.glob("*.json")):
        for cell in json.loads(path.read_text())["cells"]:
            if not cell["set"] and cell["measure"] == "score" and cell["ours"]:
                measured[cell["dataset"], cell["model"]] = cell
    wrong = []
    for recipe in sorted(RECIPES.glob("*/*.toml")):
        cell = measured.get((recipe.parent.name, recipe.stem))
        line = MEASURED + (told(cell) if cell and cell["settings"] == settings_of(recipe) else NOT_YET)
        before = recipe.read_text()
        after = "\n".join(line if old.startswith(MEASURED) else old for old in before.splitlines()) + "\n"
        if after != before:
            wrong.append(str(recipe.relative_to(common.ROOT)))
            if not asked.check:
                recipe.write_text(after)
    if asked.check and wrong:
        sys.exit("error: not what the records say: " + ", ".join(wrong) + ". Run benches/tables/records.py headers.")
    print(f"{len(wrong)} recipes written" if wrong else "all recipes are as the records say")


def in_page(cell):
    """Ours in the page's table: mean, deviation and mark; without a mark but with the number of runs where some are missing."""
    runs = sum(run["error"] is None for run in cell["runs"])
    score = f"{cell['ours']['mean']:.2f} ± {cell['ours'].get('deviation') or 0:.2f}"
    if runs < cell["wanted"]:
        return f"{score} ({runs} of {cell['wanted']} runs)"
    return f"{score} {MARKS.get(cell['verdict'], '')}".strip()


def page_table(tables):
    """Two lines a model over the columns in which anything was run: what was published, and ours."""
    import tomllib  # Python 3.11

    columns, rows, published, ours = [], [], {}, {}
    for table in tables:
        definition = tomllib.loads((DEFINITIONS / f"{table}.toml").read_text())
        cells = {(cell["row"], cell["column"]): cell for cell in json.loads(file_of(table).read_text())["cells"]}
        current = {place: cell for place, cell in cells.items() if cell["ours"] and cell["settings"] == settings_of(recipe_of(cell))}
        ours.update(current)
        columns += [column["name"] for column in definition["columns"] if any(place[1] == column["name"] for place in current)]
        for row in definition["rows"]:
            if row["name"] not in rows and any(place[0] == row["name"] for place in current):
                rows.append(row["name"])
            published.update({(row["name"], column): score for column, score in row.get("published", {}).items()})
    lines = ["| | whose | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for row in rows:
        theirs = [published.get((row, column)) for column in columns]
        if any(theirs):
            lines.append(f"| {row} | published | " + " | ".join("{:.2f} ± {:.2f}".format(*score) if score else "-" for score in theirs) + " |")
        mine = [in_page(ours[row, column]) if (row, column) in ours else "open" for column in columns]
        lines.append(f"| {row} | ours | " + " | ".join(mine) + " |")
    return "\n".join(lines)


def page(asked):
    before = after = PAGE.read_text()
    for tables in PAGE_TABLES:
        begin = BEGIN.format(" and ".join(tables))
        head, rest = after.split(begin)
        end = rest.index(END)
        after = f"{head}{begin}\n{page_table(tables)}\n{rest[end:]}"
    if asked.check and after != before:
        sys.exit("error: the tables in docs/scores.md are not what the records say. Run benches/tables/records.py page.")
    if after != before:
        PAGE.write_text(after)
    print("docs/scores.md is as the records say")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    keeping = commands.add_parser("keep", help="record what is in a store")
    keeping.add_argument("tables", nargs="+", metavar="TABLE")
    keeping.add_argument("--farhop", type=Path, required=True)
    keeping.add_argument("--store", type=Path, default=Path("runs/compare"))
    keeping.add_argument("--note", default="", help="about the machine, such as: of a machine shared with other work")
    keeping.set_defaults(run=keep)
    writing = commands.add_parser("headers", help="write the scores into the recipes")
    writing.add_argument("--check", action="store_true")
    writing.set_defaults(run=headers)
    paging = commands.add_parser("page", help="write the scores into docs/scores.md")
    paging.add_argument("--check", action="store_true")
    paging.set_defaults(run=page)
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
