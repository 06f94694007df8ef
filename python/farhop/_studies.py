"""Comparisons, searches and plans: those of the command, in a process of its own, with their results as values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Sequence

from . import _registry
from ._data import Dataset
from ._errors import DataError, FarhopError, SettingError


def compare(
    data: Any,
    models: Sequence[str] = ("gen", "gcn", "mlp"),
    *,
    runs: int = 3,
    folder: str | os.PathLike[str] | None = None,
    n_threads: int | None = None,
    verbose: bool = False,
    **settings: Any,
) -> Any:
    """Several models on the same data, splits and seeds, as `farhop compare` does it: a row for each model with the mean and deviation of its
    scores, its rank, significance, time and memory. A DataFrame if pandas is installed, else a list of dictionaries.

    data: a `Dataset`, or the name or path of one. folder: where the runs are kept; a comparison that is there is gone on with.
    """
    words = ["--models", ",".join(models), "--runs", str(runs), *_settings(settings)]
    found = _asked("compare", data, words, folder, n_threads, verbose)
    rows = []
    for one in found["models"]:
        row = {"model": one["model"], "rank": one["rank"], "significance": one["significance"], "parameters": one["parameters"]}
        for part in ("test", "valid", "seconds"):
            spread = one[part] or {"mean": None, "deviation": None}
            row[part], row[f"{part}_deviation"] = spread["mean"], spread["deviation"]
        rows.append({**row, "peak_rss_bytes": one["peak_rss_bytes"], "metric": found["metric"]})
    return _frame(rows)


def tune(
    data: Any,
    model: str = "gen",
    *,
    trials: int = 20,
    folder: str | os.PathLike[str] | None = None,
    n_threads: int | None = None,
    verbose: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """A search for settings by validation, as `farhop tune` does it. What is given in `settings` is not searched.

    Gives the best settings as parameters of an estimator (`params`), their validation score (`valid`), and what mattered (`importance`, a
    DataFrame if pandas is installed). folder: where the study is kept; one that is there is gone on with.
    """
    words = ["--model", model, "--trials", str(trials), *_settings(settings)]
    found = _asked("tune", data, words, folder, n_threads, verbose)
    best = found["best"] or {"settings": {}, "valid": None, "trial": None}
    params = {key.rsplit(".", 1)[-1]: value for key, value in best["settings"].items()}
    importance = [{"setting": key, "importance": value} for key, value in found["importance"].items()]
    importance.sort(key=lambda row: -row["importance"])
    counts = {name: found[name] for name in ("finished", "pruned", "failed", "metric", "seconds")}
    return {"params": {"model": model, **params, **settings}, "valid": best["valid"], "importance": _frame(importance), **counts}


def plan(data: Any, model: str = "gen", **settings: Any) -> dict[str, Any]:
    """The peak memory of a run before anything is allocated, as `farhop plan` tells it: `peak_bytes`, what it is made of, whether it fits, and
    what would make it fit."""
    found: dict[str, Any] = _asked("plan", data, ["--model", model, *_settings(settings)], None, None, False, keeps=False)
    return found


def _settings(settings: dict[str, Any]) -> list[str]:
    words = []
    for name, value in settings.items():
        _registry.check_name(name, ())
        key = _registry.settings()[name]["key"]
        if key.startswith("data."):
            raise SettingError(f"{name} belongs to the data. Save the dataset with it.")
        text = "none" if value is None else value if isinstance(value, str) else json.dumps(value)
        words += ["--set", f"{key}={text}"]
    return words


def _asked(
    command: str,
    data: Any,
    words: list[str],
    folder: str | os.PathLike[str] | None,
    n_threads: int | None,
    verbose: bool,
    keeps: bool = True,
) -> Any:
    """What the command says as JSON. Ctrl-C reaches it, too."""
    with tempfile.TemporaryDirectory(prefix="farhop-") as place:
        if isinstance(data, Dataset):
            source = os.fspath(Path(place) / "data.farhop")
            data.save(source)
        elif isinstance(data, (str, os.PathLike)):
            source = os.fspath(data)
        else:
            raise TypeError(f"data is {type(data).__name__}; a Dataset, or the name or path of one, is needed.")
        asked = [sys.executable, "-m", "farhop._command", command, source, "--json", *words]
        if keeps:
            asked += ["--out", os.fspath(folder) if folder is not None else os.path.join(place, "runs")]
        if n_threads is not None:
            asked += ["--threads", str(n_threads)]
        if not verbose:
            asked.append("--quiet")
        paths = [str(Path(__file__).resolve().parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(asked, stdout=subprocess.PIPE, stderr=None if verbose else subprocess.PIPE, text=True, env=environment)
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode != 0:
        text = (done.stderr or f"farhop {command} failed").strip().splitlines()[-1].removeprefix("error: ")
        raise (SettingError if done.returncode == 2 else DataError if done.returncode == 1 else FarhopError)(text)
    return json.loads(done.stdout)


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas  # what users ask for, if they have it
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
