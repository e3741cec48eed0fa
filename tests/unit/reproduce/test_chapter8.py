"""Findings of chapter 8 at the scale of tests: most hold, and none for altered numbers."""

import numpy as np
import polars as pl
import pytest

from silvics.reproduce.chapter8.experiment import Measured, design_of, divisions, measured
from silvics.reproduce.chapter8.methods import METHODS, patches, points_of
from silvics.reproduce.registry import items
from silvics.reproduce.running import reproduce
from silvics.reproduce.settings import MissingData, Settings

from .altered import failed, found_of, outcome_with

ITEMS = [item.id for item in items().values() if item.chapter == 8]
LARGE = {"table-8.4", "table-8.5", "figure-8.2", "table-8.6"}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Tables with the names of larger data sets, of few rows and columns."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    for name, labels in (("mnist", "34589"), ("isolet1", "ab"), ("arcene", "xy")):
        y = rng.choice(list(labels), 260)
        X = rng.normal(size=(260, 12))
        X[:, :3] += 2.0 * np.unique(y, return_inverse=True)[1][:, np.newaxis]
        table = {f"a{j}": X[:, j] for j in range(12)} | {"target": y}
        pl.DataFrame(table).write_parquet(folder / f"{name}.parquet")
    return folder


@pytest.fixture
def folder_of(data):
    return lambda name: data if name in LARGE else None


@pytest.mark.parametrize("name", ITEMS)
def test_items_run_and_are_drawn(name, folder_of):
    found = found_of(name, folder_of(name))
    assert found.rows
    assert found.statements
    assert len(failed(found)) < len(found.statements) or name == "table-8.4"
    if found.panels:
        pyplot = pytest.importorskip("matplotlib.pyplot")
        found.plot()
        pyplot.close("all")


def other_size(ours):
    ours["p"]["WAVEFORM"] = 40


def equivalent(ours):
    ours["friedman"]["p"] = 0.5


def no_difference(ours):
    ours["rank"]["RF"], ours["rank"]["ET"] = ours["rank"]["ET"], ours["rank"]["RF"]


def bad_patches(ours):
    ours["rank"]["RP-ET"] = 99.0


def other_accuracy(ours):
    ours["whole"] = True
    ours["accuracy"]["RING-NORM"]["RF"] = 50.0


def lost(ours):
    ours["wins"]["P-ET"]["RP-DT"], ours["wins"]["RP-DT"]["P-ET"] = [0, 0, 3], [3, 0, 0]


def not_antisymmetric(ours):
    ours["wins"]["RF"]["ET"] = [3, 0, 0]
    ours["wins"]["ET"]["RF"] = [3, 0, 0]


def everything_is_best(ours):
    for of in ours["surface"]["DT"].values():
        of[-1][-1] = 100.0


def always_rows(ours):
    half = ours["grid"].index(0.5)
    for of in ours["surface"]["ET"].values():
        of[half][-1] = 100.0


def large_patches(ours):
    for of_case in ours.values():
        for of in of_case.values():
            for shape in of.values():
                shape |= {"size": 0.9, "budget": 0.9}


def bad_at_low_budgets(ours):
    for curves in ours["curves"].values():
        curves["RP-ET"]["accuracy"] = [0.0] * len(curves["RP-ET"]["accuracy"])


ALTERED = {
    "table-8.1": [other_size],
    "table-8.2": [equivalent, no_difference, bad_patches, other_accuracy],
    "figure-8.1": [equivalent, no_difference, bad_patches],
    "table-8.3": [lost, not_antisymmetric],
    "table-8.5": [bad_patches],
    "figure-8.2": [bad_patches],
    "table-8.6": [not_antisymmetric],
    "figure-8.3": [everything_is_best, always_rows],
    "figure-8.4": [large_patches],
    "figure-8.5": [bad_at_low_budgets],
}


@pytest.mark.parametrize(("name", "change"), [(n, c) for n, cs in ALTERED.items() for c in cs])
def test_findings_do_not_hold_for_other_numbers(name, change, folder_of):
    before = failed(outcome_with(name, lambda ours: None, folder_of(name)))
    assert set(failed(outcome_with(name, change, folder_of(name)))) > set(before)


def test_larger_data_sets_need_a_folder():
    with pytest.raises(MissingData, match=r"isolet1\.parquet"):
        reproduce("table-8.5", Settings("tiny"))


def test_divisions_are_halves_and_quarters_without_common_rows():
    design = design_of(Settings("small"))
    for parts in divisions(400, design, 0):
        assert [len(part) for part in parts] == [200, 100, 100]
        assert len(np.unique(np.concatenate(parts))) == 400
    capped = divisions(5000, design, 0)
    assert len(np.concatenate(capped[0])) == 800
    assert not np.array_equal(capped[0][0], capped[1][0])


def test_grids_of_methods():
    grid = (0.1, 0.5, 1.0)
    assert points_of("P-DT", grid) == [(0.1, 1.0), (0.5, 1.0), (1.0, 1.0)]
    assert points_of("RS-ET", grid) == [(1.0, 0.1), (1.0, 0.5), (1.0, 1.0)]
    assert len(points_of("RP-DT", grid)) == 9
    paper = design_of(Settings("paper"))
    assert paper.grid == (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert (paper.n_trees, paper.n_trees_of_large, paper.n_divisions) == (250, 100, 50)


def test_the_forests_are_those_of_random_patches():
    from silvics import RandomPatchesClassifier

    X = np.random.default_rng(0).normal(size=(200, 6))
    y = (X[:, 0] > 0).astype(int)
    for tree, recipe in (("DT", "cart"), ("ET", "extra_trees")):
        ours = patches(tree, 0.3, 0.5, n_estimators=4, random_state=0).fit(X, y)
        theirs = RandomPatchesClassifier(
            recipe, 4, max_samples=0.3, max_columns=0.5, random_state=0
        )
        assert ours.digest() == theirs.fit(X, y).digest()


def test_methods_are_tuned_on_the_validation_part():
    scores = {("ET", s, f): np.zeros((2, 2)) for s in (0.5, 1.0) for f in (0.5, 1.0)}
    scores["ET", 0.5, 1.0][0] = [0.9, 0.1]
    scores["ET", 1.0, 0.5][1] = [0.8, 0.7]
    scores["ET", 0.5, 0.5][:] = [0.8, 0.6]
    one = Measured("x", True, (0.5, 1.0), scores)
    assert one.test("RP-ET").tolist() == [10.0, 60.0]  # the smaller of equally good patches
    assert one.test("P-ET").tolist() == [10.0, 0.0]
    assert one.test("RP-ET", 0.25).tolist() == [60.0, 60.0]
    assert one.points("RS-ET", 0.25) == []


def test_the_experiment_is_run_once(monkeypatch):
    found = measured("small", Settings("tiny"))
    assert measured("small", Settings("tiny")) is found
    assert set(METHODS) == set(found_of("table-8.2").ours["rank"])
