"""A row is out of bag for a tree only if the tree used it for nothing.

On outputs that are independent of the inputs nothing can be predicted: an out-of-bag accuracy
above one half means that trees have seen what they are judged on.
"""

import numpy as np
import pytest

from silvics import ForestClassifier, ForestRegressor, load, recipes

SETS = 12


def noise(seed, n=150, p=8):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(0, 2, n)


def accuracies(**settings):
    """Out-of-bag accuracy on several sets of noise."""
    found = []
    for seed in range(SETS):
        X, y = noise(seed)
        forest = ForestClassifier(
            n_estimators=60, oob_score=True, random_state=seed, **settings
        ).fit(X, y)
        found.append(forest.oob_score_)
    return np.array(found)


def assert_no_better_than_chance(found):
    # The out-of-bag error of pure noise is a little above one half (a row's own class is rarer
    # among the other rows), so only an accuracy above one half is a leak. Twelve sets of 150 rows
    # have a standard error of 0.012.
    assert found.mean() < 0.5 + 3 * 0.5 / np.sqrt(SETS * 150)
    assert found.mean() > 0.3


@pytest.mark.parametrize("rows", ["bootstrap", "subsample"])
@pytest.mark.parametrize(
    "recipe", [name for name in recipes.names() if recipes.get(name).stages == 1]
)
def test_every_recipe(recipe, rows):
    share = 0.6 if rows == "subsample" else None
    assert_no_better_than_chance(accuracies(recipe=recipe, rows=rows, max_samples=share))


@pytest.mark.parametrize(
    "settings",
    [
        {"pruning": "reduced_error"},
        {"pruning": "reduced_error", "validation_fraction": 0.5},
        {"pruning": "pessimistic"},
        {"honest": True},
        {"honest": 0.8},
        {"honest": True, "pruning": "reduced_error"},
        {"ccp_alpha": 0.01},
        {"choice": "significant", "significance": 0.5},
        {"class_weight": "balanced_subsample"},
        {"split": "oblique"},
        {"columns": "rotation_by_class"},
        {"vote": "majority"},
        {"max_bins": 8},
        {"missing": "both"},
    ],
    ids=str,
)
def test_every_option(settings):
    assert_no_better_than_chance(accuracies(recipe="bagging", rows="bootstrap", **settings))


def reduced_error(kind=ForestClassifier, **settings):
    X, y = noise(0)
    return kind("reduced_error", rows="bootstrap", n_estimators=60, random_state=0, **settings).fit(
        X, y
    )


def test_rows_that_prune_are_never_out_of_bag():
    forest = reduced_error(oob_score=True, validation_fraction=0.4)
    unknown = np.isnan(forest.oob_decision_function_).any(axis=1)
    assert unknown.sum() == 60
    drawn = np.unique(np.concatenate(forest.estimators_samples_))
    assert not np.intersect1d(drawn, np.flatnonzero(unknown)).size
    numbers = reduced_error(ForestRegressor, oob_score=True, validation_fraction=0.4)
    np.testing.assert_array_equal(np.isnan(numbers.oob_prediction_), unknown)


@pytest.mark.filterwarnings("ignore:.*rows:UserWarning")  # those that prune have no prediction
@pytest.mark.parametrize("kind", ["mda", "mdi_oob", "ufi"])
def test_importances_out_of_bag_find_nothing_in_noise(kind):
    values = []
    for seed in range(SETS):
        X, y = noise(seed)
        forest = ForestClassifier(
            "reduced_error", rows="bootstrap", n_estimators=60, random_state=seed
        ).fit(X, y)
        values.append(forest.importances(kind, X, y).values)
    means = np.mean(values, axis=1)
    assert means.mean() < 3 * means.std() / np.sqrt(SETS)


def test_a_file_keeps_which_rows_prune(tmp_path):
    X, y = noise(0)
    forest = reduced_error(oob_score=True)
    path = tmp_path / "forest.silvics"
    forest.save(path, training_rows=True)
    loaded = load(path)
    np.testing.assert_array_equal(loaded.oob_decision_function_, forest.oob_decision_function_)
    np.testing.assert_array_equal(
        loaded.importances("mdi_oob", X, y).values, forest.importances("mdi_oob", X, y).values
    )
    refitted = forest.set_params(pruning="none").fit(X, y)
    assert not np.isnan(refitted.oob_decision_function_).any()
