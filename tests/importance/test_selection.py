"""Selectors: what each selects against plain loops, and any table through them untouched."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.metrics import log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from silvics import (
    ExtraTreesClassifier,
    ForestClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance.selection.by_importance import SelectByTest, SelectByThreshold
from silvics.importance.selection.elimination import SelectByElimination, SelectTuned
from silvics.importance.significance.permutation_tests import (
    conditional_error_rate,
    one_forest_test,
    permutation_test,
)
from silvics.importance.significance.shadow_tests import boruta, contrast_test

rng = np.random.default_rng(0)
N = 80
X = rng.normal(size=(N, 7))
CLASSES = np.where(X[:, 1] + X[:, 4] + 0.3 * rng.normal(size=N) > 0, "yes", "no")
NUMBERS = X[:, 1] + X[:, 4] + 0.3 * rng.normal(size=N)
WEIGHTS = rng.integers(0, 3, N).astype(float)
FRAME = pd.DataFrame(
    {
        "noise": X[:, 0],
        "species": pd.Categorical(
            np.where(X[:, 1] > 0, "oak", np.where(X[:, 1] > -1, "elm", "yew")),
            categories=["yew", "oak", "elm", "never seen"],
        ),
        "word": np.where(X[:, 4] > 0, "tall", "low").astype(object),
        "count": pd.array(rng.integers(0, 9, N), dtype="Int64"),
        "day": pd.to_datetime(rng.integers(0, 10**9, N), unit="s"),
    }
)
FRAME.loc[::7, ["species", "word", "count"]] = None
SELECTORS = [SelectByThreshold, SelectTuned, SelectByElimination, SelectByTest]


def forest(n=20, **given):
    return RandomForestClassifier(n, random_state=1, **given)


def quick(selector, kind_of_forest=forest, **given):
    """One of each class that takes no time."""
    if selector is SelectByTest:
        given = {"options": {"n_permutations": 19}, "level": 0.2} | given
    return selector(kind_of_forest(), random_state=0, **given)


def names_of(mask):
    return np.flatnonzero(mask).tolist()


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


# ---- tuned


def ranked(grown):
    return np.argsort(-grown.importances("mdi").values, kind="stable")


@pytest.mark.parametrize("numbers", [False, True])
def test_tuned_out_of_bag_compares_as_a_loop_does(numbers):
    kind, y = (RandomForestRegressor, NUMBERS) if numbers else (RandomForestClassifier, CLASSES)
    like = kind(40, random_state=1)
    select = SelectTuned(like, n_steps=4).fit(X, y)
    order = ranked(clone(like).fit(X, y))
    assert select.n_features_grid_.tolist() == [7, 4, 2, 1]
    scores = [
        clone(like).set_params(oob_score=True).fit(X[:, np.sort(order[:n])], y).oob_score_
        for n in (7, 4, 2, 1)
    ]
    np.testing.assert_allclose(select.scores_, scores, rtol=1e-12)
    assert len(set(scores)) > 2
    best = max(range(4), key=lambda i: (scores[i], i))
    assert select.n_features_ == (7, 4, 2, 1)[best]
    assert names_of(select.get_support()) == sorted(order[: select.n_features_])
    for n in range(1, 8):
        assert names_of(select.at(n)) == sorted(order[:n])
    assert [len(step.features) for step in select.path_] == [7, 4, 2, 1]
    assert [step.score for step in select.path_] == select.scores_.tolist()


def test_out_of_bag_scores_of_probabilities_and_of_a_scorer_of_ones_own():
    grown = forest(40, oob_score=True).fit(X, CLASSES)
    shares = grown.oob_decision_function_
    given = {"n_steps": 1}
    select = SelectTuned(forest(40), scoring="roc_auc", **given).fit(X, CLASSES)
    assert select.scores_ == pytest.approx([roc_auc_score(CLASSES, shares[:, 1])])
    select = SelectTuned(forest(40), scoring="neg_log_loss", **given).fit(X, CLASSES)
    assert select.scores_ == pytest.approx([-log_loss(CLASSES, shares)])

    def share_of_yes(model, X, y):
        return np.mean(model.predict(X) == "yes")

    select = SelectTuned(forest(40), scoring=share_of_yes, **given).fit(X, CLASSES)
    assert select.scores_ == [np.mean(shares[:, 1] > shares[:, 0])]


def test_one_standard_error_out_of_bag():
    select = SelectTuned(forest(40), n_steps=4, rule="one_standard_error").fit(X, CLASSES)
    order = ranked(forest(40).fit(X, CLASSES))
    for i, n in enumerate((7, 4, 2, 1)):
        grown = forest(40, oob_score=True).fit(X[:, np.sort(order[:n])], CLASSES)
        right = grown.classes_[grown.oob_decision_function_.argmax(axis=1)] == CLASSES
        without = [np.mean([right[j] for j in range(N) if j % 20 != part]) for part in range(20)]
        error = np.sqrt(19 / 20 * sum((s - np.mean(without)) ** 2 for s in without))
        assert select.standard_errors_[i] == pytest.approx(error)
    best = select.scores_.max()
    least = best - select.standard_errors_[select.scores_ == best][-1]
    assert select.n_features_ == min(
        n for n, s in zip((7, 4, 2, 1), select.scores_, strict=True) if s >= least
    )
    assert np.isnan(SelectTuned(forest(5), n_steps=2).fit(X, CLASSES).standard_errors_).all()


def test_one_standard_error_selects_fewer():
    y = X[:, 1] + 0.5 * X[:, 4] + 0.3 * X[:, 0] > 0
    best = SelectTuned(forest(60), cv=4).fit(X, y)
    fewer = clone(best).set_params(rule="one_standard_error").fit(X, y)
    np.testing.assert_array_equal(best.scores_, fewer.scores_)
    assert fewer.n_features_ < best.n_features_


@pytest.mark.parametrize("frame", [False, True])
def test_tuned_by_cross_validation_ranks_within_each_fold(frame):
    table = FRAME if frame else X
    cv = KFold(3, shuffle=True, random_state=0)
    select = SelectTuned(forest(8), n_steps=3, cv=cv, scoring="accuracy").fit(table, CLASSES)
    p = table.shape[1]
    sizes = select.n_features_grid_
    assert len(sizes) == 3
    assert (sizes[0], sizes[-1]) == (p, 1)

    def part(rows, columns):
        return table.iloc[rows, columns] if frame else table[rows][:, columns]

    folds = []
    for learning, testing in cv.split(table):
        y = CLASSES[learning]
        order = ranked(forest(8).fit(part(learning, list(range(p))), y))
        each = []
        for n in sizes:
            chosen = sorted(order[:n].tolist())
            grown = forest(8).fit(part(learning, chosen), y)
            each.append(np.mean(grown.predict(part(testing, chosen)) == CLASSES[testing]))
        folds.append(each)
    np.testing.assert_allclose(select.scores_, np.mean(folds, axis=0))
    np.testing.assert_allclose(select.standard_errors_, np.std(folds, axis=0, ddof=1) / np.sqrt(3))
    assert names_of(select.get_support()) == sorted(
        ranked(forest(8).fit(table, CLASSES))[: select.n_features_]
    )


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas of arrow"])
def test_folds_of_any_frame(library):
    select = SelectTuned(forest(8), n_steps=3, cv=3)
    found = clone(select).fit(libraries()[library], CLASSES)
    expected = clone(select).fit(FRAME, CLASSES)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.get_support(), expected.get_support())


@pytest.mark.parametrize("selector", [SelectTuned, SelectByElimination])
def test_nothing_leaks_into_folds(selector):
    """Of noise, variables ranked on all rows look useful, and those ranked within folds do not."""
    noise = np.random.default_rng(5).normal(size=(60, 300))
    y = np.arange(60) % 2
    given = {"n_steps": 4} if selector is SelectTuned else {"step": 0.7}
    select = selector(forest(30), cv=KFold(5), **given).fit(noise, y)
    few = names_of(select.at(7))
    leaky = cross_val_score(forest(30), noise[:, few], y, cv=KFold(5)).mean()
    assert leaky > 0.7
    assert select.scores_.max() < 0.65
    out_of_bag = selector(forest(30), **given).fit(noise, y)
    assert out_of_bag.scores_.max() > 0.7  # as the docstring says


# ---- eliminated


def mdi(grown):
    return grown.importances("mdi").values


@pytest.mark.parametrize("step", [1, 2, 5, 100])
def test_elimination_ranks_as_that_of_scikit_learn(step):
    ours = SelectByElimination(forest(5), step=step, n_features_to_select=1).fit(X, CLASSES)
    for n in range(1, 8):
        theirs = RFE(forest(5), n_features_to_select=n, step=step, importance_getter=mdi)
        theirs.fit(X, CLASSES)
        np.testing.assert_array_equal(ours.at(n), theirs.support_)
        again = clone(ours).set_params(n_features_to_select=n).fit(X, CLASSES)
        np.testing.assert_array_equal(again.ranking_, theirs.ranking_)
        np.testing.assert_array_equal(ours.set_n_features(n).ranking_, theirs.ranking_)
        np.testing.assert_array_equal(ours.get_support(), theirs.support_)
        assert ours.n_features_ == ours.n_features_to_select == n


@pytest.mark.parametrize("kind", ["mdi", "mda"])
def test_elimination_goes_down_as_a_loop_does(kind):
    select = SelectByElimination(forest(40), kind=kind, step=0.3, random_state=7).fit(X, CLASSES)
    left, sizes = list(range(7)), []
    for step, score in zip(select.path_, select.scores_, strict=True):
        grown = forest(40, oob_score=True).fit(X[:, left], CLASSES)
        given = () if kind == "mdi" else (X[:, left], CLASSES)
        values = grown.importances(kind, *given, random_state=7).values
        order = [left[i] for i in sorted(range(len(left)), key=lambda i: (-values[i], i))]
        assert step.features.tolist() == order
        assert step.importances.tolist() == sorted(values, reverse=True)
        assert score == step.score == pytest.approx(grown.oob_score_)
        sizes.append(len(left))
        left = sorted(order[: len(left) - max(1, int(0.3 * len(left)))])
    assert len(order) == 1
    assert sizes == [7, 5, 4, 3, 2, 1] == select.n_features_grid_.tolist()
    best = max(range(6), key=lambda i: (select.scores_[i], i))
    assert names_of(select.support_) == sorted(select.path_[best].features)


def test_elimination_by_cross_validation_is_done_within_each_fold():
    cv = KFold(3)
    select = SelectByElimination(forest(5), step=3, cv=cv).fit(X, CLASSES)
    folds = []
    for learning, testing in cv.split(X):
        inner = SelectByElimination(forest(5), step=3).fit(X[learning], CLASSES[learning])
        each = []
        for step in inner.path_:
            chosen = sorted(step.features)
            grown = forest(5).fit(X[learning][:, chosen], CLASSES[learning])
            each.append(grown.score(X[testing][:, chosen], CLASSES[testing]))
        folds.append(each)
    np.testing.assert_allclose(select.scores_, np.mean(folds, axis=0))


def test_shares_of_variables_and_more_than_there_are():
    given = {"forest": forest(3), "step": 3}
    assert SelectByElimination(**given, n_features_to_select=0.5).fit(X, CLASSES).n_features_ == 3
    with pytest.warns(UserWarning, match="all are kept"):
        select = SelectByElimination(**given, n_features_to_select=9).fit(X, CLASSES)
    assert select.get_support().all()
    for wrong in (0, 8):
        with pytest.raises(ValueError, match="at least 1 and at most 7, the number of variables"):
            select.at(wrong)
        with pytest.raises(ValueError, match="at most 7"):
            select.set_n_features(wrong)
    assert select.get_support().all()


class Counted(RandomForestClassifier):
    """A forest that knows how often any was fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


def test_a_path_is_kept_if_only_the_number_changes(monkeypatch):
    monkeypatch.setattr(Counted, "fits", 0)
    select = SelectByElimination(Counted(25, random_state=0), warm_start=True).fit(X, CLASSES)
    assert Counted.fits == len(select.path_) == 7
    path = select.path_
    for n in (3, 2):
        select.set_params(n_features_to_select=n).fit(X.copy(), CLASSES)
        assert select.get_support().sum() == n == (select.ranking_ == 1).sum()
    assert Counted.fits == 7
    assert select.path_ is path
    changes = [
        lambda: select.fit(X + 1, CLASSES),
        lambda: select.fit(X, CLASSES[::-1]),
        lambda: select.fit(X, CLASSES, WEIGHTS),
        lambda: select.set_params(kind="mda").fit(X, CLASSES),
        lambda: select.set_params(forest__max_depth=2).fit(X, CLASSES),
    ]
    for i, change in enumerate(changes, start=2):
        change()
        assert Counted.fits == 7 * i
    select.set_params(warm_start=False)
    assert select.fit(X, CLASSES) is select.fit(X, CLASSES)
    assert Counted.fits == 7 * 8


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


# ---- any table


def libraries():
    return {
        "pandas": FRAME,
        "pandas of arrow": FRAME.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_pandas(FRAME),
        "pyarrow": pa.Table.from_pandas(FRAME, preserve_index=False),
    }


def kinds_of(frame):
    """Names and types."""
    if isinstance(frame, pa.Table):
        return dict(zip(frame.schema.names, frame.schema.types, strict=True))
    if isinstance(frame, pl.DataFrame):
        return dict(frame.schema)
    return dict(frame.dtypes)


def same(a, b):
    return a.equals(b)


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("selector", SELECTORS)
def test_frames_go_through_untouched(library, selector):
    frame = libraries()[library]
    select = quick(selector).fit(frame, CLASSES)
    names = select.get_feature_names_out().tolist()
    assert 0 < len(names) < 5
    assert set(names) & {"species", "word"}
    assert select.feature_names_in_.tolist() == list(FRAME)
    assert select.n_features_in_ == 5
    found = select.transform(frame)
    assert type(found) is type(frame)
    assert found.shape == (N, len(names))
    assert kinds_of(found) == {name: kinds_of(frame)[name] for name in names}
    columns = frame[names] if library.startswith("pandas") else frame.select(names)
    assert same(found, columns)
    assert same(select.fit_transform(frame, CLASSES), columns)
    assert (
        quick(selector).fit(frame, CLASSES).forest_.digest()
        == forest().fit(frame, CLASSES).digest()
    )


def test_the_index_of_a_frame_is_kept():
    frame = FRAME.set_index(pd.Index(range(100, 100 + N), name="plot"))
    found = quick(SelectByThreshold).fit(frame, CLASSES).transform(frame[3:9])
    assert found.index.tolist() == list(range(103, 109))
    assert found.index.name == "plot"


def test_columns_that_are_not_those_of_fit():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES)
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- other.*missing:\n- word"):
        select.transform(FRAME.rename(columns={"word": "other"}))
    with pytest.raises(ValueError, match="must be in the same order"):
        select.transform(FRAME[FRAME.columns[::-1]])
    with pytest.raises(ValueError, match=r"(?s)missing:\n- noise"):
        select.transform(FRAME.drop(columns="noise"))
    with pytest.raises(ValueError, match="X has 6 features, but SelectByThreshold is expecting 7"):
        quick(SelectByThreshold).fit(X, CLASSES).transform(X[:, :6])
    with pytest.raises(TypeError, match=r"Call \.collect\(\)"):
        quick(SelectByThreshold).fit(pl.from_pandas(FRAME).lazy(), CLASSES)


def test_another_table_is_a_new_beginning():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES).fit(X, CLASSES)
    assert select.n_features_in_ == 7
    assert not hasattr(select, "feature_names_in_")
    assert select.get_feature_names_out()[0].startswith("x")


def test_a_fit_that_fails_changes_nothing():
    select = quick(SelectByThreshold).fit(FRAME, CLASSES)
    before = select.get_support()
    with pytest.raises(ValueError, match="inconsistent"):
        select.fit(X, CLASSES[:-1])
    assert select.get_support() is before
    assert select.feature_names_in_.tolist() == list(FRAME)


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array"])
def test_sparse_stays_sparse(selector, form):
    thin = np.where(np.random.default_rng(1).random(X.shape) < 0.1, 0.0, X)
    table = getattr(sparse, form)(thin)
    given = {"cv": 2} if selector in (SelectTuned, SelectByElimination) else {}
    select = quick(selector, **given).fit(table, CLASSES)
    dense = quick(selector, **given).fit(thin, CLASSES)
    np.testing.assert_array_equal(select.get_support(), dense.get_support())
    found = select.transform(table)
    assert sparse.issparse(found)
    assert sparse.isspmatrix(found) == sparse.isspmatrix(table)
    np.testing.assert_array_equal(found.toarray(), dense.transform(thin))
    back = select.inverse_transform(found).toarray()
    np.testing.assert_array_equal(back, np.where(select.get_support(), thin, 0))


def test_arrays_stay_as_they_are():
    small = (X * 10).astype(np.int8)
    select = quick(SelectByThreshold).fit(small, CLASSES)
    found = select.transform(small)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, small[:, select.get_support()])
    np.testing.assert_array_equal(select.transform(small.tolist()), found)
    back = select.inverse_transform(found)
    np.testing.assert_array_equal(back, np.where(select.get_support(), small, 0))
    words = FRAME[["noise", "word"]].to_numpy()
    select = quick(SelectByThreshold, kind="mda", max_features=1).fit(words, CLASSES)
    found = select.transform(words.tolist())
    assert found.dtype == object
    assert found[1, 0] is words[1, 1]
    assert select.inverse_transform(found)[1].tolist() == [None, words[1, 1]]


def test_missing_values_in_and_back():
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    select = quick(SelectByThreshold).fit(holes, CLASSES)
    found = select.transform(holes)
    np.testing.assert_array_equal(found, holes[:, select.get_support()])
    back = select.inverse_transform(found)
    np.testing.assert_array_equal(back, np.where(select.get_support(), holes, 0))
    strict = quick(SelectByThreshold, lambda: forest(3, missing="error"))
    with pytest.raises(ValueError, match="NaN"):
        strict.fit(holes, CLASSES)
    with pytest.raises(ValueError, match="NaN"):
        strict.fit(X, CLASSES).transform(holes)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_come_back_with_missing_columns(library):
    frame = libraries()[library]
    select = quick(SelectByThreshold).fit(frame, CLASSES)
    found = select.transform(frame)
    back = select.inverse_transform(found)
    assert type(back) is type(frame)
    assert list(getattr(back, "column_names", getattr(back, "columns", None))) == list(FRAME)
    assert same(select.transform(back), found)
    grown = forest().fit(frame, CLASSES)
    gone = FRAME.copy()
    for name in FRAME.columns[~select.get_support()]:
        gone[name] = None
    np.testing.assert_array_equal(grown.predict(back), grown.predict(gone))
    with pytest.raises(ValueError, match="pass a result of transform"):
        select.inverse_transform(frame)
    with pytest.raises(ValueError, match="pass a result of transform"):
        quick(SelectByThreshold).fit(X, CLASSES).inverse_transform(X)


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
def test_output_as_it_is_asked_for(wanted):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[wanted]
    for frame in libraries().values():
        select = quick(SelectByThreshold, threshold="0.5*mean").set_output(transform=wanted)
        found = select.fit(frame, CLASSES).transform(frame)
        assert isinstance(found, kind)
        names = select.get_feature_names_out().tolist()
        assert list(found.columns) == names
        assert "word" in names
        words = found["word"].to_list()
        assert [None if w is None or w is pd.NA or w != w else w for w in words] == [
            None if pd.isna(w) else w for w in FRAME["word"]
        ]
    found = quick(SelectByThreshold).set_output(transform=wanted).fit_transform(X, CLASSES)
    assert isinstance(found, kind)
    assert list(found.columns) == ["x1", "x4"]
    np.testing.assert_array_equal(found.to_numpy(), X[:, [1, 4]])


class Annotated:
    """As AnnData: an array and the names of its columns."""

    def __init__(self, X, var_names):
        self.X, self.var_names, self.shape = X, list(var_names), X.shape

    def __getitem__(self, key):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return Annotated(self.X[rows][:, columns], np.array(self.var_names)[columns])


def test_annotated_tables():
    select = quick(SelectByThreshold).fit(Annotated(X, "abcdefg"), CLASSES)
    assert select.get_feature_names_out().tolist() == ["b", "e"]
    found = select.transform(Annotated(X, "abcdefg"))
    assert found.var_names == ["b", "e"]
    np.testing.assert_array_equal(found.X, X[:, [1, 4]])
    with pytest.raises(ValueError, match="feature names should match"):
        select.transform(Annotated(X, "abcdefh"))


# ---- forests


def test_the_forest_that_is_meant_when_none_is_given():
    counts = np.random.default_rng(1).integers(0, 4, N)
    for y, kind in (
        (CLASSES, RandomForestClassifier),
        (counts, RandomForestClassifier),
        (NUMBERS, RandomForestRegressor),
        (np.column_stack([NUMBERS, NUMBERS]), RandomForestRegressor),
    ):
        select = SelectByThreshold(random_state=0).fit(X, y)
        assert type(select.forest_) is kind
        assert select.forest_.digest() == kind(random_state=0).fit(X, y).digest()
        assert select.forest is None


def test_seeds():
    unseeded = RandomForestClassifier(5)
    a, b = (SelectByThreshold(unseeded, random_state=s).fit(X, CLASSES).forest_ for s in (3, 4))
    assert a.digest() == RandomForestClassifier(5, random_state=3).fit(X, CLASSES).digest()
    assert a.digest() != b.digest()
    seeded = SelectByThreshold(forest(5), random_state=3).fit(X, CLASSES)
    assert seeded.forest_.digest() == forest(5).fit(X, CLASSES).digest()
    generator = np.random.RandomState(0)
    first, second = (
        SelectByThreshold(unseeded, random_state=generator).fit(X, CLASSES).forest_.digest()
        for _ in range(2)
    )
    assert first != second
    assert unseeded.random_state is None


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.filterwarnings("ignore:.*misses weak variables")
@pytest.mark.parametrize("kind", ["mdi", "mda"])
def test_the_same_each_time_and_for_any_number_of_threads(selector, kind):
    found = [
        quick(selector, lambda: RandomForestClassifier(25), kind=kind, n_jobs=n).fit(X, CLASSES)
        for n in (None, 1, 2)
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.get_support(), found[0].get_support())
        np.testing.assert_array_equal(other.importances_.values, found[0].importances_.values)
        for name in ("scores_", "ranking_"):
            if hasattr(other, name):
                np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))
    assert found[2].forest_.n_jobs == 2


@pytest.mark.parametrize("selector", SELECTORS)
def test_weights_reach_the_forest(selector):
    select = quick(selector).fit(X, CLASSES, sample_weight=WEIGHTS.tolist())
    assert select.forest_.digest() == forest().fit(X, CLASSES, WEIGHTS).digest()
    assert select.forest_.digest() != forest().fit(X, CLASSES).digest()


@pytest.mark.parametrize("cv", [None, KFold(3)])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_rows_without_weight_have_no_say_in_scores(cv, scoring):
    other = np.where(WEIGHTS == 0, np.where(CLASSES == "yes", "no", "yes"), CLASSES)
    select = SelectTuned(forest(), n_steps=3, cv=cv, scoring=scoring)
    a, b = (clone(select).fit(X, y, WEIGHTS) for y in (CLASSES, other))
    np.testing.assert_array_equal(a.scores_, b.scores_)
    unweighted = clone(select).fit(X, CLASSES).scores_
    assert (a.scores_ != unweighted).any()


def test_scores_are_weighted():
    select = SelectTuned(forest(40), n_steps=1).fit(X, CLASSES, WEIGHTS)
    grown = forest(40, oob_score=True).fit(X, CLASSES, WEIGHTS)
    right = grown.classes_[grown.oob_decision_function_.argmax(axis=1)] == CLASSES
    assert select.scores_ == pytest.approx([np.average(right, weights=WEIGHTS)])


@pytest.mark.parametrize("cv", [None, KFold(2)])
def test_a_score_that_knows_no_weights_is_of_the_rows_that_have_any(cv):
    like = RandomForestRegressor(40, random_state=1)

    def error(y, predicted):
        return np.abs(y - predicted).mean()

    select = SelectTuned(like, n_steps=1, cv=cv, scoring=make_scorer(error))
    found = select.fit(X, NUMBERS, WEIGHTS).scores_
    if cv is None:
        grown = clone(like).set_params(oob_score=True).fit(X, NUMBERS, WEIGHTS)
        expected = np.abs(grown.oob_prediction_ - NUMBERS)[WEIGHTS > 0].mean()
    else:
        expected = 0
        for learning, testing in cv.split(X):
            grown = clone(like).fit(X[learning], NUMBERS[learning], WEIGHTS[learning])
            testing = [i for i in testing if WEIGHTS[i] > 0]
            expected += np.abs(grown.predict(X[testing]) - NUMBERS[testing]).mean() / 2
    assert found == pytest.approx([expected])


def test_parameters_of_columns_follow_the_columns():
    codes = np.column_stack([X[:, 0], np.digitize(X[:, 1], [-1, 0, 1]), X[:, 4], X[:, 2]])
    frame = pd.DataFrame(codes, columns=["a", "b", "c", "d"])
    like = RandomForestRegressor(
        25, random_state=1, categorical_features=["b"], monotonic_cst=[0, 0, 1, 0]
    )
    select = SelectByElimination(like, n_features_to_select=2).fit(frame, NUMBERS)
    assert select.get_feature_names_out().tolist() == ["b", "c"]
    own = clone(like).set_params(monotonic_cst=[0, 1], oob_score=True)
    own.fit(frame[["b", "c"]], NUMBERS)
    assert select.scores_[2] == pytest.approx(own.oob_score_)
    by_weight = ForestClassifier(
        "random_forest", 5, variables="weighted", feature_weights=[1, 5, 5, 1, 5, 1, 1]
    )
    select = SelectTuned(by_weight, n_steps=3, random_state=0).fit(X, CLASSES)
    assert len(select.scores_) == 3


class Asked(RandomForestClassifier):
    """A forest of any kind of importances, which tells what it was asked for."""

    asked: ClassVar[list] = []

    def importances(self, kind="mdi", X=None, y=None, **given):
        self.asked.append((kind, X is not None, y is not None, given))
        return super().importances("mdi")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("mdi", (False, False, {})),
        ("mda_tree", (True, True, {"random_state": 9})),
        ("ufi", (True, True, {"random_state": 9})),
        ("mdi_oob", (True, True, {"random_state": 9})),
        ("air", (True, True, {"random_state": 9, "sample_weight": WEIGHTS})),
    ],
)
def test_each_kind_is_asked_for_what_it_takes(kind, expected, monkeypatch):
    monkeypatch.setattr(Asked, "asked", [])
    SelectByThreshold(Asked(2), kind=kind, random_state=9).fit(X, CLASSES, WEIGHTS)
    ((asked, *others),) = Asked.asked
    assert asked == kind
    assert others[:2] == list(expected[:2])
    assert others[2].keys() == expected[2].keys()
    for name, value in expected[2].items():
        np.testing.assert_array_equal(others[2][name], value)


def test_forests_without_output():
    select = SelectByThreshold(IsolationForest(n_estimators=5, random_state=0)).fit(X)
    values = IsolationForest(n_estimators=5, random_state=0).fit(X).importances().values
    np.testing.assert_array_equal(select.get_support(), values >= values.mean())


def test_what_forests_and_outputs_must_be():
    with pytest.raises(ValueError, match="implementing 'fit' and 'importances'"):
        SelectByThreshold(RFE(forest())).fit(X, CLASSES)
    with pytest.raises(ValueError, match="kind must be"):
        SelectByThreshold(forest(2), kind="guess").fit(X, CLASSES)
    with pytest.raises(ValueError, match="requires y to be passed"):
        SelectByThreshold().fit(X)
    with pytest.raises(ValueError, match="requires y to be passed"):
        SelectTuned(IsolationForest(n_estimators=2)).fit(X)
    with pytest.raises(ValueError, match="'rule' parameter of SelectTuned must be"):
        SelectTuned(forest(2), rule="worst").fit(X, CLASSES)
    options = {"feature_groups": [[0, 1]], "n_permutations": 2}
    with pytest.raises(ValueError, match="must not have feature_groups"):
        SelectByTest(forest(2), options=options).fit(X, CLASSES)
    with pytest.raises(TypeError, match="multiple values for keyword argument 'kind'"):
        SelectByTest(forest(2), options={"kind": "mdi"}).fit(X, CLASSES)


def test_trees_that_have_seen_all_rows_have_no_score_out_of_bag():
    trees = ExtraTreesClassifier(5, random_state=0)
    for select in (SelectTuned(trees), SelectByElimination(trees)):
        with pytest.raises(ValueError, match="use a forest with bootstrap=True, or pass cv"):
            select.fit(X, CLASSES)
        assert not np.isnan(select.set_params(cv=2).fit(X, CLASSES).scores_).any()
    select = SelectByElimination(trees, n_features_to_select=2).fit(X, CLASSES)
    assert select.get_support().sum() == 2
    assert np.isnan(select.scores_).all()


def test_a_column_of_outputs_is_warned_of_once():
    with pytest.warns(match="A column-vector y was passed") as caught:
        select = SelectByElimination(forest(5), step=3).fit(X, CLASSES[:, np.newaxis])
    assert len(caught) == 1
    np.testing.assert_array_equal(select.scores_, clone(select).fit(X, CLASSES).scores_)


# ---- among others


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_pipeline_on_a_frame(library):
    frame = libraries()[library]
    pipe = make_pipeline(quick(SelectByThreshold), forest(8)).fit(frame, CLASSES)
    names = pipe[0].get_feature_names_out().tolist()
    assert pipe[-1].feature_names_in_.tolist() == names
    kept = frame[names] if library == "pandas" else frame.select(names)
    assert pipe[-1].digest() == forest(8).fit(kept, CLASSES).digest()
    np.testing.assert_array_equal(pipe.predict(frame), pipe[-1].predict(kept))
    assert pipe[-1].is_categorical_.any()
    weighted = clone(pipe).fit(frame, CLASSES, selectbythreshold__sample_weight=WEIGHTS)
    assert weighted[0].forest_.digest() == forest().fit(frame, CLASSES, WEIGHTS).digest()


def test_weights_are_routed():
    with config_context(enable_metadata_routing=True):
        select = quick(SelectByThreshold).set_fit_request(sample_weight=True)
        last = forest(2).set_fit_request(sample_weight=False)
        pipe = make_pipeline(select, last).fit(X, CLASSES, sample_weight=WEIGHTS)
    assert pipe[0].forest_.digest() == forest().fit(X, CLASSES, WEIGHTS).digest()


def test_a_search_over_thresholds():
    pipe = make_pipeline(quick(SelectByThreshold), forest(8))
    grid = {"selectbythreshold__threshold": ["mean", "0.1*mean", 0.05]}
    search = GridSearchCV(pipe, grid, cv=KFold(3)).fit(FRAME, CLASSES)
    for threshold, score in zip(
        grid["selectbythreshold__threshold"], search.cv_results_["mean_test_score"], strict=True
    ):
        by_hand = []
        for learning, testing in KFold(3).split(FRAME):
            some, y = FRAME.iloc[learning], CLASSES[learning]
            values = forest().fit(some, y).importances("mdi").values
            least = {"mean": values.mean(), "0.1*mean": 0.1 * values.mean()}.get(threshold, 0.05)
            names = FRAME.columns[values >= least]
            grown = forest(8).fit(some[names], y)
            by_hand.append(grown.score(FRAME.iloc[testing][names], CLASSES[testing]))
        assert score == pytest.approx(np.mean(by_hand))
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    deep = GridSearchCV(pipe, {"selectbythreshold__forest__n_estimators": [2, 4]}, cv=2)
    deep.fit(FRAME, CLASSES)
    assert len(deep.best_estimator_[0].forest_) in (2, 4)


@pytest.mark.parametrize("selector", SELECTORS)
def test_copies(selector):
    select = quick(selector).fit(FRAME, CLASSES)
    again = pickle.loads(pickle.dumps(select))
    np.testing.assert_array_equal(again.get_support(), select.get_support())
    assert same(again.transform(FRAME), select.transform(FRAME))
    assert again.forest_.digest() == select.forest_.digest()
    if hasattr(select, "at"):
        np.testing.assert_array_equal(again.at(3), select.at(3))
    anew = clone(select)
    assert not hasattr(anew, "support_")
    assert anew.get_params()["random_state"] == 0
    np.testing.assert_array_equal(anew.fit(FRAME, CLASSES).get_support(), select.get_support())


@pytest.mark.parametrize("selector", SELECTORS)
def test_tags_are_those_of_the_forest(selector):
    assert get_tags(selector()).input_tags == get_tags(RandomForestClassifier()).input_tags
    tags = get_tags(selector(forest(missing="error")))
    assert not tags.input_tags.allow_nan
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    assert tags.input_tags.sparse
    assert tags.target_tags.required
    assert tags.estimator_type is None or tags.estimator_type == "transformer"
    assert not get_tags(selector(IsolationForest())).target_tags.required


@pytest.mark.parametrize("selector", SELECTORS)
def test_every_parameter_is_checked_and_documented(selector):
    names = selector().get_params().keys()
    assert selector._parameter_constraints.keys() == names
    for name in names:
        assert f"\n{name} : " in selector.__doc__
    assert "<" not in selector.__doc__


def test_several_outputs():
    both = np.column_stack([CLASSES, np.where(X[:, 2] > 0, "a", "b")])
    select = SelectByThreshold(forest(60)).fit(X, both)
    assert names_of(select.get_support()) == [1, 2, 4]
    numbers = np.column_stack([NUMBERS, X[:, 2]])
    like = RandomForestRegressor(60, random_state=0)
    select = SelectTuned(like, n_steps=2).fit(X, numbers)
    grown = clone(like).set_params(oob_score=True).fit(X, numbers)
    assert select.scores_[0] == pytest.approx(grown.oob_score_)


# Weights are the odds of rows to be drawn: as good as repeated rows on average only.
DRAWN = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "sample_weight is the chance to be drawn",
)


def expected_failures(select):
    return {} if isinstance(select.forest, ExtraTreesClassifier) else DRAWN


CHECKS = parametrize_with_checks(
    [
        SelectByThreshold(ExtraTreesClassifier(5)),
        SelectByElimination(ExtraTreesClassifier(3), step=0.5, n_features_to_select=1),
        SelectTuned(RandomForestClassifier(5), n_steps=3),
        SelectByTest(RandomForestClassifier(5), level=0.5, how=None, options={"n_permutations": 3}),
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)


def checked_name(pair):
    _, check = getattr(pair, "values", pair)
    return check.func.__name__


@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@pytest.mark.parametrize(
    CHECKS.args[0],
    [pair for pair in CHECKS.args[1] if checked_name(pair) != "check_array_api_input"],  # skipped
    **CHECKS.kwargs,
)
def test_checks_of_scikit_learn_hold(estimator, check):
    check(estimator)
