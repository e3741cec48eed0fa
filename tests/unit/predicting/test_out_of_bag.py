"""Out-of-bag estimates: each row judged by the trees that did not draw it."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score

from silvics import RandomForestClassifier

from ..kinds import FORESTS, name_of, problem

forests = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


def grown(kind, y, **parameters):
    X, _ = problem()
    parameters = {"n_estimators": 60, "oob_score": True, **parameters}
    return kind(random_state=0, bootstrap=True, **parameters).fit(X, y)


def out_of_bag_by_hand(forest):
    """Mean of what the trees say that have not drawn the row; thesis 4.4.1."""
    X, _ = problem()
    say = "predict_proba" if forest._classification else "predict"
    said = np.array([getattr(tree, say)(X) for tree in forest])
    out = np.ones((len(forest), len(X)), dtype=bool)
    for m, rows in enumerate(forest.estimators_samples_):
        out[m, rows] = False
    out = out.reshape(*out.shape, *[1] * (said.ndim - 2))
    return (said * out).sum(axis=0) / out.sum(axis=0)


@forests
def test_estimates_are_those_of_trees_that_did_not_see_the_row(kind):
    _, y = problem()
    forest = grown(kind, y)
    expected = out_of_bag_by_hand(forest)
    if forest._classification:
        np.testing.assert_allclose(forest.oob_decision_function_, expected, rtol=1e-12)
        predicted = forest.classes_[expected.argmax(axis=1)]
        assert forest.oob_score_ == accuracy_score(y, predicted)
    else:
        np.testing.assert_allclose(forest.oob_prediction_, expected, rtol=1e-12)
        assert forest.oob_score_ == pytest.approx(r2_score(y, expected), rel=1e-12)


@forests
def test_any_score(kind):
    _, y = problem()
    if kind._classification:

        def score(y_true, y_pred):
            return f1_score(y_true, y_pred, average="macro")

        forest = grown(kind, y, oob_score=score)
        predicted = forest.oob_decision_function_.argmax(axis=1)
        encoded = np.searchsorted(forest.classes_, y)
        assert forest.oob_score_ == score(encoded, predicted)
    else:
        forest = grown(kind, y, oob_score=mean_absolute_error)
        assert forest.oob_score_ == mean_absolute_error(y, forest.oob_prediction_)


@forests
def test_several_outputs(kind):
    _, y = problem(n_outputs=2)
    y = (y > 1).astype(int)
    forest = grown(kind, y)
    if kind._classification:
        assert forest.oob_decision_function_.shape == (60, 2, 2)
        np.testing.assert_allclose(forest.oob_decision_function_.sum(axis=1), 1.0)
    else:
        assert forest.oob_prediction_.shape == (60, 2)
    assert -1.0 <= forest.oob_score_ <= 1.0


@forests
def test_too_few_trees_give_a_warning(kind):
    _, y = problem()
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        grown(kind, y, n_estimators=1)


@forests
def test_warm_start_judges_by_all_trees(kind):
    X, y = problem()
    warm = grown(kind, y, n_estimators=30, warm_start=True)
    warm.set_params(n_estimators=60).fit(X, y)
    assert warm.oob_score_ == grown(kind, y).oob_score_


@forests
def test_no_score_unless_asked_for(kind):
    _, y = problem()
    assert not hasattr(grown(kind, y, oob_score=False), "oob_score_")


@forests
def test_rows_drawn(kind):
    _, y = problem()
    forest = grown(kind, y, max_samples=20, n_estimators=30)
    drawn = forest.estimators_samples_
    assert [len(rows) for rows in drawn] == [20] * 30
    for rows, tree in zip(drawn, forest, strict=True):
        assert tree.tree_.n_node_samples[0] == len(set(rows))
        assert tree.tree_.weighted_n_node_samples[0] == 20
    assert len({rows.tobytes() for rows in drawn}) == 30


@forests
def test_rows_without_an_out_of_bag_tree_are_left_out_of_the_score(kind):
    _, y = problem()
    with pytest.warns(UserWarning, match="oob_score_ ignores these rows"):
        forest = grown(kind, y, n_estimators=2)
    out = np.ones((2, len(y)), dtype=bool)
    for rows, of_tree in zip(forest.estimators_samples_, out, strict=True):
        of_tree[rows] = False
    known = out.any(axis=0)
    assert 0 < known.sum() < len(y)
    if kind._classification:
        values = forest.oob_decision_function_
        assert forest.oob_score_ == np.mean(values.argmax(axis=1)[known] == y[known])
        np.testing.assert_array_equal(np.isnan(values).any(axis=1), ~known)
    else:
        values = forest.oob_prediction_
        assert forest.oob_score_ == r2_score(y[known], values[known])
        np.testing.assert_array_equal(np.isnan(values), ~known)


@forests
def test_no_row_out_of_bag_gives_no_score(kind):
    _, y = problem()
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        forest = grown(kind, y, n_estimators=1, max_samples=100 * len(y))
    assert np.isnan(forest.oob_score_)


def test_outputs_of_several_classes_have_scores():
    X, numbers = problem()
    y = np.stack(
        [numbers > 0, np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))], axis=1
    ).astype(int)
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    shares = forest.oob_decision_function_
    assert shares.shape == (len(y), 3, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares[:, 2, 0] == 0).all()
    assert forest.oob_score_ == np.mean((shares.argmax(axis=1) == y).all(axis=1))
    for k in range(2):
        np.testing.assert_allclose(
            shares[:, : len(forest.classes_[k]), k],
            np.stack(
                [
                    np.mean(
                        [
                            tree.predict_proba(X[[i]])[k][0]
                            for tree, rows in zip(forest, forest.estimators_samples_, strict=True)
                            if i not in rows
                        ],
                        axis=0,
                    )
                    for i in range(len(y))
                ]
            ),
        )
