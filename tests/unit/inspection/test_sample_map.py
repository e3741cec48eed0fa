"""Maps against classical scaling by its definition, and landmarks against all samples."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris

import silvics
from silvics.inspection import proximity_map

X, Y = load_iris(return_X_y=True)


def fitted(table=X, **parameters):
    settings = {"n_estimators": 30, "keep_samples": True, "random_state": 0, **parameters}
    return silvics.RandomForestClassifier(**settings).fit(table, Y)


def by_hand(P, n_components):
    """Classical scaling through the full spectrum."""
    D = 1 - (P + P.T) / 2
    np.fill_diagonal(D, 0)
    J = np.eye(len(D)) - 1 / len(D)
    B = -0.5 * J @ D**2 @ J
    values, vectors = np.linalg.eigh(B)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    return vectors * np.sqrt(values), values, np.trace(B)


@pytest.mark.parametrize("kind", ["original", "oob", "gap"])
def test_classical_scaling_by_hand(kind):
    forest = fitted()
    expected, values, total = by_hand(forest.proximity(kind=kind), 3)
    found = proximity_map(forest, n_components=3, kind=kind)
    np.testing.assert_allclose(found.eigenvalues, values, rtol=1e-9)
    np.testing.assert_allclose(found.explained, values / total, rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.coordinates), np.abs(expected), atol=1e-8)
    largest = np.abs(found.coordinates).argmax(axis=0)
    assert (found.coordinates[largest, range(3)] > 0).all()
    assert found.landmarks is None
    np.testing.assert_array_equal(found.labels, Y)


def test_landmarks_are_placed_exactly_and_others_close(monkeypatch):
    forest = fitted()
    found = proximity_map(forest, X, Y, n_landmarks=100)
    assert len(found.landmarks) == 100
    among = proximity_map(forest, X[found.landmarks])
    np.testing.assert_allclose(found.coordinates[found.landmarks], among.coordinates, atol=1e-8)
    whole = proximity_map(forest, X)
    assert np.corrcoef(pdist(found.coordinates), pdist(whole.coordinates))[0, 1] > 0.97
    monkeypatch.setattr("silvics.inspection.sample_map._MOST_PAIRS", 700)  # in blocks of 7 rows
    again = proximity_map(forest, X, Y, n_landmarks=100, n_jobs=3)
    np.testing.assert_allclose(again.coordinates, found.coordinates, atol=1e-12)


def test_the_seed_draws_landmarks():
    forest = fitted()
    maps = [proximity_map(forest, X, n_landmarks=60, random_state=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(maps[0].coordinates, maps[1].coordinates)
    assert not np.array_equal(maps[0].landmarks, maps[2].landmarks)


@pytest.mark.parametrize("n_landmarks", [80, 2000])
def test_frames_and_sparse_tables(n_landmarks):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["a"] = pd.cut(frame["a"], 4).astype(str)
    found = proximity_map(fitted(frame), frame, Y, n_landmarks=n_landmarks)
    table = found.to_frame()
    assert list(table.columns) == ["row", "dimension_1", "dimension_2", "class"]
    np.testing.assert_array_equal(table["dimension_1"], found.coordinates[:, 0])
    sparse = csr_matrix(np.where(X > 2, X, 0))
    forest = fitted(sparse)
    np.testing.assert_allclose(
        proximity_map(forest, sparse, n_landmarks=n_landmarks).coordinates,
        proximity_map(forest, sparse.toarray(), n_landmarks=n_landmarks).coordinates,
    )


def test_classes_are_apart():
    found = proximity_map(fitted(), X, Y)
    centres = np.array([found.coordinates[Y == c].mean(axis=0) for c in range(3)])
    nearest = ((found.coordinates[:, np.newaxis] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == Y) > 0.95


def test_plots():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    forest = fitted()
    found = proximity_map(forest)
    assert len(found.plot(ax=pyplot.figure().add_subplot()).ax_.collections) == 3
    for y in (None, X[:, 0], np.arange(150).astype(str)):
        axes = proximity_map(forest, X, y, n_components=1).plot(ax=pyplot.figure().add_subplot())
        assert len(axes.ax_.collections) == 1
    assert "150 samples" in repr(found)
    pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"kind": "kernel"}, ValueError, "kernel"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_components": 150}, ValueError, "smaller"),
        ({"n_landmarks": 2}, ValueError, "smaller"),
        ({"n_landmarks": 2.5}, TypeError, "n_landmarks"),
        ({"X": X, "n_landmarks": 50, "kind": "oob"}, ValueError, "Pass X"),
        ({"X": X[:1]}, ValueError, "at least two"),
        ({"X": X, "y": Y[:3]}, ValueError, "one class"),
    ],
)
def test_errors(arguments, error, match):
    with pytest.raises(error, match=match):
        proximity_map(fitted(), **arguments)


def test_many_training_rows_need_their_table(monkeypatch):
    monkeypatch.setattr("silvics.inspection.sample_map._MOST_WITHOUT_TABLE", 100)
    with pytest.raises(ValueError, match="Pass X"):
        proximity_map(fitted())
