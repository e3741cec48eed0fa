"""
A tree on a table with text, dates and missing values
=====================================================

No encoding and no imputation are needed. The drawing names levels, dates and the side of missing
values.
"""

import numpy as np
import pandas as pd

from silvics import DecisionTreeRegressor

rng = np.random.default_rng(0)
n = 400
species = rng.choice(["ash", "elm", "oak", "yew"], n)
planted = pd.Timestamp("1900-01-01") + pd.to_timedelta(rng.integers(0, 36_500, n), unit="D")
table = pd.DataFrame({"species": species, "planted": planted, "wet": rng.random(n) < 0.3})
height = (
    30 - 0.0006 * (planted - pd.Timestamp("1900-01-01")).days + 6 * np.isin(species, ["ash", "oak"])
)
table.loc[rng.random(n) < 0.1, "species"] = None

tree = DecisionTreeRegressor(max_leaf_nodes=6).fit(table, height)
print(tree.to_text())
tree.plot()
