"""Theorem 4.2 against simulation."""

import numpy as np
import pytest

from silvics import ExtraTreesClassifier, RandomForestClassifier
from silvics.bias_variance import misclassification
from silvics.datasets import LED, SumOfNormals, TwoGaussians, Twonorm


def test_theorem_agrees_with_simulation():
    found = misclassification(
        ExtraTreesClassifier(30), TwoGaussians(), n_learning_sets=60, n_test=300, random_state=0
    )
    assert found.noise < found.error < found.noise + 0.1
    off = np.hypot(found.standard_errors["error"], found.standard_errors["normal_error"])
    assert abs(found.error - found.normal_error) < max(0.01, 2 * off)


def test_simulated_error_is_the_measured_one():
    """The expected error by the share of deviating models is the error on new outputs."""
    problem = TwoGaussians()
    found = misclassification(
        RandomForestClassifier(10), problem, n_samples=60, n_learning_sets=40, n_test=500,
        random_state=1,
    )  # fmt: skip
    rng = np.random.RandomState(0)
    wrong = []
    for _ in range(40):
        model = RandomForestClassifier(10, random_state=rng).fit(*problem.sample(60, rng))
        X, y = problem.sample(500, rng)
        wrong.append((model.predict(X) != y).mean())
    off = np.hypot(np.std(wrong) / np.sqrt(40), found.standard_errors["error"])
    assert abs(np.mean(wrong) - found.error) < 3.5 * off


def test_more_trees_reduce_the_variance_and_the_error():
    few, many = (
        misclassification(
            RandomForestClassifier(n), Twonorm(), n_learning_sets=25, n_test=300, random_state=0
        )
        for n in (3, 60)
    )
    assert many.variance < few.variance / 3
    assert many.error < few.error - 0.03


def test_forms_of_the_result():
    found = misclassification(
        RandomForestClassifier(3), TwoGaussians(), n_learning_sets=3, n_test=20, random_state=0
    )
    assert found.points.shape == (20, 8)
    assert found.to_frame()["part"].tolist() == list(found.averages)
    assert "Zero-one loss" in repr(found)
    assert len(found.plot().ax_.patches) == 3


@pytest.mark.parametrize("problem", [LED(), SumOfNormals(), "x"])
def test_two_classes_are_needed(problem):
    with pytest.raises(ValueError, match="two classes"):
        misclassification(RandomForestClassifier(3), problem)
