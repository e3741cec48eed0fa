"""Mean decrease of accuracy, against a plain loop over trees, variables and permutations."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.metrics import accuracy_score, mean_absolute_error

import silvics
from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

rng = np.random.default_rng(0)
X = rng.integers(0, 6, (90, 5)).astype(float)
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
CLASSES = np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]
CLASSES[X[:, 0] > 2] = "a"
NUMBERS = X[:, 0] * X[:, 1] + rng.normal(size=90)
FRAME = pd.DataFrame(
    {
        "species": np.array(["ash", "elm", "oak", None], dtype=object)[rng.integers(0, 4, 90)],
        "height": HOLES[:, 1],
        "old": X[:, 2] > 2,
    }
)


def permuted(table, members, rows):
    """The table, with some columns taken from other rows."""
    if isinstance(table, pd.DataFrame):
        table = table.copy()
        for j in members:
            table[table.columns[j]] = table[table.columns[j]].to_numpy()[rows]
        return table
    dense = table.toarray() if hasattr(table, "toarray") else table.copy()
    dense[:, members] = dense[rows][:, members]
    return csr_matrix(dense) if hasattr(table, "toarray") else dense


def plain(forest, table, y, groups, n_repeats, seed, loss):
    """Equation 6.3, word by word."""
    if isinstance(table, pd.DataFrame):  # trees of a forest know no names
        table = table.set_axis(range(table.shape[1]), axis=1)
    n = len(y)
    out = [~np.isin(np.arange(n), rows) for rows in forest.estimators_samples_]
    classes = getattr(forest, "classes_", None)

    def predicted(table):
        sums, counts = 0, np.zeros(n)
        for tree, left_out in zip(forest.estimators_, out, strict=True):
            if classes is None:
                says = tree.predict(table)
            else:
                says = tree.predict_proba(table)
                if getattr(forest, "vote", None) == "majority":
                    says = np.eye(says.shape[1])[says.argmax(axis=1)]
            weight = left_out.astype(float)
            sums = sums + (says.T * weight).T
            counts = counts + left_out
        means = (sums[counts > 0].T / counts[counts > 0]).T
        return means if classes is None else classes[means.argmax(axis=1)]

    known = np.sum(out, axis=0) > 0
    before = loss(y[known], predicted(table))
    generator = np.random.RandomState(seed)
    return np.array(
        [
            [
                loss(y[known], predicted(permuted(table, members, generator.permutation(n))))
                - before
                for _ in range(n_repeats)
            ]
            for members in groups
        ]
    ).T


def error(y, predicted):
    return np.mean(y != predicted)


def squared(y, predicted):
    return np.mean((y - predicted) ** 2)


CASES = {
    "classes": (RandomForestClassifier(30, random_state=0), X, CLASSES),
    "numbers": (RandomForestRegressor(30, random_state=0), X, NUMBERS),
    "holes": (RandomForestClassifier(30, random_state=0), HOLES, CLASSES),
    "holes, numbers": (
        RandomForestRegressor(30, min_samples_leaf=3, random_state=0),
        HOLES,
        NUMBERS,
    ),
    "categories": (RandomForestClassifier(30, random_state=0), FRAME, CLASSES),
    "sparse": (RandomForestRegressor(30, random_state=0), csr_matrix(X), NUMBERS),
    "two outputs": (
        RandomForestRegressor(30, random_state=0),
        X,
        np.column_stack([NUMBERS, X[:, 3]]),
    ),
    "extra": (ExtraTreesRegressor(30, bootstrap=True, random_state=0), X, NUMBERS),
    "combinations": (
        ForestClassifier("forest_rc", n_estimators=30, random_state=0),
        X,
        CLASSES,
    ),
    "both ways": (
        ForestRegressor("random_forest", missing="both", n_estimators=30, random_state=0),
        HOLES,
        NUMBERS,
    ),
    "weights": (
        RandomForestClassifier(80, class_weight={"a": 1, "b": 2, "c": 2}, random_state=0),
        X,
        CLASSES,
    ),
    "stumps": (RandomForestClassifier(30, max_depth=1, random_state=0), X, CLASSES),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("groups", [None, {"two": [0, 2]}])
def test_it_is_equation_6_3(name, groups):
    forest, table, y = CASES[name]
    forest = clone(forest).fit(table, y)
    found = forest.importances("mda", table, y, feature_groups=groups, n_repeats=3, random_state=7)
    p = table.shape[1]
    members = [[j] for j in range(p)]
    if groups is not None:
        members = [[0, 2], *([j] for j in range(p) if j not in (0, 2))]
    loss = error if hasattr(forest, "classes_") else squared
    expected = plain(forest, table, y, members, 3, 7, loss)
    assert found.replicates == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found.values == pytest.approx(expected.mean(axis=0), rel=1e-9, abs=1e-12)
    assert found.std == pytest.approx(expected.std(axis=0), rel=1e-9, abs=1e-12)
    assert len(found.names) == len(members)


def test_votes_are_permuted_as_votes():
    forest = ForestClassifier(
        "bagging", vote="majority", n_estimators=25, max_depth=2, random_state=0
    )
    forest.fit(X, CLASSES)
    found = forest.importances("mda", X, CLASSES, n_repeats=2, random_state=1)
    expected = plain(forest, X, CLASSES, [[j] for j in range(5)], 2, 1, error)
    assert found.replicates == pytest.approx(expected, abs=1e-12)


def test_more_variables_than_are_taken_at_a_time():
    table = rng.normal(size=(60, 150))
    y = table[:, 70] + table[:, 3]
    forest = RandomForestRegressor(20, random_state=0).fit(table, y)
    found = forest.importances("mda", table, y, n_repeats=1, random_state=0)
    expected = plain(forest, table, y, [[j] for j in range(150)], 1, 0, squared)
    assert found.replicates == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert set(np.argsort(-found.values)[:2]) == {70, 3}


def test_losses():
    forest = RandomForestClassifier(40, random_state=0).fit(X, CLASSES)
    plain_loss = forest.importances("mda", X, CLASSES, random_state=0)
    same = forest.importances(
        "mda", X, CLASSES, random_state=0, loss=lambda y, p: 1 - accuracy_score(y, p)
    )
    assert same.values == pytest.approx(plain_loss.values)
    logs = forest.importances("mda", X, CLASSES, random_state=0, loss="log_loss")
    assert logs.values[0] > 0
    assert logs.values[0] == logs.values.max()
    numbers = RandomForestRegressor(40, random_state=0).fit(X, NUMBERS)
    one = numbers.importances("mda", X, NUMBERS, random_state=0, loss="absolute_error")
    two = numbers.importances("mda", X, NUMBERS, random_state=0, loss=mean_absolute_error)
    assert one.values == pytest.approx(two.values)


def test_the_same_for_any_threads_and_seed():
    forest = RandomForestClassifier(30, random_state=0).fit(HOLES, CLASSES)
    one, three = (
        forest.importances("mda", HOLES, CLASSES, random_state=0, n_jobs=n) for n in (1, 3)
    )
    assert (one.replicates == three.replicates).all()
    other = forest.importances("mda", HOLES, CLASSES, random_state=1)
    assert (one.replicates != other.replicates).any()


def test_noise_has_none_and_errors_are_of_its_size():
    table = np.random.default_rng(3).normal(size=(400, 6))
    y = table[:, 0] + table[:, 1] > 0
    found = RandomForestClassifier(100, random_state=0).fit(table, y)
    found = found.importances("mda", table, y, n_repeats=10, random_state=0)
    assert (found.values[:2] > 10 * found.standard_errors[:2]).all()
    assert (np.abs(found.values[2:]) < 5 * found.standard_errors[2:]).all()
    assert "out-of-bag loss" in repr(found)
    assert found.to_frame().shape == (6, 4)


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        ((), {}, "needs the X and y"),
        ((X,), {}, "needs the X and y"),
        ((X[:-1], CLASSES[:-1]), {}, "fitted on 90"),
        ((X, CLASSES[:-1]), {}, "y has 89"),
        ((X, np.full(90, "z")), {}, "were not in the y of fit"),
        ((X[:, :4], CLASSES), {}, "features"),
        ((X, np.column_stack([CLASSES, CLASSES])), {}, "2 outputs"),
        ((X, CLASSES), {"n_repeats": 0}, "n_repeats must"),
        ((X, CLASSES), {"n_repeats": 1.5}, "n_repeats must"),
        ((X, CLASSES), {"loss": "squared_error"}, "loss must be one of"),
        ((X, CLASSES), {"by": "degree"}, "must be None or one of"),
        ((X, CLASSES), {"normalize": True}, "only by \\['mdi'\\]"),
    ],
)
def test_what_is_wrong_is_said(arguments, settings, words):
    forest = RandomForestClassifier(20, random_state=0).fit(X, CLASSES)
    with pytest.raises((ValueError, TypeError), match=words):
        forest.importances("mda", *arguments, **settings)


def test_rows_must_be_left_out_and_known(tmp_path):
    forest = RandomForestClassifier(20, bootstrap=False, random_state=0).fit(X, CLASSES)
    with pytest.raises(ValueError, match="bootstrap=True"):
        forest.importances("mda", X, CLASSES)
    forest = RandomForestClassifier(20, random_state=0).fit(X, CLASSES)
    merged = silvics.merge([forest, forest])
    with pytest.raises(ValueError, match="which rows each tree has drawn"):
        merged.importances("mda", X, CLASSES)
    few = RandomForestClassifier(1, random_state=0).fit(X, CLASSES)
    with pytest.warns(UserWarning, match="drawn by all trees"):
        few.importances("mda", X, CLASSES)
    forest.save(tmp_path / "rows", training_rows=True)
    loaded = silvics.load(tmp_path / "rows").importances("mda", X, CLASSES, random_state=0)
    assert (
        loaded.replicates == forest.importances("mda", X, CLASSES, random_state=0).replicates
    ).all()
