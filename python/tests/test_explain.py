"""Predictions explained: which nodes, at which hop."""

import json

import numpy as np
import pytest

import farhop
from conftest import path_graph, rings
from farhop import DataError, GraphClassifier, GraphRegressor, LinkScorer, NodeClassifier, NodeRegressor, SettingError

SMALL = {"epochs": 4, "width": 8, "verbose": False}
#: Hops that are read as they are: the weight of a walk is 1, that of a hop a third.
PLAIN = {"layers": 1, "hops": 3, "coefficients": "ones", "hop_attention": False, "gamma": 0.0, "hop_reading": "increment"}


def tree(nodes=40, seed=1):
    random = np.random.RandomState(seed)
    parents = np.array([random.randint(0, node) for node in range(1, nodes)])
    graph = farhop.Graph(np.array([parents, np.arange(1, nodes)]), random.randn(nodes, 3).astype(np.float32))
    distance = np.full((nodes, nodes), nodes)
    np.fill_diagonal(distance, 0)
    for node, parent in enumerate(parents, start=1):
        distance[node, :node] = distance[parent, :node] + 1
        distance[:node, node] = distance[node, :node]
    return graph, (graph.x[:, 0] > 0).astype(int), distance


def test_a_layer_of_ones_reads_a_tree_by_distance():
    graph, y, distance = tree()
    model = NodeClassifier(**PLAIN, **SMALL).fit(graph, y)
    for node in (0, 7, 39):
        found = model.explain(node)
        assert (found.method, found.layer, found.layers) == ("weights", 1, 1)
        inside = (distance[node] >= 1) & (distance[node] <= 3)
        assert sorted(found.nodes.tolist()) == np.flatnonzero(inside).tolist()
        assert found.hops.tolist() == distance[node][found.nodes].tolist()
        assert np.allclose(found.weights, 1 / 3) and found.head_weights.shape == (len(found), 1)
        assert found.output == model.predict()[node] and np.isclose(found.probability, model.predict_proba()[node].max(), atol=1e-6)


def test_heads_have_weights_of_their_own():
    graph, y, _ = tree()
    model = NodeClassifier(layers=2, hops=2, heads=2, **SMALL).fit(graph, y)
    found = model.explain(5, method="weights", layer=1)
    assert found.layers == 2 and found.head_weights.shape == (len(found), 2)
    assert np.allclose(found.head_weights.mean(1), found.weights, atol=1e-7)
    assert model.explain(5).method == "contributions", "two layers read more than one shows"
    assert list(found.to_frame().columns) == ["node", "hop", "weight", "head_1", "head_2"]


def test_contributions_of_a_linear_model_are_all_but_its_bias():
    graph, _, distance = tree()
    model = NodeRegressor(model="mlp", activation="none", norm="none", dropout=0, input_dropout=0, **SMALL).fit(graph, graph.x[:, 1])
    rest = []
    for node in range(0, 40, 7):
        found = model.explain(node)
        assert found.nodes.tolist() == [node] and found.hops.tolist() == [0] and found.probability is None
        assert np.isclose(found.value, model.predict()[node], atol=1e-5)
        rest.append(found.value - found.weights.sum())
    assert np.allclose(rest, rest[0], atol=1e-5)
    far = NodeRegressor(model="gcn", layers=2, **SMALL).fit(graph, graph.x[:, 1]).explain(4)
    assert (far.hops <= 2).all() and far.hops.tolist() == distance[4][far.nodes].tolist()
    assert np.all(np.diff(np.abs(far.weights)) <= 0), "the largest first"
    assert np.isclose(sum(far.by_hop().values()), 1)


def test_another_class_and_another_graph(path):
    graph, y = path
    model = NodeClassifier(**SMALL).fit(graph, np.array(["left", "right"])[y])
    one, other = model.explain(3, output="left"), model.explain(3, output="right")
    assert (one.output, other.output) == ("left", "right") and np.isclose(one.probability + other.probability, 1, atol=1e-5)
    again = model.explain(3, graph, output="left")
    assert np.array_equal(again.weights, one.weights) and np.array_equal(again.nodes, one.nodes)
    with pytest.raises(DataError, match="no class of the model. Allowed: 'left', 'right'"):
        model.explain(3, output="middle")


def test_graphs_are_explained_by_their_nodes():
    graphs, y, lengths = rings(12)
    model = GraphClassifier(model="gin", layers=2, **SMALL).fit(graphs, y)
    found = model.explain(3)
    assert set(found.nodes.tolist()) <= set(range(graphs[3].num_nodes)) and (found.hops == -1).all()
    assert np.allclose(model.explain(0, [graphs[3]]).weights, found.weights, rtol=1e-4, atol=1e-6)
    assert "<svg" in found._repr_html_()
    with pytest.raises(farhop.FarhopError, match="those of a node"):
        model.explain(3, method="weights")
    number = GraphRegressor(model="gcn", **SMALL).fit(graphs, lengths).explain(5)
    assert number.probability is None and number.output == "y"


def test_pairs_are_explained(path):
    graph, _ = path
    model = LinkScorer(model="gcn", **SMALL).fit(graph, np.array([[i, i + 2] for i in range(50)]))
    found = model.explain((3, 5))
    assert np.isclose(found.probability, model.predict_proba([[3, 5]])[0], atol=1e-5) and len(found)
    assert np.allclose(model.explain((3, 5), graph).weights, found.weights, rtol=1e-4, atol=1e-6)
    for pair, error, text in [((3, 99), farhop.FarhopError, "there is no node 99"), ((3, -1), DataError, "numbered from 0"), (3, DataError, "shape")]:
        with pytest.raises(error, match=text):
            model.explain(pair)


def test_names_pictures_and_tables(path, tmp_path):
    graph, y = path
    named = farhop.Graph(graph.edge_index, np.array(graph.x), ids=[f"<b>{i}</b>" for i in range(60)])
    model = NodeClassifier(hops=2, layers=1, **SMALL).fit(named, y)
    found = model.explain("<b>4</b>")
    assert found.ids[0] in {f"<b>{node}</b>" for node in range(60)} and list(found.to_frame().columns)[0] == "id"
    shown = found._repr_html_()
    assert "<svg" in shown and "<b>" not in shown, "names are never markup"
    found.save(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text() == found.svg
    assert "Explanation(" in repr(found) and "weights of layer 1" in repr(found)


@pytest.mark.parametrize(
    ("row", "more", "error", "text"),
    [
        (60, {}, farhop.FarhopError, "there is no node 60. Allowed: 0 to 59"),
        (-1, {}, DataError, "Rows are numbered from 0"),
        (2**40, {}, DataError, "Rows are numbered from 0"),
        (1.5, {}, TypeError, "the number of a node is needed"),
        (True, {}, TypeError, "the number of a node is needed"),
        ("nobody", {}, DataError, 'no "nobody"'),
        (3, {"method": "guess"}, SettingError, 'None, "weights" or "contributions"'),
        (3, {"layer": 9}, farhop.FarhopError, "layer 9 is not there. Allowed: 1 to 1"),
        (3, {"layer": 1, "method": "contributions"}, farhop.FarhopError, "Leave it out"),
        (3, {"layer": -1}, SettingError, "layer is -1"),
        (3, {"output": 7}, DataError, "output is 7, which is no class"),
    ],
)
def test_bad_questions(path, row, more, error, text):
    graph, y = path
    model = NodeClassifier(hops=2, layers=1, **SMALL).fit(graph, y)
    with pytest.raises(error, match=text) as refused:
        model.explain(row, **more)
    assert "\n" not in str(refused.value)


def test_models_without_walks_say_so(path):
    graph, y = path
    with pytest.raises(farhop.FarhopError, match="holds a gcn, whose layers have no weights of walks"):
        NodeClassifier(model="gcn", **SMALL).fit(graph, y).explain(3, method="weights")
    with pytest.raises(farhop.NotFittedError):
        NodeClassifier().explain(3)


def test_the_command_says_the_same(path, command, tmp_path):
    graph, y = path
    model = NodeClassifier(hops=3, layers=1, folder=tmp_path / "run", **SMALL).fit(graph, y)
    told = json.loads(command("explain", tmp_path / "run", "--node", 7, "--json"))
    found = model.explain(7)
    assert [node["id"] for node in told["nodes"]] == [str(node) for node in found.nodes]
    assert np.array_equal(np.float32([node["weight"] for node in told["nodes"]]), found.weights)
    assert [node["hop"] for node in told["nodes"]] == found.hops.tolist()
    assert "has no node" in command("explain", tmp_path / "run", "--node", 99, fails=True)
