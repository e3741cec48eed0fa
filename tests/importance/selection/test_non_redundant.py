"""Selection without redundant variables: planted signals, classes, tables and errors."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance import SelectNonRedundant
from silvics.importance.selection.non_redundant import _regressor, _with_residuals


def planted(seed=0, n=200):
    """Two strong variables with copies, and one that shows in residuals only."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 9))
    X[:, 1] = X[:, 0] + 0.1 * random.normal(size=n)
    X[:, 3] = X[:, 2] + 0.3 * random.normal(size=n)
    z = 4 * X[:, 0] + 2 * X[:, 2] + X[:, 4] + 0.2 * random.normal(size=n)
    return X, z


def select(forest=None, **parameters):
    forest = RandomForestRegressor(40, max_features=4) if forest is None else forest
    return SelectNonRedundant(forest, n_repeats=8, random_state=0, **parameters)


def sample_of(selector, X, y):
    return selector._sample(X, y, None)


def test_planted_variables_are_found_without_their_copies():
    n_false = 0
    for seed in range(3):
        X, z = planted(seed)
        found = select().fit(X, z)
        chosen = set(found.get_support(indices=True).tolist())
        assert len(chosen & {0, 1}) == len(chosen & {2, 3}) == len(chosen & {4}) == 1
        n_false += len(chosen - {0, 1, 2, 3, 4})
        first, last = found.rounds_[0], found.rounds_[-1]
        assert {0, 1, 2, 3} <= set(first.relevant.tolist())
        masked, by = ({0, 1} - chosen).pop(), (chosen & {0, 1}).pop()
        assert first.masked_by[masked] == by
        assert last.selected.size == 0
        np.testing.assert_array_equal(found.transform(X), X[:, sorted(chosen)])
    assert n_false <= 1


def test_without_residuals_weak_variables_that_seem_masked_are_missed():
    X, z = planted(4)
    once = select(max_rounds=1).fit(X, z)
    assert len(once.rounds_) == 1
    assert not set(once.get_support(indices=True)) - {0, 2, 4}


def test_noise_is_not_selected():
    random = np.random.default_rng(0)
    n_found = 0
    for seed in range(8):
        X = random.normal(size=(60, 8))
        found = select(RandomForestRegressor(20), max_rounds=2, level=0.01).set_params(
            random_state=seed
        )
        n_found += found.fit(X, random.normal(size=60)).support_.sum()
    assert n_found <= 2


def test_classes_are_selected_by_residuals_of_indicators():
    X, z = planted(1)
    y = np.array(["low", "middle", "high"])[np.searchsorted([-3, 3], z)]
    found = select(RandomForestClassifier(60, max_features=4)).fit(X, y)
    assert {0, 2} <= set(found.get_support(indices=True)) <= {0, 2, 4}
    again = select(RandomForestClassifier(60, max_features=4), n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(found.support_, again.support_)


def test_residuals_are_those_of_out_of_bag_predictions():
    X, z = planted()
    chosen = np.array([0, 2])
    of_numbers = sample_of(select(), X, z)
    after = _with_residuals(of_numbers, chosen, 7)
    forest = RandomForestRegressor(40, max_features=2, oob_score=True, random_state=7)
    np.testing.assert_allclose(after.y, z - forest.fit(X[:, chosen], z).oob_prediction_)
    y = np.where(z > 0, "yes", "no")
    sample = sample_of(select(RandomForestClassifier(40)), X, y)
    after = _with_residuals(sample, chosen, 7)
    grown = RandomForestClassifier(40, oob_score=True, random_state=7).fit(X[:, chosen], y)
    expected = np.eye(2)[(y == "yes").astype(int)] - grown.oob_decision_function_
    np.testing.assert_allclose(after.y, expected)
    assert isinstance(after.prototype, RandomForestRegressor)


def test_parameters_of_the_forest_are_kept():
    forest = ForestClassifier(
        "random_forest", 7, criterion="entropy", max_depth=3, class_weight="balanced"
    )
    made = _regressor(forest)
    assert (made.n_estimators, made.max_depth, made.criterion) == (7, 3, None)


@pytest.mark.parametrize("made", [pd.DataFrame, csr_matrix, np.asarray])
def test_every_table_and_forest(made):
    X, z = planted(2, n=120)
    X = np.round(np.maximum(X, 0), 1)
    table = made(X)
    if isinstance(table, pd.DataFrame):
        table.columns = [f"v{j}" for j in range(9)]
        table["kind"] = np.where(X[:, 2] > 0.5, "a", "b")
    forest = ExtraTreesRegressor(20)
    found = select(forest, max_rounds=2).fit(table, z)
    assert 0 in found.get_support(indices=True) or 1 in found.get_support(indices=True)
    assert found.transform(table).shape == (120, found.support_.sum())
    several = select(max_rounds=2).fit(X, np.column_stack([z, 20 * X[:, 5]]))
    assert 5 in several.get_support(indices=True)
    two = select(RandomForestClassifier(20), max_rounds=2)
    two.fit(X, np.column_stack([z > 0, X[:, 5] > 0.5]))
    assert 5 in two.get_support(indices=True)
    weighted = select(max_rounds=2).fit(X, z, np.arange(120) % 3)
    assert weighted.support_.any()


def test_errors(monkeypatch):
    X, z = planted(n=60)
    for parameters, text in [
        ({"level": 0.0}, "level"),
        ({"n_repeats": 1}, "n_repeats"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"task": "classification"}, "does not match"),
    ]:
        with pytest.raises(ValueError, match=text):
            SelectNonRedundant(RandomForestRegressor(3), **parameters).fit(X, z)
    monkeypatch.setattr("silvics.importance.selection.non_redundant._MOST_COMPARED", 1)
    with pytest.raises(ValueError, match="variables are relevant"):
        select().fit(X, z)
