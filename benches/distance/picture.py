"""A picture of accuracies: a row a model, a column a distance, the darker the better."""

CELL, LEFT, TOP = (86, 22), 120, 64


def shade(share):
    """From paper to ink."""
    light, dark = (247, 245, 240), (20, 83, 116)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(light, dark))


def draw(rows, distances):
    width, height = LEFT + CELL[0] * len(distances) + 24, TOP + CELL[1] * len(rows) + 34
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="Helvetica, Arial, sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="12" y="22" font-size="14" font-weight="bold">Test accuracy on hop-majority</text>',
             f'<text x="12" y="40" fill="#555">the label is the majority colour at exactly this distance</text>']
    for column, distance in enumerate(distances):
        x = LEFT + CELL[0] * (column + 0.5)
        lines.append(f'<text x="{x}" y="{TOP - 8}" text-anchor="middle" fill="#555">{distance} hops</text>')
    for row, (name, values) in enumerate(rows):
        y = TOP + CELL[1] * row
        weight = ' font-weight="bold"' if name == "gen" or name.startswith("gea-") else ""
        lines.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end"{weight}>{name}</text>')
        for column, value in enumerate(values):
            x = LEFT + CELL[0] * column
            share = 0 if value is None else max(0.0, min(1.0, (value - 0.2) / 0.8))
            ink = "white" if share > 0.5 else "#222"
            text = "-" if value is None else f"{100 * value:.0f} %"
            lines.append(f'<rect x="{x + 1}" y="{y + 1}" width="{CELL[0] - 2}" height="{CELL[1] - 2}" fill="{shade(share)}"/>')
            lines.append(f'<text x="{x + CELL[0] / 2}" y="{y + 15}" text-anchor="middle" fill="{ink}">{text}</text>')
    lines.append(f'<text x="12" y="{height - 12}" fill="#555">Six colours: guessing the most frequent one gives about 20 %.</text>')
    return "\n".join(lines + ["</svg>", ""])
