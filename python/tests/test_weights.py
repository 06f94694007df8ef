"""Rows and classes that do not count the same."""

import numpy as np
import pytest

from conftest import rings
from farhop import DataError, FarhopError, GraphClassifier, GraphRegressor, NodeClassifier, NodeRegressor, SettingError

#: Full batches, nothing random but the first weights, nothing that looks at other rows.
PLAIN = {"norm": "none", "dropout": 0, "validation_fraction": 0, "verbose": False, "batch_size": 1000, "width": 8}
#: Weights stay as they are, so that the loss of the epoch is that of the model that is kept.
STILL = {"epochs": 1, "learning_rate": 1e-30, "weight_decay": 0, "warmup_epochs": 0}


def test_the_loss_of_classes_is_the_weighed_mean(path):
    graph, y = path
    weights = np.random.RandomState(1).randint(0, 4, 60) / 2
    train = np.arange(60) % 3 > 0
    model = NodeClassifier(**PLAIN, **STILL, input_dropout=0).fit(graph, y, train=train, sample_weight=weights)
    losses = -np.log(model.predict_proba()[np.arange(60), y].astype(float))
    expected = (weights * losses)[train].sum() / weights[train].sum()
    assert np.isclose(model.history_[0]["loss"], expected, rtol=1e-5)
    assert not np.isclose(expected, losses[train].mean(), rtol=1e-3)


def test_the_loss_of_labels_and_numbers_is_the_weighed_mean(path):
    graph, y = path
    weights = np.random.RandomState(2).rand(60)
    labels = np.column_stack([y, 1 - y]).astype(float)
    labels[4, 1] = np.nan
    model = NodeClassifier(**PLAIN, **STILL, input_dropout=0).fit(graph, labels, sample_weight=weights)
    shares = model.predict_proba().astype(float)
    losses = -np.log(np.where(labels == 1, shares, 1 - shares))
    known = ~np.isnan(labels)
    each = np.broadcast_to(weights[:, None], labels.shape)
    assert np.isclose(model.history_[0]["loss"], (each * losses)[known].sum() / each[known].sum(), rtol=1e-5)

    truth = np.linspace(-3, 5, 60) ** 2
    model = NodeRegressor(**PLAIN, **STILL, input_dropout=0, loss="l2").fit(graph, truth, sample_weight=weights)
    # Numbers are learned with mean 0 and deviation 1, over rows as they count.
    mean = np.average(truth, weights=weights)
    deviation = np.sqrt(np.average((truth - mean) ** 2, weights=weights))
    losses = ((model.predict().astype(float) - truth) / deviation) ** 2
    assert np.isclose(model.history_[0]["loss"], np.average(losses, weights=weights), rtol=1e-4)


@pytest.mark.parametrize("kind", [GraphClassifier, GraphRegressor])
def test_a_whole_weight_is_a_number_of_repetitions(kind):
    graphs, y, lengths = rings(14)
    truth = y if kind is GraphClassifier else lengths
    weights = np.array([1, 2, 0, 3, 1, 1, 2, 0, 1, 4, 1, 2, 1, 1])
    again = np.repeat(np.arange(14), weights)
    # Features are standardised over the rows that are there, so repetitions would change them.
    settings = {**PLAIN, "model": "gin", "inner_norm": "none", "scaling": "none", "layers": 2, "epochs": 6, "learning_rate": 0.01}
    weighed = kind(**settings).fit(graphs, truth, sample_weight=weights)
    repeated = kind(**settings).fit([graphs[i] for i in again], truth[again])
    plain = kind(**settings).fit(graphs, truth)
    ask = (lambda model: model.predict_proba(graphs)) if kind is GraphClassifier else (lambda model: model.predict(graphs))
    # The sums are the same numbers in another order.
    scale = np.abs(ask(repeated)).max()
    assert np.abs(ask(weighed) - ask(repeated)).max() < 1e-4 * scale
    assert np.abs(ask(weighed) - ask(plain)).max() > 1e-3 * scale


def test_weights_of_classes_are_weights_of_rows(path):
    graph, y = path
    names = np.array(["left", "right"])[y]
    settings = {"epochs": 5, "width": 8, "verbose": False}
    some = np.linspace(0.5, 1.5, 60)
    one = NodeClassifier(class_weight={"left": 3}, **settings).fit(graph, names, sample_weight=some)
    other = NodeClassifier(**settings).fit(graph, names, sample_weight=some * np.where(y == 0, 3, 1))
    assert np.array_equal(one.predict_proba(), other.predict_proba())
    train = (y == 0) | (np.arange(60) % 5 == 0)
    balanced = NodeClassifier(class_weight="balanced", validation_fraction=0, **settings).fit(graph, y, train=train)
    counts = np.bincount(y[train])
    given = NodeClassifier(class_weight=dict(enumerate(counts.sum() / (2 * counts))), validation_fraction=0, **settings)
    assert np.array_equal(balanced.predict_proba(), given.fit(graph, y, train=train).predict_proba())
    plain = NodeClassifier(validation_fraction=0, **settings).fit(graph, y, train=train)
    assert balanced.predict_proba()[:, 1].mean() > plain.predict_proba()[:, 1].mean()


def test_a_run_with_weights_goes_on_to_the_same_bits(path):
    graph, y = path
    weights = np.linspace(0, 2, 60)
    settings = {"width": 8, "verbose": False, "warm_start": True, "schedule": "constant"}
    whole = NodeClassifier(epochs=6, **settings).fit(graph, y, sample_weight=weights)
    halves = NodeClassifier(epochs=3, **settings).fit(graph, y, sample_weight=weights)
    halves.set_params(epochs=6).fit(graph, y, sample_weight=weights)
    assert np.array_equal(whole.predict_proba(), halves.predict_proba())
    with pytest.raises(DataError, match="Fit anew"):
        halves.set_params(epochs=9).fit(graph, y, sample_weight=weights + 1)


@pytest.mark.parametrize(
    ("weights", "error", "text"),
    [
        (np.ones(59), DataError, r"sample_weight has shape \(59,\) for 60 rows"),
        (np.ones((60, 2)), DataError, "sample_weight has shape"),
        (np.full(60, -1.0), DataError, r"sample_weight\[0\] is -1.0; a weight is 0 or a finite number above it"),
        ([1.0] * 59 + [np.nan], DataError, r"sample_weight\[59\] is nan"),
        (["a"] * 60, TypeError, "numbers are needed"),
        (np.zeros(60), FarhopError, "every row of the training part has the weight 0"),
    ],
)
def test_bad_weights(path, weights, error, text):
    graph, y = path
    with pytest.raises(error, match=text):
        NodeClassifier(epochs=1).fit(graph, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ("even", 'None, "balanced" or a dict'),
        ({5: 1.0}, "class_weight names 5, which is no class of y. Allowed: 0, 1"),
        ({0: -1}, "a weight is 0 or a finite number"),
        ({0: "much"}, "a weight is 0 or a finite number"),
    ],
)
def test_bad_weights_of_classes(path, weight, text):
    graph, y = path
    with pytest.raises(SettingError, match=text):
        NodeClassifier(class_weight=weight, epochs=1).fit(graph, y)
    with pytest.raises(SettingError, match="class_weight is for classes, and y has numbers"):
        NodeRegressor(class_weight="balanced", epochs=1).fit(graph, y.astype(float))
