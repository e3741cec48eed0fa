"""The result: edges in order, forms, plots."""

import numpy as np
import pytest

from silvics.network import genie3


def made(p=30, n_estimators=3, **arguments):
    X = np.random.default_rng(0).normal(size=(50, p))
    return genie3(X, n_estimators=n_estimators, random_state=0, **arguments)


def test_edges_are_sorted_and_without_loops():
    network = made()
    frame = network.to_frame()
    assert len(frame) == 30 * 29
    assert (np.diff(frame["importance"]) <= 0).all()
    assert not (frame["regulator"] == frame["target"]).any()
    for row in frame.head(3).itertuples():
        i = network.regulators.tolist().index(row.regulator)
        j = network.targets.tolist().index(row.target)
        assert network.importances[i, j] == row.importance


@pytest.mark.parametrize("top", [0, 1, 7, 100, 10_000])
def test_top_edges_are_the_first_of_all(top):
    """Ties too: most importances of a tree of depth one are zero."""
    for network in (made(), made(n_estimators=1, max_depth=1)):
        assert network.edges(top=top).equals(network.to_frame().head(top))


def test_top_is_checked():
    with pytest.raises(ValueError, match="top"):
        made(4).edges(top=-1)
    with pytest.raises(TypeError, match="top"):
        made(4).plot(top="all")


def test_forms():
    network = made()
    text = repr(network)
    assert text.startswith("Network of 30 regulators and 30 targets (random_forest)")
    assert "... and 855 more edges" in text
    assert "<table>" in network._repr_html_()
    assert "more edges" not in repr(made(4))


def test_plot_draws_the_edges():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    network = made(8)
    ax = network.plot(top=5).ax_
    arrows = [text for text in ax.texts if text.get_text() == ""]
    assert len(arrows) == 5
    shown = {text.get_text() for text in ax.texts} - {""}
    frame = network.edges(top=5)
    assert shown == {*frame["regulator"], *frame["target"]}
    network.plot(ax=pyplot.figure().add_subplot(), top=0)
    pyplot.close("all")
