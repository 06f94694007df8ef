"""What is measured: graphs, who takes part, and the targets that the numbers are held against."""
from dataclasses import dataclass, field

GIB = 1 << 30


@dataclass(frozen=True)
class Graph:
    """A graph to make (`kind` and `numbers` as graphs.py has them) or a dataset to convert."""
    kind: str
    numbers: dict = field(default_factory=dict)
    dataset: str | None = None

    @property
    def file(self):
        return "-".join([self.dataset or self.kind, *(f"{name[0]}{value}" for name, value in self.numbers.items())]) + ".npz"


@dataclass(frozen=True)
class Contender:
    """One program with its settings. The fastest of a group stands for it in the targets."""
    name: str
    group: str
    model: str
    epochs: int
    ours: bool = False
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """What `what` of `ours` may be at most: a share of that of `peer`, or a number of bytes if there is no peer."""
    ours: str
    peer: str | None
    what: str
    most: float
    note: str = ""


@dataclass(frozen=True)
class Section:
    """Contenders with the same width, depth and graph."""
    title: str
    graph: Graph
    width: int
    layers: int
    mode: str
    contenders: list
    targets: list


GEN, GEN8, GCN = "farhop GEN, K = 4", "farhop GEN, K = 8", "farhop GCN"
GEN16 = "farhop GEN, K = 4, 16 bits"
TORCH_GEN, PYG_GCN, PYG_GAT = "PyTorch GEN, K = 4", "PyG GCN on CSR", "PyG GAT"


def gen(epochs):
    return Contender(GEN, GEN, "gen", epochs, True, {"hops": 4})


def gen16(epochs):
    """Gathering rows of 16 bits."""
    return Contender(GEN16, GEN16, "gen", epochs, True, {"hops": 4, "gather-bits": 16})


def gcn(epochs):
    return Contender(GCN, GCN, "gcn", epochs, True)


def torch_gen(epochs, sparse=False):
    """The same model: the leaner form, the form as printed, and with sparse features where there are."""
    forms = [("lean", "gen-lean", {}), ("as printed", "gen-literal", {})]
    if sparse:
        forms.insert(1, ("lean, sparse features", "gen-lean", {"input": "csr"}))
    return [Contender(f"{TORCH_GEN} ({form})", TORCH_GEN, model, epochs, False, {"hops": 4, **settings})
            for form, model, settings in forms]


def pyg_gcn(epochs, sparse=False):
    found = [Contender(PYG_GCN, PYG_GCN, "gcn-csr", epochs)]
    if sparse:
        found.append(Contender(f"{PYG_GCN}, sparse features", PYG_GCN, "gcn-csr", epochs, False, {"input": "csr"}))
    return found


def pyg_gcn_edges(epochs):
    return Contender("PyG GCN on edges", "PyG GCN on edges", "gcn-edges", epochs)


def pyg_gat(epochs):
    return Contender(PYG_GAT, PYG_GAT, "gat", epochs)


OUR_GCN = [Target(GCN, PYG_GCN, "time", 0.6), Target(GCN, PYG_GCN, "memory", 0.6)]


def arxiv(graph, epochs):
    return Section(
        "Training on an arxiv-like graph", graph, 128, 3, "train",
        [gen(epochs(5)), gen16(epochs(5)), pyg_gat(epochs(4)), *pyg_gcn(epochs(5)), gcn(epochs(5)), pyg_gcn_edges(epochs(3)),
         Contender(GEN8, GEN8, "gen", epochs(4), True, {"hops": 8}), *torch_gen(1)],
        [target for ours in [GEN, GEN16] for target in [
            Target(ours, TORCH_GEN, "time", 1 / 20), Target(ours, TORCH_GEN, "memory", 1 / 5),
            Target(ours, PYG_GAT, "time", 1.0), Target(ours, PYG_GAT, "memory", 1 / 4),
            Target(ours, PYG_GCN, "time", 2.0, "reach for 1.0")]] + [Target(GEN8, GEN, "time", 2.2), *OUR_GCN])


def inference(graph, epochs):
    return Section(
        "Inference on the arxiv-like graph", graph, 128, 3, "infer",
        [gen(epochs(5)), gen16(epochs(5)), gcn(epochs(5)), pyg_gat(epochs(3)), *pyg_gcn(epochs(5)), *torch_gen(epochs(2))],
        [Target(ours, *rest) for ours in [GEN, GEN16] for rest in [(TORCH_GEN, "time", 1 / 20), (None, "memory", GIB)]])


def citation(name, dataset, epochs, many):
    return Section(
        f"Training on {name}", Graph("convert", dataset=dataset), 64, 3, "train",
        [gen(epochs(many)), *pyg_gcn(epochs(many), True), gcn(epochs(many)), pyg_gcn_edges(epochs(many)), pyg_gat(epochs(many)),
         *torch_gen(epochs(max(many // 5, 3)), True)],
        [Target(GEN, TORCH_GEN, "time", 1 / 30), Target(GEN, PYG_GCN, "time", 1.5), *OUR_GCN])


def molecules(graph, epochs):
    return Section(
        f"Training on {graph.numbers['graphs']} molecules of {graph.numbers['atoms']} atoms in one batch", graph, 120, 4, "train",
        [gen(epochs(20)), *pyg_gcn(epochs(20)), gcn(epochs(20)), pyg_gat(epochs(10)), *torch_gen(epochs(5))],
        [Target(GEN, TORCH_GEN, "time", 1 / 15)])


def deep_molecules(graph, epochs):
    """The depth that GEN was published with, beside what its users would train instead."""
    gated, edges = "PyG GatedGCN", {"edge-features": 16}
    ours = Contender(GEN, GEN, "gen", epochs(3), True, {"hops": 4, **edges})
    return Section(
        f"Training twelve layers on {graph.numbers['graphs']} molecules with edge features", graph, 120, 12, "train",
        [ours, Contender(gated, gated, "gatedgcn-edges", epochs(3), False, edges)],
        [Target(GEN, gated, what, 1.0) for what in ("time", "processor time", "memory")])


def baseline(name, graph, width, layers, epochs, peer, ours, of_peer=None, note=""):
    """A baseline beside the same model of PyTorch Geometric. `ours` and `of_peer` are settings of either."""
    model, form = peer.split("-")
    mine, theirs = f"farhop {name}", f"PyG {name}" + (" on CSR" if form == "csr" else "")
    our_model = "gin" if model == "gine" else model
    return Section(
        f"Training {name}{note}", graph, width, layers, "train",
        [Contender(mine, mine, our_model, epochs, True, ours), Contender(theirs, theirs, peer, epochs, False, of_peer or {})],
        [Target(mine, theirs, "time", 0.7), Target(mine, theirs, "processor time", 0.7), Target(mine, theirs, "memory", 0.5)])


def baselines(like_arxiv, smaller, atoms, epochs):
    """Section by name: on the arxiv-like graph; where a peer keeps several arrays of edges times channels, on a quarter of it."""
    on = lambda name, peer, *ours, width=128: baseline(
        name, like_arxiv, width, 3, epochs(3), peer, {"set": [f"model.{setting}" for setting in ours]}, note=" on the arxiv-like graph")
    quarter = lambda name, peer, *ours: baseline(
        name, smaller, 128, 3, epochs(3), peer, {"set": [f"model.{setting}" for setting in ours]}, note=" on a quarter of the arxiv-like graph")
    edges = {"edge-features": 16}
    molecules = lambda name, peer, *ours: baseline(
        name, atoms, 120, 4, epochs(5), peer, {**edges, "set": [f"model.{setting}" for setting in ours]}, edges,
        f" on {atoms.numbers['graphs']} molecules")
    return {
        "graphsage": on("GraphSAGE", "graphsage-csr"),
        "gin": on("GIN", "gin-csr", "every_layer=false"),
        "mixhop": on("MixHop", "mixhop-csr", "input_dropout=0", width=126),
        "appnp": on("APPNP, K = 10", "appnp-csr"),
        "jknet": on("JKNet", "jknet-csr"),
        "sgformer": on("SGFormer", "sgformer-csr", "residual=false"),
        "gat": quarter("GAT", "gat-edges", "heads=1", "attention_dropout=0", "head_layers=1"),
        "gatedgcn": quarter("GatedGCN", "gatedgcn-edges"),
        "polynormer": quarter("Polynormer", "polynormer-edges"),
        "molecules-gine": molecules("GINE", "gine-edges", "every_layer=false", "edge_features=each-layer"),
        "molecules-gatedgcn": molecules("GatedGCN", "gatedgcn-edges"),
        "molecules-gps": molecules("GPS", "gps-edges", "local=gine"),
    }


def sweep(edges, text, shrink, epochs):
    graph = Graph("power-law", {"nodes": edges // shrink // 7, "edges": edges // shrink, "features": 64, "classes": 40})
    many = 3 if edges >= 1_000_000 else 20
    return Section(
        f"Size sweep: {text} edges", graph, 64, 3, "train",
        [gen(epochs(many)), *pyg_gcn(epochs(many)), gcn(epochs(many)), pyg_gat(epochs(many)), torch_gen(epochs(max(many // 5, 1)))[0]],
        [])


def sections(quick, shrink=1):
    """All sections by name, on graphs that are `shrink` times smaller. Quick ones have small graphs and one epoch."""
    epochs = (lambda many: 1) if quick else (lambda many: many)
    shrink = 100 if quick else shrink
    like_arxiv = Graph("power-law", {"nodes": 169_343 // shrink, "edges": 1_166_243 // shrink, "features": 128, "classes": 40})
    smaller = Graph("power-law", {"nodes": 42_336 // shrink, "edges": 291_561 // shrink, "features": 128, "classes": 40})
    atoms = Graph("molecules", {"graphs": max(200 // shrink, 20), "atoms": 150, "features": 120, "labels": 10})
    return {
        "arxiv": arxiv(like_arxiv, epochs),
        "infer": inference(like_arxiv, epochs),
        "cora": citation("Cora", "cora", epochs, 100),
        "pubmed": citation("PubMed", "pubmed", epochs, 30),
        "molecules": molecules(atoms, epochs),
        "molecules-deep": deep_molecules(atoms, epochs),
        **baselines(like_arxiv, smaller, atoms, epochs),
        "sweep-10k": sweep(10_000, "10,000", 1, epochs),
        "sweep-100k": sweep(100_000, "100,000", 10 if quick else 1, epochs),
        "sweep-1m": sweep(1_000_000, "1,000,000", shrink, epochs),
    }
