"""Forests of two stages, by two plain forests that are put together by hand."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.model_selection import GridSearchCV

import silvics
from silvics import ForestClassifier, ForestRegressor, RandomPatchesRegressor
from silvics._estimators import forest_growth
from silvics.bias_variance.members import member_stats
from silvics.inspection import diagnose, estimate_cost

N = 150
X, Y = make_friedman1(N, n_features=6, noise=1.0, random_state=0)
NEW = make_friedman1(300, n_features=6, random_state=1)[0]
TWO = np.column_stack([Y, X[:, 0] - Y])
WEIGHTS = np.random.default_rng(0).integers(0, 4, N).astype(float)


def in_stages(recipe="residual_forest", n_estimators=60, **parameters):
    parameters = {"random_state": 0, "stages": 2} | parameters
    return ForestRegressor(recipe, n_estimators, **parameters)


def residuals_by_hand(first, table, y):
    """Outputs minus the mean over the trees that have not drawn the row, tree by tree."""
    y = y.reshape(len(y), -1)
    sums, counts = np.zeros(y.shape), np.zeros(len(y))
    for tree, drawn in zip(first.estimators_, first.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), drawn)
        sums[out] += tree.predict(table)[out].reshape(len(out), -1)
        counts[out] += 1
    assert counts.all()
    return (y - sums / counts[:, np.newaxis]).squeeze()


def by_hand(forest, table, y, weights=None, groups=None):
    """Return both stages, each as a plain forest."""
    plain = clone(forest).set_params(
        stages=1, n_estimators=forest.n_estimators // 2, oob_score=False
    )
    if plain.recipe == "residual_forest":
        plain.set_params(recipe="bagging")
    first = plain.fit(table, y, weights, groups=groups)
    second = clone(plain).fit(table, residuals_by_hand(first, table, y), weights, groups=groups)
    return first, second


@pytest.fixture(scope="module")
def fitted():
    return in_stages(oob_score=True, keep_samples=True).fit(X, Y)


# ---- the definition


CASES = {
    "bagging": {},
    "random forests": {"recipe": "random_forest"},
    "extra-trees": {"recipe": "extra_trees", "rows": "bootstrap"},
    "samples without replacement": {"rows": "subsample", "max_samples": 0.6},
    "patches": {"rows": "patches", "max_samples": 0.6},
    "absolute error": {"criterion": "absolute_error", "min_samples_leaf": 4},
    "friedman's": {"criterion": "friedman_mse"},
    "honest": {"honest": True},
    "rotations": {"recipe": "rotation_forest"},
    "oblique": {"recipe": "forest_rc"},
    "random cells": {"recipe": "purely_random", "rows": "bootstrap"},
    "limits in the unit of outputs": {"min_impurity_decrease": 0.05, "min_impurity_split": 0.3},
    "best first": {"max_leaf_nodes": 9, "min_score": 0.1},
    "pruned": {"ccp_alpha": 0.02},
    "increasing": {"monotonic_cst": [1, 1, 0, 0, 0, 0]},
    "in both children": {"missing": "both"},
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("data", ["plain", "weights", "groups", "two outputs"])
def test_it_is_a_forest_and_a_forest_of_its_residuals(case, data):
    if data == "two outputs" and "monotonic_cst" in case:
        pytest.skip("monotonic_cst is for one output")
    table = X.copy()
    table[::7, 3] = np.nan
    y = TWO if data == "two outputs" else Y
    weights = WEIGHTS if data == "weights" else None
    groups = np.arange(N) // 3 if data == "groups" else None
    settings = {"n_estimators": 80, **case}
    if groups is not None and settings.get("rows") == "patches":
        settings["rows"] = "bootstrap"
        settings["max_samples"] = None
    forest = in_stages(**settings).fit(table, y, weights, groups=groups)
    first, second = by_hand(forest, table, y, weights, groups)
    assert len(forest) == 80
    np.testing.assert_allclose(
        forest.predict(NEW), first.predict(NEW) + second.predict(NEW), rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse", "absolute_error"])
@pytest.mark.parametrize("y", [Y, TWO], ids=["one output", "two outputs"])
@pytest.mark.parametrize("smallest", [1, 5])
def test_the_trees_are_those_of_doubled_outputs(criterion, y, smallest):
    settings = {"criterion": criterion, "min_samples_leaf": smallest, "n_estimators": 40}
    forest = in_stages(oob_score=True, **settings).fit(X, y)
    first, _ = by_hand(forest, X, y)
    doubled = clone(first).fit(X, 2 * y)
    # The residuals to the last bit: those of fit.
    plain = clone(first).set_params(oob_score=True).fit(X, y)
    left = clone(first).fit(X, 2 * (y - plain.oob_prediction_))
    assert silvics.merge([doubled, left]).digest() == forest.digest()
    for one, other in zip(forest, [*doubled, *left], strict=True):
        np.testing.assert_array_equal(one.tree_.value, other.tree_.value)
        np.testing.assert_array_equal(one.tree_.impurity, other.tree_.impurity)


def test_out_of_bag_predictions_are_sums_of_both_stages(fitted):
    first, second = by_hand(fitted, X, Y)
    left = Y - residuals_by_hand(first, X, Y)
    also = residuals_by_hand(second, X, np.zeros(N))
    np.testing.assert_allclose(fitted.oob_prediction_, left - also, rtol=0, atol=1e-11)
    counts = fitted.in_bag_counts()
    np.testing.assert_array_equal(counts[:, :30], counts[:, 30:])
    np.testing.assert_array_equal(counts[:, :30], first.in_bag_counts())
    drawn = [np.bincount(rows, minlength=N) for rows in fitted.estimators_samples_]
    np.testing.assert_array_equal(np.stack(drawn, axis=1), counts)


def test_the_error_is_smaller_and_its_estimate_is_careful():
    """On simulated data: out-of-bag errors are those of new rows, or somewhat larger."""
    test, outputs = make_friedman1(4000, noise=1.0, random_state=9)
    found = []
    for seed in range(4):
        table, y = make_friedman1(400, noise=1.0, random_state=seed)
        both = in_stages(n_estimators=100, oob_score=True, random_state=seed).fit(table, y)
        one = ForestRegressor("bagging", 100, random_state=seed).fit(table, y)
        error = ((both.predict(test) - outputs) ** 2).mean()
        estimate = ((both.oob_prediction_ - y) ** 2).mean()
        found.append([error, estimate, ((one.predict(test) - outputs) ** 2).mean()])
    error, estimate, alone = np.mean(found, axis=0)
    assert error < 0.8 * alone
    assert error < estimate < 1.35 * error


def test_rows_without_residuals_count_as_predicted():
    forest = in_stages(n_estimators=4)
    with pytest.warns(UserWarning, match=r"were drawn by all 2 trees of the first stage"):
        forest.fit(X, Y)
    first = ForestRegressor("bagging", 2, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        first.fit(X, Y)
    left = Y - first.oob_prediction_
    assert np.isnan(left).sum() > 20
    second = ForestRegressor("bagging", 2, random_state=0).fit(X, np.nan_to_num(left))
    np.testing.assert_allclose(
        forest.predict(NEW), first.predict(NEW) + second.predict(NEW), rtol=0, atol=1e-12
    )


def test_any_threads_any_table_the_same_forest():
    forest = in_stages().fit(X, Y)
    for n_jobs in (1, 2, 3):
        assert in_stages(n_jobs=n_jobs).fit(X, Y).digest() == forest.digest()
    zeros = np.where(X < 0.3, 0.0, X)
    assert in_stages().fit(csr_matrix(zeros), Y).digest() == in_stages().fit(zeros, Y).digest()
    frame = pd.DataFrame(X[:, :4]).assign(level=np.where(X[:, 4] < 0.5, "ash", "oak"))
    frame.columns = frame.columns.astype(str)
    frame.iloc[::9, 4] = None
    assert in_stages().fit(frame, Y).score(frame, Y) > 0.9


# ---- where growth ends


class StopAt:
    def __init__(self, after):
        self.after, self.reported = after, []

    def __call__(self, done, total):
        self.reported.append((done, total))
        if done >= self.after:
            raise KeyboardInterrupt


def test_progress_counts_the_trees_of_both_stages():
    report = StopAt(1000)
    in_stages(n_estimators=40, progress=report).fit(X, Y)
    done, total = zip(*report.reported, strict=True)
    assert set(total) == {40}
    assert list(done) == sorted(done)
    assert done[-1] == 40


class StopDoubling:
    """A tree of the first stage that is interrupted when it is doubled."""

    def __init__(self, tree):
        self._tree = tree

    def __getattr__(self, name):
        return getattr(self._tree, name)

    def doubled(self, degree):
        raise KeyboardInterrupt


def test_an_interruption_while_trees_are_doubled(monkeypatch):
    whole = forest_growth.of_both_stages

    def stopped(task, first, second):
        kept = first.trees[7]
        first.trees[7] = StopDoubling(kept)
        try:
            return whole(task, first, second)
        finally:
            first.trees[7] = kept

    monkeypatch.setattr(forest_growth, "of_both_stages", stopped)
    forest = in_stages(n_estimators=40)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, Y)
    plain = ForestRegressor("bagging", 20, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(forest.predict(NEW), plain.predict(NEW))


@pytest.mark.parametrize("after", [5, 20, 21, 33])
def test_an_interruption_leaves_the_first_stage(after):
    forest = in_stages(n_estimators=40, progress=StopAt(after), keep_samples=True)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, Y)
    assert forest.interrupted_
    assert len(forest) == 20 if after >= 20 else 1 <= len(forest) <= 20
    plain = ForestRegressor("bagging", len(forest), random_state=0).fit(X, Y)
    assert forest.digest() == plain.digest()
    np.testing.assert_array_equal(forest.predict(NEW), plain.predict(NEW))
    np.testing.assert_array_equal(forest.predict_trees(NEW), plain.predict_trees(NEW))
    assert pickle.loads(pickle.dumps(forest)).predict_trees(NEW).shape == (300, len(forest))
    forest.set_params(progress=None).fit(X, Y)
    assert not forest.interrupted_
    assert len(forest) == 40


# ---- what a fit refuses


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"n_estimators": 1}, "n_estimators=1 must be even"),
        ({"n_estimators": 31}, "n_estimators=31 must be even"),
        ({"rows": "all"}, "every tree is grown on all rows"),
        ({"rows": "subsample", "max_samples": 1.0}, "stages=2 needs out-of-bag rows"),
        ({"criterion": "poisson"}, "residuals can be negative"),
        ({"criterion": lambda *of: 1.0}, "criterion must be"),
        ({"pruning": "reduced_error"}, "holds out rows"),
        ({"warm_start": True}, "warm_start=False"),
        ({"max_time": 60.0}, "max_time=60.0 may end growth"),
        ({"max_memory": "8 GB"}, "max_memory='8 GB' may end growth"),
        ({"early_stopping": True, "target_score": 0.5}, "early_stopping=True, target_score=0.5"),
        ({"resume": "folder"}, "resume='folder' grows trees in tasks"),
        ({"engine": "dask"}, "engine='dask' grows trees in tasks"),
        ({"stages": 3}, "'stages' parameter"),
        ({"tune": {"recipe": ["bagging"]}, "stages": None}, "different numbers of stages"),
    ],
)
def test_a_fit_refuses_what_a_second_stage_cannot_have(parameters, why):
    with pytest.raises(ValueError, match=why):
        in_stages(**parameters).fit(X, Y)


def test_trees_are_not_added_to_two_stages():
    forest = in_stages(n_estimators=40).fit(X, Y)
    forest.set_params(stages=1, warm_start=True, n_estimators=50)
    with pytest.raises(ValueError, match="warm_start=True needs trees that each estimate"):
        forest.fit(X, Y)
    interrupted = in_stages(n_estimators=40, progress=StopAt(30))
    with pytest.raises(KeyboardInterrupt):
        interrupted.fit(X, Y)
    interrupted.set_params(stages=1, warm_start=True, n_estimators=25, progress=None).fit(X, Y)
    plain = ForestRegressor("bagging", 25, random_state=0).fit(X, Y)
    assert interrupted.digest() == plain.digest()


def test_other_forests_refuse_two_stages():
    for forest in (ForestClassifier("residual_forest"), ForestClassifier(stages=2)):
        with pytest.raises(ValueError, match="numbers and not classes"):
            forest.fit(X, Y > 10)
    with pytest.raises(ValueError, match="random patches do not support"):
        RandomPatchesRegressor("residual_forest", 4).fit(X, Y)


def test_outputs_that_cannot_be_doubled():
    large = Y / Y.max() * 1.7e308
    with pytest.raises(ValueError, match="too large"):
        in_stages().fit(X, large)
    assert np.isfinite(in_stages().fit(X, large / 2**12).predict(NEW)).all()


# ---- the methods of a forest


REFUSED = {
    "predict_trees": lambda f: f.predict_trees(NEW),
    "predict_standard_error": lambda f: f.predict_standard_error(NEW),
    "predict_quantiles": lambda f: f.predict_quantiles(NEW),
    "predict_distribution": lambda f: f.predict_distribution(NEW),
    "quantiles of training rows": lambda f: f.predict_quantiles(None),
    "predictor(training_rows=True)": lambda f: f.predictor(training_rows=True),
    "oob_curve": lambda f: f.oob_curve(),
    "intervals by quantiles": lambda f: f.predict_interval(NEW, method="quantile"),
    "mda_tree": lambda f: f.importances("mda_tree", X, Y),
    "conditional": lambda f: f.importances("conditional", X, Y),
    "mdi_oob": lambda f: f.importances("mdi_oob", X, Y),
    "ufi": lambda f: f.importances("ufi"),
    "null": lambda f: f.importances("mdi", X, Y, null="held_out"),
    "surrogate": lambda f: f.importances("surrogate", X, Y),
    "errors over rows": lambda f: f.importances("mdi", errors="rows"),
    "diagnose": lambda f: diagnose(f, X, Y),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_needs_trees_of_the_outputs_is_refused(fitted, ask):
    copies = [fitted, pickle.loads(pickle.dumps(fitted))]
    for forest in copies:
        with pytest.raises(ValueError, match="Fit a forest with stages=1"):
            ask(forest)


def test_sums_over_all_trees_are_those_of_both_stages(fitted):
    first, second = by_hand(fitted, X, Y)
    close = {"rtol": 0, "atol": 1e-10}
    predicted = fitted.predict(NEW)
    np.testing.assert_allclose(fitted.to_sklearn().predict(NEW.astype(np.float32)),
                               fitted.predict(NEW.astype(np.float32)), **close)  # fmt: skip
    assert fitted.predictor()(NEW[0]) == predicted[0]
    of_all, *of_stages = (f.shap(NEW[:20]) for f in (fitted, first, second))
    np.testing.assert_allclose(of_all.values, sum(of.values for of in of_stages), **close)
    np.testing.assert_allclose(of_all.base_values + of_all.values.sum(axis=1), predicted[:20],
                               **close)  # fmt: skip
    of_all, *of_stages = (f.partial_dependence(0, NEW) for f in (fitted, first, second))
    np.testing.assert_allclose(of_all.average, sum(of.average for of in of_stages), **close)
    both = np.mean([first.feature_importances_, second.feature_importances_], axis=0)
    np.testing.assert_allclose(fitted.feature_importances_, both, rtol=1e-12)
    leaves = np.hstack([first.apply(NEW), second.apply(NEW)])
    np.testing.assert_array_equal(fitted.apply(NEW), leaves)


def test_permutation_importances_are_of_the_sum(fitted):
    found = fitted.importances("mda", X, Y, n_repeats=2, random_state=0)
    assert set(np.argsort(found.values)[-2:]) <= {0, 1, 3}
    assert found.impurity == pytest.approx(((fitted.oob_prediction_ - Y) ** 2).mean())
    shares = fitted.importances("mdi", X, Y, null="auto", random_state=0)
    assert np.isfinite(shares.null).all()
    assert np.isfinite(fitted.importances("local", X).values).all()


def test_errors_of_importances_are_over_pairs_of_trees(fitted):
    """A tree of each stage estimate the output together; between stages, trees always differ."""
    first, second = by_hand(fitted, X, Y)
    of_stages = [f.importances("mdi").replicates for f in (first, second)]
    found = fitted.importances("mdi")
    pairs = 4 * np.mean(of_stages, axis=0)  # the unit is that of doubled outputs
    np.testing.assert_allclose(found.replicates, pairs, rtol=1e-10)
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(30)
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-9)
    assert "mean of 30 pairs of trees" in str(found)
    spread = pairs.std(axis=0, ddof=1).max() / pairs.mean(axis=0).max()
    assert found.enough(0.05) == 2 * np.ceil((spread / 0.05) ** 2)
    assert f"{found.enough():,} trees would be needed" in str(found)
    shadowed = fitted.importances("air", X, Y, random_state=0)
    assert shadowed.replicates.shape == (30, 6)
    assert fitted.partial_dependence(0, NEW).std is None
    assert "std" not in fitted.partial_dependence(0, NEW).to_frame()
    fitted.partial_dependence(0, NEW).plot()


@pytest.mark.parametrize("method", ["oob", "jackknife+", "split"])
def test_intervals_around_predictions_hold(method):
    table, y = make_friedman1(400, noise=1.0, random_state=3)
    test, outputs = make_friedman1(2000, noise=1.0, random_state=4)
    forest = in_stages(n_estimators=100, keep_samples=True).fit(table, y)
    calibration = (test[:500], outputs[:500]) if method == "split" else None
    low, high = forest.predict_interval(test[500:], method=method, calibration=calibration).T
    coverage = ((low <= outputs[500:]) & (outputs[500:] <= high)).mean()
    assert 0.86 < coverage < 0.99
    assert (low < forest.predict(test[500:])).all()


def test_training_rows_are_attached_to_the_leaves_that_have_them(fitted, tmp_path):
    fitted.save(tmp_path / "forest.silvics")
    loaded = silvics.load(tmp_path / "forest.silvics")
    assert loaded.digest() == fitted.digest()
    np.testing.assert_array_equal(loaded.predict(NEW), fitted.predict(NEW))
    loaded.attach_samples(X, Y)
    for one, other in ((loaded, fitted), (in_stages(keep_samples=True).fit(X, Y), fitted)):
        np.testing.assert_array_equal(one.proximity(NEW[:9]), other.proximity(NEW[:9]))
        np.testing.assert_array_equal(one.predict_interval(NEW), other.predict_interval(NEW))
    with pytest.raises(ValueError, match="Pass"):
        silvics.load(tmp_path / "forest.silvics").attach_samples(X[::-1], Y)
    with pytest.raises(ValueError, match="Pass"):
        silvics.load(tmp_path / "forest.silvics").attach_samples(X, Y[::-1])
    fitted.save(tmp_path / "small.silvics", for_prediction=True)
    small = silvics.load(tmp_path / "small.silvics")
    np.testing.assert_array_equal(small.predict(NEW), fitted.predict(NEW))
    with pytest.raises(ValueError, match="stages=1"):
        small.predict_trees(NEW)


def test_forests_of_two_stages_merge_with_each_other(fitted):
    other = in_stages(n_estimators=20, random_state=5).fit(X, Y)
    merged = silvics.merge([fitted, other])
    expected = (60 * fitted.predict(NEW) + 20 * other.predict(NEW)) / 80
    np.testing.assert_allclose(merged.predict(NEW), expected, rtol=0, atol=1e-11)
    with pytest.raises(ValueError, match="stages=1"):
        pickle.loads(pickle.dumps(merged)).predict_trees(NEW)
    pairs = [f.importances("mdi").replicates for f in (fitted, other, merged)]
    np.testing.assert_array_equal(pairs[2], np.concatenate(pairs[:2]))
    plain = ForestRegressor("bagging", 4, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="the number of stages is 2 in one forest and 1"):
        silvics.merge([fitted, plain])


def test_studies_of_members_take_it_as_one_model(fitted):
    found = member_stats(fitted, NEW, None)
    assert found.n_members == 1 if hasattr(found, "n_members") else found.variance is None
    estimate = estimate_cost(in_stages(n_estimators=20), X, Y)
    assert estimate.n_trees == 20


# ---- tuning


@pytest.mark.parametrize(
    "settings",
    [
        {"tune": "oob"},
        {"recipe": "auto"},
        {"tune": {"max_features": [2, 6], "shrinkage": [0.0, 5.0], "max_leaf_nodes": [20, None]}},
    ],
    ids=str,
)
def test_the_first_stage_is_tuned_and_the_second_has_its_parameters(settings):
    forest = in_stages(n_estimators=60, **settings).fit(X, Y)
    settings = {"recipe": "bagging", **settings}
    # oob_score keeps trees on all rows out of the race of "auto".
    plain = ForestRegressor(n_estimators=30, random_state=0, oob_score=True, **settings)
    plain.fit(X, Y)
    chosen = forest.best_params_
    assert chosen == plain.best_params_
    assert forest.best_score_ == plain.best_score_
    again = clone(forest).set_params(**{"tune": None, **chosen}).fit(X, Y)
    assert again.digest() == forest.digest()
    first = clone(plain).set_params(**{"tune": None, **chosen}).fit(X, Y)
    second = clone(first).fit(X, residuals_by_hand(first, X, Y))
    np.testing.assert_allclose(
        forest.predict(NEW), first.predict(NEW) + second.predict(NEW), rtol=0, atol=1e-11
    )


def test_an_interrupted_race_leaves_the_first_stage():
    forest = in_stages(n_estimators=60, tune="oob", progress=StopAt(2))
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, Y)
    assert 1 <= len(forest) <= 30
    np.testing.assert_allclose(forest.predict_trees(NEW).mean(axis=1), forest.predict(NEW))


def test_stages_are_a_parameter_as_any_other():
    search = GridSearchCV(in_stages("random_forest"), {"stages": [1, 2]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, Y)
    assert search.best_params_ == {"stages": 2}
    assert len(search.best_estimator_) == 60
