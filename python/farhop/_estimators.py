"""Estimators with the conventions of scikit-learn, which is not needed for them."""

from __future__ import annotations

import inspect
import io
import os
import shutil
import tempfile
import weakref
import zipfile
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np

from . import _arrays as arrays
from . import _farhop, _registry, _show, _targets
from ._data import Dataset, classes_of
from ._errors import DataError, RunError, SettingError, not_fitted
from ._explanation import Explanation
from ._graphs import Graph, dataset_of
from ._graphs import graph as graph_of
from ._progress import Listener

#: What every estimator has beside the settings of models and training.
_OWN: dict[str, Any] = {
    "model": "gen",
    "random_state": 0,
    "n_threads": None,
    "validation_fraction": 0.2,
    "class_weight": None,
    "warm_start": False,
    "folder": None,
    "overwrite": False,
    "callbacks": None,
    "verbose": None,
}

_ABOUT = """
    model: the model; `farhop.models()` lists them.
    random_state: the seed of everything random; the same one gives the same bits on any number of threads.
    n_threads: threads that compute; None: one for each core.
    validation_fraction: the share of the training rows that chooses the best epoch, where `fit` is not given `valid`; 0 for none, and
        the last weights are kept.
    class_weight: None; "balanced": a row of class c counts `n / (classes n_c)` with n rows of training and n_c of the class, so that classes
        count the same however many rows they have; or a dict from classes to weights, 1 for those that it leaves out.
    warm_start: `fit` goes on with the run that is there (after Ctrl-C, or with more epochs) instead of beginning anew.
    folder: where the run is kept, as by `farhop train --out`; None: in a temporary folder, until `save`.
    overwrite: whether a run in `folder` is replaced.
    callbacks: functions that are called with a report after every epoch; one that returns True stops the run.
    verbose: whether progress is shown; None: in a terminal or a notebook.
    **settings: every setting of models, training and encodings by its name: `farhop.settings()` lists them. What is not given is as in the
        general settings for the model.
"""


class Estimator:
    """What all estimators have in common."""

    _level = "node"
    _kind = "classes"
    __signature__: inspect.Signature

    def __init__(self, model: str = "gen", **params: Any) -> None:
        self._params: dict[str, Any] = dict(_OWN)
        self._settings: dict[str, Any] = {}
        self._run: Any = None
        self.set_params(model=model, **params)

    def __init_subclass__(cls) -> None:
        """The signature and the documentation of the settings come from the registry."""
        keywords = inspect.Parameter.KEYWORD_ONLY
        own = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD if name == "model" else keywords, default=default)
            for name, default in _OWN.items()
        ]
        names = sorted(name for name in _registry.settings() if name not in _OWN)
        more = [inspect.Parameter(name, keywords, default=None) for name in names]
        cls.__signature__ = inspect.Signature([*own, *more])
        cls.__doc__ = (cls.__doc__ or "").rstrip() + "\n" + _ABOUT

    # --- parameters -----------------------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters: what every estimator has, and the settings that were given."""
        return {**self._params, **self._settings}

    def set_params(self, **params: Any) -> Any:
        """Changes parameters. A name that no model has is refused, and the nearest one suggested."""
        for name in params:
            if name not in _OWN:
                _registry.check_name(name, tuple(_OWN))
        for name, value in params.items():
            (self._params if name in _OWN else self._settings)[name] = value
        return self

    def __getattr__(self, name: str) -> Any:
        # Parameters are attributes, too, as in scikit-learn.
        if not name.startswith("_"):
            for place in ("_params", "_settings"):
                if name in self.__dict__.get(place, {}):
                    return self.__dict__[place][name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __repr__(self) -> str:
        changed = {name: value for name, value in self._params.items() if value is not _OWN[name] and value != _OWN[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in {**changed, **self._settings}.items())})"

    def _repr_html_(self) -> str:
        if self._run is None:
            return _show.estimator(type(self).__name__, self.get_params(), {}, [])
        return _show.estimator(type(self).__name__, self.get_params(), self.scores_, self.history_)

    def __sklearn_is_fitted__(self) -> bool:
        return self._run is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags  # called by scikit-learn alone

        classifies, measures = self._kind == "classes", self._kind == "numbers"
        return Tags(
            estimator_type="classifier" if classifies else "regressor" if measures else None,
            target_tags=TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=ClassifierTags() if classifies else None,
            regressor_tags=RegressorTags() if measures else None,
            input_tags=InputTags(two_d_array=False),
        )

    # --- fitting --------------------------------------------------------------------------------------------------------------

    def _seed(self) -> int:
        state = self._params["random_state"]
        if state is None:
            return int(np.random.randint(2**31 - 1))
        if hasattr(state, "randint"):
            return int(state.randint(2**31 - 1))
        if isinstance(state, bool) or not hasattr(state, "__index__") or state.__index__() < 0:
            raise SettingError(f"random_state is {state!r}; a whole number from 0 on, None or a RandomState is needed.")
        return state.__index__()

    def _held_out(self, seed: int) -> tuple[float, int] | None:
        share = self._params["validation_fraction"]
        if share is None or share == 0:
            return None
        if isinstance(share, bool) or not isinstance(share, (int, float, np.number)) or not 0 < share < 1:
            raise SettingError(f"validation_fraction is {share!r}; a number from 0 to below 1 is needed.")
        return float(share), seed

    def _given(self, seed: int) -> dict[str, Any]:
        """The settings of the run."""
        return {**self._settings, "seed": seed}

    def _train(self, native: Any, seed: int) -> None:
        """Trains on a native dataset, and takes over what came out of it."""
        model, folder = self._params["model"], self._params["folder"]
        if not isinstance(model, str):
            raise TypeError(f"model is {model!r}; the name of a model is needed.")
        callbacks = _callbacks(self._params["callbacks"])
        given = self._given(seed)
        told = {"model": model, **{name: value for name, value in given.items() if name != "epochs"}}
        again = self._goes_on(native, told)
        path = self._place(folder, again)
        listener = Listener(callbacks, self._params["verbose"])
        self._told = told
        try:
            self._run = _farhop.train(
                native, model, given, path, bool(self._params["overwrite"]), again, self._params["n_threads"], listener
            )
        except BaseException:
            # What was saved until now can be used, and gone on with.
            self._take_over(path)
            raise
        finally:
            listener.close()

    def _goes_on(self, native: Any, told: dict[str, Any]) -> bool:
        if not self._params["warm_start"] or self._run is None:
            return False
        before = self.__dict__.get("_told")
        changed = [] if before is None else sorted(name for name in {*before, *told} if before.get(name) != told.get(name))
        if changed:
            raise SettingError(f"warm_start goes on with the same settings, but for epochs; {', '.join(changed)} changed. Fit anew.")
        if not self._run.training_data().equals(native):
            raise DataError("warm_start goes on with the same data and parts, and these are others. Fit anew with warm_start=False.")
        return True

    def _place(self, folder: Any, again: bool) -> str:
        """The folder of the run: the one that is asked for, or a temporary one that goes with the estimator."""
        if again:
            return os.fspath(self._run.path)
        if folder is not None:
            return os.fspath(folder)
        return os.path.join(self._temporary(), "run")

    def _temporary(self) -> str:
        place = tempfile.mkdtemp(prefix="farhop-")
        before = self.__dict__.get("_finalizer")
        if before is not None:
            before()
        self._finalizer = weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        return place

    def _take_over(self, path: str) -> None:
        try:
            self._run = _farhop.Run(path)
        except Exception:
            self._run = None

    # --- what is known after fitting ------------------------------------------------------------------------------------------

    def _fitted(self) -> Any:
        if self._run is None:
            raise not_fitted(f"this {type(self).__name__} is not fitted yet. Call fit first.")
        return self._run

    @property
    def history_(self) -> list[dict[str, Any]]:
        """A report for every epoch: loss, learning rate, scores, seconds."""
        return self._fitted().history()

    @property
    def scores_(self) -> dict[str, float | None]:
        """The scores of the weights that are kept, by part; `record_["metric"]` says by which metric."""
        return self._fitted().record()["scores"]

    @property
    def record_(self) -> dict[str, Any]:
        """Everything that is recorded of the run, as in its `run.json`."""
        return self._fitted().record()

    @property
    def settings_(self) -> dict[str, Any]:
        """Every setting of the run, as in its `recipe.toml`."""
        return self._fitted().recipe()

    @property
    def best_epoch_(self) -> int | None:
        """The epoch of the weights that are kept."""
        return self.record_["best_epoch"]

    @property
    def n_iter_(self) -> int:
        """Epochs done."""
        return self.record_["epochs"]

    @property
    def run_path_(self) -> Path:
        """The run folder, which the command reads, too."""
        return Path(self._fitted().path)

    @property
    def hop_attention_(self) -> np.ndarray:
        """How the model weighs the hops of every node of the training data, `[layers, nodes, heads, hops]`."""
        return self._fitted().hop_attention(None, self._params["n_threads"])

    def hop_attention(self, X: Any) -> np.ndarray:
        """The same for other graphs."""
        return self._fitted().hop_attention(self._blank(X), self._params["n_threads"])

    def embed(self, X: Any = None) -> np.ndarray:
        """What goes into the head of the model, a row for each node or graph."""
        return self._fitted().embeddings(None if X is None else self._blank(X), self._params["n_threads"])

    def _explained(self, asked: Any, X: Any, output: int | None, method: str | None, layer: int | None) -> tuple[Any, ...]:
        native = None if X is None else self._blank(X)
        for name, value in (("output", output), ("layer", layer)):
            if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0):
                raise SettingError(f"{name} is {value!r}; a whole number from {0 if name == 'output' else 1} on is needed.")
        return self._fitted().explain(native, asked, output, method, layer, self._params["n_threads"])

    def _outputs(self, X: Any, edges: Any = None) -> np.ndarray:
        run = self._fitted()
        native = None if X is None and edges is None else self._blank(X, edges)
        return run.outputs(native, self._params["n_threads"])

    def _blank(self, X: Any, edges: Any = None) -> Any:
        """Graphs to be asked about: their answers are not known."""
        if isinstance(X, Dataset):
            return X._native
        graphs = self._graphs(X, edges)
        rows = sum(graph.num_nodes for graph in graphs) if self._level == "node" else len(graphs)
        _, kind, names = self._fitted().target()
        if kind == "classes":
            target: tuple[Any, ...] = (kind, np.full(rows, -1, dtype=np.int64), names)
        else:
            target = (kind, np.full((rows, len(names)), np.nan, dtype=np.float32), names)
        return dataset_of(graphs, self._level, target)

    def _graphs(self, X: Any, edges: Any = None, edge_attr: Any = None) -> list[Graph]:
        if edges is not None:
            return [Graph(edges, X, edge_attr=edge_attr)]
        if edge_attr is not None:
            raise DataError("edge_attr goes with edges. Put it into the Graph.")
        several = isinstance(X, (list, tuple)) and len(X) > 0 and not _is_edges(X)
        if several or (isinstance(X, np.ndarray) and X.dtype == object):
            return [_one_of(X, place) for place in range(len(X))]
        if isinstance(X, (list, tuple)) and len(X) == 0:
            raise DataError("X is empty. Give at least one graph.")
        _refuse_features(X)
        return [graph_of(X)]

    # --- keeping --------------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Copies the run folder: `farhop.load`, `farhop predict` and `farhop evaluate` read it."""
        source, target = self.run_path_, Path(path)
        if target.exists() and source.exists() and target.samefile(source):
            return
        if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
            if not overwrite:
                raise RunError(f"{target} is there already. Pass overwrite=True, or another path.")
            if not (target / "run.json").is_file():
                raise RunError(f"{target} is not a run folder, so it is not replaced. Choose another path.")
            shutil.rmtree(target)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("farhop.lock"), dirs_exist_ok=True)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_run", "_finalizer")}
        if self._run is not None:
            state["_packed"] = _packed(Path(self._run.path))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("_packed", None)
        self.__dict__.update(state)
        self._run = None
        if packed is not None:
            place = self._temporary()
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(place)
            self._run = _farhop.Run(place)

    def _restore(self, run: Any) -> None:
        """Takes over a run that was read, with the settings that it has."""
        recipe, graphs = run.recipe(), run.record()["graphs"]
        general = _farhop.default_recipe(recipe["model"]["kind"], graphs > 1)
        self.set_params(model=recipe["model"]["kind"], random_state=recipe["train"]["seed"], **_registry.differing(recipe, general))
        self._run = run


def _packed(folder: Path) -> bytes:
    """The files of a run folder in an archive."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != "farhop.lock":
                archive.write(file, file.relative_to(folder))
    return memory.getvalue()


def _is_edges(value: Any) -> bool:
    """Whether a list is one of edges, not of graphs."""
    first = value[0]
    return isinstance(first, (list, tuple, int, np.integer)) or (isinstance(first, np.ndarray) and first.dtype != object)


def _one_of(graphs: Sequence[Any], place: int) -> Graph:
    """One graph of a list; an object that is none is told by its place."""
    try:
        return graph_of(graphs[place])
    except TypeError as error:
        raise TypeError(f"X[{place}]: {error}") from None


def _refuse_features(X: Any) -> None:
    """Features alone, as other estimators take them, are no graph."""
    if not (isinstance(X, np.ndarray) or arrays.is_tensor(X) or hasattr(X, "to_numpy")):
        return
    found = arrays.plain(X, "X")
    if found.ndim == 2 and found.dtype.kind == "f" and (2 not in found.shape or np.any(found != np.floor(found))):
        raise DataError(f"X has features of {len(found):,} rows and no edges. Pass edges=edge_index, [2, edges], too, or a Graph.")


def _callbacks(given: Any) -> list[Callable[[dict[str, Any]], Any]]:
    """The parameter `callbacks`, if it is what it should be."""
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"callbacks is {given!r}; a list of functions is needed.")
    for place, one in enumerate(given):
        if not callable(one):
            raise TypeError(f"callbacks[{place}] is {one!r}; a function that takes the report of an epoch is needed.")
    return list(given)


class _Rows(Estimator):
    """Estimators that answer for every row: a node, or a graph."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        edges: Any = None,
        train: Any = None,
        valid: Any = None,
        test: Any = None,
        edge_attr: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Learns from graphs, or goes on with `warm_start`.

        X: a `Graph`, a `Dataset`, or anything that `farhop.graph` takes; a list of them; or features `[N, F]` with `edges`.
        y: the answers; default: those of the graph. NaN, None and "" are not known.
        train, valid, test: masks or row numbers (of graphs, if there are several); default: those of the graph, and all rows for training.
        sample_weight: how much each row counts in the loss, 0 or more: `sum of w_r loss_r / sum of w_r` over the rows of a batch. Scores,
            such as the one that chooses the best epoch, count all rows the same.
        """
        seed = self._seed()
        if isinstance(X, Dataset) and y is None and train is valid is test is None:
            native = self._whole(X)
        else:
            native = self._put_together(X, y, edges, edge_attr, (train, valid, test), seed)
        weights = _targets.weights(native, sample_weight, self._params["class_weight"])
        self._train(native if weights is None else native.with_weights(weights), seed)
        return self

    def explain(self, row: Any, X: Any = None, *, output: Any = None, method: str | None = None, layer: int | None = None) -> Explanation:
        """Which nodes, at which hop, the prediction for one row read.

        row: the number of a node (or of a graph, for estimators of graphs), or the name of a node.
        X: the graph or graphs that it is a row of; default: those of training.
        output: the class, the name of a label, or the number of a column of y that is explained; default: the class that is predicted, the
            most probable label, the first column.
        method: "weights" for the weights with which a layer of a gen reads nodes at hops: exactly what it computed with. "contributions" for
            gradient times input, summed over all that is known of a node, for any model. Default: weights for nodes and a gen of one layer,
            where they are all that was read; contributions elsewhere.
        layer: the layer whose weights are asked for, from 1; default: the last.
        """
        if isinstance(row, str):
            asked: Any = row
        elif isinstance(row, (bool, np.bool_)) or not hasattr(row, "__index__"):
            what = "node" if self._level == "node" else "graph"
            raise TypeError(f"row is {row!r}; the number of a {what} is needed.")
        elif not 0 <= row.__index__() < 2**32:
            raise DataError(f"row is {row.__index__()}. Rows are numbered from 0.")
        else:
            asked = row.__index__()
        _, kind, names = self._fitted().target()
        found = self._explained(asked, X, self._output(output, kind, names), method, layer)
        told = found[0]["output"]
        if kind == "classes":
            told = self._class_names(names)[names.index(told)]
        return Explanation(found, told)

    @staticmethod
    def _class_names(names: list[str]) -> list[Any]:
        return classes_of(names).tolist()

    def _output(self, output: Any, kind: str, names: list[str]) -> int | None:
        if output is None or kind == "numbers":
            return output
        known = self._class_names(names) if kind == "classes" else names
        plain = output.item() if hasattr(output, "item") else output
        if plain not in known:
            some = ", ".join(repr(name) for name in known[:12]) + (" and more" if len(known) > 12 else "")
            raise DataError(f"output is {plain!r}, which is no {'class' if kind == 'classes' else 'label'} of the model. Allowed: {some}.")
        return known.index(plain)

    def _whole(self, dataset: Dataset) -> Any:
        kind = dataset._native.target()[0]
        wanted = ("classes", "labels") if self._kind == "classes" else ("numbers",)
        if dataset.level != self._level or kind not in wanted:
            raise DataError(f"{dataset.name} predicts {kind} of {dataset.level}s, which a {type(self).__name__} does not.")
        return dataset._native

    def _put_together(self, X: Any, y: Any, edges: Any, edge_attr: Any, parts: Sequence[Any], seed: int) -> Any:
        graphs = X.graphs if isinstance(X, Dataset) else self._graphs(X, edges, edge_attr)
        nodes = self._level == "node"
        rows = sum(graph.num_nodes for graph in graphs) if nodes else len(graphs)
        units = rows if nodes and len(graphs) == 1 else len(graphs)
        only = graphs[0] if nodes and len(graphs) == 1 else None
        y = self._answers(y, graphs)
        target = self._target(y, rows)
        if only is not None and all(part is None for part in parts):
            parts = (only.train, only.valid, only.test)
        numbered = [arrays.rows(part, name, units) for part, name in zip(parts, ("train", "valid", "test"))]
        return dataset_of(graphs, self._level, target, parts=numbered, held_out=self._held_out(seed))

    def _answers(self, y: Any, graphs: Sequence[Graph]) -> Any:
        if y is None:
            known = [graph.y for graph in graphs]
            if any(one is None for one in known):
                return None
            return known[0] if len(known) == 1 and self._level == "node" else np.concatenate([np.ravel(one) for one in known])
        if self._level == "node" and len(graphs) > 1 and isinstance(y, (list, tuple)) and len(y) == len(graphs):
            return np.concatenate([np.asarray(one) for one in y])
        return y

    def _target(self, y: Any, rows: int) -> tuple[Any, ...]:
        return _targets.classes(y, rows)[0] if self._kind == "classes" else _targets.numbers(y, rows)

    def _asked(self, X: Any, y: Any, mask: Any, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The truth and the predictions of the rows of a mask."""
        if y is None:
            graphs = [] if X is None or isinstance(X, Dataset) else self._graphs(X)
            if X is None:
                y = Dataset(self._fitted().training_data()).y
            else:
                y = X.y if isinstance(X, Dataset) else self._answers(None, graphs)
        truth = _targets._column(y)
        if len(truth) != len(predicted):
            raise DataError(f"y has {len(truth):,} rows for {len(predicted):,} predictions. Give one for each.")
        chosen = arrays.rows(mask, "mask", len(truth))
        return (truth, predicted) if chosen is None else (truth[chosen], predicted[chosen])


class _Classifier(_Rows):
    _kind = "classes"

    @property
    def classes_(self) -> np.ndarray:
        """The classes, in the order of `predict_proba`; for yes-or-no labels their names."""
        _, kind, names = self._fitted().target()
        return classes_of(names) if kind == "classes" else np.array(names)

    def predict_proba(self, X: Any = None, *, edges: Any = None) -> np.ndarray:
        """The probability of every class (or of yes, for labels), `[rows, classes]`; without X for the data of training."""
        return self._outputs(X, edges)

    def predict(self, X: Any = None, *, edges: Any = None) -> np.ndarray:
        """The class of every row, or 0 and 1 for labels; without X for the data of training."""
        found = self.predict_proba(X, edges=edges)
        limits = self.record_["thresholds"]
        _, kind, names = self._fitted().target()
        if kind == "labels":
            return (found > np.array(limits or [0.5], dtype=np.float32)).astype(np.int64)
        if limits is not None and len(names) == 2:
            return self.classes_[(found[:, 1] > np.float32(limits[0])).astype(np.int64)]
        return self.classes_[found.argmax(1)]

    def score(self, X: Any = None, y: Any = None, *, mask: Any = None, sample_weight: Any = None) -> float:
        """The share of right classes among the rows of `mask`; without X of the data of training."""
        truth, predicted = self._asked(X, y, mask, self.predict(X))
        known = _targets._known(truth) if truth.ndim == 1 else ~np.isnan(truth.astype(float)).any(1)
        right = truth[known] == predicted[known]
        right = right.all(1) if right.ndim == 2 else right
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        if not len(right):
            raise DataError("no row of the mask has a known class.")
        return float(np.average(right.astype(float), weights=weights))


class _Regressor(_Rows):
    _kind = "numbers"

    def predict(self, X: Any = None, *, edges: Any = None) -> np.ndarray:
        """The number (or numbers) of every row; without X for the data of training."""
        found = self._outputs(X, edges)
        return found[:, 0] if found.shape[1] == 1 else found

    def score(self, X: Any = None, y: Any = None, *, mask: Any = None, sample_weight: Any = None) -> float:
        """The coefficient of determination R² on the rows of `mask`; without X of the data of training."""
        truth, predicted = self._asked(X, y, mask, self.predict(X))
        truth, predicted = truth.reshape(len(truth), -1).astype(float), predicted.reshape(len(predicted), -1).astype(float)
        known = ~np.isnan(truth).any(1)
        if not known.any():
            raise DataError("no row of the mask has a known number.")
        weights = np.ones(known.sum()) if sample_weight is None else np.asarray(sample_weight, dtype=float)[known]
        truth, predicted = truth[known], predicted[known]
        mean = np.average(truth, axis=0, weights=weights)
        rest = (weights[:, None] * (truth - predicted) ** 2).sum(0)
        whole = (weights[:, None] * (truth - mean) ** 2).sum(0)
        return float(np.mean(np.where(whole > 0, 1 - rest / np.where(whole > 0, whole, 1), np.where(rest > 0, 0.0, 1.0))))


class NodeClassifier(_Classifier):
    """Classes of nodes."""

    _level = "node"


class NodeRegressor(_Regressor):
    """Numbers of nodes."""

    _level = "node"


class GraphClassifier(_Classifier):
    """Classes of graphs, learned from a list of them."""

    _level = "graph"


class GraphRegressor(_Regressor):
    """Numbers of graphs, learned from a list of them."""

    _level = "graph"


class LinkScorer(Estimator):
    """Which pairs of nodes belong together."""

    _level = "pair"
    _kind = "pairs"

    def fit(self, X: Any, pairs: Any, y: Any = None, *, edges: Any = None, valid: Any = None) -> Any:
        """Learns from pairs of nodes of a graph.

        X: a `Graph`, or anything that `farhop.graph` takes. Its edges are what the model sees: leave out those that it is to find.
        pairs: `[P, 2]` nodes.
        y: for each pair whether it belongs together, 0 or 1. Default: all do, and as many others are drawn at random.
        valid: a mask or the numbers of pairs that choose the best epoch. Default: a share of `validation_fraction`.
        """
        seed = self._seed()
        [graph] = self._graphs(X, edges)
        ends = self._pairs(pairs)
        truth = np.ones(len(ends), dtype=np.int64) if y is None else arrays.integers(y, "y")
        if truth.shape != (len(ends),) or not np.isin(truth, (0, 1)).all():
            raise DataError(f"y has shape {truth.shape} for {len(ends):,} pairs. Give 0 or 1 for each.")
        random = np.random.RandomState(seed % 2**32)
        if y is None:
            others = _others(random, graph, ends)
            ends, truth = np.concatenate([ends, others]), np.concatenate([truth, np.zeros(len(others), dtype=np.int64)])
        held = arrays.rows(valid, "valid", len(ends))
        share = self._held_out(seed)
        if held is None:
            held = random.permutation(len(ends))[: round(share[0] * len(ends))] if share else np.zeros(0, dtype=np.int64)
        of_valid = np.zeros(len(ends), dtype=bool)
        of_valid[held] = True
        # Pairs are divided by graph: the same graph once with the pairs of training, and once with those of validation.
        order = np.argsort(of_valid, kind="stable")
        rows = np.column_stack([of_valid.astype(np.int64), ends, truth])[order]
        copies = 1 + int(of_valid.any())
        parts = [np.array([0]), np.array([1][: copies - 1], dtype=np.int64), np.zeros(0, dtype=np.int64)]
        native = dataset_of([graph] * copies, "pair", ("pairs", np.ascontiguousarray(rows), []), parts=parts)
        self._graph = graph
        self._train(native, seed)
        return self

    @staticmethod
    def _pairs(pairs: Any) -> np.ndarray:
        found = arrays.integers(pairs, "pairs")
        if found.ndim != 2 or found.shape[1] != 2:
            raise DataError(f"pairs has shape {found.shape}; [pairs, 2] is needed.")
        return found

    def predict_proba(self, pairs: Any, X: Any = None) -> np.ndarray:
        """How probable it is that the nodes of each pair belong together; without X in the graph of training."""
        run, ends = self._fitted(), self._pairs(pairs)
        if X is None:
            graph = self.__dict__.get("_graph") or Dataset(run.training_data()).graphs[0]
        else:
            [graph] = self._graphs(X)
        rows = np.column_stack([np.zeros(len(ends), dtype=np.int64), ends, np.zeros(len(ends), dtype=np.int64)])
        native = dataset_of([graph], "pair", ("pairs", np.ascontiguousarray(rows), []))
        return run.outputs(native, self._params["n_threads"])[:, 0]

    def _blank(self, X: Any, edges: Any = None) -> Any:
        [graph] = self._graphs(X, edges)
        return dataset_of([graph], "pair", ("pairs", np.zeros((1, 4), dtype=np.int64), []))

    def explain(self, pair: Any, X: Any = None) -> Explanation:
        """Which nodes the score of one pair comes from: gradient times input of every node. X: its graph; default: that of training."""
        [ends] = self._pairs([pair])
        if (ends < 0).any():
            raise DataError(f"pair is {pair!r}. Nodes are numbered from 0.")
        return Explanation(self._explained((0, int(ends[0]), int(ends[1])), X, None, None, None), "together")

    def predict(self, pairs: Any, X: Any = None) -> np.ndarray:
        """Whether the nodes of each pair belong together, 0 or 1."""
        return (self.predict_proba(pairs, X) > 0.5).astype(np.int64)

    def score(self, pairs: Any, y: Any, X: Any = None) -> float:
        """The share of right answers."""
        return float(np.mean(self.predict(pairs, X) == arrays.integers(y, "y")))


def _others(random: np.random.RandomState, graph: Graph, pairs: np.ndarray) -> np.ndarray:
    """As many pairs as there are, drawn at random: no edges, none of the pairs, no node with itself."""
    nodes = graph.num_nodes
    taken = set(map(tuple, np.sort(pairs, 1).tolist())) | set(map(tuple, np.sort(graph.edge_index.T, 1).tolist()))
    if nodes * (nodes - 1) // 2 - len(taken) < len(pairs):
        raise DataError("the graph has too few pairs that do not belong together. Give y.")
    drawn: list[tuple[int, int]] = []
    while len(drawn) < len(pairs):
        for a, b in np.sort(random.randint(nodes, size=(len(pairs), 2)), 1).tolist():
            if a != b and (a, b) not in taken and len(drawn) < len(pairs):
                taken.add((a, b))
                drawn.append((a, b))
    return np.array(drawn, dtype=np.int64)


_KINDS: dict[tuple[str, str], Callable[..., Estimator]] = {
    ("node", "classes"): NodeClassifier,
    ("node", "labels"): NodeClassifier,
    ("node", "numbers"): NodeRegressor,
    ("graph", "classes"): GraphClassifier,
    ("graph", "labels"): GraphClassifier,
    ("graph", "numbers"): GraphRegressor,
    ("pair", "pairs"): LinkScorer,
}


def load(path: str | os.PathLike[str]) -> Any:
    """The estimator of a run folder, whether Python or the command wrote it."""
    run = _farhop.Run(os.fspath(path))
    level, kind, _ = run.target()
    estimator = _KINDS[level, kind]()
    estimator._restore(run)
    return estimator
