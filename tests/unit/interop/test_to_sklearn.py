"""To scikit-learn and back: the same trees, the same predictions to the last bit."""

import pickle

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError

import silvics

from ..kinds import ALL, CLASSIFIERS, FORESTS, name_of, problem, small

each = pytest.mark.parametrize("kind", ALL, ids=name_of)
outputs = pytest.mark.parametrize("n_outputs", [1, 3])

CRITERIA = {
    True: ["gini", "entropy", "log_loss", "misclassification"],
    False: ["squared_error", "absolute_error", "poisson", "friedman_mse"],
}


def sklearn_kind(kind):
    module = sklearn.ensemble if kind in FORESTS else sklearn.tree
    return getattr(module, kind.__name__)


def assert_say_the_same(ours, theirs, X):
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    if is_classifier(ours):
        np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    # Sums over nodes, which each adds up in its own order.
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, rtol=1e-12, atol=1e-13
    )


def between(X):
    """Rows that the trees have not seen, exact in float32 as well."""
    return np.concatenate([X, X + 1 / 16, X[::-1] - 1 / 16, -X])


@each
@outputs
def test_to_sklearn(kind, n_outputs):
    X, y = problem(n_outputs=n_outputs)
    ours = small(kind).fit(X, y)
    theirs = ours.to_sklearn()
    assert type(theirs) is sklearn_kind(kind)
    assert_say_the_same(ours, theirs, between(X))


@each
def test_to_sklearn_with_weights_and_limits(kind):
    X, y = problem()
    weights = 1 / (1 + np.arange(len(y)))
    for parameters in ({"max_leaf_nodes": 5}, {"ccp_alpha": 0.02}, {"min_samples_leaf": 4}):
        ours = small(kind, **parameters).fit(X, y, sample_weight=weights)
        assert_say_the_same(ours, ours.to_sklearn(), between(X))


@each
def test_every_criterion_goes_to_sklearn(kind):
    X, y = problem()
    for criterion in CRITERIA[kind._classification]:
        ours = small(kind, criterion=criterion).fit(X, y)
        assert_say_the_same(ours, ours.to_sklearn(), between(X))


@each
def test_to_sklearn_keeps_what_is_known(kind):
    X, y = problem()
    ours = small(kind, max_depth=4, min_samples_leaf=2).fit(X, y)
    theirs = ours.to_sklearn()
    for name in ("n_features_in_", "n_outputs_", "classes_", "n_classes_"):
        np.testing.assert_array_equal(getattr(theirs, name, None), getattr(ours, name, None))
    assert theirs.max_depth == 4
    assert theirs.min_samples_leaf == 2
    assert pickle.loads(pickle.dumps(theirs)).predict(X).tolist() == ours.predict(X).tolist()
    theirs.fit(X, y)  # and it is an estimator of scikit-learn, able to learn anew


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_trees_of_forests_go_to_sklearn(kind):
    X, y = problem()
    forest = small(kind).fit(X, y)
    for ours, theirs in zip(forest, forest.to_sklearn().estimators_, strict=True):
        assert_say_the_same(ours, theirs, between(X))


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_out_of_bag_estimates_go_along(kind):
    X, y = problem()
    ours = small(kind, n_estimators=50, bootstrap=True, oob_score=True).fit(X, y)
    assert ours.to_sklearn().oob_score_ == ours.oob_score_
    assert silvics.from_sklearn(ours.to_sklearn()).oob_score_ == ours.oob_score_


@each
@outputs
def test_from_sklearn(kind, n_outputs):
    X, y = problem(n_outputs=n_outputs)
    theirs = sklearn_kind(kind)(random_state=0).fit(X, y)
    ours = silvics.from_sklearn(theirs)
    assert type(ours) is kind
    assert_say_the_same(ours, theirs, between(X))
    # Numbers that float32 rounds: both round them.
    assert_say_the_same(ours, theirs, X + np.pi * 1e-7)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_shares_that_do_not_quite_sum_to_one_come_as_they_are(kind):
    X, y = problem(n_rows=200)
    weights = 1 / (3 + np.arange(len(y)))
    theirs = sklearn_kind(kind)(random_state=0, max_depth=3).fit(X, y, sample_weight=weights)
    assert_say_the_same(silvics.from_sklearn(theirs), theirs, between(X))


@each
def test_sklearn_criteria_come_along(kind):
    X, y = problem()
    for criterion in CRITERIA[kind._classification][:3]:
        theirs = sklearn_kind(kind)(random_state=0, criterion=criterion).fit(X, y)
        ours = silvics.from_sklearn(theirs)
        assert ours.criterion == criterion
        assert_say_the_same(ours, theirs, between(X))


@each
def test_best_first_trees_come_in_our_order(kind):
    X, y = problem()
    theirs = sklearn_kind(kind)(random_state=0, max_leaf_nodes=9).fit(X, y)
    ours = silvics.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.predict(between(X)), theirs.predict(between(X)))
    for tree in getattr(ours, "estimators_", [ours]):
        inner = np.flatnonzero(tree.tree_.children_left >= 0)
        np.testing.assert_array_equal(tree.tree_.children_left[inner], inner + 1)


@each
@outputs
def test_there_and_back(kind, n_outputs):
    X, y = problem(n_outputs=n_outputs)
    ours = small(kind).fit(X, y)
    again = silvics.from_sklearn(ours.to_sklearn())
    assert_say_the_same(again, ours, between(X))
    once_more = silvics.from_sklearn(again.to_sklearn())
    assert once_more.digest() == again.digest()


@each
def test_frames_keep_their_names(kind):
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    ours = small(kind).fit(frame, y)
    theirs = ours.to_sklearn()
    assert theirs.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(theirs.predict(frame), ours.predict(frame))
    assert silvics.from_sklearn(theirs).feature_names_in_.tolist() == list("abcd")


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_forest_from_elsewhere_is_not_grown_further(kind):
    X, y = problem()
    theirs = sklearn_kind(kind)(random_state=0, n_estimators=3, warm_start=True).fit(X, y)
    ours = silvics.from_sklearn(theirs).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="cannot add trees to a forest"):
        ours.fit(X, y)
    assert len(ours) == 3
    assert ours.set_params(warm_start=False).fit(X, y).predict(X).shape == y.shape


@pytest.mark.parametrize(
    "model",
    [
        sklearn.ensemble.GradientBoostingClassifier(),
        sklearn.ensemble.IsolationForest(),
        silvics.RandomForestClassifier(),
        "forest",
        None,
    ],
    ids=lambda model: type(model).__name__,
)
def test_from_sklearn_says_what_it_takes(model):
    with pytest.raises(TypeError, match="must be a fitted scikit-learn tree or forest"):
        silvics.from_sklearn(model)


@each
def test_from_sklearn_takes_fitted_models(kind):
    with pytest.raises(NotFittedError):
        silvics.from_sklearn(sklearn_kind(kind)())


# ---- missing values


def with_missing_values(informative, n_outputs=1):
    X, y = problem(n_rows=200, n_outputs=n_outputs)
    first = y if n_outputs == 1 else y[:, 0]
    X[np.flatnonzero(first == 0) if informative else slice(None, None, 5), 0] = np.nan
    X[::7, 2] = np.nan
    return X, y


def missing_everywhere(X):
    """Rows with missing values where the trees have seen some, and where not."""
    rows = between(X)
    rows[::3] = np.where(np.random.default_rng(1).random(rows[::3].shape) < 0.3, np.nan, rows[::3])
    return np.concatenate([rows, np.full((1, X.shape[1]), np.nan)])


@each
@outputs
@pytest.mark.parametrize("informative", [False, True])
def test_missing_values_learned_by_sklearn(kind, n_outputs, informative):
    X, y = with_missing_values(informative, n_outputs)
    theirs = sklearn_kind(kind)(random_state=0).fit(X, y)
    ours = silvics.from_sklearn(theirs)
    their_trees = getattr(theirs, "estimators_", [theirs])
    for tree, other in zip(getattr(ours, "estimators_", [ours]), their_trees, strict=True):
        assert other.tree_.missing_go_to_left.any()
        inner = np.flatnonzero(tree.tree_.children_left >= 0)
        assert set(tree.tree_.missing_go_to_left) <= {0, 1}
        for name in ("missing_go_to_left", "threshold"):  # both are in depth-first order
            np.testing.assert_array_equal(
                getattr(tree.tree_, name)[inner], getattr(other.tree_, name)[inner]
            )
    assert_say_the_same(ours, theirs, missing_everywhere(X))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        ours.set_params(missing="error").predict(X)


def test_splits_on_missing_values_alone_come_along():
    X, y = with_missing_values(informative=True)
    theirs = sklearn.tree.DecisionTreeClassifier(random_state=0, max_depth=3).fit(X, y)
    assert np.isinf(theirs.tree_.threshold).any()
    ours = silvics.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.tree_.threshold, theirs.tree_.threshold)
    assert_say_the_same(ours, theirs, missing_everywhere(X))
    assert_say_the_same(silvics.from_sklearn(ours.to_sklearn()), theirs, missing_everywhere(X))


@each
@outputs
@pytest.mark.parametrize("informative", [False, True])
def test_missing_values_learned_by_us(kind, n_outputs, informative):
    X, y = with_missing_values(informative, n_outputs)
    for parameters in ({}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 6}):
        ours = small(kind, **parameters).fit(X, y)
        theirs = ours.to_sklearn()
        assert_say_the_same(ours, theirs, missing_everywhere(X))
        again = silvics.from_sklearn(theirs)
        assert_say_the_same(again, theirs, missing_everywhere(X))


@each
def test_categories_do_not_go_to_sklearn(kind):
    X, y = problem()
    X = X.round()
    ours = small(kind, categorical_features=[0, 1, 2, 3]).fit(X, y)
    with pytest.raises(ValueError, match=r"do not support splits of categories.*OrdinalEncoder"):
        ours.to_sklearn()


# ---- where float32 cannot follow


def crowded():
    """Rows that float64 tells apart and float32 does not."""
    X = 1.0 + np.arange(8)[:, np.newaxis] * 2.0**-40
    return X, np.arange(8) % 2


@each
def test_cuts_that_collide_in_float32_give_a_warning(kind):
    X, y = crowded()
    ours = small(kind, **({"bootstrap": False} if kind in FORESTS else {})).fit(X, y)
    with pytest.warns(UserWarning, match="too close to be distinguished in float32"):
        ours.to_sklearn()


@pytest.mark.filterwarnings("error")
@each
def test_no_warning_where_float32_suffices(kind):
    X, y = problem()
    small(kind).fit(X, y).to_sklearn()
    small(kind).fit(X.astype(np.float32), y).to_sklearn()
    silvics.from_sklearn(sklearn_kind(kind)(random_state=0).fit(X, y)).to_sklearn()
