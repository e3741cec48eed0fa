"""The bundled tables."""

import numpy as np
import pandas as pd

from silvics import RandomForestRegressor
from silvics.datasets import load_penguins, load_seattle_weather


def test_penguins():
    table = load_penguins()
    assert isinstance(table.data, pd.DataFrame)
    assert table.data.shape == (344, 7)
    assert list(table.target_names) == ["Adelie", "Chinstrap", "Gentoo"]
    assert np.unique(table.target, return_counts=True)[1].tolist() == [152, 68, 124]
    assert table.data.isna().to_numpy().sum() == 19
    assert "CC0" in table.DESCR


def test_seattle_weather():
    X, y = load_seattle_weather(return_X_y=True)
    assert X.shape == (1461, 5)
    assert X["date"].dtype.kind == "M"
    assert sorted(set(X["weather"])) == ["drizzle", "fog", "rain", "snow", "sun"]
    forest = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.8
