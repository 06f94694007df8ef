"""Graphs from whatever holds one, and what is refused."""

import pickle

import numpy as np
import pytest

import farhop
from farhop import DataError, Graph

SQUARE = [[0, 1, 2, 3], [1, 2, 3, 0]]


def entries(graph):
    return {tuple(pair) for pair in graph.edge_index.T.tolist()}


BOTH = {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)}


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_edges_of_any_type_order_and_orientation(kind, order):
    edges = np.array(SQUARE, dtype=kind, order=order)
    for given in (edges, edges.T, np.repeat(edges, 2, axis=1)[:, ::2], edges[:, ::-1]):
        graph = Graph(given, num_nodes=5)
        assert (graph.num_nodes, graph.num_edges, graph.directed) == (5, 4, False)
        assert entries(graph) == BOTH


def test_directed_edges_stay_as_they_are():
    assert entries(Graph(SQUARE, directed=True)) == set(zip(*SQUARE))


def test_repeated_edges_and_loops_are_set_apart():
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 2]])
    assert (graph.num_nodes, graph.num_edges) == (3, 2)
    assert graph._native.self_loops == 1 and graph._native.duplicates == 1


def test_features_are_views_of_one_copy():
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    graph = Graph(SQUARE, x)
    first, again = graph.x, graph.x
    assert np.array_equal(first, x) and first.ctypes.data == again.ctypes.data
    with pytest.raises(ValueError):
        first[0, 0] = 7
    x[0, 0] = 100
    assert graph.x[0, 0] == 0
    del graph
    assert first[3, 1] == 7


def test_features_of_edges_follow_their_edges():
    graph = Graph([[0, 2], [1, 1]], num_nodes=3, edge_attr=[[5.0], [7.0]])
    found = {tuple(pair): value for pair, value in zip(graph.edge_index.T.tolist(), graph.edge_attr[:, 0])}
    assert found == {(0, 1): 5, (1, 0): 5, (2, 1): 7, (1, 2): 7}


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "lil", "dok", "bsr", "dia"])
def test_scipy_matrices_of_any_format(layout):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_array((np.ones(4), SQUARE), shape=(4, 4)).asformat(layout)
    assert entries(farhop.graph(matrix)) == BOTH
    assert entries(farhop.from_scipy(matrix, directed=True)) == set(zip(*SQUARE))
    weighted = farhop.from_scipy(sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 2])), shape=(3, 3)), weights=True)
    assert sorted(weighted.edge_attr[:, 0]) == [2, 2, 3, 3]


def test_sparse_features_are_kept_sparse():
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.random(4, 9, 0.3, random_state=0, format="csc", dtype=np.float32)
    graph = Graph(SQUARE, x)
    assert graph._native.node_columns()[1] is not None
    assert np.array_equal(graph.x, x.toarray())


def test_networkx_attributes_become_features():
    networkx = pytest.importorskip("networkx")
    network = networkx.Graph()
    network.add_node("a", size=1.5, place=[1, 2], colour="red")
    network.add_node("b", size=2.5, place=[3, 4], colour="blue")
    network.add_edge("a", "b", weight=7)
    graph = farhop.from_networkx(network, target="colour")
    assert graph.ids == ["a", "b"]
    assert graph.x.tolist() == [[1, 2, 1.5], [3, 4, 2.5]]
    assert graph.edge_attr.tolist() == [[7], [7]]
    assert graph.y.tolist() == ["red", "blue"]
    directed = farhop.graph(networkx.DiGraph([(0, 1), (1, 2)]))
    assert directed.directed and entries(directed) == {(0, 1), (1, 2)}


def test_tables_of_pandas_follow_the_rules_of_the_command():
    pandas = pytest.importorskip("pandas")
    nodes = pandas.DataFrame({"id": ["a", "b", "c", "d"], "size": [1.0, 2.0, 3.0, 4.0], "kind": ["x", "y", "x", "y"], "label": list("uvuv")})
    edges = pandas.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"]})
    nodes["split"] = ["train", "train", "valid", "test"]
    dataset = farhop.tables(nodes, edges, "label")
    assert dataset.graph.ids == ["a", "b", "c", "d"]
    assert dataset.y.tolist() == list("uvuv") and dataset.train.tolist() == [0, 1]
    assert dataset.graph.x[:, 0].tolist() == [1, 2, 3, 4]
    assert "data        nodes.csv (" in dataset.card()
    edges.loc[1, "target"] = "z"
    with pytest.raises(DataError, match='^edges.csv, line 3: target id "z" is not in nodes.csv .4 ids.. Add the node, or pass add_missing_nodes = true'):
        farhop.tables(nodes, edges, "label")


class Data:
    """Looks like a Data of PyTorch Geometric."""

    def __init__(self, **given):
        self.__dict__.update(given)


def test_what_looks_like_pyg_is_read_like_it():
    mask = np.array([True, False, True, False])
    data = Data(edge_index=np.array(SQUARE), x=np.ones((4, 3), dtype=np.float32), y=np.arange(4), train_mask=mask, num_nodes=4)
    graph = farhop.graph(data)
    assert entries(graph) == BOTH and graph.x.shape == (4, 3)
    assert graph.y.tolist() == [0, 1, 2, 3] and graph.train.tolist() == mask.tolist()
    whole = farhop.graph(Data(edge_index=np.array(SQUARE), x=np.array([[0, 2], [1, 0], [0, 1], [2, 2]]), num_nodes=4))
    assert whole.x is None and whole.categories.tolist() == [[0, 2], [1, 0], [0, 1], [2, 2]]
    with pytest.raises(DataError, match="to_homogeneous"):
        farhop.from_pyg(Data(edge_index=None, node_types=["a"]))


BONDS = [[0, 1, 1, 2], [1, 0, 2, 1]]


class Frame(dict):
    """Looks like the features of nodes of DGL."""


class Network:
    """Looks like a graph of DGL."""

    def __init__(self, pairs, nodes, edge_features=None, **features):
        self.pairs, self.count, self.ndata = np.array(pairs), nodes, Frame(features)
        self.edata = Frame({} if edge_features is None else {"feat": edge_features})

    def edges(self):
        return self.pairs[0], self.pairs[1]

    def num_nodes(self):
        return self.count


def real_dgl_of(pairs, nodes, edge_features=None, **features):
    dgl, torch = pytest.importorskip("dgl"), pytest.importorskip("torch")
    made = dgl.graph((torch.tensor(pairs[0]), torch.tensor(pairs[1])), num_nodes=nodes)
    for name, values in features.items():
        made.ndata[name] = torch.tensor(values)
    if edge_features is not None:
        made.edata["feat"] = torch.tensor(edge_features)
    return made


@pytest.mark.parametrize("made", [Network, real_dgl_of])
def test_graphs_of_dgl(made):
    mask = np.array([True, False, True, False, False])
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    graph = farhop.graph(made(SQUARE, 5, feat=x, label=np.arange(5), train_mask=mask, val_mask=~mask))
    assert (graph.num_nodes, graph.directed) == (5, False) and entries(graph) == BOTH
    assert np.array_equal(graph.x, x) and graph.y.tolist() == [0, 1, 2, 3, 4]
    assert graph.train.tolist() == mask.tolist() and graph.valid.tolist() == (~mask).tolist() and graph.test is None
    bare = farhop.graph(made(SQUARE, 4), directed=True, x=x[:4])
    assert bare.directed and bare.num_edges == 4 and bare.y is None and np.array_equal(bare.x, x[:4])
    molecule = farhop.graph(made(BONDS, 3, edge_features=np.array([[0], [0], [1], [1]]), feat=np.array([[5, 0], [6, 1], [5, 0]])))
    assert molecule.x is None and molecule.categories.tolist() == [[5, 0], [6, 1], [5, 0]]
    assert molecule.edge_categories.ravel().tolist() == [0 if 0 in pair else 1 for pair in molecule.edge_index.T.tolist()]


def test_graphs_of_dgl_with_several_kinds_of_nodes_are_refused():
    dgl, torch = pytest.importorskip("dgl"), pytest.importorskip("torch")
    several = dgl.heterograph({("user", "likes", "item"): (torch.tensor([0]), torch.tensor([1]))})
    with pytest.raises(DataError, match="to_homogeneous"):
        farhop.graph(several)


def test_molecules():
    ethanol, benzene = farhop.molecules(["CCO", "c1ccccc1"])
    assert (ethanol.num_nodes, ethanol.num_edges) == (3, 2) and (benzene.num_nodes, benzene.num_edges) == (6, 6)
    assert ethanol.categories.shape == (3, 9) and ethanol.edge_categories.shape == (4, 3)
    with pytest.raises(DataError, match=r"smiles\[1\]"):
        farhop.molecules(["C", "C(("])


def test_pickled_graphs_are_the_same():
    graph = Graph(SQUARE, np.eye(4), edge_attr=np.arange(4.0).reshape(4, 1), ids=list("abcd"), y=[0, 1, 0, 1])
    again = pickle.loads(pickle.dumps(graph))
    assert entries(again) == entries(graph) and again.ids == graph.ids and again.y == graph.y
    assert np.array_equal(again.x, graph.x) and np.array_equal(again.edge_attr, graph.edge_attr)
    atoms = pickle.loads(pickle.dumps(farhop.molecules(["CCO"])[0]))
    assert atoms.edge_categories.shape == (4, 3)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"edges": [[0, 5], [1, 0]], "num_nodes": 4}, DataError, r"edges\[0, 1\] is 5: nodes are numbered from 0 to 3"),
        ({"edges": [[0, -1], [1, 0]], "num_nodes": 4}, DataError, r"edges\[0, 1\] is -1"),
        ({"edges": np.zeros((3, 3), dtype=int)}, DataError, r"edges has shape \(3, 3\); \[2, edges\] is needed"),
        ({"edges": [[0.5], [1]]}, DataError, "not whole"),
        ({"edges": "ab"}, TypeError, "an array is needed"),
        ({"edges": [["a"], ["b"]]}, TypeError, "whole numbers are needed"),
        ({"edges": SQUARE, "x": np.ones((3, 2))}, DataError, r"edges\[\d, \d\] is 3"),
        ({"edges": SQUARE, "x": np.ones((5, 2)), "num_nodes": 4}, DataError, "x has 5 rows for 4 nodes"),
        ({"edges": SQUARE, "x": np.ones(4)}, DataError, "reshape"),
        ({"edges": SQUARE, "x": np.array([[1, 2], [3, np.nan], [1, 1], [2, 2]])}, DataError, r"x\[1, 1\] is NaN"),
        ({"edges": SQUARE, "x": np.full((4, 1), 1e300)}, DataError, r"x\[0, 0\] is inf"),
        ({"edges": SQUARE, "x": [["a"]] * 4}, TypeError, "numbers are needed"),
        ({"edges": SQUARE, "edge_attr": np.ones((3, 1))}, DataError, "edge_attr has 3 rows for 4 edges"),
        ({"edges": SQUARE, "categories": [[-1]] * 4}, DataError, "0 to 65,535"),
        ({"edges": SQUARE, "ids": ["a"]}, DataError, "ids: 1 id for 4 nodes"),
        ({"edges": SQUARE, "ids": ["a", "b", "a", "c"]}, DataError, "ids has 'a' twice"),
        ({"edges": SQUARE, "x": np.ma.masked_array(np.ones((4, 1)), [[1], [0], [0], [0]])}, DataError, "x has masked values"),
        ({"edges": SQUARE, "num_nodes": 2.5}, TypeError, "num_nodes is 2.5"),
        ({"edges": [[0], [1]], "num_nodes": 4_000_000_000_000}, DataError, "nodes"),
    ],
)
def test_bad_input_names_argument_value_and_remedy(arguments, error, text):
    with pytest.raises(error, match=text):
        Graph(**arguments)


def test_unknown_objects_are_refused():
    with pytest.raises(TypeError, match="a graph can't be made of"):
        farhop.graph(object())


def test_64_bits_are_converted_and_said_once():
    from farhop import _arrays

    _arrays._said.clear()
    with pytest.warns(farhop.ConversionWarning, match="32 bits"):
        Graph(SQUARE, np.ones((4, 1)))
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Graph(SQUARE, np.ones((4, 1)))


def test_a_data_card_is_shown_in_notebooks():
    assert "4 nodes" in repr(Graph(SQUARE)) and "<pre" in Graph(SQUARE, np.eye(4, dtype=np.float32))._repr_html_()
