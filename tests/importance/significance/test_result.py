"""Adjusted p-values, frames, plots and text of every test."""

import pickle
import re

import matplotlib as mpl
import numpy as np
import pytest

from silvics import RandomForestClassifier
from silvics.importance.significance.permutation_tests import permutation_test
from silvics.importance.significance.result import step_down

from .small_tests import (
    FRAME,
    LIBRARIES,
    METHODS,
    NAMES,
    SETTINGS,
    WEIGHTS,
    P,
    X,
    Y,
    each_method,
    made,
    rng,
    same,
    small,
)

mpl.use("Agg")
from matplotlib import pyplot

# ---- many p-values


def test_benjamini_hochberg_and_holm_by_hand():
    p = np.array([0.04, 0.001, 0.03, 0.5, 0.005])
    fdr, holm = np.empty(5), np.empty(5)
    order = sorted(range(5), key=lambda j: p[j])
    for rank, j in enumerate(order):
        fdr[j] = min(p[i] * 5 / (r + 1) for r, i in enumerate(order) if r >= rank)
        holm[j] = min(1, max(p[i] * (5 - r) for r, i in enumerate(order) if r <= rank))
    found = made(p)
    assert found.adjusted() == pytest.approx(fdr)
    assert found.adjusted("family") == pytest.approx(holm)
    assert found.adjusted(None) == pytest.approx(p)
    assert found.selected(0.05).tolist() == ["x1", "x4", "x2", "x0"]
    assert found.selected(0.05, "family").tolist() == ["x1", "x4"]
    assert found.mask(0.01, None).tolist() == [False, True, False, False, True]


def test_unknown_p_values_are_left_out():
    found = made([0.01, np.nan, 0.03])
    assert found.adjusted() == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)
    assert found.mask().tolist() == [True, False, True]
    assert found.to_frame()["variable"].tolist() == ["x0", "x2", "x1"]


def test_step_down_by_brute_force():
    null = rng.normal(size=(19, 4)) * [1, 5, 1, 1] + [0, 2, 0, 0]
    observed = np.array([3.0, 8, 0.1, 1.5])
    pooled = np.vstack([observed, null])
    z = (pooled - pooled.mean(axis=0)) / pooled.std(axis=0)
    left, expected, before = list(range(4)), np.empty(4), 0
    while left:
        j = max(left, key=lambda j: z[0, j])
        count = sum(max(draw[i] for i in left) >= z[0, j] for draw in z[1:])
        before = expected[j] = max(before, (1 + count) / 20)
        left.remove(j)
    assert step_down(observed, null) == pytest.approx(expected)
    found = made([0.1, 0.1, 0.5, 0.2], observed, null=null, _sort="joint")
    assert found.adjusted("family") == pytest.approx(expected)
    assert found.adjusted("fdr") == pytest.approx([0.2, 0.2, 0.5, 4 / 15])


def test_how_false_a_list_is():
    null = np.array([[0.1, 0.5, 0.2], [0.3, 0.1, 0.7]])
    found = made([0.1] * 3, [0.6, 0.2, 0.65], null=null, _sort="joint")
    # as large as 0.65: one of two draws has one; as 0.6: one; as 0.2: four
    raw = {0.65: 0.5 / 1, 0.6: 0.5 / 2, 0.2: (4 / 2) / 3}
    expected = [0.25, raw[0.2], 0.25]
    assert found.fdr_of_list() == pytest.approx(expected)
    with pytest.raises(ValueError, match="no importances under the null hypothesis"):
        made([0.1, 0.2]).fdr_of_list()


# ---- what comes out


@each_method
def test_threads_and_seeds(method):
    test = METHODS[method]
    one = test(small(), X, Y, random_state=1, n_jobs=1)
    assert same(one, test(small(), X, Y, random_state=1, n_jobs=2))
    assert same(one, test(small(random_state=9), X, Y, random_state=1))
    other = test(small(), X, Y, random_state=2)
    assert not (one.importances == other.importances).all()


@each_method
def test_the_estimator_stays_as_it_is(method):
    forest = RandomForestClassifier(8, random_state=0, warm_start=True, oob_score=False)
    forest.fit(X, Y)
    parameters, digest = forest.get_params(), forest.digest()
    table, y = X.copy(), Y.copy()
    found = METHODS[method](forest, table, y, random_state=1)
    assert forest.get_params() == parameters
    assert forest.digest() == digest
    assert (table == X).all()
    assert (y == Y).all()
    assert same(found, METHODS[method](RandomForestClassifier(8), X, Y, random_state=1))


@each_method
def test_progress_is_told_and_may_interrupt(method):
    calls = []
    METHODS[method](small(), X, Y, random_state=1, progress=lambda *told: calls.append(told))
    done, totals = zip(*calls, strict=True)
    assert done == tuple(range(1, len(calls) + 1))
    assert len(set(totals)) == 1
    assert done[-1] <= totals[0]

    def interrupt(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        METHODS[method](small(), X, Y, random_state=1, progress=interrupt)


@each_method
@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_come_back_in_their_library(method, library):
    table = LIBRARIES[library]({name: X[:, j] for j, name in enumerate(NAMES)})
    found = METHODS[method](small(), table, Y, random_state=1)
    plain = METHODS[method](small(), X, Y, random_state=1)
    assert found.names.tolist() == NAMES
    assert np.array_equal(found.p_values, plain.p_values, equal_nan=True)
    frame = found.to_frame()
    assert type(frame) is type(table)
    columns = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert columns[:4] == ["variable", "importance", "p_value", "adjusted_p_value"]
    assert "q_value" in columns
    assert ("decision" in columns) == (method == "boruta")
    assert ("list_fdr" in columns) == (method in ("permutations", "contrasts"))


@each_method
@pytest.mark.parametrize(
    "given", [["kind", "code"], [0, 2], [True, False, True]], ids=["names", "places", "mask"]
)
def test_categories_however_they_are_told(method, given):
    found = METHODS[method](small(categorical_features=given), FRAME, Y, random_state=1)
    mask = small(categorical_features=[True, False, True])
    assert same(found, METHODS[method](mask, FRAME, Y, random_state=1))
    assert found.names[found.importances.argmax()] == "kind"


@each_method
@pytest.mark.parametrize("name", ["sparse", "holes", "two outputs", "weights", "numbers"])
def test_any_table_and_output(method, name):
    forest, table, y, settings = SETTINGS[name]
    found = METHODS[method](forest, table, y, random_state=1, **settings)
    assert found.importances[0] > 2 * found.importances[[3, 4]].max()
    dense = table.toarray() if name == "sparse" else table
    assert same(found, METHODS[method](forest, dense, y, random_state=1, **settings))


def test_a_frame_is_ordered_by_p_value_then_importance():
    found = made([0.5, 0.1, 0.1, np.nan], [1, 2, 3, 4])
    frame = found.to_frame()
    assert frame["variable"].tolist() == ["x2", "x1", "x0", "x3"]
    assert frame["q_value"].tolist()[:3] == pytest.approx([0.15, 0.15, 0.5])


@each_method
def test_it_is_told_in_words_drawn_and_kept(method):
    found = METHODS[method](small(), X, Y, random_state=1)
    text = repr(found)
    assert len(text.splitlines()) <= 25
    assert "x0" in text
    ax = found.plot().ax_
    assert len(ax.patches) == P
    assert ax.patches[0].get_width() == pytest.approx(found.importances.max())
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == found.names[np.argsort(-found.importances)].tolist()
    pyplot.close("all")
    assert same(pickle.loads(pickle.dumps(found)), found)


def test_words():
    found = made([0.001, 0.8, 0.9])
    assert "1 of 3 variables selected at a false discovery rate of 0.05: x0" in repr(found)
    rates = made([0.01, 0.01, np.nan], _sort="family", level=0.1)
    assert "2 of 3 variables selected at a family-wise error rate of 0.1: x0, x1" in repr(rates)
    null = np.column_stack([np.linspace(0, 1, 30)] * 3)
    few = made([1 / 31, 0.4, 0.5], [9, 0.6, 0.5], null=null, _least=1 / 31)
    assert "use more draws" in repr(few)
    enough = made([1 / 31, 0.4, 0.5], [9, 0.6, 0.5], null=null, _least=1 / 31, _sort="joint")
    assert "1 of 3 variables selected at a family-wise error rate of 0.05: x0" in repr(enough)
    too_few = made([1 / 3, 1, 1], [9, 0.6, 0.5], null=null[:2], _least=1 / 3, _sort="joint")
    assert "use more draws" in repr(too_few)
    many = made(np.linspace(0, 1, 40))
    assert re.search(r"\.\.\. and 25 more$", repr(many))
    decided = made(
        [0.1] * 3, decision=np.array(["confirmed", "rejected", "rejected"], dtype=object)
    )
    assert "3 variables: 1 confirmed, 0 tentative, 2 rejected" in repr(decided)


def test_selected_bars_have_another_colour_and_chance_a_mark():
    null = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    found = made([0.001, 0.9], [3, 1], null=null)
    ax = found.plot(level=0.5, how=None).ax_
    colors = [patch.get_facecolor() for patch in ax.patches]
    assert colors[0] != colors[1]
    assert ax.lines[0].get_xdata() == pytest.approx([0.3, 0.4])
    assert len(found.plot(top=1, ax=pyplot.figure().add_subplot()).ax_.patches) == 1
    dollars = made([0.5])
    dollars.names[0] = "a$b$c"
    dollars.plot().figure_.canvas.draw()
    pyplot.close("all")


class Told(RandomForestClassifier):
    """Remembers what it was asked, and answers something else."""

    asked: list = []  # noqa: RUF012

    def importances(self, kind="mdi", X=None, y=None, **settings):
        Told.asked.append((kind, X, y, settings))
        return super().importances(feature_groups=settings["feature_groups"])


@pytest.mark.filterwarnings("ignore:.*misses weak variables")
@pytest.mark.parametrize("kind", ["mdi", "mda", "mdi_oob", "ufi", "mda_tree", "air"])
def test_each_kind_is_asked_what_it_takes(kind):
    Told.asked.clear()
    permutation_test(
        Told(3), X, Y, kind=kind, n_permutations=2, sample_weight=WEIGHTS, random_state=0
    )
    assert len(Told.asked) == 3
    for asked, table, y, settings in Told.asked:
        assert asked == kind
        assert ("random_state" in settings) == (kind != "mdi")
        assert ("sample_weight" in settings) == (kind == "air")
        assert (table is None) == (y is None) == (kind == "mdi")
    if kind != "mdi":
        outputs = [y for _, _, y, _ in Told.asked]
        assert (outputs[0] == Y).all()
        assert not (outputs[1] == Y).all()
