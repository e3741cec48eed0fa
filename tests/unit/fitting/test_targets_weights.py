"""Class weights are looked up by the labels of the user."""

import numpy as np
import pytest

from silvics import DecisionTreeClassifier, RandomForestClassifier

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier])
def test_labels_that_look_like_numbers(kind):
    by_number = kind(random_state=0, class_weight={0: 1, 1: 5}).fit(X, Y)
    for weights in ({"0": 1, "1": 5}, {0: 1, 1: 5}):
        by_text = kind(random_state=0, class_weight=weights).fit(X, Y.astype(str))
        assert by_text.digest() == by_number.digest()


def test_weights_multiply_samples():
    weights = np.where(Y == 1, 3.0, 0.5)
    by_class = DecisionTreeClassifier(random_state=0, class_weight={0: 0.5, 1: 3.0}).fit(X, Y)
    assert by_class.digest() == DecisionTreeClassifier(random_state=0).fit(X, Y, weights).digest()


def test_unknown_labels_are_named():
    with pytest.raises(ValueError, match="are not in class_weight"):
        DecisionTreeClassifier(class_weight={"oak": 1.0}).fit(X, Y)
