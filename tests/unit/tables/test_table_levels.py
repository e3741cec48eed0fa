"""Levels at the edge: unknown ones, absent ones, none, one, and a great many."""

import subprocess
import sys
from textwrap import dedent

import numpy as np
import pandas as pd
import polars as pl
import pytest

import silvics

from ..kinds import ALL, FORESTS, TREES, name_of, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
BEST_TREES = TREES[:2]


def column(cells):
    X = np.empty((len(cells), 1), dtype=object)
    X[:, 0] = cells
    return X


def no_bootstrap(kind):
    return {"bootstrap": False} if kind in FORESTS else {}


# ---- levels that were not seen


def heavy_and_missing():
    """30 rows of one level say 0; 10 of another and 5 missing ones say 1."""
    return column(["ash"] * 30 + ["elm"] * 10 + [None] * 5), np.repeat([0.0, 1.0], [30, 15])


@each
def test_an_unknown_level_is_a_missing_value(kind):
    X, y = heavy_and_missing()
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    assert fitted.predict(column(["yew", None, "elm", "ash"])).tolist() == [1, 1, 1, 0]
    # It is no missing value that the user gave.
    strict = fitted.set_params(missing="error")
    assert strict.predict(column(["yew", "ash"])).tolist() == [1, 0]
    with pytest.raises(ValueError, match="Input X contains NaN"):
        strict.predict(column(["yew", None]))


@each
def test_an_unknown_level_goes_with_the_heavier_part(kind):
    X, y = heavy_and_missing()
    fitted = small(kind, unknown_category="heavier", **no_bootstrap(kind)).fit(X, y)
    assert fitted.predict(column([None, "elm", "ash"])).tolist() == [1, 1, 0]
    if "Extra" not in kind.__name__:
        assert fitted.predict(column(["yew"])).tolist() == [0]
    # Weights say what is heavy.
    weights = np.repeat([1.0, 9.0], [30, 15])
    fitted.fit(X, y, sample_weight=weights)
    if "Extra" not in kind.__name__:
        assert fitted.predict(column(["yew"])).tolist() == [1]


@pytest.mark.parametrize("kind", TREES, ids=name_of)
def test_the_heavier_part_at_every_node(kind):
    random = np.random.default_rng(0)
    levels = random.integers(0, 9, size=(300, 2))
    y = levels[:, 0] * 2 % 5 + levels[:, 1] % 2
    X = np.array(list("abcdefghi"), dtype=object)[levels]
    fitted = small(kind, unknown_category="heavier").fit(X, y)
    tree, node = fitted.tree_, 0
    while tree.feature[node] >= 0:
        left, right = tree.children_left[node], tree.children_right[node]
        weight = tree.weighted_n_node_samples
        node = left if weight[left] > weight[right] else right
    assert fitted.apply(np.array([["z", "z"]], dtype=object)).tolist() == [node]


@each
def test_an_unknown_level_may_be_an_error(kind):
    X, y = heavy_and_missing()
    fitted = small(kind, unknown_category="error").fit(X, y)
    assert fitted.predict(X).shape == y.shape
    words = r"column 0 has categories that were not seen in training: 'oak', 'yew'"
    with pytest.raises(ValueError, match=words):
        fitted.predict(column(["ash", "oak", "yew", "oak", None]))
    named = small(kind, unknown_category="error").fit(pd.DataFrame({"tree": X[:, 0]}), y)
    with pytest.raises(ValueError, match=r"column 'tree' has categories.*: 'oak'"):
        named.predict(pl.DataFrame({"tree": ["oak"]}))


@each
def test_a_declared_level_without_rows_is_unknown(kind):
    X, y = heavy_and_missing()
    typed = pd.DataFrame({"tree": pd.Categorical(X[:, 0], categories=["ash", "oak", "elm"])})
    fitted = small(kind, unknown_category="error").fit(typed, y)
    assert fitted.categories_[0].tolist() == ["ash", "elm"]
    fitted.predict(typed)
    with pytest.raises(ValueError, match="not seen in training: 'oak'"):
        fitted.predict(pd.DataFrame({"tree": pd.Categorical(["oak"])}))


@pytest.mark.parametrize("kind", BEST_TREES, ids=name_of)
@pytest.mark.parametrize("heavier", ["elm", "fir"])
def test_levels_absent_at_a_node_go_to_the_heavier_child(kind, heavier):
    """Left of the root there are elms and firs only; yews are right of it."""
    light = {"elm": "fir", "fir": "elm"}[heavier]
    words = [heavier] * 20 + [light] * 8 + ["yew"] * 30
    X = pd.DataFrame({"x": np.repeat([0.0, 1.0], [28, 31]), "tree": [*words, "fir"]})
    y = np.array([1.0] * 20 + [2.0] * 8 + [9.0] * 31)  # a fir as well: x alone parts them all
    fitted = small(kind, max_depth=2).fit(X, y)
    assert fitted.tree_.feature[0] == 0
    assert fitted.predict(pd.DataFrame({"x": [0.0], "tree": ["yew"]})).tolist() == [1.0]
    np.testing.assert_array_equal(fitted.predict(X), y)


@each
@pytest.mark.parametrize("n", [1, 2, 5, 6, 100])
def test_rare_levels_are_missing_values(kind, n):
    """As if they had not been there; and that is no error later."""
    cells = ["ash"] * 40 + ["elm"] * 5 + ["fir"] * 2 + ["yew"] + [None] * 4
    X, y = column(cells), np.arange(len(cells)) % 3
    fitted = small(kind, min_category_frequency=n, unknown_category="error").fit(X, y)
    kept = [w for w in ("ash", "elm", "fir", "yew") if cells.count(w) >= n]
    assert fitted.categories_[0].tolist() == kept
    without = column([cell if cell in kept else None for cell in cells])
    plain = small(kind, min_category_frequency=1).fit(without, y)
    if kept:
        assert fitted.digest() == plain.digest()
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(without))
    with pytest.raises(ValueError, match="not seen in training: 'oak'"):
        fitted.predict(column(["oak"]))
    # Only those that the user left out are errors.
    whole = X[:-4]
    strict = small(kind, min_category_frequency=n, missing="error").fit(whole, y[:-4])
    assert strict.predict(whole).shape == (len(whole),)


@each
def test_levels_that_no_tree_has_drawn(kind):
    """Rare ones are often out of the bag."""
    random = np.random.default_rng(0)
    X = column([f"level {i}" for i in random.integers(0, 400, 500)])
    fitted = small(kind).fit(X, random.integers(0, 3, 500))
    assert np.isfinite(fitted.predict(X)).all()


# ---- few levels


@each
@pytest.mark.parametrize(
    "empty",
    [
        np.full(60, None, dtype=object),
        np.full(60, np.nan),
        pd.Categorical([None] * 60),
        pd.Categorical([None] * 60, categories=["ash"]),
        pd.Series([None] * 60, dtype="string"),
        pd.Series([pd.NaT] * 60),
        pd.Series([None] * 60, dtype="Int64"),
    ],
    ids=lambda values: str(values.dtype),
)
def test_a_column_of_nothing(kind, empty):
    x = np.arange(60.0)
    X, y = pd.DataFrame({"x": x, "empty": empty}), x > 20
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    assert fitted.feature_importances_.tolist() == [1.0, 0.0]
    # What comes later in such a column makes no difference.
    later = X.assign(empty=pd.Series([None, *["ash"] * 59], dtype=object))
    if isinstance(empty, pd.Categorical) or str(empty.dtype) in ("object", "str", "string"):
        np.testing.assert_array_equal(fitted.predict(later), y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        small(kind, missing="error").fit(X, y)


@each
def test_one_level(kind):
    X = pd.DataFrame({"x": np.arange(60.0), "one": ["ash"] * 60})
    y = X.x > 20
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    assert fitted.feature_importances_.tolist() == [1.0, 0.0]
    np.testing.assert_array_equal(fitted.predict(X.assign(one="yew")), y)
    np.testing.assert_array_equal(fitted.predict(X.assign(one=None)), y)


@each
def test_one_level_and_missing_values(kind):
    X = column([None, "ash", "ash"] * 20)
    y = np.array([1.0, 0.0, 0.0] * 20)
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    assert fitted.predict(column(["yew"])).tolist() == [1.0]


@each
def test_names_that_look_like_numbers(kind):
    X = column(["10", "9", "1e1", "010", " 9", "9.0", "nan", "None", "", "-"] * 6)
    y = np.arange(60) % 10
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    assert fitted.categories_[0].tolist() == sorted(set(X[:, 0]))
    np.testing.assert_array_equal(fitted.predict(X), y)


@each
def test_nan_is_no_level_but_its_name_is(kind):
    X = column(["nan", np.nan, "ash", None, pd.NA, float("nan")] * 10)
    y = np.array([1, 2, 0, 2, 2, 2] * 10)
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    assert fitted.categories_[0].tolist() == ["ash", "nan"]
    np.testing.assert_array_equal(fitted.predict(X), y)
    numbers = column([3.0, np.nan, 1.0, None, np.nan, np.nan] * 10)
    fitted = small(kind, categorical_features=[0], **no_bootstrap(kind)).fit(numbers, y)
    assert fitted.categories_[0].tolist() == [1.0, 3.0]
    np.testing.assert_array_equal(fitted.predict(numbers.astype(float)), y)


@each
@pytest.mark.parametrize(
    "cells", [["ash", 1], ["ash", 1.5, None], [True, "yes"], [pd.Timestamp(0), 3]]
)
def test_mixed_columns(kind, cells):
    X = column(cells * 5)
    with pytest.raises(TypeError, match=r"column 0 (mixes|is of type)"):
        small(kind).fit(X, np.arange(len(X)) % 2)
    frame = pd.DataFrame({"some": pd.Series(cells * 5, dtype=object)})
    with pytest.raises(TypeError, match=r"column 'some' (mixes|is of type)"):
        small(kind).fit(frame, np.arange(len(X)) % 2)


STRANGE = """
    import numpy as np, silvics
    X = np.empty((2, 1), dtype=object)
    for cells in (["ash", b"x"], ["ash", 1j], [1.5, b"2"], [1, object], [None, b"x"]):
        X[:, 0] = cells
        try:
            tree = silvics.DecisionTreeClassifier().fit(X, [0, 1])
            print(cells, "were taken:", tree.categories_)
        except (TypeError, ValueError) as error:
            if "column 0" not in str(error):
                print(cells, error)
"""


@pytest.mark.parametrize("seed", ["0", "2"])
def test_strange_objects_among_others_whatever_the_hashes(seed):
    """Sets of strings come in an order that differs from process to process."""
    command = [sys.executable, "-c", dedent(STRANGE)]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
    )
    assert ended.stdout == ""


@each
def test_columns_of_one_name(kind):
    X = pd.DataFrame([["ash", 1.0], ["elm", 2.0]] * 5, columns=["a", "a"])
    with pytest.raises(ValueError, match="unique column names"):
        small(kind).fit(X, [0, 1] * 5)


@each
def test_long_and_strange_names(kind):
    X = column(["x" * 100_000, "\0", "\u2603", "a\nb", "\U0001f333"] * 6)
    y = np.arange(30) % 5
    fitted = small(kind, **no_bootstrap(kind)).fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)


# ---- many levels


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_hundred_thousand_levels(kind):
    random = np.random.default_rng(0)
    n, n_levels = 200_000, 100_000
    a = np.concatenate([np.arange(n_levels), random.integers(0, n_levels, n - n_levels)])
    good = random.random(n_levels) < 0.5
    X = np.column_stack([a, random.integers(0, 50, n)])
    forest = small(kind, n_estimators=2, categorical_features=[0], max_depth=12, max_features=None)
    forest.set_params(min_category_frequency=1).fit(X, good[a] * 1.0)
    best = "Extra" not in kind.__name__
    assert forest.score(X, good[a] * 1.0) > (0.6 if best else -0.1)
    assert len(forest.categories_[0]) == n_levels
    assert max(forest.work_["values_read"], forest.work_["cuts_scored"]) <= 2 * 12 * X.size


def test_words_of_a_hundred_thousand_levels():
    levels = np.array([f"user {i:06}" for i in range(100_000)], dtype=object)
    X = pd.DataFrame({"user": levels[np.arange(200_000) % 100_000]})
    y = (np.arange(200_000) % 100_000) * 37 % 101 < 50
    tree = silvics.DecisionTreeClassifier(max_depth=1, min_category_frequency=1, random_state=0)
    tree.fit(X, y)
    assert tree.score(X, y) == 1.0
    assert tree.predict(X[-3:]).tolist() == y[-3:].tolist()
    assert len(tree.tree_.left_levels(0)) == (~y[:100_000]).sum()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_million_levels(kind):
    X = np.arange(1_000_000)[:, np.newaxis]
    y = X[:, 0] * 31 % 97 < 40
    forest = small(kind, n_estimators=1, max_depth=3, categorical_features=[0])
    forest.set_params(min_category_frequency=1).fit(X, y)
    assert len(forest.categories_[0]) == 1_000_000
    assert forest.predict(X[:1000]).shape == (1000,)
    assert max(forest.work_["values_read"], forest.work_["cuts_scored"]) <= 3 * X.size
