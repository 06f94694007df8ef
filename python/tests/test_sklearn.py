"""The conventions of scikit-learn.

Of its own checks those apply that do not hand over a table: the estimators learn from graphs. Not run, and why:
* `check_estimator` runs `check_estimator_cloneable` alone on estimators whose tags say that they take no tables, and these do not;
* checks that call fit(X, y) with a two-dimensional X (nearly all others): a table has no edges;
* checks of sample weights: they, too, fit tables; python/tests/test_weights.py has our own;
* checks that forbid `**kwargs` in `__init__`: settings come from the registry, under the names that `__signature__` shows.
"""

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.utils import estimator_checks as checks  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402

from conftest import rings  # noqa: E402
from farhop import GraphClassifier, GraphRegressor, LinkScorer, NodeClassifier, NodeRegressor  # noqa: E402

ALL = [NodeClassifier, NodeRegressor, GraphClassifier, GraphRegressor, LinkScorer]
APPLY = [
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_set_params",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_mixin_order",
]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", APPLY)
def test_checks_of_scikit_learn(kind, name):
    check = getattr(checks, name, None)
    if check is None:
        pytest.skip(f"this scikit-learn has no {name}")
    check(kind.__name__, kind())


@pytest.mark.parametrize("kind", ALL)
def test_clones_have_the_same_parameters(kind):
    model = kind(model="gcn", width=8, random_state=3)
    assert clone(model).get_params() == model.get_params() and clone(model) is not model


def test_kinds_are_told():
    assert is_classifier(NodeClassifier()) and is_regressor(GraphRegressor()) and not is_classifier(NodeRegressor())
    with pytest.raises(NotFittedError):
        check_is_fitted(NodeClassifier())
    with pytest.raises(NotFittedError, match="Call fit first"):
        NodeClassifier().predict()


def test_unfitted_estimators_say_so():
    checks.check_estimators_unfitted("NodeClassifier", NodeClassifier())
    checks.check_estimators_unfitted("GraphRegressor", GraphRegressor())


def test_lists_of_graphs_are_cross_validated_and_searched():
    graphs, y, lengths = rings(30)
    model = GraphClassifier(model="gin", epochs=12, width=8, layers=2, learning_rate=0.02)
    found = cross_val_score(model, graphs, y, cv=3)
    assert found.shape == (3,) and found.mean() > 0.6
    search = GridSearchCV(model, {"width": [2, 8], "dropout": [0.0]}, cv=2).fit(graphs, y)
    assert search.best_params_["width"] in (2, 8) and search.predict(graphs).shape == (30,)
    numbers = cross_val_score(GraphRegressor(model="gin", epochs=3, width=4), graphs, lengths, cv=2)
    assert np.isfinite(numbers).all()


def test_many_processes_fit_at_once():
    graphs, y, _ = rings(16)
    found = cross_val_score(GraphClassifier(model="gcn", epochs=2, width=4, n_threads=1), graphs, y, cv=2, n_jobs=2)
    alone = cross_val_score(GraphClassifier(model="gcn", epochs=2, width=4, n_threads=1), graphs, y, cv=2)
    assert found.tolist() == alone.tolist()
