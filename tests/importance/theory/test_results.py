"""What comes out: the same for any number of threads, in the user's library, to show and keep."""

import copy
import pickle
import re
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from silvics.importance import (
    asymptotic_importances,
    copies,
    masking,
    null_information,
    redundant,
    relevance,
)

mpl.use("Agg")
from matplotlib import pyplot

rng = np.random.default_rng(1)
X = rng.integers(0, 3, (60, 4))
Y = rng.integers(0, 2, 60)
WEIGHTS = rng.random(60)
NAMES = ["u", "v", "w", "x"]
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
WAYS = {
    "sets": {},
    "weighted sets": {"sample_weight": WEIGHTS},
    "few sets": {"depth": 2},
    "nodes": {"K": 3},
    "weighted nodes": {"K": 3, "sample_weight": WEIGHTS, "criterion": "gini"},
    "variance": {"K": 2, "sample_weight": WEIGHTS, "criterion": "variance"},
    "extra": {"splits": "extra", "K": 2},
    "best": {"splits": "best"},
    "encoded": {"splits": "encoded"},
    "subspaces": {"subspace": 2, "K": 2},
    "sampled": {"method": "sampled", "n_trees": 100, "random_state": 5},
    "sampled best": {"method": "sampled", "splits": "best", "K": 2, "random_state": 5},
}


def found_by(way):
    return asymptotic_importances(X, Y, **WAYS[way])


def all_results():
    return {way: found_by(way) for way in WAYS} | {
        "masking": masking(X, Y),
        "relevance": relevance(X, Y),
        "copies": copies(X, Y, 0),
        "null": null_information(X[:, 0], Y),
        "redundant": redundant(X[:, 0], X[:, 1], Y),
    }


RESULTS = list(all_results())
PLOTTED = [*WAYS, "masking", "copies"]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


# ---- the same again


@pytest.mark.parametrize("way", WAYS)
def test_threads_do_not_matter(way):
    one, *more = (asymptotic_importances(X, Y, n_jobs=n, **WAYS[way]) for n in (1, 2, 3))
    for other in more:
        np.testing.assert_array_equal(one.by_degree, other.by_degree)
        np.testing.assert_array_equal(one.standard_errors, other.standard_errors)
        pd.testing.assert_frame_equal(one.by_context(), other.by_context(), check_exact=True)
        if "splits" in WAYS[way]:
            pd.testing.assert_frame_equal(one.by_cut(), other.by_cut(), check_exact=True)


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_threads_do_not_matter_to_masking(method):
    options = {"method": method, "n_trees": 70, "random_state": 0}
    one, *more = (masking(X, Y, n_jobs=n, **options) for n in (1, 2, 3))
    for other in more:
        np.testing.assert_array_equal(one.importances, other.importances)
        np.testing.assert_array_equal(one.hidden, other.hidden)


def test_threads_do_not_matter_to_others():
    kinds = [relevance(X, Y, sample_weight=WEIGHTS, n_jobs=n) for n in (1, 2, 3)]
    copied = [copies(X, Y, 1, sample_weight=WEIGHTS, n_jobs=n) for n in (1, 2, 3)]
    for kind, of_copies in zip(kinds, copied, strict=True):
        np.testing.assert_array_equal(kind.information, kinds[0].information)
        np.testing.assert_array_equal(of_copies.importances, copied[0].importances)


def test_seeds():
    def sampled(seed):
        options = {"method": "sampled", "n_trees": 20, "random_state": seed}
        return asymptotic_importances(X, Y, K=2, **options).importances.tolist()

    assert sampled(3) == sampled(3) == sampled(np.int64(3))
    assert sampled(3) != sampled(4)
    assert sampled(np.random.RandomState(0)) == sampled(np.random.RandomState(0))
    assert sampled(None) != sampled(None)


def test_samples_come_near():
    exact, sampled = (
        asymptotic_importances(X, Y, K=2, method=method, random_state=0)
        for method in ("exact", "sampled")
    )
    off = np.abs(exact.importances - sampled.importances)
    assert (off < 5 * sampled.standard_errors).all()
    assert not exact.standard_errors.any()
    one = asymptotic_importances(X, Y, method="sampled", n_trees=1, random_state=0)
    assert np.isnan(one.standard_errors).all()  # of one tree nobody knows


@pytest.mark.parametrize("way", WAYS)
def test_parts_add_up(way):
    found = found_by(way)
    np.testing.assert_allclose(found.by_degree.sum(axis=1), found.importances)
    assert found.total == pytest.approx(found.importances.sum())
    frame = found.by_context()
    if found.exact:
        sums = frame.groupby("variable")["importance"].sum()[["x0", "x1", "x2", "x3"]]
        np.testing.assert_allclose(sums, found.importances)
    np.testing.assert_allclose(frame["weight"] * frame["information"], frame["importance"])
    assert (frame["given"].map(len) == frame["degree"]).all()
    if "splits" in WAYS[way]:
        cuts = found.by_cut().groupby("variable")["importance"].sum()
        np.testing.assert_allclose(cuts, found.importances)
    else:
        with pytest.raises(ValueError, match="splits of 'extra'"):
            found.by_cut()


# ---- frames


def types_of(frame):
    if isinstance(frame, pa.Table):
        frame = pl.from_arrow(frame)
    frame = pl.DataFrame(frame) if isinstance(frame, pd.DataFrame) else frame
    return {name: str(dtype) for name, dtype in frame.schema.items()}


CONTEXT = {
    "variable": "String",
    "given": "List(String)",
    "degree": "Int64",
    "weight": "Float64",
    "information": "Float64",
    "importance": "Float64",
}
OF_NAMES = dict.fromkeys(NAMES, "Float64")


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_are_of_the_library_of_X(library):
    make = LIBRARIES[library]
    table = make({name: X[:, j] for j, name in enumerate(NAMES)})
    found = asymptotic_importances(table, Y, splits="extra")
    hidden = masking(table, Y)
    frames = [
        (
            found.to_frame(),
            {"variable": "String"} | dict.fromkeys(["importance", "standard_error"]),
        ),
        (found.by_context(), CONTEXT),
        (found.by_context(top=3), CONTEXT),
        (found.by_context(top=0), CONTEXT),
        (
            found.by_cut(),
            dict.fromkeys(["variable", "at_most"], "String")
            | dict.fromkeys(["threshold", "importance"]),
        ),
        (hidden.to_frame(), {"K": "Int64"} | OF_NAMES),
        (hidden.pairs(), dict.fromkeys(["variable", "hidden_by"], "String") | {"amount": None}),
        (hidden.pairs(K=1), dict.fromkeys(["variable", "hidden_by"], "String") | {"amount": None}),
        (copies(table, Y, "w").to_frame(), {"copies": "Int64"} | OF_NAMES),
        (
            relevance(table, Y).to_frame(),
            {
                **dict.fromkeys(["variable", "kind"], "String"),
                "marginally": "Boolean",
                "witness": "String",
                "information": "Float64",
            },
        ),
    ]
    for frame, types in frames:
        assert isinstance(frame, type(table))
        expected = {name: dtype or "Float64" for name, dtype in types.items()}
        found_types = types_of(frame)
        if library == "pandas":  # an object column without a row has no type to show
            assert list(found_types) == list(expected)
            if len(frame):
                assert found_types == expected
        else:
            assert found_types == expected


@pytest.mark.parametrize("table", [X, X.tolist(), pd.DataFrame(X)])
def test_frames_of_other_tables(table):
    frame = asymptotic_importances(table, Y).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["variable"].tolist() == ["x0", "x1", "x2", "x3"]


def test_a_variable_named_like_a_column_of_ours():
    table = pd.DataFrame({"K": X[:, 0], "copies": X[:, 1], "b": X[:, 2]})
    frame = masking(table, Y).to_frame()
    assert frame.shape == (3, 4)
    assert frame.iloc[:, 0].tolist() == [1, 2, 3]
    frame = copies(table, Y, "b", 2).to_frame()
    assert frame.shape == (3, 4)
    assert frame.iloc[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("way", WAYS)
def test_top_is_the_beginning_of_all(way):
    found = found_by(way)
    everything = found.by_context()
    assert everything["importance"].is_monotonic_decreasing
    for top in range(1, len(everything) + 2):
        first = found.by_context(top=top)
        assert len(first) == min(top, len(everything))
        pd.testing.assert_frame_equal(first, everything[:top])


@pytest.mark.parametrize("way", ["sets", "nodes"])
def test_top_of_none(way):
    frame = found_by(way).by_context(top=0)
    assert frame.shape == (0, 6)
    assert list(frame) == list(CONTEXT)


def test_top_of_many_that_are_equal():
    table = [[i >> j & 1 for j in range(4)] for i in range(16)]
    found = asymptotic_importances(table, [sum(row) % 2 for row in table])
    everything = found.by_context()
    for top in range(1, len(everything)):
        pd.testing.assert_frame_equal(found.by_context(top=top), everything[:top])


def test_pairs():
    found = masking(X, Y)
    everything = found.pairs()
    assert everything["amount"].is_monotonic_decreasing
    assert (everything["amount"] > 0).all()
    assert (everything["variable"] != everything["hidden_by"]).all()
    pd.testing.assert_frame_equal(everything, found.pairs(K=4))
    for top in range(len(everything) + 2):
        pd.testing.assert_frame_equal(found.pairs(top=top), everything[:top], check_dtype=top > 0)


def test_too_many_contexts_to_list():
    table = rng.integers(0, 2, (12, 19))
    found = asymptotic_importances(table, np.arange(12) % 2)
    with pytest.raises(ValueError, match="pass top="):
        found.by_context()
    assert len(found.by_context(top=5)) == 5


# ---- to look at


@pytest.mark.parametrize("name", RESULTS)
def test_repr(name):
    told = repr(all_results()[name])
    assert "object at 0x" not in told
    assert "np.float64" not in told
    assert max(len(line) for line in told.splitlines()) < 100


def test_repr_of_many_variables():
    table, y = rng.integers(0, 2, (30, 100)), rng.integers(0, 2, 30)
    options = {"method": "sampled", "n_trees": 4, "random_state": 0}
    found = [
        asymptotic_importances(table, y, **options),
        masking(table[:, :50], y, **options),
        relevance(table, y, max_size=0),
    ]
    for result in found:
        lines = repr(result).splitlines()
        assert len(lines) < 45
        assert lines[-1].endswith("more")


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9, 1e100])
def test_repr_of_any_scale(scale):
    y = rng.random(60) * scale
    found = asymptotic_importances(X, y, criterion="variance")
    for result in (
        found,
        masking(X, y, criterion="variance"),
        copies(X, y, 0, criterion="variance"),
    ):
        told = repr(result)
        assert max(len(line) for line in told.splitlines()) < 80
        shown = [float(number) for number in re.findall(r"x\d +([-+.e\d]+)", told)]
        assert min(shown) > 0


@pytest.mark.parametrize("name", PLOTTED)
def test_plot(name):
    result = all_results()[name]
    result.plot().figure_.canvas.draw()
    figure, ax = pyplot.subplots()
    assert result.plot(ax=ax).ax_ is ax
    figure.canvas.draw()
    assert pyplot.get_fignums() == [1, 2]


@pytest.mark.parametrize("name", ["sets", "extra", "sampled"])
def test_plot_importances(name):
    result = found_by(name)
    ax = result.plot(kind="importances").ax_
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match="kind must be"):
        result.plot(kind="pie")


def test_plot_of_next_to_nothing():
    for y in (Y * 0, Y):
        for columns in (X[:, :1], X):
            found = asymptotic_importances(columns, y, method="sampled", n_trees=1)
            found.plot(kind="importances").figure_.canvas.draw()
            found.plot().figure_.canvas.draw()
            masking(columns, y).plot().figure_.canvas.draw()
            copies(columns, y, 0, 0).plot().figure_.canvas.draw()


def test_plot_of_names_that_mean_something_to_matplotlib():
    table = pd.DataFrame(X, columns=["$a", "_b", r"$\frac$", "%"])
    asymptotic_importances(table, Y).plot().figure_.canvas.draw()
    ax = masking(table, Y).plot().ax_
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(shown) == 4  # matplotlib leaves out labels with an underscore before


def test_plot_without_matplotlib(monkeypatch):
    for name in [n for n in sys.modules if n.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    results = all_results()
    for name in PLOTTED:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            results[name].plot()
    with pytest.raises(ImportError, match="pip install matplotlib"):
        results["sets"].plot(kind="importances")


# ---- to keep


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("keep", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy])
def test_kept(name, keep):
    result = all_results()[name]
    kept = keep(result)
    assert type(kept) is type(result)
    if name == "null":
        assert kept.observed == result.observed
        assert kept.gamma.mean() == result.gamma.mean()
        return
    assert repr(kept) == repr(result)
    for method in ("to_frame", "by_context", "pairs"):
        if hasattr(result, method):
            pd.testing.assert_frame_equal(getattr(kept, method)(), getattr(result, method)())


@pytest.mark.parametrize("name", ["sets", "masking", "relevance", "copies", "null", "redundant"])
def test_results_can_be_compared(name):
    result = all_results()[name]
    assert result == result
    assert (result == copy.deepcopy(result)) in (True, False)
    assert result != 3


# ---- on the way


@pytest.mark.parametrize("way", WAYS)
def test_progress(way):
    calls = []
    asymptotic_importances(X, Y, progress=lambda *call: calls.append(call), **WAYS[way])
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {totals[0]}
    assert done[-1] == totals[0]


def test_progress_of_masking():
    calls = []
    masking(X, Y, progress=lambda *call: calls.append(call))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("way", WAYS)
def test_error_in_progress(way):
    def stop(done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        asymptotic_importances(X, Y, progress=stop, **WAYS[way])
    with pytest.raises(LookupError, match="enough"):
        masking(X, Y, progress=stop)


def test_warning_points_at_the_user():
    table, y = rng.integers(0, 2, (30, 40)), rng.integers(0, 2, 30)
    for function in (asymptotic_importances, masking):
        with pytest.warns(UserWarning, match="sampled trees") as caught:
            function(table, y, n_trees=2)
        assert [warning.filename for warning in caught] == [__file__]
