"""Answers as users have them, as the native half reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays as arrays
from ._errors import DataError, SettingError


def classes(y: Any, rows: int) -> tuple[tuple[Any, ...], np.ndarray | None]:
    """The target of class labels (one axis) or of yes-or-no labels (two axes), and the classes in order; None for labels."""
    found = _column(y)
    if found.ndim == 2:
        return labels(found, rows), None
    if found.ndim != 1 or len(found) != rows:
        raise DataError(f"y has shape {found.shape} for {rows:,} rows. Give one class for each.")
    known = _known(found)
    values = found[known]
    if values.dtype == object:
        kinds = {type(value) for value in values}
        if not kinds <= {str, bool, int, float, np.str_, np.bool_, np.int64, np.float64} or (str in kinds and len(kinds) > 1):
            raise TypeError(f"y holds {', '.join(sorted(kind.__name__ for kind in kinds))}; classes are whole numbers or texts of one kind.")
        values = np.array(values.tolist())
    if values.dtype.kind not in "iubfU":
        raise TypeError(f"y has type {values.dtype}; classes are whole numbers or texts.")
    if values.dtype.kind == "f":
        if np.any(values != np.floor(values)):
            raise DataError("y has numbers that are not whole, which are no classes. For numbers take a regressor.")
        values = values.astype(np.int64)
    names, codes = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise DataError(f"y has {len(names)} {'class' if len(names) == 1 else 'classes'}. Classification needs at least two.")
    every = np.full(rows, -1, dtype=np.int64)
    every[known] = codes.reshape(-1)
    return ("classes", every, [str(name) for name in names.tolist()]), names


def labels(found: np.ndarray, rows: int) -> tuple[Any, ...]:
    """Yes-or-no labels, `[rows, labels]` of 0, 1 and NaN."""
    if len(found) != rows:
        raise DataError(f"y has {len(found):,} rows for {rows:,}. Give one for each.")
    values = arrays.floats(found.astype(np.float32), "y")
    wrong = values[~(np.isnan(values) | (values == 0) | (values == 1))]
    if wrong.size:
        raise DataError(f"y has {wrong[0]}; of several labels each is 0, 1 or NaN (not known).")
    return ("labels", values, [f"label{number}" for number in range(values.shape[1])])


def numbers(y: Any, rows: int) -> tuple[Any, ...]:
    """Numbers, `[rows]` or `[rows, numbers]`; NaN where one is not known."""
    found = _column(y)
    if found.dtype.kind not in "fiub":
        raise TypeError(f"y has type {found.dtype}; a regressor needs numbers.")
    found = found.reshape(-1, 1) if found.ndim == 1 else found
    if found.ndim != 2 or len(found) != rows or found.shape[1] == 0:
        raise DataError(f"y has shape {found.shape} for {rows:,} rows. Give one number for each, or a row of numbers.")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(found, dtype=np.float32)
    if np.isinf(values).any():
        row = int(np.argwhere(np.isinf(values))[0][0])
        raise DataError(f"y[{row}] is {found[row].tolist()}, which is not a finite number. NaN stands for one that is not known.")
    return ("numbers", values, ["y"] if values.shape[1] == 1 else [f"y{number}" for number in range(values.shape[1])])


def weights(native: Any, of_rows: Any, of_classes: Any) -> np.ndarray | None:
    """How much each row of a dataset counts in training: its own weight times that of its class. None: all count the same."""
    kind, values, names = native.target()
    rows = len(values)
    found = np.ones(rows)
    if of_rows is not None:
        given = np.asarray(arrays.plain(of_rows, "sample_weight") if arrays.is_tensor(of_rows) else of_rows)
        if given.dtype.kind not in "fiub":
            raise TypeError(f"sample_weight has type {given.dtype}; numbers are needed.")
        if given.shape != (rows,):
            raise DataError(f"sample_weight has shape {given.shape} for {rows:,} rows. Give one weight for each.")
        wrong = ~np.isfinite(given.astype(float)) | (given < 0)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(f"sample_weight[{row}] is {given[row].item()!r}; a weight is 0 or a finite number above it.")
        found = given.astype(float)
    if of_classes is not None:
        if kind != "classes":
            raise SettingError(f"class_weight is for classes, and y has {kind}. Leave it out, or give sample_weight.")
        found = found * _of_classes(of_classes, values, names, native)
    if of_rows is None and of_classes is None:
        return None
    return np.ascontiguousarray(found, dtype=np.float32)


def _of_classes(asked: Any, values: np.ndarray, names: list[str], native: Any) -> np.ndarray:
    """The weight of the class of each row; 1 where it is not known."""
    of_class = np.ones(len(names))
    if isinstance(asked, str) and asked == "balanced":
        train = native.split()[0]
        # Of nodes of several graphs, the parts are graphs.
        labels = values[train] if native.level != "node" or len(native) == 1 else values
        counts = np.bincount(labels[labels >= 0], minlength=len(names))
        of_class = counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1))
    elif isinstance(asked, dict):
        places = {name: place for place, name in enumerate(names)}
        for label, weight in asked.items():
            if str(label) not in places:
                raise SettingError(f"class_weight names {label!r}, which is no class of y. Allowed: {', '.join(names[:12])}.")
            number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
            if not number or not np.isfinite(weight) or weight < 0:
                raise SettingError(f"class_weight[{label!r}] is {weight!r}; a weight is 0 or a finite number above it.")
            of_class[places[str(label)]] = weight
    else:
        raise SettingError(f'class_weight is {asked!r}; None, "balanced" or a dict from classes to weights is needed.')
    return np.where(values >= 0, of_class[np.maximum(values, 0)], 1.0)


def _column(y: Any) -> np.ndarray:
    if y is None:
        raise DataError("y is missing, and the graph has none. Give the answers.")
    if isinstance(y, np.ma.MaskedArray):
        y = np.where(np.ma.getmaskarray(y), np.nan, y.data) if y.dtype.kind in "fiu" else y.filled("")
    if isinstance(y, (list, tuple)) and any(value is None or isinstance(value, str) for value in y):
        found = np.array(y, dtype=object)
    elif arrays.is_tensor(y):
        found = arrays.plain(y, "y")
    else:
        found = y.to_numpy() if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray) else np.asarray(y)
    # A column of one is a vector.
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


def _known(found: np.ndarray) -> np.ndarray:
    if found.dtype.kind == "f":
        return ~np.isnan(found)
    if found.dtype == object:
        return np.array([value is not None and value == value and value != "" for value in found], dtype=bool)
    return found != "" if found.dtype.kind == "U" else np.ones(len(found), dtype=bool)
