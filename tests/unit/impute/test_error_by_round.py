"""Errors by column and round, in print and as a frame."""

import matplotlib as mpl
import numpy as np
import polars as pl

from silvics.impute import ErrorByRound, ForestImputer

mpl.use("Agg")


def errors(library=None):
    return ErrorByRound(
        columns=["age", "sex"],
        measures=["nrmse", "pfc"],
        n_missing=np.array([3, 5]),
        errors=np.array([[0.5, 0.25], [0.375, 0.125]]),
        changes=np.array([[1.0, 0.4], [0.5, 0.2]]),
        kept=1,
        _library=library,
    )


def test_frame_has_a_row_for_each_column_and_round():
    frame = errors("polars").to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["round"].to_list() == [1, 1, 2, 2]
    assert frame["column"].to_list() == ["age", "sex"] * 2
    assert frame["error"].to_list() == [0.5, 0.25, 0.375, 0.125]
    assert frame["n_missing"].to_list() == [3, 5, 3, 5]


def test_text_html_and_plot():
    found = errors()
    assert "2 rounds; the table of round 2 was returned" in repr(found)
    assert "0.375" in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found.plot().ax_.lines) >= 3


def test_without_missing_values():
    found = ForestImputer(3, random_state=0).fit(np.eye(4)).oob_error_
    assert "no column had missing values" in repr(found)
    assert len(found.to_frame()) == 0
