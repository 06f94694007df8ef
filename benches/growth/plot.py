"""Plots as SVG, written by hand: points and lines on logarithmic axes, light background, no libraries."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 84, 30, 84, 62
# Told apart also by those who see few colours; the marks differ as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


def decades(low, high, bases):
    """The ticks base x 10^n in [low, high]."""
    found = []
    for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1):
        found += [base * 10.0 ** power for base in bases]
    return [tick for tick in sorted(found) if low * 0.999 <= tick <= high * 1.001]


def ticks(low, high):
    """Few enough to be read: the finest set of decimal ticks with at most nine of them."""
    for bases in ((1, 2, 5), (1, 3), (1,)):
        found = decades(low, high, bases)
        if len(found) <= 9:
            return found
    return found[::2]


def mark(kind, x, y, colour):
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    if kind == 1:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    if kind == 2:
        return f'<path d="M{x:.1f} {y - 5.5:.1f} l5.5 9.5 h-11 z" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - 6:.1f} l6 6 l-6 6 l-6 -6 z" fill="{colour}"/>'


class Axis:
    """A logarithmic axis over all values, with some room at both ends."""

    def __init__(self, values, start, end, room=0.05):
        low, high = math.log10(min(values)), math.log10(max(values))
        wide = max(high - low, 0.3)
        middle = (low + high) / 2
        low, high = middle - wide * (0.5 + room), middle + wide * (0.5 + room)
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self):
        return ticks(10 ** self.low, 10 ** self.high)


def number(value):
    """As few digits as needed: 0.25, 4, 16, 1,000."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def log_log(title, x_label, y_label, series, x_ticks=None, slope=None):
    """`series`: (name, [(x, y), ..]). `slope` draws a dashed line of that exponent through the first point for comparison."""
    points = [point for _, line in series for point in line]
    x_axis = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, 0.08)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="Helvetica, Arial, sans-serif" font-size="14" fill="#222">',
           f"<title>{escape(title)}</title>", '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="{LEFT}" y="28" font-size="17" font-weight="bold">{escape(title)}</text>']
    for tick in x_ticks or x_axis.ticks():
        x = x_axis.at(tick)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{number(tick)}</text>')
    for tick in y_axis.ticks():
        y = y_axis.at(tick)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{number(tick)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(x_label)}</text>')
    out.append(f'<text transform="translate(22 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')
    out += comparison(series, x_axis, y_axis, slope) if slope else []
    key = LEFT
    for index, (name, line) in enumerate(series):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
        out += [mark(index % 4, x_axis.at(x), y_axis.at(y), colour) for x, y in line]
        out.append(mark(index % 4, key + 6, 51, colour))
        out.append(f'<text x="{key + 18}" y="56">{escape(name)}</text>')
        key += 18 + 7.6 * len(name) + 24
    if slope:
        out.append(f'<line x1="{key - 4:.1f}" y1="51" x2="{key + 22:.1f}" y2="51" stroke="#888" stroke-width="1.4" stroke-dasharray="6 5"/>')
        out.append(f'<text x="{key + 28:.1f}" y="56">{"proportional" if slope == 1 else f"exponent {slope:g}"}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def comparison(series, x_axis, y_axis, slope):
    """A dashed line of exponent `slope` from the lowest point at the left, cut at the frame."""
    line = min((line for _, line in series if line), key=lambda line: line[0][1])
    (x0, y0), x1 = line[0], 10 ** x_axis.high
    top = 10 ** y_axis.high
    x1 = min(x1, x0 * (top / y0) ** (1 / slope))
    y1 = y0 * (x1 / x0) ** slope
    return [f'<line x1="{x_axis.at(x0):.1f}" y1="{y_axis.at(y0):.1f}" x2="{x_axis.at(x1):.1f}" y2="{y_axis.at(y1):.1f}" '
            'stroke="#888" stroke-width="1.4" stroke-dasharray="6 5"/>']
