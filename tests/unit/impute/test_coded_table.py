"""Tables as numbers, and what their columns are."""

import numpy as np
import pandas as pd

from silvics.impute.coded_table import learn_schema, read_table


def test_codes_types_and_missing_cells():
    X = pd.DataFrame(
        {
            "x": [0.5, None, 2.5],
            "n": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "o": pd.Series([True, None, True], dtype=object),
            "c": pd.Categorical(["b", None, "a"], categories=["c", "b", "a"]),
        }
    )
    schema, coded = learn_schema(X, "from_dtype", "test")
    assert schema.is_class.tolist() == [False, False, True, True, True]
    assert schema.is_integer.tolist() == [False, True, False, False, False]
    assert schema.is_boolean.tolist() == [False, False, True, True, False]
    assert coded.missing.tolist() == [[False] * 5, [True] * 5, [False] * 5]
    np.testing.assert_array_equal(coded.values[0], [0.5, 1, 1, 1, 1])
    assert np.isnan(coded.values[1]).all()
    assert schema.spread[0] == 1


def test_unseen_levels_are_not_missing_cells():
    schema, _ = learn_schema(pd.DataFrame({"c": ["a", "b", None]}), "from_dtype", "test")
    coded = read_table(schema, pd.DataFrame({"c": ["z", None, "a"]}), "test")
    assert coded.missing[:, 0].tolist() == [False, True, False]
    assert np.isnan(coded.values[:2, 0]).all()
