"""Patches fill the memory budget and no more; what does not fit is refused with what would."""

import re
from dataclasses import replace

import numpy as np
import pytest

from silvics import RandomPatchesRegressor, scan
from silvics.patches import memory, plan
from silvics.patches.plan import PatchSize, planned

from .scanned_tables import table

SIZE = PatchSize(n_rows=100_000, n_columns=20, row_bytes=168, source_row_bytes=400)
MB = 10**6


@pytest.fixture(autouse=True)
def a_process_of_200_mb(monkeypatch):
    monkeypatch.setattr(memory, "used", lambda: 200 * MB)
    monkeypatch.setattr(memory, "available", lambda: 2000 * MB)


def test_more_memory_means_fewer_passes():
    passes = [planned(SIZE, 100, 2, budget * MB, 100).n_passes for budget in (400, 800, 3000)]
    assert passes == sorted(passes, reverse=True)
    assert passes[-1] == 1
    for budget in (400, 800):
        chosen = planned(SIZE, 100, 2, budget * MB, 100)
        assert chosen.trees_per_pass * chosen.n_passes >= 100
        used = chosen.trees_per_pass * SIZE.patch_bytes + chosen.n_jobs * SIZE.growth_bytes
        assert used + 200 * MB < budget * MB
    assert planned(SIZE, 100, 2, None, 100).n_passes == 2  # half of the free memory
    assert planned(SIZE, 100, 2, None, 4).trees_per_pass == 4


def test_batches_are_larger_under_a_larger_budget():
    """They are a small part of it, and no larger than what saves time."""
    read = [planned(SIZE, 100, 2, budget * MB, 100).batch_rows for budget in (400, 1000, 3000)]
    assert read[0] < read[1] < read[2]
    assert read[2] == planned(SIZE, 100, 2, 9000 * MB, 100).batch_rows
    for rows, budget in zip(read, (400, 1000, 3000), strict=True):
        assert 4 * rows * SIZE.source_row_bytes <= max((budget - 200) * MB / 12, 24 << 20)


def test_buffers_of_files_count():
    """Each column of a Parquet file has a buffer and a decoded page; their memory is planned."""
    plain = planned(SIZE, 1, 1, 1000 * MB, 1)
    size = replace(SIZE, buffer_bytes=100 * MB)
    per_pass = [planned(of, 10**4, 1, 1000 * MB, 10**4).trees_per_pass for of in (SIZE, size)]
    lost = 100 * MB / SIZE.patch_bytes
    assert lost - 2 <= per_pass[0] - per_pass[1] <= lost + 2
    assert planned(size, 1, 1, 1000 * MB, 1) == plain  # batches are as large


def test_fewer_threads_rather_than_no_room_for_a_patch():
    assert planned(SIZE, 100, 8, 400 * MB, 100).n_jobs < 8


def test_a_patch_that_does_not_fit_is_refused_with_one_that_does():
    with pytest.raises(ValueError, match=r"Set max_samples=\d+") as raised:
        planned(SIZE, 10, 1, 260 * MB, 10)
    rows = int(re.search(r"max_samples=(\d+)", str(raised.value))[1])
    assert rows > 10_000
    planned(PatchSize(rows, 20, 168, 400), 10, 1, 260 * MB, 10)
    with pytest.raises(ValueError, match="already uses 200 MB"):
        planned(SIZE, 10, 1, 150 * MB, 10)


def test_trees_that_will_not_fit_are_refused():
    plan.check_forest(10 * MB, 1, 50, 1000 * MB)
    with pytest.raises(ValueError, match="50 trees would take 5 GB"):
        plan.check_forest(100 * MB, 1, 50, 1000 * MB)


def test_an_estimator_refuses_before_it_reads_the_rows():
    forest = RandomPatchesRegressor(max_memory="100MB", n_estimators=3)
    with pytest.raises(ValueError, match="too small"):
        forest.fit(scan(table(100)[["x0", "price"]]), "price")


def test_fewer_rows_are_drawn_if_the_usual_patches_and_their_trees_would_not_fit():
    X = np.zeros((40_000, 10))
    X[:, 0] = np.arange(40_000) % 7
    y = X[:, 0]

    def rows(**settings):
        made = RandomPatchesRegressor(n_estimators=2, random_state=0, max_depth=2, **settings)
        return made.fit(scan(X), y).max_samples_

    assert rows() == rows(max_memory="2GB") == 10_000
    few = plan.rows_in_budget(5, 1, 2, 1, None, 210 * MB)
    assert few == 0.4 * 210 * MB // (44 * 2) // 2
    assert plan.rows_in_budget(5, 1, 2, 1, 100, 210 * MB) == 210 * MB // (2 * (5 * 14 + 120 + 16))
    assert plan.rows_in_budget(5, 1, 2, 10, None, 210 * MB) > few


def test_later_passes_fill_fewer_patches_when_trees_take_memory(monkeypatch):
    """The memory of the process grows with the trees, and the plan of each pass sees it."""
    X = table(400).drop(columns=["kind", "w"])
    plain = RandomPatchesRegressor(n_estimators=12, random_state=0).fit(scan(X), "price")
    plans, now = [], [200 * MB]
    whole, planned_again = plan.planned, []

    def recorded(size, n_trees, *given, **more):
        large = PatchSize(10**6 // 20, 20, 400, size.source_row_bytes)  # 20 MB
        chosen = whole(large, n_trees, *given, **more)
        plans.append(chosen.trees_per_pass)
        planned_again.append(more["at_least_one"])
        now[0] += 60 * MB
        return chosen

    monkeypatch.setattr(plan, "planned", recorded)
    monkeypatch.setattr(memory, "used", lambda: now[0])
    forest = RandomPatchesRegressor(n_estimators=12, max_memory="400MB", random_state=0)
    forest.set_params(max_samples=0.25).fit(scan(X), "price")
    assert sum(plans) >= 12
    assert plans == sorted(plans, reverse=True)
    assert plans[0] > 1
    assert plans[-1] == 1  # although none fits any more
    assert planned_again == [False] + [True] * (len(plans) - 1)
    assert forest.digest() == plain.digest()
    assert forest.n_passes_ >= len(plans)
