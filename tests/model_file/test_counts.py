"""Numbers in files that would take memory or time out of all proportion to the file."""

import warnings

import numpy as np
import pytest

import silvics
from silvics.model_file import json_values

from . import files

PRIME = 2**61 - 1  # numbers that differ by it have one hash


def problem():
    X = np.random.default_rng(0).normal(size=(30, 3))
    return X, (X[:, 0] > 0).astype(int)


def with_growth(model, **changes):
    said, encoded, arrays = files.opened(files.content_of(model))
    encoded["growth"].update(changes)
    return files.loaded(files.mended(files.closed(said, encoded, arrays)))


@pytest.mark.parametrize("n", [2147483647, 10**6, 5000])
@pytest.mark.parametrize(
    "options", [{}, {"max_samples": 10}, {"class_weight": "balanced_subsample"}]
)
def test_more_draws_than_the_trees_have(n, options):
    X, y = problem()
    model = silvics.RandomForestClassifier(3, random_state=0, **options).fit(X, y)
    assert len(with_growth(model).estimators_samples_[0]) == options.get("max_samples", 30)
    changed = with_growth(model, n_samples_bootstrap=n)
    with pytest.raises(ValueError, match=f"should have drawn {n} rows, but the first tree has"):
        _ = changed.estimators_samples_
    np.testing.assert_array_equal(changed.predict(X), model.predict(X))


@pytest.mark.parametrize("n", [2**32 - 2, 10**6])
def test_more_rows_than_the_trees_have(n):
    X, y = problem()
    model = silvics.ExtraTreesClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=f"should have drawn {n} rows"):
        _ = with_growth(model, n_samples=n).estimators_samples_


def test_draws_beyond_what_can_be_drawn_are_no_model():
    X, y = problem()
    model = silvics.RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(silvics.ModelFileError, match="n_samples_bootstrap"):
        with_growth(model, n_samples_bootstrap=2**31)


@pytest.mark.parametrize("recipe", ["random_forest", "bagging", "pert", "reduced_error"])
@pytest.mark.parametrize("rows", ["all", "bootstrap", "subsample"])
@pytest.mark.parametrize("honest", [False, 0.9])
def test_every_forest_knows_its_rows(recipe, rows, honest):
    X, y = problem()
    few = {} if rows == "all" else {"max_samples": 20}
    forest = silvics.ForestClassifier(
        recipe, n_estimators=3, rows=rows, honest=honest, random_state=0, **few
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest.fit(X, y, sample_weight=np.linspace(1e-3, 1e3, 30))
        assert len(forest.estimators_samples_) == 3
        forest.fit(X, y)
    assert {len(drawn) for drawn in forest.estimators_samples_} == {30 if rows == "all" else 20}


def test_columns_of_a_tree_are_not_more_than_there_are():
    model = silvics.IsolationForest(n_estimators=3, random_state=0).fit(problem()[0])
    said, encoded, arrays = files.opened(files.content_of(model))
    encoded["fitted"]["_n_columns_of_tree"] = 2**62
    with pytest.raises(silvics.ModelFileError, match="more columns than there are"):
        files.loaded(files.mended(files.closed(said, encoded, arrays)))


@pytest.mark.parametrize("place", ["labels", "weights"])
def test_values_of_one_hash_are_refused_before_they_are_in_a_set(place):
    X, y = problem()
    model = silvics.RandomForestClassifier(3, random_state=0, class_weight={0: 1.0, 1: 2.0})
    said, encoded, arrays = files.opened(files.content_of(model.fit(X, y)))
    numbers = [k * PRIME for k in range(1, 3000)]
    if place == "labels":
        encoded["outputs"]["classes"][0] = {
            "dtype": "object", "shape": [len(numbers)], "values": numbers
        }  # fmt: skip
    else:
        encoded["parameters"]["class_weight"] = {"dict": [[n, 1.0] for n in numbers]}
    content = files.mended(files.closed(said, encoded, arrays))
    with pytest.raises(silvics.ModelFileError, match="same hash"):
        files.loaded(content)


def test_other_numbers_are_taken():
    few = [k * PRIME for k in range(60)]
    many = list(range(100_000))
    apart = [k << 45 for k in range(10_000)]
    for keys in (few, many, apart, [(k, "a") for k in range(1000)]):
        encoded = json_values.encode(dict.fromkeys(keys, 1.0))
        assert list(json_values.read(encoded)) == keys
    with pytest.raises(silvics.ModelFileError, match="occurs twice"):
        json_values.read({"dict": [[1, 2], [1, 3]]})
    with pytest.raises(silvics.ModelFileError, match="not hashable"):
        json_values.read({"dict": [[[1], 2]]})
