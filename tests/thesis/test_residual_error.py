"""No forest, however large, is better than the residual error beyond noise (thesis 2.2.2)."""

import numpy as np
import pytest

from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.datasets import (
    LED,
    Friedman1,
    Friedman3,
    MixedCardinality,
    NoisyCosine,
    Ringnorm,
    SumOfNormals,
    TwoGaussians,
    Twonorm,
    Waveform,
)

N_TESTED = 10_000


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
@pytest.mark.parametrize(
    "problem",
    [Friedman1(), Friedman3(noise=0.1), NoisyCosine(), SumOfNormals(noise=1.0)],
    ids=lambda problem: type(problem).__name__,
)
def test_squared_error(kind, problem):
    X, y = problem.sample(2_000, 0)
    new, truth = problem.sample(N_TESTED, 1)
    forest = kind(200, min_samples_leaf=3, random_state=0, n_jobs=2).fit(X, y)
    off = (forest.predict(new) - truth) ** 2
    # The same rows, so that their noise is not counted as a gain.
    excess = off - (problem.bayes_model.predict(new) - truth) ** 2
    assert excess.mean() > -4.5 * excess.std() / np.sqrt(N_TESTED)
    assert off.mean() > problem.residual_error - 4.5 * off.std() / np.sqrt(N_TESTED)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize(
    "problem",
    [
        LED(noise=0.1), MixedCardinality(), TwoGaussians(2.0), Twonorm(), Ringnorm(), Waveform(),
    ],
    ids=lambda problem: type(problem).__name__,
)  # fmt: skip
def test_misclassification(kind, problem):
    X, y = problem.sample(2_000, 0)
    new, truth = problem.sample(N_TESTED, 1)
    forest = kind(200, random_state=0, n_jobs=2).fit(X, y)
    wrong = np.mean(forest.predict(new) != truth)
    residual = problem.residual_error
    assert wrong > residual - 4.5 * np.sqrt(max(residual * (1 - residual), 1e-4) / N_TESTED)
