"""Some columns of tables of every kind."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from silvics._tables.parts import dense_columns, part_of
from silvics._tables.table import learn

NUMBERS = np.arange(20.0).reshape(5, 4)
MIXED = pd.DataFrame({"a": [1.0, 2.0, np.nan], "b": ["x", None, "y"], "c": [True, False, True]})


@pytest.mark.parametrize("table", [NUMBERS, csr_matrix(NUMBERS), pd.DataFrame(NUMBERS).T.T, MIXED])
@pytest.mark.parametrize("columns", [[0], [2, 0], [0, 1, 2, 3], [1]])
def test_parts_are_the_columns(table, columns):
    _, X = learn(table, estimator_name="test")
    columns = np.array([j for j in columns if j < X.shape[1]])
    whole, part = list(dense_columns(X)), part_of(X, columns)
    found = list(dense_columns(part))
    assert part.shape == (X.shape[0], len(columns))
    np.testing.assert_array_equal(found, [whole[j] for j in columns])
    if X.n_levels:
        expected = [X.n_levels[j] for j in columns]
        assert part.n_levels == (expected if max(expected) >= 0 else [])


def test_codes_are_numbers():
    _, X = learn(MIXED, estimator_name="test")
    assert list(dense_columns(X))[1].tolist() == [0.0, -1.0, 1.0]
