"""The LED problem of thesis section 6.5: Table 6.1, and the importances of Table 6.2."""

from pathlib import Path

import numpy as np

from silvics.datasets import classification

SEGMENTS = classification.SEGMENTS  # Table 6.1
DIGITS = np.arange(10)

# The importances of X1 to X7, computed from the definition for some K.
EXACT = {
    1: [0.4127, 0.5815, 0.5312, 0.5421, 0.6566, 0.2258, 0.3720],
    2: [0.3625, 0.6652, 0.5126, 0.5252, 0.7302, 0.1397, 0.3865],
    6: [0.3065, 0.7981, 0.4753, 0.4096, 0.8355, 0.1219, 0.3752],
    7: [0.3065, 0.7981, 0.4753, 0.4096, 0.8355, 0.1219, 0.3752],
}

# Table 6.2 as printed, which the gallery shows as well: one row for each K, without Equation 6.10.
PRINTED = np.loadtxt(
    Path(__file__).parents[1] / "docs" / "gallery" / "table_6_2.csv",
    delimiter=",", skiprows=1, usecols=range(2, 9),
).T  # fmt: skip
