"""`Graph`: a checked graph with features, from whatever holds one."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence

import numpy as np

from . import _arrays as arrays
from . import _farhop
from ._errors import DataError

_NOTHING: dict[str, Any] = {"numbers": None, "sparse": None, "categories": None, "sizes": []}


class Graph:
    """A checked graph: edges, features of nodes and edges, and what else is known of it.

    edges: `[2, E]` whole numbers, sources and targets; or `[E, 2]`; or a list of pairs.
    x: `[N, F]` numbers of nodes, dense or a SciPy matrix.
    num_nodes: how many nodes there are, where `x` does not say it. Default: the largest number in `edges` and one more.
    directed: whether edges keep their direction. Default False: an edge goes both ways, however often it is listed.
    edge_attr: `[E, D]` numbers of edges, a row for each column of `edges`.
    categories: `[N, C]` whole numbers from 0, each column learned as an embedding; `edge_categories` the same of edges.
    ids: a name for each node.
    y, train, valid, test: answers and parts, used by `fit` where it is not given others.

    The edges are sorted into a structure of their own and the features are copied once (and turned into 32-bit numbers); `x` gives a view
    of that copy.
    """

    def __init__(
        self,
        edges: Any,
        x: Any = None,
        *,
        num_nodes: int | None = None,
        directed: bool = False,
        edge_attr: Any = None,
        categories: Any = None,
        edge_categories: Any = None,
        ids: Sequence[str] | None = None,
        y: Any = None,
        train: Any = None,
        valid: Any = None,
        test: Any = None,
    ) -> None:
        sources, targets = _ends(edges)
        features, rows = _columns(x, categories, "x")
        of_edges, _ = _columns(edge_attr, edge_categories, "edge_attr")
        largest = int(max(sources.max(initial=-1), targets.max(initial=-1))) + 1
        nodes = _count(num_nodes, rows, largest, ids)
        names = [] if ids is None else [str(name) for name in ids]
        if len(set(names)) < len(names):
            seen: set[str] = set()
            twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise DataError(f"ids has {twice!r} twice. Give every node a name of its own.")
        self._native = _farhop.Graph(nodes, sources, targets, bool(directed), features, of_edges, names)
        self.y, self.train, self.valid, self.test = y, train, valid, test

    @classmethod
    def _of(cls, native: Any) -> Graph:
        graph = cls.__new__(cls)
        graph._native = native
        graph.y = graph.train = graph.valid = graph.test = None
        return graph

    @property
    def num_nodes(self) -> int:
        """Nodes."""
        return self._native.num_nodes

    @property
    def num_edges(self) -> int:
        """Edges; an undirected one counts once."""
        return self._native.num_edges

    @property
    def directed(self) -> bool:
        """Whether edges keep their direction."""
        return self._native.directed

    @property
    def ids(self) -> list[str]:
        """The names of the nodes; empty where they are called by their numbers."""
        return self._native.ids

    @property
    def edge_index(self) -> np.ndarray:
        """`[2, E]` sources and targets, both directions of undirected edges, by target and then source; without self-loops and repeats."""
        return self._native.edge_index()

    @property
    def x(self) -> np.ndarray | None:
        """The numbers of nodes, `[N, F]`, to be read; None where there are none. Sparse ones are written out."""
        numbers, sparse, _, _ = self._native.node_columns()
        if sparse is not None:
            offsets, indices, values, width = sparse
            numbers = np.zeros((self.num_nodes, width), dtype=np.float32)
            np.add.at(numbers, (np.repeat(np.arange(self.num_nodes), np.diff(offsets)), indices), values)
        return numbers

    @property
    def categories(self) -> np.ndarray | None:
        """The categories of nodes, `[N, C]`."""
        return self._native.node_columns()[2]

    @property
    def edge_attr(self) -> np.ndarray | None:
        """The numbers of edges in the order of `edge_index`."""
        return self._native.edge_columns()[0]

    @property
    def edge_categories(self) -> np.ndarray | None:
        """The categories of edges in the order of `edge_index`."""
        return self._native.edge_columns()[2]

    def __reduce__(self) -> tuple[Any, ...]:
        numbers, sparse, categories, sizes = self._native.node_columns()
        edges, _, edge_categories, edge_sizes = self._native.edge_columns()
        copied = None if numbers is None else np.array(numbers)
        of_nodes = {"numbers": copied, "sparse": sparse, "categories": categories, "sizes": sizes}
        copied = None if edges is None else np.array(edges)
        of_edges = {"numbers": copied, "sparse": None, "categories": edge_categories, "sizes": edge_sizes}
        native = (self.num_nodes, np.array(self.edge_index), self.directed, of_nodes, of_edges, self.ids)
        return _restored, (native, (self.y, self.train, self.valid, self.test))

    def __repr__(self) -> str:
        x, categories = self.x, self.categories
        parts = [f"{self.num_nodes:,} nodes", f"{self.num_edges:,} {'directed ' if self.directed else ''}edges"]
        if x is not None:
            parts.append(f"{x.shape[1]:,} features")
        if categories is not None:
            parts.append(f"{categories.shape[1]:,} categories")
        return f"Graph({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return card_html(dataset_of([self], "node", ("classes", np.full(self.num_nodes, -1), []), name="graph"))


def card_html(dataset: Any) -> str:
    """A data card for notebooks."""
    return f"<pre style='line-height:1.3'>{html.escape(dataset.card())}</pre>"


def _restored(native: tuple[Any, ...], given: tuple[Any, ...]) -> Graph:
    nodes, edges, directed, of_nodes, of_edges, ids = native
    graph = Graph._of(_farhop.Graph(nodes, edges[0].copy(), edges[1].copy(), directed, of_nodes, of_edges, ids))
    graph.y, graph.train, graph.valid, graph.test = given
    return graph


def dataset_of(
    graphs: Sequence[Graph],
    level: str,
    target: tuple[Any, ...],
    *,
    parts: Sequence[Any] = (None, None, None),
    held_out: tuple[float, int] | None = None,
    metric: str | None = None,
    name: str = "data",
) -> Any:
    """The native dataset of graphs."""
    return _farhop.Dataset(name, [graph._native for graph in graphs], level, target, list(parts), held_out, metric)


def _ends(edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of `[2, E]`, `[E, 2]` or pairs."""
    if isinstance(edges, (tuple, list)) and len(edges) == 0:
        edges = np.zeros((2, 0), dtype=np.int64)
    if isinstance(edges, tuple) and len(edges) == 2 and hasattr(edges[0], "__len__") and len(edges[0]) != 2:
        edges = np.stack([arrays.plain(edges[0], "edges"), arrays.plain(edges[1], "edges")])
    found = arrays.integers(edges, "edges")
    if found.ndim != 2 or 2 not in found.shape:
        raise DataError(f"edges has shape {found.shape}; [2, edges] is needed: a row of sources and one of targets.")
    if found.shape[0] != 2:
        found = found.T
    return np.ascontiguousarray(found[0]), np.ascontiguousarray(found[1])


def _columns(numbers: Any, categories: Any, argument: str) -> tuple[dict[str, Any], int | None]:
    """Features as the native half takes them, and how many rows they have."""
    found = dict(_NOTHING)
    rows = None
    if numbers is not None:
        if is_sparse(numbers):
            matrix = numbers.tocsr()
            offsets, indices = arrays.integers(matrix.indptr, argument), arrays.integers(matrix.indices, argument)
            found["sparse"] = (offsets, indices, arrays.floats(matrix.data, argument, 1), int(matrix.shape[1]))
            rows = int(matrix.shape[0])
        else:
            found["numbers"] = arrays.floats(numbers, argument)
            rows = len(found["numbers"])
    if categories is not None:
        name = "categories" if argument == "x" else "edge_categories"
        table = arrays.integers(categories, name)
        if table.ndim != 2:
            raise DataError(f"{name} has shape {table.shape}; two axes are needed.")
        if table.size and (table.min() < 0 or table.max() > 65_535):
            raise DataError(f"{name} has {int(table.min())} to {int(table.max())}; 0 to 65,535 are allowed.")
        if rows is not None and len(table) != rows:
            raise DataError(f"{name} has {len(table):,} rows and {argument} has {rows:,}. Give the same number of both.")
        rows = len(table)
        found["categories"] = np.ascontiguousarray(table, dtype=np.uint16)
        found["sizes"] = [int(column.max(initial=0)) + 1 for column in table.T]
    return found, rows


def _count(num_nodes: int | None, rows: int | None, largest: int, ids: Any) -> int:
    if num_nodes is not None:
        if isinstance(num_nodes, bool) or not hasattr(num_nodes, "__index__"):
            raise TypeError(f"num_nodes is {num_nodes!r}; a whole number is needed.")
        count = int(num_nodes)
        if count < 0:
            raise DataError(f"num_nodes is {count}; it can't be below 0.")
        return count
    if rows is not None:
        return rows
    return max(largest, 0 if ids is None else len(ids))


def is_sparse(value: Any) -> bool:
    """Whether it looks like a matrix of SciPy."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz") and hasattr(value, "shape")


def graph(value: Any, **more: Any) -> Graph:
    """A graph from anything that holds one: a `Graph`, edges as an array, a SciPy adjacency matrix, a networkx graph, a `Data` of PyTorch
    Geometric, a graph of DGL. What it is, is told by its looks; none of these libraries is imported."""
    if isinstance(value, Graph):
        return value
    if is_sparse(value):
        return from_scipy(value, **more)
    if hasattr(value, "edge_index") and (hasattr(value, "num_nodes") or hasattr(value, "x")):
        return from_pyg(value, **more)
    if hasattr(value, "adj") and hasattr(value, "nodes") and hasattr(value, "is_directed"):
        return from_networkx(value, **more)
    if hasattr(value, "ndata") and hasattr(value, "edges"):
        return from_dgl(value, **more)
    if isinstance(value, (np.ndarray, list, tuple)) or arrays.is_tensor(value):
        return Graph(value, **more)
    raise TypeError(
        f"a graph can't be made of {arrays.kind_of(value)}. Give a farhop.Graph, an edge_index array, a SciPy matrix, a networkx graph or a "
        "Data of PyTorch Geometric."
    )


def from_scipy(matrix: Any, x: Any = None, *, directed: bool = False, weights: bool = False, **more: Any) -> Graph:
    """A graph from an adjacency matrix of SciPy in any format. The entry of row i and column j is an edge from i to j; with `weights`,
    its value is a feature of the edge."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"the adjacency matrix has shape {tuple(matrix.shape)}; as many columns as rows are needed.")
    entries = matrix.tocoo()
    edges = np.stack([np.asarray(entries.row, dtype=np.int64), np.asarray(entries.col, dtype=np.int64)])
    attributes = np.asarray(entries.data).reshape(-1, 1) if weights else None
    return Graph(edges, x, num_nodes=int(matrix.shape[0]), directed=directed, edge_attr=attributes, **more)


def from_networkx(network: Any, x: Any = None, *, features: Iterable[str] | None = None, target: str | None = None, **more: Any) -> Graph:
    """A graph from networkx. Attributes of nodes that are numbers on every node become features in the order of their names (or those in
    `features`), those of edges the same; `target` is an attribute that becomes `y`. Names of nodes become ids."""
    names = list(network.nodes)
    place = {name: number for number, name in enumerate(names)}
    if network.is_multigraph():
        links = [(a, b, data) for a, b, _, data in network.edges(keys=True, data=True)]
    else:
        links = list(network.edges(data=True))
    edges = np.array([[place[a] for a, _, _ in links], [place[b] for _, b, _ in links]], dtype=np.int64).reshape(2, -1)
    known = [network.nodes[name] for name in names]
    if x is None:
        x = _numbers_of(known, features, {target} if target else set(), "features")
    attributes = _numbers_of([data for _, _, data in links], None, set(), "edge features")
    made = Graph(
        edges, x, num_nodes=len(names), directed=bool(network.is_directed()), edge_attr=attributes,
        ids=[str(name) for name in names], **more,
    )
    if target is not None:
        if any(target not in one for one in known):
            raise DataError(f"not every node has the attribute {target!r}.")
        made.y = np.array([one[target] for one in known])
    return made


def _numbers_of(items: Sequence[Any], wanted: Iterable[str] | None, without: set[str], what: str) -> np.ndarray | None:
    """Attributes that are numbers everywhere, as columns; lists of numbers are several columns."""
    if not items:
        return None
    if wanted is None:
        wanted = sorted(str(key) for key in items[0] if key not in without)
        wanted = [key for key in wanted if all(key in one and _is_numeric(one[key]) for one in items)]
    columns = []
    for key in wanted:
        missing = next((number for number, one in enumerate(items) if key not in one), None)
        if missing is not None:
            raise DataError(f"{what}: number {missing} has no attribute {key!r}.")
        columns.append(np.array([np.ravel(one[key]) for one in items], dtype=np.float64).reshape(len(items), -1))
    return np.concatenate(columns, 1).astype(np.float32) if columns else None


def _is_numeric(value: Any) -> bool:
    if isinstance(value, (bool, int, float, np.number)):
        return True
    return isinstance(value, (list, tuple, np.ndarray)) and np.asarray(value).dtype.kind in "fiub"


def from_pyg(data: Any, **more: Any) -> Graph:
    """A graph from a `Data` of PyTorch Geometric: `x`, `edge_index`, `edge_attr`, `y` and the masks. Whole numbers in `x` (as molecules
    have) are categories, anything else numbers."""
    if hasattr(data, "edge_types") or hasattr(data, "node_types"):
        raise DataError("HeteroData has several kinds of nodes, which farhop does not learn from. Pass data.to_homogeneous().")
    if data.edge_index is None:
        raise DataError("the Data has no edge_index. Set it: [2, edges].")
    given: dict[str, Any] = {}
    for name, numbers, categories in (("x", "x", "categories"), ("edge_attr", "edge_attr", "edge_categories")):
        value = getattr(data, name, None)
        if value is None:
            continue
        found = arrays.plain(value, name)
        found = found.reshape(-1, 1) if found.ndim == 1 else found
        given[categories if found.dtype.kind in "iu" else numbers] = found
    for mine, theirs in (("y", "y"), ("train", "train_mask"), ("valid", "val_mask"), ("test", "test_mask")):
        value = getattr(data, theirs, None)
        if value is not None:
            given[mine] = arrays.plain(value, theirs)
    nodes = getattr(data, "num_nodes", None)
    given.update(more)
    return Graph(data.edge_index, num_nodes=None if nodes is None else int(nodes), **given)


def from_dgl(network: Any, x: Any = None, **more: Any) -> Graph:
    """A graph from DGL: the feature `feat` (or `x`), `label` and the masks of its nodes, and `feat` of its edges. Whole numbers in features (as
    molecules have) are categories, anything else numbers."""
    if len(getattr(network, "ntypes", ())) > 1 or len(getattr(network, "etypes", ())) > 1:
        raise DataError("the graph of DGL has several kinds of nodes or edges, which farhop does not learn from. Pass dgl.to_homogeneous(graph).")
    sources, targets = network.edges()[:2]
    of_nodes, of_edges = network.ndata, getattr(network, "edata", {})
    found = next((of_nodes[name] for name in ("feat", "x") if name in of_nodes), None)
    attributes = of_edges["feat"] if "feat" in of_edges else None
    for value, numbers, categories in ((found, "x", "categories"), (attributes, "edge_attr", "edge_categories")):
        if value is None or numbers in more or categories in more or (numbers == "x" and x is not None):
            continue
        value = arrays.plain(value, numbers)
        value = value.reshape(-1, 1) if value.ndim == 1 else value
        more[categories if value.dtype.kind in "iu" else numbers] = value
    x = more.pop("x", x)
    for mine, theirs in (("y", "label"), ("train", "train_mask"), ("valid", "val_mask"), ("test", "test_mask")):
        if theirs in of_nodes and mine not in more:
            more[mine] = arrays.plain(of_nodes[theirs], theirs)
    edges = np.stack([arrays.integers(sources, "edges"), arrays.integers(targets, "edges")])
    return Graph(edges, x, num_nodes=int(network.num_nodes()), **more)
