"""Prototypes against a slow search in the matrix of all proximities."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import silvics
from silvics.inspection import prototypes

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 5))
Y = np.digitize(X[:, 0] + 0.2 * RNG.normal(size=N), [-0.5, 0.5])


def fitted(table=X, y=Y):
    return silvics.RandomForestClassifier(30, random_state=0).fit(table, y)


def by_hand(P, y, n_neighbors, n_prototypes, *, mean=False):
    """Greedy search, row by row."""
    others = P.copy()
    np.fill_diagonal(others, -1)
    order = np.argsort(-others, axis=1, kind="stable")[:, :n_neighbors]
    near = [{j for j in order[i] if P[i, j] > 0 and y[j] == y[i]} for i in range(len(P))]
    found = []
    for c in np.unique(y):
        rows = [int(i) for i in np.flatnonzero(y == c)]
        left = set(rows)
        for _ in range(n_prototypes):
            if mean:
                key = {i: (P[i, rows].sum() - P[i, i]) / (len(rows) - 1) for i in left}
                best = max(sorted(left), key=lambda i: round(key[i], 12))
            else:
                score = {i: (len(near[i] & left), round(P[i, sorted(near[i] & left)].sum(), 12))
                         for i in left}  # fmt: skip
                best = max(sorted(left), key=lambda i: score[i])
            found.append(best)
            left -= near[best] | {best}
            if not left:
                break
    return found, near


@pytest.mark.parametrize("method", ["neighbors", "mean"])
@pytest.mark.parametrize("n_neighbors", [5, 20])
def test_a_slow_search_agrees(method, n_neighbors):
    forest = fitted()
    expected, near = by_hand(forest.proximity(X), Y, n_neighbors, 3, mean=method == "mean")
    found = prototypes(forest, X, Y, n_prototypes=3, method=method, n_neighbors=n_neighbors)
    assert found.rows.tolist() == expected
    assert found.ranks.tolist() == [1, 2, 3] * 3
    np.testing.assert_array_equal(found.labels, Y[found.rows])
    for row, neighbors in zip(found.rows, found.neighbors, strict=True):
        assert set(neighbors.tolist()) == near[row]


def test_medians_and_levels():
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["e"] = np.where(X[:, 0] > 0, "high", "low")
    frame.loc[::9, "b"] = np.nan
    forest = fitted(frame)
    plain = prototypes(forest, frame, Y, n_neighbors=15)
    found = prototypes(forest, frame, Y, n_neighbors=15, method="median")
    np.testing.assert_array_equal(found.rows, plain.rows)
    table = found.to_frame()
    for k, row in enumerate(found.rows):
        group = frame.iloc[[*found.neighbors[k], row]]
        assert table["a"][k] == group["a"].median()
        assert table["b"][k] == group["b"].median()
        assert table["e"][k] == group["e"].mode()[0]
    shown = plain.to_frame()
    assert shown["e"].tolist() == frame["e"].iloc[plain.rows].tolist()


def test_columns_and_labels():
    y = np.array(["low", "middle", "high"])[Y]
    found = prototypes(fitted(y=y), X, y)
    assert found.labels.tolist() == ["high", "low", "middle"]
    frame = found.to_frame()
    assert list(frame.columns)[:5] == ["class", "rank", "row", "score", "n_neighbors"]
    np.testing.assert_array_equal(frame["x0"], X[found.rows, 0])
    names = pd.DataFrame(X, columns=["class", "rank", "x", "y", "z"])
    again = prototypes(fitted(names), names, Y).to_frame()
    assert {"class_", "rank_", "x"} <= set(again.columns)


def test_without_classes_and_sparse():
    table = csr_matrix(np.where(X > 0.5, X, 0))
    forest = silvics.RandomForestRegressor(10, random_state=0).fit(table, X[:, 0])
    found = prototypes(forest, table, n_prototypes=2)
    assert found.labels is None
    assert "class" not in found.to_frame()
    np.testing.assert_array_equal(found.to_frame()["x1"], table.toarray()[found.rows, 1])


def test_a_small_class_has_few_prototypes():
    y = Y.copy()
    y[y == 0] = 1
    y[:2] = 0
    found = prototypes(fitted(y=y), X, y, n_prototypes=5)
    assert 1 <= (found.labels == 0).sum() <= 2


def test_any_number_of_threads_and_a_plot():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = prototypes(fitted(), X, Y, n_jobs=3)
    assert found.rows.tolist() == prototypes(fitted(), X, Y, n_jobs=1).rows.tolist()
    assert len(found.plot(ax=pyplot.figure().add_subplot()).ax_.patches) == 3
    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"n_prototypes": 0}, ValueError),
        ({"n_prototypes": 1.5}, TypeError),
        ({"method": "other"}, ValueError),
        ({"n_neighbors": 0}, ValueError),
        ({"X": None}, ValueError),
        ({"y": Y[:3]}, ValueError),
    ],
)
def test_errors(arguments, error):
    with pytest.raises(error):
        prototypes(fitted(), **{"X": X, "y": Y, **arguments})


def test_medians_of_dates_and_of_ordered_levels():
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2026-01-01", periods=len(X)),
            "size": pd.Categorical(np.where(Y == 1, "low", "high"), ["low", "high"], ordered=True),
        }
    )
    forest = silvics.RandomForestClassifier(20, random_state=0).fit(frame, Y)
    found = prototypes(forest, frame, Y, method="median")
    for row, around, size, label in zip(
        found.rows, found.neighbors, found.values["size"], found.labels, strict=True
    ):
        days = sorted(frame["day"].iloc[np.append(around, row)])
        assert found.values["day"][list(found.rows).index(row)] == days[(len(days) - 1) // 2]
        assert size == ("low" if label == 1 else "high")
