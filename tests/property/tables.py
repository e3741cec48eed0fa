"""Small learning sets and estimators to draw from, and what it means for trees to be equal."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator

import silvics

MAX_ROWS = 40


def quarters(low=-40, high=40):
    """Dyadic numbers: sums of a few of them are exact in any order."""
    return st.integers(low, high).map(lambda i: i / 4)


@st.composite
def numeric_tables(draw, elements=None, min_rows=2, max_columns=4):
    """X with many ties."""
    elements = quarters(-8, 8) if elements is None else elements
    shape = draw(st.tuples(st.integers(min_rows, MAX_ROWS), st.integers(1, max_columns)))
    return draw(arrays(np.float64, shape, elements=elements))


def labels_of(n, n_classes=3):
    return arrays(np.int64, n, elements=st.integers(0, n_classes - 1))


def reals_of(n):
    return arrays(np.float64, n, elements=quarters())


@st.composite
def learning_sets(draw, classification, **table):
    X = draw(numeric_tables(**table))
    return X, draw(labels_of(len(X)) if classification else reals_of(len(X)))


_SINGLE = {True: "TreeClassifier", False: "TreeRegressor"}
_FOREST = {True: "Classifier", False: "Regressor"}
CRITERIA = {  # the last of each gives many different cuts the same score
    True: ("gini", "entropy", "misclassification"),
    False: ("squared_error", "friedman_mse", "absolute_error"),
}


@st.composite
def estimators(draw, classification, cuts=("best", "random"), all_variables=False, n_criteria=3):
    """A tree, or a forest whose trees see all rows, with parameters of every kind."""
    cut = draw(st.sampled_from(cuts))
    parameters = {
        "random_state": draw(st.integers(0, 99)),
        "criterion": draw(st.sampled_from(CRITERIA[classification][:n_criteria])),
        "max_features": None if all_variables else draw(st.sampled_from([None, 1, "sqrt"])),
        "constant_features": draw(st.sampled_from(["count", "skip"])),
        "search": draw(st.sampled_from(["auto", "sort", "bins"])),
        "growth": draw(st.sampled_from([None, "best_first", "breadth_first"])),
        "max_depth": draw(st.sampled_from([None, 1, 3])),
        "max_leaf_nodes": draw(st.sampled_from([None, 4])),
    }
    if draw(st.booleans()):
        kind = ("Decision" if cut == "best" else "Extra") + _SINGLE[classification]
        return getattr(silvics, kind)(**parameters)
    kind = ("RandomForest" if cut == "best" else "ExtraTrees") + _FOREST[classification]
    return getattr(silvics, kind)(n_estimators=3, bootstrap=False, **parameters)


tasks = st.booleans()  # True: classification


def trees_of(estimator: BaseEstimator):
    """tree_ of a tree, or of all trees of a forest."""
    return [t.tree_ for t in getattr(estimator, "estimators_", [estimator])]


SPLITS = ("children_left", "children_right", "feature", "threshold")


def assert_same_arrays(ours, theirs, names):
    for a, b in zip(trees_of(ours), trees_of(theirs), strict=True):
        for name in names:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def together(estimator, X):
    """Which rows share a leaf, in each tree: the partition, whatever its leaves are called."""
    leaves = np.asarray(estimator.apply(X)).reshape(len(X), -1)
    return leaves[:, np.newaxis] == leaves[np.newaxis]
