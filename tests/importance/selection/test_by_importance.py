"""Selection by a threshold and by a test, against plain loops."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel

from silvics.importance.selection.by_importance import SelectByTest, SelectByThreshold
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.shadow_tests import boruta, contrast_test

from .selectors import CLASSES, WEIGHTS, N, X, forest, names_of

# ---- by a threshold


@pytest.mark.parametrize("kind", ["mdi", "mda"])
@pytest.mark.parametrize("threshold", ["mean", "median", "1.25*mean", " .5 * median ", 0.02, -0.1])
@pytest.mark.parametrize("most", [None, 0, 1, 100])
def test_a_threshold_selects_what_a_loop_selects(kind, threshold, most):
    select = SelectByThreshold(
        forest(25), kind=kind, threshold=threshold, max_features=most, random_state=3
    ).fit(X, CLASSES)
    grown = forest(25).fit(X, CLASSES)
    given = () if kind == "mdi" else (X, CLASSES)
    values = grown.importances(kind, *given, random_state=3).values
    least = threshold
    if isinstance(threshold, str):
        least = (sorted(values)[3] if "median" in threshold else sum(values) / 7) * (
            1.25 if "1.25" in threshold else 0.5 if ".5" in threshold else 1
        )
    expected = [j for j in range(7) if values[j] >= least]
    expected = sorted(sorted(expected, key=lambda j: (-values[j], j))[:most])
    assert names_of(select.get_support()) == expected
    assert select.threshold_ == pytest.approx(least)
    assert select.forest_.digest() == grown.digest()
    np.testing.assert_array_equal(select.importances_.values, values)


@pytest.mark.parametrize("threshold", ["mean", "median", "0.3*mean", 0.1])
def test_a_threshold_is_that_of_scikit_learn(threshold):
    theirs = SelectFromModel(
        forest(), threshold=threshold, importance_getter=lambda f: f.importances("mdi").values
    ).fit(X, CLASSES)
    ours = SelectByThreshold(forest(), threshold=threshold).fit(X, CLASSES)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


@pytest.mark.parametrize(("threshold", "times"), [("se", 1), ("2*se", 2), ("8*se", 8)])
def test_standard_errors_above_zero(threshold, times):
    select = SelectByThreshold(forest(), kind="mda", threshold=threshold, random_state=0)
    found = select.fit(X, CLASSES).importances_
    expected = [
        j
        for j in range(7)
        if found.values[j] >= times * found.standard_errors[j] > -found.values[j]
    ]
    assert names_of(select.get_support()) == expected
    assert ({1, 4} <= set(expected)) == (times < 8)
    assert set(expected) < set(range(7))
    np.testing.assert_array_equal(select.threshold_, times * found.standard_errors)


def test_a_variable_that_is_never_used_is_not_above_zero():
    constant = np.column_stack([X[:, 1], np.ones(N)])
    select = SelectByThreshold(forest(), threshold="2*se").fit(constant, CLASSES)
    assert select.importances_.standard_errors[1] == 0
    assert select.get_support().tolist() == [True, False]
    with pytest.raises(ValueError, match="use more trees"):
        SelectByThreshold(forest(1), threshold="2*se").fit(X, CLASSES)


@pytest.mark.parametrize("threshold", ["max", "mean*2", "2*3*mean", "x*mean", "", "*mean"])
def test_thresholds_that_say_nothing(threshold):
    with pytest.raises(ValueError, match="threshold must be a number"):
        SelectByThreshold(forest(2), threshold=threshold).fit(X, CLASSES)


# ---- by a test

OPTIONS = {
    "permutation": (permutation_test, {"n_permutations": 19}),
    "contrasts": (contrast_test, {"n_repeats": 5}),
    "boruta": (boruta, {"n_rounds": 8}),
    "conditional_error": (conditional_error_rate, {"n_permutations": 9}),
}


@pytest.mark.parametrize("test", OPTIONS)
@pytest.mark.parametrize("level", [0.3, 0.11])
@pytest.mark.parametrize("how", ["auto", "family", None])
def test_a_test_selects_what_its_function_does(test, level, how):
    function, options = OPTIONS[test]
    select = SelectByTest(
        forest(5), test=test, level=level, how=how, options=options, random_state=2
    ).fit(X, CLASSES, WEIGHTS)
    decides = {"level": level} if test in ("boruta", "conditional_error") else {}
    found = function(
        forest(5), X, CLASSES, sample_weight=WEIGHTS, random_state=2, **options, **decides
    )
    expected = found.mask(None if decides else level, how)
    np.testing.assert_array_equal(select.get_support(), expected)
    np.testing.assert_array_equal(select.significance_.p_values, found.p_values)
    np.testing.assert_array_equal(select.significance_.importances, found.importances)
    if test == "boruta" and how == "auto":
        np.testing.assert_array_equal(expected, found.decision == "confirmed")


def test_the_test_of_one_forest():
    wide = np.column_stack([X, np.random.default_rng(1).normal(size=(N, 60))])
    select = SelectByTest(forest(), test="one_forest", level=0.1, how=None, random_state=0)
    with pytest.warns(UserWarning, match="importances are negative"):
        select.fit(wide, CLASSES)
    grown = forest().fit(wide, CLASSES)
    with pytest.warns(UserWarning, match="importances are negative"):
        found = one_forest_test(grown.importances("air", wide, CLASSES, random_state=0))
    np.testing.assert_array_equal(select.get_support(), found.p_values <= 0.1)
    assert 4 in names_of(select.get_support())
    assert not select.get_support().all()


def test_nothing_significant_is_a_table_without_columns():
    select = SelectByTest(forest(3), options={"n_permutations": 3}, random_state=0)
    select.fit(X, np.random.default_rng(1).permutation(CLASSES))
    assert not select.get_support().any()  # no p-value is below 1/4
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    for table in (X, frame, sparse.csr_array(X), pa.Table.from_pandas(frame)):
        with pytest.warns(UserWarning, match="No features were selected"):
            found = clone(select).fit(table, CLASSES).transform(table)
        assert found.shape == (N, 0)
        assert type(found) is type(table)
    assert select.get_feature_names_out().tolist() == []
