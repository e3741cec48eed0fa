"""Table 3.1: a toy problem on which training error sees no difference between three splits."""

import numpy as np
import pytest

from silvics import DecisionTreeClassifier

X = np.array([
    [0, 0, 0],
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 1],
    [0, 1, 1],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 1, 1],
])  # fmt: skip
y = np.array(["c1"] * 2 + ["c2"] * 8)

GAINS = {
    "entropy": [0.2365, 0.1710, 0.0074],
    "gini": [0.0800, 0.0533, 0.0033],
    "misclassification": [0.0, 0.0, 0.0],
}


@pytest.mark.parametrize("variable", [0, 1, 2])
@pytest.mark.parametrize("criterion", GAINS)
def test_gain_of_each_variable(criterion, variable):
    stump = DecisionTreeClassifier(criterion=criterion, max_depth=1)
    stump.fit(X[:, [variable]], y)
    assert stump.tree_.threshold[0] == 0.5  # also where nothing is gained
    gain = stump.tree_.compute_feature_importances(normalize=False)[0]
    expected = GAINS[criterion][variable]
    if expected == 0.0:
        assert gain == pytest.approx(0.0, abs=1e-15)
    else:
        assert round(gain, 4) == expected


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_concave_impurities_choose_the_first_variable(criterion):
    for seed in range(20):
        tree = DecisionTreeClassifier(criterion=criterion, random_state=seed).fit(X, y).tree_
        assert tree.feature[0] == 0


def test_training_error_chooses_none():
    """All three are equally bad: each is taken by some seed."""
    roots = {
        DecisionTreeClassifier(criterion="misclassification", random_state=seed)
        .fit(X, y)
        .tree_.feature[0]
        for seed in range(50)
    }
    assert roots == {0, 1, 2}
