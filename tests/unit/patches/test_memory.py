"""The memory of the process and of the machine."""

import sys
from types import SimpleNamespace

from silvics import RandomPatchesRegressor, scan
from silvics.patches import memory

from .scanned_tables import table, write_parts


def test_the_memory_of_this_process():
    assert 10**7 < memory.used() < 10**11
    assert memory.available() > 10**6


def test_memory_that_pyarrow_keeps_is_released_after_each_pass(monkeypatch, tmp_path):
    pattern, passes = write_parts(table(300).drop(columns=["kind", "w"]), tmp_path), []
    monkeypatch.setattr(memory, "release", lambda: passes.append(True))
    forest = RandomPatchesRegressor(n_estimators=2, random_state=0).fit(scan(pattern), "price")
    assert len(passes) >= forest.n_passes_


def test_release_asks_pyarrow_only_if_it_is_used(monkeypatch):
    asked = []
    pool = SimpleNamespace(release_unused=lambda: asked.append(True))
    monkeypatch.setitem(sys.modules, "pyarrow", SimpleNamespace(default_memory_pool=lambda: pool))
    memory.release()
    assert asked == [True]
    monkeypatch.delitem(sys.modules, "pyarrow")
    memory.release()
    assert "pyarrow" not in sys.modules
