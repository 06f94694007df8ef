"""The layer of graph elimination networks (Wang, Cheng, Zhang, NeurIPS 2025) in PyTorch, as a user of PyTorch would have it.

    python gen.py --selftest

An edge e goes from j = source[e] to i = target[e] and has the coefficient a_ij; both directions are there; a_ii stands for the
node itself. New coefficients come from h^(k-1) in every round, and gradients go through everything. Two forms of the rounds:

literal  the state f_ij of every edge, as printed:
             f_ij^(k-1) = a_ij^(k) (a_jj^(k-1) h_j^(k-2) + a_ji^(k-1) h_i^(k-2) - f_ji^(k-2)),   f^(0) = 0
             h_i^(k)    = a_ii^(k) h_i^(k-1) + sum over j of (a_ij^(k) h_j^(k-1) - f_ij^(k-1))
lean     the same numbers from what is left after the subtraction, m_ij = a_ij h_j - f_ij, and its sum s_i:
             m_ij^(k) = a_ij^(k) (s_j^(k-1) - m_ji^(k-1)),   s^(0) = h^(0),  m^(0) = 0
             h_i^(k)  = a_ii^(k) h_i^(k-1) + s_i^(k)
         It keeps one [E, F] for the backward pass a round instead of several, and hop attention multiplies by its matrices
         before and after the K hops instead of once for each of them.
"""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

FORMS = ("literal", "lean")
CHECKPOINTS = ("none", "layer", "round")
SUMS = ("scatter", "index", "csr")


class Gather(torch.autograd.Function):
    """Rows of nodes at one end of the edges, [N, F] to [E, F]. The gradient is the sum at that end."""

    @staticmethod
    def forward(context, x, end):
        context.end = end
        return x.index_select(0, end.node)

    @staticmethod
    def backward(context, gradient):
        return context.end.sum_rows(gradient), None


class Sum(torch.autograd.Function):
    """Sum of the edges at one end, [E, F] to [N, F]. The gradient is the gather at that end."""

    @staticmethod
    def forward(context, m, end):
        context.end = end
        return end.sum_rows(m)

    @staticmethod
    def backward(context, gradient):
        return gradient.index_select(0, context.end.node), None


class Flip(torch.autograd.Function):
    """Every edge gets the row of its reverse. Twice is nothing, so the gradient is the same again."""

    @staticmethod
    def forward(context, m, reverse):
        context.reverse = reverse
        return m.index_select(0, reverse)

    @staticmethod
    def backward(context, gradient):
        return gradient.index_select(0, context.reverse), None


class End:
    """One end of all edges: the node of each, and how rows of edges are summed there."""

    def __init__(self, node, nodes):
        self.node, self.nodes, self.way = node, nodes, "index"
        self.matrices = {}

    def matrix(self, kind):
        """[N, E] with a one where an edge has its end."""
        if kind not in self.matrices:
            starts = torch.zeros(self.nodes + 1, dtype=torch.long)
            starts[1:] = torch.bincount(self.node, minlength=self.nodes).cumsum(0)
            edges = torch.argsort(self.node, stable=True)
            ones = torch.ones(len(self.node), dtype=kind)
            self.matrices[kind] = torch.sparse_csr_tensor(starts, edges, ones, (self.nodes, len(self.node)))
        return self.matrices[kind]

    def sum_rows(self, m):
        if m.dim() == 2 and self.way == "csr":
            return self.matrix(m.dtype) @ m
        zeros = m.new_zeros((self.nodes, *m.shape[1:]))
        if self.way == "index":
            return zeros.index_add_(0, self.node, m)
        return zeros.scatter_add_(0, self.node.view(-1, *[1] * (m.dim() - 1)).expand_as(m), m)


class Edges:
    """A symmetric graph without loops: edges by target, then source."""

    def __init__(self, edge_index, nodes):
        source, target = edge_index[0].long(), edge_index[1].long()
        apart = source != target
        key = torch.unique(target[apart] * nodes + source[apart])
        target, source = key // nodes, key % nodes
        backward = source * nodes + target
        self.reverse = torch.searchsorted(key, backward)
        if len(key) and not torch.equal(key[self.reverse.clamp(max=len(key) - 1)], backward):
            raise ValueError("the graph must have both directions of every edge")
        self.nodes, self.source, self.target = nodes, End(source, nodes), End(target, nodes)

    def __len__(self):
        return len(self.reverse)

    def use(self, way):
        self.source.way = self.target.way = way

    def use_fastest(self, width, tries=3):
        """Tries all ways of summing at this size and keeps the fastest."""
        import time
        m, best = torch.randn(len(self), width), {}
        for way in SUMS:
            self.use(way)
            for _ in range(tries):
                start = time.perf_counter()
                self.source.sum_rows(m)
                self.target.sum_rows(m)
                best[way] = min(best.get(way, math.inf), time.perf_counter() - start)
        fastest = min(best, key=best.get)
        self.use(fastest)
        return fastest


def attention(h, weight, edges, slope):
    """Coefficients of a round: softmax over the neighbours of i and i itself of LeakyReLU(w_i . h_i + w_j . h_j)."""
    own, other = (h @ weight.view(2, -1).t()).unbind(1)
    scores = F.leaky_relu(Gather.apply(own, edges.target) + Gather.apply(other, edges.source), slope)
    self_scores = F.leaky_relu(own + other, slope)
    with torch.no_grad():
        largest = self_scores.clone().scatter_reduce_(0, edges.target.node, scores, "amax", include_self=True)
    powers = torch.exp(scores - largest.index_select(0, edges.target.node))
    self_powers = torch.exp(self_scores - largest)
    total = self_powers + Sum.apply(powers, edges.target)
    return powers / Gather.apply(total, edges.target), self_powers / total


def literal_round(edges, coefficients, h, before):
    """One round with edge states. `before` is (h^(k-2), f^(k-2), a^(k-1), a_self^(k-1)), or nothing in the first round."""
    a, a_self = coefficients(h)
    messages = a.unsqueeze(1) * Gather.apply(h, edges.source)
    f = None
    if before is not None:
        h_before, f_before, a_before, self_before = before
        back = Gather.apply(self_before.unsqueeze(1) * h_before, edges.source)
        back = back + Flip.apply(a_before, edges.reverse).unsqueeze(1) * Gather.apply(h_before, edges.target)
        if f_before is not None:
            back = back - Flip.apply(f_before, edges.reverse)
        f = a.unsqueeze(1) * back
        messages = messages - f
    return a_self.unsqueeze(1) * h + Sum.apply(messages, edges.target), (h, f, a, a_self)


def lean_round(edges, coefficients, h, before):
    """One round with what is left after the subtraction. `before` is (s, m) of the round before, or nothing."""
    a, a_self = coefficients(h)
    s, m = before if before is not None else (h, None)
    left = Gather.apply(s, edges.source)
    if m is not None:
        left = left.sub_(Flip.apply(m, edges.reverse))
    m = a.unsqueeze(1) * left
    s = Sum.apply(m, edges.target)
    return a_self.unsqueeze(1) * h + s, (s, m)


def rounds(h, edges, coefficients, form, checkpointed=False):
    """All rounds; `coefficients` has a function of h for each. Returns [h^(1), .., h^(K)]."""
    one = literal_round if form == "literal" else lean_round
    hops, before = [], None
    for of_round in coefficients:
        if checkpointed:
            h, before = checkpoint(one, edges, of_round, h, before, use_reentrant=False, preserve_rng_state=False)
        else:
            h, before = one(edges, of_round, h, before)
        hops.append(h)
    return hops


class GenLayer(nn.Module):
    """[N, inputs] to [N, outputs]: K rounds, compression of the hops, hop attention, feed-forward network."""

    def __init__(self, inputs, outputs, hops, form="lean", checkpoints="none", gamma=0.75, epsilon=1e-6, slope=0.2):
        super().__init__()
        self.form, self.checkpoints, self.gamma, self.epsilon, self.slope = form, checkpoints, gamma, epsilon, slope
        self.attention = nn.Parameter(torch.empty(hops, 2 * inputs))
        self.query = nn.Linear(inputs, outputs, bias=False)
        self.key = nn.Linear(inputs, outputs, bias=False)
        self.value = nn.Linear(inputs, outputs, bias=False)
        self.residual = nn.Linear(inputs, outputs, bias=False)
        self.feed = nn.Sequential(nn.Linear(outputs, outputs), nn.ReLU(), nn.Linear(outputs, outputs))
        nn.init.xavier_uniform_(self.attention)

    def forward(self, z, edges):
        if self.checkpoints != "none" and torch.is_grad_enabled():
            return checkpoint(self.compute, z, edges, use_reentrant=False, preserve_rng_state=False)
        return self.compute(z, edges)

    def compute(self, z, edges):
        of_rounds = [lambda h, weight=weight: attention(h, weight, edges, self.slope) for weight in self.attention]
        nested = self.checkpoints == "round" and torch.is_grad_enabled()
        hops = torch.stack(rounds(z, edges, of_rounds, self.form, nested), 1)
        if self.gamma:
            hops = hops / (hops.norm(dim=-1, keepdim=True) + self.epsilon) ** self.gamma
        scale = 1 / math.sqrt(self.query.out_features)
        if self.form == "literal":
            keys, values = self.key(hops), self.value(hops)
            shares = torch.softmax((keys @ self.query(z).unsqueeze(2)).squeeze(2) * scale, 1)
            mixed = (shares.unsqueeze(1) @ values).squeeze(1)
        else:
            query = self.query(z) @ self.key.weight
            shares = torch.softmax((hops @ query.unsqueeze(2)).squeeze(2) * scale, 1)
            mixed = self.value((shares.unsqueeze(1) @ hops).squeeze(1))
        updated = self.residual(z) + mixed
        return updated + self.feed(updated)


# --- self-test ---------------------------------------------------------------------------------------------------------------

def distances(edge_index, nodes):
    """Hops between all pairs by breadth-first search."""
    neighbours = [[] for _ in range(nodes)]
    for j, i in edge_index.t().tolist():
        neighbours[i].append(j)
    far = torch.full((nodes, nodes), nodes)
    for start in range(nodes):
        far[start, start], queue = 0, [start]
        for i in queue:
            for j in neighbours[i]:
                if far[start, j] == nodes:
                    far[start, j] = far[start, i] + 1
                    queue.append(j)
    return far


def both_ways(pairs):
    forward = torch.tensor(pairs).t()
    return torch.cat([forward, forward.flip(0)], 1)


def check_hops(name, edge_index, nodes, count):
    """On a tree with all coefficients one, round k adds exactly the nodes at distance k."""
    edges, far = Edges(edge_index, nodes), distances(edge_index, nodes)
    ones = [lambda h: (h.new_ones(len(edges)), h.new_ones(nodes))] * count
    start = torch.eye(nodes, dtype=torch.float64)
    for form in FORMS:
        for way in SUMS:
            edges.use(way)
            hops = [start, *rounds(start, edges, ones, form)]
            for k in range(1, count + 1):
                assert torch.equal(hops[k] - hops[k - 1], (far == k).double()), (name, form, way, k)
    print(f"{name}: round k adds exactly hop k, k = 1..{count}")


def check_forms():
    """All forms, all checkpoints and all ways of summing agree in results and gradients, on a graph with cycles."""
    near = torch.triu(torch.rand(14, 14) < 0.35, 1)
    edges = Edges((near | near.t()).nonzero().t(), 14)
    x = torch.randn(14, 6, dtype=torch.float64, requires_grad=True)
    direction = torch.randn(14, 4, dtype=torch.float64)
    state = GenLayer(6, 4, 5).double().state_dict()
    results = []
    for form in FORMS:
        for checkpoints in CHECKPOINTS:
            for way in SUMS:
                edges.use(way)
                layer = GenLayer(6, 4, 5, form, checkpoints).double()
                layer.load_state_dict(state)
                out = layer(x, edges)
                results.append([out, *torch.autograd.grad((out * direction).sum(), [x, *layer.parameters()])])
    most = max(float((a - b).abs().max()) for result in results[1:] for a, b in zip(results[0], result))
    assert most < 1e-12, most
    print(f"literal = lean, with and without checkpoints, any sum: within {most:.1e} with all gradients")
    for form in FORMS:
        layer = GenLayer(6, 4, 3, form).double()
        assert torch.autograd.gradcheck(lambda x: layer(x, edges), (x,))
    print("gradients agree with finite differences")


def selftest():
    torch.manual_seed(0)
    check_hops("chain of 6", both_ways([(i, i + 1) for i in range(5)]), 6, 5)
    tree = [(int(torch.randint(0, i, (1,))), i) for i in range(1, 40)]
    check_hops("random tree of 40", both_ways(tree), 40, 8)
    check_forms()


if __name__ == "__main__":
    if sys.argv[1:] != ["--selftest"]:
        sys.exit(__doc__)
    selftest()
