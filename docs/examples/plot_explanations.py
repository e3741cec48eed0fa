"""
Explain single predictions, and a variable
==========================================

Shapley values split the prediction of each row into parts of the variables. Partial dependence
shows how predictions change with one of them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from silvics import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
forest = RandomForestRegressor(200, min_samples_leaf=3, random_state=0).fit(X, y)

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
forest.shap(X).plot(axes[0])
forest.shap(X.iloc[[0]]).plot(axes[1])
axes[0].set_title("all rows")
axes[1].set_title("one row")

# %%
# The values of the body mass index, and the curve that the forest has learned. Gray curves are
# single rows, relative to their first point; the band is the spread over the trees.

found = forest.partial_dependence("bmi", X, kind="both", centered=True)
found.plot()

# %%
# Pairs of variables that act together have large interaction values.

pairs = forest.shap(X.iloc[:100], interactions=True)
strength = abs(pairs.interactions).mean(axis=0)
first, second = max(
    ((i, j) for i in range(len(pairs.names)) for j in range(i)), key=lambda pair: strength[pair]
)
names = pairs.names[[first, second]].tolist()
print(names)
forest.partial_dependence(names, X, grid_resolution=20).plot()
