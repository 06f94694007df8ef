"""Anything may be handed over: the answer is a result or an exception that is meant, never a mistake inside, never the end of Python."""

import os
import resource
import warnings

import numpy as np
import pytest

import farhop
from conftest import path_graph, rings

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as arrays  # noqa: E402

MEANT = (farhop.FarhopError, ValueError, TypeError, OverflowError)
#: Calls in all, divided by the tests below. 10,000 for a long search.
CALLS = int(os.environ.get("FARHOP_FUZZ_CALLS", "1000"))

small_ints = st.integers(-3, 9)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3))
kinds = st.sampled_from(["float32", "float64", "float16", "int8", "int32", "int64", "uint64", "bool", "complex64", "U2", "object", ">f4", "datetime64[s]"])
shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)


@st.composite
def any_array(draw):
    array = np.empty(draw(shapes), dtype=draw(kinds))
    flat = draw(st.lists(st.one_of(small_ints, st.floats(width=32)), max_size=6))
    if array.dtype.kind in "fiubc" and array.size:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.resize(np.array([value for value in flat if value == value and abs(value) < 100] or [0]), array.shape).astype(array.dtype)
    else:
        array = np.zeros(array.shape, dtype=array.dtype)
    how = draw(st.integers(0, 3))
    return [array, np.asfortranarray(array), array[..., ::-1] if array.ndim else array, array.tolist()][how]


anything = st.one_of(scalars, any_array(), st.lists(scalars, max_size=3))
few_edges = arrays.arrays(np.int64, st.tuples(st.just(2), st.integers(0, 8)), elements=small_ints)
some = settings(max_examples=max(CALLS // 4, 1), deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)


def survives(call):
    """Calls, and lets only exceptions pass that are meant."""
    try:
        return call()
    except farhop.InternalError:
        raise
    except MEANT as error:
        assert str(error)
        return None


@some
@given(st.one_of(few_edges, anything), anything, anything, anything, anything)
def test_graphs_of_anything(edges, x, attributes, nodes, categories):
    more = {"edge_attr": attributes, "num_nodes": nodes if not isinstance(nodes, int) or nodes < 1000 else 7, "categories": categories}
    graph = survives(lambda: farhop.Graph(edges, x, **{name: value for name, value in more.items() if value is not None}))
    if graph is not None:
        assert graph.edge_index.shape[0] == 2 and graph._repr_html_() is not None


@some
@given(few_edges, anything, anything, anything, anything)
def test_hops_of_anything(edges, x, rounds, coefficients, elimination):
    rounds = rounds % 50 if isinstance(rounds, int) and not isinstance(rounds, bool) else rounds
    survives(lambda: farhop.hops(farhop.Graph(np.abs(edges)), x, rounds, coefficients=coefficients, elimination=elimination))


@some
@given(anything, anything, anything)
def test_settings_of_anything(name, value, model):
    survives(lambda: farhop.NodeClassifier(**{str(name): value}))
    survives(lambda: farhop.NodeClassifier(model=model, width=value).fit(GRAPH, ANSWERS[:3]))


GRAPH, ANSWERS = path_graph(12)


@settings(some, max_examples=max(CALLS // 40, 1))
@given(anything, anything, anything)
def test_answers_and_parts_of_anything(y, train, valid):
    def call():
        farhop.NodeClassifier(model="mlp", epochs=1, width=2, verbose=False).fit(GRAPH, y, train=train, valid=valid)

    survives(call)


@settings(some, max_examples=max(CALLS // 5, 1))
@given(st.lists(st.text(max_size=6), max_size=3))
def test_molecules_of_anything(texts):
    survives(lambda: farhop.molecules(texts))


def test_memory_stays_flat():
    """Fits, predictions, graphs and hops leave nothing behind."""
    graphs, y, _ = rings(6)
    graph, answers = path_graph(40)
    fits = int(os.environ.get("FARHOP_FITS", "30"))

    def round_trip():
        model = farhop.GraphClassifier(model="gcn", epochs=1, width=4, verbose=False, validation_fraction=0).fit(graphs, y)
        model.predict(graphs)
        farhop.hops(farhop.Graph(graph.edge_index, graph.x), rounds=3)
        survives(lambda: farhop.Graph([[0], [99]], graph.x))

    for _ in range(fits // 3):
        round_trip()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(fits):
        round_trip()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # In KiB on Linux; a leaked fit would be at least the weights, the graphs and a folder each time.
    assert grown < 8 * 1024, grown
