"""Writes the outside numbers that farhop-data's metrics are compared with.

    python scripts/metric_fixtures.py crates/farhop-data/tests/fixtures/metrics.json

Classes and numbers are scored with scikit-learn, labels with OGB's evaluator (which scores each task with scikit-learn), pairs with
the rank lists of OGB's link evaluator over candidates masked as the three variants say. Numbers are kept as decimal text: inputs are
32-bit numbers in their shortest form, scores are 64-bit with all digits, "none" where a score is not defined. Needs numpy, torch,
scikit-learn and ogb.
"""
import json
import sys
import warnings

import numpy as np
import torch
from ogb.graphproppred import Evaluator as GraphEvaluator
from ogb.linkproppred import Evaluator as LinkEvaluator
from sklearn import metrics as sk

warnings.filterwarnings("ignore")
random = np.random.default_rng(20)
graph_evaluator = GraphEvaluator("ogbg-molhiv")
link_evaluator = LinkEvaluator("ogbl-wikikg2")


def text(values):
    """Numbers as one text, each in its shortest exact form."""
    return " ".join(str(value) for value in np.ravel(values))


def score(value):
    return "none" if value is None or np.isnan(value) else repr(float(value))


def f32(values):
    return np.asarray(values, dtype=np.float32)


def class_case(name, truth, predicted, classes):
    return {
        "name": name,
        "classes": classes,
        "truth": text(truth),
        "predicted": text(predicted),
        "accuracy": score(sk.accuracy_score(truth, predicted)),
        "balanced-accuracy": score(sk.balanced_accuracy_score(truth, predicted)),
        "macro-f1": score(sk.f1_score(truth, predicted, average="macro")),
    }


def class_cases():
    for classes, rows in [(2, 1), (2, 40), (3, 25), (7, 60), (21, 120), (30, 15)]:
        truth, predicted = random.integers(classes, size=(2, rows))
        yield class_case(f"random, {classes} classes, {rows} rows", truth, predicted, classes)
    truth = random.integers(5, size=50)
    likely = np.where(random.random(50) < 0.7, truth, random.integers(5, size=50))
    yield class_case("mostly right", truth, likely, 5)
    yield class_case("all right", truth, truth, 5)
    yield class_case("always one class", truth, np.full(50, 2), 5)
    yield class_case("a class that is never true", truth % 4, truth, 5)
    yield class_case("classes that do not occur", truth % 2, likely % 2, 9)
    yield class_case("one row, wrong", [1], [0], 3)


def ogb(method, key, truth, scores):
    try:
        return method(truth, scores)[key]
    except RuntimeError:  # no task has both classes
        return None


def balanced_accuracy(truth, called):
    """The mean over the tasks that have both answers."""
    values = []
    for t, c in zip(truth.T, called.T):
        there = ~np.isnan(t)
        if len(set(t[there])) == 2:
            values.append(sk.balanced_accuracy_score(t[there], c[there]))
    return np.mean(values) if values else None


def label_case(name, truth, scores):
    truth, scores = f32(truth), f32(scores)
    wide_truth, wide = truth.astype(float), scores.astype(float)
    called = np.where(wide > 0.0, 1.0, 0.0)
    labelled = (~np.isnan(wide_truth)).any(axis=0)  # OGB divides by zero in a task without labels
    accuracy = ogb(graph_evaluator._eval_acc, "acc", wide_truth[:, labelled], called[:, labelled]) if labelled.any() else None
    complete = not np.isnan(wide_truth).any()
    case = {
        "name": name,
        "tasks": truth.shape[1],
        "truth": text(truth),
        "scores": text(scores),
        "roc-auc": score(ogb(graph_evaluator._eval_rocauc, "rocauc", wide_truth, wide)),
        "average-precision": score(ogb(graph_evaluator._eval_ap, "ap", wide_truth, wide)),
        "label-accuracy": score(accuracy),
        "balanced-accuracy": score(balanced_accuracy(wide_truth, called)),
    }
    if complete:  # scikit-learn knows no missing labels
        case["subset-accuracy"] = score(sk.accuracy_score(wide_truth, called))
    return case


def labels(rows, tasks, positive=0.5, missing=0.0):
    truth = f32(random.random((rows, tasks)) < positive)
    truth[random.random((rows, tasks)) < missing] = np.nan
    return truth


def label_cases():
    for rows, tasks in [(2, 1), (10, 1), (100, 1), (60, 10), (30, 3)]:
        truth = labels(rows, tasks)
        yield label_case(f"random, {rows} x {tasks}", truth, random.normal(size=truth.shape))
        yield label_case(f"good scores, {rows} x {tasks}", truth, truth - 0.5 + random.normal(size=truth.shape))
        coarse = random.integers(-2, 3, size=truth.shape) / 4
        yield label_case(f"many ties, {rows} x {tasks}", truth, coarse)
    for positive in [0.02, 0.98]:
        truth = labels(80, 6, positive)
        yield label_case(f"rare class, {positive}", truth, random.normal(size=truth.shape))
    for missing in [0.2, 0.9]:
        truth = labels(40, 8, 0.3, missing)
        yield label_case(f"missing {missing}", truth, random.normal(size=truth.shape))
        yield label_case(f"missing {missing}, ties", truth, random.integers(3, size=truth.shape) - 1)
    truth = labels(30, 1)
    yield label_case("equal scores", truth, np.zeros_like(truth))
    yield label_case("perfect", truth, truth)
    yield label_case("reversed", truth, -truth)
    yield label_case("nearly equal scores", truth, 1 + truth * np.finfo(np.float32).eps)
    yield label_case("huge and tiny scores", truth, np.where(random.random(truth.shape) < 0.5, 3e38, 1e-45))
    yield label_case("all positive", np.ones((9, 1)), random.normal(size=(9, 1)))
    yield label_case("all negative", np.zeros((9, 2)), random.normal(size=(9, 2)))
    yield label_case("all missing", np.full((9, 2), np.nan), random.normal(size=(9, 2)))
    yield label_case("one row", [[1, 0]], [[0.5, 0.25]])
    mixed = labels(12, 4)
    mixed[:, 0], mixed[:, 1], mixed[:, 2] = 1, 0, np.nan
    yield label_case("one task of four counts", mixed, random.normal(size=mixed.shape))


def number_case(name, truth, predicted):
    truth, predicted = f32(truth), f32(predicted)
    pairs = []
    for t, p in zip(truth.T.astype(float), predicted.T.astype(float)):
        there = ~np.isnan(t)
        if there.any():
            pairs.append((t[there], p[there]))

    def mean(function, least=1):
        values = [function(t, p) for t, p in pairs if len(t) >= least]
        return score(np.mean(values)) if values else "none"

    case = {
        "name": name,
        "tasks": truth.shape[1],
        "truth": text(truth),
        "predicted": text(predicted),
        "mae": mean(sk.mean_absolute_error),
        "mse": mean(sk.mean_squared_error),
        "rmse": mean(sk.root_mean_squared_error),
        "r2": mean(sk.r2_score, 2),
    }
    if not np.isnan(truth).any():  # the same from scikit-learn's own mean over outputs
        wide = truth.astype(float), predicted.astype(float)
        for key, function in [
            ("mae", sk.mean_absolute_error),
            ("mse", sk.mean_squared_error),
            ("rmse", sk.root_mean_squared_error),
            ("r2", sk.r2_score),
        ]:
            case[key] = score(function(*wide))
    return case


def number_cases():
    for rows, tasks in [(2, 1), (50, 1), (40, 11), (7, 3)]:
        truth = random.normal(size=(rows, tasks))
        yield number_case(f"random, {rows} x {tasks}", truth, random.normal(size=truth.shape))
        yield number_case(f"good, {rows} x {tasks}", truth, truth + 0.1 * random.normal(size=truth.shape))
        missing = np.where(random.random(truth.shape) < 0.3, np.nan, truth)
        yield number_case(f"missing, {rows} x {tasks}", missing, random.normal(size=truth.shape))
    truth = random.normal(size=(20, 2))
    yield number_case("exact", truth, truth)
    yield number_case("far from zero", truth + 1000, truth + 1000.5)
    yield number_case("constant truth", np.full((9, 1), 0.1), random.normal(size=(9, 1)))
    yield number_case("constant truth, exact", np.full((9, 1), 0.1), np.full((9, 1), 0.1))
    yield number_case("one constant task", np.column_stack([truth[:, 0], np.full(20, 0.3)]), truth)
    yield number_case("one row", [[1.5, 2.5]], [[1.0, 3.0]])
    yield number_case("all missing", np.full((4, 2), np.nan), np.zeros((4, 2)))
    sparse = np.full((6, 3), np.nan)
    sparse[:, 0], sparse[2, 1] = random.normal(size=6), 1.0
    yield number_case("one full task, one truth, none", sparse, random.normal(size=(6, 3)))


def pair_ranks(scores, pairs, filtered, without_head):
    ranks = []
    for head, tail in pairs:
        keep = np.ones(len(scores), dtype=bool)
        keep[tail] = False
        if filtered:
            keep[[t for h, t in pairs if h == head]] = False
        if without_head:
            keep[head] = False
        row = torch.from_numpy(scores[head].copy())
        lists = link_evaluator._eval_mrr(row[tail].view(1), row[torch.from_numpy(keep)].view(1, -1), "torch")
        ranks.append(np.round(2 / lists["mrr_list"].item()) / 2)  # ranks are whole or half; the list is 32-bit
    return np.array(ranks)


def ranking_case(name, graphs):
    case = {"name": name, "graphs": []}
    for scores, pairs in graphs:
        flat = [node for pair in pairs for node in pair]
        case["graphs"].append({"nodes": len(scores), "scores": text(scores), "pairs": text(flat)})
    for key, filtered, without_head in [("raw", False, False), ("filtered", True, False), ("extended", True, True)]:
        ranks = [pair_ranks(scores, pairs, filtered, without_head) for scores, pairs in graphs if pairs]
        case[f"mrr-{key}"] = score(np.mean([np.mean(1 / r) for r in ranks])) if ranks else "none"
        for k in [1, 3, 10]:
            case[f"hits@{k}-{key}"] = score(np.mean([np.mean(r <= k) for r in ranks])) if ranks else "none"
    return case


def ranking_graph(nodes, count, ties):
    features = f32(random.normal(size=(nodes, 4)))
    scores = features @ features.T  # high scores of a node with itself, as dot products have
    if ties:
        scores = np.round(scores)
    pairs = [tuple(int(node) for node in random.integers(nodes, size=2)) for _ in range(count)]
    return f32(scores), pairs


def ranking_cases():
    yield ranking_case("one graph", [ranking_graph(12, 9, False)])
    yield ranking_case("ties", [ranking_graph(12, 20, True), ranking_graph(9, 5, True)])
    yield ranking_case("graphs of different size", [ranking_graph(n, n // 2, False) for n in [2, 5, 11, 23]])
    yield ranking_case("graphs without pairs", [ranking_graph(6, c, False) for c in [0, 4, 0]])
    yield ranking_case("nothing to rank", [ranking_graph(5, 0, False)])
    yield ranking_case("equal scores", [(f32(np.zeros((8, 8))), [(0, 1), (0, 2), (3, 3)])])
    yield ranking_case("one node", [(f32([[1.0]]), [(0, 0)])])
    yield ranking_case("every pair is true", [(f32(random.normal(size=(4, 4))), [(h, t) for h in range(4) for t in range(4)])])
    scores, pairs = ranking_graph(10, 6, True)
    yield ranking_case("pairs given twice", [(scores, pairs + pairs[:3])])


fixtures = {
    "classes": list(class_cases()),
    "labels": list(label_cases()),
    "numbers": list(number_cases()),
    "rankings": list(ranking_cases()),
}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(fixtures, file, indent=1)
    file.write("\n")
