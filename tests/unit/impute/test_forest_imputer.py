"""MissForest against a slow one; draws; convergence; other tables."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from silvics import RandomForestClassifier, RandomForestRegressor
from silvics.impute import ForestImputer, column_model

from .incomplete import N, complete, incomplete


def small(**parameters):
    return ForestImputer(**{"n_estimators": 10, "random_state": 0, **parameters})


def numbers_of(X):
    """The table as floats, and for each column the categories."""
    values = pd.DataFrame(index=X.index)
    for name in X:
        column = X[name]
        if name == "level":
            column = column.cat.codes.where(column.notna())
        values[name] = column.astype("Float64").to_numpy(float, na_value=np.nan)
    return values


def slow_missforest(X, n_trees, max_iter, seed):
    """Definition 22: columns by rising share missing; the table before the change grows."""
    values = numbers_of(X)
    missing, classes = values.isna(), ["level", "flag"]
    spread = values.std(ddof=0)
    for name in values:
        known = values[name].dropna()
        values[name] = values[name].fillna(known.mode()[0] if name in classes else known.median())
    order = [name for name in missing.sum().sort_values(kind="stable").index if missing[name].any()]
    last = None
    for _ in range(max_iter):
        before = values.copy()
        for name in order:
            j = list(values).index(name)
            kind = RandomForestClassifier if name in classes else RandomForestRegressor
            others = [other for other in values if other != name]
            forest = kind(
                n_trees,
                max_features=0.5,
                categorical_features=[other for other in others if other in classes],
                min_category_frequency=1,
                random_state=int(np.random.default_rng([seed, 0, 0, j]).integers(2**31)),
            )
            gone = missing[name]
            forest.fit(values.loc[~gone, others], values.loc[~gone, name])
            values.loc[gone, name] = forest.predict(values.loc[gone, others])
        numbers = [
            (before.loc[i, name] - values.loc[i, name]) ** 2 / spread[name] ** 2
            for name in order if name not in classes for i in values.index[missing[name]]
        ]  # fmt: skip
        changed = [
            before.loc[i, name] != values.loc[i, name]
            for name in order if name in classes for i in values.index[missing[name]]
        ]  # fmt: skip
        now = (np.mean(numbers), np.mean(changed))
        grown = last is not None and (now[0] > last[0] or now[1] > last[1])
        if grown and now[0] >= last[0] and now[1] >= last[1]:
            return before
        last = now
    return values


@pytest.mark.parametrize(("seed", "max_iter"), [(0, 1), (1, 3), (2, 12)])
def test_equals_a_slow_missforest(seed, max_iter):
    X = incomplete(seed)
    expected = slow_missforest(X, 10, max_iter, 7)
    found = small(max_iter=max_iter, random_state=7, tol=0).fit_transform(X)
    for name in ("a", "b", "level", "flag"):
        assert numbers_of(found)[name].to_numpy() == pytest.approx(expected[name], rel=1e-12)
    assert (found["whole"] == np.rint(expected["whole"]).astype(int)).all()


def test_stops_when_changes_grow_and_returns_the_table_before():
    random, stopped = np.random.default_rng(0), 0
    X = random.normal(size=(60, 4))
    X[random.random(X.shape) < 0.3] = np.nan
    for seed in range(5):
        imputer = small(max_iter=20, tol=0, random_state=seed)
        table = imputer.fit_transform(X)
        errors = imputer.oob_error_
        n_rounds = len(errors.errors)
        change = np.average(errors.changes**2, axis=1, weights=errors.n_missing)
        grown = np.diff(change) > 0
        assert not grown[:-1].any()  # the first growth is the end
        if grown[-1]:
            assert imputer.n_iter_ == n_rounds - 1
            again = small(max_iter=imputer.n_iter_, tol=0, random_state=seed)
            np.testing.assert_array_equal(again.fit_transform(X), table)
            stopped += 1
    assert stopped


def test_known_values_stay_and_imputed_ones_are_close():
    X, true = incomplete(), complete()
    imputer = small(n_estimators=50)
    for filled in (imputer.fit_transform(X), imputer.transform(X)):
        assert list(filled.dtypes) == list(X.dtypes)
        assert not filled.isna().any(axis=None)
        for name in X:
            known = X[name].notna()
            assert (filled.loc[known, name] == X.loc[known, name]).all()
        gone = X["b"].isna()
        assert (filled["b"] - true["b"])[gone].std() < 0.5 * true["b"].std()
        assert (filled["level"] == true["level"])[X["level"].isna()].mean() > 0.6


def test_same_values_for_any_number_of_threads():
    X = incomplete()
    for draws in (False, True):
        one, two = (small(n_jobs=n, sample_posterior=draws).fit(X) for n in (1, 2))
        pd.testing.assert_frame_equal(one.transform(X), two.transform(X))


def test_pickled_and_cloned_imputers_give_the_same_table():
    X = incomplete()
    for draws in (False, True):
        imputer = small(sample_posterior=draws).fit(X)
        copy = pickle.loads(pickle.dumps(imputer))
        pd.testing.assert_frame_equal(copy.transform(X), imputer.transform(X))
        pd.testing.assert_frame_equal(clone(imputer).fit(X).transform(X), imputer.transform(X))


# ---- draws


def test_draws_are_known_values_and_differ():
    X = incomplete()
    imputer = small(sample_posterior=True).fit(X)
    tables = list(imputer.draws(X, 4))
    pd.testing.assert_frame_equal(tables[0], imputer.transform(X))
    assert not tables[0].equals(tables[1])
    for table in tables:
        assert list(table.dtypes) == list(X.dtypes)
        for name in X:
            assert set(table[name]) <= set(X[name].dropna())


def test_draws_have_the_spread_of_the_data():
    """Means of a column that depends on nothing have no spread; draws have that of the column."""
    X = np.random.default_rng(0).normal(size=(2000, 2))
    gone = np.arange(2000) < 1000
    Z = X.copy()
    Z[gone, 0] = np.nan
    means = ForestImputer(30, min_samples_leaf=50, random_state=0).fit_transform(Z)
    drawn = ForestImputer(30, sample_posterior=True, random_state=0).fit_transform(Z)
    assert means[gone, 0].std() < 0.5
    assert 0.9 < drawn[gone, 0].std() < 1.1


@pytest.mark.parametrize(
    ("draws", "given", "expected"), [(True, None, 3), (False, None, 1), (True, 1, 1)]
)
def test_draws_have_several_values_to_choose_from(draws, given, expected):
    Z = np.random.default_rng(0).normal(size=(60, 2))
    Z[:9, 0] = np.nan
    imputer = ForestImputer(
        5, sample_posterior=draws, min_samples_leaf=given, random_state=0, max_iter=1
    ).fit(Z)
    assert imputer.min_samples_leaf is given
    assert imputer._models[0].forest.min_samples_leaf == expected


def test_draws_need_sample_posterior():
    X = incomplete()
    with pytest.raises(ValueError, match="sample_posterior=True"):
        small().fit(X).draws(X)
    with pytest.raises(ValueError, match="n_draws must be at least 1"):
        small(sample_posterior=True).fit(X).draws(X, 0)


# ---- other tables


@pytest.mark.parametrize("draws", [False, True])
def test_new_rows_with_any_missing_values(draws):
    X = incomplete()
    rows = X.iloc[:3].copy()
    rows.iloc[0] = None
    rows.loc[rows.index[1], "a"] = None
    imputer = small(sample_posterior=draws).fit(X)
    filled = imputer.transform(rows)
    assert not filled.isna().any(axis=None)
    assert not imputer.transform(rows.iloc[:1]).isna().any(axis=None)


def test_columns_that_were_complete_in_fit():
    X = complete()
    rows = X.iloc[:20].copy()
    rows["b"] = np.nan
    full, lazy = small().fit(X), small(skip_complete=True).fit(X)
    assert full.n_iter_ == 0
    error = (full.transform(rows)["b"] - X["b"][:20]).std()
    assert error < 0.5 * X["b"].std()
    assert (lazy.transform(rows)["b"] == X["b"].median()).all()


def test_one_column_has_no_others():
    X = np.array([[1.0], [2], [5], [np.nan]])
    assert small().fit_transform(X)[3, 0] == 2
    drawn = small(sample_posterior=True).fit(X).draws(X, 20)
    assert {table[3, 0] for table in drawn} == {1, 2, 5}


# ---- errors of rounds, progress, interruption


def test_errors_by_column_and_round(capsys):
    X = incomplete()
    imputer = small(verbose=1).fit(X)
    errors = imputer.oob_error_
    n_rounds = len(errors.errors)
    assert errors.columns == list(X.isna().sum().sort_values(kind="stable").index)
    assert (errors.n_missing == X[errors.columns].isna().sum()).all()
    classes = {"level", "flag"}
    assert errors.measures == ["pfc" if name in classes else "nrmse" for name in errors.columns]
    assert len(errors.to_frame()) == 5 * n_rounds
    assert (errors.errors[-1] < 0.6).all()
    assert capsys.readouterr().err.count("silvics: round ") == n_rounds


def test_ctrl_c_leaves_the_imputer_as_it_was(monkeypatch):
    X = incomplete()
    fitted, fresh = small().fit(X), small()
    before = fitted.transform(X)
    calls = []

    def interrupted(self, *args, **kwargs):
        calls.append(self)
        if len(calls) % 3 == 0:
            raise KeyboardInterrupt
        return original(self, *args, **kwargs)

    original = RandomForestRegressor.fit
    monkeypatch.setattr(column_model.RandomForestRegressor, "fit", interrupted)
    for imputer in (fitted, fresh):
        with pytest.raises(KeyboardInterrupt):
            imputer.set_params(random_state=5).fit(X)
    monkeypatch.undo()
    assert not hasattr(fresh, "n_iter_")
    pd.testing.assert_frame_equal(fitted.transform(X), before)
    assert len(calls) == 6
    assert len(X) == N
