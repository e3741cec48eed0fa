"""The two doors of ``silvics._tables.table``, and what is behind them, for the tests of tables."""

import numpy as np

from silvics._tables import table


def learn(X, **settings):
    return table.learn(X, estimator_name="Forest", **settings)


def read(variables, X, **settings):
    return table.read(variables, X, estimator_name="Forest", **settings)


def values(blocks):
    return np.hstack([block.astype(np.float64) for block in blocks.blocks])
