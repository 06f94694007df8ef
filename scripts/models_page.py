"""Writes the table of models in docs/models.md from the command itself.

    python3 scripts/models_page.py target/release/farhop docs/models.md

What stands between the two marks is replaced.
"""
import json
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- models: made by scripts/models_page.py -->", "<!-- end of models -->"
command, page = sys.argv[1], pathlib.Path(sys.argv[2])
listed = json.loads(subprocess.run([command, "models", "--json"], capture_output=True, text=True, check=True).stdout)["models"]
lines = ["| model | idea | reach | cost | reads edge features | limits | citation |", "|---|---|---|---|---|---|---|"]
for model in listed:
    limits = model["limits"]
    if model["most_nodes"]:
        most = f"graphs of at most {model['most_nodes']:,} nodes"
        limits = f"{limits}; {most}" if limits else most
    edges = "yes" if model["reads_edge_features"] else ""
    lines.append(f"| `{model['model']}` | {model['idea']} | {model['reach']} | {model['cost']} | {edges} | {limits} | {model['citation']} |")
text = page.read_text()
before, rest = text.split(BEGIN)
page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])
print(f"{len(listed)} models")
