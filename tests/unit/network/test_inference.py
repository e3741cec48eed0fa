"""GENIE3: against one forest for each target, on every kind of table."""

import os
import signal
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from silvics import ExtraTreesRegressor, RandomForestRegressor
from silvics.network import genie3

N, P = 60, 7
NAMES = [f"g{j}" for j in range(P)]


def expression(seed=0, n=N):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, P))
    X[:, 3] = X[:, 0] + 0.3 * random.normal(size=n)
    X[:, 5] = 5.0 * X[:, 3] * X[:, 1]
    return X


def of_forest(X, target, regulators, **parameters):
    """The importances of a forest that is fitted on the other regulators alone."""
    others = [j for j in regulators if j != target]
    forest = RandomForestRegressor(random_state=3, **parameters).fit(X[:, others], X[:, target])
    importances = np.zeros(X.shape[1])
    importances[others] = forest.importances("mdi").values / X[:, target].var()
    return importances[list(regulators)]


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_features": "sqrt"},
        {"max_features": None, "max_depth": 3},
        {"max_features": 0.5, "min_samples_leaf": 4},
        {"max_features": 3, "min_samples_split": 0.2},
    ],
)
def test_importances_are_those_of_forests(parameters):
    X = expression()
    network = genie3(X, n_estimators=20, random_state=3, **parameters)
    for target in range(P):
        expected = of_forest(X, target, range(P), n_estimators=20, **parameters)
        np.testing.assert_allclose(network.importances[:, target], expected, rtol=1e-12, atol=0)


def test_regulators_and_targets_are_chosen():
    X = expression()
    chosen = {"regulators": [0, 1, 3, 6], "targets": [5, 3]}
    network = genie3(X, **chosen, n_estimators=20, max_features="sqrt", random_state=3)
    assert network.importances.shape == (4, 2)
    for k, target in enumerate(chosen["targets"]):
        expected = of_forest(X, target, chosen["regulators"], n_estimators=20, max_features="sqrt")
        np.testing.assert_allclose(network.importances[:, k], expected, rtol=1e-12, atol=0)
    frame = network.to_frame()
    assert set(zip(frame["regulator"], frame["target"], strict=True)) == {
        (f"x{i}", f"x{j}") for i in chosen["regulators"] for j in chosen["targets"] if i != j
    }
    named = genie3(
        X, [NAMES[j] for j in chosen["regulators"]], ["g5", "g3"], feature_names=NAMES,
        n_estimators=20, max_features="sqrt", random_state=3,
    )  # fmt: skip
    np.testing.assert_array_equal(named.importances, network.importances)
    assert named.targets.tolist() == ["g5", "g3"]


def test_extra_trees_sum_to_the_variance():
    """Fully grown trees on all rows explain all of the variance (Theorem 6.2)."""
    network = genie3(expression(), recipe="extra_trees", n_estimators=10, random_state=0)
    np.testing.assert_allclose(network.importances.sum(axis=0), 1.0, rtol=1e-12)
    X = expression()
    alone = genie3(X, [0, 1], [3], "extra_trees", n_estimators=20, random_state=4)
    forest = ExtraTreesRegressor(20, max_features="sqrt", random_state=4).fit(X[:, :2], X[:, 3])
    expected = forest.importances("mdi").values / X[:, 3].var()
    np.testing.assert_allclose(alone.importances[:, 0], expected, rtol=1e-12)


def test_every_container_gives_the_same_network():
    X = np.round(np.maximum(expression(), 0.0), 2)
    expected = genie3(X, feature_names=NAMES, n_estimators=5, random_state=0)
    annotated = SimpleNamespace(X=X, var_names=NAMES)
    frames = [pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)]
    mixed = pd.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})
    for table in [annotated, *frames, mixed]:
        network = genie3(table, n_estimators=5, random_state=0)
        np.testing.assert_array_equal(network.importances, expected.importances)
        assert network.targets.tolist() == NAMES
    assert isinstance(genie3(frames[1], n_estimators=2).to_frame(), pl.DataFrame)
    for made in (csr_array, lambda X: csr_array(X).tocsc()):
        for recipe in ("random_forest", "extra_trees"):
            dense = genie3(X, [0, 2, 3], None, recipe, n_estimators=5, random_state=0)
            sparse = genie3(made(X), [0, 2, 3], None, recipe, n_estimators=5, random_state=0)
            np.testing.assert_allclose(sparse.importances, dense.importances, rtol=1e-9, atol=1e-12)


def test_regulators_may_be_categories_or_missing():
    X = pd.DataFrame(expression(), columns=NAMES)
    X["batch"] = np.where(X["g4"] > 0, "late", "early")
    X.loc[::3, "g2"] = np.nan
    with pytest.raises(ValueError, match="'batch' are not numbers"):
        genie3(X, n_estimators=3)
    with pytest.raises(ValueError, match="The targets 'g2' have missing values"):
        genie3(X, targets=["g0", "g2"], n_estimators=3)
    network = genie3(X, targets=["g0", "g4"], n_estimators=30, random_state=0)
    assert network.importances.shape == (P + 1, 2)
    strongest = network.importances.argmax(axis=0)
    assert network.regulators[strongest].tolist() == ["g3", "batch"]


def test_constant_and_extreme_targets():
    X = expression()
    X[:, 6] = 4.0
    scaled = X * 2.0 ** np.array([1000, -1000, 0, 0, 0, 0, 0])
    network = genie3(scaled, n_estimators=5, random_state=0)
    expected = genie3(X, n_estimators=5, random_state=0)
    assert not network.importances[:, 6].any()
    np.testing.assert_allclose(network.importances, expected.importances, rtol=1e-9, atol=1e-12)


def test_threads_and_parts_change_nothing(monkeypatch):
    X = expression()
    expected = genie3(X, n_estimators=10, random_state=0, n_jobs=1)
    for n_jobs in (2, 5):
        found = genie3(X, n_estimators=10, random_state=0, n_jobs=n_jobs)
        np.testing.assert_array_equal(found.importances, expected.importances)
    monkeypatch.setattr("silvics.network.inference._MOST_NUMBERS", 2 * N)
    calls = []
    found = genie3(
        X, regulators=[0, 1, 2, 3], n_estimators=10, random_state=0,
        progress=lambda *of: calls.append(of),
    )  # fmt: skip
    whole = genie3(X, regulators=[0, 1, 2, 3], n_estimators=10, random_state=0)
    np.testing.assert_array_equal(found.importances, whole.importances)
    assert {total for _, total in calls} == {P}
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_progress_that_raises_ends_the_work():
    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        genie3(expression(), n_estimators=200, progress=stop)


INTERRUPTED = """
import os, signal, warnings
import numpy as np
from silvics.network import genie3

def stop(done, total):
    if done >= 2:
        os.kill(os.getpid(), signal.SIGINT)

X = np.random.default_rng(0).normal(size=(80, 40))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    network = genie3(X, n_estimators=300, random_state=0, n_jobs=2, progress=stop)
assert network.interrupted and 2 <= len(network.targets) < 40
assert "Interrupted" in str(caught[0].message)
names = [int(name[1:]) for name in network.targets]
again = genie3(X, targets=names, n_estimators=300, random_state=0)
assert (network.importances == again.importances).all()
assert len(network.to_frame()) == 39 * len(names)
print("kept")
"""


@pytest.mark.skipif(not hasattr(os, "kill") or not hasattr(signal, "SIGINT"), reason="no signals")
def test_ctrl_c_keeps_the_finished_targets():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False
    )
    assert done.stdout == "kept\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"recipe": "forest"}, ValueError, "recipe must be one of"),
        ({"regulators": "g0"}, TypeError, "must be a list of columns"),
        ({"regulators": []}, ValueError, "regulators is empty"),
        ({"targets": ["g9"]}, ValueError, "targets has 'g9', which is not a column"),
        ({"targets": [7]}, ValueError, "the table has 7 columns"),
        ({"targets": [-1]}, ValueError, "the table has 7 columns"),
        ({"targets": [1, "g1"]}, ValueError, "'g1' more than once"),
        ({"targets": [1.5]}, TypeError, "names or numbers of columns"),
        ({"targets": [True]}, TypeError, "names or numbers of columns"),
        ({"regulators": [2], "targets": [1, 2]}, ValueError, "'g2' is the only regulator"),
        ({"n_estimators": 0}, ValueError, "n_estimators"),
        ({"max_features": "square"}, ValueError, "max_features"),
        ({"feature_names": ["a"]}, ValueError, "feature_names has 1 names"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, text):
    parameters = {"feature_names": NAMES, "n_estimators": 2} | arguments
    with pytest.raises(error, match=text):
        genie3(expression(), **parameters)


@pytest.mark.parametrize("table", [np.zeros((0, 3)), np.zeros(5), [[1.0, np.inf]] * 5, "text"])
def test_bad_tables_are_refused(table):
    with pytest.raises((ValueError, TypeError)):
        genie3(table, n_estimators=2)


def test_verbose_prints_targets(capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        genie3(expression(), n_estimators=2, verbose=1, n_jobs=1)
    assert "7 of 7 targets" in capfd.readouterr().err
