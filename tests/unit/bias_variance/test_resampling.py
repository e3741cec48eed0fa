"""Decompositions of tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor

from silvics import RandomForestClassifier, RandomForestRegressor
from silvics.bias_variance import decompose_by_resampling
from silvics.datasets import load_penguins

X, Y = load_diabetes(return_X_y=True)
FEW = {"n_learning_sets": 5, "n_splits": 2, "random_state": 0}


def test_noise_and_bias_are_not_separated():
    found = decompose_by_resampling(RandomForestRegressor(5), X, Y, **FEW)
    assert np.isnan(found.noise)
    assert np.isnan(found.bias)
    assert found.error == pytest.approx(found.noise_and_bias + found.variance)
    assert found.error == pytest.approx(found.measured_error)
    assert "can not be separated" in repr(found)
    assert 0 < found.rho < 1
    assert found.plot().ax_.patches


def test_a_constant_model_has_the_variance_of_the_mean():
    """The variance of the mean of a subsample, drawn without replacement."""
    found = decompose_by_resampling(
        DummyRegressor(), X, Y, n_learning_sets=300, n_splits=3, random_state=0
    )
    n_pool = len(Y) - round(len(Y) / 4)
    n = round(n_pool / 2)
    expected = Y.var(ddof=1) / n * (1 - n / n_pool)
    assert found.variance == pytest.approx(expected, rel=0.2)


def test_frames_with_categories_and_missing_values():
    table, species = load_penguins(return_X_y=True)
    model = RandomForestClassifier(5)
    found = decompose_by_resampling(model, table, species, **FEW)
    in_polars = decompose_by_resampling(model, pl.from_pandas(table), species, **FEW)
    assert found.averages == in_polars.averages
    assert isinstance(found.points, pd.DataFrame)
    assert isinstance(in_polars.points, pl.DataFrame)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads(n_jobs):
    one = decompose_by_resampling(RandomForestRegressor(3), X, Y, **FEW)
    assert decompose_by_resampling(
        RandomForestRegressor(3), X, Y, n_jobs=n_jobs, **FEW
    ).averages == one.averages  # fmt: skip


def test_progress_counts_all_splits():
    reported = []
    decompose_by_resampling(
        RandomForestRegressor(2), X, Y, progress=lambda *at: reported.append(at), **FEW
    )
    assert reported == [(k, 10) for k in range(1, 11)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_size": 0.0}, "leave no rows"),
        ({"test_size": 1.0}, "leave no rows"),
        ({"train_size": 1.5}, "train_size must be between"),
        ({"n_learning_sets": 1}, "n_learning_sets"),
        ({"n_splits": 0}, "n_splits"),
    ],
)
def test_wrong_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        decompose_by_resampling(RandomForestRegressor(2), X, Y, **{**FEW, **change})


def test_lengths_that_differ():
    with pytest.raises(ValueError, match="one value for each"):
        decompose_by_resampling(RandomForestRegressor(2), pd.DataFrame(X), Y[:-1])
