"""Hops and encodings by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays as arrays
from . import _farhop
from ._errors import DataError
from ._graphs import graph as graph_of


def hops(
    graph: Any,
    x: Any = None,
    rounds: int = 4,
    *,
    coefficients: Any = "ones",
    elimination: str = "exact",
    self_coefficient: float | None = None,
    cumulative: bool = False,
    n_threads: int | None = None,
) -> np.ndarray:
    """What every node sees at each distance: the elimination without a model, `[rounds, N, F]`.

    Row k - 1 is what round k added. On a tree with all coefficients 1 that is the sum of the features at distance exactly k. No copy is
    made of an `x` of 32-bit numbers in rows.

    coefficients: "ones", "gcn" (1 / sqrt of both degrees and one more), or a number for each row of the graph's edges as they were given.
    elimination: "exact", "self-loop" or "none".
    self_coefficient: what a node keeps of itself in each round. Default 1; for "gcn" 1 / (degree + 1).
    cumulative: the states after each round instead of what they added.
    """
    made = graph_of(graph)
    numbers = made.x if x is None else arrays.floats(x, "x")
    if numbers is None:
        raise DataError("x is missing, and the graph has no features. Give [nodes, features].")
    numbers = np.ascontiguousarray(numbers, dtype=np.float32)
    if not np.isfinite(numbers).all():
        row, column = np.argwhere(~np.isfinite(numbers))[0]
        raise DataError(f"x[{row}, {column}] is {numbers[row, column]}, which is not a finite number.")
    weights = None
    if not isinstance(coefficients, str):
        weights, coefficients = arrays.floats(coefficients, "coefficients", 1), "given"
    own = None if self_coefficient is None else float(self_coefficient)
    found = _farhop.hops(made._native, numbers, whole(rounds, "rounds"), coefficients, weights, elimination, own, n_threads)
    return found[1] if cumulative else found[0]


def whole(value: Any, name: str) -> int:
    """A whole number that is not below zero."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; a whole number is needed.")
    if value.__index__() < 0 or value.__index__() > 2**31:
        raise DataError(f"{name} is {value}; give 1 to 1,024.")
    return value.__index__()


def random_walk_encoding(graph: Any, length: int = 16, *, n_threads: int | None = None) -> np.ndarray:
    """The probabilities that a random walk is back where it started after 1 to `length` steps, `[N, length]`."""
    return _farhop.random_walk_encoding(graph_of(graph)._native, whole(length, "length"), n_threads)


def laplacian_encoding(graph: Any, count: int = 8, *, eigenvalues: bool = False, n_threads: int | None = None) -> Any:
    """The eigenvectors of the normalised Laplacian for its `count` smallest eigenvalues above 0, `[N, count]`; with `eigenvalues` also those."""
    found = _farhop.laplacian_encoding(graph_of(graph)._native, whole(count, "count"), n_threads)
    return tuple(found) if eigenvalues else found[0]
