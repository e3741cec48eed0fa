"""Proximity-weighted fills against plain loops."""

import numpy as np
import pandas as pd
import pytest

from silvics import RandomForestClassifier
from silvics.impute import ProximityImputer

from .incomplete import incomplete, target
from .test_forest_imputer import numbers_of

CLASSES = ["level", "flag"]
NEW = {"original": "original", "oob": "original", "gap": "kernel", "kernel": "kernel"}


def small(**parameters):
    return ProximityImputer(**{"n_estimators": 20, "random_state": 0, **parameters})


def start_of(values, known):
    started = values.copy()
    for name in values:
        column = known[name].dropna()
        usual = column.mode()[0] if name in CLASSES else column.median()
        started[name] = values[name].fillna(usual)
    return started


def weighted(P, values, started, known):
    """Each missing cell by a loop over the training rows, with the weights in P."""
    filled = started.copy()
    for name in values:
        for i in np.flatnonzero(values[name].isna()):
            sums, total = {}, 0.0
            for k, value in enumerate(known[name]):
                if not np.isnan(value):
                    sums[value] = sums.get(value, 0.0) + P[i, k]
                    total += P[i, k]
            if total == 0:
                continue
            if name in CLASSES:
                filled.iloc[i, list(values).index(name)] = max(sorted(sums), key=sums.get)
            else:
                mean = sum(value * weight for value, weight in sums.items()) / total
                filled.iloc[i, list(values).index(name)] = mean
    return filled


def slow(X, y, rounds, kind, min_samples):
    values = numbers_of(X)
    filled = start_of(values, values)
    for _ in range(rounds):
        forest = RandomForestClassifier(
            20, keep_samples=True, categorical_features=CLASSES, min_category_frequency=1,
            random_state=0,
        ).fit(filled, y)  # fmt: skip
        of_forest, before = forest, filled
        P = forest.proximity(filled, kind=kind, min_samples_in_node=min_samples)
        filled = weighted(P, values, filled, values)
    return filled, of_forest, before


@pytest.mark.parametrize("kind", ["original", "oob", "gap", "kernel"])
@pytest.mark.parametrize(("rounds", "min_samples"), [(1, 1), (3, 4)])
def test_equals_plain_loops(kind, rounds, min_samples):
    X, y = incomplete(), target()
    imputer = small(kind=kind, max_iter=rounds, min_samples_in_node=min_samples, tol=0)
    found = imputer.fit_transform(X, y)
    expected, forest, training = slow(X, y, rounds, kind, min_samples)
    assert imputer.n_iter_ == rounds
    for name in ("a", "b", *CLASSES):
        assert numbers_of(found)[name].to_numpy() == pytest.approx(expected[name], rel=1e-9)
    # New rows: the same forest, and their proximities to the training rows.
    new, known = numbers_of(incomplete(1)).iloc[:30], numbers_of(X)
    filled = start_of(new, known)
    for _ in range(rounds):
        if NEW[kind] == "original":
            P = forest.proximity(filled, training, min_samples_in_node=min_samples)
        else:
            P = forest.proximity(filled, kind="kernel", min_samples_in_node=min_samples)
        filled = weighted(P, new, filled, known)
    transformed = numbers_of(imputer.transform(incomplete(1).iloc[:30]))
    for name in ("a", "b", *CLASSES):
        assert transformed[name].to_numpy() == pytest.approx(filled[name], rel=1e-9)


def test_y_of_numbers_and_types():
    X, y = incomplete(), target() + np.linspace(0, 1, 80)
    filled = small().fit_transform(X, y)
    assert list(filled.dtypes) == list(X.dtypes)
    assert not filled.isna().any(axis=None)
    for name in ("a", "b", "whole"):
        assert filled[name].between(X[name].min(), X[name].max()).all()


def test_same_values_for_any_number_of_threads():
    X, y = incomplete(), target()
    one, two = (small(n_jobs=n).fit_transform(X, y) for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_many_levels_are_compared_in_groups(monkeypatch):
    X, y = incomplete(), target()
    expected = small().fit_transform(X, y)
    monkeypatch.setattr("silvics.impute.proximity_imputer._WIDEST", 3)
    pd.testing.assert_frame_equal(small().fit_transform(X, y), expected)


def test_bad_y():
    X = incomplete()
    with pytest.raises(ValueError, match="requires y to be passed"):
        small().fit(X)
    with pytest.raises(ValueError, match="NaN"):
        small().fit(X, np.where(target() == 1, np.nan, 0.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        small().fit(X, target()[:-1])
