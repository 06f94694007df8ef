"""Baselines of the literature in PyTorch Geometric, with the layers, norms and numbers of parameters that `farhop bench` has.

PyG's own classes wherever it has them, each in the fastest form that they have on a CPU: a CSR matrix where a layer is a product with one,
made once; edges otherwise. Where a layer is written here (GatedGCN with states of edges, which PyG does not have), sums over edges are
the fastest of the ways in gen.py.
"""
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import APPNP, GATConv, GCNConv, GINConv, GINEConv, GPSConv, MixHopConv, SAGEConv
from torch_geometric.nn.attention import PolynormerAttention, SGFormerAttention
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import spmm

import gen

DROPOUT = 0.5
POWERS = [0, 1, 2]
STEPS, ALPHA = 10, 0.1
GPS_HEADS, POLYNORMER_HEADS = 4, 8


def matrix(edge_index, values, nodes):
    """Entries (source, target) with their values as a CSR matrix with a row for every target."""
    order = torch.argsort(edge_index[1] * nodes + edge_index[0])
    source, target, values = edge_index[0][order], edge_index[1][order], values[order]
    starts = torch.zeros(nodes + 1, dtype=torch.long)
    starts[1:] = torch.bincount(target, minlength=nodes).cumsum(0)
    return torch.sparse_csr_tensor(starts, source.contiguous(), values, (nodes, nodes))


def normalised(edge_index, nodes):
    """The normalised adjacency of GCN with its loops."""
    return matrix(*gcn_norm(edge_index, None, nodes, False, True, dtype=torch.float32), nodes)


def means(edge_index, nodes):
    """Rows that take the mean of neighbours."""
    degree = torch.bincount(edge_index[1], minlength=nodes).clamp(min=1).float()
    return matrix(edge_index, 1 / degree[edge_index[1]], nodes)


def perceptron(inputs, outputs, norm=True):
    return nn.Sequential(nn.Linear(inputs, outputs), *([nn.BatchNorm1d(outputs)] if norm else []), nn.ReLU(),
                         nn.Linear(outputs, outputs))


class Head(nn.Module):
    """The mean over the nodes of a graph, where answers are about graphs, and a linear map."""

    def __init__(self, width, outputs, batch):
        super().__init__()
        self.batch, self.linear = batch, nn.Linear(width, outputs)
        self.sizes = None if batch is None else torch.bincount(batch).clamp(min=1).unsqueeze(1)

    def forward(self, x):
        if self.batch is not None:
            x = x.new_zeros(len(self.sizes), x.size(1)).index_add_(0, self.batch, x) / self.sizes
        return self.linear(x)


class Stack(nn.Module):
    """(layer -> batch norm -> ReLU -> dropout) x layers -> head of the last state, or of all side by side."""

    def __init__(self, layers, graph, width, outputs, batch, jumps=False, edges=None):
        super().__init__()
        self.layers, self.graph, self.jumps, self.edges = nn.ModuleList(layers), graph, jumps, edges
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in layers)
        self.head = Head(width * (len(layers) if jumps else 1), outputs, batch)

    def forward(self, x):
        states = []
        for layer, norm in zip(self.layers, self.norms):
            more = [] if self.edges is None else [self.edges]
            x = F.dropout(F.relu(norm(layer(x, self.graph, *more))), DROPOUT, self.training)
            states.append(x)
        return self.head(torch.cat(states, 1) if self.jumps else x)


class MixHop(MixHopConv):
    """With an adjacency that is normalised already."""

    def forward(self, x, adjacency):
        parts = [self.lins[0](x)]
        for linear in self.lins[1:]:
            x = spmm(adjacency, x, reduce="sum")
            parts.append(linear(x))
        return torch.cat(parts, -1) + self.bias


class Appnp(nn.Module):
    def __init__(self, widths, outputs, graph):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths, widths[1:]))
        self.norms = nn.ModuleList(nn.BatchNorm1d(o) for o in widths[1:])
        self.head, self.steps, self.graph = nn.Linear(widths[-1], outputs), APPNP(STEPS, ALPHA, normalize=False), graph

    def forward(self, x):
        x = F.dropout(x, DROPOUT, self.training)
        for layer, norm in zip(self.layers, self.norms):
            x = F.dropout(F.relu(norm(layer(x))), DROPOUT, self.training)
        return self.steps(self.head(x), self.graph)


class Sgformer(nn.Module):
    """One layer of PyG's attention beside convolutions on a CSR matrix."""

    def __init__(self, widths, outputs, graph):
        super().__init__()
        inputs, width = widths[0], widths[-1]
        self.graph = graph
        self.input, self.input_norm = nn.Linear(inputs, width), nn.LayerNorm(width)
        self.attention, self.attention_norm = SGFormerAttention(width, 1, width, qkv_bias=True), nn.LayerNorm(width)
        self.graph_input, self.graph_norm = nn.Linear(inputs, width), nn.BatchNorm1d(width)
        self.convolutions = nn.ModuleList(GCNConv(width, width, normalize=False) for _ in widths[1:])
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in widths[1:])
        self.head = nn.Linear(width, outputs)

    def forward(self, x):
        drop = lambda z: F.dropout(z, DROPOUT, self.training)
        z = drop(F.relu(self.input_norm(self.input(x))))
        z = drop(self.attention_norm(self.attention(z.unsqueeze(0)).squeeze(0)))
        first = g = drop(F.relu(self.graph_norm(self.graph_input(x))))
        for convolution, norm in zip(self.convolutions, self.norms):
            g = drop(F.relu(norm(convolution(g, self.graph)))) + first
        return self.head(0.5 * g + 0.5 * z)


class Polynormer(nn.Module):
    """Local layers with PyG's graph attention, then two of its global ones, whose last map is shared."""

    def __init__(self, widths, outputs, graph):
        super().__init__()
        width = widths[-1]
        self.graph = graph
        pairs = list(zip(widths, widths[1:]))
        self.hidden = nn.ModuleList(nn.Linear(i, o) for i, o in pairs)
        self.own = nn.ModuleList(nn.Linear(i, o) for i, o in pairs)
        self.gather = nn.ModuleList(GATConv(i, o // POLYNORMER_HEADS, POLYNORMER_HEADS, bias=False) for i, o in pairs)
        self.block = nn.ModuleList(nn.BatchNorm1d(o) for _, o in pairs)
        self.norm = nn.ModuleList(nn.LayerNorm(o) for _, o in pairs)
        self.beta = nn.ParameterList(torch.full((o,), 0.5) for _, o in pairs)
        self.before = nn.LayerNorm(width)
        self.all = nn.ModuleList(PolynormerAttention(width, POLYNORMER_HEADS, width // POLYNORMER_HEADS, qkv_bias=True,
                                                     qk_shared=True, dropout=DROPOUT) for _ in range(2))
        for layer in self.all:
            layer.lin_out = self.all[0].lin_out
            layer.beta = nn.Parameter(torch.full((width,), 0.5))
        self.head = nn.Linear(width, outputs)

    def forward(self, x):
        x = F.dropout(x, 0.15, self.training)
        total = 0
        for hidden, own, gather, block, norm, beta in zip(self.hidden, self.own, self.gather, self.block, self.norm, self.beta):
            h = F.relu(hidden(x))
            y = F.dropout(F.relu(block(gather(x, self.graph) + own(x))), DROPOUT, self.training)
            x = (1 - beta) * norm(h * y) + beta * y
            total = total + x
        t = self.before(total).unsqueeze(0)
        for layer in self.all:
            t = layer(t)
        return self.head(t.squeeze(0))


class GatedLayer(nn.Module):
    """Bresson and Laurent's layer with states of edges: gates are sigmoids of the new states, and divided by their sum."""

    def __init__(self, inputs, of_edges, width, last):
        super().__init__()
        self.a, self.b, self.d, self.e = (nn.Linear(inputs, width) for _ in range(4))
        self.c = nn.Linear(of_edges, width) if of_edges else None
        self.norm = nn.BatchNorm1d(width)
        self.edge_norm = None if last else nn.BatchNorm1d(width)

    def forward(self, x, edges, states):
        new = gen.Gather.apply(self.d(x), edges.target) + gen.Gather.apply(self.e(x), edges.source)
        if self.c is not None:
            new = new + self.c(states)
        gates = torch.sigmoid(new)
        total = gen.Sum.apply(gates, edges.target) + 1e-6
        x = self.a(x) + gen.Sum.apply(gates * gen.Gather.apply(self.b(x), edges.source), edges.target) / total
        finish = lambda z, norm: F.dropout(F.relu(norm(z)), DROPOUT, self.training)
        return finish(x, self.norm), None if self.edge_norm is None else finish(new, self.edge_norm)


class Gated(nn.Module):
    def __init__(self, widths, of_edges, outputs, edges, states, batch):
        super().__init__()
        layers = len(widths) - 1
        from_edges = [of_edges] + [widths[-1]] * (layers - 1)
        self.layers = nn.ModuleList(GatedLayer(i, e, o, at + 1 == layers)
                                    for at, (i, e, o) in enumerate(zip(widths, from_edges, widths[1:])))
        self.edges, self.states, self.head = edges, states, Head(widths[-1], outputs, batch)
        self.way = edges.use_fastest(widths[-1])

    def forward(self, x):
        states = self.states
        for layer in self.layers:
            x, states = layer(x, self.edges, states)
        return self.head(x)


class Gps(nn.Module):
    def __init__(self, widths, of_edges, outputs, edge_index, states, batch, answers):
        super().__init__()
        width = widths[-1]
        self.encoder, self.of_edges = nn.Linear(widths[0], width), nn.Linear(of_edges, width)
        self.layers = nn.ModuleList(
            GPSConv(width, GINEConv(perceptron(width, width, norm=False)), GPS_HEADS, DROPOUT, attn_kwargs={"dropout": DROPOUT})
            for _ in widths[1:])
        self.edge_index, self.states, self.batch, self.head = edge_index, states, batch, Head(width, outputs, answers)

    def forward(self, x):
        x, e = self.encoder(x), self.of_edges(self.states)
        for layer in self.layers:
            x = layer(x, self.edge_index, self.batch, edge_attr=e)
        return self.head(x)


KINDS = ("graphsage-csr", "gat-edges", "gin-csr", "gine-edges", "gatedgcn-edges", "mixhop-csr", "appnp-csr", "jknet-csr", "sgformer-csr",
         "polynormer-edges", "gps-edges")


def build(asked, x, edge_index, outputs, batch, answers):
    """The model of a name in KINDS. `batch` is the graph of each node if there are many, `answers` the same if answers are about graphs."""
    nodes, inputs = x.shape
    width, features = asked.width, asked.edge_features
    widths = [inputs] + [width] * asked.layers
    pairs = list(zip(widths, widths[1:]))
    kind = asked.model.split("-")[0]
    states = torch.randn(edge_index.shape[1], features) if features else None
    stack = lambda layers, graph, **more: Stack(layers, graph, width, outputs, answers, **more)
    if kind == "graphsage":
        return stack([SAGEConv(i, o, aggr="sum") for i, o in pairs], means(edge_index, nodes))
    if kind == "gat":
        return stack([GATConv(i, o) for i, o in pairs], edge_index)
    if kind == "gin":
        return stack([GINConv(perceptron(i, o)) for i, o in pairs], matrix(edge_index, torch.ones(edge_index.shape[1]), nodes))
    if kind == "gine":
        return stack([GINEConv(perceptron(i, o), edge_dim=features) for i, o in pairs], edge_index, edges=states)
    if kind == "gatedgcn":
        return Gated(widths, features, outputs, gen.Edges(edge_index, nodes), states, answers)
    if kind == "gps":
        return Gps(widths, features, outputs, edge_index, states, batch, answers)
    if kind == "polynormer":
        return Polynormer(widths, outputs, edge_index)
    graph = normalised(edge_index, nodes)
    if kind == "mixhop":
        layers = [MixHop(i, o // len(POWERS), POWERS, add_self_loops=False) for i, o in pairs]
        return stack(layers, graph)
    if kind == "jknet":
        return stack([GCNConv(i, o, normalize=False) for i, o in pairs], graph, jumps=True)
    return {"appnp": Appnp, "sgformer": Sgformer}[kind](widths, outputs, graph)
