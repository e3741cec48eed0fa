"""Selectors with any forest, in pipelines and searches, and in scikit-learn's checks."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold
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

from .selectors import (
    CLASSES,
    FRAME,
    NUMBERS,
    SELECTORS,
    WEIGHTS,
    N,
    X,
    forest,
    libraries,
    names_of,
    quick,
    same,
)

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
