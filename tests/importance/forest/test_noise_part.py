"""The part of importances that noise would get, against plain loops."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
)

from . import plain_importances as plain
from .fitted_cases import CLASSES, NUMBERS, SIX, SIX_CLASSES, SIX_NUMBERS, X, fitted

# ---- What noise would get

BLIND = {
    "Gini": (ExtraTreesClassifier(3, max_features=1, random_state=0), SIX_CLASSES, "gini"),
    "entropy": (
        ExtraTreesClassifier(3, max_features=1, criterion="entropy", random_state=0),
        SIX_CLASSES,
        "entropy",
    ),
    "variance": (
        ExtraTreesRegressor(3, max_features=1, random_state=0),
        SIX_NUMBERS,
        "squared_error",
    ),
    "Gini, counts": (
        ExtraTreesClassifier(3, max_features=1, bootstrap=True, random_state=0),
        SIX_CLASSES,
        "gini",
    ),
    "variance, counts, two outputs": (
        ExtraTreesRegressor(3, max_features=1, bootstrap=True, random_state=1),
        np.column_stack([SIX_NUMBERS, SIX_NUMBERS[::-1] ** 2]),
        "squared_error",
    ),
    "multiway": (
        ForestClassifier("totally_randomized_multiway", n_estimators=3, random_state=0),
        SIX_CLASSES,
        "entropy",
    ),
    "multiway, Gini, two outputs": (
        ForestClassifier(
            "totally_randomized_multiway",
            criterion="gini",
            rows="bootstrap",
            n_estimators=3,
            random_state=0,
        ),
        np.column_stack([SIX_CLASSES, SIX_CLASSES % 2]),
        "gini",
    ),
    "subsample": (
        ForestRegressor(
            "totally_randomized", rows="subsample", max_samples=5, n_estimators=3, random_state=0
        ),
        SIX_NUMBERS,
        "squared_error",
    ),
    "gaps": (
        ForestRegressor("random_gap", n_estimators=3, random_state=0),
        SIX_NUMBERS,
        "squared_error",
    ),
}


@pytest.mark.parametrize("name", BLIND)
def test_noise_by_all_permutations(name):
    forest, y, criterion = BLIND[name]
    table = SIX.round() if "multiway" in name else SIX
    forest = clone(forest).fit(table, y)

    def fall(outputs, weight, parts):
        return plain.expected_fall(criterion, outputs, weight, parts)

    expected = plain.null(forest, table, y, plain.in_bag(forest, y), fall).mean(axis=0)
    found = forest.importances("mdi", table, y, null="exact")
    assert expected.max() > 0.01
    assert found.null == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found.corrected == pytest.approx(found.values - expected)
    inside = found.values > 0
    assert found.null_share[inside] == pytest.approx(expected[inside] / found.values[inside])
    shares = forest.importances("mdi", table, y, null="exact", normalize=True)
    assert shares.null == pytest.approx(expected / found.total, abs=1e-12)
    assert "permutations of Y" in repr(found)
    assert forest.importances("mdi", table, y, null="auto").null == pytest.approx(expected)
    together = forest.importances("mdi", table, y, null="exact", feature_groups=[[0, 2]])
    assert together.null[0] == pytest.approx(expected[[0, 2]].sum())


def test_noise_of_weighted_rows_by_all_permutations():
    weights = np.array([0.1, 2.0, 1.0, 0.7, 3.0, 1.5])
    forest = ExtraTreesRegressor(3, max_features=1, random_state=0)
    forest = forest.fit(SIX, SIX_NUMBERS, weights)

    def fall(outputs, weight, parts):
        return plain.expected_fall("squared_error", outputs, weight, parts)

    bags = plain.in_bag(forest, SIX_NUMBERS, weights)
    expected = plain.null(forest, SIX, SIX_NUMBERS, bags, fall).mean(axis=0)
    found = forest.importances("mdi", SIX, SIX_NUMBERS, null="exact")
    assert found.null == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_noise_by_formula(criterion):
    y = NUMBERS if criterion == "squared_error" else CLASSES
    kind = ExtraTreesRegressor if criterion == "squared_error" else ExtraTreesClassifier
    forest = kind(4, criterion=criterion, max_features=1, random_state=0).fit(X, y)

    def fall(outputs, weight, parts):
        parts = [part for part in parts if len(part)]
        if criterion == "entropy":
            labels = outputs[0].argmax(axis=1)
            return plain.expected_entropy_fall(labels, [len(part) for part in parts])
        whole = plain.impurity(criterion, outputs, weight)
        return whole * (len(parts) - 1) / (len(weight) - 1)

    for min_samples in (0, 20):
        expected = np.zeros(5)
        bags = plain.in_bag(forest, y)

        def large(outputs, weight, parts, least=min_samples):
            return fall(outputs, weight, parts) if len(weight) >= least else 0.0

        expected = plain.null(forest, X, y, bags, large).mean(axis=0)
        found = forest.importances("mdi", X, y, null="exact", min_samples=min_samples)
        assert found.null == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_noise_gets_what_is_told(bootstrap):
    left, plainly = [], []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        table = np.column_stack(
            [draw.normal(size=60), draw.integers(0, 2, 60), draw.integers(0, 4, 60)]
        )
        y = draw.integers(0, 2, 60)
        forest = ExtraTreesClassifier(
            10, max_features=1, bootstrap=bootstrap, random_state=seed
        ).fit(table, y)
        found = forest.importances("mdi", table, y, null="exact")
        left.append(found.corrected)
        plainly.append(found.values)
    for each, far in ((np.array(left), False), (np.array(plainly), True)):
        errors = each.std(axis=0, ddof=1) / np.sqrt(60)
        assert ((np.abs(each.mean(axis=0)) > 4 * errors) == far).all()


@pytest.mark.parametrize("name", ["Gini", "categories", "two numbers", "ternary", "combinations",
                                  "entropy", "absolute error", "drawn by weight"])  # fmt: skip
@pytest.mark.parametrize("groups", [None, [[0, 2]]])
def test_noise_by_rows_held_out(name, groups):
    of = fitted(name)
    found = of.forest.importances("mdi", of.table, of.y, null="held_out", feature_groups=groups)
    again = of.forest.importances("ufi", of.table, of.y, feature_groups=groups).values
    if of.case.criterion in ("gini", "squared_error"):
        assert found.corrected == of.near(again)
    else:  # the same share as of the usual impurity
        usual = "gini" if of.is_classes else "squared_error"
        each = plain.mdi_parts(of.forest, of.table, of.y, usual, of.bags).sum(axis=2).mean(axis=0)
        if groups is not None:
            each = np.array([each[0] + each[2], each[1], each[3], each[4]])
        assert found.corrected / found.values == pytest.approx(again / each)
    frame = found.to_frame()
    assert list(frame.columns) == [
        "variable", "importance", "std", "standard_error", "null", "corrected", "null_share"
    ]  # fmt: skip
    order = np.argsort(-found.values, kind="stable")
    assert frame["variable"].tolist() == [str(found.names[j]) for j in order]
    assert frame["corrected"].to_numpy() == pytest.approx(found.corrected[order])
    auto = of.forest.importances("mdi", of.table, of.y, null="auto", feature_groups=groups)
    assert (auto.null == found.null).all()


def test_noise_by_forests_on_permuted_outputs():
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, CLASSES)
    found = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1)
    again = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1)
    other = forest.importances("mdi", X, CLASSES, null="permuted", random_state=2)
    assert (found.null == again.null).all()
    assert (found.null != other.null).all()
    assert found.null[0] < found.values[0] / 2  # it tells the classes
    assert found.null[4] == pytest.approx(found.values[4], rel=0.8)  # it does not
    apart = forest.importances("mdi", X, CLASSES, null="permuted", random_state=1, min_samples=20)
    assert (apart.null < found.null).all()
    named = {"random_state": 1, "feature_groups": [[0, 1]]}
    pair = forest.importances("mdi", X, CLASSES, null="permuted", **named)
    assert pair.null[0] == pytest.approx(found.null[:2].sum())
    all_rows = ExtraTreesRegressor(5, random_state=0).fit(X, NUMBERS)
    auto = all_rows.importances("mdi", X, NUMBERS, null="auto", random_state=1)
    assert "permuted Y" in repr(auto)
    same = all_rows.importances("mdi", X, NUMBERS, null="permuted", random_state=1)
    assert (auto.null == same.null).all()


def test_noise_in_words():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "height": draw.permutation(479).astype(float),
            "flag": draw.integers(0, 2, 479),
            "tells": draw.integers(0, 9, 479),
        }
    )
    y = (frame["tells"] > 4).to_numpy().astype(int)
    y = np.where(draw.random(479) < 0.2, 1 - y, y)
    forest = RandomForestClassifier(5, random_state=0).fit(frame, y)
    found = forest.importances("mdi", frame, y, null="held_out")
    share = min(found.null_share[0], 1.0)
    words = repr(found)
    line = f"height has 479 distinct values; {share:.0%} of its importance is due to noise"
    assert line in words
    assert "tells has" not in words
    holes = frame.assign(height=frame["height"].where(frame["height"] > 9))
    again = RandomForestClassifier(5, random_state=0).fit(holes, y)
    told = repr(again.importances("mdi", holes, y, null="held_out"))
    assert "height has 470 distinct values" in told  # 469 and missing
    sparse = csr_matrix(frame.to_numpy())
    again = RandomForestClassifier(5, random_state=0).fit(sparse, y)
    assert "x0 has 479 distinct values" in repr(again.importances("mdi", sparse, y, null="auto"))
