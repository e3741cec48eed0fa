"""Small fits, and what follows from them for all rows."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from silvics import RandomForestRegressor
from silvics.inspection.calibration import DEFAULT
from silvics.inspection.pilot import extrapolated, n_rounds, run_pilot, some_rows

X, Y = make_friedman1(8_000, 6, noise=1.0, random_state=0)


def test_rounds_of_threads():
    assert [n_rounds(m, 1) for m in (1, 2, 5)] == [1, 2, 5]
    assert [n_rounds(m, 2) for m in (2, 4)] == [1, 2]
    assert n_rounds(3, 2) == pytest.approx(1 + 1 / np.sqrt(2))
    assert n_rounds(7, 4) == 2


def test_a_pilot_counts_what_its_forest_took():
    forest = RandomForestRegressor(100, random_state=0)
    pilot = run_pilot(forest, X, Y, None, 2)
    same = RandomForestRegressor(2, random_state=0).fit(X, Y)
    assert pilot.nodes * 2 == same.work_["nodes"]
    assert pilot.values * 2 == same.work_["values_read"]
    assert (pilot.n_rows, pilot.n_trees) == (8_000, 2)


def test_more_rows_are_extrapolated():
    forest = RandomForestRegressor(4, random_state=0)
    small, large = (run_pilot(forest, X, Y, None, 1, some_rows(len(X), n, 0)) for n in (200, 1_500))
    found = extrapolated(small, large, len(X), "best, numbers", DEFAULT)
    whole = run_pilot(forest, X, Y, None, 1)
    for name in ("values", "nodes", "tree_bytes", "file_bytes", "fixed_bytes"):
        assert getattr(found, name) == pytest.approx(getattr(whole, name), rel=0.1), name


def test_rows_are_drawn_in_their_order():
    rows = some_rows(100, 10, 0)
    assert len(set(rows)) == 10
    assert (np.diff(rows) > 0).all()
