"""Hops and encodings by themselves."""

import numpy as np
import pytest

import farhop
from farhop import DataError, Graph, SettingError


def test_on_a_path_round_k_adds_what_is_k_away():
    graph = Graph([np.arange(5), np.arange(1, 6)])
    found = farhop.hops(graph, np.eye(6, dtype=np.float32), 5)
    far = abs(np.arange(6)[:, None] - np.arange(6)[None])
    assert found.shape == (5, 6, 6)
    for k in range(5):
        assert np.array_equal(found[k], far == k + 1)
    states = farhop.hops(graph, np.eye(6, dtype=np.float32), 5, cumulative=True)
    assert np.array_equal(states[2], far <= 3)


def test_coefficients_are_given_by_edge():
    graph = Graph([[0, 1], [1, 2]])
    x = np.array([[1], [0], [0]], dtype=np.float32)
    assert farhop.hops(graph, x, 2, coefficients=[2.0, 3.0])[:, :, 0].tolist() == [[0, 2, 0], [0, 0, 6]]
    gcn = farhop.hops(graph, x, 1, coefficients="gcn")[0, 1, 0]
    assert gcn == pytest.approx(1 / np.sqrt(2 * 3), rel=1e-6)
    plain = farhop.hops(graph, x, 2, elimination="none", cumulative=True)
    assert plain[:, :, 0].tolist() == [[1, 1, 0], [2, 2, 1]]


def test_the_command_finds_the_same_hops(command, tmp_path):
    random = np.random.RandomState(0)
    edges = random.randint(20, size=(2, 40))
    x = random.randn(20, 3).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges.T))
    command("hops", "--edges", tmp_path / "edges.csv", "--features", tmp_path / "x.npy", "--rounds", 4, "--out", tmp_path / "hops.npz")
    theirs = np.load(tmp_path / "hops.npz")
    assert np.array_equal(theirs["increments"], farhop.hops(Graph(edges, x), rounds=4))
    assert np.array_equal(theirs["cumulative"], farhop.hops(Graph(edges, x), rounds=4, cumulative=True))


def test_encodings():
    networkx = pytest.importorskip("networkx")
    network = networkx.random_regular_graph(3, 12, seed=1)
    walks = farhop.random_walk_encoding(network, 5)
    adjacency = networkx.to_numpy_array(network) / 3
    for step in range(1, 6):
        assert np.allclose(walks[:, step - 1], np.diag(np.linalg.matrix_power(adjacency, step)), atol=1e-6)
    vectors, values = farhop.laplacian_encoding(network, 3, eigenvalues=True)
    laplacian = networkx.normalized_laplacian_matrix(network).toarray()
    assert np.allclose(laplacian @ vectors, vectors * values, atol=1e-5)
    assert np.allclose(values, np.linalg.eigvalsh(laplacian)[1:4], atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"rounds": 0}, SettingError, "rounds is 0: give 1 to 1,024"),
        ({"rounds": -3}, DataError, "rounds is -3"),
        ({"rounds": 2.0}, TypeError, "rounds is 2.0"),
        ({"coefficients": "many"}, SettingError, 'coefficients is "many"'),
        ({"coefficients": [1.0]}, DataError, "one finite number for each of the 2 rows"),
        ({"elimination": "some"}, SettingError, "one of exact, self-loop, none"),
        ({"x": np.ones((2, 2))}, DataError, "a row for each node"),
        ({"x": np.full((3, 1), np.inf)}, DataError, r"x\[0, 0\] is inf"),
        ({"self_coefficient": np.nan}, SettingError, "finite"),
        ({"n_threads": 0}, SettingError, "n_threads is 0"),
        ({"rounds": 1000, "coefficients": [1e30, 1e30]}, DataError, "leaves the range of 32-bit numbers"),
    ],
)
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        farhop.hops(Graph([[0, 1], [1, 2]]), **{"x": np.ones((3, 1)), "rounds": 2, **arguments})


def test_the_version_is_that_of_the_command(command):
    assert farhop.__version__ in command("--version")
