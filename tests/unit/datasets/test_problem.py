"""Simulated problems: samples, Bayes models, residual errors."""

import inspect

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, make_scorer

from silvics import ExtraTreesClassifier, RandomForestRegressor, datasets
from silvics.datasets import (
    LED,
    XOR,
    Friedman1,
    Friedman2,
    Friedman3,
    MixedCardinality,
    NoisyCosine,
    Ringnorm,
    SumOfNormals,
    ThresholdAndCopy,
    TwoGaussians,
    Twonorm,
    Waveform,
)
from silvics.datasets.problem import ClassificationProblem, Problem, RegressionProblem

REGRESSION = [Friedman1(), Friedman2(), Friedman3(), SumOfNormals(3, 2, 0.5), NoisyCosine()]
CLASSIFICATION = [
    LED(0.2, 3), XOR(0.1, 2), MixedCardinality(0.3), ThresholdAndCopy(5), TwoGaussians(1.0, 2),
    Twonorm(), Ringnorm(), Waveform(), Waveform(19),
]  # fmt: skip
ALL = REGRESSION + CLASSIFICATION
NAMES = [str(problem) for problem in ALL]


def test_every_problem_is_tested():
    classes = {
        value
        for name in datasets.__all__
        if inspect.isclass(value := getattr(datasets, name))
        and value not in (Problem, RegressionProblem, ClassificationProblem)
    }
    assert classes == {type(problem) for problem in ALL}


@pytest.mark.parametrize("problem", ALL, ids=NAMES)
def test_samples_follow_from_the_seed(problem):
    X, y = problem.sample(50, random_state=3)
    again, y_again = problem.sample(50, random_state=3)
    assert X.shape == (50, problem.n_features)
    assert X.dtype == np.float64
    assert len(problem.feature_names) == problem.n_features
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, problem.sample(50, random_state=4)[0])


@pytest.mark.parametrize("problem", REGRESSION, ids=str)
def test_residual_error_of_regression_is_the_squared_error_of_the_bayes_model(problem):
    X, y = problem.sample(100_000, random_state=0)
    errors = (problem.bayes_model.predict(X) - y) ** 2
    assert abs(errors.mean() - problem.residual_error) < 4.5 * errors.std() / np.sqrt(len(X))
    np.testing.assert_allclose(problem.residual_error_at(X[:5]), problem.residual_error)


@pytest.mark.parametrize("problem", CLASSIFICATION, ids=str)
def test_residual_error_of_classification_is_the_share_of_wrong_classes(problem):
    n = 60_000
    X, y = problem.sample(n, random_state=0)
    off = 4.5 * np.sqrt(max(problem.residual_error, 1e-4) / n)
    assert abs((problem.bayes_model.predict(X) != y).mean() - problem.residual_error) < off
    assert abs(problem.residual_error_at(X).mean() - problem.residual_error) < off
    drawn = problem.sample_outputs(X, random_state=1)
    assert abs((problem.bayes_model.predict(X) != drawn).mean() - problem.residual_error) < off


@pytest.mark.parametrize("problem", CLASSIFICATION, ids=str)
def test_probabilities_are_calibrated(problem):
    n = 60_000
    X, y = problem.sample(n, random_state=5)
    shares = problem.bayes_model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    for c, label in enumerate(problem.classes):
        for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.01)):
            rows = (shares[:, c] >= low) & (shares[:, c] < high)
            if rows.sum() > 100:
                off = 5 * np.sqrt(0.25 / rows.sum())
                assert abs((y[rows] == label).mean() - shares[rows, c].mean()) < off


@pytest.mark.parametrize("problem", [TwoGaussians(), LED(), Waveform()], ids=str)
def test_no_large_forest_beats_the_residual_error(problem):
    n = 4_000
    forest = ExtraTreesClassifier(100, min_samples_leaf=5, random_state=0)
    wrong = forest.fit(*problem.sample(n, 0)).predict((new := problem.sample(n, 1))[0]) != new[1]
    assert wrong.mean() > problem.residual_error - 3 * wrong.std() / np.sqrt(n)
    assert wrong.mean() < problem.residual_error + 0.06


def test_no_large_regression_forest_beats_the_residual_error():
    problem = Friedman1(noise=3.0)
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=0)
    X, y = problem.sample(4_000, 1)
    errors = (forest.fit(*problem.sample(4_000, 0)).predict(X) - y) ** 2
    assert errors.mean() > problem.residual_error - 3 * errors.std() / np.sqrt(len(y))
    assert errors.mean() < 1.6 * problem.residual_error


def test_scorers_accept_the_bayes_model():
    problem = XOR(noise=0.25)
    X, y = problem.sample(1000, 0)
    assert 0.7 < make_scorer(accuracy_score)(problem.bayes_model.fit(X, y), X, y) < 0.8


@pytest.mark.parametrize("n", [0, -1, 1.5, "a", True, None])
def test_wrong_numbers_of_samples(n):
    with pytest.raises((TypeError, ValueError), match="n_samples must be"):
        Friedman1().sample(n)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Friedman1(4), "n_features must be between 5"),
        (lambda: Friedman1(noise=-1), "noise must be at least 0"),
        (lambda: Friedman1(noise=np.nan), "noise must be at least 0"),
        (lambda: LED(noise=0.6), "noise must be between 0.0 and 0.5"),
        (lambda: LED(n_irrelevant=10**9), "n_irrelevant must be between"),
        (lambda: ThresholdAndCopy(1), "n_levels must be between 2"),
        (lambda: MixedCardinality("x"), "relevance must be a number"),
        (lambda: Twonorm(0), "n_features must be between 1"),
    ],
)
def test_wrong_settings(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_wrong_number_of_columns():
    with pytest.raises(ValueError, match="X has 3 columns, but XOR has 2"):
        XOR().bayes_model.predict(np.zeros((2, 3)))
