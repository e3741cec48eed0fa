import numpy as np
import pandas as pd
import pytest

from silvics.reporting.columns import data_section, one_column_scores
from silvics.reporting.subject import subject_of

N = 400


def clean(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.normal(size=N), "b": rng.normal(size=N), "c": rng.choice(["x", "y", "z"], N)}
    )
    return frame, (frame["a"] + 0.5 * rng.normal(size=N) > 0).astype(int).to_numpy()


def planted(what):
    """A clean table in which one thing is wrong."""
    frame, y = clean()
    if what == "leak":
        frame["result"] = y * 3.0 + 1
    elif what == "constant":
        frame["same"] = 7
    elif what == "row number":
        frame["number"] = np.arange(N)
    elif what == "duplicated column":
        frame["again"] = frame["a"]
    elif what == "duplicated rows":
        rows = np.r_[0:360, 0:40]
        frame, y = frame.iloc[rows], y[rows]
    elif what == "disguised missing":
        frame["b"] = frame["b"].abs()
        frame.loc[::10, "b"] = -999.0
    elif what == "missing":
        frame.loc[::2, "b"] = np.nan
        frame.loc[1::10, "b"] = np.nan
    elif what == "identifier":
        frame["name"] = [f"n{k}" for k in range(N)]
    elif what == "many levels":
        frame["city"] = [f"city {k % 150}" for k in range(N)]
    elif what == "rare class":
        y = y + 0
        y[:8] = 2
    return frame, y


def names_of(frame, y):
    section = data_section(subject_of(frame, y))
    return {finding["name"] for finding in section.values["findings"]}


def test_nothing_is_found_in_clean_tables():
    for seed in range(3):
        assert names_of(*clean(seed)) == set()


@pytest.mark.parametrize(
    "what",
    [
        "leak", "constant", "row number", "duplicated column", "duplicated rows",
        "disguised missing", "missing", "identifier", "many levels", "rare class",
    ],
)  # fmt: skip
def test_planted_defects_are_found_and_nothing_else(what):
    assert names_of(*planted(what)) == {what}


def test_single_columns_are_scored_on_other_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.normal(size=2000), "signal": rng.normal(size=2000)})
    scores = one_column_scores(subject_of(X, X["signal"].to_numpy() * 2))
    assert scores[1] > 0.95
    assert abs(scores[0]) < 0.1  # a score on the same rows would be positive


def test_levels_with_markup_are_only_text():
    frame, y = clean()
    frame["c"] = frame["c"].replace("x", "<svg onload=alert(1)>")
    table = data_section(subject_of(frame, y)).to_dict()["tables"]["columns"]["columns"]
    assert "distribution" not in table  # a drawing
    assert any("<svg" in text for text in table["values"])
