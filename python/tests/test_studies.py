"""Comparisons, searches and plans."""

import pytest

import farhop


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    nodes, edges = folder / "nodes.csv", folder / "edges.csv"
    nodes.write_text("id,size,label\n" + "".join(f"n{i},{i % 7},{'ab'[i // 15]}\n" for i in range(30)))
    edges.write_text("source,target\n" + "".join(f"n{i},n{i + 1}\n" for i in range(29)))
    return farhop.tables(nodes, edges, "label")


def rows(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def test_models_are_compared(dataset):
    found = rows(farhop.compare(dataset, ["gcn", "mlp"], runs=2, epochs=2, width=4))
    assert {row["model"] for row in found} == {"gcn", "mlp"} and min(row["rank"] for row in found) == 1
    assert all(0 <= row["test"] <= 1 and row["metric"] == "accuracy" for row in found)


def test_settings_are_searched(dataset):
    found = farhop.tune(dataset, "gcn", trials=2, epochs=2)
    assert found["params"]["model"] == "gcn" and found["params"]["epochs"] == 2 and 0 <= found["valid"] <= 1
    assert farhop.NodeClassifier(**found["params"]).get_params()["width"] == found["params"]["width"]


def test_memory_is_planned(dataset):
    small, large = (farhop.plan(dataset, width=width)["peak_bytes"] for width in (8, 512))
    assert small < large


def test_mistakes_are_told_with_the_words_of_the_command(dataset):
    with pytest.raises(farhop.SettingError, match="gcm"):
        farhop.compare(dataset, ["gcm"])
    with pytest.raises(farhop.SettingError, match="Did you mean width"):
        farhop.plan(dataset, widht=3)
    with pytest.raises(TypeError, match="a Dataset"):
        farhop.tune([1, 2])
