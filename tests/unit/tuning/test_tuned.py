"""Forests that are tuned by their out-of-bag rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import silvics
from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

N = 240


def mixed_table(n=N, seed=0):
    """Numbers, some missing, and categories of few and of many levels."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "real": random.normal(size=n),
            "whole": random.integers(0, 5, n).astype(float),
            "few": random.choice(list("abcdefg"), n),
            "many": random.choice([f"level {i}" for i in range(70)], n),
            "noise": random.normal(size=n),
        }
    )
    X.loc[random.random(n) < 0.2, "whole"] = np.nan
    return X, X["real"].to_numpy() + (X["few"] == "b") + random.normal(size=n) / 2


X, Y = mixed_table()
LABELS = np.digitize(Y, [-0.5, 0.7])
WEIGHTS = np.random.default_rng(1).random(N) + 0.1
TWO_LABELS = np.stack([LABELS, np.roll(LABELS, 1) % 2], axis=1)
TWO = np.stack([Y, np.roll(Y, 1)], axis=1)

CASES = {
    "own grid of limits": (
        RandomForestClassifier, LABELS, {"tune": {"max_depth": [2, 4], "max_leaf_nodes": [5, 9]}},
    ),
    "impurity": (
        RandomForestRegressor, Y, {"tune": {"min_impurity_decrease": [0.0, 0.002, 0.01]}},
    ),
    "samples": (
        RandomForestRegressor, TWO, {"tune": {"min_samples_split": [0.1, 30]}},
    ),
    "medians": (
        RandomForestRegressor, Y,
        {"criterion": "absolute_error", "tune": {"max_leaf_nodes": [7], "max_features": [2, 4]}},
    ),
    "friedman": (
        ExtraTreesRegressor, Y,
        {"criterion": "friedman_mse", "bootstrap": True, "tune": {"max_depth": [3, None]}},
    ),
    "all rows": (ExtraTreesClassifier, LABELS, {"tune": {"max_depth": [3, 5]}}),
    "all rows, raced": (ExtraTreesRegressor, TWO, {"tune": "oob"}),
    "shrinkage": (RandomForestClassifier, LABELS, {"tune": {"shrinkage": [3.0]}}),
    "shrinkage and depth": (
        RandomForestRegressor, Y, {"tune": {"shrinkage": [3.0], "max_depth": [4]}},
    ),
    "two outputs": (RandomForestClassifier, TWO_LABELS, {"tune": "oob"}),
    "entropy": (RandomForestClassifier, LABELS, {"criterion": "entropy", "tune": "oob"}),
    "own limit on leaves": (
        RandomForestClassifier, LABELS, {"max_leaf_nodes": 12, "tune": {"max_depth": [3, 4]}},
    ),
    "balanced": (
        RandomForestClassifier, LABELS, {"class_weight": "balanced_subsample", "tune": "oob"},
    ),
    "subsample": (
        ForestRegressor, Y, {"rows": "subsample", "max_samples": 0.6, "tune": "oob"},
    ),
    "majority": (ForestClassifier, LABELS, {"vote": "majority", "tune": "oob"}),
    "multiway": (ForestClassifier, LABELS, {"recipe": "kwok_carter", "tune": {"max_depth": [2]}}),
    "oblique": (ForestRegressor, Y, {"recipe": "forest_rc", "tune": {"max_depth": [2, 5]}}),
    "auto": (ForestClassifier, LABELS, {"recipe": "auto"}),
    "auto regression": (ForestRegressor, Y, {"recipe": "auto"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unit", "weighted"])
def test_the_chosen_parameters_give_the_same_forest(case, weights):
    kind, y, parameters = CASES[case]
    tuned = kind(n_estimators=12, random_state=3, **parameters).fit(X, y, weights)
    params = tuned.best_params_
    again = clone(tuned).set_params(**params).fit(X, y, weights)
    assert again.digest() == tuned.digest()
    assert np.array_equal(again.predict(X), tuned.predict(X))
    threads = clone(tuned).set_params(n_jobs=3).fit(X, y, weights)
    assert threads.digest() == tuned.digest()
    assert threads.best_params_ == params
    assert threads.best_score_ == tuned.best_score_


def test_a_better_limit_is_found():
    """Constant outputs with noise: full trees fit the noise, and no split at all is best."""
    random = np.random.default_rng(0)
    table, y = random.normal(size=(400, 3)), random.normal(size=400)
    full = RandomForestRegressor(40, random_state=0, oob_score=True).fit(table, y)
    tuned = clone(full).set_params(tune={"max_depth": [1, 2, None]}).fit(table, y)
    assert tuned.best_params_["max_depth"] == 1
    assert tuned.oob_score_ > full.oob_score_ + 0.1
    again = clone(full).set_params(tune="oob").fit(table, y)
    assert again.oob_score_ > full.oob_score_ + 0.1


def test_informative_variables_ask_for_more_of_them_at_each_node():
    random = np.random.default_rng(2)
    table = random.normal(size=(500, 30))
    y = table[:, 0] + table[:, 1] > 0
    tuned = RandomForestClassifier(60, random_state=0, tune={"max_features": [2, 20]})
    assert tuned.fit(table, y).best_params_["max_features"] == 20


def test_scores_are_those_of_a_test_set():
    """The corrected score is close to that of rows that were not seen."""
    table, y = mixed_table(600, seed=5)
    new, outputs = mixed_table(4000, seed=6)
    tuned = RandomForestRegressor(60, random_state=0, tune="oob").fit(table, y)
    assert abs(r2_score(outputs, tuned.predict(new)) - tuned.best_score_) < 0.08
    assert tuned.tuning_results_.optimism >= 0


def test_probabilities_are_calibrated_where_the_score_is_one_of_probabilities():
    labels = LABELS > 0
    tuned = RandomForestClassifier(20, random_state=0, tune="oob").fit(X, labels)
    assert tuned.best_params_["calibrate"] == "oob"
    assert tuned.calibration_.method in ("raw", "temperature", "isotonic", "venn-abers")
    ranked = clone(tuned).set_params(scoring="roc_auc").fit(X, labels)
    assert "calibrate" not in ranked.best_params_
    assert not hasattr(ranked, "calibration_")
    new, y = mixed_table(2000, seed=7)
    plain = clone(tuned).set_params(tune=None).fit(X, labels)
    truth = np.digitize(y, [-0.5, 0.7]) > 0
    second = [np.clip(f.predict_proba(new)[:, 1], 0.02, 0.98) for f in (tuned, plain)]
    loss = [log_loss(truth, of) for of in second]
    assert loss[0] <= loss[1]


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "f1_macro"])
def test_scorers_of_classes(scoring):
    tuned = RandomForestClassifier(15, random_state=0, tune="oob", scoring=scoring).fit(X, LABELS)
    assert tuned.tuning_results_.scoring == scoring
    assert clone(tuned).set_params(**tuned.best_params_).fit(X, LABELS).digest() == tuned.digest()


def test_a_callable_score():
    def mean_error(model, table, y):
        return -np.abs(model.predict(table) - y).mean()

    tuned = RandomForestRegressor(15, random_state=0, tune="oob", scoring=mean_error).fit(X, Y)
    assert tuned.tuning_results_.scoring == "mean_error"
    assert -1 < tuned.best_score_ < 0


def test_results():
    tuned = RandomForestClassifier(20, random_state=0, tune="oob").fit(X, LABELS)
    results = tuned.tuning_results_
    frame = results.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [
        "stage", "parameters", "n_trees", "score", "standard_error", "cost", "chosen",
    ]  # fmt: skip
    limits = frame[frame["stage"] == "limits"]
    assert limits["chosen"].sum() == 1
    chosen = limits[limits["chosen"]].iloc[0]
    assert chosen["score"] == pytest.approx(results.best_score + results.optimism)
    assert repr(results).startswith("Tuning by out-of-bag negative Brier score")
    assert "max_features" in results._repr_html_()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert results.plot().ax_.get_xlabel().startswith("out-of-bag negative Brier score")
    pyplot.close("all")


def test_groups_stay_together():
    groups = np.repeat(np.arange(N // 6), 6)
    y = np.repeat(np.random.default_rng(0).normal(size=N // 6), 6)  # one output for each group
    table = np.column_stack([y + 0.0, np.random.default_rng(1).normal(size=(N, 2))])
    table[:, 0] = groups  # tells the group, and nothing about other groups
    alone = RandomForestRegressor(20, random_state=0, tune="oob").fit(table, y)
    together = clone(alone).fit(table, y, groups=groups)
    assert alone.best_score_ > 0.5
    assert together.best_score_ < 0.2
    again = clone(together).set_params(**together.best_params_).fit(table, y, groups=groups)
    assert again.digest() == together.digest()


def test_early_stopping_ends_where_it_would_have():
    parameters = {"early_stopping": True, "n_iter_no_change": 3, "tol": 0.01, "random_state": 0}
    tuned = RandomForestRegressor(200, tune="oob", **parameters).fit(X, Y)
    again = clone(tuned).set_params(**tuned.best_params_).fit(X, Y)
    assert len(tuned) < 200
    assert tuned.stopped_ == again.stopped_
    assert tuned.digest() == again.digest()


def test_kept_and_attached_samples():
    tuned = RandomForestRegressor(15, random_state=0, tune="oob", keep_samples=True).fit(X, Y)
    other = clone(tuned).set_params(keep_samples=False).fit(X, Y).attach_samples(X, Y)
    assert np.array_equal(tuned.oob_curve().scores, other.oob_curve().scores)
    shrunken = RandomForestRegressor(15, random_state=0, tune={"shrinkage": [5.0]}).fit(X, Y)
    assert len(shrunken.attach_samples(X, Y).oob_curve().scores) == 15
    with pytest.raises(ValueError, match="shrinkage"):
        shrunken.proximity(X, kind="kernel")


def test_warm_start_keeps_the_choice():
    tuned = RandomForestRegressor(15, random_state=0, tune="oob", warm_start=True).fit(X, Y)
    params, digest = tuned.best_params_, tuned.digest()
    tuned.set_params(n_estimators=25).fit(X, Y)
    assert tuned.best_params_ == params
    assert len(tuned) == 25
    again = clone(tuned).set_params(warm_start=False, **params).fit(X, Y)
    assert again.digest() == tuned.digest() != digest
    plain = RandomForestRegressor(5, random_state=0, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="without tuning"):
        plain.set_params(n_estimators=9, tune="oob").fit(X, Y)


def test_warm_start_with_shrinkage():
    tuned = RandomForestRegressor(9, random_state=0, tune={"shrinkage": [4.0]}, warm_start=True)
    tuned.fit(X, Y).set_params(n_estimators=14).fit(X, Y)
    whole = RandomForestRegressor(14, random_state=0, tune={"shrinkage": [4.0]}).fit(X, Y)
    assert tuned.digest() == whole.digest()


def test_a_fit_without_tuning_forgets_the_choice():
    forest = RandomForestRegressor(9, random_state=0, tune="oob").fit(X, Y)
    forest.set_params(tune=None).fit(X, Y)
    assert not hasattr(forest, "best_params_")
    assert forest.digest() == RandomForestRegressor(9, random_state=0).fit(X, Y).digest()


def test_grid_search_and_pipelines():
    table = X[["real", "noise"]].to_numpy()
    search = GridSearchCV(
        make_pipeline(RandomForestRegressor(8, random_state=0)),
        {"randomforestregressor__tune": [None, "oob", {"max_depth": [2, 4]}]}, cv=2,
    )  # fmt: skip
    search.fit(table, Y)
    assert len(search.cv_results_["mean_test_score"]) == 3
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


# ---- what travels


@pytest.mark.parametrize("tune", [{"max_depth": [3]}, {"shrinkage": [5.0]}], ids=str)
@pytest.mark.parametrize(("kind", "y"), [(RandomForestClassifier, LABELS > 0),
                                         (RandomForestRegressor, Y)])  # fmt: skip
def test_what_tuning_changes_travels(tune, kind, y, tmp_path):
    table = X[["real", "noise"]].to_numpy()
    tuned = kind(12, random_state=0, tune=tune).fit(table, y)
    full = clone(tuned).set_params(tune=None).fit(table, y)
    how = "predict_proba" if tuned._classification else "predict"
    expected = getattr(tuned, how)(table)
    assert not np.array_equal(expected, getattr(full, how)(table))
    tuned.save(tmp_path / "model.silvics")
    loaded = silvics.load(tmp_path / "model.silvics")
    assert loaded.best_params_ == tuned.best_params_
    assert loaded.best_score_ == tuned.best_score_
    assert loaded.digest() == tuned.digest()
    loaded.attach_samples(table, y)
    converted = tuned.to_sklearn()
    for other in (loaded, converted, silvics.merge([tuned, tuned])):
        assert np.allclose(getattr(other, how)(table), expected, rtol=1e-12)
    predicted = tuned.predictor()(table)
    assert np.array_equal(predicted, tuned.predict(table))
    assert np.isfinite(tuned.feature_importances_).all()
    assert tuned.shap(table[:3]).values.shape[0] == 3


def test_calibration_travels(tmp_path):
    tuned = RandomForestClassifier(20, random_state=0, tune="oob").fit(X, LABELS)
    tuned.save(tmp_path / "model.silvics")
    loaded = silvics.load(tmp_path / "model.silvics")
    assert np.array_equal(loaded.predict_proba(X), tuned.predict_proba(X))


def test_auto_summary_names_the_chosen_recipe():
    forest = ForestClassifier("auto", 12, random_state=0).fit(X, LABELS)
    assert forest.best_params_["recipe"] in ("random_forest", "extra_trees")
    assert forest.summary().recipe in (
        "Random Forests",
        "Extremely Randomized Trees",
        "Extra-Trees",
    )
    assert len(forest) == 12


# ---- scores


def binary(names):
    return np.asarray(names)[(Y > 0).astype(int)]


def test_the_brier_score_of_named_classes():
    """That of scikit-learn is half of the sum over two classes, and has another name."""
    grid = {"max_depth": [2, 6, None]}
    found = [
        RandomForestClassifier(15, random_state=0, tune=grid, scoring="neg_brier_score").fit(
            X, binary(names)
        )
        for names in ([0, 1], ["bad", "good"], ["good", "bad"])
    ]
    assert found[0].best_score_ == found[1].best_score_
    assert found[2].best_score_ == pytest.approx(found[0].best_score_, abs=1e-2)
    own = RandomForestClassifier(15, random_state=0, tune=grid).fit(X, binary(["bad", "good"]))
    assert own.tuning_results_.scoring == "negative Brier score"
    assert found[1].tuning_results_.scoring == "neg_brier_score"
    assert own.best_score_ == pytest.approx(2 * found[1].best_score_, rel=0.15)


@pytest.mark.parametrize(
    ("returned", "error", "words"),
    [
        (np.nan, ValueError, "scoring='score' returned NaN"),
        ("0.5", TypeError, "scoring='score' must return a number, but it returned '0.5'"),
        (None, TypeError, "must return a number, but it returned None"),
    ],
)
def test_what_a_scorer_returns_must_be_a_number(returned, error, words):
    calls = []

    def score(model, rows, y):
        calls.append(len(y))
        return returned

    for tune in ("oob", {"max_depth": [2, 3]}, {"max_features": [1, 2]}):
        calls.clear()
        with pytest.raises(error, match=words):
            RandomForestRegressor(9, random_state=0, tune=tune, scoring=score).fit(X, Y)
        assert len(calls) == 1


def test_groups_of_rows_that_lack_a_class_may_have_no_score():
    rare = np.where(np.arange(N) < 3, 1, 0)

    def share(model, rows, y):
        return float("nan") if y.max() == 0 else model.predict_proba(rows)[y == 1, 1].mean()

    forest = RandomForestClassifier(20, random_state=0, tune={"max_depth": [2, 9]}, scoring=share)
    assert np.isfinite(forest.fit(X, rare).best_score_)


def test_unknown_scorers():
    for early in ({}, {"tune": "oob"}):
        forest = RandomForestRegressor(9, scoring="r", early_stopping=not early, **early)
        with pytest.raises(ValueError, match="scoring='r' is not the name of a scorer"):
            forest.fit(X, Y)
        assert not hasattr(forest, "estimators_")
