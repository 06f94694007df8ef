"""Time and peak memory of one peer of farhop in PyTorch: one configuration a process, one line of JSON.

    python peers.py --graph arxiv.npz --model gat --width 128 --layers 3 --threads 2

Models: gcn-csr (GCN of PyTorch Geometric on a CSR matrix, its fastest form on a CPU), gcn-edges (the same on an edge list),
gat (GAT of PyTorch Geometric), gen-lean and gen-literal (see gen.py), and the baselines of models.py. As in `farhop bench`, every layer is followed by batch
norm, ReLU and dropout 0.5, the mean over graphs comes where the file has answers for graphs, and a linear head; GEN projects
features that are wider than its layers. Adam; the loss is over all nodes or graphs.
"""
import argparse
import json
import sys
import time
import warnings

MODELS = ("gcn-csr", "gcn-edges", "gat", "gen-lean", "gen-literal", "graphsage-csr", "gat-edges", "gin-csr", "gine-edges", "gatedgcn-edges",
          "mixhop-csr", "appnp-csr", "jknet-csr", "sgformer-csr", "polynormer-edges", "gps-edges")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", required=True)
    parser.add_argument("--model", required=True, choices=MODELS)
    parser.add_argument("--hops", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--mode", default="train", choices=("train", "infer"))
    parser.add_argument("--epochs", type=int, default=4, help="after one that warms up")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--checkpoint", default="none", choices=("none", "layer", "round"), help="of GEN")
    parser.add_argument("--edge-features", type=int, default=0, help="numbers of every edge, made up")
    parser.add_argument("--input", default="dense", choices=("dense", "csr"), help="features as they are, or as a CSR matrix")
    return parser.parse_args()


ASKED = arguments()
warnings.filterwarnings("ignore")  # CSR tensors are "in beta", and other news.

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import GATConv, GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

import gen
import models


def status_bytes(field):
    with open("/proc/self/status") as lines:
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":")), None)


class SparseProduct(torch.autograd.Function):
    """X W^T with X in CSR form and its transpose at hand for the gradient."""

    @staticmethod
    def forward(context, weight, x, transposed):
        context.transposed = transposed
        return x @ weight.t()

    @staticmethod
    def backward(context, gradient):
        return (context.transposed @ gradient).t(), None, None


class SparseLinear(nn.Module):
    """A linear map of features that are mostly zeros."""

    def __init__(self, dense, x):
        super().__init__()
        self.weight, self.bias = dense.weight, dense.bias
        self.transposed = x.to_dense().t().contiguous().to_sparse_csr()

    def forward(self, x):
        product = SparseProduct.apply(self.weight, x, self.transposed)
        return product if self.bias is None else product + self.bias


def csr_of(edge_index, nodes):
    """The normalised adjacency of GCN with its loops as a CSR matrix."""
    index, values = gcn_norm(edge_index, None, nodes, False, True, dtype=torch.float32)
    order = torch.argsort(index[1] * nodes + index[0])
    source, target, values = index[0][order], index[1][order], values[order]
    starts = torch.zeros(nodes + 1, dtype=torch.long)
    starts[1:] = torch.bincount(target, minlength=nodes).cumsum(0)
    return torch.sparse_csr_tensor(starts, source.contiguous(), values, (nodes, nodes))


class Peer(nn.Module):
    """(projection) -> (layer -> batch norm -> ReLU -> dropout) x layers -> (mean over graphs) -> linear."""

    def __init__(self, asked, x, edge_index, outputs, batch):
        super().__init__()
        nodes, inputs = x.shape
        width, self.way = asked.width, None
        self.batch, self.sizes = batch, None if batch is None else torch.bincount(batch).clamp(min=1).unsqueeze(1)
        self.projection = None
        is_gen = asked.model.startswith("gen-")
        if is_gen and inputs > width:
            self.projection, inputs = nn.Linear(inputs, width), width
        widths = [inputs] + [width] * asked.layers
        if is_gen:
            self.graph = gen.Edges(edge_index, nodes)
            form = asked.model.removeprefix("gen-")
            layers = [gen.GenLayer(i, o, asked.hops, form, asked.checkpoint) for i, o in zip(widths, widths[1:])]
            self.way = self.graph.use_fastest(width)
        elif asked.model == "gcn-csr":
            self.graph = csr_of(edge_index, nodes)
            layers = [GCNConv(i, o, normalize=False) for i, o in zip(widths, widths[1:])]
        elif asked.model == "gcn-edges":
            self.graph = edge_index
            layers = [GCNConv(i, o, cached=True) for i, o in zip(widths, widths[1:])]
        else:
            self.graph = edge_index
            layers = [GATConv(i, o) for i, o in zip(widths, widths[1:])]
        self.layers = nn.ModuleList(layers)
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in layers)
        self.head = nn.Linear(width, outputs)

    def read_sparse(self, x):
        """The first linear map reads a CSR matrix from now on."""
        if self.projection is not None:
            self.projection = SparseLinear(self.projection, x)
        elif hasattr(self.layers[0], "lin") and isinstance(self.layers[0], GCNConv):
            self.layers[0].lin = SparseLinear(self.layers[0].lin, x)
        else:
            sys.exit("error: --input csr: this model has no linear map that reads the features.")

    def forward(self, x):
        if self.projection is not None:
            x = self.projection(x)
        for layer, norm in zip(self.layers, self.norms):
            x = F.dropout(F.relu(norm(layer(x, self.graph))), 0.5, self.training)
        if self.batch is not None:
            x = x.new_zeros(len(self.sizes), x.size(1)).index_add_(0, self.batch, x) / self.sizes
        return self.head(x)


def epochs(asked, peer, x, y):
    """Seconds of each epoch, the warm-up first, and what all threads worked in it."""
    optimizer = torch.optim.Adam(peer.parameters(), lr=0.005)
    loss = F.binary_cross_entropy_with_logits if y.dim() == 2 else F.cross_entropy
    peer.train(asked.mode == "train")
    seconds, busy = [], []
    for _ in range(1 + asked.epochs):
        start, before = time.perf_counter(), time.process_time()
        if asked.mode == "train":
            optimizer.zero_grad(set_to_none=True)
            value = loss(peer(x), y)
            value.backward()
            optimizer.step()
            if not torch.isfinite(value):
                sys.exit("error: the loss is not finite.")
        else:
            with torch.inference_mode():
                peer(x)
        seconds.append(time.perf_counter() - start)
        busy.append(time.process_time() - before)
    return seconds, busy


def main():
    asked = ASKED
    torch.set_num_threads(asked.threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(1)
    before = status_bytes("VmRSS")
    file = np.load(asked.graph)
    x, y = torch.from_numpy(file["x"]).float(), torch.from_numpy(file["y"])
    edge_index = torch.from_numpy(file["edge_index"]).long()
    batch = torch.from_numpy(file["batch"]).long() if "batch" in file.files else None
    outputs = y.shape[1] if y.dim() == 2 else int(y.max()) + 1
    answers = batch if y.dim() == 2 else None
    if asked.model in models.KINDS:
        peer = models.build(asked, x, edge_index, outputs, batch, answers)
    else:
        peer = Peer(asked, x, edge_index, outputs, answers)
    parameters = sum(parameter.numel() for parameter in peer.parameters())
    if asked.input == "csr":
        x = x.to_sparse_csr()
        peer.read_sparse(x)
    is_gen = asked.model.startswith("gen-")
    seconds, busy = epochs(asked, peer, x, y)
    print(json.dumps({
        "model": asked.model,
        "hops": asked.hops if is_gen else None,
        "checkpoint": asked.checkpoint if is_gen else None,
        "sum": getattr(peer, "way", None),
        "input": asked.input,
        "width": asked.width,
        "layers": asked.layers,
        "mode": asked.mode,
        "threads": torch.get_num_threads(),
        "nodes": x.shape[0],
        "edges": edge_index.shape[1] // 2,
        "parameters": parameters,
        "seconds_per_epoch": min(seconds[1:] or seconds),
        "all": [round(second, 6) for second in seconds],
        "cpu_all": [round(second, 2) for second in busy],
        "peak_rss_bytes": status_bytes("VmHWM"),
        "rss_before_bytes": before,
    }))


if __name__ == "__main__":
    main()
