"""Missing cells: their order, their start, their change."""

import numpy as np
import pytest

from silvics.impute.cells import Cells
from silvics.impute.coded_table import learn_schema

X = np.array(
    [[1.0, np.nan, 2, np.nan], [3, np.nan, 2, np.nan], [np.nan, 7, 2, np.nan], [5, 9, 2, np.nan]]
)


def cells():
    schema, coded = learn_schema(X, [1], "test")
    return Cells(schema, coded, np.array([3.0, 1.0, 2.0, np.nan])), coded


def test_columns_by_rising_number_without_empty_ones():
    found, _ = cells()
    assert found.order.tolist() == [0, 1]
    assert found.n_missing.tolist() == [1, 2]


def test_start_and_changes():
    found, coded = cells()
    before = found.started()
    assert before[2, 0] == 3
    assert before[:2, 1].tolist() == [1, 1]
    assert np.isnan(coded.values[2, 0])
    after = before.copy()
    after[2, 0], after[0, 1] = 5, 0
    changes = found.changes(before, after)
    assert changes == pytest.approx([2 / np.std([1, 3, 5]), 0.5])
    assert found.by_kind(changes) == pytest.approx([0.5, 4 / np.var([1, 3, 5])])
    assert found.change(before, after) == pytest.approx(1.5)
