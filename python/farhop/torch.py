"""The layer of Graph Elimination Networks and the elimination by itself for PyTorch, on the CPU.

>>> from farhop.torch import GENConv                                 # doctest: +SKIP
>>> conv = GENConv(16, 32, hops=4)                                   # doctest: +SKIP
>>> out = conv(x, edge_index)                                        # doctest: +SKIP

Numbers of 32 bits are computed by the kernels of farhop, on the memory of the tensors where they are contiguous. Numbers of 64 bits are
computed literally, a number at a time: good for `torch.autograd.gradcheck`, and for nothing large.
"""

from __future__ import annotations

import math
import weakref
from collections import OrderedDict
from typing import Any, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from . import _farhop
from ._errors import DataError

__all__ = ["GENConv", "eliminate"]

#: Graphs that were prepared, by the memory of their edge_index; at most so many are kept.
_MOST_PREPARED = 64
_prepared: OrderedDict[Any, _Prepared] = OrderedDict()

#: What a layer can learn, in the order of the native gradients behind that of x.
_PARAMETERS = ("attention", "bias", "query", "key", "hop_bias", "value", "residual")


class _Prepared:
    """A graph of a tensor of edges: the native one, and which row each of its entries has."""

    def __init__(self, edge_index: Tensor, nodes: int) -> None:
        edges = edge_index.detach().to(torch.int64).contiguous().numpy()
        nothing: dict[str, Any] = {"numbers": None, "sparse": None, "categories": None, "sizes": []}
        sources, targets = np.ascontiguousarray(edges[0]), np.ascontiguousarray(edges[1])
        # Undirected if every edge is there both ways, which needs less memory; the same numbers come out.
        self.native = _farhop.Graph(nodes, sources, targets, None, nothing, nothing, [])
        #: The tensor as it was, to see whether it was changed in place.
        self.version = edge_index._version
        self._row_of_entry: Tensor | None = None

    @property
    def row_of_entry(self) -> Tensor:
        """Which row of `edge_index` each entry has; only those who bring something for every edge need it."""
        if self._row_of_entry is None:
            entry_of_row = self.native.entry_of_row()
            kept = np.flatnonzero(entry_of_row != np.iinfo(np.uint32).max)[::-1]
            row_of_entry: np.ndarray = np.zeros(int(entry_of_row[kept].max(initial=0)) + 1 if len(kept) else 0, dtype=np.int64)
            # Of several rows of one edge the first counts.
            row_of_entry[entry_of_row[kept]] = kept
            self._row_of_entry = torch.from_numpy(row_of_entry)
        return self._row_of_entry


def _graph(edge_index: Tensor, nodes: int) -> _Prepared:
    """The graph of `edge_index`, prepared once for the same tensor: layers and epochs share it."""
    _check_edges(edge_index)
    key = (id(edge_index), edge_index.data_ptr(), tuple(edge_index.shape), nodes)
    found = _prepared.get(key)
    if found is not None and found.version == edge_index._version:
        _prepared.move_to_end(key)
        return found
    made = _Prepared(edge_index, nodes)
    _prepared[key] = made
    # A new tensor may be at the same place once this one is gone.
    weakref.finalize(edge_index, _prepared.pop, key, None)
    while len(_prepared) > _MOST_PREPARED:
        _prepared.popitem(last=False)
    return made


def _check_edges(edge_index: Any) -> None:
    if not isinstance(edge_index, Tensor):
        raise TypeError(f"edge_index is {type(edge_index).__name__}; a tensor [2, edges] is needed.")
    if edge_index.layout != torch.strided:
        raise DataError("edge_index is a sparse tensor. Pass [2, edges] whole numbers.")
    if edge_index.device.type != "cpu":
        raise DataError(f"edge_index is on {edge_index.device}; farhop computes on the CPU. Pass edge_index.cpu().")
    whole = not (edge_index.is_floating_point() or edge_index.is_complex() or edge_index.dtype == torch.bool)
    if edge_index.dim() != 2 or edge_index.shape[0] != 2 or not whole:
        raise DataError(f"edge_index has shape {tuple(edge_index.shape)} and type {edge_index.dtype}; [2, edges] whole numbers are needed.")


def _check_tensor(tensor: Any, name: str) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is {type(tensor).__name__}; a tensor is needed.")
    if tensor.device.type != "cpu":
        raise DataError(f"{name} is on {tensor.device}; farhop computes on the CPU. Pass {name}.cpu(), or move the model with model.cpu().")
    if tensor.layout != torch.strided:
        raise DataError(f"{name} is a sparse tensor. Pass {name}.to_dense().")
    if tensor.dtype not in (torch.float32, torch.float64):
        raise DataError(f"{name} has type {tensor.dtype}; float32 is needed. Pass {name}.float().")


def _array(tensor: Tensor | None) -> Any:
    """The memory of a tensor for NumPy; a copy only where it has gaps."""
    return None if tensor is None else np.asarray(tensor.detach().contiguous().numpy())


def _tensor(array: np.ndarray | None, like: Tensor | None) -> Tensor | None:
    return None if array is None or like is None else torch.from_numpy(array).view(like.shape)


def _once(backward: Any) -> Any:
    """A backward pass that has none of its own. Who wants one is told, also where PyTorch would take its gradient for zero."""

    def checked(ctx: Any, gradient: Tensor) -> Any:
        if torch.is_grad_enabled():
            raise RuntimeError("farhop has no second derivatives. Call backward or grad without create_graph=True.")
        return backward(ctx, gradient)

    return checked


class _Gen(torch.autograd.Function):
    """The layer as one operation: `weights` are its own parameters, and behind them those of its feed-forward network, if it has one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, native: Any, graph: Any, dropout: int | None, *weights: Tensor | None) -> Tensor:
        arrays, feed = _Gen.arrays(weights)
        keep = any(ctx.needs_input_grad)
        found, kept = native.forward(graph, _array(x), arrays, feed, dropout, keep, _threads())
        ctx.save_for_backward(x, *weights)
        ctx.native, ctx.graph, ctx.dropout, ctx.kept = native, graph, dropout, kept
        return torch.from_numpy(found)

    @staticmethod
    def arrays(weights: Sequence[Tensor | None]) -> tuple[dict[str, Any], tuple[Any, ...] | None]:
        """The memory of the parameters by name, and that of the feed-forward network."""
        own, feed = weights[: len(_PARAMETERS)], weights[len(_PARAMETERS) :]
        return {name: _array(tensor) for name, tensor in zip(_PARAMETERS, own)}, tuple(map(_array, feed)) or None

    @staticmethod
    @_once
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, *parameters = ctx.saved_tensors
        arrays, feed = _Gen.arrays(parameters)
        found = ctx.native.backward(
            ctx.graph, _array(x), arrays, feed, ctx.dropout, ctx.kept, _array(gradient), ctx.needs_input_grad[0], _threads()
        )
        of_x, of_parameters = found[0], list(found[1:])
        bias = parameters[_PARAMETERS.index("bias")]
        if bias is not None:
            # One bias for all rounds.
            of_bias = of_parameters[1]
            of_parameters[1] = of_bias.reshape(-1, bias.numel()).sum(0) if bias.numel() else of_bias
        return _tensor(of_x, x), None, None, None, *(_tensor(one, tensor) for one, tensor in zip(of_parameters, parameters))


def _threads() -> int:
    return torch.get_num_threads()


def _uncompiled(function: Any) -> Any:
    """The kernels are not traced: a compiled model calls them as they are. PyTorch 1 has no compiler."""
    compiler: Any = getattr(torch, "compiler", None) or getattr(torch, "_dynamo", None)
    return compiler.disable(function) if hasattr(compiler, "disable") else function


class GENConv(nn.Module):
    """The layer of Graph Elimination Networks (NeurIPS 2025), exact elimination: each node attends to nodes up to `hops` away, each hop kept
    apart from the others.

    in_channels, out_channels: width of the features; in_channels may be -1 to be told by the first call.
    hops: rounds of elimination K: how far a node sees in one layer.
    heads: heads of edge and hop attention; both widths are multiples of it.
    edge_dim: width of `edge_attr`, if there is one: a learned number per edge and head, added to the scores of edge attention.
    dropout: probability of dropping an attention coefficient, in training mode.
    feed_forward: whether the feed-forward network of the paper is part of the layer.
    **settings: further settings of a GEN: coefficients ("attention-per-round", "attention-per-layer", "gcn", "ones"), elimination ("exact",
        "self-loop", "none"), hop_attention, hop_bias, hop_reading ("cumulative", "increment"), hop_zero, own_term, gamma, epsilon,
        attention_slope, recompute, gather_bits. Unlike in farhop's own models, `hop_bias` is off unless asked for, as in the paper.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        hops: int = 4,
        heads: int = 1,
        *,
        edge_dim: int | None = None,
        dropout: float = 0.0,
        feed_forward: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__()
        for name, value in (("in_channels", in_channels), ("out_channels", out_channels), ("hops", hops), ("heads", heads)):
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name} is {value!r}; a whole number is needed.")
        settings.setdefault("hop_bias", False)
        self.settings = {**settings, "hops": hops, "heads": heads, "attention_dropout": dropout}
        for name in ("project_first", "feed_forward", "edge_features"):
            if name in settings:
                raise TypeError(f"GENConv() has no setting {name!r}")
        self.in_channels, self.out_channels, self.edge_dim = in_channels, out_channels, edge_dim
        self.hops, self.heads, self.dropout = hops, heads, dropout
        self._native = _farhop.Layer(self.settings)
        if out_channels < 1 or out_channels % heads:
            raise DataError(f"out_channels is {out_channels}; a multiple of heads = {heads} is needed.")
        for name in ("attention", "query", "key", "hop_bias", "value", "residual"):
            empty: Any = nn.parameter.UninitializedParameter() if self._has(name) else None
            self.register_parameter(name, empty)
        self.edge = None if edge_dim is None else nn.Linear(edge_dim, heads, bias=False)
        self.feed = nn.Sequential(nn.Linear(out_channels, out_channels), nn.ReLU(), nn.Linear(out_channels, out_channels)) if feed_forward else None
        if in_channels >= 0:
            self._initialise(in_channels)
        self.reset_parameters()

    def _has(self, name: str) -> bool:
        sets, _, _ = self._native.sizes(self.out_channels)
        attends_to_hops = self.settings.get("hop_attention", True)
        return {
            "attention": sets > 0,
            "query": attends_to_hops,
            "key": attends_to_hops,
            "hop_bias": attends_to_hops and self.settings["hop_bias"],
            "value": True,
            "residual": self.settings.get("own_term", True),
        }[name]

    def _initialise(self, channels: int) -> None:
        if channels < 1 or channels % self.heads:
            raise DataError(f"x has {channels} channels; a multiple of heads = {self.heads} is needed.")
        self.in_channels = channels
        sets, key, hops = self._native.sizes(self.out_channels)
        shapes = {
            "attention": (sets, 2 * channels),
            "query": (channels, self.heads * key),
            "key": (channels, key),
            "hop_bias": (self.heads, hops),
            "value": (channels, self.out_channels),
            "residual": (channels, self.out_channels),
        }
        for name, shape in shapes.items():
            parameter = getattr(self, name)
            if isinstance(parameter, nn.parameter.UninitializedParameter):
                parameter.materialize(shape)

    def reset_parameters(self) -> None:
        """New weights: Glorot, biases of hops and weights of edge features zero."""
        parameter: Any
        for name in ("attention", "query", "key", "value", "residual"):
            parameter = getattr(self, name)
            if parameter is not None and not isinstance(parameter, nn.parameter.UninitializedParameter):
                limit = math.sqrt(6 / (parameter.shape[0] + parameter.shape[1]))
                nn.init.uniform_(parameter, -limit, limit)
        parameter = self.hop_bias
        if parameter is not None and not isinstance(parameter, nn.parameter.UninitializedParameter):
            nn.init.zeros_(parameter)
        if self.edge is not None:
            nn.init.zeros_(self.edge.weight)
        if self.feed is not None:
            layer: Any
            for layer in (self.feed[0], self.feed[2]):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    @_uncompiled
    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor | None = None) -> Tensor:
        """`[N, in_channels]` to `[N, out_channels]`.

        edge_index: `[2, E]`, from row 0 to row 1, as in PyG; an undirected graph has both directions. Loops are left out: a node has a
            term of its own. The graph is prepared once for the same tensor.
        edge_attr: `[E, edge_dim]`.
        """
        _check_tensor(x, "x")
        if x.dim() != 2:
            raise DataError(f"x has shape {tuple(x.shape)}; [nodes, channels] is needed.")
        if isinstance(self.value, nn.parameter.UninitializedParameter):
            self._initialise(x.shape[1])
            self.reset_parameters()
        if x.shape[1] != self.in_channels:
            raise DataError(f"x has {x.shape[1]} channels, the layer was made for {self.in_channels}.")
        if x.dtype != self.value.dtype:
            raise DataError(f"x has type {x.dtype} and the weights {self.value.dtype}. Pass x.to({self.value.dtype}), or layer.to(x.dtype).")
        graph = _graph(edge_index, x.shape[0])
        bias = self._bias(edge_attr, edge_index, graph)
        dropout = None
        if self.training and self.dropout > 0:
            # Drawn by PyTorch, so that torch.manual_seed decides.
            dropout = int(torch.randint(2**63 - 1, (1,)).item())
        parameters = [bias if name == "bias" else getattr(self, name) for name in _PARAMETERS]
        if self.feed is None:
            return _Gen.apply(x, self._native, graph.native, dropout, *parameters)
        if x.dtype != torch.float32:
            found = _Gen.apply(x, self._native, graph.native, dropout, *parameters)
            return found + self.feed(found)
        first: Any = self.feed[0]
        second: Any = self.feed[2]
        feed = (first.weight.t().contiguous(), first.bias, second.weight.t().contiguous(), second.bias)
        return _Gen.apply(x, self._native, graph.native, dropout, *parameters, *feed)

    def _bias(self, edge_attr: Tensor | None, edge_index: Tensor, graph: _Prepared) -> Tensor | None:
        if self.edge is None or self.attention is None:
            if edge_attr is not None and self.edge is None:
                raise DataError("edge_attr is given, but the layer has no edge_dim. Make it with edge_dim = edge_attr.shape[1].")
            return None
        if edge_attr is None:
            raise DataError(f"edge_attr is missing; [{edge_index.shape[1]}, {self.edge_dim}] is needed.")
        _check_tensor(edge_attr, "edge_attr")
        if tuple(edge_attr.shape) != (edge_index.shape[1], self.edge_dim):
            raise DataError(f"edge_attr has shape {tuple(edge_attr.shape)}; [{edge_index.shape[1]}, {self.edge_dim}] is needed.")
        return self.edge(edge_attr).index_select(0, graph.row_of_entry)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_native", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._native = _farhop.Layer(self.settings)

    def extra_repr(self) -> str:
        """As PyTorch prints it."""
        return f"{self.in_channels}, {self.out_channels}, hops={self.hops}, heads={self.heads}"


class _Eliminate(torch.autograd.Function):
    """Rounds of elimination as one operation."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, edge: Tensor, own: Tensor, graph: Any, rounds: int, cumulative: bool) -> Tensor:
        keep = any(ctx.needs_input_grad)
        found, kept = _farhop.eliminate(graph, _array(x), _array(edge), _array(own), rounds, cumulative, keep, _threads())
        ctx.save_for_backward(x, edge, own)
        ctx.rest = graph, rounds, cumulative, kept
        return torch.from_numpy(found)

    @staticmethod
    @_once
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, edge, own = ctx.saved_tensors
        graph, rounds, cumulative, kept = ctx.rest
        found = _farhop.eliminate_backward(
            graph, _array(x), _array(edge), _array(own), rounds, cumulative, kept, _array(gradient), _threads()
        )
        return *(_tensor(one, tensor) for one, tensor in zip(found, (x, edge, own))), None, None, None


@_uncompiled
def eliminate(
    x: Tensor,
    edge_index: Tensor,
    coefficients: Tensor | None = None,
    rounds: int = 4,
    *,
    own: Tensor | None = None,
    cumulative: bool = False,
) -> Tensor:
    """The exact elimination by itself, `[rounds, N, F]`: row k - 1 is what round k adds, or with `cumulative` the state after it. Gradients
    go through all of it.

    coefficients: a number for each edge, `[E]`, or for each round and edge, `[rounds, E]`. Default: ones.
    own: what a node keeps of itself, `[N]` or `[rounds, N]`. Default: ones.
    """
    _check_tensor(x, "x")
    if x.dim() != 2:
        raise DataError(f"x has shape {tuple(x.shape)}; [nodes, channels] is needed.")
    graph = _graph(edge_index, x.shape[0])
    edges = edge_index.shape[1]
    if coefficients is None:
        coefficients = x.new_ones(edges)
    _check_tensor(coefficients, "coefficients")
    if coefficients.shape[-1] != edges or coefficients.dim() > 2 or (coefficients.dim() == 2 and len(coefficients) != rounds):
        raise DataError(f"coefficients has shape {tuple(coefficients.shape)}; [{edges}] or [{rounds}, {edges}] is needed.")
    sets = (len(coefficients),) if coefficients.dim() == 2 else ()
    if own is None:
        own = x.new_ones((*sets, x.shape[0]))
    _check_tensor(own, "own")
    if own.dim() == 1 and sets:
        own = own.expand(rounds, -1)
    if own.dim() == 2 and not sets:
        coefficients = coefficients.expand(rounds, -1)
    coefficients, own = coefficients.to(x.dtype), own.to(x.dtype)
    return _Eliminate.apply(x, coefficients.index_select(-1, graph.row_of_entry), own, graph.native, rounds, cumulative)
