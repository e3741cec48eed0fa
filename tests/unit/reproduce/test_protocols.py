"""Algorithms 2.1 and 2.2 against the same steps, written out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from silvics.reproduce.protocols import nested_cross_validation, train_validation_test

X, Y = load_iris(return_X_y=True)
KS = [1, 3, 9, 27]


def model(k):
    return KNeighborsClassifier(k)


def test_train_validation_test():
    found = train_validation_test(
        model(1), {"n_neighbors": KS}, X, Y, random_state=3, final_model=True
    )
    rest, test = train_test_split(np.arange(150), test_size=0.25, random_state=3)
    at, valid = train_test_split(np.arange(len(rest)), test_size=1 / 3, random_state=3)
    train, valid = rest[at], rest[valid]
    scores = [model(k).fit(X[train], Y[train]).score(X[valid], Y[valid]) for k in KS]
    best = KS[int(np.argmax(scores))]
    assert found.params == {"n_neighbors": best}
    assert found.validation_score == max(scores)
    # The selected model learns from the rows of training and validation.
    assert found.score == model(best).fit(X[rest], Y[rest]).score(X[test], Y[test])
    assert len(train) == 74
    assert len(valid) == len(test) == 38
    assert found.model.n_samples_fit_ == 150


def test_nested_cross_validation():
    found = nested_cross_validation(
        model(1), {"n_neighbors": KS}, X, Y, n_folds=4, n_inner_folds=3, random_state=3
    )
    inner, scores = KFold(3, shuffle=True, random_state=3), []
    for k, (train, test) in enumerate(KFold(4, shuffle=True, random_state=3).split(X)):
        means = [
            np.mean([
                model(n).fit(X[train[a]], Y[train[a]]).score(X[train[b]], Y[train[b]])
                for a, b in inner.split(train)
            ])
            for n in KS
        ]  # fmt: skip
        best = KS[int(np.argmax(means))]
        assert found.params_of_folds[k] == {"n_neighbors": best}
        scores.append(model(best).fit(X[train], Y[train]).score(X[test], Y[test]))
    assert found.scores == tuple(scores)
    assert found.score == np.mean(scores)
    assert found.model.n_samples_fit_ == 150


def test_selection_on_noise_is_optimistic_and_its_evaluation_is_not():
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(120, 5)), rng.integers(0, 2, 120)
    grid = {"n_neighbors": list(range(1, 40, 4))}
    found = [
        train_validation_test(model(1), grid, noise, y, random_state=seed) for seed in range(30)
    ]
    assert np.mean([f.validation_score for f in found]) > 0.56
    assert abs(np.mean([f.score for f in found]) - 0.5) < 0.04


def test_frames_and_strata():
    frame = pd.DataFrame(X)
    grid = {"n_neighbors": [1, 5]}
    one = train_validation_test(model(1), grid, frame, Y, stratify=True)
    two = nested_cross_validation(model(1), grid, frame, Y, n_folds=3, stratify=True)
    assert min(one.score, two.score) > 0.9


@pytest.mark.parametrize("sizes", [(0.5, 0.5), (0.5, 0.5, 0.0), (0.5, 0.4, 0.2)])
def test_sizes_are_shares(sizes):
    with pytest.raises(ValueError, match="three positive shares"):
        train_validation_test(model(1), {"n_neighbors": KS}, X, Y, sizes=sizes)
