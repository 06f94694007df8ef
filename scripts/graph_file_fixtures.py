"""Writes the files of graphs that the tests of farhop-data import, and what is in them.

Run from the root of the repository, with numpy, scipy, networkx, torch, torch_geometric and rdkit installed:

    python scripts/graph_file_fixtures.py

Every file of `tests/good_data/graphs` has an entry in `expected.json` there, told by the libraries that wrote it: sizes,
edges, features, targets and splits. `options` are what the import is asked for.
"""

import json
import os
import pickle
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import scipy.sparse as sp
import torch
from torch_geometric.data import Batch, Data, InMemoryDataset

FOLDER = os.path.join("crates", "farhop-data", "tests", "good_data", "graphs")
EXPECTED = {}


def path(name):
    return os.path.join(FOLDER, name)


def expect(name, **what):
    """What an import has to give; `options` among it is what it is asked for."""
    EXPECTED[name] = what


# A ring of eight nodes with a chord, as directed rows without their opposites.
NODES = 8
PAIRS = [(node, (node + 1) % NODES) for node in range(NODES)] + [(0, 4)]
EDGES = sorted(tuple(sorted(pair)) for pair in PAIRS)
EDGE_INDEX = np.array(PAIRS).T
X = (np.arange(2 * NODES).reshape(NODES, 2) / 4 + 1).astype("f4")
Y = np.arange(NODES) % 2
SPLIT = {"train": [0, 1, 4, 5], "valid": [2, 3], "test": [6, 7]}
SECOND = {"train": [2, 3, 6, 7], "valid": [0, 1], "test": [4, 5]}
GRAPH = {"graphs": 1, "nodes": NODES, "edges": EDGES, "level": "node"}
LABELLED = GRAPH | {"features": X.tolist(), "classes": [int(label) for label in Y]}


def mask(rows):
    result = np.zeros(NODES, dtype=bool)
    result[rows] = True
    return result


def adjacency(weights=None):
    weights = np.ones(len(PAIRS), "f4") if weights is None else weights
    upper = sp.coo_matrix((weights, EDGE_INDEX), (NODES, NODES))
    return sp.csr_matrix(upper + upper.T)


def arrays():
    plain = {"edge_index": EDGE_INDEX, "x": X, "y": Y}
    names = {"train": "train", "val": "valid", "test": "test"}
    masks = {f"{short}_mask": mask(SPLIT[part]) for short, part in names.items()}
    np.savez(path("masks.npz"), **plain, **masks, pos=X, source=np.array("made"))
    expect("masks.npz", **LABELLED, split=SPLIT, unused=["pos", "source"])

    both = {f"{short}_mask": np.stack([mask(SPLIT[part]), mask(SECOND[part])], 1) for short, part in names.items()}
    np.savez(path("masks_of_columns.npz"), **plain, **both)
    expect("masks_of_columns.npz", **LABELLED, options={"split": 1}, split=SECOND)
    both = {f"{short}_masks": np.stack([mask(SPLIT[part]), mask(SECOND[part])]) for short, part in names.items()}
    np.savez(path("masks_of_rows.npz"), edges=EDGE_INDEX.T, node_features=X, node_labels=Y, **both)
    expect("masks_of_rows.npz", **LABELLED, options={"split": 1}, split=SECOND)

    rows = {f"{part}_idx": np.array(SPLIT[part]) for part in SPLIT}
    np.savez(path("row_numbers.npz"), **plain, **rows)
    expect("row_numbers.npz", **LABELLED, split=SPLIT)
    lists = {part: np.array([SPLIT[part], SECOND[part]]) for part in SPLIT}
    np.savez(path("row_numbers_of_splits.npz"), **plain, **lists)
    expect("row_numbers_of_splits.npz", **LABELLED, options={"split": 1}, split=SECOND)
    splits = np.array([{part: np.array(split[part]) for part in split} for split in [SPLIT, SECOND]], dtype=object)
    np.savez(path("list_of_splits.npz"), **plain, splits=splits)
    expect("list_of_splits.npz", **LABELLED, options={"split": 1}, split=SECOND)

    links, words = adjacency(), sp.csr_matrix(X)
    pieces = {f"{prefix}_{name}": getattr(matrix, name) for prefix, matrix in [("adj", links), ("attr", words)]
              for name in ["data", "indices", "indptr", "shape"]}
    np.savez(path("sparse_pieces.npz"), **pieces, labels=Y, class_names=np.array(["even", "odd"]), idx_train=[0, 1, 4, 5],
             idx_val=[2, 3], idx_test=[6, 7])
    expect("sparse_pieces.npz", **LABELLED, class_names=["even", "odd"], split=SPLIT)
    objects = {"adj_matrix": np.array(links, dtype=object), "attr_matrix": np.array(words, dtype=object)}
    np.savez(path("sparse_objects.npz"), **objects, labels=Y, class_names=np.array(["even", "odd"], dtype=object))
    expect("sparse_objects.npz", **LABELLED, class_names=["even", "odd"])

    weights = np.arange(1, len(PAIRS) + 1).astype("f4")
    of_edge = {f"{min(pair)} {max(pair)}": [float(weight)] for pair, weight in zip(PAIRS, weights)}
    weighted = adjacency(weights)
    for form in ["csr", "csc", "coo"]:
        sp.save_npz(path(f"scipy_{form}.npz"), weighted.asformat(form))
        expect(f"scipy_{form}.npz", **GRAPH, edge_features=of_edge)
    np.save(path("adjacency.npy"), adjacency().toarray())
    expect("adjacency.npy", **GRAPH)
    np.savez(path("adjacency.npz"), adjacency().toarray())
    expect("adjacency.npz", **GRAPH)
    np.savez(path("adjacency_and_labels.npz"), A=weighted.toarray(), X=X, labels=np.eye(2)[Y].astype("i8"))
    expect("adjacency_and_labels.npz", **LABELLED, edge_features=of_edge)


def small_graphs():
    """Graph g has g + 2 nodes in a path, features that count from 10 g, and g as its class."""
    graphs = []
    for g in range(6):
        n = g + 2
        sources = torch.arange(n - 1)
        graphs.append(Data(
            x=(torch.arange(2 * n).reshape(n, 2) + 10 * g) / 2,
            edge_index=torch.stack([torch.cat([sources, sources + 1]), torch.cat([sources + 1, sources])]),
            edge_attr=torch.cat([sources, sources]).float().reshape(-1, 1) + g,
            y=torch.tensor([g % 2]),
        ))
    return graphs


def told_by_union(graphs, **more):
    union = Batch.from_data_list(graphs)
    ends = union.edge_index.t().tolist()
    edges = sorted({tuple(sorted(pair)) for pair in ends})
    result = {"graphs": len(graphs), "nodes": union.num_nodes, "edges": edges, "offsets": union.ptr.tolist(),
              "level": "graph", "features": union.x.tolist()}
    of_edge = {f"{min(pair)} {max(pair)}": row for pair, row in zip(ends, union.edge_attr.tolist())}
    if union.edge_attr.dtype == torch.float:
        result["edge_features"] = of_edge
    return result | more


def geometric():
    tensors = {"x": torch.tensor(X), "edge_index": torch.tensor(EDGE_INDEX), "y": torch.tensor(Y)}
    masks = {"train_mask": torch.tensor(mask(SPLIT["train"])), "val_mask": torch.tensor(mask(SPLIT["valid"])),
             "test_mask": torch.tensor(mask(SPLIT["test"]))}
    data = Data(**tensors, **masks, name="ring")
    expected = LABELLED | {"split": SPLIT, "unused": ["name"]}
    torch.save(data, path("data.pt"))
    expect("data.pt", **expected)
    torch.save(data, path("data_stream.pt"), _use_new_zipfile_serialization=False)
    expect("data_stream.pt", **expected)
    for protocol in [2, 4, 5]:
        with open(path(f"data_{protocol}.pkl"), "wb") as file:
            pickle.dump(data, file, protocol)
        expect(f"data_{protocol}.pkl", **expected)
    torch.save(tensors | masks, path("dictionary.pt"))
    expect("dictionary.pt", **LABELLED, split=SPLIT)
    several = {"train_mask": torch.tensor(np.stack([mask(SPLIT["train"]), mask([2, 3])], 1)),
               "val_mask": torch.tensor(np.stack([mask(SPLIT["valid"]), mask([0, 1])], 1)), "test_mask": masks["test_mask"]}
    torch.save(Data(**tensors, **several), path("data_splits.pt"))
    expect("data_splits.pt", **LABELLED, options={"split": 1},
           split={"train": [2, 3], "valid": [0, 1], "test": SPLIT["test"]})
    InMemoryDataset.save([data], path("one_graph.pt"))
    expect("one_graph.pt", **LABELLED, split=SPLIT, unused=["name"])

    graphs = small_graphs()
    classes = [g % 2 for g in range(6)]
    torch.save(graphs, path("list.pt"))
    expect("list.pt", **told_by_union(graphs, classes=classes))
    torch.save(InMemoryDataset.collate(graphs), path("collated.pt"))
    expect("collated.pt", **told_by_union(graphs, classes=classes))
    InMemoryDataset.save(graphs, path("saved_dataset.pt"))
    expect("saved_dataset.pt", **told_by_union(graphs, classes=classes))
    torch.save(Batch.from_data_list(graphs), path("batch.pt"))
    expect("batch.pt", **told_by_union(graphs, classes=classes))
    numbers = [[g + 0.5, 2.0 * g] for g in range(6)]
    for graph, row in zip(graphs, numbers):
        graph.y = torch.tensor([row])
        graph.x = graph.x.long()
        graph.edge_attr = graph.edge_attr.long().squeeze(1)
    torch.save(graphs, path("categories.pt"))
    union = Batch.from_data_list(graphs)
    of_edge = {f"{min(pair)} {max(pair)}": [row] for pair, row in zip(union.edge_index.t().tolist(), union.edge_attr.tolist())}
    told = told_by_union(graphs, numbers=numbers, categories=union.x.tolist(), edge_categories=of_edge)
    expect("categories.pt", **{key: value for key, value in told.items() if key != "features"})


def attributed_graph(kind=nx.Graph):
    """The ring with attributes of every sort; edges in the order of PAIRS."""
    graph = kind(name="ring")
    for node in range(NODES):
        graph.add_node(f"n{node}", x=float(X[node][0]), size=node, odd=bool(node % 2), group="even" if node % 2 == 0 else "odd")
    for number, (source, target) in enumerate(PAIRS):
        graph.add_edge(f"n{source}", f"n{target}", length=number / 2)
    return graph


NAMES = [f"n{node}" for node in range(NODES)]
ATTRIBUTED = GRAPH | {
    "options": {"targets": ["group"]}, "ids": NAMES, "classes": [node % 2 for node in range(NODES)], "class_names": ["even", "odd"],
    "features": [[float(X[node][0]), node, node % 2] for node in range(NODES)],
    "edge_features": {f"{min(pair)} {max(pair)}": [number / 2] for number, pair in enumerate(PAIRS)},
}


def in_order_of(name, told):
    """What is told, with the features in the order in which an XML file declares them."""
    declared = []
    for element in ElementTree.parse(path(name)).iter():
        tag = element.tag.rsplit("}")[-1]
        if tag == "key" and element.get("for") == "node":
            declared.append(element.get("attr.name"))
        if tag == "attributes" and element.get("class") == "node":
            declared += [attribute.get("title") for attribute in element]
    order = [["x", "size", "odd"].index(column) for column in declared if column != "group"]
    return told | {"features": [[row[place] for place in order] for row in told["features"]]}


def attributed():
    graph = attributed_graph()
    nx.write_graphml(graph, path("ring.graphml"))
    nx.write_gexf(graph, path("ring.gexf"))
    nx.write_gml(graph, path("ring.gml"), stringizer=str)
    for key in ["links", "edges"]:
        with open(path(f"ring_{key}.json"), "w") as file:
            json.dump(nx.node_link_data(graph, edges=key), file)
    for name in ["ring.graphml", "ring.gexf"]:
        expect(name, **in_order_of(name, ATTRIBUTED))
    # The entries of a JSON object have no order: columns come by their names, odd, size, x.
    by_name = [[odd, size, x] for x, size, odd in ATTRIBUTED["features"]]
    for name in ["ring_links.json", "ring_edges.json"]:
        expect(name, **ATTRIBUTED | {"features": by_name})
    expect("ring.gml", **ATTRIBUTED)
    for protocol in range(6):
        with open(path(f"networkx_{protocol}.pkl"), "wb") as file:
            pickle.dump(graph, file, protocol)
        expect(f"networkx_{protocol}.pkl", **ATTRIBUTED)
    # A graph that was looked at keeps views of itself, which point back at it.
    graph.nodes, graph.edges, graph.adj, graph.degree
    with open(path("networkx_with_views.pkl"), "wb") as file:
        pickle.dump(graph, file)
    expect("networkx_with_views.pkl", **ATTRIBUTED)
    directed = attributed_graph(nx.DiGraph)
    of_edge = ATTRIBUTED["edge_features"]
    for name, write in [("directed.graphml", nx.write_graphml), ("directed.gexf", nx.write_gexf)]:
        write(directed, path(name))
        expect(name, **in_order_of(name, ATTRIBUTED | {"directed": True, "edges": sorted(PAIRS), "edge_features": of_edge}))
    with open(path("networkx_directed.pkl"), "wb") as file:
        pickle.dump(directed, file)
    expect("networkx_directed.pkl", **ATTRIBUTED | {"directed": True, "edges": sorted(PAIRS), "edge_features": of_edge})
    several = attributed_graph(nx.MultiGraph)
    several.add_edge("n0", "n1", length=0.0)
    with open(path("networkx_multigraph.pkl"), "wb") as file:
        pickle.dump(several, file)
    expect("networkx_multigraph.pkl", **ATTRIBUTED)

    # Vectors on nodes, numbers as names, graphs in a list.
    paths = []
    for g in range(6):
        one = nx.path_graph(g + 2)
        one.graph["y"] = g + 0.5
        for node in one:
            one.nodes[node]["x"] = np.array([g, node], dtype="f4")
        paths.append(one)
    starts = np.cumsum([0] + [len(one) for one in paths]).tolist()
    told = {
        "options": {"targets": ["y"]}, "graphs": 6, "nodes": starts[-1], "offsets": starts, "level": "graph",
        "edges": sorted((start + u, start + v) for start, one in zip(starts, paths) for u, v in one.edges),
        "features": [[float(g), float(node)] for g, one in enumerate(paths) for node in one],
        "numbers": [[one.graph["y"]] for one in paths],
    }
    with open(path("networkx_list.pkl"), "wb") as file:
        pickle.dump(paths, file)
    expect("networkx_list.pkl", **told)
    for one in paths:
        for node in one:
            one.nodes[node]["x"] = one.nodes[node]["x"].tolist()
    with open(path("graphs.json"), "w") as file:
        json.dump([nx.node_link_data(one, edges="links") for one in paths], file)
    expect("graphs.json", **told)


def edges_alone():
    graph = nx.Graph(PAIRS)
    nx.write_edgelist(graph, path("ring.edgelist"), data=False)
    expect("ring.edgelist", **GRAPH)
    weights = [number / 2 for number in range(len(PAIRS))]
    of_edge = {f"{min(pair)} {max(pair)}": [weight] for pair, weight in zip(PAIRS, weights)}
    with open(path("weights.txt"), "w") as file:
        file.write("# source target weight\n")
        file.writelines(f"{source}\t{target}\t{weight}\n" for (source, target), weight in zip(PAIRS, weights))
    expect("weights.txt", **GRAPH, edge_features=of_edge)
    with open(path("edges.csv"), "w") as file:
        file.write("source,target,weight\n")
        file.writelines(f"{source},{target},{weight}\n" for (source, target), weight in zip(PAIRS, weights))
    # Nodes come in the order of the rows: 0, 1, 2 and so on.
    expect("edges.csv", **GRAPH, edge_features=of_edge, ids=[str(node) for node in range(NODES)])
    ordered = nx.Graph()
    ordered.add_nodes_from(range(NODES))
    ordered.add_edges_from(PAIRS)
    nx.write_adjlist(ordered, path("ring.adjlist"))
    with open(path("ring.adjlist")) as file:
        names = dict.fromkeys(name for line in file if not line.startswith("#") for name in line.split())
    place = {name: number for number, name in enumerate(names)}
    edges = sorted(tuple(sorted((place[str(source)], place[str(target)]))) for source, target in PAIRS)
    expect("ring.adjlist", **GRAPH | {"edges": edges, "ids": list(names)})


def main():
    os.makedirs(FOLDER, exist_ok=True)
    arrays()
    geometric()
    attributed()
    edges_alone()
    with open(path("expected.json"), "w") as file:
        lines = [f"{json.dumps(name)}: {json.dumps(what)}" for name, what in EXPECTED.items()]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
