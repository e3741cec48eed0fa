"""
A classification, from importances to single rows
=================================================

Three species of penguins, four measurements, the island and the sex: which variables tell the
species apart, how, and why does the forest call a given bird what it calls it?
"""

import numpy as np
from matplotlib import pyplot

from silvics import RandomForestClassifier
from silvics.datasets import load_penguins

penguins = load_penguins()
X, y = penguins.data, penguins.target
forest = RandomForestClassifier(300, oob_score=True, keep_samples=True, random_state=0).fit(X, y)
print(X.dtypes)
print(f"out-of-bag accuracy: {forest.oob_score_:.3f}")

# %%
# Which variables? Permuting a variable out of bag tells what is lost without it: the length of the
# bill and the island come first. The variables go together, since each species has its islands and
# its size. If a variable is permuted among similar birds only, less is lost, above all of the
# island, which the measurements nearly tell.

permuted = forest.importances("mda", X, y, n_repeats=10, random_state=0)
conditional = forest.importances("conditional", X, y, random_state=0)
print(permuted)
print(conditional)
permuted.plot()

# %%
# How? The probability of each species, as the length of the bill changes and all else stays.

forest.partial_dependence("bill_length_mm", X).plot()

# %%
# Two variables at a time: long bills are of two species, which differ in their depth.

pair = ["bill_length_mm", "bill_depth_mm"]
forest.partial_dependence(pair, X, grid_resolution=30).plot()

# %%
# Shapley values split the probabilities of every row into the parts of the variables. They add up:
# base value plus parts is the prediction.

found = forest.shap(X)
print(found.values.shape)
whole = found.base_values + found.values.sum(axis=1)
print(abs(whole - forest.predict_trees(X).mean(axis=1)).max() < 1e-9)
found.plot()

# %%
# Single rows. The bird whose out-of-bag vote is most divided:

votes = forest.oob_decision_function_
row = int(np.argmin(votes.max(axis=1)))
print(X.iloc[row].to_string())
print(
    f"{y[row]}; votes:",
    dict(zip(forest.classes_.tolist(), votes[row].round(2).tolist(), strict=True)),
)
forest.shap(X.iloc[[row]]).plot()

# %%
# The training rows behind its out-of-bag vote, with their weights.

rows, weights = (of[row] for of in forest.neighbors(kind="gap", n_neighbors=8))
print(X.iloc[rows, :5].assign(species=y[rows], weight=weights.round(3)).to_string())
pyplot.show()
