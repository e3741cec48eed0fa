"""Tuned selection and elimination, against plain loops."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import KFold, cross_val_score

from silvics import (
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.importance.selection.elimination import SelectByElimination, SelectTuned

from .selectors import CLASSES, FRAME, NUMBERS, WEIGHTS, N, X, forest, libraries, names_of

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
