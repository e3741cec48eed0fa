"""Expected outputs of regression problems, against the printed formulas."""

import math

import numpy as np
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3

from silvics.datasets import Friedman1, Friedman2, Friedman3, NoisyCosine, SumOfNormals


def test_friedman_problems_are_those_of_scikit_learn():
    for make, problem in (
        (make_friedman1, Friedman1()),
        (make_friedman2, Friedman2()),
        (make_friedman3, Friedman3()),
    ):
        X, y = make(200, noise=0.0, random_state=0)
        np.testing.assert_allclose(problem.bayes_model.predict(X), y, rtol=1e-12)


def test_inputs_of_the_circuit_have_their_ranges():
    X, _ = Friedman2().sample(20_000, 0)
    low, high = X.min(axis=0), X.max(axis=0)
    np.testing.assert_allclose(low, [0, 40 * math.pi, 0, 1], atol=3)
    np.testing.assert_allclose(high, [100, 560 * math.pi, 1, 11], atol=3)


def test_sum_of_normals_and_cosine():
    assert SumOfNormals(2, 1).bayes_model.predict([[1.0, 2.0, 50.0]])[0] == 3.0
    np.testing.assert_allclose(NoisyCosine().bayes_model.predict([[2 / 3]]), [-1.0])
