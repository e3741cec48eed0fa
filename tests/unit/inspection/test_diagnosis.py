"""Planted situations are recognised, and well-set forests raise no alarm."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from silvics import (
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.datasets import (
    Friedman1,
    MixedCardinality,
    SumOfNormals,
    TwoGaussians,
    Waveform,
    load_penguins,
)
from silvics.inspection import diagnose

SEEDS = range(10)


def few_trees(seed):
    return RandomForestRegressor(8), *Friedman1().sample(300, seed)


def trees_alike(seed):
    forest = ForestRegressor(
        "bagging", rows="subsample", max_samples=0.8, n_estimators=60, min_samples_leaf=80
    )
    return forest, *SumOfNormals(1, 0, noise=2.0).sample(800, seed)


def overgrown(seed):
    return RandomForestRegressor(60), *SumOfNormals(2, 0, noise=4.0).sample(1500, seed)


def undergrown(seed):
    return RandomForestRegressor(60, max_depth=2, max_features=0.5), *Friedman1().sample(500, seed)


def few_variables_per_node(seed):
    forest = RandomForestClassifier(100, max_features=3)
    return forest, *TwoGaussians(4.0, n_irrelevant=200).sample(300, seed)


def end_cuts(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 5))
    return RandomForestRegressor(60), X, X[:, 0] + rng.standard_cauchy(400) ** 3


def many_levels(seed):
    X, y = TwoGaussians(3.0).sample(300, seed)
    who = [f"u{i}" for i in np.random.default_rng(seed).integers(0, 150, 300)]
    return RandomForestClassifier(300), pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "id": who}), y


def rows_never_out_of_bag(seed):
    return RandomForestClassifier(7), *TwoGaussians(3.0).sample(300, seed)


def no_signal(seed):
    return RandomForestClassifier(60), *MixedCardinality().sample(300, seed)


def rare_class(seed):
    X, y = TwoGaussians(1.5).sample(3000, seed)
    kept = (y == 0) | (np.random.default_rng(seed).random(3000) < 0.04)
    return RandomForestClassifier(60, min_samples_leaf=20), X[kept], y[kept]


PLANTED = [
    few_trees, trees_alike, overgrown, undergrown, few_variables_per_node, end_cuts, many_levels,
    rows_never_out_of_bag, no_signal, rare_class,
]  # fmt: skip


def names_of(make, seed):
    forest, X, y = make(seed)
    forest.set_params(random_state=seed, n_jobs=2).fit(X, y)
    return [found.name for found in diagnose(forest, X, y).findings]


@pytest.mark.parametrize("make", PLANTED, ids=lambda make: make.__name__)
def test_planted_situations_are_recognised(make):
    name = make.__name__.replace("_", " ")
    assert sum(name in names_of(make, seed) for seed in SEEDS) >= 9


def well_set_regression(seed):
    return RandomForestRegressor(300, max_features=4), *Friedman1().sample(400, seed)


def well_set_classes(seed):
    return RandomForestClassifier(300, min_samples_leaf=5), *TwoGaussians(3.0).sample(400, seed)


def well_set_waves(seed):
    return RandomForestClassifier(400), *Waveform().sample(400, seed)


@pytest.mark.parametrize("make", [well_set_regression, well_set_classes, well_set_waves])
def test_well_set_forests_raise_no_alarm(make):
    assert [names for seed in SEEDS if (names := names_of(make, seed))] == []


def test_numbers_behind_the_findings():
    X, y = Friedman1().sample(300, 0)
    forest = RandomForestRegressor(8, random_state=0).fit(X, y)
    found = diagnose(forest, X, y)
    by_name = {finding.name: finding for finding in found.findings}
    never = (forest.in_bag_counts() > 0).all(axis=1).mean()
    assert by_name["rows never out of bag"].value == never
    assert by_name["few trees"].value == pytest.approx(
        (found.error_of_tree - found.error_of_infinite_forest) / 8 / found.error_of_infinite_forest
    )
    assert found.error == pytest.approx(
        found.error_of_infinite_forest + (found.error_of_tree - found.error_of_infinite_forest) / 8
    )
    new, new_y = Friedman1().sample(20_000, 1)
    measured = ((forest.predict(new) - new_y) ** 2).mean()
    assert found.error == pytest.approx(measured, rel=0.25)
    assert found.error_of_constant == pytest.approx(y.var(), rel=0.1)


def test_the_result_converts_and_prints():
    X, y = Friedman1().sample(200, 0)
    found = diagnose(RandomForestRegressor(5, random_state=0).fit(pl.DataFrame(X), y),
                     pl.DataFrame(X), y)  # fmt: skip
    assert isinstance(found.to_frame(), pl.DataFrame)
    assert found.to_frame().columns == ["finding", "value", "text", "advice"]
    assert "few trees: " in repr(found)
    assert "few trees" in found._repr_html_()
    assert len(found.plot().ax_.patches) == 4
    assert len(found.goals) == 2


def test_any_table():
    X, y = load_penguins(return_X_y=True)
    forest = RandomForestClassifier(300, random_state=0).fit(X, y)
    assert diagnose(forest, X, y).findings == []


def test_several_outputs():
    X, y = Friedman1().sample(300, 0)
    both = np.column_stack([y, X[:, 3] - X[:, 4]])
    found = diagnose(RandomForestRegressor(100, random_state=0).fit(X, both), X, both)
    assert found.error < found.error_of_constant
    classes = np.column_stack([y > 14, X[:, 3] > 0.5]).astype(int)
    found = diagnose(RandomForestClassifier(100, random_state=0).fit(X, classes), X, classes)
    assert found.error < found.error_of_constant


def test_forests_without_out_of_bag_rows_take_held_out_ones():
    X, y = TwoGaussians(3.0).sample(600, 0)
    forest = ExtraTreesClassifier(200, min_samples_leaf=5, random_state=0).fit(X[:300], y[:300])
    with pytest.raises(ValueError, match="needs out-of-bag rows"):
        diagnose(forest, X[:300], y[:300])
    found = diagnose(forest, X[300:], y[300:], held_out=True)
    assert found.error == pytest.approx(
        2 * ((forest.predict_proba(X[300:])[:, 1] - y[300:]) ** 2).mean()
    )


@pytest.mark.parametrize(
    ("rows", "outputs", "message"),
    [(200, 100, "but y has 100"), (100, 100, "fitted on 200 rows")],
)
def test_wrong_rows(rows, outputs, message):
    X, y = Friedman1().sample(200, 0)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        diagnose(forest, X[:rows], y[:outputs])


def test_only_forests_are_diagnosed():
    tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(TypeError, match="diagnose needs a forest of silvics"):
        diagnose(tree, [[0.0], [1.0]], [0.0, 1.0])
