"""A fitted estimator in a notebook: settings, scores and the curve of its run."""

from __future__ import annotations

import html
from typing import Any, Sequence

_WIDTH, _HEIGHT, _EDGE = 420, 150, 8


def curve(history: Sequence[dict[str, Any]]) -> str:
    """The training loss and the validation score over the epochs, each on its own scale, as SVG."""
    lines = []
    for name, colour in (("loss", "#888888"), ("valid", "#1f77b4")):
        points = [(one["epoch"], one[name]) for one in history if one.get(name) is not None]
        if len(points) > 1:
            lines.append((name, colour, points))
    if not lines:
        return ""
    drawn = []
    for name, colour, points in lines:
        epochs, values = [point[0] for point in points], [point[1] for point in points]
        low, high = min(values), max(values)
        first, last = epochs[0], epochs[-1]
        across = [_EDGE + (epoch - first) / max(last - first, 1) * (_WIDTH - 2 * _EDGE) for epoch in epochs]
        up = [_HEIGHT - _EDGE - (value - low) / ((high - low) or 1) * (_HEIGHT - 2 * _EDGE) for value in values]
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, up))
        title = f"{name}: {values[-1]:.4g} in the end, {low:.4g} to {high:.4g}"
        drawn.append(f"<polyline fill='none' stroke='{colour}' stroke-width='1.5' points='{places}'><title>{title}</title></polyline>")
    legend = ", ".join(f"<span style='color:{colour}'>{name}</span>" for name, colour, _ in lines)
    return f"<svg width='{_WIDTH}' height='{_HEIGHT}'>{''.join(drawn)}</svg><div>{legend} over {len(history):,} epochs</div>"


def estimator(name: str, params: dict[str, Any], scores: dict[str, Any], history: Sequence[dict[str, Any]]) -> str:
    """The whole of it."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{html.escape(str(key))}</td><td style='text-align:left'>{html.escape(repr(value))}</td></tr>"
        for key, value in params.items()
    )
    told = ", ".join(f"{part} {score:.4f}" for part, score in scores.items() if score is not None)
    return f"<div><b>{html.escape(name)}</b> {html.escape(told)}<table>{rows}</table>{curve(history)}</div>"
