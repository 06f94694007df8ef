from typing import Any, Callable, Sequence

import numpy as np

class Buffer:
    __array_interface__: dict[str, Any]

class Graph:
    num_nodes: int
    num_edges: int
    directed: bool
    duplicates: int
    self_loops: int
    ids: list[str]
    def __init__(
        self,
        nodes: int,
        sources: np.ndarray,
        targets: np.ndarray,
        directed: bool | None,
        of_nodes: dict[str, Any],
        of_edges: dict[str, Any],
        ids: list[str],
    ) -> None: ...
    def edge_index(self) -> np.ndarray: ...
    def node_columns(self) -> tuple[np.ndarray | None, Any, np.ndarray | None, list[int]]: ...
    def edge_columns(self) -> tuple[np.ndarray | None, Any, np.ndarray | None, list[int]]: ...
    def entry_of_row(self) -> np.ndarray: ...

class Dataset:
    name: str
    level: str
    metric: str
    notes: list[str]
    ids: list[str]
    def __init__(
        self,
        name: str,
        graphs: list[Graph],
        level: str,
        target: tuple[Any, ...],
        parts: list[np.ndarray | None],
        held_out: tuple[float, int] | None,
        metric: str | None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def graphs(self) -> list[Graph]: ...
    def target(self) -> tuple[str, np.ndarray, list[str]]: ...
    def split(self) -> list[np.ndarray]: ...
    def equals(self, other: Dataset) -> bool: ...
    def with_weights(self, weights: np.ndarray) -> Dataset: ...
    def save(self, path: str) -> None: ...
    def card(self) -> str: ...

class Run:
    path: str
    def __init__(self, path: str) -> None: ...
    def record(self) -> dict[str, Any]: ...
    def recipe(self) -> dict[str, Any]: ...
    def history(self) -> list[dict[str, Any]]: ...
    def training_data(self) -> Dataset: ...
    def target(self) -> tuple[str, str, list[str]]: ...
    def outputs(self, dataset: Dataset | None, threads: int | None) -> np.ndarray: ...
    def hop_attention(self, dataset: Dataset | None, threads: int | None) -> np.ndarray: ...
    def explain(
        self,
        dataset: Dataset | None,
        asked: int | str | tuple[int, int, int],
        output: int | None,
        method: str | None,
        layer: int | None,
        threads: int | None,
    ) -> tuple[dict[str, Any], np.ndarray, list[str], np.ndarray, np.ndarray, np.ndarray, str]: ...
    def embeddings(self, dataset: Dataset | None, threads: int | None) -> np.ndarray: ...

class Kept: ...

class Layer:
    def __init__(self, given: dict[str, Any]) -> None: ...
    def sizes(self, outputs: int) -> tuple[int, int, int]: ...
    def forward(
        self,
        graph: Graph,
        x: np.ndarray,
        parameters: dict[str, Any],
        feed: tuple[Any, ...] | None,
        dropout: int | None,
        keep: bool,
        threads: int | None,
    ) -> tuple[np.ndarray, Kept | None]: ...
    def backward(
        self,
        graph: Graph,
        x: np.ndarray,
        parameters: dict[str, Any],
        feed: tuple[Any, ...] | None,
        dropout: int | None,
        kept: Kept,
        gradient: np.ndarray,
        needs_x: bool,
        threads: int | None,
    ) -> list[np.ndarray | None]: ...

def eliminate(
    graph: Graph,
    x: np.ndarray,
    edge: np.ndarray,
    node: np.ndarray,
    rounds: int,
    cumulative: bool,
    keep: bool,
    threads: int | None,
) -> tuple[np.ndarray, Kept | None]: ...
def eliminate_backward(
    graph: Graph,
    x: np.ndarray,
    edge: np.ndarray,
    node: np.ndarray,
    rounds: int,
    cumulative: bool,
    kept: Kept,
    gradient: np.ndarray,
    threads: int | None,
) -> list[np.ndarray]: ...
def train(
    dataset: Dataset,
    model: str,
    given: dict[str, Any],
    folder: str,
    overwrite: bool,
    resume: bool,
    threads: int | None,
    listener: Callable[[str, dict[str, Any]], bool],
) -> Run: ...
def command(words: Sequence[str]) -> int: ...
def load_dataset(name: str, folder: str | None, split: str, seed: int, targets: list[str], directed: bool) -> Dataset: ...
def read_tables(
    nodes: str,
    edges: str,
    targets: list[str],
    id: str | None,
    directed: bool,
    add_missing_nodes: bool,
    categories: list[str],
    ignore: list[str],
    hidden: str,
) -> Dataset: ...
def read_molecules(texts: list[str]) -> list[Graph]: ...
def hops(
    graph: Graph,
    x: np.ndarray,
    rounds: int,
    coefficients: str,
    weights: np.ndarray | None,
    elimination: str,
    own: float | None,
    threads: int | None,
) -> tuple[np.ndarray, np.ndarray]: ...
def random_walk_encoding(graph: Graph, length: int, threads: int | None) -> np.ndarray: ...
def laplacian_encoding(graph: Graph, count: int, threads: int | None) -> tuple[np.ndarray, np.ndarray]: ...
def models() -> list[dict[str, Any]]: ...
def default_recipe(model: str, many_graphs: bool) -> dict[str, Any]: ...
def place_of(model: str, name: str) -> str | None: ...
def version() -> str: ...
