"""Models that round to float32 are exported with thresholds that need no rounding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silvics.interop.plain_model import _thresholds_of_doubles


@given(
    threshold=st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(width=32, allow_nan=False, allow_infinity=False),
    x=st.floats(allow_nan=False, allow_infinity=False),
    steps=st.integers(-2, 2),
)
def test_thresholds_that_round_by_themselves(threshold, x, steps):
    """x rounded to float32 is on the same side of a threshold as x of the one that is told."""
    with np.errstate(over="ignore"):
        told = float(_thresholds_of_doubles(np.array([threshold]))[0])
        near = told
        for _ in range(abs(steps)):
            near = float(np.nextafter(near, np.sign(steps) * np.inf))
        for value in (x, near):
            assert (value <= told) == bool(np.float64(np.float32(value)) <= threshold)
