"""Kinds of importances where they can go wrong: odd rows, odd forests, odd questions."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from silvics import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ForestClassifier,
    ForestRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)

from . import plain_importances as plain
from .small_forests import BY_ROWS, CLASSES, HOLES, NAMES, NUMBERS, WEIGHTS, N, X, asked, grown

# ---- What noise would get

LOOKS_AT_Y = {
    "best first": {"max_leaf_nodes": 6},
    "least decrease": {"min_impurity_decrease": 0.02},
    "pruned": {"ccp_alpha": 0.02},
    "monotonic": {"monotonic_cst": [1, 0, 0, -1]},
    "balanced": {"class_weight": "balanced"},
    "class weights": {"class_weight": {"ash": 1, "oak": 5}},
    "class weights, drawn": {"class_weight": {"ash": 1, "oak": 5}, "bootstrap": True},
    "balanced in each tree": {"class_weight": "balanced_subsample", "bootstrap": True},
    "more than one variable": {"max_features": 2},
    "leaves of two": {"min_samples_leaf": 2},
}


@pytest.mark.parametrize("name", LOOKS_AT_Y)
def test_splits_that_look_at_y(name):
    chosen = {"max_features": 1, **LOOKS_AT_Y[name]}
    forest = ExtraTreesClassifier(4, random_state=0, **chosen).fit(X, CLASSES)
    with pytest.raises(ValueError, match="exact"):
        forest.importances("mdi", X, CLASSES, null="exact")
    words = repr(forest.importances("mdi", X, CLASSES, null="auto", random_state=0))
    assert "permutations of Y at each node" not in words


@pytest.mark.parametrize("chosen", [{"pruning": "pessimistic"}, {"pruning": "reduced_error"},
                                    {"cut": "best"}, {"cut": "pair"}, {"honest": True},
                                    {"choice": "near_best"}])  # fmt: skip
def test_recipes_that_look_at_y(chosen):
    forest = ForestClassifier("totally_randomized", n_estimators=4, random_state=0, **chosen)
    forest = forest.fit(X, CLASSES)
    with pytest.raises(ValueError, match="exact"):
        forest.importances("mdi", X, CLASSES, null="exact")


def test_missing_values_that_go_where_it_is_better():
    left = []
    for seed in range(60):
        draw = np.random.default_rng(seed)
        table = draw.normal(size=(60, 2))
        table[draw.random(table.shape) < 0.3] = np.nan
        y = draw.integers(0, 2, 60)
        forest = ExtraTreesClassifier(10, max_features=1, random_state=seed).fit(table, y)
        try:
            left.append(forest.importances("mdi", table, y, null="exact").corrected)
        except ValueError as error:
            assert "exact" in str(error)  # noqa: PT017
            return
    errors = np.std(left, axis=0, ddof=1) / np.sqrt(60)
    assert (np.abs(np.mean(left, axis=0)) < 4 * errors).all()


def test_entropy_of_unequal_rows():
    for chosen, weights in (({"bootstrap": True}, None), ({}, WEIGHTS)):
        forest = ExtraTreesClassifier(
            4, max_features=1, criterion="entropy", random_state=0, **chosen
        ).fit(X, CLASSES, weights)
        with pytest.raises(ValueError, match="rows of equal weight"):
            forest.importances("mdi", X, CLASSES, null="exact")


def test_noise_needs_rows():
    with pytest.raises(ValueError, match="keep_samples=True"):
        grown().importances("mdi", null="held_out")
    with pytest.raises(ValueError, match="null must be one of"):
        grown().importances("mdi", X, CLASSES, null="some")
    with pytest.raises(ValueError, match="null="):
        grown().importances("mdi_oob", X, CLASSES, null="held_out")
    with pytest.raises(ValueError, match="n_repeats"):
        grown().importances("mdi", X, CLASSES, null="permuted", n_repeats=0)


# ---- Values of nodes that are not means of their rows


@pytest.mark.parametrize("forest", [
    RandomForestRegressor(4, monotonic_cst=[1, 0, -1, 0], random_state=0),
    RandomForestClassifier(4, monotonic_cst=[1, 0, -1, 0], random_state=0),
    ForestRegressor("random_forest", honest=True, n_estimators=4, random_state=0),
    ForestClassifier("denil_2013", n_estimators=4, random_state=0),
    ForestRegressor("purely_random", n_estimators=4, random_state=0),
    ForestRegressor("random_forest", missing="both", n_estimators=4, random_state=0),
])  # fmt: skip
def test_parts_add_up(forest):
    is_classes = "Classifier" in type(forest).__name__
    y = CLASSES if is_classes else NUMBERS
    forest = clone(forest).fit(HOLES, y)
    found = forest.importances("mdi", HOLES, y, by="class" if is_classes else "output")
    parts = found.by_class if is_classes else found.by_output
    assert found.total > 0
    assert parts.sum(axis=1) == pytest.approx(found.values)


def test_rows_held_out_of_monotonic_trees():
    forest = RandomForestRegressor(4, monotonic_cst=[1, 0, -1, 0], random_state=0)
    forest = forest.fit(X, NUMBERS)
    found = forest.importances("mdi", X, NUMBERS, null="held_out")
    assert found.corrected == pytest.approx(forest.importances("ufi", X, NUMBERS).values)


@pytest.mark.parametrize("y", [CLASSES, NUMBERS])
def test_honest_trees_by_the_rows_that_fill_them(y):
    is_classes = y is CLASSES
    kind = ForestClassifier if is_classes else ForestRegressor
    forest = kind("random_forest", honest=True, n_estimators=4, random_state=0).fit(X, y)
    whole = plain.outputs_of(forest, y)[0]
    leaves = forest.apply(X)
    expected = np.zeros((4, X.shape[1]))
    for m, (one, bag) in enumerate(
        zip(plain.trees_of(forest), plain.in_bag(forest, y), strict=True)
    ):
        # What nodes predict, and what they weigh, is of the rows that fill them.
        values = one.tree.value.reshape(len(one.tree.feature), -1)
        weights = one.tree.weighted_n_node_samples
        out = bag == 0
        at = one.rows(leaves[:, m])
        base = 0 if is_classes else values[0]
        for t in one.inner:
            for c in one.children[t]:
                if weights[c] == 0 or weights[t] == 0:
                    continue
                rows = at[c][out[at[c]]]
                part = ((values[c] - values[t]) * (whole[rows] - base)).sum() / out.sum()
                for j, share in one.variables(t):
                    expected[m, j] += share * part
    found = forest.importances("mdi_oob", X, y).replicates
    assert found == pytest.approx(expected, abs=1e-9)
    assert forest.importances("local", X).local == pytest.approx(plain.local(forest, X))


# ---- Nodes with one child

ONE_CHILD = """
import numpy as np
from silvics import ForestClassifier
rows = np.arange(300.0)
X = np.column_stack([np.zeros(300), rows % 7, rows % 5])
y = np.arange(300) % 100
forest = ForestClassifier("totally_randomized_multiway", n_estimators=20, max_depth=1,
                          random_state=0).fit(X, y)
assert {len(tree.tree_.children(0)) for tree in forest.estimators_} == {1, 5, 7}
for _ in range(20):
    found = forest.importances("surrogate", X, y)
assert found.values[0] == 0, found.values
assert (found.values[1:] > 0).all(), found.values
"""


def test_surrogates_of_nodes_with_one_child():
    run = subprocess.run([sys.executable, "-c", ONE_CHILD], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


# ---- Large and small numbers


@pytest.mark.parametrize("kind", ["mdi", *BY_ROWS, "local"])
@pytest.mark.parametrize("scale", [2.0**440, 2.0**-440, 2.0**20])
def test_outputs_of_another_unit(kind, scale):
    values = []
    for y in (NUMBERS, NUMBERS * scale):
        forest = RandomForestRegressor(3, max_depth=4, random_state=0).fit(X, y)
        rows = {"mdi": (), "local": (X,)}.get(kind, (X, y))
        seed = {"random_state": 0} if kind == "mda_tree" else {}
        found = forest.importances(kind, *rows, **seed)
        values.append(found.values)
        assert np.isfinite(found.std).all()
        assert np.isfinite(found.standard_errors).all()
    assert values[1] / scale / scale == pytest.approx(values[0], rel=1e-12)


@pytest.mark.parametrize("null", ["exact", "held_out", "permuted"])
def test_noise_in_another_unit(null):
    nulls = []
    for scale in (1.0, 2.0**440):
        forest = ExtraTreesRegressor(3, max_features=1, bootstrap=True, random_state=0)
        forest = forest.fit(X, NUMBERS * scale)
        found = forest.importances("mdi", X, NUMBERS * scale, null=null, random_state=0)
        nulls.append(found.null / scale / scale)
    assert nulls[1] == pytest.approx(nulls[0], rel=1e-12)


def test_absolute_errors_of_very_large_outputs():
    for kind, rows in (("mdi", ()), ("local", (X,))):
        values = []
        for scale in (1.0, 2.0**660):  # 5e198
            forest = RandomForestRegressor(3, criterion="absolute_error", random_state=0)
            values.append(forest.fit(X, NUMBERS * scale).importances(kind, *rows).values / scale)
        assert values[1] == pytest.approx(values[0], rel=1e-12)


@pytest.mark.parametrize("kind", ["mdi", *BY_ROWS, "local"])
def test_outputs_far_from_zero(kind):
    near = np.round(NUMBERS * 16) / 16
    values = []
    for shift in (0.0, 1e9):
        y = near + shift  # exactly
        forest = RandomForestRegressor(3, max_depth=4, random_state=0).fit(X, y)
        rows = {"mdi": (), "local": (X,)}.get(kind, (X, y))
        seed = {"random_state": 0} if kind == "mda_tree" else {}
        values.append(forest.importances(kind, *rows, **seed).values)
    assert values[1] == pytest.approx(values[0], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("kind", BY_ROWS)
@pytest.mark.parametrize("scale", [2.0**900, 2.0**-900])
def test_weights_of_another_unit(kind, scale):
    values = []
    for weights in (WEIGHTS, WEIGHTS * scale):
        forest = ForestRegressor(
            "random_forest", rows="subsample", max_samples=0.6, n_estimators=3, random_state=0
        ).fit(X, NUMBERS, weights)
        values.append(asked(forest, kind, y=NUMBERS).values)
    assert values[1] == pytest.approx(values[0], rel=1e-12)


def test_ties_of_surrogates_in_any_unit():
    weights = np.array([7.0, 1.0, 7.0, 7.0, 8.0, 3.0])
    table = np.column_stack([[1.0, 1, 0, 0, 0, 1], [3.0, 1, 2, 4, 5, 0]])
    y = np.array([0, 1, 0, 0, 1, 0])
    values = []
    for unit in (1, 10):  # of weights / 10 the sums are rounded
        forest = ForestClassifier(
            "extra_trees", n_estimators=1, max_depth=1, max_features=1, random_state=4
        ).fit(table, y, weights / unit)
        assert forest.estimators_[0].tree_.feature[0] == 0
        values.append(forest.importances("surrogate", table, y).values)
    assert values[1] == pytest.approx(values[0])


# ---- Small forests and plain outputs


@pytest.mark.parametrize("kind", [*BY_ROWS, "mdi", "local"])
def test_one_output_for_all(kind):
    y = np.zeros(N, dtype=int)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    rows = {"mdi": (), "local": (X,)}.get(kind, (X, y))
    found = forest.importances(kind, *rows)
    assert (found.values == 0).all()
    assert found.total == 0
    assert "x0 0 0" in " ".join(repr(found).split())
    if kind == "surrogate":
        assert len(found.redundancy()) == 0
    if kind == "mdi":
        noise = forest.importances("mdi", X, y, null="held_out")
        assert (noise.null == 0).all()
        assert (noise.null_share == 0).all()


@pytest.mark.parametrize("kind", BY_ROWS)
def test_one_tree(kind):
    forest = RandomForestClassifier(1, random_state=0).fit(X, CLASSES)
    found = asked(forest, kind)
    assert len(found.replicates) == 1
    assert np.isnan(found.standard_errors).all()
    with pytest.raises(ValueError, match="two trees"):
        found.interval()
    assert "mean of 1 trees" in repr(found)


# ---- Threads, interrupts, frames


@pytest.mark.parametrize("kind", [*BY_ROWS, "local", "mdi"])
def test_any_number_of_threads(kind):
    frame = pd.DataFrame(HOLES, columns=NAMES).assign(e=np.where(X[:, 1] > 2, "u", "v"))
    forest = RandomForestClassifier(9, random_state=0).fit(frame, CLASSES)
    rows = (frame,) if kind == "local" else (frame, CLASSES)
    seed = {"random_state": 0} if kind == "mda_tree" else {}
    if kind == "mdi":
        seed = {"null": "held_out"}
    one, two = (forest.importances(kind, *rows, n_jobs=n, **seed) for n in (1, 2))
    assert one.replicates.tobytes() == two.replicates.tobytes()
    if kind == "mdi":
        assert one.null.tobytes() == two.null.tobytes()
    if kind == "surrogate":
        pd.testing.assert_frame_equal(one.redundancy(), two.redundancy())


@pytest.mark.parametrize("kind", [*BY_ROWS, "local", "mdi"])
def test_an_interrupt(kind):
    forest = grown()
    before = forest.digest()

    def stop(done, total):
        raise KeyboardInterrupt

    rows = (X,) if kind == "local" else (X, CLASSES)
    more = {"null": "permuted"} if kind == "mdi" else {}
    with pytest.raises(KeyboardInterrupt):
        forest.importances(kind, *rows, progress=stop, **more)
    assert forest.digest() == before
    assert len(forest.importances(kind, *rows).values) == 4


def test_progress_of_noise():
    for null, total in (("permuted", 3), ("held_out", 4)):
        told = []
        more = {"n_repeats": 3} if null == "permuted" else {}
        grown().importances(
            "mdi", X, CLASSES, null=null,
            progress=lambda done, total, told=told: told.append((done, total)), **more,
        )  # fmt: skip
        assert told[-1] == (total, total)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries(library):
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    table = pl.DataFrame(columns) if library == "polars" else pa.table(columns)
    kind_of_frame = pl.DataFrame if library == "polars" else pa.Table
    forest = RandomForestClassifier(4, random_state=0).fit(table, CLASSES)
    arrays = grown()
    for kind in BY_ROWS:
        found = asked(forest, kind, table)
        assert (found.values == asked(arrays, kind).values).all()
        frame = found.to_frame()
        assert isinstance(frame, kind_of_frame)
        best = NAMES[found.values.argmax()]
        assert (frame["variable"].to_pylist() if library == "pyarrow" else list(frame["variable"]))[
            0
        ] == best
    assert isinstance(forest.importances("surrogate", table, CLASSES).redundancy(2), kind_of_frame)
    local = forest.importances("local", table)
    assert (local.local == arrays.importances("local", X).local).all()
    noise = forest.importances("mdi", table, CLASSES, null="held_out", by="class").to_frame()
    names = noise.column_names if library == "pyarrow" else noise.columns
    assert list(names)[4:] == ["null", "corrected", "null_share", "class ash", "class oak"]


# ---- Questions that mean nothing


@pytest.mark.parametrize(
    ("kind", "asks", "message"),
    [
        ("surrogate", {"feature_groups": [[0, 1]]}, "feature_groups="),
        ("surrogate", {"by": "class"}, "by="),
        ("surrogate", {"min_samples": 3}, "min_samples="),
        ("mdi_oob", {"normalize": True}, "normalize="),
        ("mdi_oob", {"by": "degree"}, "by="),
        ("ufi", {"loss": "error"}, "loss="),
        ("ufi", {"sample_weight": WEIGHTS}, "sample_weight="),
        ("mda_tree", {"min_samples": 3}, "min_samples="),
        ("mda_tree", {"loss": "squared_error"}, "loss must be"),
        ("mda_tree", {"n_repeats": 0}, "n_repeats"),
        ("mda_tree", {"by": "class", "loss": lambda y, says: 0.0}, "given by name"),
        ("mdi_oob", {"min_samples": -1}, "min_samples"),
        ("mdi_oob", {"feature_groups": [[0, 9]]}, "out of range"),
        ("ufi", {"feature_groups": {"a": [0], "b": [0]}}, "listed twice"),
        ("ufi", {"feature_groups": {"a": []}}, "no variable"),
        ("mdi", {"by": "half"}, "by="),
        ("oob", {}, "kind must be one of"),
        (None, {}, "kind must be one of"),
    ],
)
def test_questions_that_mean_nothing(kind, asks, message):
    with pytest.raises(ValueError, match=message):
        grown().importances(kind, X, CLASSES, **asks)


def test_more_questions_that_mean_nothing():
    with pytest.raises(ValueError, match="y="):
        grown().importances("local", X, CLASSES)
    with pytest.raises(ValueError, match="needs X"):
        grown().importances("local")
    with pytest.raises(ValueError, match="by="):
        grown().importances("local", X, by="class")
    of_numbers = RandomForestRegressor(3, random_state=0).fit(X, NUMBERS)
    for kind in ("mdi", "mdi_oob", "ufi", "mda_tree"):
        with pytest.raises(ValueError, match='by="class"'):
            of_numbers.importances(kind, X, NUMBERS, by="class")
    for kind in ("mdi", "mdi_oob", "ufi"):
        with pytest.raises(ValueError, match=r"redundancy\(\) needs"):
            grown().importances(kind, X, CLASSES).redundancy()
    two = np.column_stack([CLASSES, CLASSES])
    of_two = RandomForestClassifier(3, random_state=0).fit(X, two)
    with pytest.raises(ValueError, match="a single output"):
        of_two.importances("mda_tree", X, two, by="class")
    for level in (0, 1.5, "a"):
        with pytest.raises((ValueError, TypeError), match="level"):
            asked(grown(), "ufi").interval(level)
    with pytest.raises((ValueError, TypeError), match="n_resamples"):
        asked(grown(), "ufi").interval(n_resamples=0)


@pytest.mark.parametrize("forest", [IsolationForest(), RandomTreesEmbedding(5)])
def test_forests_without_y(forest):
    forest = clone(forest).fit(X)
    assert forest.importances().total > 0
    for kind in ("mda", "mda_tree", "mdi_oob", "ufi", "surrogate"):
        with pytest.raises(ValueError, match="is fitted without y"):
            forest.importances(kind, X, NUMBERS)
    with pytest.raises(TypeError, match="that predicts y"):
        forest.importances("air", X, NUMBERS)
    with pytest.raises((ValueError, TypeError), match=r"without y|that predicts y"):
        forest.importances("mdi", X, NUMBERS, null="auto")
