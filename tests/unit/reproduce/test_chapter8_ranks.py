"""Friedman's and Nemenyi's tests have the numbers of Demšar (2006) and those of SciPy."""

import numpy as np
import pytest
from scipy import stats

from silvics.reproduce.chapter8.ranks import (
    average_ranks,
    critical_difference,
    draw_ranks,
    friedman,
    groups_of,
    significantly_better,
)

# Table 6 of Demšar (2006): the areas under the curve of C4.5, and of C4.5 with tuned m, cf, or
# both, on 14 data sets.
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ]
)  # fmt: skip


def test_the_example_of_demsar():
    ranks = average_ranks(AREAS)
    np.testing.assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    found = friedman(ranks, len(AREAS))
    assert found.chi_square == pytest.approx(9.28, abs=0.005)
    assert found.f == pytest.approx(3.69, abs=0.005)
    assert found.p_value < 0.05
    assert stats.f.ppf(0.95, 3, 39) == pytest.approx(2.85, abs=0.005)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=0.005)


@pytest.mark.parametrize(
    ("n_methods", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102),
     (10, 3.164)],
)  # fmt: skip
def test_critical_values_of_nemenyis_test(n_methods, q):
    """Table 5a of Demšar (2006)."""
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 20))
    assert critical_difference(n_methods, 20) == pytest.approx(expected, rel=5e-4)


def test_critical_differences_of_the_thesis():
    assert critical_difference(8, 16) == pytest.approx(2.6249, abs=5e-4)
    assert critical_difference(8, 13) == pytest.approx(2.9120, abs=5e-4)


def test_friedmans_statistic_is_that_of_scipy_without_ties():
    scores = np.random.default_rng(0).normal(size=(12, 6))
    found = friedman(average_ranks(scores), 12)
    assert found.chi_square == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)
    alike = np.tile(np.arange(5.0), (4, 1))
    assert friedman(average_ranks(alike), 4).p_value == 0.0
    equal = friedman(average_ranks(np.ones((4, 5))), 4)
    assert (equal.chi_square, equal.p_value) == (0.0, 1.0)


def test_levels_are_those_of_simulations():
    """Under equivalence the test rejects in about a share of 0.05."""
    rng = np.random.default_rng(1)
    p = [friedman(average_ranks(rng.normal(size=(20, 5))), 20).p_value for _ in range(2000)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_paired_comparisons():
    rng = np.random.default_rng(2)
    a = rng.normal(size=30)
    assert significantly_better(a + 0.5 + 0.1 * rng.normal(size=30), a, 0.01) == 1
    assert significantly_better(a, a + 0.5 + 0.1 * rng.normal(size=30), 0.01) == -1
    assert significantly_better(a, rng.permutation(a), 0.01) == 0
    assert significantly_better(a + 1, a + 1, 0.01) == 0
    assert significantly_better([2.0, 2.0], [1.0, 1.0], 0.01) == 1


def test_groups_of_equivalent_methods():
    ranks = np.array([1.0, 1.5, 2.4, 4.0, 4.1])
    assert groups_of(ranks, 1.0) == [(1.0, 1.5), (1.5, 2.4), (4.0, 4.1)]
    assert groups_of(ranks, 5.0) == [(1.0, 4.1)]
    assert groups_of(ranks, 0.01) == []


def test_the_diagram_names_all_methods():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, ax = pyplot.subplots()
    draw_ranks(ax, ["a", "b", "c"], np.array([1.2, 2.6, 2.2]), 0.7)
    texts = [text.get_text() for text in ax.texts]
    assert {"a (1.20)", "b (2.60)", "c (2.20)", "CD = 0.70"} <= set(texts)
    pyplot.close(figure)
