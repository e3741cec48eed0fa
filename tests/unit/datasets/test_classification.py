"""Discrete classification problems, against enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from silvics.datasets import LED, XOR, MixedCardinality, ThresholdAndCopy
from silvics.datasets.classification import SEGMENTS


@pytest.mark.parametrize("tenths", [0, 1, 3, 5])
def test_residual_error_of_leds_is_exact(tenths):
    noise = Fraction(tenths, 10)
    right = Fraction(0)
    for display in product((0, 1), repeat=7):
        wrong = [sum(a != b for a, b in zip(display, digit, strict=True)) for digit in SEGMENTS]
        right += max(noise**w * (1 - noise) ** (7 - w) for w in wrong) / 10
    assert LED(noise=tenths / 10).residual_error == pytest.approx(float(1 - right), abs=1e-14)


def test_segments_are_wrong_with_their_probability():
    X, y = LED(noise=0.2, n_irrelevant=1).sample(50_000, 0)
    assert np.abs((X[:, :7] != SEGMENTS[y]).mean(axis=0) - 0.2).max() < 0.01
    assert abs(X[:, 7].mean() - 0.5) < 0.01


def test_impossible_displays_are_no_digit_more_than_another():
    np.testing.assert_allclose(LED(noise=0.0).bayes_model.predict_proba(np.zeros((1, 7))), 0.1)


def test_xor_needs_both_inputs():
    X, y = XOR(n_irrelevant=1).sample(2_000, 0)
    assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    assert np.abs(np.corrcoef(np.column_stack([X, y]).T)[-1, :-1]).max() < 0.1


def test_numbers_of_values_of_table_7_1():
    X, _ = MixedCardinality().sample(5_000, 0)
    assert [len(np.unique(X[:, j])) for j in range(1, 5)] == [2, 4, 10, 20]


@pytest.mark.parametrize("n_levels", [2, 3, 4, 7])
def test_table_7_2(n_levels):
    X, y = ThresholdAndCopy(n_levels).table()
    assert X.shape == (n_levels, 2)
    assert [int(a < n_levels / 2) for a in range(n_levels)] == y.tolist() == X[:, 1].tolist()
