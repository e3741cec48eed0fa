"""Quantiles of single rows."""

import pickle

import numpy as np
import pandas as pd
import pytest

from silvics import RandomForestRegressor as Forest

rng = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
TABLE["c"] = pd.Categorical(np.where(TABLE["a"] > 0, "up", "down"))
Y = TABLE["a"].to_numpy() + rng.normal(size=80)
LEVELS = [0.1, 0.5, 0.9]


@pytest.fixture(scope="module")
def forest():
    return Forest(20, min_samples_leaf=4, keep_samples=True, random_state=0).fit(TABLE, Y)


@pytest.mark.parametrize("copied", [False, True])
def test_rows_and_tables(forest, copied):
    wanted = forest.predict_quantiles(TABLE, LEVELS)
    predictor = forest.predictor(training_rows=True)
    if copied:
        predictor = pickle.loads(pickle.dumps(predictor))
    np.testing.assert_array_equal(predictor.predict_quantiles(TABLE, LEVELS), wanted)
    row = [0.5, -0.2, "up"]
    of_row = forest.predict_quantiles(pd.DataFrame([row], columns=list("abc")), LEVELS)[0]
    for given in (row, tuple(row), dict(zip("abc", row, strict=True)), TABLE.iloc[3]):
        expected = wanted[3] if isinstance(given, pd.Series) else of_row
        np.testing.assert_array_equal(predictor.predict_quantiles(given, LEVELS), expected)
    assert predictor.predict_quantiles(row, 0.5) == of_row[1]
    linear = forest.predict_quantiles(TABLE, LEVELS, interpolation="linear")
    found = predictor.predict_quantiles(TABLE, LEVELS, interpolation="linear")
    np.testing.assert_array_equal(found, linear)


def test_several_outputs():
    both = Forest(10, keep_samples=True, random_state=0).fit(TABLE, np.column_stack([Y, -Y]))
    predictor = both.predictor(training_rows=True)
    assert predictor.predict_quantiles([0.5, -0.2, "up"], LEVELS).shape == (3, 2)
    assert predictor.predict_quantiles([0.5, -0.2, "up"], 0.5).shape == (2,)


def test_what_is_refused(forest):
    with pytest.raises(ValueError, match="training_rows=True"):
        forest.predictor().predict_quantiles([0.5, -0.2, "up"])
    predictor = forest.predictor(training_rows=True)
    with pytest.raises(ValueError, match="between 0 and 1"):
        predictor.predict_quantiles([0.5, -0.2, "up"], 2)
    with pytest.raises(ValueError, match="Did you mean 'linear'"):
        predictor.predict_quantiles([0.5, -0.2, "up"], 0.5, interpolation="linea")
    with pytest.raises(ValueError, match="absent"):
        predictor.predict_quantiles({"a": 1.0})
    with pytest.raises(ValueError, match="keep_samples=True"):
        Forest(3).fit(TABLE, Y).predictor(training_rows=True)
