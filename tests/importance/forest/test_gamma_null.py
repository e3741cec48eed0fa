"""Equation 7.19 summed over the nodes of a forest."""

import numpy as np
import pytest

from silvics import ForestClassifier, RandomForestClassifier
from silvics.importance import null_information

from .fitted_cases import CLASSES, FRAME, HOLES, TWO_CLASSES, X


def plain(forest, y, least=0):
    """Word by word, from the classes of the rows that reach each node."""
    found = np.zeros((len(forest.estimators_), forest.n_features_in_))
    outputs = np.asarray(y).reshape(len(y), -1)
    for m, tree in enumerate(forest.estimators_):
        arrays = tree.tree_
        for t in np.flatnonzero(arrays.feature >= 0):
            n = arrays.n_node_samples[t]
            if n < least:
                continue
            children = [c for c in arrays.children(int(t)) if arrays.n_node_samples[c] > 0]
            present = [(arrays.value[t, k] > 0).sum() for k in range(outputs.shape[1])]
            share = arrays.weighted_n_node_samples[t] / arrays.weighted_n_node_samples[0]
            classes = np.mean(np.array(present) - 1)
            found[m, arrays.feature[t]] += (
                share * (len(children) - 1) * classes / (2 * n * np.log(2))
            )
    return found.mean(axis=0)


@pytest.mark.parametrize(
    ("forest", "table", "y"),
    [
        (RandomForestClassifier(4, criterion="entropy", random_state=0), HOLES, CLASSES),
        (RandomForestClassifier(4, criterion="entropy", random_state=0), X, TWO_CLASSES),
        (RandomForestClassifier(4, criterion="log_loss", random_state=0), FRAME, CLASSES),
        (
            ForestClassifier("totally_randomized_multiway", n_estimators=3, random_state=0),
            X.round(),
            CLASSES,
        ),
    ],
)
def test_the_sum_is_that_of_the_nodes(forest, table, y):
    forest.fit(table, y)
    found = forest.importances("mdi", null="gamma")
    np.testing.assert_allclose(found.null, plain(forest, y), rtol=1e-9)
    again = forest.importances("mdi", table, y, null="gamma", min_samples=10)
    np.testing.assert_allclose(again.null, plain(forest, y, 10), rtol=1e-9)
    assert "equation 7.19" in repr(found)
    groups = forest.importances("mdi", null="gamma", feature_groups=[[0, 1]])
    assert groups.null[0] == pytest.approx(found.null[:2].sum())


def test_one_node_is_the_mean_of_the_gamma_distribution():
    x, y = np.arange(60) % 5, np.arange(60) // 7 % 3
    forest = ForestClassifier("totally_randomized_multiway", n_estimators=1, max_depth=1)
    found = forest.fit(x[:, np.newaxis].astype(float), y).importances(null="gamma")
    assert found.null[0] == pytest.approx(null_information(x, y).gamma_mean)


def test_table_7_1_without_information():
    """The corrected importances of the thesis' null case are small, but not zero."""
    values, null = np.zeros(5), np.zeros(5)
    random = np.random.default_rng(0)
    for seed in range(10):
        levels = [random.integers(0, k, 120) for k in (2, 4, 10, 20)]
        table = np.column_stack([random.normal(size=120), *levels])
        forest = ForestClassifier(
            "totally_randomized_multiway", n_estimators=60, max_values=200, random_state=seed
        ).fit(table, random.integers(0, 2, 120))
        found = forest.importances(null="gamma")
        values += found.values / 10
        null += found.null / 10
    np.testing.assert_allclose(values, [0.578, 0.034, 0.070, 0.124, 0.188], atol=0.03)
    np.testing.assert_allclose(values - null, [0.195, 0.015, 0.026, 0.042, 0.059], atol=0.016)


def test_other_criteria_are_refused():
    with pytest.raises(ValueError, match='criterion="entropy"'):
        RandomForestClassifier(3).fit(X, CLASSES).importances(null="gamma")
    oblique = ForestClassifier("forest_rc", criterion="entropy", n_estimators=2).fit(X, CLASSES)
    with pytest.raises(ValueError, match="oblique"):
        oblique.importances(null="gamma")
