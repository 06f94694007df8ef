"""Long-range graph learning on an ordinary machine: Graph Elimination Networks and the models beside them.

>>> from farhop import NodeClassifier, Graph
>>> graph = Graph(edges, x)                                         # doctest: +SKIP
>>> model = NodeClassifier(hops=4).fit(graph, y, train=mask)        # doctest: +SKIP
>>> model.predict()                                                 # doctest: +SKIP
"""

from ._data import Dataset, load_dataset, molecules, tables
from ._errors import (
    ConversionWarning,
    DataError,
    DoesNotFit,
    FarhopError,
    InternalError,
    NotFittedError,
    RunError,
    SettingError,
)
from ._estimators import GraphClassifier, GraphRegressor, LinkScorer, NodeClassifier, NodeRegressor, load
from ._explanation import Explanation
from ._farhop import version as _version
from ._functions import hops, laplacian_encoding, random_walk_encoding
from ._graphs import Graph, from_dgl, from_networkx, from_pyg, from_scipy, graph
from ._registry import models, settings
from ._studies import compare, plan, tune

__version__ = _version()

__all__ = [
    "ConversionWarning",
    "DataError",
    "Dataset",
    "DoesNotFit",
    "Explanation",
    "FarhopError",
    "Graph",
    "GraphClassifier",
    "GraphRegressor",
    "InternalError",
    "LinkScorer",
    "NodeClassifier",
    "NodeRegressor",
    "NotFittedError",
    "RunError",
    "SettingError",
    "compare",
    "from_dgl",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "graph",
    "hops",
    "laplacian_encoding",
    "load",
    "load_dataset",
    "models",
    "molecules",
    "plan",
    "random_walk_encoding",
    "settings",
    "tables",
    "tune",
]
