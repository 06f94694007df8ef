"""Made tasks for the study: a random tree with further random edges, and the colour that most nodes at one distance have."""
import random
from pathlib import Path

COLOURS = 4


def graph(nodes, share, seed):
    """A random recursive tree and `share` times as many further edges between random nodes."""
    draw = random.Random(f"tree {nodes} {seed}")
    edges = {(draw.randrange(node), node) for node in range(1, nodes)}
    wanted = len(edges) + round(share * (nodes - 1))
    while len(edges) < wanted:
        one, other = sorted((draw.randrange(nodes), draw.randrange(nodes)))
        if one != other:
            edges.add((one, other))
    return sorted(edges)


def labels(nodes, edges, distance, colours):
    """For every node the colour that is most frequent at exactly that distance; None where there is a tie or nobody."""
    neighbours = [[] for _ in range(nodes)]
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    found = []
    for start in range(nodes):
        seen, ring = {start}, [start]
        for _ in range(distance):
            ring = [other for other in dict.fromkeys(other for node in ring for other in neighbours[node]) if other not in seen]
            seen.update(ring)
        counts = [0] * COLOURS
        for node in ring:
            counts[colours[node]] += 1
        best = max(counts)
        found.append(counts.index(best) if best > 0 and counts.count(best) == 1 else None)
    return found


def write(folder, nodes, share, distance, seed):
    """`nodes.csv` and `edges.csv` of the task; a file that is there is left as it is."""
    folder = Path(folder) / f"tree-{nodes}-{share:g}-{distance}-{seed}"
    if not (folder / "edges.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        draw = random.Random(f"colours {nodes} {seed}")
        colours = [draw.randrange(COLOURS) for _ in range(nodes)]
        edges = graph(nodes, share, seed)
        found = labels(nodes, edges, distance, colours)
        parts = [draw.choices(["train", "valid", "test"], [60, 20, 20])[0] if label is not None else "" for label in found]
        rows = [f"{node},c{colours[node]},{'' if found[node] is None else 'l%d' % found[node]},{parts[node]}" for node in range(nodes)]
        (folder / "nodes.csv").write_text("\n".join(["id,colour,label,split", *rows]) + "\n")
        (folder / "edges.csv").write_text("\n".join(["source,target", *(f"{one},{other}" for one, other in edges)]) + "\n")
    return folder
