"""
Intervals where the noise changes
=================================

How warm is a day in Seattle, given the day of the year and the night? Warm seasons vary more than
cold ones. The out-of-bag rows of the forest tell how wide intervals have to be.
"""

import numpy as np
from matplotlib import pyplot

from silvics import RandomForestRegressor
from silvics.datasets import load_seattle_weather
from silvics.inspection import interval_report

weather = load_seattle_weather()
day = weather.data["date"].dt.day_of_year.to_numpy()
X = np.column_stack([day, weather.data["temp_min"]])
y = weather.target
forest = RandomForestRegressor(300, min_samples_leaf=10, keep_samples=True, random_state=0).fit(
    X, y
)

report = interval_report(forest, confidence_level=[0.5, 0.8, 0.95])
print(report)
report.plot_fan(day, name="day of the year")

# %%
# The coverage is close to the level at every level, for the same rows predicted by trees that have
# not drawn them.

interval_report(forest, confidence_level=np.linspace(0.1, 0.95, 18)).plot()

# %%
# The intervals of one level, in the order of the predictions.

report.plot_intervals(0.8)

# %%
# The distribution of the output of two days.

forest.predict_distribution([[15, 2.0], [200, 14.0]]).plot()
pyplot.show()
