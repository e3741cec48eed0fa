"""Whether y has classes or numbers, where that has to be guessed."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from silvics import RandomForestClassifier, RandomForestRegressor
from silvics._fitting.task import task_of
from silvics.importance import SelectByElimination, SelectByTest, SelectByThreshold, SelectTuned

SELECTORS = [SelectByThreshold, SelectTuned, SelectByElimination, SelectByTest]
rng = np.random.default_rng(0)
PRICES = rng.integers(30_000, 900_000, 200).astype(np.uint32)
FEW = np.arange(200) % 7


def quietly(y, task=None):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return task_of(y, task)


CLASSES = {
    "text": np.array(["a", "b"] * 100),
    "objects": np.array(["a", "b"] * 100, dtype=object),
    "list of text": ["a", "b"] * 100,
    "booleans": FEW > 3,
    "objects that are booleans": np.array([True, False] * 100, dtype=object),
    "few integers": FEW,
    "few integers as objects": FEW.astype(object),
    "many categories of numbers": pd.Series(PRICES).astype("category"),
    "a categorical": pd.Categorical(PRICES),
    "categories of polars": pl.Series([str(v) for v in PRICES]).cast(pl.Categorical),
    "dictionary of arrow": pa.chunked_array([pa.array(PRICES).dictionary_encode()]),
    "nullable booleans": pd.Series(FEW > 3, dtype="boolean"),
    "a frame of two": pd.DataFrame({"a": FEW, "b": FEW > 3}),
    "an array of two": np.column_stack([FEW, FEW + 1]),
}
NUMBERS = {
    "house prices": PRICES,
    "signed": PRICES.astype(np.int64),
    "a list": PRICES.tolist(),
    "objects": PRICES.astype(object),
    "a series": pd.Series(PRICES, dtype="Int64"),
    "of polars": pl.Series(PRICES),
    "of arrow": pa.chunked_array([PRICES]),
    "floats": FEW.astype(float),
    "two floats": np.array([0.0, 1.0] * 100),
    "float32": PRICES.astype(np.float32),
    "decimals": np.array([Decimal("1.5"), Decimal(2)] * 100, dtype=object),
    "a frame with one output of numbers": pd.DataFrame({"a": FEW, "b": PRICES}),
    "a column": PRICES[:, np.newaxis],
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    assert quietly(CLASSES[name]) == "classification"
    assert quietly(CLASSES[name], "regression") == "regression"


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    assert quietly(NUMBERS[name]) == "regression"
    assert quietly(NUMBERS[name], "classification") == "classification"


@pytest.mark.parametrize(
    ("n", "task"),
    [
        (9, "classification"),
        (10, "classification"),
        (20, "classification"),
        (21, "regression"),
        (50, "regression"),
        (51, "regression"),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, pd.Series, pl.Series, list])
def test_integers_between_the_bounds_are_warned_of(n, task, form):
    y = form(np.arange(200) % n)
    if n in (9, 51):
        assert quietly(y) == task
        return
    other = "regression" if task == "classification" else "classification"
    with pytest.warns(UserWarning, match=f'{n} distinct integers.*task="{other}"'):
        assert task_of(y) == task
    assert quietly(y, other) == other
    assert quietly(y, task) == task


@pytest.mark.parametrize("selector", SELECTORS)
def test_selectors_take_house_prices_as_numbers(selector):
    """They were classified: a forest of as many classes as there are prices."""
    X = np.column_stack([PRICES, rng.normal(size=(200, 2))])
    options = {"options": {"n_permutations": 2}} if selector is SelectByTest else {}
    select = selector(random_state=0, **options).fit(X, PRICES)
    assert isinstance(select.forest_, RandomForestRegressor)


@pytest.mark.parametrize("selector", SELECTORS)
def test_the_task_can_be_said(selector):
    y = np.arange(60) % 25
    X = np.column_stack([y, rng.normal(size=(60, 2))])
    options = {"options": {"n_permutations": 2}} if selector is SelectByTest else {}
    select = selector(task="classification", random_state=0, **options)
    assert isinstance(select.fit(X, y).forest_, RandomForestClassifier)
    with pytest.warns(UserWarning, match="25 distinct integers") as record:
        select.set_params(task=None).fit(X, y)
    assert isinstance(select.forest_, RandomForestRegressor)
    assert len([w for w in record if "distinct" in str(w.message)]) == 1
    with pytest.raises(ValueError, match="task"):
        select.set_params(task="classify").fit(X, y)


def test_categories_that_are_integers_stay_classes():
    y = pd.Series(np.arange(60) % 25).astype("category")
    select = SelectByThreshold(random_state=0).fit(rng.normal(size=(60, 2)), y)
    assert isinstance(select.forest_, RandomForestClassifier)


def test_a_task_that_contradicts_the_forest():
    select = SelectByThreshold(RandomForestClassifier(5), task="regression")
    with pytest.raises(ValueError, match=r"task=.*RandomForestClassifier.*forest=None"):
        select.fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
    select.set_params(task="classification").fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
