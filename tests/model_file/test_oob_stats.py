"""The totals of out-of-bag errors in a file: of its outputs and classes, or the file is refused."""

import numpy as np
import pytest

import silvics

from .files import changed, content_of, loaded

X = np.random.default_rng(0).normal(size=(80, 3))
CLASSES = (X[:, 0] > 0) * 1 + (X[:, 1] > 0)


def classified():
    return silvics.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, CLASSES)


def regressed():
    return silvics.RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, X[:, 0])


def with_stats(model, stats):
    def change(words, content, arrays):
        assert "_oob_stats" in content["fitted"]
        content["fitted"]["_oob_stats"] = stats

    return changed(content_of(model), change)


TABLE = [[5, 1, 0], [0, 5, 0], [0, 0, 5]]


def test_what_is_right_is_read():
    forest = loaded(with_stats(classified(), [[16, 1, TABLE]]))
    assert forest.summary().confusion.tolist() == TABLE
    assert loaded(with_stats(regressed(), [[80, 0.5, 1.0]])).summary().oob[0].r2 == 0.5
    assert loaded(with_stats(classified(), [])).summary().oob == []


@pytest.mark.parametrize(
    "stats",
    [
        None,
        7,
        {"0": []},
        [[]],
        [[16, 1]],
        [[0, 0, None]],
        [[16, 17, None]],
        [[16, -1, None]],
        [[16.0, 1, None]],
        [[True, 1, None]],
        [[16, 1, "table"]],
        [[16, 1, [[5, 1, 0], [0, 5], [0, 0, 5]]]],
        [[16, 1, [[15, 1], [0, 0]]]],  # of two classes
        [[16, 2, TABLE]],
        [[17, 1, TABLE]],
        [[16, 1, [[5, 1, 0], [0, 5, 0], [0, 0, 5.0]]]],
        [[16, 1, [[6, 1, 0], [0, 5, 0], [0, -1, 5]]]],
        [[16, 1, TABLE], [16, 1, TABLE]],
        [[16, 0.5, 1.0]],
    ],
)
def test_what_is_wrong_is_refused(stats):
    with pytest.raises(silvics.ModelFileError):
        loaded(with_stats(classified(), stats))


@pytest.mark.parametrize("stats", [[[80, -0.5, 1.0]], [[80, 1, None]], [[80, 0.5, 1.0]] * 2])
def test_errors_of_numbers(stats):
    with pytest.raises(silvics.ModelFileError):
        loaded(with_stats(regressed(), stats))
