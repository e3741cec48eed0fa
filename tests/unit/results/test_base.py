"""The one base of result objects: frames, displays, text and HTML."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot

import silvics
from silvics import DecisionTreeClassifier, RandomForestClassifier
from silvics._names import one_line
from silvics._results.base import Result
from silvics._results.oob_curve import OobCurve
from silvics._results.summary import Summary
from silvics._results.table import Table, table_of
from silvics.importance import (
    AsymptoticImportances,
    Copies,
    ForestMasking,
    Importances,
    Masking,
    NullInformation,
    Redundancy,
    Relevance,
    Significance,
    asymptotic_importances,
    copies,
    forest_masking,
    masking,
    null_information,
    permutation_test,
    redundant,
    relevance,
)
from silvics.plots.display import Display

mpl.use("Agg")

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (60, 3))
Y = (X[:, 0] + X[:, 1] > 1).astype(int)
PLAIN = ("a", "b", "c")
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}
CLASSES = {
    "importances": Importances,
    "significance": Significance,
    "asymptotic": AsymptoticImportances,
    "masking": Masking,
    "forest masking": ForestMasking,
    "copies": Copies,
    "relevance": Relevance,
    "redundancy": Redundancy,
    "null information": NullInformation,
    "summary": Summary,
    "oob curve": OobCurve,
}


def frame(library, names=PLAIN):
    return LIBRARIES[library]({name: X[:, j] for j, name in enumerate(names)})


def make(kind, table):
    """A result of each class, on a frame of three columns."""
    forest = RandomForestClassifier(5, oob_score=False, random_state=0)
    many = RandomForestClassifier(40, keep_samples=True, random_state=0)
    names = list(table.columns)
    makers = {
        "importances": lambda: forest.fit(table, Y).importances("mdi", table, Y, null="auto"),
        "significance": lambda: permutation_test(
            forest, table, Y, n_permutations=3, random_state=0
        ),
        "asymptotic": lambda: asymptotic_importances(table, Y),
        "masking": lambda: masking(table, Y),
        "forest masking": lambda: forest_masking(forest, table, Y, random_state=0),
        "copies": lambda: copies(table, Y, names[0], 2),
        "relevance": lambda: relevance(table, Y),
        "redundancy": lambda: redundant(table[names[0]], table[names[1]], Y, given=table),
        "null information": lambda: null_information(table[names[0]], Y),
        "summary": lambda: forest.fit(table, Y).summary(),
        "oob curve": lambda: many.fit(table, Y).oob_curve(),
    }
    return makers[kind]()


each = pytest.mark.parametrize("kind", CLASSES)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


# ---- one base


def classes_with_a_frame():
    found = set()
    for module in pkgutil.walk_packages(silvics.__path__, "silvics."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            own = inspect.isclass(value) and value.__module__.startswith("silvics.")
            if own and hasattr(value, "to_frame"):
                found.add(value)
    return found


def test_every_class_with_a_frame_derives_from_the_base():
    found = classes_with_a_frame()
    assert {Result, *CLASSES.values()} < found
    assert all(issubclass(of, Result) for of in found)


@pytest.mark.parametrize(
    "of", sorted(classes_with_a_frame() - {Result}, key=lambda of: of.__name__)
)
def test_forms_are_written_once(of):
    """A class gives its columns, its title and its drawing; the base makes the forms."""
    own = vars(of)
    assert not {"to_frame", "__repr__", "__str__", "_repr_html_"} & own.keys()
    assert all(hasattr(of, name) for name in ("_columns", "_title", "_draw"))
    assert not inspect.isabstract(of)


# ---- frames


@each
@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_are_of_the_users_library(kind, library):
    result = make(kind, frame(library))
    assert type(result) is CLASSES[kind]
    found = result.to_frame()
    assert isinstance(found, LIBRARIES[library])
    assert list(found.columns) == list(result._columns())
    assert len(found) > 0


@each
def test_columns_of_frames_are_documented(kind):
    result = make(kind, frame("pandas"))
    described = inspect.getdoc(type(result)).split("Attributes\n")[0]
    columns = set(result.to_frame().columns) - {*PLAIN, "0", "1"}  # names and classes of the user
    assert columns <= set(re.findall(r"``(\w+)``", described))


def test_a_frame_of_a_summary_has_the_fields():
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    summary = forest.summary()
    (row,) = summary.to_frame().to_dict("records")
    assert row["n_trees"] == 5
    assert row["n_nodes"] == summary.n_nodes
    assert row["oob_error"] is None


def test_a_redundancy_has_the_terms_of_its_conditions():
    same = redundant([0, 1, 2], [2, 1, 0])
    assert same.conditions == {"H(Xi | Xj)": 0.0, "H(Xj | Xi)": 0.0}
    coarser = redundant([0, 1, 2, 3], [0, 0, 1, 1])
    assert coarser.conditions == pytest.approx({"H(Xi | Xj)": 1.0, "H(Xj | Xi)": 0.0})
    assert coarser.excess == pytest.approx(1.0)
    given = redundant([0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    assert max(given.conditions.values()) == given.excess == pytest.approx(1.0)
    assert given.to_frame()["value"].tolist() == pytest.approx([1.0, 0.0, 1.0])
    assert redundant([0, 1], [0, 1]) == redundant([1, 0], [1, 0])


# ---- displays


@each
def test_plots_return_a_display(kind):
    result = make(kind, frame("pandas"))
    display = result.plot()
    assert isinstance(display, Display)
    assert display.figure_ is display.ax_.figure
    assert display.ax_.has_data()
    display.figure_.canvas.draw()


@each
def test_plots_draw_in_given_axes(kind):
    figure, axes = pyplot.subplots(1, 2)
    result = make(kind, frame("pandas"))
    for display in (result.plot(ax=axes[1]), result.plot(axes[1])):
        assert display.ax_ is axes[1]
        assert display.figure_ is figure
    assert axes[1].has_data()
    assert not axes[0].has_data()
    assert pyplot.get_fignums() == [figure.number]


def test_axes_come_first_and_options_are_named():
    for of in CLASSES.values():
        first, *options = list(inspect.signature(of.plot).parameters.values())[1:]
        assert (first.name, first.default) == ("ax", None)
        assert all(option.kind is option.KEYWORD_ONLY for option in options)


def test_trees_return_a_display():
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    figure, ax = pyplot.subplots()
    display = tree.plot(ax=ax)
    assert isinstance(display, Display)
    assert (display.ax_, display.figure_) == (ax, figure)


def test_a_summary_without_importances_says_so():
    summary = dataclasses.replace(make("summary", frame("pandas")), importances=[])
    with pytest.raises(ValueError, match="no importances to draw"):
        summary.plot()


# ---- text and HTML


@each
def test_text_and_html_have_the_same_content(kind):
    result = make(kind, frame("pandas"))
    text, html = repr(result), result._repr_html_()
    assert str(result) == text
    assert text.splitlines()[0] == result._title()
    shown = re.sub(r"<.*?>", " ", html).split()
    assert "".join(shown) == "".join(text.split())


@each
def test_html_is_balanced(kind):
    html = make(kind, frame("pandas"))._repr_html_()
    for tag in ("div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"):
        assert len(re.findall(f"<{tag}>", html)) == html.count(f"</{tag}>")
    assert html.startswith("<div>")
    assert "<table>" in html


@each
def test_hostile_names(kind):
    hostile = ("$<b>bold</b>", "two\nlines\x1b[31m", "$x_{1}$ & co")
    plain, result = make(kind, frame("pandas")), make(kind, frame("pandas", hostile))
    text, html = repr(result), result._repr_html_()
    assert len(text.splitlines()) == len(repr(plain).splitlines())
    assert "\x1b" not in text
    assert "\x1b" not in html
    assert html.count("<b>") == plain._repr_html_().count("<b>")  # the title alone
    if "two lines" in text:
        assert "two lines\\x1b[31m" in text
    if "bold" in text:
        assert "&lt;b&gt;bold&lt;/b&gt;" in html
    if kind != "redundancy":  # its conditions have fixed names
        result.plot().figure_.canvas.draw()


def test_cells():
    columns = {
        "number": np.array([0.123456, np.nan]),
        "whole": np.array([12345, 1]),
        "set": [("a", "b"), ()],
        "flag": [True, np.False_],
        "none": [None, "x" * 80],
        "duration": np.array([90, "NaT"], dtype="timedelta64[m]"),
    }
    table = table_of(columns)
    assert table.rows[0] == ("0.1235", "12,345", "a, b", "yes", "", "1:30:00")
    assert table.rows[1] == ("", "1", "", "no", "x" * 47 + "...", "")
    assert table.header == list(columns)


def test_tables_show_their_first_rows_and_columns():
    table = table_of({f"c{k}": np.arange(1234) for k in range(15)})
    assert len(table.rows) == 15
    assert len(table.header) == 11
    assert table.notes == ["... and 1,219 more", "... and 4 more columns: see to_frame()"]
    assert "<p>... and 1,219 more</p>" in table.html()


def test_tables_are_aligned():
    table = Table([["a", "1"], ["long", "20"]], header=["", "n"], title="Counts", numeric=True)
    assert table.lines() == ["", "  Counts", "           n", "    a      1", "    long  20"]
    assert Table([]).lines() == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\n\tc", "a b c"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\u202eleft", "\\u202eleft"),
        ("\ud800", "\\ud800"),
        ("Länge 長", "Länge 長"),
        ("", ""),
    ],
)
def test_names_stay_on_one_line(text, shown):
    assert one_line(text) == shown
