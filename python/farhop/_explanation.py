"""One prediction with the nodes that it read."""

from __future__ import annotations

import html
import os
from typing import Any

import numpy as np

_SHOWN = 15


class Explanation:
    """Which nodes, at which hop, one prediction read; the largest first.

    nodes: the nodes, as numbers in their graph.
    ids: their names, if the graph has some; else None.
    hops: steps of the walks, or distances to the node that is predicted; -1 where there is no such node, or no way to it.
    weights: how much each of them counts. With `method` "weights" the weight with which the layer reads the node at this hop (the mean over
        the heads), with "contributions" gradient times input: what the node adds to `value`, to first order.
    head_weights: the weights in every head, `[rows, heads]`; no columns for contributions.
    output, value, probability: what is explained: the class, label or number, the number that the model gives for it before it becomes a
        probability, and that probability.
    layer, layers: the layer whose weights these are, and how many have such weights.
    svg: the picture.
    """

    def __init__(self, found: tuple[Any, ...], output: Any) -> None:
        about, nodes, ids, hops, weights, head_weights, svg = found
        self.nodes: np.ndarray = nodes
        self.hops: np.ndarray = hops
        self.weights: np.ndarray = weights
        self.head_weights: np.ndarray = head_weights
        self.svg: str = svg
        self.ids: np.ndarray | None = np.array(ids) if ids else None
        self.output = output
        self.value: float = about["value"]
        self.probability: float | None = about["probability"]
        self.method: str = about["method"]
        self.layer: int | None = about["layer"]
        self.layers: int = about["layers"]

    def __len__(self) -> int:
        return len(self.nodes)

    def by_hop(self) -> dict[int, float]:
        """For every hop the share of all that was read: the sum of the sizes of its weights."""
        sizes = np.abs(self.weights.astype(float))
        whole = sizes.sum() or 1.0
        return {int(hop): float(sizes[self.hops == hop].sum() / whole) for hop in np.unique(self.hops)}

    def to_frame(self) -> Any:
        """A table with a row for each node and hop: a pandas DataFrame."""
        import pandas

        columns: dict[str, Any] = {"node": self.nodes, "hop": self.hops, "weight": self.weights}
        if self.ids is not None:
            columns = {"id": self.ids, **columns}
        heads = self.head_weights.shape[1]
        if heads > 1:
            columns.update({f"head_{head + 1}": self.head_weights[:, head] for head in range(heads)})
        return pandas.DataFrame(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        sure = "" if self.probability is None else f", probability {self.probability:.3f}"
        layer = "" if self.layer is None else f" of layer {self.layer}"
        return f"Explanation({self.output!r}{sure}: {self.method}{layer} of {len(self.nodes):,} rows)"

    def _repr_html_(self) -> str:
        names = self.nodes if self.ids is None else self.ids
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(str(name))}</td><td>{hop if hop >= 0 else '-'}</td><td>{weight:+.4f}</td></tr>"
            for name, hop, weight in zip(names[:_SHOWN], self.hops, self.weights)
        )
        more = f"<div>and {len(self) - _SHOWN:,} more</div>" if len(self) > _SHOWN else ""
        told = html.escape(repr(self))
        return f"<div>{told}{self.svg}<table><tr><th>node</th><th>hop</th><th>{self.method[:-1]}</th></tr>{rows}</table>{more}</div>"
