"""A picture of accuracies against distance: GEN and its kin in colour, a few well-known baselines in ink, all others thin and grey, and named below."""

WIDTH, LEFT, RIGHT, TOP, HEIGHT = 860, 64, 210, 76, 380
# Colour, thickness and dashes of the lines that are told apart.
LINES = {
    "gen": ("#b5341f", 3.4, None), "gen, own settings": ("#b5341f", 2.2, "7 4"),
    "gea-gcn": ("#d98a2b", 2.2, None), "gea-mixhop": ("#c9741a", 2.2, "7 4"), "gea-appnp": ("#e0a95c", 2.2, "2 3"),
    "gcn": ("#1f4e79", 1.8, None), "gat": ("#3f7fb5", 1.8, None), "gin": ("#2a7f6f", 1.8, None), "h2gcn": ("#5b8c3a", 1.8, None),
    "drew": ("#6b4c9a", 1.8, None), "gps": ("#8a4f7d", 1.8, None), "mlp": ("#444444", 1.8, "2 3"),
}
GREY, INK, SOFT = "#c4c8cc", "#222222", "#5f6670"
LABEL_STEP, NOTE_CHARACTERS = 16, 128


def spread(wanted, step, lowest, highest):
    """Places as near to those wanted as a step between neighbours allows, in the same order."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    places = [0.0] * len(wanted)
    last = lowest - step
    for at in order:
        last = places[at] = max(wanted[at], last + step)
    last = highest + step
    for at in reversed(order):
        last = places[at] = min(places[at], last - step)
    return places


def wrapped(words, limit):
    """Words in lines of at most `limit` characters."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 1 > limit:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def draw(rows, distances):
    across = lambda distance: LEFT + (WIDTH - LEFT - RIGHT) * (distance - distances[0]) / (distances[-1] - distances[0])
    down = lambda share: TOP + HEIGHT * (1 - share)
    told = sorted((row for row in rows if row[0] in LINES), key=lambda row: LINES[row[0]][1])
    others = [row for row in rows if row[0] not in LINES]
    at_end = lambda row: ([value for value in row[1] if value is not None] or [0])[-1]
    percent = lambda value: "–" if value is None else f"{100 * value:.0f}"
    notes = wrapped(["Grey, test accuracy in % at " + ", ".join(map(str, distances)) + ":"]
                    + [f"{name}\u00a0{'/'.join(map(percent, values))}" + ("," if at + 1 < len(others) else ".")
                       for at, (name, values) in enumerate(sorted(others, key=lambda row: -(row[1][0] or 0)))], NOTE_CHARACTERS) if others else []
    bottom = TOP + HEIGHT
    height = bottom + 62 + 16 * len(notes)
    said = "; ".join(f"{name} {', '.join(map(percent, values))}" for name, values in rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
           'font-family="Helvetica, Arial, sans-serif" font-size="13">',
           f"<title>Test accuracy of {len(rows)} lines on hop-majority at distances {', '.join(map(str, distances))}</title>", f"<desc>{said}</desc>",
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="{LEFT}" y="28" font-size="17" font-weight="bold" fill="{INK}">Which models see how far</text>',
           f'<text x="{LEFT}" y="50" fill="{SOFT}">Test accuracy when the label of a node is the majority colour among the nodes at exactly this distance</text>']
    for tenth in range(0, 11, 2):
        y = down(tenth / 10)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#e7e9eb"/>')
        out.append(f'<text x="{LEFT - 10}" y="{y + 4.5:.1f}" text-anchor="end" fill="{SOFT}">{10 * tenth} %</text>')
    for distance in distances:
        out.append(f'<line x1="{across(distance):.1f}" y1="{bottom}" x2="{across(distance):.1f}" y2="{bottom + 5}" stroke="{SOFT}"/>')
        out.append(f'<text x="{across(distance):.1f}" y="{bottom + 21}" text-anchor="middle" fill="{SOFT}">{distance}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 40}" text-anchor="middle" fill="{SOFT}">distance in hops</text>')

    def line(row, colour, thick, dashes):
        points = [(across(distance), down(value)) for distance, value in zip(distances, row[1]) if value is not None]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linejoin="round"{dashed}/>')
        radius = 1.6 if colour == GREY else thick * 0.9 + 0.8
        out.extend(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>' for x, y in points)
        return points[-1] if points else None

    for row in others:
        line(row, GREY, 1.1, None)
    guess = down(0.2)
    out.append(f'<line x1="{LEFT}" y1="{guess:.1f}" x2="{WIDTH - RIGHT}" y2="{guess:.1f}" stroke="{SOFT}" stroke-dasharray="1 4"/>')
    out.append(f'<text x="{LEFT + 6}" y="{down(0.1):.1f}" font-size="11" fill="{SOFT}">dots: guessing the most frequent colour</text>')
    ends = [(row, line(row, *LINES[row[0]])) for row in told]
    ends = [(row, end) for row, end in ends if end]
    places = spread([end[1] for _, end in ends], LABEL_STEP, TOP, bottom + 8)
    edge = WIDTH - RIGHT
    for ((name, values), (x, y)), place in zip(ends, places):
        colour, thick, _ = LINES[name]
        weight = ' font-weight="bold"' if thick > 2 else ""
        last = max(distance for distance, value in zip(distances, values) if value is not None)
        where = "" if last == distances[-1] else f" at {last}"
        out.append(f'<path d="M{x + 5:.1f},{y:.1f} L{edge + 22},{place:.1f}" fill="none" stroke="{colour}" stroke-width="0.7" opacity="0.6"/>')
        out.append(f'<text x="{edge + 26}" y="{place + 4.5:.1f}" fill="{colour}"{weight}>{name} {percent(at_end((name, values)))} %{where}</text>')
    for at, note in enumerate(notes):
        out.append(f'<text x="{LEFT}" y="{bottom + 64 + 16 * at}" font-size="11.5" fill="{SOFT}">{note}</text>')
    return "\n".join(out + ["</svg>", ""])
