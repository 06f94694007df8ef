"""Two pictures side by side: test accuracy against distance, and against the edges that were added to a tree."""

WIDTH, HEIGHT, PANEL, LEFT, TOP, GAP = 900, 420, 360, 64, 92, 70
INK, SOFT, RULE = "#222222", "#5f6670", "#e7e9eb"
LINES = {"exact": ("#b5341f", 3.2, None), "self-loop": ("#1f4e79", 2.2, "7 4"), "none": ("#5f6670", 2.2, "2 3")}
DEEP = 260


def panel(out, left, title, below, names, lines):
    """Axes with a line for each mode over places with these names."""
    across = lambda at: left + PANEL * (at / max(1, len(names) - 1))
    down = lambda share: TOP + DEEP * (1 - share)
    out.append(f'<text x="{left}" y="{TOP - 14}" font-weight="bold" fill="{INK}">{title}</text>')
    for tenth in range(0, 11, 2):
        y = down(tenth / 10)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + PANEL}" y2="{y:.1f}" stroke="{RULE}"/>')
        out.append(f'<text x="{left - 8}" y="{y + 4.5:.1f}" text-anchor="end" fill="{SOFT}">{10 * tenth} %</text>')
    for at, name in enumerate(names):
        out.append(f'<text x="{across(at):.1f}" y="{TOP + DEEP + 20}" text-anchor="middle" fill="{SOFT}">{name}</text>')
    out.append(f'<text x="{left + PANEL / 2}" y="{TOP + DEEP + 42}" text-anchor="middle" fill="{SOFT}">{below}</text>')
    for mode, values in lines.items():
        colour, thick, dashes = LINES[mode]
        known = [(at, value) for at, value in enumerate(values) if value is not None]
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        place = " ".join(f"{across(at):.1f},{down(value):.1f}" for at, value in known)
        out.append(f'<polyline points="{place}" fill="none" stroke="{colour}" stroke-width="{thick}"{dash}/>')
        out += [f'<circle cx="{across(at):.1f}" cy="{down(value):.1f}" r="3.4" fill="{colour}"/>' for at, value in known]


def draw(means, modes):
    """`means` by (section, task, level, mode)."""
    levels = lambda section, task: sorted({level for s, t, level, _ in means if (s, t) == (section, task)})
    of = lambda section, task: {mode: [means.get((section, task, level, mode)) for level in levels(section, task)] for mode in modes}
    said = "; ".join(f"{task} {level:g} {mode} {100 * value:.0f} %" for (section, task, level, mode), value in sorted(means.items()) if section != "real")
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           'font-family="Helvetica, Arial, sans-serif" font-size="13">', "<title>Test accuracy of a GEN by mode of elimination</title>", f"<desc>{said}</desc>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="30" font-size="17" font-weight="bold" fill="{INK}">What the exact elimination buys</text>']
    for at, mode in enumerate(modes):
        colour, thick, dashes = LINES[mode]
        x = LEFT + 120 * at
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        out.append(f'<line x1="{x}" y1="50" x2="{x + 28}" y2="50" stroke="{colour}" stroke-width="{thick}"{dash}/>')
        out.append(f'<text x="{x + 36}" y="54.5" fill="{INK}">{mode}</text>')
    panel(out, LEFT, "Trees: the majority colour at a distance", "distance", [f"{level:g}" for level in levels("distance", "hop-majority")], of("distance", "hop-majority"))
    panel(out, LEFT + PANEL + GAP, "A tree with further random edges, distance 3", "further edges, as a share of the tree's",
          [f"{100 * level:g} %" for level in levels("cycles", "tree")], of("cycles", "tree"))
    return "\n".join([*out, "</svg>"]) + "\n"
