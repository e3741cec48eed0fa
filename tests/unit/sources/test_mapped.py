"""Arrays in mapped files are read in pieces, whose memory is released."""

import numpy as np
import pytest

from silvics import RandomPatchesClassifier, scan
from silvics._sources.mapped import mapping_of, release
from silvics._sources.scanning import is_mapped


def resident_pages(path):
    """Bytes of the mappings of a file that are in memory."""
    found, inside = 0, False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            if "-" in line.split()[0]:
                inside = str(path) in line
            elif inside and line.startswith("Rss:"):
                found += int(line.split()[1]) * 1024
    return found


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40_000, 50)))
    return tmp_path / "x.npy"


def test_which_arrays_are_mapped(path):
    X = np.load(path, mmap_mode="r")
    assert is_mapped(X)
    assert is_mapped(X[::2, 3:])
    assert is_mapped(np.asarray(X))
    assert not is_mapped(X + 1)
    assert not is_mapped(np.zeros((3, 2)))
    assert not is_mapped(X[0])
    assert mapping_of(np.frombuffer(bytearray(80))) is None


def test_pages_are_released_unless_changes_would_be_lost(path):
    X = np.load(path, mmap_mode="r")
    X.sum()
    assert resident_pages(path) >= X.nbytes // 2
    release(X[5:])
    assert resident_pages(path) < 10**6
    changed = np.load(path, mmap_mode="c")
    changed[:] = 3.0
    release(changed)
    assert changed.sum() == 3.0 * changed.size


def test_a_small_patch_of_a_mapped_table_costs_what_it_has(path):
    X = np.load(path, mmap_mode="r")
    y = np.arange(len(X)) % 2
    made = RandomPatchesClassifier(n_estimators=3, max_samples=100, random_state=0)
    forest = made.fit(X, y)
    assert resident_pages(path) < 10**6
    expected = RandomPatchesClassifier(n_estimators=3, max_samples=100, random_state=0)
    assert forest.digest() == expected.fit(np.array(X), y).digest()
    assert forest.digest() == made.fit(scan(path), y).digest()
    view = X[::2, ::5]
    assert made.fit(view, y[::2]).digest() == expected.fit(np.array(view), y[::2]).digest()
