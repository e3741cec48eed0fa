"""Growth ends when the out-of-bag score no longer improves."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

import silvics
from silvics import (
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from ..kinds import problem

X, LABELS = problem(n_rows=300)
RNG = np.random.default_rng(0)
Y = X[:, 0] * 2 + X[:, 1] ** 2 + RNG.normal(size=len(X)) / 2
TWO = np.stack([LABELS, LABELS % 2], axis=1)

CASES = [
    (RandomForestRegressor, Y, {}),
    (RandomForestClassifier, LABELS, {}),
    (RandomForestClassifier, TWO, {"max_depth": 4}),
    (RandomForestRegressor, np.stack([Y, 100 * Y**2], axis=1), {}),
    (ExtraTreesRegressor, Y, {"bootstrap": True}),
    (ForestRegressor, Y, {"rows": "subsample", "max_samples": 0.5, "max_depth": 5}),
    (ForestClassifier, LABELS, {"vote": "majority"}),
    (RandomForestClassifier, LABELS, {"ccp_alpha": 0.01, "class_weight": "balanced"}),
]


def score_by_hand(forest, y, n_trees):
    """Compute the score of the first trees from the predictions of single trees."""
    y = np.asarray(y).reshape(len(X), -1)
    out = (forest.in_bag_counts() == 0)[:, :n_trees]
    known = out.any(axis=1)
    scores = []
    for k in range(y.shape[1]):
        whole = 0.0
        for m, tree in enumerate(forest.estimators_[:n_trees]):
            if forest._classification:
                each = tree.predict_proba(X)
                each = each[k] if y.shape[1] > 1 else each
                if getattr(forest, "vote", None) == "majority":
                    each = np.eye(each.shape[1])[each.argmax(axis=1)]
            else:
                each = tree.predict(X).reshape(len(X), -1)[:, [k]]
            whole = whole + each * out[:, [m]]
        means = whole[known] / out[known].sum(axis=1, keepdims=True)
        if forest._classification:
            right = y[known, k][:, None] == np.unique(y[:, k])
            scores.append(-np.mean(((means - right) ** 2).sum(axis=1)))
        else:
            scores.append(r2_score(y[known, k], means[:, 0]))
    return np.mean(scores)


def expected_end(scores, patience, tol):
    for n in range(patience + 1, len(scores) + 1):
        if max(scores[n - patience : n]) <= scores[n - patience - 1] + tol:
            return n
    return len(scores)


@pytest.mark.parametrize(("kind", "y", "settings"), CASES)
def test_growth_ends_where_the_rule_says(kind, y, settings):
    settings = {"n_estimators": 60, "random_state": 1} | settings
    whole = kind(**settings).fit(X, y)
    scores = [score_by_hand(whole, y, n) for n in range(1, 61)]
    for patience, tol in [(3, 0.0), (5, 1e-3), (8, 1e-2), (60, 0.0)]:
        rule = {"early_stopping": True, "n_iter_no_change": patience, "tol": tol}
        n = expected_end(scores, patience, tol)
        for n_jobs in (1, 2):
            stopped = kind(n_jobs=n_jobs, **settings, **rule).fit(X, y)
            assert len(stopped) == n
            assert (stopped.stopped_ is None) == (n == 60)
        assert stopped.digest() == kind(**settings | {"n_estimators": n}).fit(X, y).digest()


def test_warm_start_keeps_the_same_trees():
    rule = {"early_stopping": True, "n_iter_no_change": 5, "tol": 1e-3, "random_state": 0}
    at_once = RandomForestRegressor(300, **rule).fit(X, Y)
    assert 6 < len(at_once) < 300
    assert at_once.stopped_ == "the out-of-bag score has not improved in 5 trees"
    for first in (3, len(at_once) - 1, 300):
        grown = RandomForestRegressor(first, warm_start=True, **rule).fit(X, Y)
        grown.set_params(n_estimators=301).fit(X, Y)
        assert grown.digest() == at_once.digest()
        assert grown.stopped_ == at_once.stopped_
    grown.set_params(early_stopping=False, n_estimators=len(at_once) + 7).fit(X, Y)
    assert len(grown) == len(at_once) + 7
    assert grown.stopped_ is None


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
def test_a_score_of_ones_own():
    calls = []

    def score(y, predicted):
        calls.append(len(y))
        return min(len(calls), 12)  # improves for twelve trees

    forest = RandomForestClassifier(100, early_stopping=True, n_iter_no_change=4, oob_score=score)
    assert len(forest.fit(X, LABELS)) == 16
    assert set(np.unique(calls[-1:])) <= {len(X), calls[-1]}


def test_what_follows_is_that_of_the_kept_trees(tmp_path):
    settings = {"oob_score": True, "keep_samples": True, "random_state": 0}
    stopped = RandomForestClassifier(200, early_stopping=True, tol=1e-3, **settings).fit(X, LABELS)
    same = RandomForestClassifier(len(stopped), **settings).fit(X, LABELS)
    assert stopped.oob_score_ == same.oob_score_
    assert len(stopped.oob_curve().scores) == len(stopped)
    stopped.save(tmp_path / "forest")
    loaded = silvics.load(tmp_path / "forest")
    assert loaded.stopped_ == stopped.stopped_
    assert loaded.get_params() == stopped.get_params()


def test_with_budgets():
    rule = {"early_stopping": True, "n_iter_no_change": 5, "tol": 1e-3, "random_state": 0}
    alone = RandomForestRegressor(300, **rule).fit(X, Y)
    limited = RandomForestRegressor(300, max_time=1e6, max_memory="1 TB", **rule)
    assert limited.fit(X, Y).digest() == alone.digest()


def test_a_constant_output_stops_at_once():
    forest = RandomForestRegressor(100, early_stopping=True, random_state=0).fit(X, np.ones(300))
    assert len(forest) == 11


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestRegressor(bootstrap=False, early_stopping=True),
        ForestRegressor("extra_trees", early_stopping=True),
    ],
)
def test_trees_that_use_all_rows_cannot_be_stopped(forest):
    with pytest.raises(ValueError, match="early_stopping=True needs out-of-bag rows"):
        forest.fit(X, Y)
    assert not hasattr(forest, "estimators_")


@pytest.mark.parametrize("classification", [True, False])
def test_rows_of_weight_zero_do_not_count(classification):
    kind, y = (RandomForestClassifier, LABELS) if classification else (RandomForestRegressor, Y)
    weights = np.ones(len(X))
    weights[200:] = 0.0
    spoilt = np.where(weights > 0, y, y[::-1])  # what rows without weight have for an output
    settings = {
        "n_estimators": 60,
        "early_stopping": True,
        "n_iter_no_change": 5,
        "random_state": 1,
    }
    found, other = (kind(**settings).fit(X, of, sample_weight=weights) for of in (y, spoilt))
    assert len(found) == len(other)
    assert found.digest() == other.digest()


def score_as_reported(forest, y, n_trees, score):
    """The score of the first trees, from their predictions of rows that are out of bag."""
    first = type(forest)(**forest.get_params() | {"n_estimators": n_trees, "oob_score": score})
    return first.fit(X, y).oob_score_


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize(
    ("kind", "y", "score", "targets"),
    [
        (ForestClassifier, LABELS, True, (0.5, 0.8)),
        (ForestClassifier, TWO, True, (0.5, 0.7)),
        (ForestRegressor, Y, True, (0.2, 0.6)),
        (ForestRegressor, Y, lambda y, p: -np.mean(np.abs(y - p)), (-1.0, -0.6)),
    ],
)
def test_growth_ends_at_the_target_score(kind, y, score, targets):
    """The rule of OpenCV: the first tree at which oob_score_ is good enough is the last."""
    settings = {"random_state": 2, "max_depth": 6}
    forest = kind("random_forest", 12, **settings)
    scores = [score_as_reported(forest, y, n, score) for n in range(1, 13)]
    given = {"oob_score": score} if callable(score) else {}
    for target in (*targets, max(scores), max(scores) + 1e-9):
        expected = next((n for n, s in enumerate(scores, start=1) if s >= target), 12)
        for n_jobs in (1, 2):
            rule = {"target_score": target, "n_jobs": n_jobs, **given}
            stopped = kind("random_forest", 12, **settings, **rule).fit(X, y)
            assert len(stopped) == expected
            assert (stopped.stopped_ is None) == (expected == 12)
        whole = kind("random_forest", expected, **settings).fit(X, y)
        assert stopped.digest() == whole.digest()


def test_target_score_with_patience_and_warm_start():
    settings = {"random_state": 0, "target_score": 0.99}
    both = ForestClassifier(n_estimators=60, early_stopping=True, n_iter_no_change=3, **settings)
    alone = ForestClassifier(n_estimators=60, early_stopping=True, n_iter_no_change=3)
    noise = RNG.integers(0, 2, len(X))
    both.fit(X, noise)
    assert "not improved" in both.stopped_
    assert len(both) == len(alone.set_params(random_state=0).fit(X, noise))
    forest = ForestRegressor(n_estimators=4, random_state=0, warm_start=True).fit(X, Y)
    forest.set_params(n_estimators=30, target_score=0.5).fit(X, Y)
    assert "target_score=0.5" in forest.stopped_
    whole = ForestRegressor(n_estimators=30, random_state=0, target_score=0.5).fit(X, Y)
    assert len(forest) == max(len(whole), 4)
    with pytest.raises(ValueError, match="target_score needs out-of-bag rows"):
        ForestRegressor("cart", target_score=0.5).fit(X, Y)


# ---- scoring


def mean_error(model, rows, y):
    return -float(np.abs(model.predict(rows) - y).mean())


BY_SCORING = [
    (RandomForestClassifier, np.array(["no", "yes"])[(LABELS > 0).astype(int)], "roc_auc"),
    (RandomForestClassifier, LABELS, "neg_log_loss"),
    (RandomForestClassifier, LABELS, "accuracy"),
    (ForestClassifier, LABELS, "roc_auc_ovr"),
    (RandomForestRegressor, Y, "neg_mean_absolute_error"),
    (RandomForestRegressor, np.stack([Y, Y**2], axis=1), "r2"),
    (RandomForestRegressor, Y, mean_error),
]


@pytest.mark.filterwarnings("ignore:.*rows are in bag in all trees")
@pytest.mark.parametrize(("kind", "y", "scoring"), BY_SCORING)
def test_growth_ends_by_scoring(kind, y, scoring):
    settings = {"n_estimators": 40, "random_state": 1, "max_depth": 5}
    whole = kind(**settings, keep_samples=True).fit(X, y)
    scores = whole.oob_curve(scoring=scoring, n_trees=list(range(1, 41))).scores
    assert np.isfinite(scores).all()
    ends = set()
    for patience, tol in [(2, 0.0), (4, 1e-3), (40, 0.0)]:
        rule = {"early_stopping": True, "n_iter_no_change": patience, "tol": tol}
        stopped = kind(**settings, **rule, scoring=scoring).fit(X, y)
        assert len(stopped) == expected_end(list(scores), patience, tol)
        ends.add(len(stopped))
    assert len(ends) > 1
    target = float(np.max(scores[1:]))
    first = 1 + int(np.argmax(scores >= target))
    if kind is ForestClassifier:
        reached = kind(**settings, target_score=target, scoring=scoring).fit(X, y)
        assert len(reached) == first
        assert "target_score" in reached.stopped_


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_scoring_comes_before_oob_score():
    rule = {"n_estimators": 60, "early_stopping": True, "n_iter_no_change": 3, "random_state": 0}
    constant = RandomForestRegressor(**rule, oob_score=lambda y, predicted: 0.0)
    assert len(constant.fit(X, Y)) == 4
    constant.set_params(scoring="r2").fit(X, Y)
    assert len(constant) == len(RandomForestRegressor(**rule).fit(X, Y)) > 4


@pytest.mark.parametrize("early", [{"early_stopping": True}, {"target_score": 0.9}], ids=str)
def test_scoring_that_fails(early):
    def fails(model, rows, y):
        raise ZeroDivisionError("no division today")

    for scoring, error, words in [
        ("no_such_scorer", ValueError, "'no_such_scorer' is not the name of a scorer"),
        ("roc_au", ValueError, "Did you mean 'roc_auc'"),
        (fails, ZeroDivisionError, "no division today"),
        (lambda model, rows, y: np.nan, ValueError, "returned NaN for"),
        (lambda model, rows, y: "high", TypeError, "must return a number"),
    ]:
        forest = ForestClassifier(n_estimators=20, scoring=scoring, random_state=0, **early)
        with pytest.raises(error, match=words):
            forest.fit(X, LABELS)
        assert not hasattr(forest, "estimators_")
    # Without a use, it is not looked at.
    assert len(ForestClassifier(n_estimators=3, scoring="no_such_scorer").fit(X, LABELS)) == 3


def test_no_score_before_all_classes_are_out_of_bag():
    """A row of a class of its own has no area under the curve before it is out of bag."""
    rare = np.zeros(len(X), dtype=int)
    rare[17] = 1
    rule = {"early_stopping": True, "n_iter_no_change": 1, "scoring": "roc_auc", "tol": 1.0}
    found = set()
    for seed in range(6):
        forest = RandomForestClassifier(40, random_state=seed, **rule).fit(X, rare)
        out = np.flatnonzero(forest.in_bag_counts()[17] == 0)
        assert len(forest) == out[0] + 2
        found.add(len(forest))
    assert max(found) > 3


def test_no_score_before_any_row_is_out_of_bag():
    """Growth does not end while rows have no score at all, or lack a class."""
    labels, rule = np.array([0, 0, 1]), {"early_stopping": True, "n_iter_no_change": 2}
    for seed in range(40):
        forest = RandomForestClassifier(50, scoring="roc_auc", random_state=seed, **rule)
        try:
            forest.fit([[0.0], [1.0], [2.0]], labels)
        except ValueError:  # a replicate has no class but one
            continue
        out = forest.in_bag_counts() == 0
        scored = [set(labels[out[:, : m + 1].any(axis=1)]) == {0, 1} for m in range(len(forest))]
        assert len(forest) >= scored.index(True) + 3


def test_tuned_forests_stop_by_scoring():
    rule = {"early_stopping": True, "n_iter_no_change": 3, "random_state": 0, "max_depth": 4}
    grid = {"max_features": [1, 3]}
    tuned = RandomForestClassifier(60, tune=grid, scoring="accuracy", **rule).fit(X, LABELS)
    chosen = tuned.best_params_
    by_accuracy = RandomForestClassifier(60, scoring="accuracy", **rule).set_params(**chosen)
    assert len(tuned) == len(by_accuracy.fit(X, LABELS)) < 60
    assert tuned.digest() == by_accuracy.digest()
    assert len(tuned) != len(RandomForestClassifier(60, **rule).set_params(**chosen).fit(X, LABELS))
