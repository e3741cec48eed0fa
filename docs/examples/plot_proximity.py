"""
A map of the rows by proximity
==============================

Two rows are close if they often reach the same leaf. Multidimensional scaling draws the
dissimilarities in two dimensions.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.manifold import MDS

from silvics import RandomForestClassifier

X, y = load_iris(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(200, keep_samples=True, random_state=0).fit(X, y)
distance = 1 - forest.proximity(kind="oob", min_samples_in_node=5)
places = MDS(metric="precomputed", init="random", n_init=1, random_state=0).fit_transform(distance)

figure, ax = plt.subplots()
ax.scatter(*places.T, c=y)
ax.set(title="Rows of iris by out-of-bag proximity", aspect="equal")

# %%
# The training rows with the largest weights in a prediction are the neighbours of a row.

indices, weights = forest.neighbors(X.iloc[[70]], n_neighbors=4)
print(X.iloc[indices[0]].assign(weight=weights[0], species=y.iloc[indices[0]]))
