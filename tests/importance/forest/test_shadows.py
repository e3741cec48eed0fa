"""Shadows of any table, and importances less those of shadows, against plain loops."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix, issparse
from sklearn.base import clone

from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance.forest.shadows import (
    Columns,
    actual_impurity_reduction,
    with_shadow_parameters,
    with_shadows,
)

rng = np.random.default_rng(0)
N = 60
X = rng.integers(0, 6, (N, 4)).astype(float)
Y = np.where(X[:, 0] + rng.normal(size=N) > 2.5, "high", "low")
NUMBERS = X[:, 0] + rng.normal(size=N)
SPECIES = np.array(["ash", "elm", "oak"])[rng.integers(0, 3, N)]
HEIGHT = np.where(rng.random(N) < 0.2, np.nan, X[:, 1])
ROWS = np.random.RandomState(7).permutation(N)  # the order that a seed of 7 gives


def test_a_shadow_of_an_array_is_its_column_in_one_order_for_all():
    table, p = with_shadows(X, 7)
    assert p == 4
    assert (table == np.hstack([X, X[ROWS]])).all()


def test_some_columns_only():
    table, p = with_shadows(X, 7, columns=[2, 0])
    assert p == 4
    assert (table == np.hstack([X, X[ROWS][:, [2, 0]]])).all()


@pytest.mark.parametrize("form", [csr_matrix, csc_matrix, csr_array, coo_array])
def test_sparse(form):
    table, _ = with_shadows(form(X), 7)
    assert issparse(table)
    assert (table.toarray() == np.hstack([X, X[ROWS]])).all()


def test_objects_lists_and_masks():
    mixed = np.array([[s, h] for s, h in zip(SPECIES, X[:, 1], strict=True)], dtype=object)
    table, _ = with_shadows(mixed, 7)
    assert table.dtype == object
    assert (table == np.hstack([mixed, mixed[ROWS]])).all()
    of_rows, _ = with_shadows(mixed.tolist(), 7)
    assert (of_rows == table).all()
    numbers, _ = with_shadows(X.tolist(), 7)
    assert numbers.dtype == np.float64
    assert (numbers == np.hstack([X, X[ROWS]])).all()
    mask = X == 3
    masked, _ = with_shadows(np.ma.array(X, mask=mask), 7)
    gaps = np.where(mask, np.nan, X)
    assert np.array_equal(masked, np.hstack([gaps, gaps[ROWS]]), equal_nan=True)
    words = np.ma.array(mixed, mask=mixed == "elm")
    masked, _ = with_shadows(words, 7)
    assert (np.ma.getmaskarray(masked) == np.hstack([words.mask, words.mask[ROWS]])).all()


def test_times():
    days = np.datetime64("2020-01-01", "ns") + X.astype("timedelta64[D]")
    table, _ = with_shadows(days, 7)
    assert table.dtype == days.dtype
    assert (table == np.hstack([days, days[ROWS]])).all()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("form", [np.array, csr_matrix])
def test_annotated(form, named):
    given = SimpleNamespace(X=form(X))
    if named:
        given.var_names = ["a", "b", "c", "d"]
    table, _ = with_shadows(given, 7)
    dense = table.X.toarray() if issparse(table.X) else table.X
    assert (dense == np.hstack([X, X[ROWS]])).all()
    grown = RandomForestClassifier(5, random_state=0).fit(table, Y)
    assert grown.n_features_in_ == 8
    if named:
        assert grown.feature_names_in_[:5].tolist() == ["a", "b", "c", "d", "shadow of a"]


def frames():
    kinds = pd.Categorical(SPECIES, categories=["oak", "elm", "ash", "yew"], ordered=True)
    yield pd.DataFrame({"kind": kinds, "height": HEIGHT}, index=np.arange(N)[::-1] + 3)
    enum = pl.Series("kind", SPECIES, dtype=pl.Enum(["oak", "elm", "ash"]))
    yield pl.DataFrame([enum, pl.Series("height", HEIGHT)])
    yield pa.table({"kind": pa.array(SPECIES).dictionary_encode(), "height": HEIGHT})


@pytest.mark.parametrize("number", range(3), ids=["pandas", "polars", "pyarrow"])
def test_frames_keep_library_and_types(number):
    frame = list(frames())[number]
    table, p = with_shadows(frame, 7)
    assert p == 2
    assert type(table) is type(frame)
    names = table.column_names if isinstance(table, pa.Table) else list(table.columns)
    assert names == ["kind", "height", "shadow of kind", "shadow of height"]
    for name, values in (("kind", SPECIES), ("height", HEIGHT)):
        own, shadow = table[name], table[f"shadow of {name}"]
        types = [c.type if isinstance(table, pa.Table) else c.dtype for c in (own, shadow)]
        assert types[0] == types[1]
        as_list = [
            c.to_pylist() if isinstance(table, pa.Table) else c.to_list() for c in (own, shadow)
        ]
        assert pd.Series(as_list[0]).equals(pd.Series(values))
        assert pd.Series(as_list[1]).equals(pd.Series(values[ROWS]))


def test_names_stay_unique_and_numbered_columns_are_taken():
    frame = pd.DataFrame({"a": X[:, 0], "shadow of a": X[:, 1], "shadow of a (2)": X[:, 2]})
    table, _ = with_shadows(frame, 7)
    assert table.columns.is_unique
    assert (table.to_numpy() == np.hstack([X[:, :3], X[ROWS, :3]])).all()
    numbered, _ = with_shadows(pd.DataFrame(X), 7)
    assert (numbered.to_numpy() == np.hstack([X, X[ROWS]])).all()
    assert list(pd.DataFrame(X).columns) == [0, 1, 2, 3]


def test_a_lazy_or_flat_table_is_refused():
    with pytest.raises(TypeError, match="collect"):
        with_shadows(pl.DataFrame({"a": [1, 2]}).lazy(), 0)
    with pytest.raises(ValueError, match="2D"):
        with_shadows(np.arange(4), 0)


def test_columns_from_other_rows():
    order = np.arange(N)[::-1]
    for given in (X, csr_matrix(X), pd.DataFrame(X, columns=list("abcd"))):
        made = Columns(given, "test").with_permuted([1, 3], order)
        dense = made.toarray() if issparse(made) else np.asarray(made)
        expected = X.copy()
        expected[:, [1, 3]] = X[::-1][:, [1, 3]]
        assert (dense == expected).all()


# ---- parameters


@pytest.mark.parametrize("given", [["kind"], [0], [True, False]])
def test_categories_are_extended(given):
    frame = pd.DataFrame({"kind": X[:, 0].astype(int), "height": HEIGHT})
    forest = RandomForestClassifier(3, categorical_features=given, random_state=0)
    table, _ = with_shadows(frame, 7)
    grown = with_shadow_parameters(forest, frame).fit(table, Y)
    assert grown.is_categorical_.tolist() == [True, False, True, False]
    table, _ = with_shadows(frame, 7, columns=[1])
    grown = with_shadow_parameters(forest, frame, [1]).fit(table, Y)
    assert grown.is_categorical_.tolist() == [True, False, False]
    assert forest.categorical_features is given


def test_other_parameters_of_variables_are_extended():
    forest = RandomForestRegressor(3, monotonic_cst=[1, 0, -1, 0], warm_start=True)
    other = with_shadow_parameters(forest, X, [2, 3])
    assert list(other.monotonic_cst) == [1, 0, -1, 0, -1, 0]
    assert other.warm_start is False
    assert forest.warm_start is True
    weighed = ForestClassifier(
        "biau_2012", feature_weights=[1, 2, 3, 4], relevant=[0, -1], max_columns=9
    )
    other = with_shadow_parameters(weighed, X, [1])
    assert list(other.feature_weights) == [1, 2, 3, 4, 2]
    assert list(other.relevant) == [True, False, False, True, False]
    assert other.max_columns == 5
    named = ForestClassifier("breiman_2004", relevant=["b"], n_estimators=3, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    other = with_shadow_parameters(named, frame)
    assert list(other.relevant) == [False, True, False, False] * 2
    other.fit(with_shadows(frame, 7)[0], Y)


def test_wrong_parameters_are_told_of_in_the_users_numbers():
    with pytest.raises(ValueError, match=r"monotonic_cst has shape \(3,\), but X has 4"):
        with_shadow_parameters(RandomForestRegressor(monotonic_cst=[1, 0, 0]), X)
    with pytest.raises(ValueError, match=r"feature_weights has shape \(2,\)"):
        with_shadow_parameters(ForestClassifier("biau_2012", feature_weights=[1, 2]), X)
    with pytest.raises(ValueError, match="boolean mask"):
        with_shadow_parameters(RandomForestRegressor(categorical_features=[True]), X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match="valid feature"):
        with_shadow_parameters(RandomForestRegressor(categorical_features=["e"]), frame)


# ---- actual impurity reduction


def plain(forest, X, y, n_repeats, seed, weights=None):
    """Differences of decreases, tree by tree; and the mean of each repeat."""
    generator = np.random.RandomState(seed)
    each = []
    for _ in range(n_repeats):
        rows = generator.permutation(len(X))
        grown = clone(forest).set_params(random_state=generator.randint(2**31 - 1))
        grown.fit(np.hstack([X, X[rows]]), y, weights)
        trees = [t.tree_.compute_feature_importances(normalize=False) for t in grown.estimators_]
        each.append(np.array([of[: X.shape[1]] - of[X.shape[1] :] for of in trees]))
    return each


@pytest.mark.parametrize("n_repeats", [1, 3])
@pytest.mark.parametrize("which", ["classes", "numbers"])
def test_reduction_is_decrease_less_that_of_the_shadow(which, n_repeats):
    forest, y = {
        "classes": (RandomForestClassifier(8, oob_score=True), Y),
        "numbers": (ExtraTreesRegressor(8), NUMBERS),
    }[which]
    weights = rng.random(N)
    found = actual_impurity_reduction(
        forest, X, y, sample_weight=weights, n_repeats=n_repeats, random_state=3
    )
    plainly = clone(forest).set_params(**({"oob_score": False} if which == "classes" else {}))
    expected = plain(plainly, X, y, n_repeats, 3, weights)
    pooled = np.concatenate(expected)
    assert found.kind == "air"
    assert found.replicates == pytest.approx(pooled, rel=1e-9, abs=1e-12)
    errors = pooled.std(axis=0, ddof=1) / np.sqrt(len(pooled))
    if n_repeats > 1:
        means = np.array([each.mean(axis=0) for each in expected])
        errors = np.maximum(errors, means.std(axis=0, ddof=1) / np.sqrt(n_repeats))
    assert found.standard_errors == pytest.approx(errors, rel=1e-9)
    assert found.values.argmax() == 0


def test_its_unit_is_that_of_the_criterion():
    forest = ForestClassifier("id3", n_estimators=3)  # whose criterion is the recipe's
    found = actual_impurity_reduction(forest, X, Y, random_state=0)
    shadowed = with_shadow_parameters(forest, X).fit(with_shadows(X, 0)[0], Y)
    assert found._unit == shadowed.importances()._unit


def test_groups_are_sums():
    forest = RandomForestClassifier(5)
    alone = actual_impurity_reduction(forest, X, Y, random_state=0)
    both = actual_impurity_reduction(forest, X, Y, feature_groups={"two": [1, 3]}, random_state=0)
    assert both.names.tolist() == ["two", "x0", "x2"]
    each = alone.replicates
    expected = np.column_stack([each[:, 1] + each[:, 3], each[:, 0], each[:, 2]])
    assert both.replicates == pytest.approx(expected)


@pytest.mark.parametrize("number", range(3), ids=["pandas", "polars", "pyarrow"])
def test_reduction_on_frames(number):
    frame = list(frames())[number]
    found = actual_impurity_reduction(RandomForestClassifier(5), frame, Y, random_state=0)
    assert found.names.tolist() == ["kind", "height"]
    assert type(found.to_frame()) is type(frame)


def test_useless_variables_are_around_zero_whatever_they_are_like():
    many = np.random.default_rng(5)
    table = np.column_stack([many.normal(size=(150, 20)), many.integers(0, 2, (150, 20))])
    y = many.integers(0, 2, 150)
    forest = RandomForestClassifier(100, n_jobs=1)
    found = actual_impurity_reduction(forest, table, y, n_repeats=5, random_state=0).values
    decrease = clone(forest).set_params(random_state=0).fit(table, y).importances().values
    between = decrease[:20].mean() - decrease[20:].mean()
    for part in (found[:20], found[20:]):
        assert abs(part.mean()) < 4 * part.std() / np.sqrt(20)
        assert abs(part.mean()) < between / 4


def test_weights_of_fit_are_to_be_given_again():
    fitted = RandomForestClassifier(3, random_state=0).fit(X, Y, np.arange(N) + 1.0)
    with pytest.raises(ValueError, match="sample_weight of fit"):
        actual_impurity_reduction(fitted, X, Y)
    actual_impurity_reduction(fitted, X, Y, sample_weight=np.arange(N) + 1.0)
    balanced = RandomForestClassifier(3, class_weight="balanced").fit(X, Y)
    actual_impurity_reduction(balanced, X, Y)
    pruned = ForestClassifier("reduced_error", random_state=0).fit(X, Y)
    assert pruned._grown.sampling.weights is not None
    actual_impurity_reduction(pruned, X, Y)


def test_what_is_missing_is_told():
    forest = RandomForestClassifier(3)
    with pytest.raises(ValueError, match="X and y are needed"):
        actual_impurity_reduction(forest, X, None)
    with pytest.raises(ValueError, match="n_repeats must be at least 1"):
        actual_impurity_reduction(forest, X, Y, n_repeats=0)
    with pytest.raises(ValueError, match="X has 60 rows, y has 59"):
        actual_impurity_reduction(forest, X, Y[1:])
    with pytest.raises(TypeError, match="forest of silvics"):
        actual_impurity_reduction("forest", X, Y)
