"""Which trees show what: sections 6.4.3 and 7.3.2, on problems whose answer is known."""

import numpy as np
import pytest

from silvics import ForestClassifier
from silvics.importance import asymptotic_importances

from ..led import DIGITS, SEGMENTS


@pytest.mark.parametrize(
    ("K", "least", "most"), [(1, 0.0, 1e-12), (2, 0.005, 0.0125), (7, 0.0, 1e-12)]
)
def test_binary_trees_of_binary_variables_are_nearly_the_multiway_ones(K, least, most):
    """L2935 says that they are the same: for 1 < K < p, variables that are used up count in one."""
    multiway = asymptotic_importances(SEGMENTS, DIGITS, K=K).importances
    binary = asymptotic_importances(SEGMENTS, DIGITS, K=K, splits="best").importances
    off = abs(multiway - binary).max()
    assert least <= off <= most


def masked_problem(seed, n=400):
    """X1 determines Y up to noise, X2 is nearly a copy of X1, and six variables do not matter."""
    rng = np.random.default_rng(seed)
    cause = rng.integers(0, 2, n)
    copy = np.where(rng.random(n) < 0.05, 1 - cause, cause)
    X = np.column_stack([cause, copy, rng.integers(0, 2, (n, 6))])
    return X, np.where(rng.random(n) < 0.1, 1 - cause, cause)


@pytest.mark.parametrize("seed", range(3))
def test_all_relevant_variables_by_total_randomness_a_good_subset_by_choice(seed):
    """K = 1 shows the masked variable; K = p shows the best one, and predicts better."""
    X, y = masked_problem(seed)
    X_new, y_new = masked_problem(seed + 100, 2000)
    scores = {}
    for K in (1, 8):
        forest = ForestClassifier(
            "totally_randomized_multiway", 200, max_features=K, max_depth=3, random_state=0
        ).fit(X, y)
        found = forest.importances("mdi", X, y, null="exact" if K == 1 else None)
        values = found.corrected if K == 1 else found.values
        scores[K] = forest.score(X_new, y_new)
        if K == 1:
            assert min(values[:2]) > 5 * abs(values[2:]).max()
        else:
            assert values[0] == values.max()
            assert values[1] < values[2:].max()
            assert values[0] > 0.8 * values.sum()
    assert scores[8] >= scores[1] - 0.01
