"""What models and settings there are, read from the native half once."""

from __future__ import annotations

import difflib
from functools import lru_cache
from typing import Any

from . import _farhop
from ._errors import SettingError

#: Parts of a recipe whose keys are settings of an estimator, each by its name alone.
_SECTIONS = (("model",), ("train",), ("train", "optimizer"), ("encodings",))
#: Keys that an estimator has under another name, or decides itself.
_OTHERWISE = {"kind": "model", "seed": "random_state"}
#: What data has to do with learning.
_OF_DATA = ("metric", "scaling")


@lru_cache(maxsize=None)
def models() -> dict[str, dict[str, Any]]:
    """Every model by its name: title, citation, cost, reach and settings."""
    return {model["model"]: model for model in _farhop.models()}


@lru_cache(maxsize=None)
def settings() -> dict[str, dict[str, Any]]:
    """Every setting by its name: where it stands in a recipe, its meaning, its range, and the models that have it."""
    found: dict[str, dict[str, Any]] = {}
    for name, model in models().items():
        for knob in model["settings"]:
            one = found.setdefault(knob["key"], {"models": [], **knob, "key": f"model.{knob['key']}"})
            one["models"].append(name)
    recipe = _farhop.default_recipe("gen", False)
    for section in _SECTIONS[1:]:
        tree = recipe
        for key in section:
            tree = tree[key]
        for name, value in tree.items():
            if not isinstance(value, dict) and name not in _OTHERWISE:
                key = ".".join((*section, name))
                found.setdefault(name, {"key": key, "models": None, "about": "", "allowed": "", "default": value})
    for name in _OF_DATA:
        found.setdefault(name, {"key": f"data.{name}", "models": None, "about": "", "allowed": "", "default": None})
    return found


def check_name(name: str, own: tuple[str, ...]) -> None:
    """Refuses a name that no model has, and says which one is near."""
    if name in settings():
        return
    if name in _OTHERWISE:
        raise SettingError(f"{name} is called {_OTHERWISE[name]} here.")
    near = difflib.get_close_matches(name, [*settings(), *own], 1, 0.6)
    remedy = f"Did you mean {near[0]}?" if near else "farhop.settings() lists what there is."
    raise SettingError(f"there is no setting {name!r}. {remedy}")


def differing(recipe: dict[str, Any], general: dict[str, Any]) -> dict[str, Any]:
    """The settings of a recipe that are not the general ones, by their names."""
    found = {}
    for section in _SECTIONS:
        tree, usual = recipe, general
        for key in section:
            tree, usual = tree[key], usual[key]
        for name, value in tree.items():
            if not isinstance(value, dict) and name not in _OTHERWISE and usual.get(name) != value:
                found[name] = value
    for name in _OF_DATA:
        if recipe["data"][name] != general["data"][name]:
            found[name] = recipe["data"][name]
    return found
