"""Estimators: what they learn, keep, refuse, and share with the command."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import farhop
from conftest import path_graph, rings
from farhop import DataError, GraphClassifier, GraphRegressor, LinkScorer, NodeClassifier, NodeRegressor, SettingError

SMALL = {"epochs": 15, "width": 8, "verbose": False}


def test_nodes_are_classified(path):
    graph, y = path
    mask = np.arange(60) % 2 == 0
    model = NodeClassifier(hops=3, **SMALL).fit(graph, y, train=mask)
    shares = model.predict_proba()
    assert shares.shape == (60, 2) and np.allclose(shares.sum(1), 1, atol=1e-5)
    assert model.score(mask=~mask) > 0.8 and model.score(graph, y, mask=~mask) == model.score(mask=~mask)
    assert np.array_equal(model.predict(), model.predict(graph))
    assert model.classes_.tolist() == [0, 1]
    assert len(model.history_) == model.n_iter_ == 15 and model.history_[0]["epoch"] == 1
    weights = model.hop_attention_
    assert weights.shape[1:] == (60, 1, 3) and np.allclose(weights.sum(-1), 1, atol=1e-5)
    assert model.embed().shape[0] == 60
    other, truth = path_graph(40, seed=3)
    assert model.score(other, truth) > 0.7


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(path):
    graph, y = path
    found = [NodeClassifier(random_state=5, n_threads=threads, **SMALL).fit(graph, y).predict_proba() for threads in (1, 2, 3)]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0], NodeClassifier(random_state=6, **SMALL).fit(graph, y).predict_proba())


def test_labels_of_any_kind_come_back(path):
    graph, y = path
    for labels in (np.array(["left", "right"])[y], y.astype(bool), y + 7, [["a", "b"][i] for i in y]):
        model = NodeClassifier(**SMALL).fit(graph, labels)
        assert set(model.predict().tolist()) <= set(np.asarray(labels).tolist())
        assert pickle.loads(pickle.dumps(model)).classes_.tolist() == model.classes_.tolist()


def test_unknown_answers_are_not_learned_from(path):
    graph, y = path
    some = y.astype(float)
    some[::3] = np.nan
    model = NodeClassifier(validation_fraction=0, **SMALL).fit(graph, some)
    assert model.run_path_.joinpath("split.json").read_text().count('"') == 2 * (40 + 3)


def test_several_labels_of_nodes(path):
    graph, y = path
    model = NodeClassifier(**SMALL).fit(graph, np.column_stack([y, 1 - y]))
    assert model.predict_proba().shape == (60, 2) and set(np.unique(model.predict())) <= {0, 1}
    assert model.score() > 0.5


def test_numbers_of_nodes(path):
    graph, _ = path
    y = graph.x[:, 0] * 3 + 1
    model = NodeRegressor(epochs=60, width=16, verbose=False).fit(graph, y)
    assert model.predict().shape == (60,) and model.score(graph, y) > 0.5
    two = NodeRegressor(**SMALL).fit(graph, np.column_stack([y, -y]))
    assert two.predict().shape == (60, 2)


def test_features_and_edges_without_a_graph(path):
    graph, y = path
    x, edges = np.array(graph.x), graph.edge_index
    model = NodeClassifier(**SMALL).fit(x, y, edges=edges)
    assert np.array_equal(model.predict_proba(x, edges=edges), model.predict_proba())


def test_graphs_are_classified_and_measured():
    graphs, y, lengths = rings()
    model = GraphClassifier(model="gin", epochs=40, width=16, layers=3, verbose=False).fit(graphs, y)
    assert model.predict(graphs).shape == (24,) and model.score(graphs, y) > 0.7
    numbers = GraphRegressor(model="gin", epochs=5, width=8, readout="sum", verbose=False).fit(graphs, lengths)
    assert numbers.predict(graphs[:3]).shape == (3,)


def test_molecules_are_learned_from():
    smiles = ["CCO", "CCN", "CCC", "c1ccccc1", "CC(=O)O", "CCCl", "CCCC", "CO"] * 2
    y = np.array([float(len(text)) for text in smiles])
    model = GraphRegressor(epochs=3, width=8, verbose=False).fit(farhop.molecules(smiles), y)
    assert model.predict(farhop.molecules(["CCCCC"])).shape == (1,)


def test_pairs_of_nodes():
    graph, _ = path_graph(40)
    pairs = np.column_stack([np.arange(38), np.arange(2, 40)])
    model = LinkScorer(walk=4, **SMALL).fit(graph, pairs)
    assert model.predict_proba([[0, 2], [0, 20]]).shape == (2,)
    assert np.allclose(model.predict_proba(pairs[:5]), farhop_again(model).predict_proba(pairs[:5]))


def farhop_again(model):
    return pickle.loads(pickle.dumps(model))


def test_a_dataset_of_the_catalogue_is_made_and_learned_from():
    dataset = farhop.load_dataset("ring-transfer")
    assert dataset.level == "graph" and len(dataset) > 10
    model = GraphClassifier(model="gcn", epochs=2, width=8, verbose=False).fit(dataset)
    assert len(model.predict()) == len(dataset) and model.scores_["test"] is not None


def test_parameters_are_those_of_the_registry():
    model = NodeClassifier(model="gcn", width=32)
    assert model.get_params()["width"] == 32 and model.width == 32 and model.set_params(width=16).width == 16
    assert "hops" in NodeClassifier.__signature__.parameters and "learning_rate" in NodeClassifier.__signature__.parameters
    with pytest.raises(SettingError, match="Did you mean width"):
        NodeClassifier(widht=3)
    with pytest.raises(SettingError, match="Did you mean learning_rate"):
        model.set_params(learning_rat=3)
    with pytest.raises(SettingError, match="called random_state"):
        NodeClassifier(seed=3)
    assert len(farhop.models()) > 30 and farhop.settings()["hops"]["key"] == "model.hops"
    assert repr(NodeClassifier(hops=3)) == "NodeClassifier(hops=3)"


def test_wrong_settings_are_refused_with_the_words_of_the_command(path, command, tmp_path):
    graph, y = path
    with pytest.raises(SettingError, match="hops is not a setting of model gcn"):
        NodeClassifier(model="gcn", hops=3).fit(graph, y)
    with pytest.raises(SettingError, match="gcm"):
        NodeClassifier(model="gcm").fit(graph, y)
    for name, value, text in [("width", "wide", "allowed is a whole number, 1 to 65536"), ("class_weight", [1, 2], "class_weight is")]:
        with pytest.raises(SettingError, match=text):
            NodeClassifier(**{name: value}).fit(graph, y)
    with pytest.raises(SettingError) as refused:
        NodeClassifier(hops=1000).fit(graph, y)
    farhop_file = tmp_path / "path.farhop"
    saved(graph, y, farhop_file)
    assert str(refused.value) in command("train", farhop_file, "--hops", 1000, "--out", tmp_path / "run", "--quiet", fails=True)


def saved(graph, y, file):
    from farhop._graphs import dataset_of
    from farhop._targets import classes

    every = np.arange(60)
    parts = [every[every % 5 < 3], every[every % 5 == 3], every[every % 5 == 4]]
    dataset_of([graph], "node", classes(y, 60)[0], parts=parts).save(str(file))
    return dict(zip(("train", "valid", "test"), parts))


def test_a_run_has_the_same_bits_as_one_of_the_command(path, command, tmp_path):
    graph, y = path
    parts = saved(graph, y, tmp_path / "path.farhop")
    command("train", tmp_path / "path.farhop", "--hops", 3, "--width", 8, "--epochs", 6, "--seed", 4, "--out", tmp_path / "theirs", "--quiet")
    ours = NodeClassifier(hops=3, width=8, epochs=6, random_state=4, folder=tmp_path / "ours").fit(graph, y, **parts)
    weights = [(tmp_path / run / "model.safetensors").read_bytes() for run in ("ours", "theirs")]
    assert weights[0] == weights[1]
    # Ours is read by the command, theirs by us.
    command("predict", tmp_path / "ours", "--out", tmp_path / "ours.csv", "--quiet")
    command("predict", tmp_path / "theirs", "--out", tmp_path / "theirs.csv", "--quiet")
    assert (tmp_path / "ours.csv").read_text() == (tmp_path / "theirs.csv").read_text()
    theirs = farhop.load(tmp_path / "theirs")
    assert isinstance(theirs, NodeClassifier) and theirs.get_params()["hops"] == 3
    assert np.array_equal(theirs.predict_proba(), ours.predict_proba())
    written = [line.split(",")[1] for line in (tmp_path / "ours.csv").read_text().splitlines()[1:]]
    assert written == [str(label) for label in ours.predict()]
    assert theirs.scores_ == ours.scores_
    # A folder may move.
    os.rename(tmp_path / "ours", tmp_path / "moved")
    assert '"status": "finished"' in (tmp_path / "moved" / "run.json").read_text()
    command("evaluate", tmp_path / "moved", "--quiet")
    command("train", "--resume", tmp_path / "moved", "--epochs", 8, "--quiet")
    assert farhop.load(tmp_path / "moved").n_iter_ == 8


def test_runs_of_tables_are_read(command, tmp_path):
    (tmp_path / "nodes.csv").write_text("id,size,label\n" + "".join(f"n{i},{i % 7},{'ab'[i % 2]}\n" for i in range(30)))
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"n{i},n{i + 1}\n" for i in range(29)))
    command("train", "--nodes", tmp_path / "nodes.csv", "--edges", tmp_path / "edges.csv", "--target", "label", "--epochs", 3,
            "--out", tmp_path / "run", "--quiet")
    model = farhop.load(tmp_path / "run")
    assert model.predict().shape == (30,) and set(model.classes_) == {"a", "b"}


def test_saved_and_pickled_models_say_the_same(path, tmp_path):
    graph, y = path
    model = NodeClassifier(**SMALL).fit(graph, y)
    model.save(tmp_path / "run")
    for again in (farhop.load(tmp_path / "run"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict_proba(), model.predict_proba())
        assert again.get_params()["width"] == 8
    with pytest.raises(farhop.RunError, match="overwrite=True"):
        model.save(tmp_path / "run")
    model.save(tmp_path / "run", overwrite=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").write_text("x")
    with pytest.raises(farhop.RunError, match="not a run folder"):
        model.save(tmp_path / "other", overwrite=True)
    with pytest.raises(farhop.RunError, match="no run.json"):
        farhop.load(tmp_path / "other")


def test_callbacks_hear_of_every_epoch_and_may_stop(path):
    graph, y = path
    heard = []
    model = NodeClassifier(epochs=50, width=8, callbacks=[heard.append, lambda report: report["epoch"] == 4]).fit(graph, y)
    assert [report["epoch"] for report in heard] == [1, 2, 3, 4] and model.n_iter_ == 4
    assert model.record_["status"] == "interrupted" and model.predict().shape == (60,)

    def broken(report):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        NodeClassifier(epochs=50, width=8, callbacks=[broken]).fit(graph, y)


def test_warm_start_goes_on_with_the_same_bits(path):
    graph, y = path
    whole = NodeClassifier(epochs=12, width=8, warmup_epochs=0, schedule="constant").fit(graph, y)
    parted = NodeClassifier(epochs=5, width=8, warmup_epochs=0, schedule="constant", warm_start=True).fit(graph, y)
    assert parted.n_iter_ == 5
    parted.set_params(epochs=12).fit(graph, y)
    assert parted.n_iter_ == 12 and np.array_equal(parted.predict_proba(), whole.predict_proba())
    with pytest.raises(DataError, match="same data"):
        parted.set_params(epochs=13).fit(graph, 1 - y)
    with pytest.raises(SettingError, match="width changed"):
        parted.set_params(width=9).fit(graph, y)


@pytest.fixture
def control_c():
    """Ctrl-C as in a terminal: a program that was started in the background of a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_control_c_stops_within_a_second_and_keeps_the_state(control_c):
    graph, y = path_graph(3000)
    model = NodeClassifier(epochs=100_000, width=32, warm_start=True, patience=None)
    begun = threading.Event()
    model.set_params(callbacks=[lambda report: begun.set()])

    def interrupt():
        begun.wait()
        time.sleep(0.3)
        interrupt.at = time.monotonic()
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, y)
    assert time.monotonic() - interrupt.at < 1.0
    thread.join()
    done = model.n_iter_
    assert done >= 1 and model.predict().shape == (3000,)
    model.set_params(epochs=done + 2, callbacks=None).fit(graph, y)
    assert model.n_iter_ == done + 2


def test_the_interpreter_goes_on_while_a_model_is_fitted():
    graph, y = path_graph(2000)
    counted = []

    def count():
        while not finished.is_set():
            counted.append(1)
            time.sleep(0.001)

    finished = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    NodeClassifier(epochs=10, width=32).fit(graph, y)
    finished.set()
    thread.join()
    assert len(counted) > 20


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"train": np.ones(59, dtype=bool)}, DataError, "train is a mask of length 59 for 60 rows"),
        ({"train": [0, 60]}, DataError, "train has 60, but there are 60 rows"),
        ({"train": [0, 1], "test": [1]}, DataError, "row 1 is in train and in test"),
        ({"train": [-1]}, DataError, "train has -1"),
        ({"edge_attr": np.ones((3, 1))}, DataError, "edge_attr goes with edges"),
    ],
)
def test_bad_arguments_of_fit(path, arguments, error, text):
    graph, y = path
    with pytest.raises(error, match=text):
        NodeClassifier(**SMALL).fit(graph, y, **arguments)


@pytest.mark.parametrize(
    ("callbacks", "text"),
    [([3], r"callbacks\[0\] is 3; a function"), (print, "a list of functions is needed")],
)
def test_callbacks_are_functions(path, callbacks, text):
    with pytest.raises(TypeError, match=text):
        NodeClassifier(**SMALL, callbacks=callbacks).fit(*path)


def test_features_without_edges_and_objects_in_lists_are_told(path):
    graph, y = path
    with pytest.raises(DataError, match="X has features of 60 rows and no edges. Pass edges=edge_index"):
        NodeClassifier(**SMALL).fit(np.linspace(0.1, 1, 180).reshape(60, 3), y)
    with pytest.raises(TypeError, match=r"X\[1\]: a graph can't be made of int"):
        NodeClassifier(**SMALL).fit([graph, 3], y)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"hops": "four"}, 'hops = "four" is not possible: allowed is a whole number, 1 to 64'),
        ({"dropout": "a"}, 'dropout = "a" is not possible: allowed is a number, 0 to below 1'),
    ],
)
def test_settings_of_another_type_are_told_by_name(path, settings, text):
    with pytest.raises(ValueError, match=text):
        NodeClassifier(**{**SMALL, **settings}).fit(*path)


@pytest.mark.parametrize(
    ("y", "error", "text"),
    [
        (None, DataError, "y is missing"),
        (np.zeros(60), DataError, "y has 1 class"),
        (np.arange(59), DataError, r"y has shape \(59,\) for 60 rows"),
        (np.linspace(0, 1, 60), DataError, "take a regressor"),
        ([object()] * 60, TypeError, "classes are"),
    ],
)
def test_bad_answers(path, y, error, text):
    with pytest.raises(error, match=text):
        NodeClassifier(**SMALL).fit(path[0], y)


def test_a_graph_without_features_is_refused_or_encoded(path):
    graph, y = path
    bare = farhop.Graph(graph.edge_index)
    with pytest.raises(DataError, match="no node features"):
        NodeClassifier(**SMALL).fit(bare, y)
    assert NodeClassifier(walk=4, **SMALL).fit(bare, y).predict().shape == (60,)


def test_another_width_of_features_is_refused(path):
    graph, y = path
    model = NodeClassifier(**SMALL).fit(graph, y)
    with pytest.raises(DataError, match="features"):
        model.predict(farhop.Graph(graph.edge_index, np.ones((60, 3), dtype=np.float32)))


def test_what_is_not_fitted_says_so():
    with pytest.raises(farhop.NotFittedError, match="Call fit first"):
        NodeClassifier().predict()


def test_notebooks_see_settings_and_the_curve(path):
    graph, y = path
    model = NodeClassifier(**SMALL)
    assert "<table>" in model._repr_html_()
    assert "<svg" in model.fit(graph, y)._repr_html_()
