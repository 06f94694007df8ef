"""Datasets: of the catalogue, of files, of tables, of molecules."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, Sequence

import numpy as np

from . import _farhop
from ._arrays import kind_of
from ._errors import DataError
from ._graphs import Graph, card_html


class Dataset:
    """Graphs with answers and a split, as the catalogue, a file or tables have them. Estimators learn from it as it is: `model.fit(dataset)`."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self._graphs: list[Graph] | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self._native.name

    @property
    def level(self) -> str:
        """What a prediction is about: "node", "graph" or "pair"."""
        return self._native.level

    @property
    def metric(self) -> str:
        """How predictions are scored."""
        return self._native.metric

    @property
    def notes(self) -> list[str]:
        """What is unusual about it."""
        return self._native.notes

    @property
    def ids(self) -> list[str]:
        """The names of what is predicted; empty where it is called by numbers."""
        return self._native.ids

    @property
    def graphs(self) -> list[Graph]:
        """The graphs; answers and parts are on the graph if there is one."""
        if self._graphs is None:
            self._graphs = [Graph._of(native) for native in self._native.graphs()]
            if len(self._graphs) == 1 and self.level == "node":
                only = self._graphs[0]
                only.y, (only.train, only.valid, only.test) = self.y, self._native.split()
        return self._graphs

    @property
    def graph(self) -> Graph:
        """The graph, where there is one."""
        if len(self._native) != 1:
            raise DataError(f"{self.name} has {len(self._native):,} graphs. Use graphs.")
        return self.graphs[0]

    @property
    def y(self) -> np.ndarray:
        """The answers: classes by their names, labels and numbers as arrays; what is not known is "" or NaN. For pairs, rows of two nodes
        and whether they belong together."""
        kind, values, names = self._native.target()
        if kind == "classes":
            return classes_of(names)[values] if len(values) and values.min() >= 0 else np.array([*names, ""])[values]
        return values[:, 0] if kind in ("labels", "numbers") and values.shape[1] == 1 else values

    @property
    def train(self) -> np.ndarray:
        """Rows of the training part."""
        return self._native.split()[0]

    @property
    def valid(self) -> np.ndarray:
        """Rows of the validation part."""
        return self._native.split()[1]

    @property
    def test(self) -> np.ndarray:
        """Rows of the test part."""
        return self._native.split()[2]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a `.farhop` file, which `farhop train FILE` and `load_dataset` read."""
        self._native.save(os.fspath(path))

    def card(self) -> str:
        """What it is, on one screen."""
        return self._native.card()

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {len(self):,} {'graph' if len(self) == 1 else 'graphs'}, predicts {self.level}s)"

    def _repr_html_(self) -> str:
        return card_html(self._native)


def classes_of(names: Sequence[str]) -> np.ndarray:
    """Names of classes as what they were before they were names: whole numbers, truth values, numbers or texts."""
    for read in (_whole, _truth, _number):
        found = [read(name) for name in names]
        if names and all(value is not None for value in found):
            return np.array(found)
    return np.array(list(names), dtype=str)


def _whole(name: str) -> int | None:
    return int(name) if name.lstrip("-").isdecimal() and str(int(name)) == name else None


def _truth(name: str) -> bool | None:
    return {"True": True, "False": False}.get(name)


def _number(name: str) -> float | None:
    try:
        value = float(name)
    except ValueError:
        return None
    return value if repr(value) == name else None


def load_dataset(
    name: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    split: str | int = "standard",
    seed: int = 0,
    target: str | Sequence[str] = (),
    directed: bool = False,
) -> Dataset:
    """A dataset of the catalogue by its name ("cora"), or from a file or folder of any layout that `farhop train` reads.

    folder: where datasets lie; else `$FARHOP_DATA` and the user's data folder. `farhop data fetch NAME` downloads them.
    split: "standard", "tuned", "per-class", "seeded", the number of a published one, or a file.
    target: the column, attribute or array to predict, where the data does not say it itself.
    """
    targets = [target] if isinstance(target, str) else list(target)
    place = None if folder is None else os.fspath(folder)
    return Dataset(_farhop.load_dataset(os.fspath(name), place, str(split), int(seed), targets, directed))


def tables(
    nodes: Any,
    edges: Any,
    target: str | Sequence[str] = (),
    *,
    id: str | None = None,
    directed: bool = False,
    add_missing_nodes: bool = False,
    categories: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> Dataset:
    """A dataset from a table of nodes and one of edges: pandas or polars frames, or paths of CSV files. The rules are those of the command
    (docs/tables.md): a column of ids, a column or several to predict, a column `split` if there is one, and every other column a feature."""
    targets = [target] if isinstance(target, str) else list(target)
    with tempfile.TemporaryDirectory(prefix="farhop-") as place:
        paths = [_table_file(table, Path(place) / name) for table, name in ((nodes, "nodes.csv"), (edges, "edges.csv"))]
        native = _farhop.read_tables(paths[0], paths[1], targets, id, directed, add_missing_nodes, list(categories), list(ignore), place)
    return Dataset(native)


def _table_file(table: Any, path: Path) -> str:
    """A frame as a file for the reader of tables; a path as it is."""
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    if hasattr(table, "write_csv"):
        table.write_csv(path)
    elif hasattr(table, "to_csv"):
        table.to_csv(path, index=False)
    else:
        raise TypeError(f"{path.stem} is {kind_of(table)}; a frame of pandas or polars, or the path of a CSV file, is needed.")
    return os.fspath(path)


def molecules(smiles: Iterable[str]) -> list[Graph]:
    """A graph for every SMILES, with the atom and bond categories of OGB. A list of them is what `GraphClassifier` and `GraphRegressor` learn
    from."""
    texts = [smiles] if isinstance(smiles, str) else list(smiles)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"smiles[{place}] is {text!r}; a text is needed.")
    return [Graph._of(native) for native in _farhop.read_molecules(texts)]
