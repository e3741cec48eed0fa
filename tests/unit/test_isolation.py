"""Isolation forests: scores by their definition, any table, and nothing that takes them aback."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.ensemble
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from silvics import IsolationForest
from silvics.isolation import average_path_length

RNG = np.random.default_rng(0)
INLIERS = RNG.normal(size=(380, 2))
OUTLIERS = RNG.uniform(-6.0, 6.0, size=(20, 2))
X = np.concatenate([INLIERS, OUTLIERS])


def fitted(table=X, **parameters):
    return IsolationForest(random_state=0, **{"n_estimators": 40, **parameters}).fit(table)


def mixed_frame(n=300):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"height": rng.normal(size=n), "girth": rng.normal(size=n)})
    frame["kind"] = rng.choice(["oak", "elm"], size=n)
    frame.loc[:8, "kind"] = "yew"
    frame.loc[::9, "girth"] = np.nan
    return frame


# ---- what a score is


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 10, 256, 1000])
def test_average_path_length_is_exact(n):
    harmonic = sum((Fraction(1, i) for i in range(1, n)), Fraction(0))
    exact = 2 * harmonic - Fraction(2 * (n - 1), n) if n > 1 else 0
    assert average_path_length(n) == pytest.approx(float(exact), rel=1e-14, abs=0.0)


def test_average_path_length_is_that_of_random_trees():
    """By recursion: the first cut leaves 1 .. n - 1 samples on its left, each as likely."""
    lengths = [0.0, 0.0]
    for n in range(2, 50):
        below = [k * lengths[k] + (n - k) * lengths[n - k] for k in range(1, n)]
        lengths.append(1.0 + sum(below) / (n - 1) / n)
    np.testing.assert_allclose(average_path_length(np.arange(50)), lengths, rtol=1e-12)


@pytest.mark.parametrize("parameters", [{}, {"max_samples": 50}, {"bootstrap": True}])
def test_scores_are_those_of_path_lengths(parameters):
    forest = fitted(max_features=1, **parameters)
    leaves = forest.apply(X)
    relative = []
    for m, tree in enumerate(forest.estimators_):
        n, depth = tree.tree_.n_node_samples, tree.tree_.compute_node_depths() - 1
        length = (depth + average_path_length(n))[leaves[:, m]]
        relative.append(length / average_path_length(n[0]))
        np.testing.assert_allclose(tree.predict(X), relative[-1], rtol=1e-14)
    np.testing.assert_allclose(
        forest.score_samples(X), -(2.0 ** -np.mean(relative, axis=0)), rtol=1e-13
    )


def test_scores_rank_as_those_of_scikit_learn():
    theirs = sklearn.ensemble.IsolationForest(n_estimators=300, random_state=0).fit(X)
    ours = fitted(n_estimators=300)
    assert spearmanr(ours.score_samples(X), theirs.score_samples(X))[0] > 0.95
    assert abs(ours.score_samples(X).mean() - theirs.score_samples(X).mean()) < 0.01
    assert roc_auc_score(np.arange(400) < 380, ours.score_samples(X)) > 0.85


def test_bootstrap_does_not_make_outliers():
    """Fewer distinct rows make shorter ways, which are measured by fewer rows."""
    without, with_ = fitted(max_samples=1.0), fitted(max_samples=1.0, bootstrap=True)
    assert abs(without.score_samples(X).mean() - with_.score_samples(X).mean()) < 0.02


def test_the_sphere_is_inside_and_far_away_is_outside():
    forest = fitted()
    assert forest.predict([[0.0, 0.0], [50.0, 50.0]]).tolist() == [1, -1]
    assert forest.predict(X).dtype == sklearn.ensemble.IsolationForest().fit(X).predict(X).dtype
    np.testing.assert_array_equal(
        forest.fit_predict(X), np.where(forest.decision_function(X) < 0, -1, 1)
    )


def test_decision_is_score_less_offset():
    for contamination, offset in (("auto", -0.5), (0.05, None), (0.5, None)):
        forest = fitted(contamination=contamination)
        np.testing.assert_array_equal(
            forest.decision_function(X), forest.score_samples(X) - forest.offset_
        )
        if offset is None:
            assert (forest.predict(X) < 0).mean() == pytest.approx(contamination, abs=0.005)
        else:
            assert forest.offset_ == offset


# ---- rows and columns of trees


def test_rows_of_trees():
    forest = fitted()
    assert forest.max_samples_ == 256
    assert {len(set(rows)) for rows in forest.estimators_samples_} == {256}
    assert fitted(X[:100]).max_samples_ == 100
    assert fitted(max_samples=0.1).max_samples_ == 40
    assert fitted(X[:3], max_samples=0.1).max_samples_ == 1
    drawn = fitted(bootstrap=True, max_samples=30).estimators_samples_
    assert {len(rows) for rows in drawn} == {30}
    assert any(len(set(rows)) < 30 for rows in drawn)
    for forest in (fitted(max_samples=20), fitted(max_samples=20, bootstrap=True)):
        for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            assert tree.tree_.n_node_samples[0] == len(set(rows.tolist()))
            assert tree.max_depth == 5
            assert tree.get_depth() <= 5


@pytest.mark.parametrize("max_features", [1, 3, 0.5, 9, 1.0, 0])
def test_columns_of_trees(max_features):
    wide = np.random.default_rng(2).normal(size=(200, 10))
    forest = fitted(wide, max_features=max_features)
    wanted = max(1, int(max_features * 10 if isinstance(max_features, float) else max_features))
    used = set()
    for tree, columns in zip(forest.estimators_, forest.estimators_features_, strict=True):
        assert len(columns) == wanted
        assert (np.diff(columns) > 0).all()
        seen = set(tree.tree_.feature[tree.tree_.feature >= 0].tolist())
        assert seen <= set(columns.tolist())
        used |= seen
        if wanted <= 3:  # each is met on the way
            assert seen == set(columns.tolist())
    assert used == set(range(10))
    with pytest.raises(ValueError, match="max_features must be <= n_features"):
        fitted(wide, max_features=11)


def test_weights_are_the_odds_of_being_drawn():
    weights = np.r_[np.ones(200), np.zeros(200)]
    for bootstrap in (False, True):
        forest = IsolationForest(random_state=0, bootstrap=bootstrap)
        forest.fit(X, sample_weight=weights)
        assert max(rows.max() for rows in forest.estimators_samples_) < 200
    same = IsolationForest(random_state=0).fit(X, sample_weight=np.full(400, 3.0))
    assert same.digest() == IsolationForest(random_state=0).fit(X).digest()
    rare = IsolationForest(random_state=0).fit(X, sample_weight=1.0 + 99.0 * (X[:, 0] > 0))
    left, right = X[:, 0] < -0.5, X[:, 0] > 0.5
    assert rare.score_samples(X[left]).mean() < rare.score_samples(X[right]).mean() - 0.05


# ---- any table


def test_frames_of_every_library_give_the_same_forest():
    frame = mixed_frame()
    forests = [
        fitted(frame),
        fitted(pl.from_pandas(frame)),
        fitted(pa.Table.from_pandas(frame, preserve_index=False)),
    ]
    assert len({forest.digest() for forest in forests}) == 1
    for forest in forests:
        np.testing.assert_array_equal(
            forest.score_samples(frame), forests[0].score_samples(pl.from_pandas(frame))
        )
        assert forest.feature_names_in_.tolist() == list(frame)
        assert forest.is_categorical_.tolist() == [False, False, True]
    with pytest.raises(ValueError, match="feature names"):
        forests[0].predict(frame.rename(columns={"kind": "sort"}))


def test_a_rare_level_is_an_outlier():
    frame = mixed_frame()
    scores = fitted(frame[["kind"]], n_estimators=200).score_samples(frame[["kind"]])
    assert scores[:9].max() < scores[9:].min()


def test_a_rare_hole_is_an_outlier():
    column = np.random.default_rng(0).normal(size=(300, 1))
    column[:3] = np.nan
    scores = fitted(column, n_estimators=200).score_samples(column)
    assert scores[:3].max() < np.quantile(scores[3:], 0.1)


def test_what_was_not_seen_is_taken():
    frame = mixed_frame()
    forest = fitted(frame)
    strange = frame[:3].assign(kind=["ash", None, "oak"], height=[np.nan, 1.0, np.nan])
    assert np.isfinite(forest.score_samples(strange)).all()
    strict = fitted(frame.dropna(), unknown_category="error", missing="error")
    with pytest.raises(ValueError, match="ash"):
        strict.predict(strange[:1].assign(height=0.0, girth=0.0))
    with pytest.raises(ValueError, match="NaN"):
        strict.predict(strange[2:])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_is_as_dense(form):
    dense = np.where(
        np.random.default_rng(0).random((200, 6)) < 0.7, 0.0, RNG.normal(size=(200, 6))
    )
    forest = fitted(form(dense), contamination=0.1, max_features=3)
    same = fitted(dense, contamination=0.1, max_features=3)
    assert forest.digest() == same.digest()
    assert forest.offset_ == same.offset_
    np.testing.assert_array_equal(forest.score_samples(form(dense)), same.score_samples(dense))


# ---- hostile input


def test_one_row_and_rows_all_alike_are_inliers():
    for table in (np.zeros((1, 3)), np.ones((100, 3)), np.full((7, 2), np.nan)):
        forest = fitted(table, n_estimators=33)
        assert (forest.score_samples(table) == -0.5).all()
        assert (forest.predict(table) == 1).all()
        assert (forest.predict(np.full_like(table, 9.0)) == 1).all()


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros(5), "1D|1-dimensional|Expected 2D"),
        ([[np.inf], [1.0]], "infinity"),
        ([[1 + 2j], [1.0]], "[Cc]omplex"),
    ],
)
def test_bad_tables_are_refused(table, why):
    forest = IsolationForest()
    with pytest.raises(ValueError, match=why):
        forest.fit(table)
    assert not vars(forest).keys() - forest.get_params().keys()


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_samples": 0}, {"max_samples": 1.5}, {"max_samples": "all"}, {"contamination": 0.0},
        {"contamination": 0.6}, {"max_features": 1.5}, {"max_features": 0.0}, {"n_estimators": 0},
        {"missing": "both"},
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match="parameter of IsolationForest must be"):
        IsolationForest(**parameters).fit(X)


def test_bad_weights_are_refused():
    for weights, why in ((-np.ones(400), "[Nn]egative"), (np.zeros(400), "zero"), ([1.0], "400")):
        with pytest.raises(ValueError, match=why):
            IsolationForest().fit(X, sample_weight=weights)


def test_large_and_small_numbers():
    scores = fitted().score_samples(X)
    for scale in (2.0**-1000, 2.0**900):
        forest = fitted(X * scale)
        np.testing.assert_array_equal(forest.score_samples(X * scale), scores)


def test_more_rows_wanted_than_there_are():
    with pytest.warns(UserWarning, match=r"max_samples \(999\) is greater than the total number"):
        forest = fitted(max_samples=999)
    assert forest.max_samples_ == 400


def test_y_is_ignored():
    strange = np.full(400, np.nan)
    assert IsolationForest(random_state=0).fit(X, strange).digest() == (
        IsolationForest(random_state=0).fit(X).digest()
    )


def test_there_is_nothing_to_be_important_for():
    assert not hasattr(fitted(), "feature_importances_")


# ---- the same, however it is made


def test_threads_change_nothing():
    one, three = fitted(contamination=0.1), fitted(contamination=0.1, n_jobs=3)
    assert one.digest() == three.digest()
    assert one.offset_ == three.offset_
    many = np.tile(X, (30, 1))
    np.testing.assert_array_equal(one.score_samples(many), three.score_samples(many, n_jobs=2))


def test_warm_start_gives_the_same_forest():
    whole = fitted(contamination=0.1, max_features=1)
    steps = fitted(contamination=0.1, max_features=1, n_estimators=7, warm_start=True)
    first, offset = steps.estimators_[0], steps.offset_
    steps.set_params(n_estimators=40).fit(X)
    assert steps.digest() == whole.digest()
    assert steps.offset_ == whole.offset_ != offset
    assert steps.estimators_[0] is first
    assert len(steps.estimators_) == len(steps.estimators_features_) == 40
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        steps.set_params(contamination="auto").fit(X)
    assert steps.offset_ == -0.5
    with pytest.raises(ValueError, match="n_estimators=3 must be larger or equal"):
        steps.set_params(n_estimators=3).fit(X)


def test_a_generator_gives_one_forest_after_another():
    state = np.random.RandomState(0)
    first, second = (IsolationForest(random_state=state).fit(X).digest() for _ in range(2))
    assert first != second
    assert first == IsolationForest(random_state=np.random.RandomState(0)).fit(X).digest()


def test_a_pickle_scores_the_same():
    frame = mixed_frame()
    forest = fitted(frame, contamination=0.1, max_features=2)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.decision_function(frame), forest.decision_function(frame))
    for a, b in zip(again.estimators_features_, forest.estimators_features_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_interrupted_is_usable():
    def stop(done, total):
        if done >= 3:
            raise RuntimeError("enough")

    forest = IsolationForest(n_estimators=100_000, contamination=0.1, progress=stop)
    with pytest.raises(RuntimeError, match="enough"):
        forest.fit(X)
    assert forest.interrupted_
    assert 3 <= len(forest._trees) < 100_000
    assert (forest.predict(X) < 0).mean() == pytest.approx(0.1, abs=0.02)


def test_predictor_scores_a_row():
    frame = mixed_frame()
    forest = fitted(frame)
    score = pickle.loads(pickle.dumps(forest.predictor()))
    expected = forest.score_samples(frame)
    np.testing.assert_array_equal(score(frame), expected)
    assert score({"height": frame.height[1], "girth": frame.girth[1], "kind": "yew"}) == expected[1]


@pytest.mark.parametrize("parameters", [{}, {"max_features": 1}, {"contamination": 0.1}])
def test_to_scikit_learn(parameters):
    rounded = X.astype(np.float32)
    forest = fitted(rounded, **parameters)
    theirs = forest.to_sklearn()
    assert type(theirs) is sklearn.ensemble.IsolationForest
    np.testing.assert_allclose(
        theirs.score_samples(rounded), forest.score_samples(rounded), atol=5e-4
    )
    assert theirs.offset_ == forest.offset_
