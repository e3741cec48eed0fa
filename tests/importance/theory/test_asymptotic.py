"""Options that are wrong, and tables with many variables or rows."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from silvics.importance import (
    asymptotic_importances,
    copies,
    masking,
    null_information,
    redundant,
    relevance,
)

from .small_tables import HANG, X, Y, rng, run_apart

# ---- options


@pytest.mark.parametrize("option", ["K", "depth", "subspace", "n_trees"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "2", True, [1], np.float64(2), None])
def test_no_number(option, value):
    if value is None and option in ("depth", "subspace"):
        value = 0
    error = ValueError if value in (0, -1) and value is not False else TypeError
    with pytest.raises(error, match=f"{option} must be"):
        asymptotic_importances(X, Y, **{option: value})


@pytest.mark.parametrize("option", ["K", "subspace"])
def test_more_than_all_variables(option):
    with pytest.raises(ValueError, match=f"{option} must be .* at most 3, the number of variables"):
        asymptotic_importances(X, Y, **{option: 4})


@pytest.mark.parametrize("options", [{}, {"K": 2}, {"splits": "extra"}, {"splits": "encoded"}])
@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_any_depth_is_deep_enough(options, method):
    options = options | {"method": method, "n_trees": 20, "random_state": 0}
    found = asymptotic_importances(X, Y, depth=10**30, **options)
    np.testing.assert_array_equal(
        found.importances, asymptotic_importances(X, Y, **options).importances
    )


@pytest.mark.parametrize("option", ["criterion", "splits", "constant_features", "method"])
@pytest.mark.parametrize("value", ["foo", "Entropy", None, 1, ["entropy"]])
def test_no_word(option, value):
    with pytest.raises((ValueError, TypeError), match=f"{option} must be"):
        asymptotic_importances(X, Y, **{option: value})


@pytest.mark.parametrize("criterion", ["foo", None])
def test_no_criterion(criterion):
    match = "criterion must be one of"
    for function in (masking, relevance):
        with pytest.raises(ValueError, match=match):
            function(X, Y, criterion=criterion)
    with pytest.raises(ValueError, match=match):
        copies(X, Y, 0, criterion=criterion)
    with pytest.raises(ValueError, match=match):
        null_information(X[:, 0], Y, criterion=criterion)
    for y in (None, Y):
        with pytest.raises(ValueError, match=match):
            redundant(X[:, 0], X[:, 1], y, criterion=criterion)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": "encoded", "K": 2}, 'splits="extra"'),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_jobs": 1.5}, "n_jobs must"),
        ({"n_jobs": "a"}, "n_jobs must"),
        ({"method": "sampled", "random_state": -1}, "[Ss]eed"),
        ({"method": "sampled", "random_state": "a"}, "seed"),
        ({"progress": 1}, "callable"),
        ({"subspace": 2, "method": "sampled"}, "sampled"),
    ],
    ids=str,
)
def test_no_option(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        asymptotic_importances(X, Y, **options)


def test_too_many_trees():
    code = """
for n_trees in (10**12, 2**63, 10**30):
    try: asymptotic_importances(bits(9, 2), bits(9), method="sampled", n_trees=n_trees)
    except (ValueError, TypeError, MemoryError) as error: print(str(error).replace("\\n", " "))
"""
    told = (run_apart(code) or "").splitlines()
    assert len(told) == 3
    assert all("n_trees" in line for line in told)
    assert not any("incompatible function arguments" in line for line in told)


@pytest.mark.parametrize("top", [-1, 1.5, "3"])
def test_no_top(top):
    with pytest.raises((ValueError, TypeError), match="top must be"):
        asymptotic_importances(X, Y).by_context(top=top)
    with pytest.raises((ValueError, TypeError), match="top must be"):
        masking(X, Y).pairs(top=top)


@pytest.mark.parametrize("K", [0, 4, 1.5, "3"])
def test_no_K_of_pairs(K):
    with pytest.raises((ValueError, TypeError), match="K must be"):
        masking(X, Y).pairs(K=K)


@pytest.mark.parametrize("max_size", [-1, 1.5, "2"])
def test_no_max_size(max_size):
    with pytest.raises((ValueError, TypeError), match="max_size must"):
        relevance(X, Y, max_size=max_size)


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, "a", None])
def test_no_tolerance(tolerance):
    with pytest.raises((ValueError, TypeError), match="tolerance must"):
        relevance(X, Y, tolerance=tolerance)
    with pytest.raises((ValueError, TypeError), match="tolerance must"):
        redundant(X[:, 0], X[:, 0], tolerance=tolerance)


# ---- many variables, many rows


@pytest.mark.parametrize("p", [30, 100, 1500])
def test_many_variables_are_sampled(p):
    table, y = rng.integers(0, 2, (40, p)), rng.integers(0, 2, 40)
    with pytest.warns(UserWarning, match="mean of 8 sampled trees") as caught:
        found = asymptotic_importances(table, y, n_trees=8, random_state=0)
    assert caught[0].filename == __file__
    assert not found.exact
    assert found.n_trees == 8
    assert found.total == pytest.approx(found.impurity)  # all rows are different
    again = asymptotic_importances(table, y, n_trees=8, random_state=0, method="sampled")
    np.testing.assert_array_equal(found.by_degree, again.by_degree)


@pytest.mark.parametrize("p", [30, 100])
@pytest.mark.parametrize("depth", [1, 2])
def test_many_variables_and_few_tests_are_exact(p, depth):
    table, y = rng.integers(0, 2, (40, p)), rng.integers(0, 2, 40)
    found = asymptotic_importances(table, y, depth=depth, method="exact")
    assert found.exact
    few = asymptotic_importances(table, y, depth=1)
    np.testing.assert_allclose(found.by_degree[:, 0], few.importances, rtol=1e-9)


def test_too_many_variables_to_be_exact():
    code = """
for p in (30, 100, 1500):
    for n_rows in (8, 200):
        try: asymptotic_importances(bits(n_rows, p), bits(n_rows), method="exact")
        except ValueError as error: print(str(error).replace("\\n", " "))
"""
    told = run_apart(code)
    assert told is not None, "it did not end"
    assert [('method="sampled"' in line) for line in told.splitlines()] == [True] * 6


def test_too_many_variables_for_all_sets():
    table, y = rng.integers(0, 2, (40, 30)), rng.integers(0, 2, 40)
    with pytest.raises(ValueError, match="max_size"):
        relevance(table, y)
    assert relevance(table, y, max_size=1).max_size == 1
    with pytest.raises(ValueError, match="24"):
        copies(table, y, 0)
    with pytest.raises(ValueError, match="24"):
        redundant(table[:, 0], table[:, 1], y, given=table[:, 2:])


def test_too_many_subspaces():
    table, y = rng.integers(0, 2, (20, 40)), rng.integers(0, 2, 20)
    with pytest.raises(ValueError, match="depth=5"):
        asymptotic_importances(table, y, subspace=5)


@pytest.mark.parametrize("splits", ["extra", "best"])
def test_many_values_are_no_danger(splits):
    """A split for each of 60,000 gaps: what is below them must not all be kept."""
    code = f"""
found = asymptotic_importances(rng.random((20_000, 3)), bits(20_000), splits="{splits}", n_trees=2)
print(found.total)
"""
    told = run_apart(code)
    assert told is not None, "it did not end"
    assert float(told.strip().splitlines()[-1]) > 0.9


def test_many_distinct_rows():
    table = rng.integers(0, 60, (50_000, 3))
    y = rng.integers(0, 2, 50_000)
    found = asymptotic_importances(table, y, K=2)
    assert found.exact
    assert found.total == pytest.approx(asymptotic_importances(table, y).total)


def test_many_rows():
    found = asymptotic_importances(rng.integers(0, 2, (300_000, 8)), np.arange(300_000) % 2)
    assert found.exact
    assert 0 < found.total < 0.01


CASES = {
    "sets": "asymptotic_importances(rng.integers(0, 4, (9999, 22)), bits(9999), method='exact')",
    "nodes": "masking(rng.integers(0, 4, (20_000, 12)), bits(20_000), method='exact')",
    "trees": "asymptotic_importances(bits(999, 90), bits(999), method='sampled', n_trees=10**6)",
}


@pytest.mark.parametrize("case", CASES)
def test_interrupt(case):
    setup = (
        "import numpy as np; from silvics.importance import *; rng = np.random.default_rng(0)\n"
        "def bits(*shape): return rng.integers(0, 2, shape)\n"
        "print('go', flush=True)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", setup + CASES[case]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        run.stdout.readline()
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=HANG)
    finally:
        run.kill()
        run.wait()
    assert told.strip().splitlines()[-1] == "KeyboardInterrupt"
