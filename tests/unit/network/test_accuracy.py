"""Areas under curves, against their definitions, and gold standards of every form."""

import numpy as np
import pandas as pd
import pytest

from silvics.network import genie3

EDGES = [("x0", "x1"), ("x2", "x4"), ("x3", "x0")]


@pytest.fixture(scope="module")
def network():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 6))
    X[:, 1] += 2.0 * X[:, 0]
    X[:, 4] -= X[:, 2]
    return genie3(X, n_estimators=20, random_state=0)


def areas(network, edges):
    """Of the definitions: shares of pairs that are in order; means of precisions at the edges."""
    frame = network.to_frame()
    hits = np.array([pair in edges for pair in zip(frame.regulator, frame.target, strict=True)])
    values = frame.importance.to_numpy()
    above = values[hits][:, np.newaxis] - values[~hits]
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return precision[hits].mean(), ((above > 0) + 0.5 * (above == 0)).mean()


def test_areas_are_those_of_the_definitions(network):
    accuracy = network.accuracy(EDGES)
    aupr, auroc = areas(network, EDGES)
    assert accuracy.aupr == pytest.approx(aupr, rel=1e-12)
    assert accuracy.auroc == pytest.approx(auroc, rel=1e-12)
    assert (accuracy.n_edges, accuracy.n_pairs) == (3, 30)
    assert accuracy.density == 0.1
    frame = accuracy.to_frame()
    assert (np.diff(frame["recall"]) >= 0).all()
    assert frame["recall"].iloc[-1] == 1.0


def test_forms_of_gold_standards(network):
    expected = network.accuracy(EDGES).aupr
    frame = pd.DataFrame(EDGES, columns=["from", "to"])
    for gold in (frame, frame.astype("category"), np.array(EDGES), set(EDGES), frame.iloc[::-1]):
        assert network.accuracy(gold).aupr == expected
    pairs = [(a, b) for a in network.regulators for b in network.targets if a != b]
    labels = [(a, b, int((a, b) in EDGES)) for a, b in pairs]
    assert network.accuracy(labels).aupr == expected
    listed = [row for row in labels if row[0] in ("x0", "x2")]
    accuracy = network.accuracy(pd.DataFrame(listed))
    assert (accuracy.n_edges, accuracy.n_pairs) == (2, 10)


def test_unknown_variables_are_left_out(network):
    with pytest.warns(UserWarning, match="1 of the known edges are left out.*x9 -> x0"):
        accuracy = network.accuracy([*EDGES, ("x9", "x0")])
    assert accuracy.n_edges == 3


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ([], "at least one row"),
        ([("x0",)], "got 1 columns"),
        ([("x0", "x1"), ("x0",)], "different lengths"),
        ([("x0", "x1", 2)], "zeros and ones"),
        ([("x0", "x1", "yes")], "zeros and ones"),
        (["x0"], "got 1 columns"),
        ([("x0", "x0")], "no edge"),
        ([("x0", "x1", 1)], "an edge for every pair"),
    ],
)
def test_bad_gold_standards_are_refused(network, gold, text):
    with pytest.raises(ValueError, match=text):
        network.accuracy(gold)


@pytest.mark.parametrize("gold", [None, 3, [1, 2]])
def test_what_is_no_gold_standard(network, gold):
    with pytest.raises(TypeError, match="gold_standard must be a data frame, an array or a list"):
        network.accuracy(gold)


def test_forms(network):
    accuracy = network.accuracy(EDGES)
    assert "3 edges among 30 pairs" in repr(accuracy)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert accuracy.plot().ax_.get_xlabel() == "recall"
    pyplot.close("all")
