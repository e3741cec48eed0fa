"""Checks of levels."""

import numpy as np
import pytest

from silvics._predicting.levels import checked_levels


def test_levels():
    levels, single = checked_levels("level", 0.5, closed=False)
    assert (levels.tolist(), single) == ([0.5], True)
    levels, single = checked_levels("level", (0.0, 1.0), closed=True)
    assert (levels.tolist(), single) == ([0.0, 1.0], False)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.1, np.nan, [0.5, 2], [[0.5]], []])
def test_open_levels(bad):
    with pytest.raises(ValueError, match="level must be"):
        checked_levels("level", bad, closed=False)


@pytest.mark.parametrize("bad", ["a", None, {}])
def test_no_numbers(bad):
    with pytest.raises((TypeError, ValueError), match="level must be"):
        checked_levels("level", bad, closed=True)
