"""The examples run, and show what they say they show."""

import importlib.util
from pathlib import Path

import pytest

import farhop

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python"


def example(name, *packages):
    for package in packages:
        pytest.importorskip(package)
    place = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture
def picture(tmp_path):
    pytest.importorskip("matplotlib")
    return tmp_path / "picture.png"


def drawn(picture):
    return picture.read_bytes()[:4] == b"\x89PNG"


def test_own_graph(picture):
    assert example("own_graph", "pandas").main(picture) > 0.6 and drawn(picture)


def test_hop_features(picture):
    scores = example("hop_features", "sklearn").main(picture)
    assert scores["hop 3"] > 0.9 > scores["neighbours"] and scores["all hops"] > 0.9 and drawn(picture)


def test_molecules(picture):
    assert example("molecules", "sklearn").main(picture, epochs=12) < 0.7 and drawn(picture)


def test_gen_in_pyg(picture):
    assert example("gen_in_pyg", "torch", "torch_geometric").main(picture) > 0.9 and drawn(picture)


def test_cora_beside_pyg(picture):
    module = example("cora_beside_pyg", "torch", "torch_geometric")
    try:
        farhop.load_dataset("cora")
    except farhop.DataError:
        pytest.skip("Cora is not on this machine")
    scores = module.main(picture, epochs=60)
    assert min(scores.values()) > 0.75 and drawn(picture)
