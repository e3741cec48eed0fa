"""Spreads are the standard deviations of predicted distributions."""

import numpy as np

from silvics import RandomForestRegressor
from silvics.uncertainty.difficulty import out_of_bag_means, spreads

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 2))
BOTH = np.column_stack([1000 + X[:, 0], rng.normal(size=60)])


def test_spreads_and_means():
    forest = RandomForestRegressor(40, min_samples_leaf=3, keep_samples=True, random_state=0)
    forest.set_params(oob_score=True).fit(X, BOTH)
    grown, samples = forest._grown, forest._grown.samples
    for rows, table in ((None, None), (forest._checked(X[:9]), X[:9])):
        found = spreads(grown, samples, rows, 2)
        wanted = forest.predict_distribution(table)._moments()[1]
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(out_of_bag_means(grown, samples, 2), forest.oob_prediction_)
