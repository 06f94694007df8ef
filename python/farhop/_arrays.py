"""What users bring, as arrays of exactly the types that the native half reads."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._errors import ConversionWarning, DataError

_said: set[str] = set()


def said_once(key: str, text: str) -> None:
    """A warning that is given once in a process."""
    if key not in _said:
        _said.add(key)
        warnings.warn(text, ConversionWarning, stacklevel=4)


def kind_of(value: Any) -> str:
    """What a value is called in messages."""
    kind = type(value)
    module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__.split('.')[0]}."
    return f"{module}{kind.__qualname__}"


def is_tensor(value: Any) -> bool:
    """Whether it looks like a tensor of PyTorch."""
    return hasattr(value, "detach") and hasattr(value, "device") and hasattr(value, "numpy")


def plain(value: Any, argument: str) -> np.ndarray:
    """Anything that holds an array, as one of NumPy. Tensors, data frames and lists among it."""
    if is_tensor(value):
        device = str(value.device)
        if not device.startswith("cpu"):
            raise DataError(f"{argument} is a tensor on {device}; farhop computes on the CPU. Pass {argument}.cpu().")
        if getattr(value, "is_sparse", False):
            raise DataError(f"{argument} is a sparse tensor. Pass {argument}.to_dense(), or a SciPy matrix.")
        kind = str(value.dtype)
        value = value.detach().resolve_conj().resolve_neg() if hasattr(value, "resolve_conj") else value.detach()
        try:
            return np.asarray(value.numpy())
        except TypeError:
            raise TypeError(f"{argument} is a tensor of {kind}, which NumPy does not have. Pass {argument}.float().") from None
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{argument} is {value!r}; an array is needed.")
    if hasattr(value, "to_numpy") and not isinstance(value, np.ndarray):
        value = value.to_numpy()
    try:
        found = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise DataError(f"{argument} can't be read as an array: {error}. Give rows of equal length.") from None
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise DataError(f"{argument} has masked values. Give them a value with {argument}.filled(), or leave their rows out.")
    if found.dtype == object and found.size:
        raise TypeError(f"{argument} holds objects such as {kind_of(found.flat[0])}; numbers are needed.")
    return found


def floats(value: Any, argument: str, dimensions: int = 2) -> np.ndarray:
    """32-bit numbers, row after row; those that are not are converted, and 64-bit ones are said so once."""
    found = plain(value, argument)
    if found.dtype.kind not in "fiub":
        raise TypeError(f"{argument} has type {found.dtype}; numbers are needed.")
    # A list has no type of its own to speak of.
    if found.dtype == np.float64 and hasattr(value, "dtype"):
        said_once(argument, f"{argument} has 64-bit numbers; farhop computes with 32 bits. Pass float32 to avoid the copy.")
    if dimensions == 2 and found.ndim == 1:
        raise DataError(f"{argument} has shape {found.shape}; two axes are needed. Use {argument}.reshape(-1, 1) for one column.")
    if found.ndim != dimensions:
        raise DataError(f"{argument} has shape {found.shape}; {dimensions} axes are needed.")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(found, dtype=np.float32)


def integers(value: Any, argument: str) -> np.ndarray:
    """64-bit whole numbers. Floats are taken if they are whole."""
    found = plain(value, argument)
    if found.dtype.kind == "f":
        if not np.all(np.isfinite(found)) or np.any(found != np.floor(found)):
            raise DataError(f"{argument} has numbers that are not whole. Pass integers.")
        if np.any(np.abs(found.astype(np.float64)) > 2**53):
            raise DataError(f"{argument} has numbers that are too large to be whole for sure. Pass integers.")
    elif found.dtype.kind == "u" and found.dtype.itemsize == 8 and found.size and int(found.max()) > 2**63 - 1:
        raise DataError(f"{argument} has {int(found.max())}, which is out of range.")
    elif found.dtype.kind not in "iu" and not (found.size == 0 and found.dtype.kind in "fb"):
        raise TypeError(f"{argument} has type {found.dtype}; whole numbers are needed.")
    return np.ascontiguousarray(found, dtype=np.int64)


def rows(value: Any, argument: str, length: int) -> np.ndarray | None:
    """Rows from a mask of the given length or from row numbers; None stays None."""
    if value is None:
        return None
    found = plain(value, argument)
    if found.ndim != 1:
        raise DataError(f"{argument} has shape {found.shape}; one axis is needed: a mask, or row numbers.")
    if found.dtype.kind == "b":
        if len(found) != length:
            raise DataError(f"{argument} is a mask of length {len(found):,} for {length:,} rows. Give one value for each.")
        return np.flatnonzero(found).astype(np.int64)
    found = integers(found, argument)
    if found.size and int(found.min()) < 0:
        raise DataError(f"{argument} has {int(found.min())}: rows are numbered from 0. For a mask pass True and False.")
    if found.size and int(found.max()) >= length:
        raise DataError(f"{argument} has {int(found.max()):,}, but there are {length:,} rows, numbered from 0.")
    return found
